"""The lexical arm: BM25 (Robertson and Zaragoza 2009) over postings, the same for every store.

Common words are left out only where they cost time, and never all of them. What nobody wrote as a word is looked for
inside of the words that somebody did.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import Documents, Postings, TextStatistics
from remembrancer.storage.tx import Tx
from remembrancer.types.index import Terms

K1 = 0.9
B = 0.4
PRUNED_FROM = 10_000
COMMON_SHARE = 0.2
# In a store of a few wordings a word that stands in one of them would seem common.
SMALLEST_COLLECTION = 100
# So many words of the index stand for a part of a word.
MOST_WORDS_OF_A_PART = 32
# Of two or three letters a word has many by chance; one character is a word of a script without spaces.
LEAST_INSIDE = 4
_READ_AT_ONCE = 64

Slot = tuple[str, ...]
Slots = tuple[Slot, ...]


class Matched(NamedTuple):
    """How wordings match a question, as parallel arrays, each in [0, 1].

    Args:
        score: BM25 over that of the best wording.
        relevance: the same, times the coverage: near 0 for a question of nonsense.
        coverage: see `Lexical`.
    """

    score: NDArray[np.float32]
    relevance: NDArray[np.float32]
    coverage: NDArray[np.float32]


class _Found(NamedTuple):
    """The wordings of one shard that hold a term: BM25, and the weight of what they hold."""

    documents: Documents
    scores: NDArray[np.float32]
    held: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexical:
    """What the lexical arm found: parallel arrays, sorted by wording.

    Args:
        scores: BM25, above 0.
        coverage: the IDF-weighted share of the question's terms that stand in the wording, in (0, 1].
        asked: the slots that were looked up, each with its IDF.
        unseen: those of them that stand in nothing that is seen.
        parts: what was looked for inside of other words, since no memory has it as a word.
    """

    documents: Documents
    scores: NDArray[np.float32]
    coverage: NDArray[np.float32]
    asked: tuple[tuple[tuple[str, ...], float], ...]
    mean_length: float
    unseen: Slots = ()
    parts: tuple[str, ...] = ()

    @property
    def anywhere(self) -> float:
        """The share of what is asked, by its IDF, that stands in any wording; in [0, 1]."""
        total = sum(weight for _, weight in self.asked)
        return 1 - sum(weight for slot, weight in self.asked if slot in self.unseen) / total if total else 0.0

    def of(self, terms: Terms) -> tuple[float, float, float]:
        """Score, relevance and coverage of a wording that is not in the index, by the same measures; see `Matched`."""
        length = K1 * (1 - B + B * terms.length / self.mean_length)
        score = held = 0.0
        for slot, weight in self.asked:
            if count := max(terms.counts.get(form, 0) for form in slot):
                score += weight * count * (K1 + 1) / (count + length)
                held += weight
        coverage = held / (sum(weight for _, weight in self.asked) or 1)
        relative = min(1.0, score / float(self.scores.max(initial=max(score, 1e-9))))
        return relative, relative * coverage, coverage

    def at(self, documents: Documents) -> Matched:
        """How these wordings match, in order; 0 for those that share no term with the question."""
        if len(self.documents) == 0:
            none = np.zeros(len(documents), dtype=np.float32)
            return Matched(score=none, relevance=none, coverage=none)
        places = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
        known = self.documents[places] == documents
        coverage = np.where(known, self.coverage[places], 0)
        score = np.where(known, self.scores[places] / self.scores.max(initial=1e-9), 0)
        return Matched(score=score, relevance=score * coverage, coverage=coverage)

    def best(self, limit: int, *, among: Documents | None) -> Documents:
        """The wordings with the highest score, best first."""
        documents, scores = self.documents, self.scores
        if among is not None:
            kept = np.isin(documents, among)
            documents, scores = documents[kept], scores[kept]
        if len(documents) > limit:
            kept = scores >= np.partition(scores, -limit)[-limit]
            documents, scores = documents[kept], scores[kept]
        return documents[np.lexsort((documents, -scores))][:limit]


def idf(documents: int, containing: int) -> float:
    """How much a term tells, above 0: `ln(1 + (N - df + 0.5) / (df + 0.5))`."""
    return math.log(1 + (documents - containing + 0.5) / (containing + 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What of a question may be looked for inside of words that stand in the index.

    Args:
        of: of each slot, as `analysis.parts_of` gives them.
        names: the slots that are looked for so even where others are found: names of code.
        past: terms that are not in the index, and are found beside it.
    """

    of: Mapping[Slot, tuple[str, ...]] = field(default_factory=dict[Slot, tuple[str, ...]])
    names: frozenset[Slot] = frozenset()
    past: frozenset[str] = frozenset()


async def search(tx: Tx, slots: Slots, parts: Parts | None = None) -> Lexical:
    """Score every wording that the transaction sees and that shares a term with the slots.

    Args:
        parts: what is looked for inside of other words where nothing of the question is found.
    """
    found = await _search(tx, slots)
    wider = {slot: await _words_with(tx, parts, slot) for slot in _lost(found, slots, parts)} if parts else {}
    wider = {slot: words for slot, words in wider.items() if words}
    if parts is None or not wider:
        return found
    again = await _search(tx, tuple((*slot, *wider.get(slot, ())) for slot in slots))
    return replace(again, parts=tuple(parts.of[slot][0] for slot in wider))


