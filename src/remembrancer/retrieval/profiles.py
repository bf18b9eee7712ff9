"""Ranking profiles as data: which named factors make a score, and how much each may do.

Every factor lies in [0, 1]. A score is the weighted sum of some, each boost then moving it by a bounded share up or
down, each product multiplying it; it is divided by the most it could be, so that it lies in [0, 1].
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput, quoted


class Factor(StrEnum):
    """What may speak for a memory."""

    SEMANTIC = "semantic"
    LEXICAL = "lexical"
    NEIGHBOURS = "neighbours"
    SESSION = "session"
    SPEAKER = "speaker"
    DATE = "date"
    RECENCY = "recency"
    UPDATED = "updated"
    IMPORTANCE = "importance"
    REVISION = "revision"
    TYPE = "type"
    FRESHNESS = "freshness"
    TIER = "tier"
    FEEDBACK = "feedback"


Factors = Mapping[Factor, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A formula over factors.

    Args:
        sums: weights of the factors that are added up; the sum decides.
        boosts: by what share at most a factor moves the sum: 1 lifts it by the share, 0 lowers it by as much.
        products: factors that multiply the sum.
    """

    name: str
    sums: Mapping[Factor, float]
    boosts: Mapping[Factor, float] = field(default_factory=dict[Factor, float])
    products: tuple[Factor, ...] = ()

    @property
    def factors(self) -> frozenset[Factor]:
        """The factors that it weighs."""
        return frozenset((*self.sums, *self.boosts, *self.products))

    def without(self, factor: Factor) -> "Profile":
        """The same formula with a factor left out of its boosts and products."""
        boosts = {one: share for one, share in self.boosts.items() if one is not factor}
        return replace(self, boosts=boosts, products=tuple(one for one in self.products if one is not factor))

    def score(self, factors: Factors) -> NDArray[np.float32]:
        """The score of each memory, in [0, 1]; a factor that is not there counts as 0."""
        size = len(next(iter(factors.values())))
        zero = np.zeros(size, dtype=np.float32)
        score = sum((weight * factors.get(factor, zero) for factor, weight in self.sums.items()), zero)
        for factor, share in self.boosts.items():
            score = score * (1 + share * (2 * factors.get(factor, zero) - 1))
        for factor in self.products:
            score = score * factors.get(factor, zero)
        most = sum(self.sums.values()) * np.prod([1 + share for share in self.boosts.values()])
        return np.clip(score / most, 0, 1).astype(np.float32)


# How each number was chosen: docs/retrieval.md.
DEFAULT = Profile(
    name="default",
    sums={
        Factor.SEMANTIC: 0.71,
        Factor.LEXICAL: 0.29,
        Factor.NEIGHBOURS: 0.40,
        Factor.SESSION: 0.70,
        Factor.SPEAKER: 0.07,
        Factor.DATE: 0.10,
    },
    boosts={Factor.RECENCY: 0.05, Factor.IMPORTANCE: 0.20, Factor.FEEDBACK: 0.20},
)
BEHAVIOURAL = Profile(
    name="behavioural",
    sums={Factor.SEMANTIC: 0.7, Factor.LEXICAL: 0.3},
    products=(Factor.FRESHNESS, Factor.TIER),
)
SEARCH = Profile(name="search", sums={Factor.LEXICAL: 0.60, Factor.UPDATED: 0.25, Factor.REVISION: 0.15})
SESSION = Profile(name="session", sums={Factor.UPDATED: 0.50, Factor.REVISION: 0.30, Factor.TYPE: 0.20})
# The two main arms bare, to compare with.
LEXICAL = Profile(name="lexical", sums={Factor.LEXICAL: 1.0})
SEMANTIC = Profile(name="semantic", sums={Factor.SEMANTIC: 1.0})

PROFILES: Mapping[str, Profile] = {
    profile.name: profile for profile in (DEFAULT, BEHAVIOURAL, SEARCH, SESSION, LEXICAL, SEMANTIC)
}


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        InvalidInput: there is none; the message lists them.
    """
    if name not in PROFILES:
        raise InvalidInput(f"no ranking profile {quoted(name)}; there are {', '.join(PROFILES)}")
    return PROFILES[name]
