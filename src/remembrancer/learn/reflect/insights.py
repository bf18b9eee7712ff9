"""What was chosen of a log as insights: by what belongs together, counted, and what is only touched on."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby, pairwise
from typing import Final

from remembrancer.language.terms import terms
from remembrancer.learn.observe.notes import GAP
from remembrancer.learn.reflect.current import CurrentStatement
from remembrancer.learn.reflect.log import COUNTED, ReadLog
from remembrancer.learn.reflect.statements import Statement, between
from remembrancer.types.new import priority as weight_of
from remembrancer.types.notes import LOWEST_PRIORITY, ConsolidatedLog, Insight

# What is only touched on: so many observations in one insight, by so many words.
TOUCHED_ON: Final = 48
TOPICS: Final = 6
# Longer insights are parted.
LONGEST: Final = 8_000
UNJUDGED: Final = 3
# The weight of a term by its kind in the summary of topics.
WORTH: Final = {"common": 0.15, "word": 1.0, "name": 4.0, "number": 1.5}
_PATTERN: Final = "pattern"
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def insights_of(log: ReadLog, chosen: AbstractSet[int], types: Mapping[str, float]) -> ConsolidatedLog:
    """Return the shorter log with the chosen entries; every observation has a place in it."""
    kept = _kept(log, chosen)
    shown = [log.entries[at] for at in sorted(chosen) if log.entries[at].statement.place not in kept]
    singly = [entry for entry in shown if _is_single(entry)]
    insights = [_single(log, entry, types) for entry in singly]
    covered = kept | {place for entry in singly for place in entry.sources}
    uncovered: list[int] = []
    jointly = _by_place(entry for entry in shown if not _is_single(entry))
    for group in log.groups:
        own = [entry for place in group for entry in jointly.get(place, [])]
        left = [place for place in group if place not in kept]
        if own:
            insights += _together(log, own, left, types)
        else:
            uncovered += (place for place in left if place not in covered)
    covered |= {place for entry in shown for place in entry.sources}
    insights += _touched_on(log, sorted(place for place in uncovered if place not in covered), types)
    order = {observation.id: place for place, observation in enumerate(log.observations)}
    insights.sort(key=lambda insight: [order[id] for id in insight.sources])
    return ConsolidatedLog(insights=tuple(insights), kept=_ids(log, kept))


def _kept(log: ReadLog, chosen: AbstractSet[int]) -> set[int]:
    """Return places of the observations of which each statement is chosen and has no repetition."""
    counts = Counter(log.entries[at].sources[0] for at in chosen if len(log.entries[at].sources) == 1)
    return {place for place, number in log.whole.items() if counts[place] == number}


def _by_place(entries: Iterable[CurrentStatement]) -> dict[int, list[CurrentStatement]]:
    found: dict[int, list[CurrentStatement]] = {}
    for entry in entries:
        found.setdefault(entry.statement.place, []).append(entry)
    return found


def _is_single(entry: CurrentStatement) -> bool:
    return entry.statement.times >= COUNTED or bool(entry.statement.before)


def _single(log: ReadLog, entry: CurrentStatement, types: Mapping[str, float]) -> Insight:
    """Return the insight for a changed value or a repeated statement."""
    statement = entry.statement
    if statement.times < COUNTED:
        text = _dated(log, [statement])
    else:
        phrase = between(
            log.wording.repeated, log.wording.repeated_in_a_day, statement.since, statement.until, statement.times
        )
        text = f"{phrase}: {_spoken(statement.speaker)}{statement.text}"
    before = f" ({statement.before})" if statement.before else ""
    usual = _PATTERN if _PATTERN in types and statement.times >= COUNTED else ""
    return Insight(
        text=text + before,
        type=usual or _type(log, [entry.statement.place], types),
        priority=_priority(log, [entry]),
        sources=_ids(log, entry.sources),
        refers_to=_refers_to(log, [entry]),
    )


def _together(
    log: ReadLog, entries: Sequence[CurrentStatement], members: Sequence[int], types: Mapping[str, float]
) -> list[Insight]:
    """Return the insights of one group, by day and speaker; the last one also summarises the entries left out."""
    parts = list(_parts(entries))
    insights: list[Insight] = []
    for at, part in enumerate(parts):
        sources = {place for entry in part for place in entry.sources}
        if at == len(parts) - 1:
            sources |= set(members) - {place for entry in entries for place in entry.sources}
        insights.append(
            Insight(
                text=_dated(log, [entry.statement for entry in part]),
                type=_type(log, [entry.statement.place for entry in part], types),
                priority=_priority(log, part),
                sources=_ids(log, sources),
                refers_to=_refers_to(log, part),
            )
        )
    return insights


def _parts(entries: Sequence[CurrentStatement]) -> Iterator[list[CurrentStatement]]:
    part: list[CurrentStatement] = []
    length = 0
    for entry in entries:
        if part and length + len(entry.statement.text) > LONGEST:
            yield part
            part, length = [], 0
        part.append(entry)
        length += len(entry.statement.text)
    yield part


def _dated(log: ReadLog, statements: Sequence[Statement]) -> str:
    """Statements after the day and the name that they have in common."""
    ordered = sorted(statements, key=lambda statement: (statement.until, statement.place, statement.at))
    runs = groupby(ordered, key=lambda statement: (statement.until, statement.speaker))
    return " ".join(f"{_day(log, day, speaker)}: {_with_gaps(list(run))}" for (day, speaker), run in runs)


def _with_gaps(run: Sequence[Statement]) -> str:
    """Return the text of statements, with a mark between those that are not adjacent."""
    text = run[0].text
    for before, statement in pairwise(run):
        follows = (statement.place, statement.at) == (before.place, before.at + 1)
        text += f" {statement.text}" if follows else f" {GAP} {statement.text}"
    return text


def _day(log: ReadLog, day: str, speaker: str) -> str:
    on = log.wording.on.format(day=day)
    return f"{on} {speaker}" if speaker else on


def _spoken(speaker: str) -> str:
    return f"{speaker}: " if speaker else ""


def _touched_on(log: ReadLog, places: Sequence[int], types: Mapping[str, float]) -> list[Insight]:
    """Return a summary of the entries left out: their days and their most significant words."""
    if not places:
        return []
    worth = _worths(log.entries)
    batches = [places[at : at + TOUCHED_ON] for at in range(0, len(places), TOUCHED_ON)]
    return [_touch(log, batch, worth, types) for batch in batches]


def _worths(entries: Sequence[CurrentStatement]) -> dict[str, float]:
    """Return the weight of each stem: by its kind, and higher the fewer statements contain it."""
    holding = Counter(stem for entry in entries for stem in {term.stem for term in entry.statement.terms})
    kinds = {term.stem: WORTH.get(term.kind, 1.0) for entry in entries for term in entry.statement.terms}
    most = math.log(1 + len(entries))
    return {stem: kinds[stem] * math.log(1 + len(entries) / count) / most for stem, count in holding.items()}


def _touch(log: ReadLog, places: Sequence[int], worth: Mapping[str, float], types: Mapping[str, float]) -> Insight:
    own = set(places)
    statements = [entry.statement for entry in log.entries if own & set(entry.sources)]
    days = sorted(day for statement in statements for day in (statement.since, statement.until))
    phrase = between(log.wording.also, log.wording.also_in_a_day, days[0], days[-1])
    return Insight(
        text=f"{phrase}: {', '.join(_topics(statements, worth))}.",
        type=_type(log, places, types),
        priority=LOWEST_PRIORITY,
        sources=_ids(log, places),
    )


def _topics(statements: Sequence[Statement], worth: Mapping[str, float]) -> list[str]:
    """Return the most significant words of some statements, in their written form."""
    weights: defaultdict[str, float] = defaultdict(float)
    shown: dict[str, str] = {}
    for statement in statements:
        for word in _WORD.findall(statement.text):
            stem = terms(word, statement.tongue)[0].stem
            if stem in statement.content:
                weights[stem] += worth[stem]
                shown.setdefault(stem, word)
    best = sorted(weights, key=lambda stem: (-weights[stem], stem))[:TOPICS]
    return [shown[stem] for stem in best]


def _type(log: ReadLog, places: Iterable[int], types: Mapping[str, float]) -> str:
    """Return the commonest available type of some observations, the one of more weight if equal."""
    counts = Counter(name for place in places if (name := log.observations[place].type) in types)
    if counts:
        return max(counts, key=lambda name: (counts[name], weight_of(name, types), name))
    return min(types, key=lambda name: (types[name], name))


def _priority(log: ReadLog, entries: Iterable[CurrentStatement]) -> int:
    return max(log.observations[entry.statement.place].priority or UNJUDGED for entry in entries)


def _refers_to(log: ReadLog, entries: Iterable[CurrentStatement]) -> str:
    """Return the last date in the chosen statements: it may be in the future."""
    return max((log.observations[entry.statement.place].refers_to for entry in entries), default="")


def _ids(log: ReadLog, places: Iterable[int]) -> tuple[str, ...]:
    return tuple(log.observations[place].id for place in sorted(places))
