"""The centrality of memories in the graph: how many others have one of their names."""

from collections import Counter
from collections.abc import Sequence
from math import log10
from typing import Final

from remembrancer.language.analysis import name_term
from remembrancer.storage.tx import Tx
from remembrancer.types.filter import Filter
from remembrancer.types.record import SEARCHED
from remembrancer.types.scope import Classification

_CLASSES: Final = tuple(Classification)
# So many links have the centrality 1.
_LINKS_THAT_COUNT: Final = 100
_READ_AT_ONCE: Final = 10_000


class Centrality:
    """The centralities of many memories of a scope, read page by page: each name is counted once.

    What is written in between may count, or not.
    """

    def __init__(self) -> None:
        # By name, for each class of the memories that are read.
        self._counts: dict[Classification, dict[str, int]] = {level: {} for level in _CLASSES}
        self._hidden: dict[Classification, Counter[str]] = {}

    async def of(self, tx: Tx, ids: Sequence[str]) -> dict[str, float]:
        """Return the centrality of memories with names, in [0, 1].

        It is log₁₀(1 + n) / log₁₀(101) for n links, at most 1. A link is another memory of the scope with one of its
        names. Memories of a higher class than its own are not counted, so that the score of a memory reveals nothing of
        them.
        """
        found: dict[str, float] = {}
        # No ids would be no condition.
        for level in _CLASSES if ids else ():
            documents = await tx.documents.matching(Filter(ids=ids, classifications=[level]))
            names = await tx.text_index.names(documents.tolist()) if len(documents) else {}
            new = {name for some in names.values() for name in some} - self._counts[level].keys()
            if new:
                self._counts[level] |= await self._count(tx, new, level)
            headers = await tx.documents.headers([document for document, some in names.items() if some])
            for id, document in zip(headers.ids, headers.documents.tolist(), strict=True):
                links = sum(self._counts[level][name] - 1 for name in names[document])
                found[id] = min(1.0, log10(1 + max(0, links)) / log10(1 + _LINKS_THAT_COUNT))
        return found

    async def _count(self, tx: Tx, names: set[str], level: Classification) -> dict[str, int]:
        """Return the number of memories with each name, without those of higher classes."""
        name_of = {name_term(name): name for name in names}
        if level not in self._hidden:
            self._hidden[level] = await _names_above(tx, level)
        counts = {name: -self._hidden[level][name] for name in names}
        for (_, term), count in (await tx.text_index.frequencies(sorted(name_of))).items():
            counts[name_of[term]] += count
        return counts


async def _names_above(tx: Tx, level: Classification) -> Counter[str]:
    """Return the number of memories of higher classes with each name."""
    counts = Counter[str]()
    higher = _CLASSES[_CLASSES.index(level) + 1 :]
    if not higher:
        return counts
    # With the kinds the index finds the few memories of these classes; without, it is read whole.
    documents = (await tx.documents.matching(Filter(kinds=sorted(SEARCHED), classifications=higher))).tolist()
    for start in range(0, len(documents), _READ_AT_ONCE):
        for names in (await tx.text_index.names(documents[start : start + _READ_AT_ONCE])).values():
            counts.update(names)
    return counts
