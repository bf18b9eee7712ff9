"""Observations and facts that people pause or retire; each change is a version."""

from remembrancer.errors import Conflict, InvalidInput
from remembrancer.storage.tx import Tx
from remembrancer.transactions.ownership import find_records, get_own
from remembrancer.transactions.rejections import REJECTED_STATUSES, check_sources_not_rejected
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Observation, Record

_LEFT_OUT = (Status.PAUSED, Status.RETIRED)


async def put(writer: WriteTransaction, id: str, status: Status) -> Observation | Fact:
    """Pause, retire or resume an observation or a fact.

    Raises:
        NotFound: no such memory in this scope.
        InvalidInput: it is neither an observation nor a fact.
        Conflict: its status does not allow the change, or another fact is valid in its place.
    """
    record = await get_own(writer.tx, id)
    if not isinstance(record, Observation | Fact) or record.status is Status.DELETED:
        raise InvalidInput(f"memory {id!r} is neither an observation nor a fact, or is not active")
    if record.status is status:
        return record
    if record.status in REJECTED_STATUSES:
        raise Conflict(f"memory {id!r} is {record.status}; undo that first")
    if status is Status.ACTIVE:
        await _check_free(writer.tx, record, sign=writer.rules.sign)
    return await writer.move(record, status)


async def _check_free(tx: Tx, record: Observation | Fact, *, sign: Sign) -> None:
    """Check that a paused or retired memory may be active again."""
    by_engine = isinstance(record, Observation) and record.engine and record.learned is None
    if record.status not in _LEFT_OUT or (record.status is Status.RETIRED and by_engine):
        raise Conflict(f"memory {record.id!r} is {record.status}, not paused or retired")
    await check_sources_not_rejected(tx, await find_records(tx, record.evidence), sign=sign)
    if isinstance(record, Fact) and (other := await _in_its_place(tx, record)):
        raise Conflict(f"fact {other.id!r} is valid in its place; end that one first")


async def _in_its_place(tx: Tx, fact: Fact) -> Record | None:
    """Return a fact of the same key that is valid at the same time."""
    for other in await tx.facts.by_key(fact.details.key):
        if other.id != fact.id and other.status is Status.ACTIVE and other.details.overlaps(fact.details):
            return other
    return None
