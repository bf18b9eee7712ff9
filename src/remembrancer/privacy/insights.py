"""Insights that several agents of a project share: offered to all of them, and erased with what they were made from."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Final

from anyio.to_thread import run_sync

from remembrancer.errors import NotAllowed
from remembrancer.ingest.admission import admit
from remembrancer.learn import deletion
from remembrancer.learn.observer import AUTHOR
from remembrancer.learn.reflect.agreed import Agreed, agreed, is_same_statement, words_of
from remembrancer.privacy.transfers import delete_outdated_copies, project_scope
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.ownership import iterate_records
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Json, Kind, Observation, Record, Reflection, Source
from remembrancer.types.results import Outcome
from remembrancer.types.scope import Classification, Scope, least_trust, most_restrictive

ENGINE = "sharing 1"
TYPE = "pattern"
INSIGHT_IDS = "insights"
"""The key of the metadata of an offer that lists the ids of its insights."""
_SHAREABLE = (Classification.PUBLIC, Classification.INTERNAL)
_PAGE = 1_000
# Metadata is bounded.
_MAX_IDS = 200


class InsightSharing:
    """Offers of insights of several agents to the shared scope of their project.

    An insight counts if every user of its agent may read it: its scope has no user, it is active, and its
    classification is internal or lower. An offer is made once, also if it is deleted later.
    """

    def __init__(self, store: Store, units: UnitsOfWork) -> None:
        self._store = store
        self._units = units

    async def share(self, scope: Scope) -> int:
        """Offer the insights that agents of a scope's project have in common and return their number.

        The insights themselves cannot be read from the shared scope. An offer has their ids in its metadata, their
        lowest trust and their highest classification.
        """
        if scope.project is None:
            return 0
        insights = {
            own.agent: await self._insights(own)
            for own in await self._store.scopes(scope.tenant)
            if own.agent is not None and own == Scope(tenant=scope.tenant, project=scope.project, agent=own.agent)
        }
        shared = Scope(tenant=scope.tenant, project=scope.project)
        # In any status: an offer that was deleted or rejected is not repeated.
        filter = Filter(kinds=(Kind.OBSERVATION, Kind.REFLECTION), statuses=tuple(Status))
        existing = [record.text for record in await self._units(shared).read(lambda tx: _all(tx, filter))]
        new = await run_sync(lambda: _new(agreed(insights), existing))
        if not new:
            return 0
        async with self._units(shared).write() as writer:
            return sum([await self._offer(writer, one) for one in new])

    async def _insights(self, scope: Scope) -> list[Reflection]:
        filter = Filter(kinds=(Kind.REFLECTION,), classifications=_SHAREABLE)
        records = await self._units(scope).read(lambda tx: _all(tx, filter))
        return [one for one in records if isinstance(one, Reflection) and one.scope == scope and not one.echo]

    async def _offer(self, writer: WriteTransaction, one: Agreed) -> bool:
        # An offer that equals a rejected memory is refused.
        with suppress(NotAllowed):
            (saved,) = await admit(writer, [_draft(one)])
            return saved.outcome is Outcome.CREATED
        return False


async def withdraw_offers(writer: WriteTransaction) -> None:
    """Erase the offers made from insights that a transaction has erased, in the same transaction.

    They are offered again if enough of the other insights support them.
    """
    for each in (writer, *writer.nested):
        scope = each.tx.scope
        left = {one.id for one in each.shared_before} if scope.agent is not None else set[str]()
        erased = left - {one.id for one in await each.as_engine().tx.records.find_all(sorted(left))} if left else left
        if erased:
            async with writer.at(project_scope(scope.tenant, str(scope.project))) as project:
                await withdraw_offers_from(project, erased)


async def withdraw_offers_from(project: WriteTransaction, erased: Collection[str]) -> None:
    """Erase the offers to a project that were made from erased insights."""
    engine = project.as_engine()
    observations = iterate_records(engine.tx, Filter(kinds=(Kind.OBSERVATION,), statuses=tuple(Status)))
    for id in [one.id async for one in observations if _is_offer_from(one, erased)]:
        if await engine.tx.records.find(id) is not None:
            await deletion.delete(engine, id, erase=True)


BEFORE_COMMIT: Final = (delete_outdated_copies, withdraw_offers)
"""The steps by which each write transaction removes copies of what it has erased."""


def _is_offer_from(record: Record, erased: Collection[str]) -> bool:
    if not isinstance(record, Observation) or record.engine != ENGINE:
        return False
    insights = record.metadata.get(INSIGHT_IDS)
    return isinstance(insights, list) and any(id in erased for id in insights)


def _new(insights: Sequence[Agreed], existing: Sequence[str]) -> list[Agreed]:
    """Return the insights that no text of the shared scope expresses, now or earlier."""
    by_words: dict[frozenset[str], list[str]] = {}
    for text in existing if insights else ():
        by_words.setdefault(words_of(text), []).append(text)
    return [
        one
        for one in insights
        if not any(is_same_statement(text, one.text) for text in by_words.get(words_of(one.text), ()))
    ]


def _draft(one: Agreed) -> Draft:
    """Return an offer with the lowest trust and the highest classification of its insights."""
    ids: list[Json] = [insight.id for insight in one.insights[:_MAX_IDS]]
    return Draft(
        text=one.text,
        type=TYPE,
        author=AUTHOR,
        source=Source.OBSERVER,
        occurred_at=max(insight.occurred_at for insight in one.insights),
        importance=max(insight.importance for insight in one.insights),
        trust=least_trust([insight.trust for insight in one.insights]),
        classification=most_restrictive([insight.classification for insight in one.insights]),
        metadata={INSIGHT_IDS: ids, "agents": one.agents},
        derived=Derived(engine=ENGINE, priority=max(insight.priority for insight in one.insights)),
    )


async def _all(tx: Tx, filter: Filter) -> list[Record]:
    """Return every memory that a transaction can see and that matches a filter."""
    records: list[Record] = []
    cursor: str | None = None
    while True:
        page = await tx.records.list(filter, limit=_PAGE, cursor=cursor)
        records += page.records
        cursor = page.cursor
        if cursor is None:
            return records
