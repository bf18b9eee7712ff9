"""What is put aside and kept: out of recall, found when it is asked for, back when it is restored."""

from collections.abc import Sequence

from remembrancer.governance.admit import Rules
from remembrancer.model.audit import AuditEntry
from remembrancer.model.lifecycle import Status
from remembrancer.ports.tx import Tx


async def archive(tx: Tx, ids: Sequence[str], rules: Rules) -> int:
    """Archive memories of the exact scope that this transaction has found to be active; how many."""
    if ids:
        now = rules.clock.now()
        await tx.records.set_aside(ids, Status.ARCHIVED, at=now)
        entry = AuditEntry(action="archived", kind="memory", record=None, count=len(ids), at=now)
        await tx.audit.add([entry])
    return len(ids)
