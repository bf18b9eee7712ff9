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
    """The audit log, for operators. Reached as `memory.governance.audit`.

    Its entries contain ids of memories and no texts. Names and ids are readable as long as the key of their scope
    exists; an erasure deletes it.
    """

    async def verify(self, against: Checkpoint | None = None) -> Verified:
        """Verify that no entry of the audit log of this tenant was changed, moved or removed.

        Entries removed from the end are detected only with an earlier checkpoint.

        Args:
            against: an earlier result of `checkpoint`.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        sign = self._engine.store.sign
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        return await self._unit.read(lambda tx: verify(tx, against, sign=sign))

    async def checkpoint(self) -> Checkpoint:
        """Return a signed checkpoint of the audit log of this tenant, to store in another place.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        at, sign = self._engine.rules.clock.now(), self._engine.store.sign
        return await self._unit.read(lambda tx: checkpoint(tx, at=at, sign=sign))

    async def list(self, filter: AuditFilter | None = None, *, limit: int = 100) -> Sequence[AuditRow]:
        """Return the entries of this scope and of scopes under it, latest first.

        Args:
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator, or filters by a memory without the highest clearance.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MOST_LISTED, what="limit")
        conditions = filter or AuditFilter()
        await self._engine.worker.access_log.flush(self._caller.scope.tenant)
        if self._caller.sees_all:
            return await self._unit.read(lambda tx: tx.audit.entries(conditions, limit=limit))
        # The classification of an erased memory is unknown, so it may have been closed to the caller.
        if conditions.memory is not None:
            raise NotAllowed("the audit log shows memories only to a caller with the clearance 'restricted'")
        rows = await self._unit.read(lambda tx: tx.audit.entries(conditions, limit=limit))
        return [replace(row, record=None, records=()) for row in rows]
