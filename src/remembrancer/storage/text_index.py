"""The text index: packed postings by exact scope, so that no scope's counts show in another's scores.

How terms are found and postings are stored differs between databases; what the index counts does not.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import ClassVar, LiteralString

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.analysis import name_pattern, names_among
from remembrancer.storage.documents import DOCUMENT_BITS, Postings, TextStatistics, document_number
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.index import Terms

_SIZES: LiteralString = """
    SELECT id, documents, words FROM scopes WHERE id = ANY(:visible) AND documents > 0 ORDER BY id
"""
_TERMS: LiteralString = """
    SELECT document, terms FROM document_terms WHERE document = ANY(:documents) AND scope = ANY(:visible)
"""
_NAMES: LiteralString = """
    SELECT term, SUM(count) FROM postings WHERE scope = ANY(:visible) AND term LIKE :pattern ESCAPE '!'
    GROUP BY term ORDER BY SUM(count) DESC, term LIMIT :limit
"""
Blocks = Mapping[tuple[int, str], Sequence[tuple[int, bytes]]]
"""Packed blocks by scope and term, each with its number, in order."""


class TextIndex(ABC):
    """The text index of what the scope sees, by exact scope."""

    _FREQUENCIES: ClassVar[LiteralString]
    _CONTAINING: ClassVar[LiteralString]

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def statistics(self) -> list[TextStatistics]:
        """Return the size of the index of each exact scope."""
        connection = self._connection
        rows = connection.sizes if connection.is_snapshot else await connection.ask(_SIZES)
        return [TextStatistics(scope=row[0], documents=row[1], mean_length=row[2] / row[1]) for row in rows]

    async def frequencies(self, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        """Return the number of documents with each term, by scope and term."""
        rows = await self._connection.ask(self._FREQUENCIES, {"terms": list(terms)})
        return {(row[0], row[1]): row[2] for row in rows}

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """Return the postings of terms, by scope and term; without terms of no visible document."""
        visible = [place for place in wanted if place[0] in self._connection.visible]
        return await self._connection.in_thread(lambda: self._unpacked(visible)) if visible else {}

    def _unpacked(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        blocks, hidden = self._blocks(wanted), self._connection.hidden
        found = {place: unpacked(place[0], packed, hidden=hidden) for place, packed in blocks.items()}
        return {place: postings for place, postings in found.items() if len(postings.documents)}

    @abstractmethod
    def _blocks(self, wanted: Sequence[tuple[int, str]], /) -> Blocks:
        """Return the blocks of those terms that have any. Blocking."""

    async def names(self, documents: Sequence[int]) -> dict[int, list[str]]:
        """Return the names in visible documents, by document."""
        return await self._connection.in_thread(lambda: self._names(documents))

    def _names(self, documents: Sequence[int]) -> dict[int, list[str]]:
        rows = self._connection.rows(_TERMS, {"documents": list(documents)})
        hidden = set(self._connection.hidden.tolist())
        return {row[0]: names_among(row[1]) for row in rows if row[0] not in hidden}

    async def names_with(self, part: str, *, limit: int) -> list[tuple[str, int]]:
        """Return the names that contain a text, each with the number of visible documents, the most first."""
        return await self._connection.in_thread(lambda: self._names_with(part, limit))

    def _names_with(self, part: str, limit: int) -> list[tuple[str, int]]:
        rows = self._connection.rows(_NAMES, {"pattern": name_pattern(part), "limit": limit})
        counts = {row[0]: int(row[1]) for row in rows}
        if len(self._connection.hidden):
            wanted = [(scope, term) for scope in self._connection.visible for term in counts]
            counts = dict.fromkeys(counts, 0)
            for (_, term), postings in self._unpacked(wanted).items():
                counts[term] += len(postings.documents)
        found = [(name, counts[term]) for term in counts if counts[term] for name in names_among(term)]
        return sorted(found, key=lambda one: (-one[1], one[0]))

    async def containing(self, part: str) -> list[tuple[int, str]]:
        """Return the terms that contain a part of a word, by scope; also those of documents that are not visible."""
        rows = await self._connection.ask(self._CONTAINING, {"part": part})
        return [(row[0], row[1]) for row in rows]


class TextIndexWriter(ABC):
    """Writer of the text index of the exact scope. Blocking."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    def add(self, terms: Sequence[Terms | None], /) -> list[int]:
        """Add documents; return the number of each, 0 for one that is not indexed."""
        wanted = [item for item in terms if item is not None]
        if not wanted:
            return [0] * len(terms)
        scope = self._connection.writable()
        last: int = self._connection.value(
            """
            UPDATE scopes
            SET last_document = last_document + :count, documents = documents + :count, words = words + :words
            WHERE id = :scope
            RETURNING last_document
            """,
            {"count": len(wanted), "words": sum(item.length for item in wanted)},
        )
        numbers = iter(document_number(scope, last - len(wanted) + 1 + index) for index in range(len(wanted)))
        documents = [0 if item is None else next(numbers) for item in terms]
        self._insert([(number, item) for number, item in zip(documents, terms, strict=True) if item is not None])
        return documents

    def put(self, documents: Sequence[tuple[int, Terms]], /) -> None:
        """Replace the terms of documents, which keep their numbers."""
        self._connection.writable()
        self._remove_terms([document for document, _ in documents])
        self._insert(documents)
        self._connection.run(
            "UPDATE scopes SET documents = documents + :count, words = words + :words WHERE id = :scope",
            {"count": len(documents), "words": sum(terms.length for _, terms in documents)},
        )

    def remove(self, documents: Sequence[int], /) -> None:
        """Remove documents, their vectors with them."""
        self._connection.retired.extend(documents)
        self._connection.run("DELETE FROM vectors WHERE document = ANY(:documents)", {"documents": list(documents)})
        self._remove_terms(documents)

    def _remove_terms(self, documents: Sequence[int]) -> None:
        """Remove documents from the text index alone."""
        self._connection.writable()
        rows = self._connection.rows(
            "DELETE FROM document_terms WHERE document = ANY(:documents) RETURNING document, length, terms",
            {"documents": list(documents)},
        )
        removed = {row[0]: terms_from_text(row[2], row[1]) for row in rows}
        if not removed:
            return
        self._remove_entries(by_place(removed))
        self._connection.run(
            "UPDATE scopes SET documents = documents - :count, words = words - :words WHERE id = :scope",
            {"count": len(removed), "words": sum(terms.length for terms in removed.values())},
        )

    @abstractmethod
    def _insert(self, documents: Sequence[tuple[int, Terms]], /) -> None:
        """Insert the terms of new documents."""

    @abstractmethod
    def _remove_entries(self, places: Mapping[tuple[str, int], Sequence[int]], /) -> None:
        """Remove the entries of documents, by term and block."""


