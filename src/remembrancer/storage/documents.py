"""Values of the indexes: numbers of documents, what ranking needs of them, postings and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer.types.record import Kind, Record

DocumentNumbers = NDArray[np.int64]
"""Numbers of indexed documents, unique in a store. A record gets a fresh one whenever its wording changes."""

# Scores of which the best is compared first.
_SCORES_AT_ONCE = 256
_KINDS = {kind.value: kind for kind in Kind}
HeaderRow = tuple[int, str, str, str, int, str, str, str, int, float, float, float | None, int, float, str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Headers:
    """Facts about records for ranking, without their texts: parallel columns. Times are seconds since 1970.

    Args:
        numbers: of messages in their session; 0 for other kinds.
        sessions, speakers, types: `""` if there is none; the role if the speaker has no name.
        roles: of messages; `""` for other kinds.
        lengths: of their documents in words, without stop words; at least 1.
        accessed: when last recalled; NaN for never.
        tiers: of episodes; `""` for other kinds.
        weights: feedback weights, in [0, 1].
    """

    documents: DocumentNumbers
    ids: tuple[str, ...]
    kinds: tuple[Kind, ...]
    sessions: tuple[str, ...]
    numbers: NDArray[np.int64]
    speakers: tuple[str, ...]
    roles: tuple[str, ...]
    types: tuple[str, ...]
    lengths: NDArray[np.float32]
    occurred: NDArray[np.float64]
    updated: NDArray[np.float64]
    accessed: NDArray[np.float64]
    revisions: NDArray[np.float64]
    importance: NDArray[np.float32]
    tiers: tuple[str, ...]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)

    def __add__(self, other: "Headers") -> "Headers":
        return Headers(
            documents=np.concatenate([self.documents, other.documents]),
            ids=self.ids + other.ids,
            kinds=self.kinds + other.kinds,
            sessions=self.sessions + other.sessions,
            numbers=np.concatenate([self.numbers, other.numbers]),
            speakers=self.speakers + other.speakers,
            roles=self.roles + other.roles,
            types=self.types + other.types,
            lengths=np.concatenate([self.lengths, other.lengths]),
            occurred=np.concatenate([self.occurred, other.occurred]),
            updated=np.concatenate([self.updated, other.updated]),
            accessed=np.concatenate([self.accessed, other.accessed]),
            revisions=np.concatenate([self.revisions, other.revisions]),
            importance=np.concatenate([self.importance, other.importance]),
            tiers=self.tiers + other.tiers,
            weights=np.concatenate([self.weights, other.weights]),
        )


def headers_from(rows: Sequence[HeaderRow]) -> Headers:
    """Return headers from rows in the order of its fields, times in seconds."""
    columns: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in range(16)]
    return Headers(
        documents=np.array(columns[0], dtype=np.int64),
        ids=tuple(columns[1]),
        kinds=tuple(_KINDS[kind] for kind in columns[2]),
        sessions=tuple(columns[3]),
        numbers=np.array(columns[4], dtype=np.int64),
        speakers=tuple(columns[5]),
        roles=tuple(columns[6]),
        types=tuple(columns[7]),
        lengths=np.array(columns[8], dtype=np.float32),
        occurred=np.array(columns[9], dtype=np.float64),
        updated=np.array(columns[10], dtype=np.float64),
        accessed=np.array(columns[11], dtype=np.float64),
        revisions=np.array(columns[12], dtype=np.float64),
        importance=np.array(columns[13], dtype=np.float32),
        tiers=tuple(columns[14]),
        weights=np.array(columns[15], dtype=np.float32),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStatistics:
    """The text index of one exact scope: its number of documents, and their mean length in terms."""

    scope: int
    documents: int
    mean_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Occurrences of a term in one exact scope: parallel arrays of documents, counts, and lengths of the documents."""

    documents: DocumentNumbers
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Documents near a vector, best first: parallel arrays of documents and cosines."""

    documents: DocumentNumbers
    cosines: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosines:
    """Cosines of documents to a vector, in the order of the question; NaN for a document without vectors.

    Args:
        best: of the nearest passage.
        mean: over all passages.
    """

    best: NDArray[np.float32]
    mean: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A record whose document has no vectors yet in some space."""

    document: int
    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A document with its vectors of some generation: `(passages, dimension)` float32."""

    document: int
    passages: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentVectors:
    """Vectors of a document for an outside index.

    Args:
        document: its number in the store.
        scope: a fingerprint of its exact scope that only the store can make; the index gets no name and no text.
        passages: `(passages, dimension)` float32, one unit-length row per passage.
    """

    document: int
    scope: str
    passages: NDArray[np.float32]


DOCUMENT_BITS = 32


def document_number(scope: int, ordinal: int) -> int:
    """Return a document's number in the store, from its scope and its number there."""
    return scope << DOCUMENT_BITS | ordinal


def places_of_best(scores: NDArray[Any], limit: int) -> NDArray[np.int64]:
    """Return the places of the best `limit` scores and their ties, ascending; all if there are no more.

    Of the best of each 256 scores, the `limit`-th is a bound below which none can be. That needs a tenth of the time of
    a partition of a million scores.
    """
    whole = len(scores) // _SCORES_AT_ONCE
    if whole > limit:
        best = scores[: whole * _SCORES_AT_ONCE].reshape(whole, _SCORES_AT_ONCE).max(axis=1)
        places = np.flatnonzero(scores >= np.partition(best, -limit)[-limit])
    else:
        places = np.arange(len(scores))
    if len(places) <= limit:
        return places
    near = scores[places]
    return places[near >= np.partition(near, -limit)[-limit]]
