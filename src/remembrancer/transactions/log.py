"""The log that an agent reads: what was noted takes its place in it, and what something else covers leaves it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from remembrancer.transactions.write import Writing
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.record import Record
from remembrancer.types.results import Change

_UNSHOWN = (Status.BUFFERED, Status.ACTIVE)


async def show(writing: Writing, chunks: Sequence[Chunk], *, by_scope: bool) -> None:
    """Show what was noted of chunks in place of their messages: their notes take the next places of the log.

    Args:
        by_scope: whether all sessions of the exact scope have one log.
    """
    for chunk in chunks:
        await _show(writing, chunk, by_scope=by_scope)


async def retire(writing: Writing, records: Iterable[Record]) -> None:
    """Take observations out of the log and out of recall: something else covers them. They are kept."""
    await writing.set_aside(list(records), Status.RETIRED)


async def _show(writing: Writing, chunk: Chunk, *, by_scope: bool) -> None:
    tx = writing.tx
    log = await tx.logs.find("" if by_scope else chunk.session)
    places, tokens = log.places, 0
    for record in await tx.observations.noted(chunk.session, chunk.first, chunk.last):
        # One that a person has saved too is active already.
        if record.status not in _UNSHOWN or record.place is not None:
            continue
        places += 1
        tokens += record.tokens
        await writing.change(record, Change(status=Status.ACTIVE, place=places), action="shown")
    places += 1
    shown = replace(chunk, state=ChunkState.ACTIVE, noted=tokens, place=places, activated_at=writing.now)
    await writing.note(shown, action="activated", kind="chunk")
    await writing.note(replace(log, places=places, tokens=log.tokens + tokens, fresh=log.fresh + tokens))
