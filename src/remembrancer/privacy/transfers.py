"""What one project lends to another: copies of what all of it sees, open to all, at half the weight.

A copy is of one wording of one source under one grant. What changes or goes takes its copies away in the same
transaction; the next carrying, at night or by hand, brings what it is by then.
"""

from collections.abc import Mapping
from contextlib import suppress

from remembrancer.errors import InvalidInput, NotAllowed
from remembrancer.ingest.admit import admit
from remembrancer.ingest.imported_ids import made_id, millis, there
from remembrancer.learn import deletion as removal
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.holds import held_by
from remembrancer.transactions.ownership import every
from remembrancer.transactions.write import Writing
from remembrancer.types.classification import Classification
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import LIVE, Status
from remembrancer.types.observation_types import SUMMARY
from remembrancer.types.policy import LegalHold, Unset
from remembrancer.types.record import Kind, Observation, Record, Reflection
from remembrancer.types.scope import Scope
from remembrancer.types.transfer import ENGINE, MARK, Transfer, transferred_from
from remembrancer.types.weighed import Weighed

SHARE = 0.5
"""What of its weight an observation keeps in another project."""
AT_ONCE = 100
_OPEN = (Classification.PUBLIC, Classification.INTERNAL)
_KINDS = (Kind.OBSERVATION, Kind.REFLECTION)


def project_scope(tenant: str, project: str) -> Scope:
    """What all of a project sees."""
    return Scope(tenant=tenant, project=project)


async def carry(writing: Writing, grant: Transfer, *, tried: set[str]) -> tuple[int, bool]:
    """Copy some of what a grant lends, and take away what it lends no longer: how many came, and whether that is all.

    Args:
        writing: the engine's, in the lending project.
        tried: ids of the copies that were tried before; those that are tried now are added.
    """
    standing = next((one for one in await writing.tx.policies.exact(Transfer) if one.number == grant.number), None)
    if standing is None:
        return 0, True
    async with writing.at(project_scope(writing.tx.scope.tenant, grant.reader)) as other:
        other.because(f"{'no longer ' if standing.revoked else ''}transferred from {grant.lender}")
        theirs = [one async for one in every(other.tx, Filter(kinds=_KINDS, statuses=tuple(Status)))]
        copies = {one.id: one for one in theirs if transferred_from(one) == grant.lender}
        said = {one.hash for one in theirs if one.id not in copies and one.status is not Status.DELETED}
        lent = {} if standing.revoked else await _lent(writing.tx, grant, said, sign=writing.rules.sign)
        left = [await _gone(other, one) for id, one in copies.items() if id not in lent]
        if standing.revoked and all(left):
            await writing.note(Unset(id=grant.id))
        known = await there(other.tx, list(lent), sign=writing.rules.sign)
        fresh = [id for id in lent if id not in known and id not in tried]
        tried.update(fresh[:AT_ONCE])
        came = await _copied(writing, other, {id: lent[id] for id in fresh[:AT_ONCE]}, grant)
    await writing.did_to("transferred", Kind.OBSERVATION.value, came)
    return len(came), len(fresh) <= AT_ONCE


async def take_back(writing: Writing) -> None:
    """Take away the copies of what a transaction has changed or erased, in the same transaction."""
    for each in (writing, *writing.others):
        lends = each.left and each.tx.scope.agent is None
        grants = await each.tx.policies.exact(Transfer) if lends else []
        for grant in grants:
            async with writing.at(project_scope(each.tx.scope.tenant, grant.reader)) as other:
                other.because(f"changed or gone in {grant.lender}")
                for record in each.left:
                    copy = await other.as_engine().tx.records.find(_copy_id(record, grant, sign=writing.rules.sign))
                    if copy is not None and copy.scope == other.tx.scope:
                        await _gone(other, copy)


async def copies_of(tx: Tx, source: str) -> list[Record]:
    """What the exact scope, a project's, has of another project, in any status."""
    found = every(tx, Filter(kinds=_KINDS, statuses=tuple(Status)))
    return [one async for one in found if transferred_from(one) == source]


async def _lent(tx: Tx, grant: Transfer, said: set[str], *, sign: Sign) -> dict[str, Observation]:
    """What a grant lends, by the ids of the copies; nothing that the other project says by itself."""
    found = every(tx, Filter(kinds=_KINDS, classifications=_OPEN))
    return {
        _copy_id(one, grant, sign=sign): one
        async for one in found
        if isinstance(one, Observation) and _is_lent(one) and one.hash not in said
    }


def _is_lent(one: Observation) -> bool:
    """Whether it says something that another project may use: neither borrowed itself, nor of the agent's own work."""
    return transferred_from(one) is None and one.learned is None and one.type != SUMMARY and not one.echo


def _copy_id(record: Record, grant: Transfer, *, sign: Sign) -> str:
    what = (record.id, record.hash, record.updated_at.isoformat(), grant.number)
    return made_id(millis(record.occurred_at), sign(f"transfer {what!r}"))


async def _copied(writing: Writing, other: Writing, lent: Mapping[str, Observation], grant: Transfer) -> list[str]:
    """Copy observations; ids of those that were. What the other project has rejected, or refuses to store, does not."""
    staying = await writing.tx.records.lock_existing([one.id for one in lent.values()])
    came: list[str] = []
    for id, one in lent.items():
        if one.id not in staying:
            continue
        with suppress(NotAllowed, InvalidInput):
            await admit(other, [_draft(id, one, grant)])
            weight = await writing.tx.weights.current(one.id)
            await other.note(Weighed(record=id, weight=SHARE * weight))
            came.append(one.id)
    return came


def _draft(id: str, one: Observation, grant: Transfer) -> Draft:
    """A copy, without what is of its own project's conversations alone."""
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


async def _gone(other: Writing, copy: Record) -> bool:
    """A copy out of every read, for good: but one that a legal hold is on stays in the archive. Whether it is gone."""
    behind = other.as_engine()
    if await behind.tx.records.find(copy.id) is None:
        # It went with another one.
        return True
    if await held_by(behind.tx, copy, await behind.tx.policies.visible(LegalHold)):
        if copy.status in LIVE:
            await behind.move(copy, Status.ARCHIVED)
        return False
    await removal.delete(behind, copy.id, erase=True)
    return True
