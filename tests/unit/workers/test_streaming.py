"""Asking for an answer as it comes: what is paid, what is tried again, and what a broken stream leaves."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from datetime import timedelta

import pytest

from remembrancer import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.llm.budget import Allowance, Budgets
from remembrancer.llm.language_model import Completion, LanguageModel
from remembrancer.llm.models import ModelAnswer, Models
from remembrancer.llm.request import Bill, ModelRequest
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.calls import CallPurpose, Usage
from tests.doubles import WatchedModel, WatchedStore
from tests.factories import HOME
from tests.unit.workers.test_asking import PROMPT, USED, World

pytestmark = pytest.mark.anyio
Pieces = Callable[[], AsyncGenerator[object, None]]


class Talking(WatchedModel):
    """A model that says what a generator gives."""

    def __init__(self, *streams: Pieces, name: str = "scripted:model", watched: WatchedStore | None = None) -> None:
        super().__init__([], name=name, watched=watched)
        self.streams = list(streams)
        self.times = 0

    async def stream(self, *_: object, **__: object) -> AsyncGenerator[object, None]:
        self.times += 1
        self.assert_no_transaction()
        async for piece in self.streams.pop(0)():
            yield piece


def saying(*pieces: object) -> Pieces:
    async def say() -> AsyncGenerator[object, None]:
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    return say


def whole(text: str, usage: Usage = USED) -> Completion:
    return Completion(text=text, usage=usage, model="scripted:model")


GOOD = saying("Good ", "", "day", whole("Good day"))
AWAY = ProviderUnavailable("away")


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with SQLiteStore.open(":memory:") as store:
        yield World(store=store, watched=WatchedStore(store))


def request(bill: Bill | None = None) -> ModelRequest:
    return ModelRequest(
        scope=HOME,
        session="s",
        purpose=CallPurpose.ANSWER,
        prompt=PROMPT,
        max_tokens=50,
        bill=bill or Bill(),
    )


async def read(models: Models, bill: Bill | None = None) -> list[str | ModelAnswer[str]]:
    return [piece async for piece in models.stream(request(bill))]


async def test_the_pieces_come_as_they_are_said_and_then_the_whole(world: World) -> None:
    bill = Bill()
    found = await read(world.models(Talking(GOOD, watched=world.watched)), bill)
    assert found == ["Good ", "day", ModelAnswer(value="Good day", model="scripted:model", version="pick-1")]
    (call,) = await world.ledger()
    assert (call.outcome, call.usage) == ("ok", USED)
    assert (bill.paid.calls, bill.paid.tokens, bill.paid.cost, bill.model) == (1, 105, call.cost, "scripted:model")


async def test_a_model_that_cannot_stream_says_all_at_once(world: World) -> None:
    found = await read(world.models(world.scripted(" Good day\0 ")))
    assert found == [" Good day ", ModelAnswer(value="Good day", model="scripted:model", version="pick-1")]
    assert await world.told() == [("scripted:model", "ok", (await world.ledger())[0].cost)]


async def test_while_nothing_came_it_is_asked_again_and_then_the_next_one_is(world: World) -> None:
    first = Talking(*[saying(AWAY)] * 2, name="scripted:first")
    found = await read(world.models(first, Talking(GOOD), retries=1))
    assert found[:2] == ["Good ", "day"]
    assert [(model, outcome, cost) for model, outcome, cost in await world.told()][:2] == [
        ("scripted:first", "unavailable", 0)
    ] * 2
    assert len(world.slept) == 1


@pytest.mark.parametrize(
    "end",
    [
        saying("Good ", ProviderUnavailable("broke off", charged=True)),
        saying("Good ", ProviderUnavailable("broke off")),
        saying("Good ", ValueError("x")),
        saying("Good "),
        saying("Good ", 7),
    ],
)
async def test_what_breaks_off_is_an_error_is_not_tried_again_and_costs_what_came(world: World, end: Pieces) -> None:
    broken, other = Talking(end, name="scripted:first"), Talking(GOOD)
    stream = world.models(broken, other).stream(request())
    assert await anext(stream) == "Good "
    with pytest.raises(ProviderUnavailable):
        await anext(stream)
    assert (broken.times, other.times) == (1, 0)
    (call,) = await world.ledger()
    assert call.outcome == "unavailable"
    assert call.usage is not None
    assert 0 < call.usage.answer < 5, "what came, and not the most that was set aside"
    assert call.usage.prompt + call.usage.answer < call.reserved_tokens


async def test_what_is_left_before_its_end_costs_what_came(world: World) -> None:
    models = world.models(Talking(GOOD))
    async with aclosing(models.stream(request())) as stream:
        async for _ in stream:
            break
    (call,) = await world.ledger()
    assert call.outcome == "unavailable"
    assert call.usage is not None
    assert 0 < call.usage.answer < 5


async def test_what_goes_on_without_end_is_ended(world: World) -> None:
    async def endless() -> AsyncGenerator[object, None]:
        while True:
            yield "on and on "

    with pytest.raises(ProviderUnavailable, match="goes on without end"):
        await read(world.models(Talking(endless)))


@pytest.mark.parametrize("end", [saying(whole("")), saying("  ", whole("  ")), saying(BadModelOutput("none"))])
async def test_a_stream_that_says_nothing_is_bad_output(world: World, end: Pieces) -> None:
    with pytest.raises(BadModelOutput):
        await read(world.models(Talking(end)))
    assert [outcome for _, outcome, _ in await world.told()] == ["bad-output"]


async def test_no_more_is_paid_than_is_allowed(world: World) -> None:
    model = Talking(GOOD)
    with pytest.raises(BudgetExceeded):
        await read(world.models(model, allowance=Allowance(tenant=Budgets(day_tokens=10))))
    assert model.times == 0
    assert [outcome for _, outcome, _ in await world.told()] == ["refused"]


async def test_a_model_that_breaks_off_again_and_again_is_left_alone(world: World) -> None:
    model = Talking(*[saying("Good ")] * 3)
    models = world.models(model, retries=0)
    for _ in range(3):
        with pytest.raises(ProviderUnavailable, match="broke off"):
            await read(models)
    with pytest.raises(ProviderUnavailable, match="is not called until"):
        await read(models)
    world.clock.move(timedelta(minutes=5))
    model.streams = [GOOD]
    assert len(await read(models)) == 3


async def test_without_a_model_that_is_said(world: World) -> None:
    models: list[LanguageModel] = []
    with pytest.raises(ProviderUnavailable, match="no model is configured to answer"):
        await read(world.models(*models))
