"""The weights of the default ranking, learnt by `python -m bench.ranking` and shipped as numbers.

What a factor is worth depends on what is asked, and of what: so each embedder has a table of situations, each from 0
to 1, and of what every factor gains or loses in them. The weight of a factor is their sum over the situations.
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files

from remembrancer.retrieval.factor import Factor

OTHER = "other"
NONE = "none"


class Situation(StrEnum):
    """What a question and what it finds are like."""

    ALWAYS = "always"
    SELF = "self"
    YOU = "you"
    REQUEST = "request"
    PEOPLE = "people"
    SESSIONS = "sessions"


Situations = Mapping[Situation, float]
Weights = Mapping[Situation, Mapping[Factor, float]]


def weights_for(embedder: str | None) -> Weights:
    """The weights for what an embedder finds; those of other embedders where it has none of its own.

    Args:
        embedder: the name of its space; `None` for words alone.
    """
    known = _shipped()
    return known[NONE] if embedder is None else known.get(embedder, known[OTHER])


def sums(weights: Weights, situations: Situations) -> dict[Factor, float]:
    """What each factor weighs where the situations are so far given; they may be below 0."""
    found: dict[Factor, float] = {}
    for situation, share in situations.items():
        for factor, weight in weights.get(situation, {}).items():
            found[factor] = found.get(factor, 0.0) + share * weight
    return found


@cache
def _shipped() -> Mapping[str, Weights]:
    told = json.loads(files("remembrancer.retrieval").joinpath("weights.json").read_text(encoding="utf-8"))
    return {
        embedder: {
            Situation(situation): {Factor(factor): float(weight) for factor, weight in factors.items()}
            for situation, factors in table.items()
        }
        for embedder, table in told["weights"].items()
    }
