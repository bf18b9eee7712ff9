"""A record and those that rest on it; a record is changed only from its own scope."""

from collections.abc import AsyncGenerator, Sequence

from remembrancer.errors import NotAllowed, NotFound, Outdated
from remembrancer.storage.tx import Tx
from remembrancer.types.arguments import within
from remembrancer.types.filter import Filter
from remembrancer.types.policy import transferred_from
from remembrancer.types.record import Record

_MOST_REVISIONS = 10**9
_PAGE = 500


async def own(tx: Tx, id: str, *, revision: int | None = None) -> Record:
    """A record that may be changed from here.

    Args:
        revision: at which it must be; any, if not given.

    Raises:
        NotFound: it is not here.
        NotAllowed: it is seen from here, but belongs to a wider scope.
        Outdated: it is at another revision.
    """
    if revision is not None:
        within(revision, 1, _MOST_REVISIONS, what="revision")
    record = await tx.records.find(id)
    if record is None:
        raise NotFound("memory", id)
    if record.scope != tx.scope:
        raise NotAllowed(f"memory {id!r} is shared by a wider scope; open that scope to change it")
    if revision is not None and record.revision != revision:
        raise Outdated(f"memory {id!r} is at revision {record.revision}, not {revision}; read it again")
    return record


def check_own(record: Record) -> None:
    """Nothing, where a memory is changed in its own project.

    Raises:
        NotAllowed: it was transferred from another one.
    """
    source = transferred_from(record)
    if source is not None:
        raise NotAllowed(
            f"memory {record.id!r} was transferred from project {source!r}, where it is changed; it can be deleted here"
        )


async def resting_on(tx: Tx, id: str) -> list[Record]:
    """The records whose evidence includes one, in any status, by their ids."""
    return await all_of(tx, await tx.records.dependants(id))


async def all_of(tx: Tx, ids: Sequence[str]) -> list[Record]:
    """Those of these records that are here; nothing is asked where there are none."""
    return await tx.records.find_all(ids) if ids else []


async def every(tx: Tx, filter: Filter) -> AsyncGenerator[Record, None]:
    """Every record of the exact scope that a filter lets through, the newest first."""
    cursor: str | None = None
    while True:
        page = await tx.records.list(filter, limit=_PAGE, cursor=cursor)
        for record in page.records:
            if record.scope == tx.scope:
                yield record
        cursor = page.cursor
        if cursor is None:
            return
