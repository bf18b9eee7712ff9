"""When to try again."""

_GROWTH = 3.0
_FIRST_SECONDS = 0.5
_LONGEST_SECONDS = 30.0


def backoff(
    attempt: int,
    *,
    wait: float = 0.0,
    chance: float = 0.5,
    first: float = _FIRST_SECONDS,
    longest: float = _LONGEST_SECONDS,
) -> float:
    """Seconds that a worker waits after a failed attempt: longer each time, and not the same for all who wait.

    Args:
        attempt: how many have failed, 1 or more.
        wait: seconds that the other side asked for; `longest` is waited at most.
        chance: in [0, 1), which spreads those who failed together over half of the time.
        first: seconds after the first failure, before chance takes its part.
        longest: seconds, however many have failed.
    """
    grown = min(first * _GROWTH ** min(attempt - 1, 10), longest)
    return min(max(grown * (0.5 + chance / 2), wait), longest)
