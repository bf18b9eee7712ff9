"""How likely it is that the candidates hold an answer; below a bound, recall abstains.

One logistic curve for each embedder, one for others and one for words alone, learnt by `python -m bench.abstaining`
on questions with an answer and on such about other things: see docs/retrieval.md for how well they part them.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

from remembrancer.model.space import Space
from remembrancer.retrieval.candidates import Candidates
from remembrancer.retrieval.learnt import NONE, OTHER

ABSTAIN_BELOW = 0.5
# So many times likelier nothing is meant where nothing is asked.
UNASKED = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The logarithm of the odds of an answer: what it is for nothing, and what each feature adds."""

    bias: float
    coverage: float
    nearness: float

    def at(self, coverage: float, nearness: float) -> float:
        """The chance of an answer, in [0, 1].

        Args:
            coverage: the largest share of the question's words in one candidate.
            nearness: of the nearest, in spreads of unrelated texts; 0 for no vectors.
        """
        value = self.bias + self.coverage * coverage + self.nearness * nearness
        return 1 / (1 + math.exp(-max(-700.0, min(value, 700.0))))


def confidence(candidates: Candidates, space: Space | None, *, reacts: bool = False) -> float:
    """The chance, in [0, 1], that a candidate answers the question.

    Args:
        reacts: whether it begins or reacts as small talk does, and asks for nothing.
    """
    if not len(candidates.headers):
        return 0.0
    compared = _compared(candidates, space)
    chance = _curve(NONE if compared is None else compared.name).at(*features(candidates, compared))
    return chance / (chance + (1 - chance) * UNASKED) if reacts else chance


def features(candidates: Candidates, space: Space | None) -> tuple[float, float]:
    """What the curves look at: coverage and nearness of the best; see `Curve.at`."""
    coverage, compared = float(candidates.coverage.max(initial=0.0)), _compared(candidates, space)
    if compared is None:
        return coverage, 0.0
    return coverage, (float(np.nanmax(candidates.cosine)) - compared.random_cosine) / compared.random_spread


def _compared(candidates: Candidates, space: Space | None) -> Space | None:
    """The space in which any candidate was compared; `None` where words alone speak."""
    return None if np.all(np.isnan(candidates.cosine)) else space


def _curve(embedder: str) -> Curve:
    return _SHIPPED.get(embedder, _SHIPPED[OTHER])


def _told() -> Mapping[str, Curve]:
    told = json.loads(files("remembrancer.retrieval").joinpath("confidence.json").read_text(encoding="utf-8"))
    return {embedder: Curve(**numbers) for embedder, numbers in told["curves"].items()}


# Read with the module: a recall waits for no file.
_SHIPPED = _told()
