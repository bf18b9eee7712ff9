"""Instructions, profile and open items of people, read from their messages and saves.

They are not stored. They are read from the texts each time, so that an erasure or an edit ends them, and a later
statement that withdraws or replaces an earlier one hides it only from callers who may see both.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Final

from remembrancer.language.analysis import words_of
from remembrancer.language.dates.absolute import dated
from remembrancer.language.dates.phrases import phrases
from remembrancer.language.dates.table import Width
from remembrancer.language.dates.written import names_day
from remembrancer.language.declarations import (
    LAID_DOWN,
    changes,
    directive,
    only_withdraws,
    states_preference,
    states_profile,
    undecided,
    withdraws,
)
from remembrancer.language.numbers import counts
from remembrancer.language.quoting import own_words
from remembrancer.language.replacement import may_replace, replaced
from remembrancer.language.sentences import LineForm, blocks, paragraphs, sentences
from remembrancer.language.smalltalk import Talk, small_talk
from remembrancer.language.tables import word_list
from remembrancer.language.terms import language, terms
from remembrancer.types.new import SUMMARY
from remembrancer.types.record import Message, Observation, Record, Role
from remembrancer.types.scope import Trust

# Of a longer text the rest is mostly pasted in.
LOOKED_AT: Final = 1_000
# A line with the sentence that leads to it is no longer than that.
_LONGEST_LINE: Final = 260
# The nearness and share of words from which a withdrawal or replacement refers to the older statement.
_WITHDRAWN, _CHANGED = 0.14, 0.2
_SHARED: Final = 2
# The share of words from which two statements are the same, or one was saved from the other.
_ALIKE, _SAVED_OF = 0.7, 0.4
_SOON: Final = timedelta(days=60)
_SHORT_SENTENCE: Final = 12
# A sentence next to an instruction belongs to it from this likelihood.
_LIKELY: Final = LAID_DOWN - 1.0
_NO_DAY: Final = (date.min,)
# The languages in which it is read how things are laid down.
_READ: Final = frozenset(("english", "german"))
_SAVED_AS: Final = frozenset(("preference", "profile"))


class Stated(StrEnum):
    """The subject of a statement."""

    PREFERENCE = "preference"
    PROFILE = "profile"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserStatement:
    """Something that a memory states, in its own words.

    Args:
        worth: how surely it is one.
        due: the first day to come that it names.
    """

    of: Stated
    record: Record
    text: str
    worth: float = 0.0
    due: date | None = None


def stated_in(record: Record) -> bool:
    """Return True if a memory may have a statement for a brief, or withdraw one."""
    if not _is_by_person(record):
        return False
    if isinstance(record, Observation) and record.type in _SAVED_AS:
        return True
    return any(
        _worth(sentence) >= LAID_DOWN
        or states_profile(sentence)
        or names_day(sentence)
        or undecided(sentence)
        or withdraws(sentence)
        for sentence in _sentences(record.text)
    )


def valid_statements(records: Sequence[Record], *, now: datetime, zone: tzinfo) -> list[UserStatement]:
    """Return the valid statements of memories, each once, without withdrawn and replaced ones."""
    in_order = sorted(
        filter(_is_by_person, records), key=lambda record: (record.occurred_at, record.recorded_at, record.id)
    )
    found = [one for record in in_order for one in _statements(record, now=now, zone=zone)]
    topics = _Topics([record.text for record in in_order])
    left = _without_withdrawn(found, in_order, topics)
    return [one for one in _each_once(left) if not only_withdraws(one.text)]


def _is_by_person(record: Record) -> bool:
    """Return True for a person's message, or a save of one."""
    if record.trust is not Trust.TRUSTED:
        return False
    match record:
        case Message():
            return record.role is Role.USER
        case Observation():
            return record.type != SUMMARY and (not record.engine or bool(record.model))
        case _:
            return False


