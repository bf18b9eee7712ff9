"""Statements that insights of several agents share: only equal ones, never similar ones."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.language.terms import language, terms
from remembrancer.learn.agreement import TextRelation, agreement
from remembrancer.learn.reflect.statements import LEAST_CONTENT, statements
from remembrancer.types.record import Reflection

AGENTS: Final = 3
_BY_WORDS: Final = "words-reflector "
# The number of different statements with the same words that are compared; the rest are skipped.
_MOST_ALIKE: Final = 8
# What the words-reflector only touches on has this priority; it is no statement.
_TOUCHED_ON: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreed:
    """A statement of several agents.

    Args:
        insights: with this statement, the oldest first; at least one of each agent.
        agents: their number.
    """

    text: str
    insights: tuple[Reflection, ...]
    agents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Claim:
    text: str
    agent: str
    insight: Reflection


def agreed(insights: Mapping[str, Iterable[Reflection]], *, agents: int = AGENTS) -> list[Agreed]:
    """Return the statements of at least this many agents, ordered by text.

    The order of the insights does not matter.

    Args:
        insights: by the agent's name.
    """
    alike: dict[frozenset[str], list[_Claim]] = {}
    for claim in sorted(_claims(insights), key=lambda claim: (claim.text, claim.insight.id)):
        if len(words := words_of(claim.text)) >= LEAST_CONTENT:
            alike.setdefault(words, []).append(claim)
    groups = [group for claims in alike.values() if _agents(claims) >= agents for group in _same(claims)]
    return sorted((_agreed(group) for group in groups if _agents(group) >= agents), key=lambda found: found.text)


def words_of(text: str) -> frozenset[str]:
    """Return the stems of a text, without stop words; only texts with the same ones are compared."""
    return frozenset(term.stem for term in terms(text, language(text)) if term.kind != "stop")


def is_same_statement(one: str, other: str) -> bool:
    """Return True if two texts of the same words have the same polarity, numbers, dates and names."""
    return one == other or agreement(one, other) is TextRelation.SAME


def _claims(insights: Mapping[str, Iterable[Reflection]]) -> Iterable[_Claim]:
    return (
        _Claim(text=text, agent=agent, insight=insight)
        for agent, found in insights.items()
        for insight in found
        for text in _texts(insight)
    )


def _texts(insight: Reflection) -> Sequence[str]:
    """Return the statements of an insight with their speakers, without days and counts."""
    if not insight.engine.startswith(_BY_WORDS):
        return [" ".join(insight.text.split())]
    if insight.priority <= _TOUCHED_ON:
        return []
    found = statements([insight], len)
    return [f"{one.speaker}: {one.text}" if one.speaker else one.text for one in found if not one.hollow]


def _same(claims: Sequence[_Claim]) -> list[list[_Claim]]:
    """Return the claims of the same words in groups of equal ones."""
    groups: list[list[_Claim]] = []
    for claim in claims:
        fitting = (
            group
            for group in groups[:_MOST_ALIKE]
            if all(is_same_statement(text, claim.text) for text in {other.text: None for other in group})
        )
        group = next(fitting, None)
        if group is None:
            groups.append([claim])
        else:
            group.append(claim)
    return groups


def _agents(claims: Iterable[_Claim]) -> int:
    return len({claim.agent for claim in claims})


def _agreed(group: Sequence[_Claim]) -> Agreed:
    """Return the wording that most use, of those the first."""
    counts = Counter(claim.text for claim in group)
    insights = {claim.insight.id: claim.insight for claim in group}
    return Agreed(
        text=min(counts, key=lambda text: (-counts[text], text)),
        insights=tuple(sorted(insights.values(), key=lambda insight: (insight.occurred_at, insight.id))),
        agents=_agents(group),
    )
