"""How the text index is packed: blocks of (wording, occurrences, length), alike in every store."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import Postings
from remembrancer.types.terms import Terms

BLOCK_BITS = 10
DOCUMENT_BITS = 32
_ENTRY = np.dtype([("offset", "<u2"), ("count", "u1"), ("length", "<u2")])
# The same, for packing: an array of numpy for each term takes ten times as long.
_PACKED = Struct("<HBH")
_MOST_COUNTED = 255
_LONGEST = 65_535


def document_number(scope: int, ordinal: int) -> int:
    """A wording's number in the store: its scope, then its place in it."""
    return scope << DOCUMENT_BITS | ordinal


def block_of(document: int) -> int:
    """The block that a wording falls in, counted within its scope."""
    return (document & (1 << DOCUMENT_BITS) - 1) >> BLOCK_BITS


def packed(wordings: Iterable[tuple[int, Terms]]) -> dict[tuple[str, int], bytes]:
    """New entries by term and block, in the order of the wordings."""
    found: defaultdict[int, defaultdict[str, bytearray]] = defaultdict(lambda: defaultdict(bytearray))
    for document, terms in wordings:
        entries, offset = found[block_of(document)], document & (1 << BLOCK_BITS) - 1
        length = min(terms.length, _LONGEST)
        once = _PACKED.pack(offset, 1, length)
        for term, count in terms.counts.items():
            entries[term] += once if count == 1 else _PACKED.pack(offset, min(count, _MOST_COUNTED), length)
    return {(term, block): bytes(packs) for block, entries in found.items() for term, packs in entries.items()}


def entries_in(block: bytes) -> int:
    """How many entries a packed block has."""
    return len(block) // _ENTRY.itemsize


def without(block: bytes, documents: Sequence[int]) -> bytes:
    """A packed block without the entries of some wordings."""
    entries = np.frombuffer(block, dtype=_ENTRY)
    gone = np.array(documents, dtype=np.int64) & (1 << BLOCK_BITS) - 1
    return entries[~np.isin(entries["offset"], gone)].tobytes()


def by_place(wordings: Mapping[int, Terms]) -> dict[tuple[str, int], list[int]]:
    """The wordings by each term and block in which they have an entry, in order."""
    found: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for document, terms in sorted(wordings.items()):
        for term in terms.counts:
            found[term, block_of(document)].append(document)
    return dict(sorted(found.items()))


def unpacked(scope: int, blocks: Sequence[tuple[int, bytes]], *, hidden: NDArray[np.int64]) -> Postings:
    """The entries of a term's blocks, in one.

    Args:
        hidden: wordings that are left out, ascending.
    """
    numbers, packs = zip(*blocks, strict=True)
    entries = np.frombuffer(b"".join(packs), dtype=_ENTRY)
    starts = (np.array(numbers, dtype=np.int64) << BLOCK_BITS) + document_number(scope, 0)
    first: NDArray[np.int64] = np.repeat(starts, np.array(list(map(len, packs))) // _ENTRY.itemsize)
    documents = first + entries["offset"]
    if len(hidden):
        seen = ~np.isin(documents, hidden)
        documents, entries = documents[seen], entries[seen]
    return Postings(
        documents=documents,
        counts=entries["count"].astype(np.float32),
        lengths=entries["length"].astype(np.float32),
    )


def terms_as_text(counts: Mapping[str, int]) -> str:
    """Terms and their occurrences on one line, for taking a wording out of the index again."""
    return " ".join([f"{term}\t{counts[term]}" for term in sorted(counts)])


def terms_from_text(text: str, length: int) -> Terms:
    """What `terms_as_text` wrote."""
    pairs = (item.split("\t") for item in text.split(" ") if item)
    return Terms(counts={term: int(count) for term, count in pairs}, length=length)


def held(length: int | None, terms: str | None) -> Terms | None:
    """What the index holds for a wording, from its row; `None` where it has none."""
    return None if length is None or terms is None else terms_from_text(terms, length)
