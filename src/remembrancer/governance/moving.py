"""A record in another status: in the indexes where that is live, out of them where it is not."""

from dataclasses import replace

from remembrancer.governance.admit import Rules
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.audit import AuditEntry
from remembrancer.model.change import Change
from remembrancer.model.details import Details
from remembrancer.model.lifecycle import Status, check_transition
from remembrancer.model.record import Record, kind_of
from remembrancer.ports.tx import Tx


async def move(tx: Tx, record: Record, status: Status, rules: Rules, *, details: Details | None = None) -> Record:
    """The record of the exact scope after it was moved; the former state is kept as a version.

    Args:
        details: what of it changes with that.

    Raises:
        Conflict: it may not go there from where it stands.
    """
    check_transition(record.status, status)
    terms = terms_in_index(replace(record, status=status), sign=rules.sign)
    change = Change(status=status, details=details)
    return await tx.records.change(record.id, change, at=rules.clock.now(), terms=terms)


async def put(tx: Tx, record: Record, status: Status, rules: Rules) -> Record:
    """The record of the exact scope after a person moved it, with audit.

    Raises:
        Conflict: it may not go there from where it stands.
    """
    result = await move(tx, record, status, rules)
    kind, now = kind_of(record).value, rules.clock.now()
    await tx.audit.add([AuditEntry(action=status.value, kind=kind, record=record.id, count=1, at=now)])
    return result
