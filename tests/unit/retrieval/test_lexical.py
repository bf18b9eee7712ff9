"""BM25 over postings, held against the formula written out."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import anyio
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.search import lexical
from remembrancer.search.lexical import SMALLEST_COLLECTION, LexicalResult, Slots, WordParts, idf
from remembrancer.storage.documents import Postings, TextStatistics
from remembrancer.storage.tx import Tx
from remembrancer.types.index import Terms

SHARD = 3
Counts = Mapping[str, int]
WORD = st.sampled_from(["a", "b", "c", "d"])
WORDINGS = st.lists(st.dictionaries(WORD, st.integers(1, 4), min_size=1), min_size=1, max_size=6)
SLOTS = st.lists(st.lists(WORD, min_size=1, max_size=2, unique=True).map(tuple), min_size=1, max_size=3, unique=True)


class Index:
    """A text index in plain Python: one list of wordings for each shard."""

    def __init__(self, shards: Mapping[int, Sequence[Counts]]) -> None:
        self.shards = shards

    @property
    def text_index(self) -> "Index":
        return self

    def documents(self, shard: int) -> list[tuple[int, Counts]]:
        return [(shard << 32 | number, counts) for number, counts in enumerate(self.shards[shard], 1)]

    async def statistics(self) -> list[TextStatistics]:
        return [
            TextStatistics(
                scope=shard,
                documents=len(wordings),
                mean_length=sum(sum(counts.values()) for counts in wordings) / len(wordings),
            )
            for shard, wordings in self.shards.items()
        ]

    async def frequencies(self, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        found = {
            (shard, term): sum(term in counts for counts in wordings)
            for shard, wordings in self.shards.items()
            for term in terms
        }
        return {place: count for place, count in found.items() if count}

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        found: dict[tuple[int, str], Postings] = {}
        for shard, term in wanted:
            holding = [(number, counts) for number, counts in self.documents(shard) if term in counts]
            found[shard, term] = Postings(
                documents=np.array([number for number, _ in holding], dtype=np.int64),
                counts=np.array([counts[term] for _, counts in holding], dtype=np.float32),
                lengths=np.array([sum(counts.values()) for _, counts in holding], dtype=np.float32),
            )
        return found

    async def containing(self, part: str) -> list[tuple[int, str]]:
        terms = [(shard, term) for shard, wordings in self.shards.items() for counts in wordings for term in counts]
        return [(shard, term) for shard, term in dict.fromkeys(terms) if part in term]


def search(shards: Mapping[int, Sequence[Counts]], slots: Slots, parts: WordParts | None = None) -> LexicalResult:
    index: Any = Index(shards)
    return anyio.run(lexical.search, cast(Tx, index), slots, parts)


def expected(wordings: Sequence[Counts], slots: Slots) -> list[float]:
    """The BM25 of each wording, k1 0.9 and b 0.4, a slot counting as its best form."""
    total, mean = len(wordings), sum(sum(counts.values()) for counts in wordings) / len(wordings)
    scores = [0.0] * total
    for slot in slots:
        containing = min(total, sum(form in counts for counts in wordings for form in slot))
        size = max(total, SMALLEST_COLLECTION)
        weight = math.log(1 + (size - containing + 0.5) / (containing + 0.5))
        for place, counts in enumerate(wordings):
            length = sum(counts.values()) / mean
            shares = [
                counts[form] * 1.9 / (counts[form] + 0.9 * (0.6 + 0.4 * length)) for form in slot if form in counts
            ]
            scores[place] += weight * max(shares, default=0.0)
    return scores


@given(wordings=WORDINGS, slots=SLOTS)
def test_a_score_is_that_of_the_formula(wordings: list[Counts], slots: list[tuple[str, ...]]) -> None:
    found = search({SHARD: wordings}, tuple(slots))
    by_document = dict(zip(found.documents.tolist(), found.scores.tolist(), strict=True))
    assert [by_document.get(SHARD << 32 | number, 0.0) for number in range(1, len(wordings) + 1)] == pytest.approx(
        expected(wordings, tuple(slots)), rel=1e-4
    )


@given(wordings=WORDINGS, slots=SLOTS)
def test_relevance_and_coverage_lie_between_zero_and_one_and_wordings_are_sorted(
    wordings: list[Counts], slots: list[tuple[str, ...]]
) -> None:
    found = search({1: wordings, SHARD: wordings}, tuple(slots))
    assert found.documents.tolist() == sorted(set(found.documents.tolist()))
    for values in (found.match(found.documents).relevance, found.coverage):
        assert ((values > 0) & (values <= 1 + 1e-6)).all()


@given(wordings=WORDINGS, slots=SLOTS)
def test_a_wording_outside_the_index_is_judged_like_the_same_one_inside(
    wordings: list[Counts], slots: list[tuple[str, ...]]
) -> None:
    found = search({SHARD: wordings}, tuple(slots))
    inside = zip(*found.match(np.array([SHARD << 32 | 1])), strict=True)
    outside = found.score_terms(Terms(counts=wordings[0], length=sum(wordings[0].values())))
    assert next(inside) == pytest.approx(outside, rel=1e-3, abs=1e-6)


def test_a_wording_with_every_word_is_covered_whole_and_one_with_none_is_not_found() -> None:
    found = search({SHARD: [{"a": 1, "b": 1}, {"a": 1}, {"c": 1}]}, (("a",), ("b",)))
    assert found.documents.tolist() == [SHARD << 32 | 1, SHARD << 32 | 2]
    assert found.coverage[0] == pytest.approx(1)
    assert found.coverage[1] < 0.5, "the rarer word tells more"


def test_two_forms_of_one_word_count_once() -> None:
    found = search({SHARD: [{"walk": 1, "walking": 1}, {"walk": 1, "x": 1}]}, (("walk", "walking"),))
    assert found.scores.tolist() == pytest.approx([found.scores[0]] * 2)


def test_words_that_nobody_wrote_lower_the_coverage() -> None:
    known = search({SHARD: [{"a": 1}, {"b": 1}]}, (("a",),))
    mixed = search({SHARD: [{"a": 1}, {"b": 1}]}, (("a",), ("zzz",), ("qqq",)))
    assert known.coverage[0] == pytest.approx(1)
    assert mixed.coverage[0] < 0.3


def test_the_same_wording_in_two_shards_is_found_in_both_with_the_same_coverage() -> None:
    found = search({1: [{"a": 1}], 2: [{"a": 1}, {"b": 1}]}, (("a",),))
    assert found.documents.tolist() == [1 << 32 | 1, 2 << 32 | 1]
    assert found.coverage.tolist() == pytest.approx([1, 1])


def test_an_empty_index_and_an_empty_question_find_nothing() -> None:
    for found in (search({}, (("a",),)), search({SHARD: [{"a": 1}]}, ())):
        assert found.documents.size == 0
        assert [part.tolist() for part in found.match(np.array([5, 6]))] == [[0, 0]] * 3
        assert found.best(5, among=None).size == 0


def test_the_best_are_ordered_by_score_then_by_number_and_only_those_that_are_let_through() -> None:
    found = search({0: [{"a": 1, "x": 3}, {"a": 3}, {"a": 1, "x": 3}, {"b": 1}, {"b": 2}]}, (("a",),))
    assert found.best(10, among=None).tolist() == [2, 1, 3]
    assert found.best(1, among=None).tolist() == [2]
    assert found.best(10, among=np.array([1, 3, 4])).tolist() == [1, 3]


@given(total=st.integers(1, 1_000), one=st.integers(0, 1_000), other=st.integers(0, 1_000))
def test_a_rarer_word_tells_more_and_every_word_something(total: int, one: int, other: int) -> None:
    rarer, commoner = sorted((min(one, total), min(other, total)))
    assert idf(total, rarer) >= idf(total, commoner) > 0


def test_in_a_large_store_words_too_common_are_left_out_but_never_all_of_them() -> None:
    wordings = [{"common": 1, "frequent": 1}] * 10_001 + [{"rare": 1, "common": 1}]
    assert [slot for slot, _ in search({0: wordings}, (("common",), ("rare",))).slots] == [("rare",)]
    assert [slot for slot, _ in search({0: wordings}, (("common",), ("frequent",))).slots] == [("frequent",)]


@given(wordings=WORDINGS, slots=SLOTS)
def test_parts_change_nothing_where_a_word_is_found(wordings: list[Counts], slots: list[tuple[str, ...]]) -> None:
    parts = WordParts(of={slot: slot for slot in slots})
    plain, wider = search({SHARD: wordings}, tuple(slots)), search({SHARD: wordings}, tuple(slots), parts)
    assert (wider.documents.tolist(), wider.scores.tolist()) == (plain.documents.tolist(), plain.scores.tolist())
    assert wider.parts == ()


def test_words_that_begin_with_a_part_stand_for_it_and_short_parts_are_not_looked_for_inside() -> None:
    wordings = [{"pgvector": 1}, {"mypgvec": 1}, {"other": 1}]
    slots = (("pgvec",),)
    found = search({SHARD: wordings}, slots, WordParts(of={("pgvec",): ("pgvec",)}))
    assert (found.documents.tolist(), found.parts) == ([SHARD << 32 | 1, SHARD << 32 | 2], ("pgvec",))
    short = search({SHARD: wordings}, (("vec",),), WordParts(of={("vec",): ("vec",)}))
    assert short.documents.tolist() == []


def test_only_names_of_code_are_looked_for_where_another_word_is_found() -> None:
    wordings = [{"pgvector": 1}, {"other": 1}]
    slots, of = (("pgvec",), ("other",)), {("pgvec",): ("pgvec",)}
    assert search({SHARD: wordings}, slots, WordParts(of=of)).documents.tolist() == [SHARD << 32 | 2]
    named = search({SHARD: wordings}, slots, WordParts(of=of, names=frozenset({("pgvec",)})))
    assert named.documents.tolist() == [SHARD << 32 | 1, SHARD << 32 | 2]


def test_of_many_words_the_shorter_ones_stand_for_a_part() -> None:
    wordings = [{"part" + "x" * length: 1} for length in range(60, 0, -1)]
    found = search({SHARD: wordings}, (("part",),), WordParts(of={("part",): ("part",)}))
    assert [document & 63 for document in found.documents.tolist()] == list(range(29, 61))
