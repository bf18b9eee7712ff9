"""The confidence of a recall; below a threshold, recall abstains.

There is one logistic curve per embedder and kind of query, fitted by `python -m bench.abstaining` on questions with and
without an answer. `docs/how-it-works/retrieval.md` has the measurements.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Final

import numpy as np

from remembrancer.language.intent import Intent
from remembrancer.search.candidates import Candidates
from remembrancer.search.query_language import LanguageMatch
from remembrancer.types.index import Space

ABSTAIN_BELOW = 0.5
# Small talk divides the odds of an answer by this.
SMALL_TALK_ODDS = 50.0
# A memory with this coverage of the question, without stop words, is judged by its words.
FULL_COVERAGE = 0.8
# Up to this number of memories the background means little.
SMALL_SCOPE = 20
# The background that is assumed if it was not measured, in spreads above unrelated texts.
_USUAL_SPREADS = 3.0
# The names of the curves of other embedders, and of words alone.
OTHER_EMBEDDERS: Final = "other"
NO_EMBEDDER: Final = "none"


class QueryKind(StrEnum):
    """The kinds of query that have a curve of their own."""

    QUESTION = "question"
    REQUEST = "request"
    REMARK = "remark"
    OTHER_LANGUAGE = "other_language"
    OTHER_SCRIPT = "other_script"


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """The input of a curve.

    Args:
        coverage: the largest IDF-weighted share of the question's words in one candidate.
        anywhere: the IDF-weighted share of the question's words in any memory.
        nearness: the best cosine above the background, in spreads of unrelated texts; 0 without vectors.
    """

    coverage: float
    anywhere: float
    nearness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The log odds of an answer: a bias, and a weight per feature."""

    bias: float
    coverage: float
    anywhere: float
    nearness: float

    def at(self, features: "Features") -> float:
        """Return the probability of an answer, in [0, 1]."""
        value = (
            self.bias
            + self.coverage * features.coverage
            + self.anywhere * features.anywhere
            + self.nearness * features.nearness
        )
        return 1 / (1 + math.exp(-max(-700.0, min(value, 700.0))))


Curves = Mapping[QueryKind, Curve]


def confidence(candidates: Candidates, space: Space | None, *, reacts: bool = False) -> float:
    """Return the probability, in [0, 1], that a candidate answers the query.

    Args:
        reacts: whether the query is partly small talk, which asks nothing.
    """
    if not len(candidates.headers):
        return 0.0
    space_used, kind = _space_of_vectors(candidates, space), query_kind(candidates)
    probability = _curves(NO_EMBEDDER if space_used is None else space_used.name)[kind].at(
        features(candidates, space_used)
    )
    # Words decide for memories without a vector, so that they are found at once, and for those with full coverage.
    word_coverages = candidates.coverage[np.isnan(candidates.cosine) | (candidates.coverage >= FULL_COVERAGE)]
    if space_used is not None and len(word_coverages):
        word_features = Features(coverage=float(word_coverages.max()), anywhere=candidates.anywhere, nearness=0.0)
        probability = max(probability, _curves(NO_EMBEDDER)[kind].at(word_features))
    return discount_small_talk(probability) if reacts else probability


def discount_small_talk(probability: float) -> float:
    """Return the probability of an answer to small talk: the odds divided."""
    return probability / (probability + (1 - probability) * SMALL_TALK_ODDS)


def query_kind(candidates: Candidates) -> QueryKind:
    """Return the kind of a query, which selects its curve."""
    if candidates.intent is not Intent.QUESTION:
        return QueryKind(candidates.intent.value)
    match candidates.language:
        case LanguageMatch.OTHER:
            return QueryKind.OTHER_LANGUAGE
        case LanguageMatch.OTHER_SCRIPT:
            return QueryKind.OTHER_SCRIPT
        case LanguageMatch.SAME:
            return QueryKind.QUESTION


def features(candidates: Candidates, space: Space | None) -> Features:
    """Return the features of the candidates."""
    coverage, space_used = float(candidates.coverage.max(initial=0.0)), _space_of_vectors(candidates, space)
    nearness = 0.0
    if space_used is not None:
        unknown = math.isnan(candidates.background)
        assumed = space_used.random_cosine + _USUAL_SPREADS * space_used.random_spread
        background = assumed if unknown else candidates.background
        if candidates.intent is Intent.QUESTION and len(candidates.headers) <= SMALL_SCOPE:
            # Few memories are rarely close by chance, so require the distance of unrelated texts at least. Requests
            # and remarks need no likeness, so they are exempt.
            background = max(background, space_used.random_cosine)
        nearness = (float(np.nanmax(candidates.cosine)) - background) / space_used.random_spread
    return Features(coverage=coverage, anywhere=candidates.anywhere, nearness=nearness)


def _space_of_vectors(candidates: Candidates, space: Space | None) -> Space | None:
    """Return the space if any candidate has a vector; `None` for words alone."""
    return None if np.all(np.isnan(candidates.cosine)) else space


def _curves(embedder: str) -> Curves:
    return _SHIPPED.get(embedder, _SHIPPED[OTHER_EMBEDDERS])


def _load_curves() -> Mapping[str, Curves]:
    text = files("remembrancer.search").joinpath("confidence.json").read_text(encoding="utf-8")
    return {
        embedder: {QueryKind(kind): Curve(**numbers) for kind, numbers in curves.items()}
        for embedder, curves in json.loads(text)["curves"].items()
    }


# Read on import, so that no recall waits for a file.
_SHIPPED = _load_curves()
