"""What is put aside and kept: out of recall, found when it is asked for, back when it is restored."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.governance.admit import Rules
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.lifecycle import Status, check_transition
from remembrancer.model.record import Record
from remembrancer.ports.store import AuditEntry, Change, Tx


async def archive(tx: Tx, ids: Sequence[str], rules: Rules) -> int:
    """Archive active memories of the exact scope; how many."""
    now, count = rules.clock.now(), 0
    for id in ids:
        record = await tx.records.find(id)
        if record is not None and record.status is Status.ACTIVE:
            await tx.records.change(id, Change(status=Status.ARCHIVED), at=now, terms=None)
            count += 1
    if count:
        entry = AuditEntry(action="archived", kind="memory", record=None, count=count, door=rules.door, at=now)
        await tx.audit.add([entry])
    return count


async def unarchive(tx: Tx, record: Record, rules: Rules) -> Record:
    """An archived memory, active again.

    Raises:
        Conflict: it is not archived.
    """
    check_transition(record.status, Status.ACTIVE)
    terms = terms_in_index(replace(record, status=Status.ACTIVE), sign=rules.sign)
    return await tx.records.change(record.id, Change(status=Status.ACTIVE), at=rules.clock.now(), terms=terms)
