"""Vectors are made a few at a time, so that nobody who is cancelled waits for long."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import anyio
import anyio.from_thread
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from remembrancer import Memory, open_memory
from remembrancer.search.embedding import encode_batches, next_batch_size
from remembrancer.testing import HashEmbedder

from .requirements import requirement

pytestmark = pytest.mark.anyio

LONG = "Ana said that the quokka was fed. " * 3_000


class Slow(HashEmbedder):
    """Counts what it is given, and is as slow as a model in weights."""

    def __init__(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        super().__init__(64, fast=False)
        self.given: list[int] = []
        self.meanwhile = meanwhile

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        self.given.append(len(texts))
        self.meanwhile()
        return super().documents(texts)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[tuple[Memory, Slow]]:
    slow = Slow()
    async with open_memory(str(tmp_path / "m.db"), embedder=slow, background=False) as memory:
        yield memory, slow


@requirement("upkeep.cancelled-soon")
async def test_who_is_cancelled_waits_for_a_step_and_not_for_a_whole_record(memory: tuple[Memory, Slow]) -> None:
    opened, slow = memory
    await opened.record(LONG)
    with anyio.CancelScope() as scope:
        slow.meanwhile = lambda: anyio.from_thread.run_sync(scope.cancel)
        await opened.admin.index.embed()
    assert scope.cancelled_caught
    assert len(slow.given) == 1
    assert slow.given[0] <= 4


@requirement("upkeep.cancelled-soon")
async def test_who_has_no_time_leaves_what_is_long_to_the_background(memory: tuple[Memory, Slow]) -> None:
    opened, slow = memory
    await opened.record(LONG)
    await opened.record("The quokka has been fed.")
    assert await opened.admin.index.embed_soon() == 1
    assert sum(slow.given) == 1
    assert await opened.admin.index.missing() == 1
    assert await opened.admin.index.embed() == 1
    assert await opened.admin.index.missing() == 0


@requirement("upkeep.cancelled-soon")
async def test_of_what_is_broken_off_no_more_is_lost_than_one_record(memory: tuple[Memory, Slow]) -> None:
    opened, _ = memory
    for number in range(4):
        await opened.record(f"{number} {LONG}")
    with anyio.CancelScope() as scope:
        await opened.admin.index.embed(progress=lambda _: scope.cancel())
    assert await opened.admin.index.missing() == 3


@requirement("upkeep.cancelled-soon")
@given(count=st.integers(0, 50))
def test_the_vectors_are_those_of_all_texts_in_their_order(count: int) -> None:
    embedder = HashEmbedder(16)
    texts = [f"text {number}" for number in range(count)]
    found = anyio.run(partial(encode_batches, embedder.documents, texts, dimension=16))
    assert np.array_equal(found, embedder.documents(texts))


@requirement("upkeep.cancelled-soon")
@given(step=st.integers(1, 256), seconds=st.floats(0, 100))
def test_a_slow_model_is_given_less_and_a_quick_one_more(step: int, seconds: float) -> None:
    following = next_batch_size(step, seconds)
    assert 1 <= following <= 256
    assert following >= step if seconds < 0.2 else following <= step
