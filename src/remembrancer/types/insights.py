"""What a reflector makes of a log of observations, before anything of it is stored."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight:
    """One claim over several observations.

    Args:
        text: whole sentences, dates absolute.
        type: one of the deployment's observation types.
        priority: 1 to 5; 5 is what must not be forgotten.
        sources: ids of the observations that it rests on, in the order of the log; one at least.
        replaces: those of its sources that no longer hold.
        refers_to: the day, month or year that it speaks of, as ISO text, or `""`.
    """

    text: str
    type: str
    priority: int
    sources: tuple[str, ...]
    replaces: tuple[str, ...] = ()
    refers_to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected:
    """A log, consolidated. What is no longer in it was taken up by an insight, or dropped.

    Args:
        kept: ids of the observations that stay in the log as they stand, in its order.
        dropped: ids of those that leave it with nothing in their place, in its order.
    """

    insights: tuple[Insight, ...]
    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()
