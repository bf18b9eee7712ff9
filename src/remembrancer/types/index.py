"""The spaces of vectors and the terms of the text index."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The vector space of one embedding model. Vectors of two spaces are never compared.

    Args:
        random_cosine: mean cosine of two unrelated texts, in (-1, 1); calibrated nearness counts it as 0.
        random_spread: standard deviation of that cosine; above 0.
    """

    name: str
    version: str
    dimension: int
    random_cosine: float
    random_spread: float


class SpaceState(StrEnum):
    """States of a generation of vectors."""

    BUILDING = "building"
    ACTIVE = "active"


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A set of vectors of one space in a store."""

    number: int
    space: Space
    state: SpaceState


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The terms of a document in the text index.

    Args:
        counts: the number of occurrences of each term.
        length: the number of terms.
    """

    counts: Mapping[str, int]
    length: int
