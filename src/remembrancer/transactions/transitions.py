"""Status changes of many memories: archive, expire, retire, and show in the log."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import all_of
from remembrancer.transactions.write_transaction import Writing
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.record import Record
from remembrancer.types.results import Change


async def archive(writing: Writing, ids: Sequence[str]) -> int:
    """Archive memories of the exact scope that this transaction has found to be active; how many."""
    found = await all_of(writing.tx, ids)
    await writing.set_aside(found, Status.ARCHIVED)
    return len(found)


def has_ended(tx: Tx, at: datetime) -> bool:
    """Return True if an active memory that the scope of a transaction sees was valid until then or earlier."""
    ends = tx.records.next_end
    return ends is not None and ends <= at


async def archive_ended(writing: Writing) -> None:
    """Archive the memories of the exact scope that are valid no more: since their end, whenever this is done."""
    if has_ended(writing.tx, writing.now):
        behind = writing.as_engine()
        for ends, records in groupby(await behind.tx.records.ended(writing.now), attrgetter("valid_until")):
            await behind.set_aside(list(records), Status.ARCHIVED, at=ends)


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