@lru_cache(maxsize=4_096)
def _sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of the prose of a text."""
    return tuple(
        sentence
        for block in paragraphs(blocks(own_words(text[:LOOKED_AT])))
        if block.form in (LineForm.PROSE, LineForm.ITEM)
        for sentence in sentences(block.text)
    )


def _statements(record: Record, *, now: datetime, zone: tzinfo) -> Iterator[UserStatement]:
    """Yield the statements of a memory: its instructions, then profiles, then open decisions."""
    texts, today = _sentences(record.text), now.astimezone(zone).date()
    saved_as = record.type if isinstance(record, Observation) else ""
    days = [_days(sentence, record, zone) for sentence in texts]
    due = {place: min(day for day in some if day >= today) for place, some in enumerate(days) if max(some) >= today}
    open_ = {place for place, sentence in enumerate(texts) if undecided(sentence)}
    dated_or_open = {place for place, some in enumerate(days) if some != _NO_DAY} | open_
    scores = [_worth(sentence) for sentence in texts]
    laid = [
        place
        for place, score in enumerate(scores)
        if (score >= LAID_DOWN or saved_as == Stated.PREFERENCE)
        and place not in dated_or_open
        and not (place - 1 in dated_or_open and _leans(texts[place]))
    ]
    laid = sorted(
        {*laid, *(place for place in _neighbours(laid, len(texts)) - dated_or_open if scores[place] >= _LIKELY)}
    )
    led = {*laid, *_led(texts, laid, apart=dated_or_open)}
    named = [
        place
        for place, sentence in enumerate(texts)
        if place not in led and place not in due and (states_profile(sentence) or saved_as == Stated.PROFILE)
    ]
    ahead = sorted(due if record.occurred_at < now - _SOON else {*due, *open_})
    if laid:
        text = _line(texts, led)
        yield UserStatement(of=Stated.PREFERENCE, record=record, text=text, worth=max(scores[place] for place in laid))
    if named:
        text = _line(texts, {*named, *_led(texts, named, apart={*led, *dated_or_open})})
        yield UserStatement(of=Stated.PROFILE, record=record, text=text)
    if ahead:
        text = _line([_with_dates(sentence, record, zone) for sentence in texts], ahead)
        yield UserStatement(of=Stated.OPEN, record=record, text=text, due=min(due.values(), default=None))


def _worth(sentence: str) -> float:
    """Return the score of a sentence as an instruction; outside two languages a preference decides."""
    worth = directive(sentence)
    if worth < LAID_DOWN and states_preference(sentence) and language(sentence) not in _READ:
        return LAID_DOWN
    return worth


def _days(sentence: str, record: Record, zone: tzinfo) -> tuple[date, ...]:
    """Return the days that a sentence names, relative to its time; none for a question."""
    if sentence.endswith("?") or not names_day(sentence):
        return _NO_DAY
    here = record.occurred_at.astimezone(zone)
    try:
        found = phrases(sentence, day=here.date(), hour=here.hour, tongue=language(sentence))
    except (OverflowError, ValueError):
        return _NO_DAY
    return tuple(one.first for one in found if one.width is Width.DAY) or _NO_DAY


def _with_dates(sentence: str, record: Record, zone: tzinfo) -> str:
    return dated(sentence, at=record.occurred_at, zone=zone, tongue=language(sentence)).text


def _neighbours(places: Sequence[int], count: int) -> set[int]:
    return {near for place in places for near in (place - 1, place + 1) if 0 <= near < count}


def _line(texts: Sequence[str], places: Iterable[int]) -> str:
    return " ".join(texts[place] for place in sorted(places))


def _led(texts: Sequence[str], places: Sequence[int], *, apart: Collection[int]) -> set[int]:
    """Return the sentences before those that are short or refer to something, if a line has room for them."""
    size, led = sum(len(texts[place]) for place in places), set[int]()
    before = {place - 1 for place in places if place and _leans(texts[place])} - set(places) - set(apart)
    for place in sorted(before, reverse=True):
        if size + len(texts[place]) <= _LONGEST_LINE and small_talk(texts[place]) is not Talk.ALL:
            led.add(place)
            size += len(texts[place])
    return led


def _leans(sentence: str) -> bool:
    found = words_of(sentence)
    return len(found) <= _SHORT_SENTENCE or not word_list("words", "referring").isdisjoint(found)


class _Topics:
    """The topics of texts: their stems, weighted by rarity."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = max(1, len(texts))
        self._held = Counter(stem for text in texts for stem in _stems(text))

    def weight(self, stems: frozenset[str]) -> float:
        """Return the total weight of some stems."""
        return sum(math.log(1 + self._texts / max(1, self._held[stem])) for stem in stems)


