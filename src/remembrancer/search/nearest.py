"""The nearest wordings: what an outside index found, as far as the store confirms it, or the store's own search."""

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import Documents, Nearest
from remembrancer.storage.tx import Tx

# Some of what an outside index finds is gone, or left out by a filter.
ASKED_OUTSIDE = 2
LAGS = "the vector index lags behind the store, which searched itself: run reindex"


async def nearest(
    tx: Tx,
    vector: NDArray[np.float32],
    *,
    generation: int,
    limit: int,
    among: Documents | None,
    outside: Documents | None,
) -> tuple[Nearest, tuple[str, ...]]:
    """The wordings nearest to a unit vector, and what is to be said of where they are from.

    Args:
        among: only these, where given.
        outside: what an outside index found when asked for `ASKED_OUTSIDE` times as many; `None` where there is none.
            Only what the transaction sees with vectors of its own is taken, and with the store's cosines.
    """
    if outside is None:
        return await tx.vectors.nearest(vector, generation=generation, limit=limit, among=among), ()
    confirmed = await _confirmed(tx, vector, outside, generation=generation, among=among)
    if len(confirmed.documents) >= limit:
        return Nearest(documents=confirmed.documents[:limit], cosines=confirmed.cosines[:limit]), ()
    own = await tx.vectors.nearest(vector, generation=generation, limit=limit, among=among)
    everything = len(outside) < ASKED_OUTSIDE * limit
    lags = not np.isin(own.documents, outside).all() if everything else among is None
    return own, (LAGS,) if lags else ()


async def _confirmed(
    tx: Tx, vector: NDArray[np.float32], outside: Documents, *, generation: int, among: Documents | None
) -> Nearest:
    """Those that the transaction sees and that still stand, with their cosines, in the order of the store's search."""
    wanted = outside if among is None else outside[np.isin(outside, among)]
    cosines = (await tx.vectors.cosines(vector, wanted, generation=generation)).best
    stand = ~np.isnan(cosines)
    documents, known = wanted[stand], cosines[stand]
    order = np.lexsort((documents, -known))
    return Nearest(documents=documents[order], cosines=known[order])
