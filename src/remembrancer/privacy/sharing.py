"""Insights that several agents of a project have come to, offered to all of its agents."""

from collections.abc import Sequence
from contextlib import suppress

from anyio.to_thread import run_sync

from remembrancer.errors import NotAllowed
from remembrancer.ingest.admit import admit
from remembrancer.learn.observer import AUTHOR
from remembrancer.learn.reflect.agreed import Agreed, agreed, says_the_same, words_of
from remembrancer.privacy.offers import ENGINE, MADE_OF
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.transactions.write import Writing
from remembrancer.types.classification import Classification, least_trust, most_restrictive
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Json, Kind, Record, Reflection, Source
from remembrancer.types.saved import Outcome
from remembrancer.types.scope import Scope

TYPE = "pattern"
# What is more than this is for those who were trusted with it.
_OPEN_TO_ALL = (Classification.PUBLIC, Classification.INTERNAL)
_PAGE = 1_000
# Ids that are kept of the insights behind one that is offered; metadata is bounded.
_MOST_IDS = 200


class Sharing:
    """Offers what several agents of a project have seen to the project's shared scope.

    An insight counts where any user of its agent may read it: it stands in a scope without a user, is active, and no
    more than internal. What was offered before, whatever became of it since, is not offered again.
    """

    def __init__(self, store: Store, desk: Desks) -> None:
        self._store = store
        self._desk = desk

    async def share(self, scope: Scope) -> int:
        """Offer what the agents of a scope's project have in common; how many insights were offered.

        Without a project there is none to share it in. An insight is read in its own scope, and none of them can be
        read from the shared one: that one keeps their ids in its metadata, and their least trust.
        """
        if scope.project is None:
            return 0
        insights = {
            own.agent: await self._insights(own)
            for own in await self._store.scopes()
            if own.agent is not None and own == Scope(tenant=scope.tenant, project=scope.project, agent=own.agent)
        }
        shared = Scope(tenant=scope.tenant, project=scope.project)
        # Of any status: what somebody has put aside is not offered again.
        wanted = Filter(kinds=(Kind.OBSERVATION, Kind.REFLECTION), statuses=tuple(Status))
        standing = [record.text for record in await self._desk(shared).read(lambda tx: _all(tx, wanted))]
        found = await run_sync(lambda: _news(agreed(insights), standing))
        if not found:
            return 0
        async with self._desk(shared).write() as writing:
            return sum([await self._offer(writing, one) for one in found])

    async def _insights(self, scope: Scope) -> list[Reflection]:
        wanted = Filter(kinds=(Kind.REFLECTION,), classifications=_OPEN_TO_ALL)
        found = await self._desk(scope).read(lambda tx: _all(tx, wanted))
        return [one for one in found if isinstance(one, Reflection) and one.scope == scope and not one.echo]

    async def _offer(self, writing: Writing, one: Agreed) -> bool:
        # What equals one that a person has rejected is refused.
        with suppress(NotAllowed):
            (saved,) = await admit(writing, [_draft(one)])
            return saved.outcome is Outcome.CREATED
        return False


def _news(found: Sequence[Agreed], standing: Sequence[str]) -> list[Agreed]:
    """Those that no text says already that stands, or has stood, in the shared scope."""
    alike: dict[frozenset[str], list[str]] = {}
    for text in standing if found else ():
        alike.setdefault(words_of(text), []).append(text)
    return [
        one for one in found if not any(says_the_same(text, one.text) for text in alike.get(words_of(one.text), ()))
    ]


def _draft(one: Agreed) -> Draft:
    """What is offered, by the least trust and the highest classification of what it rests on."""
    ids: list[Json] = [insight.id for insight in one.insights[:_MOST_IDS]]
    return Draft(
        text=one.text,
        type=TYPE,
        author=AUTHOR,
        source=Source.OBSERVER,
        occurred_at=max(insight.occurred_at for insight in one.insights),
        importance=max(insight.importance for insight in one.insights),
        trust=least_trust([insight.trust for insight in one.insights]),
        classification=most_restrictive([insight.classification for insight in one.insights]),
        metadata={MADE_OF: ids, "agents": one.agents},
        derived=Derived(engine=ENGINE, priority=max(insight.priority for insight in one.insights)),
    )


async def _all(tx: Tx, wanted: Filter) -> list[Record]:
    """Every memory that a transaction sees and that passes a filter."""
    found: list[Record] = []
    cursor: str | None = None
    while True:
        page = await tx.records.list(wanted, limit=_PAGE, cursor=cursor)
        found += page.records
        cursor = page.cursor
        if cursor is None:
            return found
