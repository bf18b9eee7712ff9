"""Tenants in several databases: placed, moved while in use, moved by a process that is killed."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from anyio import from_thread
from anyio.to_thread import run_sync

from remembrancer import Filter, Memory, Scope, open_memory
from remembrancer.assembly.administration import copy_store
from remembrancer.assembly.placements import cancel_move, move_tenant, place_tenant, tenant_placements
from remembrancer.errors import Conflict, InvalidInput, NotFound, StoreError, StoreUnavailable
from remembrancer.open import run_worker
from remembrancer.storage.postgres import moving
from remembrancer.storage.postgres.connection import READ
from remembrancer.storage.postgres.moving import MoveStage, Side
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.postgres.roles import prepare
from remembrancer.types.placements import MovedTable
from tests.copying.filling import fill
from tests.databases import LOGIN, SECRET, Database, as_admin, fresh
from tests.postgres_server import PostgresServer

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(240)]
TENANT = "local"
# The last changes are the second that are caught up, while writers wait. Then everything is compared again.
KILLS = [
    [MoveStage.COPIED] * 5,
    [MoveStage.COMPARED],
    [MoveStage.CAUGHT_UP],
    [MoveStage.CAUGHT_UP] * 2,
    [MoveStage.CAUGHT_UP, MoveStage.COMPARED],
    [MoveStage.EMPTIED],
]


@pytest.fixture
def main(postgres_admin_url: str) -> Iterator[Database]:
    with fresh(postgres_admin_url) as database:
        yield database


@pytest.fixture
def east(postgres_admin_url: str) -> Iterator[Database]:
    """Its tables are partitioned, those of the main one are not."""
    with fresh(postgres_admin_url, partitions=3) as database:
        yield database


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """A server of its own, which may stop."""
    with PostgresServer() as server:
        yield server


@pytest.fixture
def west(server: PostgresServer) -> str:
    """The address of a database there."""
    prepare(server.url(), role=LOGIN, password=LOGIN)
    return server.url(user=LOGIN, password=LOGIN)


@pytest.fixture
def settings(main: Database, east: Database) -> dict[str, Any]:
    return {
        "db": main.serving_url,
        "databases": {"east": east.serving_url},
        "secret_key": SECRET,
        "embedder": "hash",
        "background": False,
    }


class Killed(BaseException):
    """The process of a move ends."""


async def rows_of(database: Database, tenant: str = TENANT) -> dict[str, MovedTable]:
    """The rows of a tenant in a database by table, without empty ones and without the audit log."""

    def read() -> dict[str, MovedTable]:
        with connected(database.serving_url) as raw:
            side = Side("", raw, tenant)
            with side.transaction(READ):
                digests = side.digests(side.tables())
        return {name: one for name, one in digests.items() if one.rows and name != "audit"}

    return await run_sync(read)


@pytest.fixture
async def full(main: Database, settings: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    """The settings of two databases, of which the main one has rows in all tables."""
    await fill(tmp_path / "m.db")
    settings["secret_key"] = (tmp_path / "m.db.key").read_text().strip()
    await copy_store(str(tmp_path / "m.db"), main.serving_url, secret_key=settings["secret_key"])
    return settings


@requirement("databases.moves")
@pytest.mark.parametrize("tenant", ["acme", "Ünïcode & 'quotes'"])
async def test_all_rows_of_a_tenant_move_there_and_back(
    main: Database, east: Database, full: dict[str, Any], tenant: str
) -> None:
    before, of_rival = await rows_of(main, tenant), await rows_of(main, "rival")
    receipt = await move_tenant(tenant, "east", **full)
    assert (receipt.former, receipt.database, receipt.is_compared) == ("main", "east", True)
    assert {name: one for name, one in receipt.tables.items() if name != "audit"} == before
    assert await rows_of(main, tenant) == {}
    async with open_memory(**full) as memory:
        (latest, *_) = await memory.within(Scope(tenant=tenant)).governance.audit.list(limit=1)
        assert (latest.action, latest.kind) == ("moved", "tenant")
        verified = await memory.within(Scope(tenant=tenant)).governance.audit.verify()
        assert (verified.broken, verified.lost) == ((), 0)
    # The entry of the move is of the tenant's own scope, and counted.
    there = await rows_of(east, tenant)
    assert {name for name in before if there[name] != before[name]} <= {"scopes", "counters"}
    # Run again, it shows what was done.
    assert await move_tenant(tenant, "east", **full) == receipt
    back = await move_tenant(tenant, "main", **full)
    assert await rows_of(east, tenant) == {}
    assert {name: one for name, one in back.tables.items() if name != "audit"} == there
    assert await rows_of(main, "rival") == of_rival
    async with open_memory(**full) as memory:
        verified = await memory.within(Scope(tenant=tenant)).governance.audit.verify()
        assert (verified.broken, verified.lost) == ((), 0)


@requirement("databases.moves")
async def test_a_tenant_moves_while_it_is_in_use(settings: dict[str, Any]) -> None:
    saved: list[str] = []
    begun, moved = anyio.Event(), anyio.Event()

    async def write(memory: Memory, name: str) -> None:
        number = 0
        while not moved.is_set() or number < 5:
            text = f"The {name} lantern number {number} stands in hall {number}."
            kept = await memory.save(text)
            saved.append(text)
            if len(saved) == 6:
                begun.set()
            if number % 3 == 2:
                await memory.feedback(kept.record.id, "wrong")
            shown = await memory.list(Filter(statuses=["active", "rejected"]), limit=3)
            assert text in {one.text for one in shown.records}
            number += 1
            await anyio.sleep(0.1)

    async with open_memory(**settings) as first, open_memory(**settings) as second:
        async with anyio.create_task_group() as tasks:
            for place, memory in enumerate((first, second)):
                tasks.start_soon(write, memory.within(Scope(tenant="busy", user=f"u{place}")), f"writer {place}")
            await begun.wait()
            for database in ("east", "main"):
                receipt = await move_tenant("busy", database, **settings)
                assert receipt.is_compared
                assert receipt.waited_seconds is not None
                assert 0 < receipt.waited_seconds < 2
            moved.set()
        found: list[str] = []
        for place in range(2):
            memory = second.within(Scope(tenant="busy", user=f"u{place}"))
            page = await memory.list(Filter(statuses=["active", "rejected"]), limit=1000)
            found += [one.text for one in page.records]
        assert sorted(found) == sorted(saved)
    placements, databases = await tenant_placements(**settings)
    assert [(one.tenant, one.database) for one in placements] == [("busy", "main")]
    assert [(one.name, one.answers) for one in databases] == [("main", True), ("east", True)]


@requirement("databases.killed")
async def test_a_move_that_is_killed_anywhere_is_run_again(
    main: Database, east: Database, full: dict[str, Any]
) -> None:
    places, scope = {"main": main, "east": east}, Scope(tenant="acme", project="apollo", user="bob")
    names = ["main", "east"]
    async with open_memory(**full) as memory:
        own = memory.within(scope)
        for number, stages in enumerate(KILLS):
            former, target = names
            before = await rows_of(places[former], "acme")
            with pytest.raises(Killed):
                await move_tenant("acme", target, progress=_killing(*stages), **full)
            # Callers notice nothing, wherever it was killed.
            text = f"The heron number {number} stands at the mill."
            kept = await own.save(text)
            assert text in {hit.record.text for hit in (await own.recall(text)).hits}
            await move_tenant("acme", target, **full)
            after = await rows_of(places[target], "acme")
            assert await rows_of(places[former], "acme") == {}
            assert after["records"].rows == before["records"].rows + 1
            assert (await own.get(kept.record.id)).text == text
            names.reverse()
        verified = await memory.within(Scope(tenant="acme")).governance.audit.verify()
        assert (verified.broken, verified.lost) == ((), 0)
        # The file that it was filled from has one.
        assert [one.finding.fault.value for one in await memory.admin.doctor()] == ["half-built-generation"]


@requirement("databases.killed")
async def test_a_move_back_that_gives_up_leaves_the_tenant_where_it_is(
    east: Database, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_ATTEMPTS", 1)
    monkeypatch.setattr(moving, "_PAUSE_SECONDS", 0.0)
    async with open_memory(**settings) as memory:
        await memory.save("The heron stands at the mill.")
    await move_tenant(TENANT, "east", **settings)

    def hold() -> psycopg.Connection[Any]:
        writer = psycopg.connect(east.serving_url)
        writer.execute("SELECT pg_advisory_xact_lock_shared(3, hashtext(%s))", (TENANT,))
        return writer

    writer = await run_sync(hold)
    try:
        with pytest.raises(Conflict, match="nothing was moved"):
            await move_tenant(TENANT, "main", **settings)
    finally:
        await run_sync(writer.close)
    async with open_memory(**settings) as memory:
        assert [one.text for one in (await memory.list()).records] == ["The heron stands at the mill."]
        await memory.save("The otter swims.")
    assert (await rows_of(east))["records"].rows == 2


@requirement("databases.killed")
async def test_two_moves_that_are_killed_in_turn_lose_nothing(
    main: Database, east: Database, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_memory(**settings) as memory:
        await memory.save("The heron stands at the mill.")
    for place, database in ((moving.Move, "east"), (moving.Side, "main")):
        with monkeypatch.context() as patched, suppress(Killed):
            patched.setattr(place, "_open_target" if place is moving.Move else "empty", _die)
            await move_tenant(TENANT, database, **settings)
    for database, rows in (("east", east), ("main", main), ("east", east)):
        with suppress(Conflict, InvalidInput):
            await move_tenant(TENANT, database, **settings)
            assert (await rows_of(rows))["records"].rows == 1
    async with open_memory(**settings) as memory:
        assert [one.text for one in (await memory.list()).records] == ["The heron stands at the mill."]


def _die(*_: object) -> None:
    raise Killed


@requirement("databases.killed")
async def test_a_killed_move_is_named_everywhere_until_it_is_cancelled(
    main: Database, east: Database, full: dict[str, Any]
) -> None:
    before = await rows_of(main, "acme")
    with pytest.raises(Killed):
        await move_tenant("acme", "east", progress=_killing(*KILLS[0]), **full)
    assert await rows_of(east, "acme") != {}
    (placed,) = [one for one in (await tenant_placements(**full))[0] if one.tenant == "acme"]
    assert (placed.database, placed.moving_to, placed.left_over) == ("main", "east", ("east",))
    async with open_memory(**full) as memory:
        (found,) = [one for one in await memory.admin.doctor() if one.finding.fault.value == "unfinished-move"]
        assert found.finding.where == ("acme in main (moving: east)",)
        erasing = memory.within(Scope(tenant="acme")).governance.erasure
        for copies in ((await erasing.plan(user="bob")).beyond, (await erasing.erase(user="bob", reason="x")).beyond):
            assert "the database 'east', which has rows of an unfinished move" in copies[-1]
        stays, deleted = await cancel_move("acme", **full)
        assert stays.database == "main"
        assert deleted > 0
        assert await rows_of(east, "acme") == {}
        assert "unfinished-move" not in {one.finding.fault.value for one in await memory.admin.doctor()}
        assert "east" not in str((await erasing.erase(project="apollo", reason="x")).beyond)
    assert 0 < (await rows_of(main, "acme"))["records"].rows < before["records"].rows
    with pytest.raises(InvalidInput, match="'acme' is in 'main' and is not moving"):
        await cancel_move("acme", **full)
    # Killed after the cut-over, it is finished.
    with pytest.raises(Killed):
        await move_tenant("acme", "east", progress=_killing(*KILLS[4]), **full)
    with pytest.raises(Conflict, match="has left 'main' already"):
        await cancel_move("acme", **full)
    assert (await move_tenant("acme", "east", **full)).waited_seconds is None


@requirement("databases.killed")
async def test_a_move_to_a_database_that_is_lost_is_cancelled_without_it(
    main: Database, east: Database, full: dict[str, Any]
) -> None:
    with pytest.raises(Killed):
        await move_tenant("acme", "east", progress=_killing(*KILLS[0]), **full)
    lost: dict[str, Any] = {**full, "databases": {"east": "postgresql://nobody@127.0.0.1:1/lost"}}
    scope = Scope(tenant="acme")
    async with open_memory(**full) as memory:
        await memory.within(scope).save("The heron stands at the mill.")
        assert await run_sync(logged, main) > 0
        with pytest.raises(StoreUnavailable):
            await cancel_move("acme", **lost)
        stays, deleted = await cancel_move("acme", is_target_lost=True, **lost)
        assert (stays.database, deleted) == ("main", 0)
        await memory.within(scope).save("The otter swims.")
        assert await run_sync(logged, main) == 0
    with pytest.raises(InvalidInput, match="'acme' is in 'main' and is not moving"):
        await cancel_move("acme", is_target_lost=True, **lost)
    # The database was not lost after all.
    assert await rows_of(east, "acme") != {}
    assert (await cancel_move("acme", **full))[1] > 0
    assert await rows_of(east, "acme") == {}
    receipt = await move_tenant("acme", "east", **full)
    assert receipt.is_compared
    assert {name: one.rows for name, one in (await rows_of(east, "acme")).items() if name != "audit"} == {
        name: one.rows for name, one in receipt.tables.items() if name != "audit"
    }


@requirement("databases.killed")
async def test_copies_of_an_erased_tenant_are_deleted_where_its_move_was_forgotten(
    east: Database, full: dict[str, Any]
) -> None:
    with pytest.raises(Killed):
        await move_tenant("acme", "east", progress=_killing(*KILLS[0]), **full)
    await cancel_move("acme", is_target_lost=True, **full)
    async with open_memory(**full) as memory:
        erasure = memory.within(Scope(tenant="acme")).governance.erasure
        receipt = await erasure.erase(tenant="acme", reason="asked for")
        assert "the database 'east'" in receipt.beyond[-1]
        assert [one.finding.where for one in await memory.admin.doctor() if "move" in one.finding.fault.value] != []
    assert await rows_of(east, "acme") != {}
    assert (await cancel_move("acme", **full))[1] > 0
    assert await rows_of(east, "acme") == {}
    assert "acme" not in {one.tenant for one in (await tenant_placements(**full))[0] if one.left_over}
    await place_tenant("acme", "east", **full)


def logged(database: Database) -> int:
    """Return the number of changes that are logged for moves."""
    with psycopg.connect(database.admin_url) as admin:
        ((count,),) = admin.execute("SELECT COUNT(*) FROM remembrancer.logged_changes").fetchall()
    return count


@requirement("databases.killed")
async def test_a_name_comes_back_to_a_database_that_its_tenant_had_left(settings: dict[str, Any]) -> None:
    scope = Scope(tenant="acme")
    async with open_memory(**settings) as memory:
        await memory.within(scope).save("The heron stands at the mill.")
        with pytest.raises(Killed):
            await move_tenant("acme", "east", progress=_killing(*KILLS[0]), **settings)
        # The settings name the other database no longer.
        other: dict[str, Any] = {**settings, "databases": {"west": settings["databases"]["east"]}}
        with pytest.raises(InvalidInput, match="there is no database 'east'"):
            await cancel_move("acme", **other)
        await cancel_move("acme", **settings)
        # A move that was cancelled is no move.
        with pytest.raises(InvalidInput, match="nothing is to be moved"):
            await move_tenant("acme", "main", **settings)
        await move_tenant("acme", "east", **settings)
        await move_tenant("acme", "main", **settings)
        await memory.within(scope).governance.erasure.erase(tenant="acme", reason="asked for")
    await place_tenant("acme", "east", **settings)
    async with open_memory(**settings) as memory:
        await memory.within(scope).save("The otter swims.")
        assert [one.text for one in (await memory.within(scope).list()).records] == ["The otter swims."]
    (placed,) = (await tenant_placements(**settings))[0]
    assert (placed.tenant, placed.database, placed.left_over) == ("acme", "east", ())


@requirement("databases.killed")
async def test_a_move_that_is_killed_while_the_target_is_emptied_is_cancelled(
    main: Database, full: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(Killed):
        await move_tenant("acme", "east", progress=_killing(*KILLS[4]), **full)
    # The rows are still in the main database, to which it returns.
    monkeypatch.setattr(moving.Side, "empty", _die)
    with pytest.raises(Killed):
        await move_tenant("acme", "main", **full)
    monkeypatch.undo()
    (placed,) = [one for one in (await tenant_placements(**full))[0] if one.tenant == "acme"]
    assert (placed.database, placed.moving_to, placed.left_over) == ("east", "main", ("main",))
    await cancel_move("acme", **full)
    assert await rows_of(main, "acme") == {}


@requirement("databases.killed")
async def test_a_cancelled_caller_stops_the_move(main: Database, east: Database, full: dict[str, Any]) -> None:
    before = await rows_of(main, "acme")
    reached = 0
    with anyio.CancelScope() as scope:

        def progress(stage: MoveStage, _rows: int) -> None:
            nonlocal reached
            reached += stage is MoveStage.COPIED
            if reached == 2:
                from_thread.run_sync(scope.cancel)

        await move_tenant("acme", "east", progress=progress, **full)
    assert scope.cancelled_caught
    with anyio.fail_after(30):
        while True:
            with suppress(Conflict):
                await cancel_move("acme", **full)
                break
            await anyio.sleep(0.1)
    assert reached < 5
    assert await rows_of(main, "acme") == before
    assert await rows_of(east, "acme") == {}


@requirement("databases.moves")
async def test_what_is_erased_while_it_is_copied_is_nowhere_afterwards(
    main: Database, east: Database, full: dict[str, Any]
) -> None:
    scope = Scope(tenant="acme", project="apollo", user="bob")
    async with open_memory(**full) as memory:
        is_erased = False

        def erase(stage: MoveStage, _rows: int) -> None:
            nonlocal is_erased
            if stage is MoveStage.COMPARED and not is_erased:
                is_erased = True
                erasing = memory.within(Scope(tenant="acme")).governance.erasure.erase
                from_thread.run(lambda: erasing(user="bob", reason="asked for"))

        await memory.within(scope).save("The heron stands at the mill.")
        assert (await move_tenant("acme", "east", progress=erase, **full)).is_compared
        assert [one for one in (await memory.within(scope).list()).records if one.scope == scope] == []
        assert await rows_of(main, "acme") == {}
    found = await run_sync(lambda: as_admin(east, "SELECT 1 FROM records WHERE text LIKE '%%heron%%'"))
    assert found == []


def _killing(*stages: MoveStage) -> Callable[[MoveStage, int], None]:
    """Progress that ends the move where it has reached some stages, in this order."""
    left = list(stages)

    def die(at: MoveStage, _rows: int) -> None:
        if at is left[0]:
            del left[0]
        if not left:
            raise Killed

    return die


@requirement("databases.moves")
async def test_a_new_tenant_is_placed_and_open_memories_follow(settings: dict[str, Any], east: Database) -> None:
    async with open_memory(**settings, embed_on_write=False) as memory:
        await place_tenant("placed", "east", **settings)
        # Placed again, it stays.
        await place_tenant("placed", "east", **settings)
        placed = memory.within(Scope(tenant="placed"))
        await placed.save("The heron stands at the mill.")
        await memory.save("The otter swims.")
        assert await memory.admin.tenants() == ["local", "placed"]
        # A worker does the work of all databases.
        assert {one.tenant for one in (await memory.admin.background()).due} == {"local", "placed"}
        await run_worker(once=True, **settings)
        assert await memory.admin.index.missing() == 0
        assert [hit.record.text for hit in (await placed.recall("heron")).hits] == ["The heron stands at the mill."]
    assert (await rows_of(east, "placed"))["records"].rows == 1
    for tenant, database, error in (
        ("local", "east", Conflict),
        ("placed", "main", InvalidInput),
        ("other", "west", InvalidInput),
        ("", "east", InvalidInput),
    ):
        with pytest.raises(error):
            await place_tenant(tenant, database, **settings)
    own: dict[str, Any] = {**settings, "db": east.serving_url, "databases": {}}
    async with open_memory(**own) as memory:
        await memory.within(Scope(tenant="adopted")).save("It was here before.")
        await memory.save("Of a store of its own.")
    with pytest.raises(Conflict, match="'east' has memories of a tenant 'local' of its own"):
        await move_tenant("local", "east", **settings)
    assert (await rows_of(east, "local"))["records"].rows == 1
    await place_tenant("adopted", "east", **settings)
    async with open_memory(**settings) as memory:
        assert [one.text for one in (await memory.within(Scope(tenant="adopted")).list()).records] == [
            "It was here before."
        ]
    with pytest.raises(NotFound):
        await move_tenant("nobody", "east", **settings)
    with pytest.raises(InvalidInput, match="there is no database 'west'"):
        await move_tenant("local", "west", **settings)
    with pytest.raises(InvalidInput, match="nothing is to be moved"):
        await move_tenant("local", "main", **settings)
    alone: dict[str, Any] = {**settings, "databases": {}}
    with pytest.raises(InvalidInput, match="REMEMBRANCER_DATABASES"):
        await tenant_placements(**alone)
    async with open_memory(**alone) as memory:
        with pytest.raises(StoreError, match="REMEMBRANCER_DATABASES"):
            await memory.within(Scope(tenant="placed")).recall("heron")
        (found,) = await memory.admin.doctor()
        assert "REMEMBRANCER_DATABASES does not name it" in found.finding.where[0]


@requirement("databases.away")
async def test_while_a_database_is_away_the_tenants_of_the_others_go_on(
    server: PostgresServer, west: str, settings: dict[str, Any]
) -> None:
    settings["databases"] = {"west": west}
    await place_tenant("far", "west", **settings)
    async with open_memory(**settings) as memory:
        far = memory.within(Scope(tenant="far"))
        await far.save("The heron stands at the mill.")
        await memory.save("The otter swims.")
        await run_sync(server.stop)
        # Of one that opens meanwhile, too.
        async with open_memory(**settings) as other:
            for each in (memory, other):
                with pytest.raises(StoreUnavailable):
                    await each.within(Scope(tenant="far")).recall("heron")
                assert [hit.record.text for hit in (await each.recall("otter")).hits] == ["The otter swims."]
                assert await each.admin.tenants() == ["far", "local"]
                found = {one.finding.fault.value for one in await each.admin.doctor()}
                assert "database-away" in found
                assert (await each.authenticator.ready())["databases"] is False
                assert ((await each.admin.stats()).away, (await each.admin.background()).away) == (["west"], ["west"])
        placements, databases = await tenant_placements(**settings)
        assert [(one.tenant, one.database) for one in placements] == [("far", "west"), ("local", "main")]
        assert [(one.name, one.answers) for one in databases] == [("main", True), ("west", False)]
        await run_sync(server.start)
        found = None
        with anyio.fail_after(30):
            while found is None:
                with suppress(StoreUnavailable):
                    found = await far.recall("heron")
        assert [hit.record.text for hit in found.hits] == ["The heron stands at the mill."]
        assert (await memory.authenticator.ready())["databases"] is True


@requirement("databases.away")
async def test_replicas_of_each_database_answer(server: PostgresServer, west: str, settings: dict[str, Any]) -> None:
    def follower() -> PostgresServer:
        replica = PostgresServer(primary=server)
        replica.start()
        return replica

    await place_tenant("far", "west", **{**settings, "databases": {"west": west}})
    replica = await run_sync(follower)
    try:
        opened: dict[str, Any] = {
            **settings,
            "databases": {"west": west},
            "replicas": [f"west={replica.url(user=LOGIN, password=LOGIN)}"],
        }
        async with open_memory(**opened) as memory:
            far = memory.within(Scope(tenant="far"))
            await far.save("The heron stands at the mill.")
            store = memory._engine.store  # pyright: ignore[reportPrivateUsage] -- no method of a memory returns it
            assert [one.status.value for one in await store.replicas(look=True)] == ["ready"]
            assert [hit.record.text for hit in (await far.recall("heron")).hits] == ["The heron stands at the mill."]
            (state,) = await store.replicas()
            assert state.reads + state.missed > 0
        opened["replicas"] = [f"north={west}"]
        with pytest.raises(InvalidInput, match="replicas names the database 'north'"):
            async with open_memory(**opened):
                pass
    finally:
        await run_sync(replica.close)


@requirement("databases.away")
async def test_databases_that_do_not_fit_are_refused(settings: dict[str, Any], east: Database) -> None:
    async with open_memory(east.serving_url, embedder="none", secret_key="another key than that of the tests"):
        pass
    with pytest.raises(StoreError, match="key"):
        await place_tenant("new", "east", **settings)
    unfit: Any
    for unfit in ({"main": east.serving_url}, {"East": east.serving_url}, {"east": "m.db"}):
        with pytest.raises(InvalidInput, match="databases"):
            await tenant_placements(**{**settings, "databases": unfit})
    with pytest.raises(InvalidInput, match="REMEMBRANCER_DATABASES"):
        async with open_memory("m.db", databases={"east": east.serving_url}):
            pass