BLOCK_BITS = 10
_ENTRY = np.dtype([("offset", "<u2"), ("count", "u1"), ("length", "<u2")])
# The same, for packing: an array of numpy for each term needs ten times as long.
_PACKED = Struct("<HBH")
_MOST_COUNTED = 255
_LONGEST = 65_535


def block_of(document: int) -> int:
    """Return the block of a document, counted within its scope."""
    return (document & (1 << DOCUMENT_BITS) - 1) >> BLOCK_BITS


def packed(documents: Iterable[tuple[int, Terms]]) -> dict[tuple[str, int], bytes]:
    """Return new entries by term and block, in the order of the documents."""
    found: defaultdict[int, defaultdict[str, bytearray]] = defaultdict(lambda: defaultdict(bytearray))
    for document, terms in documents:
        entries, offset = found[block_of(document)], document & (1 << BLOCK_BITS) - 1
        length = min(terms.length, _LONGEST)
        once = _PACKED.pack(offset, 1, length)
        for term, count in terms.counts.items():
            entries[term] += once if count == 1 else _PACKED.pack(offset, min(count, _MOST_COUNTED), length)
    return {(term, block): bytes(packs) for block, entries in found.items() for term, packs in entries.items()}


def entries_in(block: bytes) -> int:
    """Return the number of entries of a packed block."""
    return len(block) // _ENTRY.itemsize


def without(block: bytes, documents: Sequence[int]) -> bytes:
    """Return a packed block without the entries of some documents."""
    entries = np.frombuffer(block, dtype=_ENTRY)
    removed = np.array(documents, dtype=np.int64) & (1 << BLOCK_BITS) - 1
    return entries[~np.isin(entries["offset"], removed)].tobytes()


def by_place(documents: Mapping[int, Terms]) -> dict[tuple[str, int], list[int]]:
    """Return the documents by each term and block in which they have an entry, in order."""
    found: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    for document, terms in sorted(documents.items()):
        for term in terms.counts:
            found[term, block_of(document)].append(document)
    return dict(sorted(found.items()))


def unpacked(scope: int, blocks: Sequence[tuple[int, bytes]], *, hidden: NDArray[np.int64]) -> Postings:
    """Return the entries of a term's blocks, in one.

    Args:
        hidden: documents to leave out, ascending.
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
    """Return terms and their occurrences on one line, for removing a document from the index."""
    return " ".join([f"{term}\t{counts[term]}" for term in sorted(counts)])


def terms_from_text(text: str, length: int) -> Terms:
    """Return the terms that `terms_as_text` wrote."""
    pairs = (item.split("\t") for item in text.split(" ") if item)
    return Terms(counts={term: int(count) for term, count in pairs}, length=length)


def terms_of_row(length: int | None, terms: str | None) -> Terms | None:
    """Return the terms of a document from its row; `None` if it has none."""
    return None if length is None or terms is None else terms_from_text(terms, length)
