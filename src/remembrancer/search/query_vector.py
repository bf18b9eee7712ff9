"""The vector of a question, with the hits of an external index."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from remembrancer.search.background import Background
from remembrancer.storage.documents import DocumentNumbers
from remembrancer.types.index import Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryVector:
    """The input of the semantic retriever.

    Args:
        vector: the question's unit vector in the space of `generation`; `None` leaves the retriever out.
        outside: the result of an external vector index; `None` leaves the search to the store.
        background: measures the cosine of unrelated questions in the scope.
        notes: deviations from the usual, such as an embedder that did not answer.
    """

    vector: NDArray[np.float32] | None = None
    generation: Generation | None = None
    outside: DocumentNumbers | None = None
    background: Background | None = None
    notes: tuple[str, ...] = ()
