"""The semantic retriever: the store's search, or an external index.

The store confirms the hits of an external index.
"""

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import DocumentNumbers, Nearest
from remembrancer.storage.tx import Tx

# Some hits of an external index are deleted, or excluded by a filter.
OVERSAMPLING = 2
LAG_NOTE = "the vector index lags, so the store was searched instead: run reindex"


async def nearest(
    tx: Tx,
    vector: NDArray[np.float32],
    *,
    generation: int,
    limit: int,
    among: DocumentNumbers | None,
    outside: DocumentNumbers | None,
) -> tuple[Nearest, tuple[str, ...]]:
    """Return the documents nearest to a unit vector, and notes.

    Args:
        among: restricts the search to these documents.
        outside: the hits of an external index for `OVERSAMPLING` times the limit; `None` without one. They count only
            if the transaction sees them, with the store's cosines.
    """
    if outside is None:
        return await tx.vectors.nearest(vector, generation=generation, limit=limit, among=among), ()
    confirmed = await _confirm(tx, vector, outside, generation=generation, among=among)
    if len(confirmed.documents) >= limit:
        return Nearest(documents=confirmed.documents[:limit], cosines=confirmed.cosines[:limit]), ()
    own = await tx.vectors.nearest(vector, generation=generation, limit=limit, among=among)
    everything = len(outside) < OVERSAMPLING * limit
    lags = not np.isin(own.documents, outside).all() if everything else among is None
    return own, (LAG_NOTE,) if lags else ()


async def _confirm(
    tx: Tx, vector: NDArray[np.float32], outside: DocumentNumbers, *, generation: int, among: DocumentNumbers | None
) -> Nearest:
    """Return the hits that are visible and have a vector, with cosines.

    They have the order of the store's search.
    """
    candidates = outside if among is None else outside[np.isin(outside, among)]
    cosines = (await tx.vectors.cosines(vector, candidates, generation=generation)).best
    has_vector = ~np.isnan(cosines)
    documents, found_cosines = candidates[has_vector], cosines[has_vector]
    order = np.lexsort((documents, -found_cosines))
    return Nearest(documents=documents[order], cosines=found_cosines[order])
