"""Retention: how long memories are kept, due memories, and deleted ones that can be restored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.errors import Conflict, NotFound
from remembrancer.learn import deletion as removal
from remembrancer.privacy.retention import Retained, apply_retention, count_due, deleted_records, due_records
from remembrancer.resources.resource import Resource
from remembrancer.storage.tx import Tx
from remembrancer.transactions.names import checked_label, checked_reason
from remembrancer.transactions.ownership import get_own
from remembrancer.transactions.redaction import check_storable_names
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import Right
from remembrancer.types.arguments import member, within
from remembrancer.types.lifecycle import GRACE, Status
from remembrancer.types.policy import RemovedPolicy, RetentionPolicy
from remembrancer.types.record import Kind, kind_of
from remembrancer.types.scope import Classification, Scope

_MOST = 1_000
_MOST_DAYS = 36_500
_TEXT_TOLD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredRecord:
    """A memory whose time is over, by the policy of the shortest time that is on it.

    Args:
        since: when the store first knew it.
        text: the beginning of what it says.
    """

    id: str
    scope: Scope
    kind: str
    classification: Classification
    since: datetime
    policy: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedRecord:
    """A deleted memory.

    Args:
        deleted_at: when that was.
        until: up to when it can be restored; then it goes for good.
        text: the beginning of what it says.
    """

    id: str
    scope: Scope
    kind: str
    deleted_at: datetime
    until: datetime
    text: str


async def expired(unit: UnitOfWork, *, now: datetime, limit: int) -> list[ExpiredRecord]:
    """Return the memories of a scope, and of those under it, that the next night deletes."""
    found = list[ExpiredRecord]()
    for here in await _units(unit):
        if most := limit - len(found):
            found += [
                ExpiredRecord(
                    id=one.record.id,
                    scope=one.record.scope,
                    kind=kind_of(one.record).value,
                    classification=one.record.classification,
                    since=one.record.recorded_at,
                    policy=one.policy.name,
                    text=one.record.text[:_TEXT_TOLD],
                )
                for one in await here.read(lambda tx, most=most: due_records(tx, now=now, limit=most))
            ]
    return found


async def soft_deleted(unit: UnitOfWork, *, now: datetime, limit: int) -> list[DeletedRecord]:
    """Return the deleted memories of a scope, and of those under it, that can be restored."""

    async def work(tx: Tx) -> list[DeletedRecord]:
        return [
            DeletedRecord(
                id=record.id,
                scope=record.scope,
                kind=kind_of(record).value,
                deleted_at=record.updated_at,
                until=record.updated_at + GRACE,
                text=record.text[:_TEXT_TOLD],
            )
            async for record in deleted_records(tx, before=now)
            if record.updated_at + GRACE >= now
        ]

    found = list[DeletedRecord]()
    for here in await _units(unit):
        found += await here.read(work)
    return found[:limit]


async def _units(unit: UnitOfWork) -> list[UnitOfWork]:
    return [unit.of(replace(unit.caller, scope=scope)) for scope in sorted(await unit.scopes(), key=str)]


class Retention(Resource, path="governance.retention"):
    """How long memories of one scope, and of those under it, are kept. Reached as `memory.governance.retention`.

    Without a policy everything is kept. With some, what is due is deleted at night, can be restored for thirty days,
    and is then removed for good; what a legal hold is on stays. `Memory.list`, `Memory.restore` and
    `Governance.classify` are of it, too.
    """

    async def set(
        self, name: str, *, keep_days: int, kinds: Sequence[str] = (), classifications: Sequence[str] = ()
    ) -> Sequence[RetentionPolicy]:
        """Keep memories for a number of days after they were recorded; of several policies the shortest applies.

        Args:
            name: what the policy is called here, in 1 to 100 characters; what stood under it is replaced.
            keep_days: 1 to 36,500.
            kinds, classifications: of which memories; of all, where none is named.

        Raises:
            InvalidInput: there is no such kind or class, or a value is out of its range.
            NotAllowed: the caller is no operator, or the name holds what the scope does not store.
        """
        self._caller.need(Right.OPERATE)
        within(keep_days, 1, _MOST_DAYS, what="keep_days")
        policy = RetentionPolicy(
            name=checked_label(name, what="name"),
            keep_days=keep_days,
            kinds=[member(Kind, one, "kind") for one in kinds],
            classifications=[member(Classification, one, "classification") for one in classifications],
            set_at=self._engine.rules.clock.now(),
        )
        async with self._unit.write() as writer:
            await check_storable_names(writer.tx, policy.name)
            what = " ".join((*policy.kinds, *policy.classifications)) or "all"
            told = f"{policy.name}: {what} for {policy.keep_days} days"
            await writer.put(policy, action="set", kind="retention", id=told)
        return await self.list()

    async def unset(self, name: str) -> Sequence[RetentionPolicy]:
        """Remove a policy of this exact scope.

        Raises:
            NotFound: there is none of that name here.
            InvalidInput: the name is blank.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        called = checked_label(name, what="name")
        async with self._unit.write() as writer:
            kept = {one.name: one for one in await writer.tx.policies.exact(RetentionPolicy)}
            if called not in kept:
                raise NotFound("retention policy", name)
            await writer.put(RemovedPolicy(id=kept[called].id), action="unset", kind="retention", id=called)
        return await self.list()

    async def find_expired(self, *, limit: int = 100) -> Sequence[ExpiredRecord]:
        """Return the memories of this scope, and of those under it, that the next night deletes; nothing is changed.

        Args:
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MOST, what="limit")
        found = await expired(self._unit, now=self._engine.rules.clock.now(), limit=limit)
        self._audit_read("governance.retention.find_expired", [one.id for one in found])
        return found

    async def list_soft_deleted(self, *, limit: int = 100) -> Sequence[DeletedRecord]:
        """Return the deleted memories of this scope, and of those under it, that can be restored.

        Args:
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MOST, what="limit")
        found = await soft_deleted(self._unit, now=self._engine.rules.clock.now(), limit=limit)
        self._audit_read("governance.retention.list_soft_deleted", [one.id for one in found])
        return found

    async def soft_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Delete memories of this exact scope, and return their number; they can be restored for thirty days.

        Memories derived from them stay; `Memory.delete` also deletes those derived from one memory alone.

        Raises:
            NotFound: one is not here, or is deleted already; nothing is done then.
            NotAllowed: the caller is no operator, one belongs to a wider scope, or a legal hold is on it.
            InvalidInput: there is no reason.
        """
        self._caller.need(Right.OPERATE)
        said = checked_reason(reason, self._engine.rules.secrets)
        async with self._unit.write() as writer:
            writer.set_reason(said)
            for id in dict.fromkeys(ids):
                record = await get_own(writer.tx, id)
                if record.status is Status.DELETED:
                    raise NotFound("memory", id)
                await removal.expire(writer, record)
        return len(dict.fromkeys(ids))

    async def hard_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Permanently remove deleted memories of this exact scope at once, and return their number.

        Raises:
            NotFound: one is not here; nothing is done then.
            Conflict: one is not deleted.
            NotAllowed: the caller is no operator, one belongs to a wider scope, or a legal hold is on it.
            InvalidInput: there is no reason.
        """
        self._caller.need(Right.OPERATE)
        said = checked_reason(reason, self._engine.rules.secrets)
        async with self._unit.write() as writer:
            writer.set_reason(said)
            for id in dict.fromkeys(ids):
                record = await get_own(writer.tx, id)
                if record.status is not Status.DELETED:
                    raise Conflict(f"memory {id!r} is {record.status}; delete it first")
                await removal.purge(writer, record)
        await self._engine.scrub()
        return len(dict.fromkeys(ids))

    async def is_accessible(self, id: str) -> bool:
        """Return True if this caller can read a memory: it exists, is not deleted, and not closed to the caller."""
        record = await self._unit.read(lambda tx: tx.records.find(id))
        return record is not None and record.status is not Status.DELETED

    async def run(self, *, dry_run: bool = False) -> Retained:
        """Delete the memories due in this scope and those under it, and remove old deleted ones, as each night.

        Args:
            dry_run: only count the memories that are open to the caller.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        done, now = Retained(), self._engine.rules.clock.now()
        for here in await _units(self._unit):
            if dry_run:
                done += await here.read(lambda tx: count_due(tx, now=now, limit=_ALL))
                continue
            behind = self._at(here.scope)
            while True:
                async with behind.write() as writer:
                    some = await apply_retention(writer)
                done += some
                if not some:
                    break
        if done.purged:
            await self._engine.scrub()
        return done

    async def list(self) -> Sequence[RetentionPolicy]:
        """Return the policies of this scope: its own, those of wider ones and, for an operator, of narrower ones."""
        if Right.OPERATE in self._caller.rights:
            return await self._unit.read(lambda tx: tx.policies.around(RetentionPolicy))
        return await self._unit.read(lambda tx: tx.policies.visible(RetentionPolicy))


_ALL = 2**31
