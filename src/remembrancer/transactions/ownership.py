"""Records of the exact scope, which alone may change them."""

from collections.abc import AsyncGenerator, Sequence

from remembrancer.errors import NotAllowed, NotFound, RevisionConflict
from remembrancer.storage.tx import Tx
from remembrancer.types.arguments import within
from remembrancer.types.filter import Filter
from remembrancer.types.policy import transferred_from
from remembrancer.types.record import Record

_MAX_REVISION = 10**9
_PAGE = 500


async def get_own(tx: Tx, id: str, *, revision: int | None = None) -> Record:
    """Return a record that may be changed from the exact scope.

    Args:
        revision: the revision that it must have; any by default.

    Raises:
        NotFound: there is no such record in this scope.
        NotAllowed: it belongs to a wider scope.
        RevisionConflict: it has another revision.
    """
    if revision is not None:
        within(revision, 1, _MAX_REVISION, what="revision")
    record = await tx.records.find(id)
    if record is None:
        raise NotFound("memory", id)
    if record.scope != tx.scope:
        raise NotAllowed(f"memory {id!r} is shared by a wider scope; open that scope to change it")
    if revision is not None and record.revision != revision:
        raise RevisionConflict(f"memory {id!r} is at revision {record.revision}, not {revision}; read it again")
    return record


def check_not_transferred(record: Record) -> None:
    """Check that a memory was not transferred from another project.

    Raises:
        NotAllowed: it was.
    """
    source = transferred_from(record)
    if source is not None:
        raise NotAllowed(
            f"memory {record.id!r} was transferred from project {source!r}; change it there, or delete it here"
        )


async def dependents_of(tx: Tx, id: str) -> list[Record]:
    """Return the records whose evidence includes a record, by id.

    They may have any status.
    """
    return await find_records(tx, await tx.records.dependents(id))


async def find_records(tx: Tx, ids: Sequence[str]) -> list[Record]:
    """Return the existing records of some ids; without ids no statement runs."""
    return await tx.records.find_all(ids) if ids else []


async def iterate_records(tx: Tx, filter: Filter) -> AsyncGenerator[Record, None]:
    """Yield the records of the exact scope that match a filter, newest first."""
    cursor: str | None = None
    while True:
        page = await tx.records.list(filter, limit=_PAGE, cursor=cursor)
        for record in page.records:
            if record.scope == tx.scope:
                yield record
        cursor = page.cursor
        if cursor is None:
            return
