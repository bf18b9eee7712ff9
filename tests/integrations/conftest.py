"""Memories for the integrations: `SyncMemory` on a file, and where a test asks for it on PostgreSQL too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from remembrancer import SyncMemory
from remembrancer.testing import HashEmbedder
from tests import databases


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[SyncMemory]:
    """A memory of everybody, in a file."""
    with SyncMemory(tmp_path / "memory.db", embedder=HashEmbedder()) as memory:
        yield memory


@pytest.fixture(params=["sqlite", "postgres"])
def either_memory(request: pytest.FixtureRequest) -> Iterator[SyncMemory]:
    """A memory in each database."""
    if request.param == "sqlite":
        yield request.getfixturevalue("memory")
        return
    database = request.getfixturevalue("database")
    with SyncMemory(database.serving_url, embedder=HashEmbedder(), secret_key=databases.SECRET) as memory:
        yield memory
