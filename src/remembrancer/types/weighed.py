"""What a memory weighs from the start, where that is not 1."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """The feedback weight of a memory of the exact scope, in [0, 1], before any outcome has moved it."""

    record: str
    weight: float
