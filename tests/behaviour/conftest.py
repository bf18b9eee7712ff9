"""Worlds for the tests of behaviour: with an embedder, and by words alone."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from remembrancer.testing import HashEmbedder

from .world import World, opened


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World, None]:
    async with opened(tmp_path / "memory.db", embedder=HashEmbedder(512)) as world:
        yield world


@pytest.fixture
async def wordy(tmp_path: Path) -> AsyncGenerator[World, None]:
    """A world without an embedder."""
    async with opened(tmp_path / "memory.db", embedder=None) as world:
        yield world
