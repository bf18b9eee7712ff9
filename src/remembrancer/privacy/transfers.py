"""Transfers between projects: copies of observations that all of a project may see, at half their weight.

A copy is of one version of one source under one grant. When the source changes or is deleted, its copies are deleted
in the same transaction; the next update, at night or by hand, makes new ones.
"""

from collections.abc import Mapping
from contextlib import suppress

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.ingest.admission import admit
from remembrancer.ingest.turn_import import derived_id, existing_or_erased, id_time
from remembrancer.learn import deletion
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.legal_holds import holds_on
from remembrancer.transactions.ownership import iterate_records
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.feedback import FeedbackWeight
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.new import SUMMARY
from remembrancer.types.policy import ENGINE, MARK, LegalHold, RemovedPolicy, Transfer, transferred_from
from remembrancer.types.record import Kind, Observation, Record, Reflection
from remembrancer.types.scope import Classification, Scope

COPY_WEIGHT = 0.5
"""The weight of a copy relative to its source."""
BATCH = 100
_CLASSIFICATIONS = (Classification.PUBLIC, Classification.INTERNAL)
_KINDS = (Kind.OBSERVATION, Kind.REFLECTION)


def project_scope(tenant: str, project: str) -> Scope:
    """Return the scope that all users and agents of a project see."""
    return Scope(tenant=tenant, project=project)


async def update_copies(unit: UnitOfWork) -> int:
    """Update the copies under all grants of a project and return the number of new ones.

    Args:
        unit: the engine's, at the scope of the project that grants.
    """
    total = 0
    for grant in await unit.read(lambda tx: tx.policies.exact(Transfer)):
        tried, done = set[str](), False
        while not done:
            async with unit.write() as writer:
                count, done = await update_batch(writer, grant, tried=tried)
            total += count
    return total


async def update_batch(writer: WriteTransaction, grant: Transfer, *, tried: set[str]) -> tuple[int, bool]:
    """Make some copies under a grant and delete outdated ones; return the number made, and whether all are done.

    Args:
        writer: the engine's, in the project that grants.
        tried: ids of the copies that were tried before; those that are tried now are added.
    """
    current = next((one for one in await writer.tx.policies.exact(Transfer) if one.number == grant.number), None)
    if current is None:
        return 0, True
    async with writer.at(project_scope(writer.tx.scope.tenant, grant.reader)) as reader:
        reader.set_reason(f"{'no longer ' if current.revoked else ''}transferred from {grant.lender}")
        existing = [one async for one in iterate_records(reader.tx, Filter(kinds=_KINDS, statuses=tuple(Status)))]
        copies = {one.id: one for one in existing if transferred_from(one) == grant.lender}
        own_hashes = {one.hash for one in existing if one.id not in copies and one.status is not Status.DELETED}
        sources = {} if current.revoked else await _sources(writer.tx, grant, own_hashes, sign=writer.rules.sign)
        deleted = [await _delete_copy(reader, one) for id, one in copies.items() if id not in sources]
        if current.revoked and all(deleted):
            await writer.put(RemovedPolicy(id=grant.id))
        known = await existing_or_erased(reader.tx, list(sources), sign=writer.rules.sign)
        fresh = [id for id in sources if id not in known and id not in tried]
        tried.update(fresh[:BATCH])
        made = await _copy(writer, reader, {id: sources[id] for id in fresh[:BATCH]}, grant)
    await writer.audit_many("transferred", Kind.OBSERVATION.value, made)
    return len(made), len(fresh) <= BATCH


async def delete_outdated_copies(writer: WriteTransaction) -> None:
    """Delete the copies of memories that a transaction has changed or erased, in the same transaction."""
    for each in (writer, *writer.nested):
        may_have_copies = each.shared_before and each.tx.scope.agent is None
        grants = await each.tx.policies.exact(Transfer) if may_have_copies else []
        for grant in grants:
            async with writer.at(project_scope(each.tx.scope.tenant, grant.reader)) as reader:
                reader.set_reason(f"changed or deleted in {grant.lender}")
                for record in each.shared_before:
                    copy = await reader.as_engine().tx.records.find(_copy_id(record, grant, sign=writer.rules.sign))
                    if copy is not None and copy.scope == reader.tx.scope:
                        await _delete_copy(reader, copy)


async def copies_of(tx: Tx, project: str) -> list[Record]:
    """Return the copies in the exact scope that come from a project, in any status."""
    records = iterate_records(tx, Filter(kinds=_KINDS, statuses=tuple(Status)))
    return [one async for one in records if transferred_from(one) == project]


async def _sources(tx: Tx, grant: Transfer, own_hashes: set[str], *, sign: Sign) -> dict[str, Observation]:
    """Return the observations to copy by the id of the copy, except those that the other project has itself."""
    records = iterate_records(tx, Filter(kinds=_KINDS, classifications=_CLASSIFICATIONS))
    return {
        _copy_id(one, grant, sign=sign): one
        async for one in records
        if isinstance(one, Observation) and _is_transferable(one) and one.hash not in own_hashes
    }


def _is_transferable(one: Observation) -> bool:
    """Return True if an observation is of use to another project: no copy, no learned habit, no summary, no echo."""
    return transferred_from(one) is None and one.learned is None and one.type != SUMMARY and not one.echo


def _copy_id(record: Record, grant: Transfer, *, sign: Sign) -> str:
    version = (record.id, record.hash, record.updated_at.isoformat(), grant.number)
    return derived_id(id_time(record.occurred_at), sign(f"transfer {version!r}"))


async def _copy(
    writer: WriteTransaction, reader: WriteTransaction, sources: Mapping[str, Observation], grant: Transfer
) -> list[str]:
    """Copy observations that the other project does not reject or refuse; return the ids of the sources."""
    staying = await writer.tx.records.lock_existing([one.id for one in sources.values()])
    copied: list[str] = []
    for id, one in sources.items():
        if one.id not in staying:
            continue
        with suppress(NotAllowed, InvalidInput):
            await admit(reader, [_draft(id, one, grant)])
            weight = await writer.tx.weights.current(one.id)
            await reader.put(FeedbackWeight(record=id, weight=COPY_WEIGHT * weight))
            copied.append(one.id)
    return copied


def _draft(id: str, one: Observation, grant: Transfer) -> Draft:
    """Return a copy without the references to conversations of its own project."""
    return Draft(
        id=id,
        text=one.text,
        title=one.title,
        type=one.type,
        tags=one.tags,
        metadata={MARK: grant.lender},
        author=one.author,
        source=one.source,
        occurred_at=one.occurred_at,
        valid_until=one.valid_until,
        importance=one.importance,
        trust=one.trust,
        classification=one.classification,
        derived=Derived(engine=ENGINE, priority=one.priority, insight=isinstance(one, Reflection)),
    )


async def _delete_copy(reader: WriteTransaction, copy: Record) -> bool:
    """Erase a copy, or archive it if a legal hold is on it; return True if it is erased."""
    engine = reader.as_engine()
    if await engine.tx.records.find(copy.id) is None:
        # It was erased with another one.
        return True
    if await holds_on(engine.tx, copy, await engine.tx.policies.visible(LegalHold)):
        if copy.status in LIVE:
            await engine.move(copy, Status.ARCHIVED)
        return False
    await deletion.delete(engine, copy.id, erase=True)
    return True
