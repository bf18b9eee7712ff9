"""How sure an observation of the detector is, from counting alone; and one level more for each person who agrees."""

from enum import StrEnum

VERY_HIGH_OCCURRENCES = 8
HIGH_OCCURRENCES = 5
MEDIUM_OCCURRENCES = 4
VERY_HIGH_CONSISTENCY = 0.9
HIGH_CONSISTENCY = 0.8
MEDIUM_CONSISTENCY = 0.7


class Confidence(StrEnum):
    """How sure the detector is of an observation, from the least sure to the surest."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    VERY_HIGH = "very-high"

    @property
    def rank(self) -> int:
        """The rank of a confidence: 0 for low to 3 for very high."""
        return list(Confidence).index(self)


def confidence(occurrences: int, consistency: float, *, boosts: int = 0, contradicted: bool = False) -> Confidence:
    """The confidence of what occurred so often and so consistently.

    Args:
        occurrences: distinct episodes in which it held, 3 or more.
        consistency: the share of those in which it might have held, in [0, 1].
        boosts: how many people have said that it is right; each lifts one level, up to high.
        contradicted: whether a person has said that it is wrong: then counting alone does not reach very high.
    """
    counted = _counted(occurrences, consistency, contradicted=contradicted)
    if counted.rank >= Confidence.HIGH.rank:
        return counted
    return list(Confidence)[min(counted.rank + boosts, Confidence.HIGH.rank)]


def _counted(occurrences: int, consistency: float, *, contradicted: bool) -> Confidence:
    if occurrences >= VERY_HIGH_OCCURRENCES and consistency > VERY_HIGH_CONSISTENCY and not contradicted:
        return Confidence.VERY_HIGH
    if occurrences >= HIGH_OCCURRENCES and consistency >= HIGH_CONSISTENCY:
        return Confidence.HIGH
    if occurrences >= MEDIUM_OCCURRENCES and consistency >= MEDIUM_CONSISTENCY:
        return Confidence.MEDIUM
    return Confidence.LOW
