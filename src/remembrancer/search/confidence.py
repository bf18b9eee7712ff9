"""How likely it is that the candidates hold an answer; below a bound, recall abstains.

One logistic curve for each embedder and kind of query, learnt by `python -m bench.abstaining` on questions with an
answer and on questions without one. `docs/how-it-works/retrieval.md` has the measurements.
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
from remembrancer.search.foreign import Language
from remembrancer.types.index import Space

ABSTAIN_BELOW = 0.5
# So many times likelier nothing is meant where nothing is asked.
UNASKED = 50.0
# Of the weight of what is asked, the stop words apart.
HOLDS_ALL = 0.8
# Of so few memories the background says little.
FEW = 20
# So many spreads above unrelated texts questions about other things come, where nobody has looked.
_USUALLY = 3.0
# The names under which the curves of other embedders and of words alone are kept.
OTHER: Final = "other"
NONE: Final = "none"


class Asked(StrEnum):
    """The kinds of query that have a curve of their own."""

    QUESTION = "question"
    REQUEST = "request"
    REMARK = "remark"
    OTHER_LANGUAGE = "other_language"
    OTHER_SCRIPT = "other_script"


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What the curves look at.

    Args:
        coverage: the largest share of the question's words in one candidate, by their IDF.
        anywhere: the share of them that stands in any memory.
        nearness: of the nearest, beyond the background, in spreads of unrelated texts; 0 for no vectors.
    """

    coverage: float
    anywhere: float
    nearness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The logarithm of the odds of an answer: what it is for nothing, and what each feature adds."""

    bias: float
    coverage: float
    anywhere: float
    nearness: float

    def at(self, seen: "Features") -> float:
        """Return the chance of an answer, in [0, 1]."""
        value = (
            self.bias + self.coverage * seen.coverage + self.anywhere * seen.anywhere + self.nearness * seen.nearness
        )
        return 1 / (1 + math.exp(-max(-700.0, min(value, 700.0))))


Curves = Mapping[Asked, Curve]


def confidence(candidates: Candidates, space: Space | None, *, reacts: bool = False) -> float:
    """Return the chance, in [0, 1], that a candidate answers the query.

    Args:
        reacts: whether it begins or reacts as small talk does, and asks for nothing.
    """
    if not len(candidates.headers):
        return 0.0
    compared, kind = _compared(candidates, space), asked(candidates)
    chance = _curves(NONE if compared is None else compared.name)[kind].at(features(candidates, compared))
    # What has no vector yet is judged by its words: a memory is found as soon as it was saved. So is what holds all
    # that is asked, whatever a vector makes of it.
    by_words = candidates.coverage[np.isnan(candidates.cosine) | (candidates.coverage >= HOLDS_ALL)]
    if compared is not None and len(by_words):
        seen = Features(coverage=float(by_words.max()), anywhere=candidates.anywhere, nearness=0.0)
        chance = max(chance, _curves(NONE)[kind].at(seen))
    return unasked(chance) if reacts else chance


def unasked(chance: float) -> float:
    """Return the chance of an answer that is left where nothing is asked: the odds over `UNASKED`."""
    return chance / (chance + (1 - chance) * UNASKED)


def asked(candidates: Candidates) -> Asked:
    """Return which curve a query is judged by."""
    if candidates.intent is not Intent.QUESTION:
        return Asked(candidates.intent.value)
    match candidates.language:
        case Language.OTHER:
            return Asked.OTHER_LANGUAGE
        case Language.OTHER_SCRIPT:
            return Asked.OTHER_SCRIPT
        case Language.SAME:
            return Asked.QUESTION


def features(candidates: Candidates, space: Space | None) -> Features:
    """Return what the curves look at."""
    coverage, compared = float(candidates.coverage.max(initial=0.0)), _compared(candidates, space)
    nearness = 0.0
    if compared is not None:
        unknown = math.isnan(candidates.background)
        usual = compared.random_cosine + _USUALLY * compared.random_spread
        background = usual if unknown else candidates.background
        if candidates.intent is Intent.QUESTION and len(candidates.headers) <= FEW:
            # Nothing comes near by chance among so few. A request and a remark need no likeness, and would be lost.
            background = max(background, compared.random_cosine)
        nearness = (float(np.nanmax(candidates.cosine)) - background) / compared.random_spread
    return Features(coverage=coverage, anywhere=candidates.anywhere, nearness=nearness)


def _compared(candidates: Candidates, space: Space | None) -> Space | None:
    """The space in which any candidate was compared; `None` where words alone speak."""
    return None if np.all(np.isnan(candidates.cosine)) else space


def _curves(embedder: str) -> Curves:
    return _SHIPPED.get(embedder, _SHIPPED[OTHER])


def _read() -> Mapping[str, Curves]:
    text = files("remembrancer.search").joinpath("confidence.json").read_text(encoding="utf-8")
    return {
        embedder: {Asked(kind): Curve(**numbers) for kind, numbers in curves.items()}
        for embedder, curves in json.loads(text)["curves"].items()
    }


# Read with the module: a recall waits for no file.
_SHIPPED = _read()
