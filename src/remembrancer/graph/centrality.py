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
        self._in_class: dict[Classification, Counter[str]] = {}

    async def of(self, tx: Tx, ids: Sequence[str]) -> dict[str, float]:
        """Return the centrality of memories with names, in [0, 1].

        It is log₁₀(1 + n) / log₁₀(101) for n links, at most 1. A link is another memory of the scope with one of its
        names. Memories of a higher class than its own are not counted, so that the score of a memory reveals nothing of
        them.
        """
        found: dict[str, float] = {}
        # No ids would be no condition.
        for place, level in enumerate(_CLASSES) if ids else ():
            documents = await tx.documents.matching(Filter(ids=ids, classifications=[level]))
            names = await tx.text_index.names(documents.tolist()) if len(documents) else {}
            if not any(names.values()):
                continue
            if new := {name for some in names.values() for name in some} - self._counts[level].keys():
                self._counts[level] |= await self._count(tx, new, _CLASSES[place + 1 :])
            headers = await tx.documents.headers([document for document, some in names.items() if some])
            for id, document in zip(headers.ids, headers.documents.tolist(), strict=True):
                links = sum(self._counts[level][name] - 1 for name in names[document])
                found[id] = min(1.0, log10(1 + max(0, links)) / log10(1 + _LINKS_THAT_COUNT))
        return found

    async def _count(self, tx: Tx, names: set[str], higher: Sequence[Classification]) -> dict[str, int]:
        """Return the number of memories with each name, without those of higher classes."""
        counts = dict.fromkeys(names, 0)
        name_of = {name_term(name): name for name in names}
        for (_, term), count in (await tx.text_index.frequencies(sorted(name_of))).items():
            counts[name_of[term]] += count
        for level in higher:
            if level not in self._in_class:
                self._in_class[level] = await _names_in_class(tx, level)
            for name in names:
                counts[name] -= self._in_class[level][name]
        return counts


async def _names_in_class(tx: Tx, level: Classification) -> Counter[str]:
    """Return the number of memories of a class with each name."""
    # With the kinds the index finds the few memories of a class; without, it is read whole.
    documents = (await tx.documents.matching(Filter(kinds=sorted(SEARCHED), classifications=[level]))).tolist()
    counts = Counter[str]()
    for start in range(0, len(documents), _READ_AT_ONCE):
        for names in (await tx.text_index.names(documents[start : start + _READ_AT_ONCE])).values():
            counts.update(names)
    return counts
