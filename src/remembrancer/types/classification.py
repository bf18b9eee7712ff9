"""How freely a memory may be shown, and how far its source is trusted."""

from collections.abc import Iterable
from enum import StrEnum


class Classification(StrEnum):
    """Who may see a memory, from the least to the most restrictive."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class Trust(StrEnum):
    """Whether a memory rests on what people and agents said, or on a page or a tool's output."""

    UNTRUSTED = "untrusted"
    TRUSTED = "trusted"


_RANK = {each: rank for rank, each in enumerate(Classification)}


def most_restrictive(classes: Iterable[Classification]) -> Classification:
    """The highest of some classifications; `internal`, the default, where there is none."""
    return max(classes, key=_RANK.__getitem__, default=Classification.INTERNAL)


def least_trust(levels: Iterable[Trust]) -> Trust:
    """The lowest of some levels of trust; `trusted` where there is none."""
    return min(levels, key=list(Trust).index, default=Trust.TRUSTED)
