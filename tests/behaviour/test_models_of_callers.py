"""A caller's own embedder or model that keeps no agreement: what fails is said in our errors, and in no other's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from remembrancer import (
    BadModelOutput,
    Filter,
    InvalidInput,
    ProviderError,
    ProviderUnavailable,
    open_memory,
)
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.testing import HashEmbedder
from remembrancer.types.calls import Usage
from tests.rows import each_row

from .requirements import requirement

pytestmark = pytest.mark.anyio

BAD_ROWS: dict[str, Callable[[list[str]], object]] = {
    "nothing": lambda texts: None,
    "a list": lambda texts: [[0.0] * 64 for _ in texts],
    "too few": lambda texts: np.zeros((0, 64), np.float32),
    "too short": lambda texts: np.zeros((len(texts), 3), np.float32),
    "flat": lambda texts: np.zeros(64, np.float32),
    "texts": lambda texts: np.full((len(texts), 64), "x"),
    "no numbers": lambda texts: np.full((len(texts), 64), np.nan, np.float32),
}


class Odd(HashEmbedder):
    """An embedder that returns what a test wants."""

    def __init__(self, rows: Callable[[list[str]], object]) -> None:
        super().__init__()
        self._rows = rows

    def documents(self, texts: list[str]) -> Any:
        return self._rows(texts)


class OddModel:
    """A model that answers what a test wants."""

    name = "mine:odd"

    def __init__(self, answer: Callable[[], object]) -> None:
        self._answer = answer

    async def complete(self, prompt: Prompt, **_: object) -> Any:
        return self._answer()

    async def close(self) -> None:
        """Nothing to let go of."""


def raising(error: Exception) -> Callable[..., object]:
    def fail(*_: object) -> object:
        raise error

    return fail


@requirement("models.of-callers")
@each_row("rows", BAD_ROWS)
async def test_an_embedder_that_returns_something_else_is_told(rows: Callable[[list[str]], object]) -> None:
    async with open_memory(":memory:", embedder=Odd(rows), background=False) as memory:
        await memory.save("Ana drinks tea")
        with pytest.raises(BadModelOutput, match="the embedder returned"):
            await memory.admin.index.embed()
        assert len((await memory.recall("tea")).hits) == 1


@requirement("models.of-callers")
@pytest.mark.parametrize("error", [TypeError("x"), ValueError("x"), KeyError("x"), OSError("x")], ids=repr)
async def test_an_embedder_that_raises_anything_is_told(error: Exception) -> None:
    async with open_memory(":memory:", embedder=Odd(raising(error)), background=False) as memory:
        await memory.save("Ana drinks tea")
        with pytest.raises(ProviderUnavailable, match=f"the embedder failed: {type(error).__name__}"):
            await memory.admin.index.embed()


@requirement("models.of-callers")
@pytest.mark.parametrize("missing", ["documents", "close", "space", "fast"])
async def test_an_embedder_without_all_that_is_asked_of_one_is_refused(missing: str) -> None:
    class Partial:
        def __init__(self) -> None:
            whole = HashEmbedder()
            for name in {"queries", "documents", "close", "space", "fast"} - {missing}:
                setattr(self, name, getattr(whole, name))

    with pytest.raises(InvalidInput, match=missing):
        async with open_memory(":memory:", embedder=Partial(), background=False):  # pyright: ignore[reportArgumentType] -- as a caller without a type checker
            pass


USAGE = Usage(prompt=1, cached=0, answer=1)
BAD_ANSWERS: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "a text": lambda: "hello",
    "no text": lambda: Completion(text=None, usage=USAGE, model="mine:odd"),  # pyright: ignore[reportArgumentType] -- as a caller without a type checker
    "TypeError": raising(TypeError("x")),
    "ValueError": raising(ValueError("x")),
    "AttributeError": raising(AttributeError("x")),
}


@requirement("models.of-callers")
@each_row("answer", BAD_ANSWERS)
async def test_a_model_that_answers_something_else_or_raises_is_told(answer: Callable[[], object]) -> None:
    async with open_memory(
        ":memory:", embedder="none", model=OddModel(answer), background=False, model_retries=0
    ) as memory:
        with pytest.raises(ProviderError, match=r"the model 'mine:odd' (failed|returned)"):
            await memory.sessions.reply("monday", "What does Ana drink?")
        assert len((await memory.list(Filter(kinds=["message"]))).records) == 1


@requirement("models.of-callers")
async def test_what_names_neither_itself_nor_its_space_is_refused() -> None:
    nameless = OddModel(lambda: None)
    nameless.name = None  # pyright: ignore[reportAttributeAccessIssue] -- as a caller without a type checker
    spaceless = HashEmbedder()
    spaceless.space = None  # pyright: ignore[reportAttributeAccessIssue] -- the same
    wrong: list[dict[str, Any]] = [{"model": nameless}, {"embedder": spaceless}]
    for given in wrong:
        with pytest.raises(InvalidInput):
            async with open_memory(":memory:", background=False, **given):
                pass
