"""A record in another status: in the indexes where that is live, out of them where it is not."""

from dataclasses import replace

from remembrancer.governance.admit import Rules
from remembrancer.governance.wording import terms_in_index
from remembrancer.model.details import Details
from remembrancer.model.lifecycle import Status, check_transition
from remembrancer.model.record import Record
from remembrancer.ports.store import Change, Tx


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
