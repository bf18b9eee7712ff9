"""What all vectors of a model have in common, and their removal: a constant mean, then the leading directions.

Vectors of some models lie in a narrow cone, in which a request and the statement that should shape it are hardly nearer
than any two texts. The method is that of Mu and Viswanath (2018), "All-but-the-Top". The constants are made by
`python -m bench.directions`, from texts of several kinds and languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from remembrancer.llm.geometry import unit


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonDirections:
    """The mean of a model's vectors and the directions in which they differ most.

    Args:
        mean: `(dimension,)` float32.
        directions: `(count, dimension)` float32, orthonormal rows.
    """

    mean: NDArray[np.float32]
    directions: NDArray[np.float32]

    @classmethod
    def of(cls, rows: NDArray[np.float32], count: int) -> "CommonDirections":
        """Return the mean and the leading principal directions of unit vectors `(texts, dimension)`."""
        mean: NDArray[np.float32] = rows.mean(axis=0, dtype=np.float32)
        _, _, directions = np.linalg.svd(unit(rows - mean), full_matrices=False)
        return cls(mean=mean, directions=directions[:count].astype(np.float32))

    @classmethod
    def shipped(cls, name: str) -> "CommonDirections":
        """Read the constants of a model that come with the package."""
        constants = _constants(name)
        return cls(mean=constants["mean"], directions=constants["directions"])

    def removed(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return unit vectors `(texts, dimension)` float32 without the mean and the directions."""
        centred = unit((rows - self.mean).astype(np.float32))
        return unit((centred - (centred @ self.directions.T) @ self.directions).astype(np.float32))


def shipped_vectors(name: str) -> Mapping[str, NDArray[np.float32]]:
    """Return the packaged vectors of the texts that every process needs, by text."""
    constants = _constants(name)
    return dict(zip(constants["texts"].tolist(), constants["vectors"], strict=True))


@cache
def _constants(name: str) -> Mapping[str, NDArray[Any]]:
    raw = files("remembrancer.llm.providers").joinpath(f"{name}.npz").read_bytes()
    with np.load(BytesIO(raw), allow_pickle=False) as kept:
        return {key: kept[key] for key in kept.files}
