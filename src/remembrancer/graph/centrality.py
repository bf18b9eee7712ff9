"""The centrality of memories in the graph: how many others have one of their names."""

from collections import Counter
from collections.abc import Sequence
from math import log10
from typing import Final

import numpy as np

from remembrancer.language.analysis import name_term
from remembrancer.storage.tx import Tx
from remembrancer.types.filter import Filter
from remembrancer.types.record import SEARCHED
from remembrancer.types.scope import Classification

_CLASSES: Final = tuple(Classification)
# So many links have the centrality 1.
_LINKS_THAT_COUNT: Final = 100


async def centralities(tx: Tx, ids: Sequence[str]) -> dict[str, float]:
    """Return the centrality of memories with names, in [0, 1]: log₁₀(1 + n) / log₁₀(101) for n links, at most 1.

    A link is another memory of the scope with one of its names. Memories of a higher class than its own are not
    counted, so that the score of a memory reveals nothing of them.
    """
    found: dict[str, float] = {}
    # No ids would be no condition.
    for place, level in enumerate(_CLASSES) if ids else ():
        documents = await tx.documents.matching(Filter(ids=ids, classifications=[level]))
        names = await tx.text_index.names(documents.tolist()) if len(documents) else {}
        if not any(names.values()):
            continue
        headers = await tx.documents.headers(list(names))
        counts = await _counts(tx, {name for some in names.values() for name in some}, _CLASSES[place + 1 :])
        for id, document in zip(headers.ids, headers.documents.tolist(), strict=True):
            links = sum(counts[name] - 1 for name in names[document])
            found[id] = min(1.0, log10(1 + max(0, links)) / log10(1 + _LINKS_THAT_COUNT))
    return found


async def _counts(tx: Tx, names: set[str], higher: Sequence[str]) -> Counter[str]:
    """Return the number of memories with each name, without those of higher classes."""
    name_of = {name_term(name): name for name in names}
    frequencies = await tx.text_index.frequencies(sorted(name_of))
    counts = Counter[str]()
    for (_, term), count in frequencies.items():
        counts[name_of[term]] += count
    # With the kinds the index finds the few memories of these classes; without, it is read whole.
    of_higher = Filter(kinds=sorted(SEARCHED), classifications=higher)
    hidden = await tx.documents.matching(of_higher) if higher else np.empty(0)
    if len(hidden):
        for (_, term), postings in (await tx.text_index.postings(list(frequencies))).items():
            counts[name_of[term]] -= int(np.isin(postings.documents, hidden).sum())
    return counts
