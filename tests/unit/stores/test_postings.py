from collections.abc import Mapping

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from remembrancer.storage.documents import document_number
from remembrancer.storage.text_index import (
    BLOCK_BITS,
    block_of,
    entries_in,
    packed,
    terms_as_text,
    terms_from_text,
    unpacked,
    without,
)
from remembrancer.types.index import Terms

SOME = settings(max_examples=40, deadline=None)
SHARD = 7
BLOCK = 1 << BLOCK_BITS
WORDS = st.sampled_from(["quartz", "basalt", "slate", "名前", "a.b/c"])
COUNTS = st.dictionaries(WORDS, st.integers(1, 400), min_size=1)
TERMS = st.builds(Terms, counts=COUNTS, length=st.integers(1, 70_000))
WORDINGS = st.dictionaries(st.integers(1, 5 * BLOCK), TERMS, min_size=1, max_size=20).map(
    lambda found: {document_number(SHARD, ordinal): terms for ordinal, terms in sorted(found.items())}
)
Index = dict[str, dict[int, tuple[float, float]]]


def read(blocks: Mapping[tuple[str, int], bytes]) -> Index:
    """Each term's wordings with its occurrences and their lengths, as a reader unpacks them."""
    found: Index = {}
    for term in {term for term, _ in blocks}:
        mine = [(block, entries) for (of, block), entries in sorted(blocks.items()) if of == term]
        part = unpacked(SHARD, mine, hidden=np.empty(0, dtype=np.int64))
        assert len(set(part.documents.tolist())) == len(part.documents)
        pairs = zip(part.counts.tolist(), part.lengths.tolist(), strict=True)
        found[term] = dict(zip(part.documents.tolist(), pairs, strict=True))
    return found


def meant(wordings: Mapping[int, Terms]) -> Index:
    """The same by the plain meaning of it; counts and lengths stop where their bytes end."""
    found: Index = {}
    for document, terms in wordings.items():
        for term, count in terms.counts.items():
            found.setdefault(term, {})[document] = (min(count, 255), min(terms.length, 65_535))
    return found


@SOME
@given(WORDINGS)
def test_what_was_packed_unpacks_to_the_same_wordings(wordings: dict[int, Terms]) -> None:
    assert read(packed(wordings.items())) == meant(wordings)


@SOME
@given(WORDINGS, st.integers(0, 20))
def test_blocks_packed_in_turn_join_to_what_packing_at_once_gives(wordings: dict[int, Terms], cut: int) -> None:
    items = list(wordings.items())
    joined = packed(items[:cut])
    for place, entries in packed(items[cut:]).items():
        joined[place] = joined.get(place, b"") + entries
    assert joined == packed(items)


@SOME
@given(WORDINGS, st.data())
def test_taking_a_wording_out_leaves_all_the_others(wordings: dict[int, Terms], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(sorted(wordings)))
    blocks = {
        (term, block): without(entries, [gone]) if block == block_of(gone) else entries
        for (term, block), entries in packed(wordings.items()).items()
    }
    left = {document: terms for document, terms in wordings.items() if document != gone}
    assert read({place: entries for place, entries in blocks.items() if entries}) == meant(left)


@SOME
@given(WORDINGS)
def test_a_block_has_as_many_entries_as_wordings_with_the_term(wordings: dict[int, Terms]) -> None:
    for (term, block), entries in packed(wordings.items()).items():
        expected = [number for number, terms in wordings.items() if term in terms.counts and block_of(number) == block]
        assert entries_in(entries) == len(expected)


def test_taking_out_a_wording_that_is_not_there_changes_nothing() -> None:
    entries = packed([(document_number(SHARD, 3), Terms(counts={"quartz": 1}, length=1))])["quartz", 0]
    assert without(entries, [document_number(SHARD, 4)]) == entries


@SOME
@given(st.integers(1, 2**30), st.integers(1, 2**32 - 1))
def test_a_wordings_number_tells_its_shard_and_its_block(shard: int, ordinal: int) -> None:
    number = document_number(shard, ordinal)
    assert (number >> 32, block_of(number)) == (shard, ordinal // BLOCK)
    assert number < 2**63


@SOME
@given(TERMS)
def test_terms_written_on_a_line_read_back_as_they_were(terms: Terms) -> None:
    assert terms_from_text(terms_as_text(terms.counts), terms.length) == terms


def test_no_terms_read_back_as_none() -> None:
    assert terms_from_text(terms_as_text({}), 0) == Terms(counts={}, length=0)
