"""Status changes: archive, expire, retire, and show in the log."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import find_records
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.record import Record
from remembrancer.types.results import Change

_BEFORE_LOG = (Status.BUFFERED, Status.ACTIVE)


async def archive_records(writer: WriteTransaction, ids: Sequence[str]) -> int:
    """Archive memories that this transaction has read as active.

    Return their number.
    """
    records = await find_records(writer.tx, ids)
    await writer.set_aside(records, Status.ARCHIVED)
    return len(records)


def has_expired(tx: Tx, now: datetime) -> bool:
    """Return True if a visible active memory is no longer valid."""
    next_end = tx.records.next_end
    return next_end is not None and next_end <= now


async def archive_expired(writer: WriteTransaction) -> None:
    """Archive memories of the exact scope that are no longer valid.

    They are archived as of the end of their validity.
    """
    if has_expired(writer.tx, writer.now):
        engine = writer.as_engine()
        for end, records in groupby(await engine.tx.records.ended(writer.now), attrgetter("valid_until")):
            await engine.set_aside(list(records), Status.ARCHIVED, at=end)


async def show_chunks(writer: WriteTransaction, chunks: Sequence[Chunk], *, by_scope: bool) -> None:
    """Append notes to the log of an agent, in place of their messages.

    Args:
        by_scope: all sessions of the exact scope share one log.
    """
    for chunk in chunks:
        await _show(writer, chunk, by_scope=by_scope)


async def retire_notes(writer: WriteTransaction, records: Iterable[Record]) -> None:
    """Remove observations that others cover from the log and from recall.

    They stay stored.
    """
    await writer.set_aside(list(records), Status.RETIRED)


async def _show(writer: WriteTransaction, chunk: Chunk, *, by_scope: bool) -> None:
    tx = writer.tx
    log = await tx.logs.find("" if by_scope else chunk.session)
    places, tokens = log.places, 0
    for record in await tx.observations.notes(chunk.session, chunk.first, chunk.last):
        # A note that a person has saved, too, is active already.
        if record.status not in _BEFORE_LOG or record.place is not None:
            continue
        places += 1
        tokens += record.tokens
        await writer.change(record, Change(status=Status.ACTIVE, place=places), action="shown")
    places += 1
    shown = replace(chunk, state=ChunkState.ACTIVE, noted=tokens, place=places, activated_at=writer.now)
    await writer.put(shown, action="activated", kind="chunk")
    await writer.put(replace(log, places=places, tokens=log.tokens + tokens, fresh=log.fresh + tokens))
