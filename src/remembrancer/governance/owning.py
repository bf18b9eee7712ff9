"""What may be changed from where: a record is changed only from its own scope."""

from remembrancer.errors import NotAllowed, NotFound
from remembrancer.model.record import Record
from remembrancer.ports.store import Tx


async def own(tx: Tx, id: str) -> Record:
    """A record that may be changed from here.

    Raises:
        NotFound: it is not here.
        NotAllowed: it is seen from here, but belongs to a wider scope.
    """
    record = await tx.records.find(id)
    if record is None:
        raise NotFound("memory", id)
    if record.scope != tx.scope:
        raise NotAllowed(f"memory {id!r} is shared by a wider scope; open that scope to change it")
    return record
