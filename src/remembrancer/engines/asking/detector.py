"""The detector by a language model: what was done in, proposals out, which the counting detector holds against it."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.engines.asking.ask import Ask
from remembrancer.engines.detecting.check import check_proposals
from remembrancer.engines.prompting import template_named
from remembrancer.model.pattern import PATTERNS_PER_RUN, Deed, Pattern, Proposal, Refusal
from remembrancer.ports.language_model import Prompt

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("detect")
# Of a long month the newest are told.
MOST_TOLD: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternBlock:
    """One habit, as a model writes it down; its episodes are numbers of the prompt's lines."""

    category: str
    quote: str
    evidence: str
    episodes: tuple[int, ...]
    occurrences: int
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectedAnswer:
    """What a model proposes."""

    patterns: tuple[PatternBlock, ...]


async def detect_asking(
    deeds: Sequence[Deed], ask: Ask, *, known: Collection[str] = (), limit: int = PATTERNS_PER_RUN
) -> tuple[list[Pattern], list[Refusal]]:
    """What a model proposes and the deeds bear out, counted by the engine; and why the rest is refused.

    Args:
        deeds: of one exact scope, oldest first.
        ask: puts a prompt to a model; what it raises comes through.
        known: quotes of what was observed before.
        limit: how many at most are taken.
    """
    told = deeds[-MOST_TOLD:]

    def checked(answer: DetectedAnswer) -> tuple[list[Pattern], list[Refusal]]:
        return check_proposals([_proposal(block, told) for block in answer.patterns], deeds, limit=limit)

    return await ask(detecting_prompt(told, known=known), DetectedAnswer, checked)


def detecting_prompt(deeds: Sequence[Deed], *, known: Collection[str]) -> Prompt:
    """What a model is asked to find; the same deeds give the same prompt on any day."""
    return TEMPLATE.render(
        known="\n".join(json.dumps(quote, ensure_ascii=False) for quote in sorted(known)),
        episodes="\n".join(_line(number, deed) for number, deed in enumerate(deeds, start=1)),
    )


def _line(number: int, deed: Deed) -> str:
    told = {
        "n": number,
        "at": f"{deed.at:%A %Y-%m-%d %H:%M}",
        "event": deed.event,
        "outcome": deed.outcome,
        "text": deed.text,
        "about": [f"{entity.type} {entity.name}" for entity in deed.entities],
        **{name: value for name, value in sorted(deed.attributes.items()) if name not in _OWN},
    }
    return json.dumps({name: value for name, value in told.items() if value not in ("", [])}, ensure_ascii=False)


_OWN: Final = frozenset({"n", "at", "event", "outcome", "text", "about"})


def _proposal(block: PatternBlock, deeds: Sequence[Deed]) -> Proposal:
    """A proposal with ids; a number that names no line stays as it is, and is refused for it."""
    return Proposal(
        category=block.category,
        quote=block.quote.strip(),
        evidence=block.evidence.strip(),
        episodes=tuple(deeds[n - 1].id if 0 < n <= len(deeds) else f"number {n}" for n in block.episodes),
        occurrences=block.occurrences,
        rule=block.rule.strip(),
    )
