"""What was offered to a project because several of its agents have come to it: gone with what it was made of."""

from collections.abc import Collection
from typing import Final

from remembrancer.learn import deletion as removal
from remembrancer.privacy.transfers import project_scope, take_back
from remembrancer.transactions.ownership import every
from remembrancer.transactions.write import Writing
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Kind, Observation, Record

ENGINE = "sharing 1"
MADE_OF = "insights"
"""Under which name its metadata says of which insights it was made."""


async def withdraw(writing: Writing) -> None:
    """Erase what was offered because of an insight that a transaction has erased, in the same transaction.

    It is offered again where the others bear it.
    """
    for each in (writing, *writing.others):
        scope = each.tx.scope
        left = {one.id for one in each.left} if scope.agent is not None else set[str]()
        gone = left - {one.id for one in await each.as_engine().tx.records.find_all(sorted(left))} if left else left
        if gone:
            async with writing.at(project_scope(scope.tenant, str(scope.project))) as project:
                await withdraw_from(project, gone)


async def withdraw_from(project: Writing, gone: Collection[str]) -> None:
    """Erase what was offered to a whole project because of insights that are gone."""
    behind = project.as_engine()
    offered = every(behind.tx, Filter(kinds=(Kind.OBSERVATION,), statuses=tuple(Status)))
    for id in [one.id async for one in offered if _is_made_of(one, gone)]:
        if await behind.tx.records.find(id) is not None:
            await removal.delete(behind, id, erase=True)


def _is_made_of(record: Record, gone: Collection[str]) -> bool:
    if not isinstance(record, Observation) or record.engine != ENGINE:
        return False
    insights = record.metadata.get(MADE_OF)
    return isinstance(insights, list) and any(id in gone for id in insights)


BEFORE_COMMIT: Final = (take_back, withdraw)
"""The steps by which each write transaction removes copies of what it has erased."""
