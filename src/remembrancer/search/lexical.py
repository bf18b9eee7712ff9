"""The lexical retriever: BM25 (Robertson and Zaragoza 2009).

The scores are the same for every store. Common words are only ignored if they cost time, and never all of them. Words
that occur in no memory are searched inside of other words.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import DocumentNumbers, Postings, TextStatistics, places_of_best
from remembrancer.storage.tx import Tx
from remembrancer.types.index import Terms

K1 = 0.9
B = 0.4
PRUNED_FROM = 10_000
COMMON_SHARE = 0.2
# In a store of a few documents a word in one of them would count as common.
SMALLEST_COLLECTION = 100
# The most words of the index that match a part of a word.
MAX_WORDS_PER_PART = 32
# Shorter parts occur in many words by chance; one character is a word in scripts without spaces.
MIN_INFIX = 4
_WORDS_PER_READ = 64

Slot = tuple[str, ...]
Slots = tuple[Slot, ...]


class LexicalMatch(NamedTuple):
    """The match of documents with a question, as parallel arrays.

    Args:
        score: BM25 divided by the best score, in [0, 1].
        relevance: the score times the coverage: near 0 for a nonsense question.
        coverage: see `LexicalResult`.
    """

    score: NDArray[np.float32]
    relevance: NDArray[np.float32]
    coverage: NDArray[np.float32]


class _ScopeResult(NamedTuple):
    """The documents of one scope with a term: BM25, and covered weight."""

    documents: DocumentNumbers
    scores: NDArray[np.float32]
    covered: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalResult:
    """The result of the lexical retriever, as parallel arrays.

    Args:
        documents: the documents, in ascending order.
        scores: BM25, above 0.
        coverage: the IDF-weighted share of the question's terms in the document, in (0, 1].
        slots: the slots that were searched, each with its IDF.
        unseen: those of them that occur in no visible document.
        parts: terms that were searched inside of other words, since no memory has them as a word.
    """

    documents: DocumentNumbers
    scores: NDArray[np.float32]
    coverage: NDArray[np.float32]
    slots: tuple[tuple[tuple[str, ...], float], ...]
    mean_length: float
    unseen: Slots = ()
    parts: tuple[str, ...] = ()

    @property
    def anywhere(self) -> float:
        """The IDF-weighted share of the question in any document; in [0, 1]."""
        total = sum(weight for _, weight in self.slots)
        return 1 - sum(weight for slot, weight in self.slots if slot in self.unseen) / total if total else 0.0

    def score_terms(self, terms: Terms) -> tuple[float, float, float]:
        """Return score, relevance and coverage of a text outside the index.

        They are comparable with those of `LexicalMatch`.
        """
        length = K1 * (1 - B + B * terms.length / self.mean_length)
        score = covered = 0.0
        for slot, weight in self.slots:
            if count := max(terms.counts.get(form, 0) for form in slot):
                score += weight * count * (K1 + 1) / (count + length)
                covered += weight
        coverage = covered / (sum(weight for _, weight in self.slots) or 1)
        relative = min(1.0, score / float(self.scores.max(initial=max(score, 1e-9))))
        return relative, relative * coverage, coverage

    def match(self, documents: DocumentNumbers) -> LexicalMatch:
        """Return the match of documents, in order; 0 without a shared term."""
        if len(self.documents) == 0:
            zeros = np.zeros(len(documents), dtype=np.float32)
            return LexicalMatch(score=zeros, relevance=zeros, coverage=zeros)
        positions = np.minimum(np.searchsorted(self.documents, documents), len(self.documents) - 1)
        is_found = self.documents[positions] == documents
        coverage = np.where(is_found, self.coverage[positions], 0)
        score = np.where(is_found, self.scores[positions] / self.scores.max(initial=1e-9), 0)
        return LexicalMatch(score=score, relevance=score * coverage, coverage=coverage)

    def best(self, limit: int, *, among: DocumentNumbers | None) -> DocumentNumbers:
        """Return the documents with the highest scores, best first."""
        documents, scores = self.documents, self.scores
        if among is not None:
            mask = np.isin(documents, among)
            documents, scores = documents[mask], scores[mask]
        places = places_of_best(scores, limit)
        documents, scores = documents[places], scores[places]
        return documents[np.lexsort((documents, -scores))][:limit]


def idf(documents: int, containing: int) -> float:
    """Return the IDF of a term: `ln(1 + (N - df + 0.5) / (df + 0.5))`."""
    return math.log(1 + (documents - containing + 0.5) / (containing + 0.5))


@dataclass(frozen=True, slots=True, kw_only=True)
class WordParts:
    """Parts of a question that may be searched inside of words.

    Args:
        of: the parts of each slot, from `analysis.parts_of`.
        names: slots that are always searched so: names of code.
        past: terms outside the index, of texts as they once read.
    """

    of: Mapping[Slot, tuple[str, ...]] = field(default_factory=dict[Slot, tuple[str, ...]])
    names: frozenset[Slot] = frozenset()
    past: frozenset[str] = frozenset()


async def search(tx: Tx, slots: Slots, parts: WordParts | None = None) -> LexicalResult:
    """Return the score of each visible document that shares a term.

    Args:
        parts: parts to search inside of other words if a term is not found.
    """
    result = await _search(tx, slots)
    extra_words = (
        {slot: await _words_with(tx, parts, slot) for slot in _unseen_slots(result, slots, parts)} if parts else {}
    )
    extra_words = {slot: words for slot, words in extra_words.items() if words}
    if parts is None or not extra_words:
        return result
    wider_result = await _search(tx, tuple((*slot, *extra_words.get(slot, ())) for slot in slots))
    return replace(wider_result, parts=tuple(parts.of[slot][0] for slot in extra_words))


async def _search(tx: Tx, slots: Slots) -> LexicalResult:
    statistics = await tx.text_index.statistics()
    frequencies = await tx.text_index.frequencies(sorted({form for slot in slots for form in slot}))
    total = sum(one.documents for one in statistics)
    frequencies_by_slot = [
        min(total, sum(frequencies.get((one.scope, form), 0) for one in statistics for form in slot)) for slot in slots
    ]
    weights = [idf(max(total, SMALLEST_COLLECTION), containing) for containing in frequencies_by_slot]
    selected = _selective_slots(frequencies_by_slot, total)
    keys = [
        (one.scope, form)
        for one in statistics
        for index in selected
        for form in slots[index]
        if (one.scope, form) in frequencies
    ]
    postings = await tx.text_index.postings(keys)
    weighted_slots = tuple((slots[index], weights[index]) for index in selected)
    results = [_score_scope(one, _postings_of_slots(one, weighted_slots, postings)) for one in statistics]
    total_length = sum(one.documents * one.mean_length for one in statistics)
    result = _join(results, weighted_slots, mean_length=total_length / total if total else 1.0)
    seen_forms = {form for (_, form), part in postings.items() if len(part.documents)}
    return replace(result, unseen=tuple(slot for slot, _ in weighted_slots if seen_forms.isdisjoint(slot)))


def _unseen_slots(result: LexicalResult, slots: Slots, parts: WordParts) -> list[Slot]:
    """Return the slots to search inside of other words.

    These are all slots if no term is a word, else only the names of code.
    """
    unseen = [slot for slot in result.unseen if parts.past.isdisjoint(slot)]
    return [slot for slot in unseen if slot in parts.of and (len(unseen) == len(slots) or slot in parts.names)]


async def _words_with(tx: Tx, parts: WordParts, slot: Slot) -> list[str]:
    """Return words that contain a part of a slot, prefixes first.

    Only words of visible documents count, so that no word reveals a closed memory.
    """
    for part in parts.of[slot]:
        keys = await tx.text_index.containing(part)
        words = {word for _, word in keys} | {word for word in parts.past if part in word}
        ordered = sorted(_matching_words(part, words), key=lambda word: (not word.startswith(part), len(word), word))
        visible = list[str]()
        for start in range(0, len(ordered), _WORDS_PER_READ):
            batch = ordered[start : start + _WORDS_PER_READ]
            postings = await tx.text_index.postings([(scope, word) for scope, word in keys if word in batch])
            seen = {word for (_, word), postings_of_word in postings.items() if len(postings_of_word.documents)}
            visible += [word for word in batch if word in seen or word in parts.past]
            if len(visible) >= MAX_WORDS_PER_PART:
                break
        if visible:
            return visible[:MAX_WORDS_PER_PART]
    return []


def _matching_words(part: str, words: Iterable[str]) -> list[str]:
    """Return the words that begin with a part or, if it is long, contain it."""
    inside = len(part) == 1 or len(part) >= MIN_INFIX
    return [word for word in words if inside or word.startswith(part)]


def _postings_of_slots(
    scope: TextStatistics,
    slots: Sequence[tuple[tuple[str, ...], float]],
    postings: Mapping[tuple[int, str], Postings],
) -> list[tuple[list[Postings], float]]:
    """Return the postings of each slot in one scope, with its weight."""
    return [
        ([postings[key] for form in slot if (key := (scope.scope, form)) in postings], weight) for slot, weight in slots
    ]


def _selective_slots(containing: Sequence[int], total: int) -> list[int]:
    """Return the slots to search: in a large store without common ones."""
    indices = list(range(len(containing)))
    if total <= PRUNED_FROM:
        return indices
    rare = [index for index in indices if containing[index] <= COMMON_SHARE * total]
    return (
        rare
        if any(containing[index] for index in rare)
        else sorted(indices, key=lambda index: containing[index] or total)[:1]
    )


def _score_scope(statistics: TextStatistics, slots: Sequence[tuple[list[Postings], float]]) -> _ScopeResult:
    first = statistics.scope << 32
    ends = [int(posting.documents.max()) - first + 1 for postings, _ in slots for posting in postings]
    scores = np.zeros(max(ends, default=0), dtype=np.float32)
    covered = np.zeros_like(scores)
    for postings, weight in slots:
        best = np.zeros_like(scores) if len(postings) > 1 else None
        for posting in postings:
            share = (
                posting.counts
                * (K1 + 1)
                / (posting.counts + K1 * (1 - B + B * posting.lengths / statistics.mean_length))
            )
            positions = posting.documents - first
            if best is None:
                scores[positions] += weight * share
                covered[positions] += weight
            else:
                best[positions] = np.maximum(best[positions], share)
        if best is not None:
            scores += weight * best
            covered += weight * (best > 0)
    positions = np.flatnonzero(covered > 0)
    return _ScopeResult(documents=positions + first, scores=scores[positions], covered=covered[positions])


def _join(
    results: Sequence[_ScopeResult], slots: tuple[tuple[tuple[str, ...], float], ...], *, mean_length: float
) -> LexicalResult:
    total = np.float32(sum(weight for _, weight in slots) or 1)
    empty = np.empty(0, dtype=np.float32)
    return LexicalResult(
        documents=np.concatenate([np.empty(0, dtype=np.int64), *(result.documents for result in results)]),
        scores=np.concatenate([empty, *(result.scores for result in results)]),
        coverage=np.concatenate([empty, *(result.covered for result in results)]) / total,
        slots=slots,
        mean_length=mean_length,
    )