def _without_withdrawn(
    found: Sequence[UserStatement], records: Sequence[Record], topics: _Topics
) -> list[UserStatement]:
    """Statements without those that a later memory withdraws or replaces."""
    hidden = set[int]()
    for record in records:
        replacing = [sentence for sentence in _sentences(record.text) if may_replace(sentence)]
        ends, new = withdraws(record.text), changes(record.text)
        if not (replacing or ends or new):
            continue
        older = [place for place, one in enumerate(found) if place not in hidden and _may_replace(record, one.record)]
        if replacing:
            hidden |= {place for place in older if _replaces(record, replacing, found[place])}
        left = [place for place in older if place not in hidden]
        # Within one conversation new facts are mostly additions.
        near = left if ends else [at for at in left if new and found[at].record.session != record.session]
        if (first := _nearest(record, found, near, topics, least=_WITHDRAWN if ends else _CHANGED)) is not None:
            # Statements equal to the withdrawn one are withdrawn with it.
            hidden |= {first} | {place for place in left if _is_same(found[place], found[first])}
    return [one for place, one in enumerate(found) if place not in hidden]


def _nearest(
    record: Record, found: Sequence[UserStatement], places: Sequence[int], topics: _Topics, *, least: float
) -> int | None:
    """Return the place of the statement that is nearest to a later memory without being the same; `None` for none.

    Args:
        places: of the statements that are compared.
        least: the nearness.
    """
    spoken, shared = _stems(record.text), 1 if any(map(only_withdraws, _sentences(record.text))) else _SHARED
    near = {
        place: _nearness(spoken, _stems(found[place].text), topics, least=shared)
        for place in places
        if len(spoken & _stems(found[place].text)) < _ALIKE * len(spoken | _stems(found[place].text))
    }
    best = max(near, key=lambda place: near[place], default=None)
    return best if best is not None and near[best] >= least else None


def _may_replace(newer: Record, older: Record) -> bool:
    """Return True if one is later than the other, in a scope that covers it."""
    later = (newer.occurred_at, newer.recorded_at, newer.id) > (older.occurred_at, older.recorded_at, older.id)
    return later and (newer.scope.project, newer.scope.user) == (older.scope.project, older.scope.user)


def _replaces(newer: Record, sentences: Sequence[str], older: UserStatement) -> bool:
    same = _speaker(newer) == _speaker(older.record)
    return any(replaced(older.text, sentence, same_speaker=same) is not None for sentence in sentences)


def _nearness(spoken: frozenset[str], stated: frozenset[str], topics: _Topics, *, least: int) -> float:
    """Return the weighted overlap of two texts; 0 below `least` shared words."""
    shared = spoken & stated
    if len(shared) < least:
        return 0.0
    return topics.weight(shared) / math.sqrt(topics.weight(spoken) * topics.weight(stated))


def _each_once(found: Sequence[UserStatement]) -> list[UserStatement]:
    """Return the statements without those that equal a later one or its source."""
    kept: list[UserStatement] = []
    for one in reversed(found):
        if not any(_is_same(one, other) for other in kept):
            kept.append(one)
    return kept[::-1]


def _is_same(one: UserStatement, other: UserStatement) -> bool:
    if one.record.id == other.record.id:
        return False
    one_is_saved, other_is_saved = (isinstance(each.record, Observation) for each in (one, other))
    saved_of = one.record.session == other.record.session and one_is_saved != other_is_saved
    return _alike(_stems(one.text), _stems(other.text), _SAVED_OF if saved_of else _ALIKE)


def _alike(some: frozenset[str], others: frozenset[str], share: float) -> bool:
    """Return True if two texts have so large a share of the words of the shorter one in common."""
    return len(some & others) >= share * (min(len(some), len(others)) or 1)


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(
        term.stem
        for term in terms(text, language(text))
        if term.kind not in ("stop", "common") or counts().get(term.stem, 0) > 1
    )


def _speaker(record: Record) -> str:
    return record.speaker if isinstance(record, Message) else ""