async def _search(tx: Tx, slots: Slots) -> Lexical:
    statistics = await tx.texts.statistics()
    frequencies = await tx.texts.frequencies(sorted({form for slot in slots for form in slot}))
    total = sum(shard.documents for shard in statistics)
    found = [
        min(total, sum(frequencies.get((shard.scope, form), 0) for shard in statistics for form in slot))
        for slot in slots
    ]
    weights = [idf(max(total, SMALLEST_COLLECTION), containing) for containing in found]
    kept = _worth_reading(found, total)
    wanted = [
        (shard.scope, form)
        for shard in statistics
        for index in kept
        for form in slots[index]
        if (shard.scope, form) in frequencies
    ]
    postings = await tx.texts.postings(wanted)
    asked = tuple((slots[index], weights[index]) for index in kept)
    parts = [_shard(shard, _held(shard, asked, postings)) for shard in statistics]
    words = sum(shard.documents * shard.mean_length for shard in statistics)
    lexical = _joined(parts, asked, mean_length=words / total if total else 1.0)
    seen = {form for (_, form), part in postings.items() if len(part.documents)}
    return replace(lexical, unseen=tuple(slot for slot, _ in asked if seen.isdisjoint(slot)))


def _lost(found: Lexical, slots: Slots, parts: Parts) -> list[Slot]:
    """The slots that are looked for inside of other words: all where none is a word, else the names of code."""
    unseen = [slot for slot in found.unseen if parts.past.isdisjoint(slot)]
    return [slot for slot in unseen if slot in parts.of and (len(unseen) == len(slots) or slot in parts.names)]


async def _words_with(tx: Tx, parts: Parts, slot: Slot) -> list[str]:
    """Some words that have a part of a slot in them: those that begin with it first, the shorter ones first.

    Only what stands in a wording that is seen: no word tells of a memory that is closed.
    """
    for part in parts.of[slot]:
        places = await tx.texts.holding(part)
        words = {word for _, word in places} | {word for word in parts.past if part in word}
        ordered = sorted(_apt(part, words), key=lambda word: (not word.startswith(part), len(word), word))
        found = list[str]()
        for start in range(0, len(ordered), _READ_AT_ONCE):
            some = ordered[start : start + _READ_AT_ONCE]
            postings = await tx.texts.postings([(shard, word) for shard, word in places if word in some])
            seen = {word for (_, word), held in postings.items() if len(held.documents)}
            found += [word for word in some if word in seen or word in parts.past]
            if len(found) >= MOST_WORDS_OF_A_PART:
                break
        if found:
            return found[:MOST_WORDS_OF_A_PART]
    return []


def _apt(part: str, words: Iterable[str]) -> list[str]:
    """The words that begin with a part, and, where it is long enough to tell something, those that have it inside."""
    inside = len(part) == 1 or len(part) >= LEAST_INSIDE
    return [word for word in words if inside or word.startswith(part)]


def _held(
    shard: TextStatistics,
    asked: Sequence[tuple[tuple[str, ...], float]],
    postings: Mapping[tuple[int, str], Postings],
) -> list[tuple[list[Postings], float]]:
    """The postings of each slot that one shard has, with the slot's weight."""
    return [
        ([postings[place] for form in slot if (place := (shard.scope, form)) in postings], weight)
        for slot, weight in asked
    ]


def _worth_reading(containing: Sequence[int], total: int) -> list[int]:
    """The slots that are looked up: all in a small store, in a large one those that are not too common."""
    known = list(range(len(containing)))
    if total <= PRUNED_FROM:
        return known
    rare = [index for index in known if containing[index] <= COMMON_SHARE * total]
    return (
        rare
        if any(containing[index] for index in rare)
        else sorted(known, key=lambda index: containing[index] or total)[:1]
    )


def _shard(shard: TextStatistics, slots: Sequence[tuple[list[Postings], float]]) -> _Found:
    first = shard.scope << 32
    ends = [int(part.documents.max()) - first + 1 for parts, _ in slots for part in parts]
    scores = np.zeros(max(ends, default=0), dtype=np.float32)
    held = np.zeros_like(scores)
    for parts, weight in slots:
        best = np.zeros_like(scores) if len(parts) > 1 else None
        for part in parts:
            share = part.counts * (K1 + 1) / (part.counts + K1 * (1 - B + B * part.lengths / shard.mean_length))
            places = part.documents - first
            if best is None:
                scores[places] += weight * share
                held[places] += weight
            else:
                best[places] = np.maximum(best[places], share)
        if best is not None:
            scores += weight * best
            held += weight * (best > 0)
    places = np.flatnonzero(held > 0)
    return _Found(documents=places + first, scores=scores[places], held=held[places])


def _joined(
    parts: Sequence[_Found], asked: tuple[tuple[tuple[str, ...], float], ...], *, mean_length: float
) -> Lexical:
    total = np.float32(sum(weight for _, weight in asked) or 1)
    none = np.empty(0, dtype=np.float32)
    return Lexical(
        documents=np.concatenate([np.empty(0, dtype=np.int64), *(part.documents for part in parts)]),
        scores=np.concatenate([none, *(part.scores for part in parts)]),
        coverage=np.concatenate([none, *(part.held for part in parts)]) / total,
        asked=asked,
        mean_length=mean_length,
    )
