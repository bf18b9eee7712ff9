"""What turns texts into vectors."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.types.index import Space


class Embedder(Protocol):
    """Texts to unit vectors of one space. Blocking: the engine calls it in a thread of its own."""

    @property
    def space(self) -> Space:
        """The identity of its vectors."""
        ...

    @property
    def fast(self) -> bool:
        """True if a text needs about a millisecond, so that a write may wait for its vector."""
        ...

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order.

        Raises:
            ProviderUnavailable: the model cannot be loaded or reached.
        """
        ...

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per question, in order.

        Raises:
            ProviderUnavailable: the model cannot be loaded or reached.
        """
        ...

    def close(self) -> None:
        """Release the model; may be called twice."""
        ...
