"""Hits of a recall as a sealed block."""

from remembrancer import Memory, Recalled
from remembrancer.context.builder import RenderedBlock


def sealed(memory: Memory, recalled: Recalled, *, max_tokens: int | None = None) -> RenderedBlock:
    """Return the hits as a block for a prompt, in the order of time; recorded with the prompt, it is not learnt."""
    return memory._engine.remembering.told(recalled, {}, max_tokens=max_tokens)  # pyright: ignore[reportPrivateUsage]
