"""What three agents of a project have come to is offered to all of its agents, once, and nothing that is not theirs."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from remembrancer.ingest.admission import admit
from remembrancer.jobs.access_log import AccessLog
from remembrancer.jobs.background_worker import BackgroundWorker, WorkerOptions
from remembrancer.jobs.embeddings import EmbeddingService
from remembrancer.learn.deletion import delete
from remembrancer.privacy.erasure import Eraser
from remembrancer.privacy.insights import InsightSharing
from remembrancer.storage.base import Store
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.erasure import Subject
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import DueWork, Purpose
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Log
from remembrancer.types.record import Kind, Observation, Source
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification, Scope, Trust
from tests.databases import SECRET
from tests.doubles import CountingIds
from tests.engine import caching_of, desks_of, engine_of

pytestmark = pytest.mark.anyio

PROJECT = Scope(tenant="acme", project="apollo")
CLAIM = "Ana: The build of the payments service needs Java 21."
AGENTS = ("clerk", "scribe", "tester")


@dataclass(slots=True, kw_only=True)
class World:
    """Insights in scopes of one store."""

    store: Store
    clock: FakeClock = field(default_factory=FakeClock)
    ids: CountingIds = field(default_factory=CountingIds)

    @property
    def rules(self) -> Dependencies:
        return Dependencies(clock=self.clock, ids=self.ids, sign=self.store.sign)

    async def insight(
        self,
        scope: Scope,
        text: str = CLAIM,
        *,
        engine: str = "asking-reflector 1",
        priority: int = 3,
        status: Status | None = None,
        **given: Any,
    ) -> str:
        derived = Derived(engine=engine, priority=priority, place=1, insight=True)
        draft = Draft(text=text, type="discovery", source=Source.OBSERVER, derived=derived, **given)
        async with self.store.begin(Caller(scope=scope)) as tx:
            id = (await admit(WriteTransaction(tx, self.rules), [draft]))[0].record.id
            if status is not None:
                await tx.records.change(id, Change(status=status), at=self.clock.now(), terms=None)
        return id

    async def seen_by(self, *agents: str, text: str = CLAIM, **given: Any) -> list[str]:
        return [await self.insight(replace(PROJECT, agent=agent), text, **given) for agent in agents]

    async def share(self, scope: Scope = PROJECT) -> int:
        return await InsightSharing(self.store, desks_of(self.store, self.rules)).share(scope)

    async def shared(self, *statuses: Status, scope: Scope = PROJECT) -> Sequence[Observation]:
        async with self.store.snapshot(Caller(scope=scope)) as tx:
            wanted = Filter(kinds=(Kind.OBSERVATION,), statuses=statuses or (Status.ACTIVE,))
            page = await tx.records.list(wanted, limit=100, cursor=None)
        return [record for record in page.records if isinstance(record, Observation)]


@pytest.fixture(params=["sqlite", "postgres"])
def server(request: pytest.FixtureRequest) -> str:
    """The address of a server, or `""` for a file."""
    return request.getfixturevalue("database").serving_url if request.param == "postgres" else ""


@pytest.fixture
async def world(server: str) -> AsyncIterator[World]:
    opening = PostgresStore.open(server, secret=SECRET) if server else SQLiteStore.open(":memory:")
    async with opening as store:
        yield World(store=store)


async def test_what_three_agents_have_come_to_is_offered_once_with_its_evidence(world: World) -> None:
    ids = await world.seen_by(*AGENTS)
    assert await world.share() == 1
    (offered,) = await world.shared()
    assert (offered.text, offered.type, offered.scope) == (CLAIM, "pattern", PROJECT)
    assert (offered.author, offered.source, offered.engine) == ("remembrancer", Source.OBSERVER, "sharing 1")
    assert offered.metadata == {"insights": sorted(ids), "agents": 3}
    assert await world.shared(scope=replace(PROJECT, agent="newcomer", user="mira")) == [offered]

    await world.seen_by("fourth")
    assert await world.share() == await world.share(replace(PROJECT, agent="clerk", user="mira")) == 0
    assert await world.shared() == [offered]


async def test_two_agents_are_too_few_however_often_they_say_it(world: World) -> None:
    await world.seen_by("clerk", "clerk", "scribe", "scribe")
    assert await world.share() == 0


@pytest.mark.parametrize(
    "other",
    [
        "Ana: The build of the payments service does not need Java 21.",
        "Ana: The build of the payments service needs Java 17.",
        "Ben: The build of the payments service needs Java 21.",
        "Ana: The build of the payments service needs Java 21 since 2026-05-01.",
        "Ana: The test of the payments service needs Java 21.",
    ],
)
async def test_what_is_near_and_says_something_else_is_not_the_same(world: World, other: str) -> None:
    await world.seen_by("clerk", "scribe")
    await world.seen_by("tester", text=other)
    assert await world.share() == 0


@pytest.mark.parametrize("status", [Status.REJECTED, Status.ARCHIVED, Status.RETIRED])
async def test_what_was_put_aside_is_not_offered_again(world: World, status: Status) -> None:
    await world.seen_by(*AGENTS)
    await world.share()
    (offered,) = await world.shared()
    async with world.store.begin(Caller(scope=PROJECT)) as tx:
        await tx.records.change(offered.id, Change(status=status), at=world.clock.now(), terms=None)
    # More agents, who write the same in another way, which might be told instead.
    await world.seen_by("a", "b", "c", "d", text=CLAIM.upper())
    assert await world.share() == 0
    assert await world.shared() == []


async def test_what_was_deleted_is_not_offered_again(world: World) -> None:
    await world.seen_by(*AGENTS)
    await world.share()
    (offered,) = await world.shared()
    async with world.store.begin(Caller(scope=PROJECT)) as tx:
        await delete(WriteTransaction(tx, world.rules), offered.id)
    assert await world.share() == 0


async def test_what_a_person_has_saved_for_all_is_not_offered_beside_it(world: World) -> None:
    async with world.store.begin(Caller(scope=PROJECT)) as tx:
        await admit(WriteTransaction(tx, world.rules), [Draft(text=CLAIM, type="decision")])
    await world.seen_by(*AGENTS)
    assert await world.share() == 0


async def test_what_is_a_users_confidential_or_put_aside_stays_where_it_is(world: World) -> None:
    for agent in AGENTS:
        own = replace(PROJECT, agent=agent)
        await world.insight(replace(own, user="mira"))
        await world.insight(own, "The salary of the lead is 90,000.", classification=Classification.CONFIDENTIAL)
        await world.insight(own, "The old build needs Java 8.", status=Status.RETIRED)
        await world.insight(replace(own, project="gemini"), "The lander has four legs.")
        await world.insight(Scope(tenant="rival", project="apollo", agent=agent), "The rival builds with Bazel.")
    assert await world.share() == 0
    assert await world.share(Scope(tenant="acme")) == 0
    assert await world.shared(*Status) == []


async def test_private_regions_and_secrets_are_not_offered(world: World) -> None:
    await world.seen_by(*AGENTS, text="The vault opens with <private>tulip</private> every morning at the depot.")
    assert await world.share() == 1
    assert "tulip" not in (await world.shared())[0].text


async def test_the_least_trust_and_the_highest_classification_are_inherited(world: World) -> None:
    await world.seen_by("clerk", "scribe", classification=Classification.PUBLIC)
    await world.seen_by("tester", trust=Trust.UNTRUSTED)
    assert await world.share() == 1
    (offered,) = await world.shared()
    assert (offered.trust, offered.classification) == (Trust.UNTRUSTED, Classification.INTERNAL)


async def test_insights_by_words_alone_count_by_their_statements(world: World) -> None:
    said = "Ana: The build of the payments service needs Java 21."
    words = "words-reflector 1"
    await world.seen_by("clerk", text=f"Said 3 times between 2026-03-01 and 2026-03-04: {said}", engine=words)
    await world.seen_by("scribe", text=f"On 2026-03-02 {said} On 2026-03-09 Ben: Lunch is at noon.", engine=words)
    await world.seen_by("tester", text=f"On 2026-04-02 {said}", engine=words)
    touched = "Also spoken of between 2026-03-01 and 2026-03-09: tortoise, quokka, wombat, numbat."
    await world.seen_by(*AGENTS, text=touched, engine=words, priority=1)
    assert await world.share() == 1
    assert [offered.text for offered in await world.shared()] == [said]


async def test_the_sweep_shares_after_reflecting_and_says_how_much(world: World) -> None:
    await world.seen_by(*AGENTS)
    clerk = replace(PROJECT, agent="clerk")
    async with world.store.begin(Caller(scope=clerk)) as tx:
        await tx.logs.put(Log(session="s", places=1, tokens=50_000, fresh=50_000))
    distilling = engine_of(world.store, world.rules, clerk).conversations
    units, caching = desks_of(world.store, world.rules), caching_of(world.store, world.rules)
    worker = BackgroundWorker(
        world.store,
        units,
        world.rules,
        conversations=distilling,
        cache=caching,
        embeddings=EmbeddingService(world.store, units, world.rules, caching, None),
        access_log=AccessLog(world.store, units, world.rules),
        options=WorkerOptions(sharing=InsightSharing(world.store, units)),
    )
    done = await worker.do(DueWork(tenant="acme", purpose=Purpose.REFLECT))
    assert (done.shared, str(done).endswith("insights shared: 1")) == (1, True)
    assert len(await world.shared()) == 1


async def test_what_was_offered_goes_with_an_insight_that_is_erased_and_comes_again_where_three_bear_it(
    world: World,
) -> None:
    ids = await world.seen_by(*AGENTS)
    await world.share()
    async with desks_of(world.store, world.rules)(replace(PROJECT, agent="clerk")).write() as writer:
        await delete(writer, ids[0], erase=True)
    assert await world.shared(*Status) == []
    assert await world.share() == 0
    await world.seen_by("fourth")
    assert await world.share() == 1
    (offered,) = await world.shared()
    assert ids[0] not in str(offered.metadata)


async def test_erasing_an_agent_leaves_no_id_of_its_insights_in_what_was_offered(world: World) -> None:
    await world.seen_by(*AGENTS)
    await world.share()
    units = desks_of(world.store, world.rules)
    tenant = units(Scope(tenant="acme"))
    erasing = Eraser(
        store=world.store,
        rules=world.rules,
        cache=caching_of(world.store, world.rules),
        index_sync=None,
        unit_at=units,
        unit=tenant,
    )
    receipt = await erasing.erase(Subject.AGENT, "clerk", (), reason="it is retired")
    assert receipt.found == 0
    assert await world.shared(*Status) == []
