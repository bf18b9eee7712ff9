"""The pieces of wordings, as both stores tell of them."""

import math
from collections.abc import Mapping

import numpy as np

from remembrancer.storage.ports.vectors import Cosines
from remembrancer.storage.ports.wordings import Documents

_UNKNOWN = (math.nan, math.nan)


def cosines_of(found: Mapping[int, tuple[float, float]], documents: Documents) -> Cosines:
    """The best cosine and the mean of each wording, in order."""
    values = np.array([found.get(document, _UNKNOWN) for document in documents.tolist()], dtype=np.float32)
    best, mean = values.reshape(-1, 2).T
    return Cosines(best=best, mean=mean)
