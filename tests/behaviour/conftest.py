"""Worlds for the tests of behaviour, with an embedder and by words alone; and memories over either store."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from remembrancer.assembly import engine
from remembrancer.testing import FakeClock, HashEmbedder
from tests.answers import Answers, answering
from tests.learning import Life, lived

from .far import FAR, NEAR, maybe_far
from .opener import Opener
from .world import World, opened

STORES = ("sqlite", "postgres")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave to the soak what behaves on PostgreSQL as on SQLite; leave out, through REST, what is of the library alone.

    That both stores do the same is shown by their contract.
    """
    here = Path(__file__).parent
    for item in items:
        call: Any = getattr(item, "callspec", None)
        is_postgres = call is not None and call.params.get("where") == "postgres"
        if is_postgres and here in item.path.parents and not item.get_closest_marker("both_stores"):
            item.add_marker(pytest.mark.slow)
    for item in items if FAR else ():
        if reason := NEAR.get(item.name.partition("[")[0]):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World, None]:
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(opened(tmp_path / "memory.db", embedder=HashEmbedder(512)))
        yield replace(world, memory=await maybe_far(world.memory, stack))


@pytest.fixture
async def wordy(tmp_path: Path) -> AsyncGenerator[World, None]:
    """A world without an embedder."""
    async with AsyncExitStack() as stack:
        world = await stack.enter_async_context(opened(tmp_path / "memory.db", embedder=None))
        yield replace(world, memory=await maybe_far(world.memory, stack))


@pytest.fixture(params=STORES)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Where an empty store is."""
    if request.param == "postgres":
        # Loaded only by the tests that need it.
        from tests.databases import SECRET, Database

        database: Database = request.getfixturevalue("database")
        return {"db": database.serving_url, "secret_key": SECRET}
    return {"db": str(tmp_path / "m.db")}


@pytest.fixture
def model() -> Generator[Answers]:
    """A server of a language model whose answers a test decides."""
    with answering() as made:
        yield made


@pytest.fixture
async def opener(where: dict[str, Any]) -> AsyncGenerator[Opener, None]:
    async with AsyncExitStack() as stack:
        yield Opener(where, stack)


@pytest.fixture
async def on_disk(tmp_path: Path) -> AsyncGenerator[Opener, None]:
    """Opens memories over one file, where the store makes no difference."""
    async with AsyncExitStack() as stack:
        yield Opener({"db": str(tmp_path / "m.db")}, stack)


@pytest.fixture
def db(where: dict[str, Any]) -> str:
    """The name or the address of an empty store, for any number of processes."""
    return where["db"]


@pytest.fixture
async def life(db: str) -> AsyncGenerator[Life, None]:
    """A life over either store, from which an agent learns."""
    async with AsyncExitStack() as stack:
        life = await stack.enter_async_context(lived(db))
        yield replace(life, memory=await maybe_far(life.memory, stack))


@pytest.fixture
def new_life(
    where: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest
) -> Callable[[], AbstractAsyncContextManager[Life]]:
    """A function that opens a life over an empty store, for a test that needs several."""
    numbers = count(1)

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Life]:
        if "secret_key" in where:
            from tests.databases import emptied

            emptied(request.getfixturevalue("database"))
            db: str = where["db"]
        else:
            db = str(tmp_path / f"{next(numbers)}.db")
        async with lived(db) as life:
            yield life

    return opened


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """The clock of each memory that is opened by settings."""
    made = FakeClock()
    monkeypatch.setattr(engine, "SystemClock", lambda: made)
    return made
