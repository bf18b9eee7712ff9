"""Worlds for the tests of behaviour, with an embedder and by words alone; and memories over either store."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from remembrancer.testing import HashEmbedder
from tests.answers import Answers, answering
from tests.learning import Life, lived

from .opener import Opener
from .world import World, opened

STORES = ("sqlite", "postgres")


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World, None]:
    async with opened(tmp_path / "memory.db", embedder=HashEmbedder(512)) as world:
        yield world


@pytest.fixture
async def wordy(tmp_path: Path) -> AsyncGenerator[World, None]:
    """A world without an embedder."""
    async with opened(tmp_path / "memory.db", embedder=None) as world:
        yield world


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
    async with lived(db) as life:
        yield life
