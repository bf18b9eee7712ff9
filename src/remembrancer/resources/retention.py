"""Retention policies, due memories, and deleted memories that can be restored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.errors import Conflict, NotFound
from remembrancer.learn import deletion
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

_MAX_LIMIT = 1_000
_MAX_DAYS = 36_500
_TEXT_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiredRecord:
    """A memory that is due for deletion by a retention policy.

    Args:
        since: the time of its recording.
        policy: the name of the policy with the shortest time.
        text: the beginning of its text.
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
        until: the end of the time in which it can be restored; then it is removed permanently.
        text: the beginning of its text.
    """

    id: str
    scope: Scope
    kind: str
    deleted_at: datetime
    until: datetime
    text: str


async def expired(unit: UnitOfWork, *, now: datetime, limit: int) -> list[ExpiredRecord]:
    """Return the memories of a scope and of scopes under it that the next nightly run deletes."""
    records = list[ExpiredRecord]()
    for one_unit in await _units_under(unit):
        if most := limit - len(records):
            records += [
                ExpiredRecord(
                    id=one.record.id,
                    scope=one.record.scope,
                    kind=kind_of(one.record).value,
                    classification=one.record.classification,
                    since=one.record.recorded_at,
                    policy=one.policy.name,
                    text=one.record.text[:_TEXT_CHARACTERS],
                )
                for one in await one_unit.read(lambda tx, most=most: due_records(tx, now=now, limit=most))
            ]
    return records


async def soft_deleted(unit: UnitOfWork, *, now: datetime, limit: int) -> list[DeletedRecord]:
    """Return the deleted memories of a scope and of scopes under it that can be restored."""

    async def work(tx: Tx) -> list[DeletedRecord]:
        return [
            DeletedRecord(
                id=record.id,
                scope=record.scope,
                kind=kind_of(record).value,
                deleted_at=record.updated_at,
                until=record.updated_at + GRACE,
                text=record.text[:_TEXT_CHARACTERS],
            )
            async for record in deleted_records(tx, before=now)
            if record.updated_at + GRACE >= now
        ]

    records = list[DeletedRecord]()
    for one_unit in await _units_under(unit):
        records += await one_unit.read(work)
    return records[:limit]


async def _units_under(unit: UnitOfWork) -> list[UnitOfWork]:
    return [unit.of(replace(unit.caller, scope=scope)) for scope in sorted(await unit.scopes(), key=str)]


class Retention(Resource, path="governance.retention"):
    """The retention of memories of one scope and of scopes under it. Reached as `memory.governance.retention`.

    Without a policy all memories are kept. The nightly maintenance deletes due memories. They can be restored for 30
    days, and are then removed permanently. Memories under a legal hold are not deleted.
    """

    async def set(
        self, name: str, *, keep_days: int, kinds: Sequence[str] = (), classifications: Sequence[str] = ()
    ) -> Sequence[RetentionPolicy]:
        """Set a policy that deletes memories a number of days after their recording.

        Of several policies, the one with the shortest time applies.

        Args:
            name: the name, in 1 to 100 characters; an existing policy with it is replaced.
            keep_days: 1 to 36,500.
            kinds: only these kinds; by default all.
            classifications: only these classifications; by default all.

        Raises:
            InvalidInput: a kind or a classification is unknown, or a value is out of range.
            NotAllowed: the caller is no operator, or the name contains data that the scope does not store.
        """
        self._caller.need(Right.OPERATE)
        within(keep_days, 1, _MAX_DAYS, what="keep_days")
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
            description = f"{policy.name}: {what} for {policy.keep_days} days"
            await writer.put(policy, action="set", kind="retention", id=description)
        return await self.list()

    async def unset(self, name: str) -> Sequence[RetentionPolicy]:
        """Remove a policy of this exact scope.

        Raises:
            NotFound: the scope has no policy with this name.
            InvalidInput: the name is blank.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        label = checked_label(name, what="name")
        async with self._unit.write() as writer:
            policies = {one.name: one for one in await writer.tx.policies.exact(RetentionPolicy)}
            if label not in policies:
                raise NotFound("retention policy", name)
            await writer.put(RemovedPolicy(id=policies[label].id), action="unset", kind="retention", id=label)
        return await self.list()

    async def find_expired(self, *, limit: int = 100) -> Sequence[ExpiredRecord]:
        """Return the memories of this scope and of scopes under it that the next nightly run deletes.

        Args:
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MAX_LIMIT, what="limit")
        records = await expired(self._unit, now=self._engine.rules.clock.now(), limit=limit)
        self._audit_read("governance.retention.find_expired", [one.id for one in records])
        return records

    async def list_soft_deleted(self, *, limit: int = 100) -> Sequence[DeletedRecord]:
        """Return the deleted memories of this scope and of scopes under it that can be restored.

        Args:
            limit: 1 to 1,000.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        within(limit, 1, _MAX_LIMIT, what="limit")
        records = await soft_deleted(self._unit, now=self._engine.rules.clock.now(), limit=limit)
        self._audit_read("governance.retention.list_soft_deleted", [one.id for one in records])
        return records

    async def soft_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Delete memories of this exact scope, and return their number. They can be restored for 30 days.

        Memories derived from them are not deleted, unlike with `Memory.delete`.

        Raises:
            NotFound: one of them does not exist or is deleted; nothing is changed.
            NotAllowed: the caller is no operator, or one belongs to a wider scope or is under a legal hold.
            InvalidInput: the reason is blank.
        """
        self._caller.need(Right.OPERATE)
        why = checked_reason(reason, self._engine.rules.secrets)
        async with self._unit.write() as writer:
            writer.set_reason(why)
            for id in dict.fromkeys(ids):
                record = await get_own(writer.tx, id)
                if record.status is Status.DELETED:
                    raise NotFound("memory", id)
                await deletion.expire(writer, record)
        return len(dict.fromkeys(ids))

    async def hard_delete(self, ids: Sequence[str], *, reason: str) -> int:
        """Permanently remove deleted memories of this exact scope now, and return their number.

        Raises:
            NotFound: one of them does not exist; nothing is changed.
            Conflict: one of them is not deleted.
            NotAllowed: the caller is no operator, or one belongs to a wider scope or is under a legal hold.
            InvalidInput: the reason is blank.
        """
        self._caller.need(Right.OPERATE)
        why = checked_reason(reason, self._engine.rules.secrets)
        async with self._unit.write() as writer:
            writer.set_reason(why)
            for id in dict.fromkeys(ids):
                record = await get_own(writer.tx, id)
                if record.status is not Status.DELETED:
                    raise Conflict(f"memory {id!r} is {record.status}; delete it first")
                await deletion.purge(writer, record)
        await self._engine.scrub()
        return len(dict.fromkeys(ids))

    async def is_accessible(self, id: str) -> bool:
        """Return True if the caller can read a memory: it exists, is not deleted, and is open to the caller."""
        record = await self._unit.read(lambda tx: tx.records.find(id))
        return record is not None and record.status is not Status.DELETED

    async def run(self, *, dry_run: bool = False) -> Retained:
        """Delete due memories of this scope and of scopes under it, and remove old deleted ones, as each night.

        Args:
            dry_run: only count them, as far as they are open to the caller.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        result, now = Retained(), self._engine.rules.clock.now()
        for one_unit in await _units_under(self._unit):
            if dry_run:
                result += await one_unit.read(lambda tx: count_due(tx, now=now, limit=_ALL))
                continue
            engine_unit = self._at(one_unit.scope)
            while True:
                async with engine_unit.write() as writer:
                    batch = await apply_retention(writer)
                result += batch
                if not batch:
                    break
        if result.purged:
            await self._engine.scrub()
        return result

    async def list(self) -> Sequence[RetentionPolicy]:
        """Return the policies of this scope and of wider ones; for operators also those of scopes under it."""
        if Right.OPERATE in self._caller.rights:
            return await self._unit.read(lambda tx: tx.policies.around(RetentionPolicy))
        return await self._unit.read(lambda tx: tx.policies.visible(RetentionPolicy))


_ALL = 2**31
