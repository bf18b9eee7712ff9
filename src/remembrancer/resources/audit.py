"""The door to the audit log: who did and who was told what, and whether that log is whole."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.errors import NotAllowed
from remembrancer.privacy.checkpoints import Verified, checkpoint, verify
from remembrancer.resources.resource import Door
from remembrancer.transactions.draft import utc
from remembrancer.types.access import Right
from remembrancer.types.arguments import checked, within
from remembrancer.types.audit import AuditFilter, AuditRow, Checkpoint

_MOST_LISTED = 1_000
_LAST = 2**63 - 1


@checked
class Audit(Door):
    """The audit log, as an operator reads it. Reached as `memory.audit`.

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
        await self._engine.sweep.access_log.flush()
        return await self._desk.read(lambda tx: verify(tx, against, sign=sign))

    async def checkpoint(self) -> Checkpoint:
        """How far the audit log of this tenant has come, signed: to be kept where nobody who writes the store can go.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        await self._engine.sweep.access_log.flush()
        at, sign = self._engine.rules.clock.now(), self._engine.store.sign
        return await self._desk.read(lambda tx: checkpoint(tx, at=at, sign=sign))

    async def list(
        self,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        action: str | None = None,
        kind: str | None = None,
        door: str | None = None,
        actor: str | None = None,
        memory: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> Sequence[AuditRow]:
        """What was done in this scope and in those under it, the latest first.

        Args:
            since, until: when, both inclusive.
            action: such as `created`, `erased` or `read`.
            kind: of what it was done, such as `observation`; of a `read`, the method, such as `recall`.
            door: through which, such as `library`, `rest` or `cli`.
            actor: by whom.
            memory: to which memory, or of which somebody was told, by its id.
            before: the number of the entry before which to go on.
            limit: how many at most, 1 to 1,000.

        Raises:
            InvalidInput: a value is out of its range, or a time without a zone.
            NotAllowed: the caller is no operator, or asks for a memory with a clearance to which some are closed.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MOST_LISTED, what="limit")
        if before is not None:
            within(before, 0, _LAST, what="before")
        asked = AuditFilter(
            since=None if since is None else utc(since, what="since"),
            until=None if until is None else utc(until, what="until"),
            action=action,
            kind=kind,
            door=door,
            actor=actor,
            record=memory,
            before=before,
        )
        await self._engine.sweep.access_log.flush()
        if not self._caller.sees_all:
            # Whether what an entry names is closed to the caller, nobody knows once it is erased.
            if memory is not None:
                raise NotAllowed("this caller's clearance closes memories to it, so the log names none to it")
            rows = await self._desk.read(lambda tx: tx.audit.entries(asked, limit=limit))
            return [replace(row, record=None, records=()) for row in rows]
        return await self._desk.read(lambda tx: tx.audit.entries(asked, limit=limit))
