"""A wording as a text index keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """A wording as the text index keeps it: how often each term stands in it, and its length in terms."""

    counts: Mapping[str, int]
    length: int
