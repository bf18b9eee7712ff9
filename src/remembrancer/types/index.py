"""The spaces of vectors and the terms of the text index."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The vectors of one model: never compared with those of another.

    Args:
        random_cosine: mean cosine of two unrelated texts in this model, which calibrated nearness counts as 0;
            in (-1, 1).
        random_spread: standard deviation of that cosine; above 0.
    """

    name: str
    version: str
    dimension: int
    random_cosine: float
    random_spread: float


class SpaceState(StrEnum):
    """Whether a generation of vectors is being built, or serves."""

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
    """A wording as the text index keeps it: how often each term stands in it, and its length in terms."""

    counts: Mapping[str, int]
    length: int
