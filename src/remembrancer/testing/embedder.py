"""An embedder without a model, for tests."""

import hashlib
import re

import numpy as np
from numpy.typing import NDArray

from remembrancer.llm.geometry import unit
from remembrancer.types.index import Space

_WORD = re.compile(r"\w+")


class HashEmbedder:
    """A deterministic embedder that compares texts by common words.

    Args:
        name: of its space; a second name makes a second space.
    """

    def __init__(self, dimension: int = 64, *, name: str = "hash", fast: bool = True) -> None:
        self.space = Space(name=name, version="1", dimension=dimension, random_cosine=0.0, random_spread=0.15)
        self.fast = fast
        self.asked = 0

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit row per text."""
        self.asked += len(texts)
        rows = np.array([self._row(text) for text in texts], dtype=np.float32)
        return unit(rows.reshape(len(texts), self.space.dimension))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the same rows as `documents`."""
        return self.documents(texts)

    def close(self) -> None:
        """Do nothing."""

    def _row(self, text: str) -> NDArray[np.float32]:
        row = np.zeros(self.space.dimension, dtype=np.float32)
        for word in _WORD.findall(text.casefold()):
            digest = hashlib.sha256(word.encode()).digest()
            row[int.from_bytes(digest[:4]) % self.space.dimension] += 1 if digest[4] % 2 else -1
        return row
