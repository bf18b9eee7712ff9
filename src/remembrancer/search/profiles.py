"""Ranking profiles as data: the factors of a score, and their weights.

Every factor is in [0, 1]. A score is the weighted mean of some factors; then each boost moves it by a bounded share,
and each product multiplies it. It is divided by its maximum, so that it is in [0, 1].
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import InvalidInput, quoted
from remembrancer.language.intent import Intent
from remembrancer.search.factor import Factor
from remembrancer.search.fusion import factor_weights

Factors = Mapping[Factor, NDArray[np.float32]]
_NONE = np.zeros(1, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A formula over factors.

    Args:
        sums: weights of the factors that are added up, 0 or more.
        boosts: the share by which a factor moves the sum: a factor of 1 raises it by the share, 0 lowers it as much.
        products: factors that multiply the sum.
        fused: whether `fusion` computes the sums for each query; otherwise they are fixed.
        scale: multiplies the score, so that it is comparable across queries; in [0, 1].
    """

    name: str
    sums: Mapping[Factor, float]
    boosts: Mapping[Factor, float] = field(default_factory=dict[Factor, float])
    products: tuple[Factor, ...] = ()
    fused: bool = False
    scale: float = 1.0

    @property
    def factors(self) -> frozenset[Factor]:
        """The factors that it weighs."""
        return frozenset((*self.sums, *self.boosts, *self.products))

    def without(self, factor: Factor) -> "Profile":
        """Return the formula without a factor in its boosts and products."""
        boosts = {one: share for one, share in self.boosts.items() if one is not factor}
        return replace(self, boosts=boosts, products=tuple(one for one in self.products if one is not factor))

    @property
    def shares(self) -> dict[Factor, float]:
        """The share of each sum in their total."""
        total = sum(self.sums.values()) or 1.0
        return {factor: weight / total for factor, weight in self.sums.items()}

    def score(self, factors: Factors) -> NDArray[np.float32]:
        """Return the score of each memory, in [0, 1].

        A missing factor counts as 0.
        """
        score = _weighted_sum(self.shares, factors) * self.scale
        for factor, share in self.boosts.items():
            score = score * (1 + share * (2 * factors.get(factor, _NONE) - 1))
        for factor in self.products:
            score = score * factors.get(factor, _NONE)
        return np.clip(score / np.prod([1 + share for share in self.boosts.values()]), 0, 1).astype(np.float32)


def _weighted_sum(weights: Mapping[Factor, float], factors: Factors) -> NDArray[np.float32]:
    """Return the weighted sum of the factors for each memory."""
    start = np.zeros(len(next(iter(factors.values()))), dtype=np.float32)
    return sum((weight * factors.get(factor, _NONE) for factor, weight in weights.items()), start)


DEFAULT = Profile(
    name="default",
    sums=factor_weights(Intent.QUESTION, 0.5, of_self=True, meaning=True),
    boosts={Factor.IMPORTANCE: 0.20, Factor.FEEDBACK: 0.20},
    fused=True,
)
BEHAVIOURAL = Profile(
    name="behavioural",
    sums={Factor.SEMANTIC: 0.7, Factor.LEXICAL: 0.3},
    products=(Factor.FRESHNESS, Factor.TIER),
)
SEARCH = Profile(name="search", sums={Factor.LEXICAL: 0.60, Factor.UPDATED: 0.25, Factor.REVISION: 0.15})
SESSION = Profile(name="session", sums={Factor.UPDATED: 0.50, Factor.REVISION: 0.30, Factor.TYPE: 0.20})
# The two main retrievers alone, for comparison.
LEXICAL = Profile(name="lexical", sums={Factor.LEXICAL: 1.0})
SEMANTIC = Profile(name="semantic", sums={Factor.SEMANTIC: 1.0})

PROFILES: Mapping[str, Profile] = {
    profile.name: profile for profile in (DEFAULT, BEHAVIOURAL, SEARCH, SESSION, LEXICAL, SEMANTIC)
}


def profile_named(name: str) -> Profile:
    """Return the profile of a name.

    Raises:
        InvalidInput: the name is unknown; the message lists the profiles.
    """
    if name not in PROFILES:
        raise InvalidInput(f"no ranking profile {quoted(name)}; allowed are {', '.join(PROFILES)}")
    return PROFILES[name]
