"""A reflector asked at rising levels of compression, until an answer is sound and short enough."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from remembrancer.errors import BadModelOutput
from remembrancer.learn.reflect.check import check, size, size_of
from remembrancer.types.notes import ConsolidatedLog
from remembrancer.types.record import Observation

# How much of a log's detail each level leaves, in tokens.
DETAIL: Final = (0.8, 0.6, 0.4, 0.2, 0.1)
TRIES: Final = 4
# An answer that is too long by no more than this is short enough: the next level would cost half of the memory.
SLACK: Final = 0.1


class Think(Protocol):
    """A reflector."""

    async def __call__(self, observations: Sequence[Observation], level: int, /) -> ConsolidatedLog:
        """What is left of a log, at a level of `DETAIL`.

        Raises:
            BadModelOutput: its answer is of no use; it may be asked again.
        """
        ...


async def consolidate(
    observations: Sequence[Observation],
    *,
    think: Think,
    count: Callable[[str], int],
    types: Mapping[str, float],
    enough: int,
) -> ConsolidatedLog | None:
    """The log made shorter, or `None` where nothing sound came of it, so that nothing is to change.

    The mildest level that promises enough is tried first, and the next after an answer that is unsound or too long.
    Of several sound answers that are too long the shortest is taken. Whatever else `think` raises ends it at once.

    Args:
        observations: the log, in its order.
        enough: the tokens that are aimed at; what has a tenth more is short enough as well.
    """
    best: tuple[int, ConsolidatedLog] | None = None
    for level in levels(size(observations, count), enough):
        try:
            sound = check(await think(observations, level), observations, count=count, types=types)
        except BadModelOutput:
            continue
        left = size_of(sound, observations, count)
        if best is None or left < best[0]:
            best = (left, sound)
        if left <= enough * (1 + SLACK):
            break
    return best[1] if best else None


def levels(tokens: int, enough: int) -> tuple[int, ...]:
    """The levels to try in turn for a log of so many tokens; the hardest is tried again where none is harder."""
    hardest = len(DETAIL) - 1
    first = next((level for level, share in enumerate(DETAIL) if share * tokens <= enough), hardest)
    return tuple(min(first + further, hardest) for further in range(TRIES))
