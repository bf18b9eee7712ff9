"""The detector by a language model: what was done in, proposals out, which the counting detector holds against it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.learn.detect.check import check_proposals
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.numbered_lines import line
from remembrancer.llm.prompts import template_named
from remembrancer.llm.structured import Ask
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
# Of a long month the newest are told.
MOST_TOLD: Final = 400


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
    """What a model proposes."""

    patterns: tuple[PatternBlock, ...]


async def detect_asking(
    deeds: Sequence[BehaviourEvent], ask: Ask, *, known: Collection[str] = (), limit: int = PATTERNS_PER_RUN
) -> tuple[list[Pattern], list[RejectedProposal]]:
    """What a model proposes and the deeds bear out, counted by the engine; and why the rest is refused.

    What is refused goes back to the model once, with the reasons, while there is room.

    Args:
        deeds: of one exact scope, oldest first.
        ask: puts a prompt to a model; what it raises comes through.
        known: quotes of what was observed before, and of what was counted just now.
        limit: how many at most are taken.
    """
    told = deeds[-MOST_TOLD:]

    async def asked(refusals: Sequence[RejectedProposal], room: int) -> tuple[list[Pattern], list[RejectedProposal]]:
        def checked(answer: DetectedAnswer) -> tuple[list[Pattern], list[RejectedProposal]]:
            return check_proposals([_proposal(block, told) for block in answer.patterns], deeds, limit=room)

        return await ask(detecting_prompt(told, known=known, refusals=refusals), DetectedAnswer, checked)

    taken, refused = await asked((), limit)
    if not refused or len(taken) >= limit:
        return taken, refused
    try:
        mended, again = await asked(refused, limit - len(taken))
    except (BadModelOutput, BudgetExceeded, ProviderUnavailable):
        # What was found sound stands, whatever becomes of the rest.
        return taken, refused
    fresh = [pattern for pattern in mended if pattern.key not in {one.key for one in taken}]
    return [*taken, *fresh], again


def detecting_prompt(
    deeds: Sequence[BehaviourEvent], *, known: Collection[str], refusals: Sequence[RejectedProposal] = ()
) -> Prompt:
    """What a model is asked to find; the same deeds give the same prompt on any day.

    Args:
        refusals: of what it proposed before, and why.
    """
    return TEMPLATE.render(
        known="\n".join(line(quote=quote) for quote in sorted(known)),
        episodes="\n".join(_line(number, deed) for number, deed in enumerate(deeds, start=1)),
        refusals=_refused(refusals),
    )


def _refused(refusals: Sequence[RejectedProposal]) -> str:
    """What is said of proposals that were counted and refused."""
    if not refusals:
        return ""
    told = "\n".join(line(quote=one.quote, reason=one.reason) for one in refusals)
    return f"\nThese were counted and refused. Mend those that are true, and leave out the others:\n{told}"


def _line(number: int, deed: BehaviourEvent) -> str:
    told = {
        "n": number,
        "at": f"{deed.at:%A %Y-%m-%d %H:%M}",
        "event": deed.event,
        "outcome": deed.outcome,
        "text": deed.text,
        "about": {entity.type: entity.name for entity in deed.entities},
        **{name: value for name, value in sorted(deed.attributes.items()) if name not in _OWN},
    }
    return line(**{name: value for name, value in told.items() if value not in ("", {})})


_OWN: Final = frozenset({"n", "at", "event", "outcome", "text", "about"})


def _proposal(block: PatternBlock, deeds: Sequence[BehaviourEvent]) -> Proposal:
    """A proposal with ids; a number that names no line stays as it is, and is refused for it."""
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
