"""How likely it is that the best candidates hold an answer; below a bound, recall abstains."""

import math

import numpy as np

from remembrancer.ports.embedder import Space
from remembrancer.retrieval.candidates import Candidates

ABSTAIN_BELOW = 0.5
# A logistic curve over three numbers, fitted as docs/retrieval.md says.
BIAS = -2.2
COVERAGE_WEIGHT = 5.0
NEARNESS_WEIGHT = 1.0
AGREEMENT_WEIGHT = 1.0


def confidence(candidates: Candidates, space: Space | None) -> float:
    """The chance, in [0, 1], that a candidate answers the question."""
    if not candidates.headers:
        return 0.0
    total = BIAS + COVERAGE_WEIGHT * float(candidates.coverage.max(initial=0.0))
    if space is not None and not np.all(np.isnan(candidates.cosine)):
        best = (float(np.nanmax(candidates.cosine)) - space.random_cosine) / space.random_spread
        total += NEARNESS_WEIGHT * (best - 4) / 4
    return 1 / (1 + math.exp(-total))
