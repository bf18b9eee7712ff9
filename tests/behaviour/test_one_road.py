"""What comes by itself since everything is written by one road: who did it is told, and nothing is left behind."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime

import pytest

import remembrancer
from remembrancer import Memory, NewEpisode, NewMessage, NewObservation, Scope
from remembrancer.ingest.importers.turns import Turn
from remembrancer.search.external_index import ExternalIndexSync
from remembrancer.storage.base import Store
from remembrancer.storage.qdrant import QdrantIndex
from remembrancer.testing import FakeClock, HashEmbedder
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from tests.conversing import opened
from tests.doubles import CountingIds
from tests.engine import engine_of
from tests.factories import learned
from tests.finding import find

from .requirements import requirement
from .world import World

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]

ANA = Scope(tenant="acme", user="ana")
RIVAL = Scope(tenant="globex", user="ana")
TURN = Turn(conversation="chat", session="1", position=0, role="user", text="The heron nests in April")


@dataclass(frozen=True, slots=True, kw_only=True)
class Road:
    """A memory over either store, with an outside vector index beside it."""

    store: Store
    memory: Memory
    index_sync: ExternalIndexSync
    clock: FakeClock

    async def audited(self) -> int:
        """How often something was done, as the audit log says."""
        async with self.store.snapshot(Caller.engine(self.memory.scope)) as tx:
            return await tx.audit.count()


@pytest.fixture
async def road(db: str) -> AsyncGenerator[Road, None]:
    index = QdrantIndex(":memory:", collection="test")
    async with opened(db) as store:
        clock = FakeClock()
        rules = Dependencies(clock=clock, ids=CountingIds(), sign=store.sign)
        index_sync = ExternalIndexSync(store, index, clock, seconds=20.0)
        memory = engine_of(store, rules, ANA, embedder=HashEmbedder(64), index_sync=index_sync).memory
        yield Road(store=store, memory=memory, index_sync=index_sync, clock=clock)
    index.close()


@requirement("road.time-of-knowing")
async def test_a_caller_names_no_id_and_no_time_of_knowing(road: Road) -> None:
    engines_own = {"id", "recorded_at", "updated_at", "hash", "number", "status", "derived"}
    given = {field.name for new in (NewMessage, NewObservation, NewEpisode) for field in fields(new)}
    assert given & engines_own == set()
    assert not hasattr(remembrancer, "Draft")

    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    (saved,) = await road.memory.messages.record_many([NewMessage(text="It was foreseen", occurred_at=long_ago)])
    assert (saved.record.occurred_at, saved.record.recorded_at) == (long_ago, road.clock.now())
    assert (await road.memory.recall("foreseen", as_of=datetime(2021, 1, 1, tzinfo=UTC))).hits == ()


OUT_OF_RECALL: Mapping[str, Callable[[Memory, str], Awaitable[object]]] = {
    "wrong": lambda memory, id: memory.feedback(id, "wrong"),
    "dismiss": lambda memory, id: memory.feedback(id, "dismiss"),
    "pause": lambda memory, id: memory.patterns.pause(id),
    "retire": lambda memory, id: memory.patterns.retire(id),
    "delete": lambda memory, id: memory.delete(id),
    "erase": lambda memory, id: memory.governance.erasure.erase(memories=[id], reason="a test"),
    "edit": lambda memory, id: memory.edit(id, "Mails may be long"),
}


@requirement("road.outside-index")
@pytest.mark.parametrize("way", OUT_OF_RECALL)
async def test_what_leaves_recall_leaves_the_outside_index_at_once(road: Road, way: str) -> None:
    now = road.clock.now()
    habit = replace(learned("habit", scope=ANA), text="Mails are short", recorded_at=now, updated_at=now)
    async with road.memory._engine.unit_of_work(Caller.engine(ANA)).write() as writer:  # pyright: ignore[reportPrivateUsage]
        await writer.add([habit])
    await road.memory.admin.index.embed()
    assert await road.index_sync.lags() == []

    await OUT_OF_RECALL[way](road.memory, "habit")
    assert [lag.left_over for lag in await road.index_sync.lags()] == []
    assert "Mails are short" not in [hit.record.text for hit in (await road.memory.recall("short mails")).hits]


DEEDS: Mapping[str, Callable[[Memory, str], Awaitable[object]]] = {
    "pinned": lambda memory, id: memory.scores.pin(id),
    "unpinned": lambda memory, id: memory.scores.unpin(id),
    "rated": lambda memory, id: memory.scores.rate(id, 0.9),
    "boosted": lambda memory, id: memory.scores.boost(id, 0.1),
    "started": lambda memory, _: memory.sessions.start("talk"),
    "ended": lambda memory, _: memory.sessions.end("other"),
}


@requirement("road.audited")
@pytest.mark.parametrize("deed", DEEDS)
async def test_each_deed_is_one_entry_in_the_audit_log(road: Road, deed: str) -> None:
    id = (await road.memory.save("The heron nests in April")).record.id
    await road.memory.sessions.start("other")
    before = await road.audited()
    await DEEDS[deed](road.memory, id)
    assert await road.audited() == before + 1


@requirement("road.audited")
async def test_the_audit_log_says_who_did_it_and_through_which_door(world: World) -> None:
    scope = world.memory.scope
    rules = Dependencies(clock=world.clock, ids=world.ids, sign=world.store.sign)
    caller = Caller(scope=scope, actor="ana", origin="console")
    memory = engine_of(world.store, rules, scope, caller=caller).memory
    id = (await memory.save("The heron nests in April")).record.id
    for do in DEEDS.values():
        await memory.sessions.start("other")
        await do(memory, id)
    told = world.read("SELECT action, origin FROM audit")
    assert {(action, "console") for action in (*DEEDS, "created", "resumed")} == set(told)
    # A name is told as a fingerprint, so that erasing the key of its scope erases it.
    (actor,) = world.read("SELECT DISTINCT actor FROM audit")[0]
    assert actor not in ("", "ana")


@requirement("road.ids-a-tenant")
async def test_two_tenants_import_the_same_chat_and_neither_is_in_the_others_way(road: Road) -> None:
    rival = road.memory.within(RIVAL)
    for memory in (road.memory, rival):
        assert (await memory.messages.import_turns([TURN])).created == 1
        assert (await memory.messages.import_turns([TURN])).deduped == 1
    ids = [(await memory.list()).records[0].id for memory in (road.memory, rival)]
    assert len(set(ids)) == 2
    assert await find(rival, ids[0]) is None


@requirement("road.ids-a-tenant")
async def test_one_id_stands_in_two_tenants(road: Road) -> None:
    for scope in (ANA, RIVAL):
        async with road.memory._engine.unit_of_work(Caller.engine(scope)).write() as writer:  # pyright: ignore[reportPrivateUsage]
            await writer.add([replace(learned("same", scope=scope), text=f"of {scope.tenant}")])
    assert (await road.memory.get("same")).text == "of acme"
    assert (await road.memory.within(RIVAL).get("same")).text == "of globex"
    await road.memory.within(RIVAL).governance.erasure.erase(memories=["same"], reason="a test")
    assert (await road.memory.get("same")).text == "of acme"
