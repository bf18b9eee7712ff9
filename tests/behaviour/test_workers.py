"""Workers as processes of their own, killed without warning, on a real database."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from bench.workers import run
from remembrancer import RemembrancerError, Scope
from remembrancer.jobs import background_worker
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.open import open_memory, run_worker
from remembrancer.search import embedding
from remembrancer.types.jobs import MaintenanceRun
from tests.databases import SECRET, Database

from .requirements import requirement


@pytest.fixture(params=["file", "server"])
def db(request: pytest.FixtureRequest, database: Database, tmp_path: Path) -> str:
    """A store of each kind, without memories."""
    return str(tmp_path / "m.db") if request.param == "file" else database.serving_url


@pytest.mark.slow
@requirement("workers.killed-lose-nothing")
def test_nothing_is_lost_and_nothing_done_twice_when_workers_are_killed(database: Database, tmp_path: Path) -> None:
    outcome = run(
        seconds=4,
        workers=2,
        writers=1,
        admin_url=database.admin_url,
        url=database.serving_url,
        secret=SECRET,
        folder=tmp_path,
    )
    assert outcome.kills >= 1
    assert outcome.holds, outcome


@requirement("workers.due-is-derived")
@pytest.mark.anyio
async def test_one_round_of_work_makes_the_vectors_that_are_missing(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    async with open_memory(path, embedder="none", background=False) as memory:
        await memory.save("the heron stands in the reeds")
    told: list[str] = []
    done = await run_worker(path, embedder="hash", once=True, progress=told.append, nightly=False)
    assert (done.embedded, done.closed) == (1, 0)
    assert told == [f"embed for local: {done}"]
    assert (await run_worker(path, embedder="hash", once=True, nightly=False)).embedded == 0


@requirement("workers.turns")
@pytest.mark.anyio
async def test_no_tenants_vectors_hold_up_the_others(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_worker, "_EMBED_SECONDS", 0.0)
    monkeypatch.setattr(embedding, "_FIRST_BATCH", 1)
    monkeypatch.setattr(embedding, "BATCH_SIZE", 1)
    async with open_memory(db, embedder="none", background=False, secret_key=SECRET) as memory:
        for tenant in ("ana", "ben"):
            for number in range(3):
                await memory.within(Scope(tenant=tenant)).save(f"the heron {number} stands in the reeds")
    done: list[str] = []
    with anyio.CancelScope() as scope:

        def note(line: str) -> None:
            if line.startswith("embed"):
                done.append(line.split()[2].strip(":"))
            if len(done) == 6:
                scope.cancel()

        # Two pauses between searches would end the test; one may pass where the queue misses its first notification.
        with anyio.fail_after(75):
            await run_worker(db, embedder="hash", secret_key=SECRET, nightly=False, poll_seconds=40, progress=note)
    assert set(done[:2]) == set(done[2:4]) == set(done[4:]) == {"ana", "ben"}
    assert (await run_worker(db, embedder="hash", secret_key=SECRET, once=True, nightly=False)).embedded == 0


@requirement("workers.turns")
@pytest.mark.anyio
async def test_one_round_by_hand_does_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_worker, "_EMBED_SECONDS", 0.0)
    path = str(tmp_path / "m.db")
    async with open_memory(path, embedder="none", background=False) as memory:
        for number in range(60):
            await memory.save(f"the heron {number} stands in the reeds")
    assert (await run_worker(path, embedder="hash", once=True, nightly=False)).embedded == 60


@requirement("workers.turns")
@pytest.mark.anyio
async def test_vectors_of_another_embedder_are_made_anew_once(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background_worker, "_EMBED_SECONDS", 0.02)
    settings: dict[str, Any] = {"secret_key": SECRET, "nightly": False}
    async with open_memory(db, embedder="hash", background=False, secret_key=SECRET) as memory:
        for number in range(12):
            await memory.within(Scope(user=f"u{number % 4}")).save(f"the heron {number} stands in the reeds")
    async with open_memory(db, embedder="none", background=False, secret_key=SECRET) as memory:
        await memory.save("the otter has no vector yet")
    with anyio.fail_after(60):
        assert (await run_worker(db, embedder="wordllama", once=True, **settings)).embedded == 13
        assert (await run_worker(db, embedder="wordllama", once=True, **settings)).embedded == 0
    made: list[str] = []
    with anyio.move_on_after(8 if "://" in db else 3):
        await run_worker(db, embedder="hash", poll_seconds=0.5, progress=made.append, **settings)
    assert sum(int(line.rpartition("embedded: ")[2]) for line in made) == 13


@requirement("workers.one-scope-fails")
@pytest.mark.anyio
async def test_where_the_work_of_one_scope_fails_that_of_the_others_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "m.db")
    for user in ("ana", "ben", "cleo"):
        async with open_memory(path, user=user, embedder="none", background=False) as memory:
            await memory.episodes.record("filed the contract")
    run = MaintenanceRunner.run

    async def failing(self: MaintenanceRunner, scope: Scope, **named: Any) -> MaintenanceRun:
        if scope.user == "ben":
            raise TypeError("a fault of ours")
        return await run(self, scope, **named)

    with monkeypatch.context() as patch:
        patch.setattr(MaintenanceRunner, "run", failing)
        with pytest.raises(RemembrancerError, match=r"nightly failed in 1 scopes, first in .*ben.*: TypeError"):
            await run_worker(path, embedder="none", once=True)
    assert (await run_worker(path, embedder="none", once=True)).nights == 1
