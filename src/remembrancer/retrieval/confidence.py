"""How likely it is that the candidates hold an answer; below a bound, recall abstains.

Two logistic curves, one for a store with vectors and one for words alone, fitted on real and on nonsense questions:
see docs/retrieval.md for how, and for how well they part them.
"""

import math

import numpy as np

from remembrancer.model.space import Space
from remembrancer.retrieval.candidates import Candidates

ABSTAIN_BELOW = 0.5
BIAS, COVERAGE, NEARNESS = -5.30, 7.75, 2.69
BIAS_OF_WORDS, COVERAGE_OF_WORDS = -4.10, 13.0


def confidence(candidates: Candidates, space: Space | None) -> float:
    """The chance, in [0, 1], that a candidate answers the question."""
    if not len(candidates.headers):
        return 0.0
    coverage = float(candidates.coverage.max(initial=0.0))
    if space is None or np.all(np.isnan(candidates.cosine)):
        return _logistic(BIAS_OF_WORDS + COVERAGE_OF_WORDS * coverage)
    spreads = (float(np.nanmax(candidates.cosine)) - space.random_cosine) / space.random_spread
    return _logistic(BIAS + COVERAGE * coverage + NEARNESS * spreads)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-700.0, min(value, 700.0))))
