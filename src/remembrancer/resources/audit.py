"""The door to the audit log: who did and who was told what, and whether that log is whole."""

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

    What stands in it names memories by their ids, and never says what they say. The names in it can be read as long as
    the key of their scope is there, which an erasure destroys.
    """

    async def verify(self, against: Checkpoint | None = None) -> Verified:
        """Hold the audit log of this tenant against itself: whether an entry was changed, moved or removed.

        What was cut off its end is told only by a checkpoint that was kept elsewhere.

        Args:
            against: what `checkpoint` gave earlier.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        sign = self._engine.store.sign
        await self._engine.sweep.flush()
        return await self._unit.read(lambda tx: verify(tx, against, sign=sign))

    async def checkpoint(self) -> Checkpoint:
        """How far the audit log of this tenant has come, signed: to be kept where nobody who writes the store can go.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        await self._engine.sweep.flush()
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
        await self._engine.sweep.flush()
        if self._caller.sees_all:
            return await self._unit.read(lambda tx: tx.audit.entries(wanted, limit=limit))
        # The class of an erased memory is unknown, so it may have been closed to the caller.
        if wanted.memory is not None:
            raise NotAllowed("the audit log names memories only to a caller with the clearance 'restricted'")
        rows = await self._unit.read(lambda tx: tx.audit.entries(wanted, limit=limit))
        return [replace(row, record=None, records=()) for row in rows]
