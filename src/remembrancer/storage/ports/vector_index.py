"""An outside index of vectors: derived from the store, rebuilt from it, and never the truth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.ports.vectors import Nearest
from remembrancer.storage.ports.wordings import Documents


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A wording as the index keeps it.

    Args:
        document: its number in the store.
        scope: a fingerprint of its exact scope that only the store can make; the index learns no name and no text.
        pieces: `(pieces, dimension)` float32, one unit-length row per piece.
    """

    document: int
    scope: str
    pieces: NDArray[np.float32]


class VectorIndex(Protocol):
    """Vectors of wordings, by generation. Blocking: the engine calls it in threads of its own, several at once.

    It may lag behind the store, and may still hold what is gone: who asks it confirms every answer with the store.
    Every method raises `StoreUnavailable` where the index cannot be reached, and `StoreError` where it refuses.
    """

    def put(self, wordings: Sequence[Wording], *, generation: int) -> None:
        """Store wordings, each in place of what stood under its number; findable when this returns."""
        ...

    def remove(self, documents: Sequence[int], *, generation: int) -> None:
        """Remove wordings; those that are not there are none of its concern."""
        ...

    def nearest(self, query: NDArray[np.float32], *, scopes: Sequence[str], generation: int, limit: int) -> Nearest:
        """The wordings of some scopes that are nearest to a unit vector, a wording counting as its best piece.

        Fewer than `limit` only where it holds no more; none of a generation that it does not have.
        """
        ...

    def held(self, scope: str, *, generation: int) -> Documents:
        """The numbers of all wordings that it holds of a scope, ascending."""
        ...

    def generations(self) -> list[int]:
        """The generations that it has, ascending."""
        ...

    def drop(self, generation: int) -> None:
        """Forget everything of a generation."""
        ...

    def close(self) -> None:
        """Let go of the connections to the index; may be called twice."""
        ...
