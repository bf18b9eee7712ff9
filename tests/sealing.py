"""Memories in a sealed block: that of the hits of a recall, and that of a context in one of its short modes."""

from collections.abc import Sequence

from remembrancer import Context, Memory, SyncMemory
from remembrancer.context.builder import RenderedBlock
from remembrancer.search.query import RecallResult


def sealed(memory: Memory | SyncMemory, recalled: RecallResult, *, max_tokens: int | None = None) -> RenderedBlock:
    """Return the hits as a block for a prompt, in the order of time; recorded with the prompt, it is not learnt."""
    opened = memory._open() if isinstance(memory, SyncMemory) else memory  # pyright: ignore[reportPrivateUsage]
    return opened._engine.context_builder.render_block(recalled, {}, max_tokens=max_tokens)  # pyright: ignore[reportPrivateUsage]


def ids_in(found: Context | RenderedBlock) -> Sequence[str]:
    """Return the ids of the memories in a block."""
    return found.ids if isinstance(found, RenderedBlock) else found.ids()


def left_out_of(found: Context | RenderedBlock) -> Sequence[str]:
    """Return the ids of the memories for which a block has no room."""
    return found.left_out if isinstance(found, RenderedBlock) else found.report.dropped.get("recalled", ())
