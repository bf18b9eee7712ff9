"""The compactor by a language model: groups of episodes in, a few sentences for each out.

The counts are the engine's own and precede the model's text; see `learn.compact`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import Final

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.language.numbers import number_words
from remembrancer.language.spelling import folded
from remembrancer.language.terms import language
from remembrancer.learn.llm.checks import faulty, repeats_endlessly
from remembrancer.learn.llm.figures import SourceFigures
from remembrancer.learn.reflect.consolidate import refuse_unkept
from remembrancer.llm.language_model import AskModel, Prompt
from remembrancer.llm.numbered_lines import by_day, refusal_lines, written
from remembrancer.llm.prompts import Text, template_named
from remembrancer.types.episode import CONTACT_TYPES
from remembrancer.types.record import Episode

# Read when this is imported, not on an event loop.
TEMPLATE: Final = template_named("compact")
LONGEST: Final = 350
"""Characters of what is said of one group."""
MOST_AT_ONCE: Final = 300
"""Episodes that are asked about in one call, where no single group has more."""
_WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedBlock:
    """A model's summary of one group; `record` is its number."""

    record: int
    text: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedAnswer:
    """A model's summaries of groups."""

    records: tuple[CompactedBlock, ...]


async def compact_asking(groups: Sequence[Sequence[Episode]], *, ask: AskModel, zone: tzinfo) -> list[str]:
    """Return a summary of each group of raw episodes on one line; `""` for an invalid one.

    Invalid ones are requested once more, with their faults.

    Args:
        groups: one or more, each oldest first.
        ask: calls a model; the exception of its first call is raised.
        zone: of the days.
    """
    return [text for some in _batches(groups) for text in await _texts(some, ask, zone)]


def _batches(groups: Sequence[Sequence[Episode]]) -> Iterator[list[Sequence[Episode]]]:
    """Return groups for one prompt, at least one."""
    batch: list[Sequence[Episode]] = []
    for group in groups:
        if batch and sum(map(len, (*batch, group))) > MOST_AT_ONCE:
            yield batch
            batch = []
        batch.append(group)
    if batch:
        yield batch


async def _texts(groups: Sequence[Sequence[Episode]], ask: AskModel, zone: tzinfo) -> list[str]:
    texts, faults = await _asked(groups, ask, zone)
    if faults:
        try:
            repaired, _ = await _asked(
                [groups[at] for at in faults], ask, zone, str(faulty(dict(enumerate(faults.values())), "record"))
            )
        except (BadModelOutput, BudgetExceeded, ProviderUnavailable):
            return texts
        for at, text in zip(faults, repaired, strict=True):
            texts[at] = text
    return texts


async def _asked(
    groups: Sequence[Sequence[Episode]], ask: AskModel, zone: tzinfo, refusal: str = ""
) -> tuple[list[str], dict[int, str]]:
    """Return the sound summaries, and the faults of the others by the places of their groups."""
    prompt = compacting_prompt(groups, zone=zone, refusal=refusal)
    return await ask(prompt, CompactedAnswer, partial(_checked_texts, groups=groups, zone=zone))


def compacting_prompt(groups: Sequence[Sequence[Episode]], *, zone: tzinfo, refusal: str = "") -> Prompt:
    """Return the prompt; it depends on the groups alone, not on the day.

    Args:
        refusal: the fault of its last answer, or `""`.
    """
    return TEMPLATE.render(
        records="\n".join(line for at, group in enumerate(groups, start=1) for line in _lines(at, group, zone)),
        refusal=refusal_lines(refusal),
    )


def _lines(number: int, group: Sequence[Episode], zone: tzinfo) -> Iterator[str]:
    whom = dict.fromkeys(name for episode in group for name in _names(episode, contact=True))
    yield f"# record {number}: {written(list(whom))}"
    rows = ((one.occurred_at, (one.details.outcome.value, one.text, *_names(one, contact=False))) for one in group)
    yield by_day(rows, zone)


def _names(episode: Episode, *, contact: bool) -> list[str]:
    """Return the contacts of an episode, or its other entities."""
    return [one.name for one in episode.details.entities if (one.type in CONTACT_TYPES) is contact]


def _checked_texts(
    answer: CompactedAnswer, *, groups: Sequence[Sequence[Episode]], zone: tzinfo
) -> tuple[list[str], dict[int, str]]:
    answers = {block.record: " ".join(block.text.split()) for block in answer.records}
    refuse_unkept(list(answers.values()))
    texts = [answers.get(number, "") for number in range(1, len(groups) + 1)]
    faults = {
        at: fault
        for at, (text, group) in enumerate(zip(texts, groups, strict=True))
        if (fault := _fault(text, group, zone))
    }
    return ["" if at in faults else text for at, text in enumerate(texts)], faults


def _fault(text: str, group: Sequence[Episode], zone: tzinfo) -> str:
    """Return the fault of a summary of a group, or `""`."""
    if not text:
        return ""
    if len(text) > LONGEST:
        return f"has {len(text)} characters"
    if repeats_endlessly(text):
        return "repeats itself endlessly"
    grounds = SourceFigures(
        [(one.occurred_at, f"{one.text} {' '.join(name.name for name in one.details.entities)}") for one in group], zone
    )
    counted = number_words()[language(text)]
    # What is counted in words would be the model's arithmetic as well.
    figures = " ".join(str(counted[word]) for word in map(folded, _WORD.findall(text)) if word in counted)
    what = grounds.refuted(text) or grounds.refuted(figures)
    return f"gives {what} that is in none of its entries" if what else ""
