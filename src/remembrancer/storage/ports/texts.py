"""The text index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.ports.wordings import Documents


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStatistics:
    """The text index of one exact scope: how many wordings, and their mean length in terms."""

    shard: int
    documents: int
    mean_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Postings:
    """Where a term stands in one shard: parallel arrays of wording, occurrences, and the wording's length."""

    documents: Documents
    counts: NDArray[np.float32]
    lengths: NDArray[np.float32]


class Texts(Protocol):
    """The text index of what the scope sees, by shard: a shard is one exact scope."""

    async def statistics(self) -> list[TextStatistics]:
        """The size of the index of each exact scope."""
        ...

    async def frequencies(self, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        """In how many wordings each term stands, by shard and term."""
        ...

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """The postings of terms in the index, by shard and term; without those that stand in nothing that is seen."""
        ...

    async def holding(self, part: str) -> list[tuple[int, str]]:
        """The terms of the index that have a part of a word in them, by shard; also those of closed wordings."""
        ...
