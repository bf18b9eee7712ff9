"""The audit log: changes, disclosures, and the integrity of the log."""

from collections.abc import Sequence
from dataclasses import replace

from remembrancer.errors import NotAllowed
from remembrancer.privacy.checkpoints import Verified, checkpoint, verify
from remembrancer.resources.resource import Resource
from remembrancer.types.access import Right
from remembrancer.types.arguments import within
from remembrancer.types.audit import AuditFilter, AuditRow, Checkpoint

_MOST_LISTED = 1_000


class AuditLog(Resource, path="governance.audit"):
    """The audit log, as an operator reads it. Reached as `memory.governance.audit`.

    Its entries name memories by their ids, and never contain their texts. Their names are readable as long as the key
    of their scope exists, which an erasure destroys.
    """

    async def verify(self, against: Checkpoint | None = None) -> Verified:
        """Verify the audit log of this tenant: that no entry was changed, moved or removed.

        Entries removed from its end are detected only by a checkpoint that was kept elsewhere.

        Args:
            against: an earlier result of `checkpoint`.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        sign = self._engine.store.sign
        await self._engine.worker.access_log.flush()
        return await self._unit.read(lambda tx: verify(tx, against, sign=sign))

    async def checkpoint(self) -> Checkpoint:
        """Return a signed checkpoint of the audit log of this tenant, to keep out of reach of the store.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        await self._engine.worker.access_log.flush()
        at, sign = self._engine.rules.clock.now(), self._engine.store.sign
        return await self._unit.read(lambda tx: checkpoint(tx, at=at, sign=sign))

    async def list(self, filter: AuditFilter | None = None, *, limit: int = 100) -> Sequence[AuditRow]:
        """Return the entries of this scope and of those under it, the latest first.

        Args:
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator, or asks for a memory with a clearance to which some are closed.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MOST_LISTED, what="limit")
        wanted = filter or AuditFilter()
        await self._engine.worker.access_log.flush()
        if self._caller.sees_all:
            return await self._unit.read(lambda tx: tx.audit.entries(wanted, limit=limit))
        # The class of an erased memory is unknown, so it may have been closed to the caller.
        if wanted.memory is not None:
            raise NotAllowed("the audit log names memories only to a caller with the clearance 'restricted'")
        rows = await self._unit.read(lambda tx: tx.audit.entries(wanted, limit=limit))
        return [replace(row, record=None, records=()) for row in rows]
