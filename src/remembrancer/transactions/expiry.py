"""What is put aside and kept: out of recall, found when it is asked for, back when it is restored."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter

from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import all_of
from remembrancer.transactions.write import Writing
from remembrancer.types.lifecycle import Status


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
