"""The detector by a language model, whose proposals the counting detector checks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.learn.detect.proposals import check_proposals
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import line
from remembrancer.llm.prompts import template_named
from remembrancer.types.pattern import (
    PATTERNS_PER_RUN,
    BehaviourEvent,
    Category,
    Condition,
    ConditionOperator,
    Pattern,
    Proposal,
    RejectedProposal,
)

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("detect")
# Only the newest of a long month are shown.
MOST_SHOWN: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionBlock:
    """One condition, as a model writes it down."""

    field: str
    value: str
    relation: ConditionOperator = ConditionOperator.IS


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternBlock:
    """One habit, as a model writes it down; its episodes are numbers of the prompt's lines."""

    category: Category
    episodes: tuple[int, ...]
    quote: str
    evidence: str
    where: tuple[ConditionBlock, ...] = ()
    result: ConditionBlock | None = None
    wordings: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedAnswer:
    """A model's proposals."""

    patterns: tuple[PatternBlock, ...]


async def detect_asking(
    deeds: Sequence[BehaviourEvent], ask: AskModel, *, known: Collection[str] = (), limit: int = PATTERNS_PER_RUN
) -> tuple[list[Pattern], list[RejectedProposal]]:
    """Return a model's proposals that the deeds confirm, counted by the engine, and the refusals.

    Refused ones go back to the model once, with the reasons, while there is room.

    Args:
        deeds: of one exact scope, oldest first.
        ask: calls a model; its exceptions are raised.
        known: quotes of earlier observations, and of the patterns that were just counted.
        limit: the largest number of accepted ones.
    """
    shown = deeds[-MOST_SHOWN:]

    async def asked(refusals: Sequence[RejectedProposal], room: int) -> tuple[list[Pattern], list[RejectedProposal]]:
        def checked(answer: DetectedAnswer) -> tuple[list[Pattern], list[RejectedProposal]]:
            return check_proposals([_proposal(block, shown) for block in answer.patterns], deeds, limit=room)

        return await ask(detecting_prompt(shown, known=known, refusals=refusals), DetectedAnswer, checked)

    accepted, refused = await asked((), limit)
    if not refused or len(accepted) >= limit:
        return accepted, refused
    try:
        repaired, again = await asked(refused, limit - len(accepted))
    except (BadModelOutput, BudgetExceeded, ProviderUnavailable):
        # Accepted proposals are kept if the second call fails.
        return accepted, refused
    fresh = [pattern for pattern in repaired if pattern.key not in {one.key for one in accepted}]
    return [*accepted, *fresh], again


def detecting_prompt(
    deeds: Sequence[BehaviourEvent], *, known: Collection[str], refusals: Sequence[RejectedProposal] = ()
) -> Prompt:
    """Return the prompt; it depends on the deeds alone, not on the day.

    Args:
        refusals: of its earlier proposals, with the reasons.
    """
    return TEMPLATE.render(
        known="\n".join(line(quote=quote) for quote in sorted(known)),
        episodes="\n".join(_line(number, deed) for number, deed in enumerate(deeds, start=1)),
        refusals=_refused(refusals),
    )


def _refused(refusals: Sequence[RejectedProposal]) -> str:
    """Return the part of a prompt on proposals that were counted and refused."""
    if not refusals:
        return ""
    fields = "\n".join(line(quote=one.quote, reason=one.reason) for one in refusals)
    return f"\nThese were counted and refused. Mend those that are true, and leave out the others:\n{fields}"


def _line(number: int, deed: BehaviourEvent) -> str:
    fields = {
        "n": number,
        "at": f"{deed.at:%A %Y-%m-%d %H:%M}",
        "event": deed.event,
        "outcome": deed.outcome,
        "text": deed.text,
        "about": {entity.type: entity.name for entity in deed.entities},
        **{name: value for name, value in sorted(deed.attributes.items()) if name not in _OWN},
    }
    return line(**{name: value for name, value in fields.items() if value not in ("", {})})


_OWN: Final = frozenset({"n", "at", "event", "outcome", "text", "about"})


def _proposal(block: PatternBlock, deeds: Sequence[BehaviourEvent]) -> Proposal:
    """Return a proposal with ids; an unknown number is unchanged, and refused later."""
    return Proposal(
        category=block.category.value,
        quote=block.quote.strip(),
        evidence=block.evidence.strip(),
        episodes=tuple(deeds[n - 1].id if 0 < n <= len(deeds) else f"number {n}" for n in block.episodes),
        where=tuple(_condition(one) for one in block.where),
        result=_condition(block.result) if block.result else None,
        wordings=tuple(one.strip() for one in block.wordings if one.strip()),
        rule=block.rule.strip(),
    )


def _condition(block: ConditionBlock) -> Condition:
    return Condition(field=block.field.strip(), relation=block.relation, value=block.value.strip())
