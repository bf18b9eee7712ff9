"""The vectors of wordings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.ports.wordings import Documents
from remembrancer.types.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Wordings near a vector, best first: parallel arrays of wording and cosine."""

    documents: Documents
    cosines: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cosines:
    """How near some wordings are to a vector, in the order they were asked for; NaN where one has no vectors.

    Args:
        best: of the nearest piece.
        mean: over all pieces.
    """

    best: NDArray[np.float32]
    mean: NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A record whose wording has no vectors yet in some space."""

    document: int
    record: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """A wording with the vectors that it has in some generation: `(pieces, dimension)` float32."""

    document: int
    pieces: NDArray[np.float32]


class Vectors(Protocol):
    """Vectors of what the scope sees."""

    async def nearest(
        self, query: NDArray[np.float32], *, generation: int, limit: int, among: Documents | None
    ) -> Nearest:
        """The wordings nearest to a unit vector, a wording counting as its best piece.

        Args:
            among: only these, where given.
        """
        ...

    async def cosines(self, query: NDArray[np.float32], documents: Documents, *, generation: int) -> Cosines:
        """The cosines of the pieces of each wording, in order."""
        ...

    async def add(self, pieces: Mapping[int, NDArray[np.float32]], *, generation: int) -> set[int]:
        """Store the pieces of wordings of the exact scope; those of the wordings that still stood."""
        ...

    async def missing(self, *, generation: int, limit: int, after: int = 0) -> list[Unembedded]:
        """Indexed records of the exact scope without vectors, in the order of their numbers."""
        ...

    async def embedded(self, *, generation: int, limit: int, after: int = 0) -> list[Embedded]:
        """Wordings of the exact scope with their vectors, in the order of their numbers."""
        ...
