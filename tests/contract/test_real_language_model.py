"""A real server and a real model answer through the adapter: shapes and counts are asserted, never what is said."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from remembrancer import Answer, BadModelOutput, TaskResult, open_memory
from remembrancer.adapters.clock import SystemClock
from remembrancer.llm.budget import Allowance, Budgets, ledger_scope
from remembrancer.llm.call import CallSettings
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.llm.models import Models
from remembrancer.llm.providers.language import RemoteModel
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.llm.request import ModelRequest
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.calls import FREE, Call, CallOutcome, CallPurpose
from tests.doubles import CountingIds, WatchedStore
from tests.engine import desks_of
from tests.factories import HOME
from tests.small_model import serving

pytestmark = pytest.mark.anyio
NAME = "openai:smollm2"
PROMPT = Prompt(system="You note what you are told.", text="Ana lives in Bergen. Note it.", version="note-1")
# One thread of a busy machine.
PATIENCE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    text: Annotated[str, Field(max_length=40)]
    priority: Annotated[int, Field(ge=1, le=5)]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
async def model(address: str) -> AsyncIterator[RemoteModel]:
    made = RemoteModel(NAME, url=address)
    yield made
    await made.close()


@pytest.fixture
async def store() -> AsyncIterator[SQLiteStore]:
    async with SQLiteStore.open(":memory:") as store:
        yield store


def models(store: SQLiteStore, model: RemoteModel) -> Models:
    rules = Dependencies(clock=SystemClock(), ids=CountingIds(), sign=store.sign)
    return Models(
        desks_of(store, rules),
        {CallPurpose.OBSERVE: [model]},
        rules,
        prices=PriceList({NAME: FREE}),
        counters=lambda name: tokenizer_named("auto", model=name),
        # What is free may be asked for under a budget of nothing.
        allowance=Allowance(tenant=Budgets(day_money=0)),
        settings=CallSettings(seconds=PATIENCE, retries=0),
    )


async def ledger(store: SQLiteStore) -> list[Call]:
    async with store.snapshot(Caller(scope=ledger_scope(HOME))) as tx:
        return list(await tx.calls.list(limit=9))


def request(session: str | None, *, max_tokens: int) -> ModelRequest:
    return ModelRequest(scope=HOME, session=session, purpose=CallPurpose.OBSERVE, prompt=PROMPT, max_tokens=max_tokens)


async def test_a_real_model_gives_a_whole_value_and_its_call_is_in_the_ledger(
    model: RemoteModel, store: SQLiteStore
) -> None:
    watched = WatchedStore(store)
    found = await models(store, model).structured(request("s", max_tokens=200), Noted, lambda it: it)
    assert isinstance(found.value, Noted)
    assert (found.model, found.version) == (NAME, "note-1")
    (call,) = await ledger(store)
    assert (call.outcome, call.cost) == (CallOutcome.OK, 0)
    assert call.usage is not None
    assert 0 < call.usage.prompt + call.usage.answer <= call.reserved_tokens
    assert call.milliseconds
    assert watched.begun == 3


@pytest.mark.slow
async def test_an_answer_that_is_cut_short_is_none_and_is_paid_for(model: RemoteModel, store: SQLiteStore) -> None:
    with pytest.raises(BadModelOutput, match="agreed shape"):
        await models(store, model).structured(request(None, max_tokens=3), Noted, lambda it: it)
    calls = await ledger(store)
    assert [call.outcome for call in calls] == [CallOutcome.BAD_OUTPUT] * 2
    assert all(call.usage and call.usage.answer <= 3 for call in calls)


@pytest.mark.slow
async def test_a_real_model_streams_what_it_says(model: RemoteModel) -> None:
    found = [piece async for piece in model.stream(PROMPT, max_tokens=20, seconds=PATIENCE, temperature=0.0)]
    whole = found.pop()
    assert isinstance(whole, Completion)
    assert "".join(str(piece) for piece in found) == whole.text
    assert len(found) > 1
    assert 0 < whole.usage.answer <= 20
    assert whole.usage.prompt > 0


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """Where an empty store is."""
    if request.param == "postgres":
        # Loaded only by the tests that need it.
        from tests.databases import SECRET, Database

        database: Database = request.getfixturevalue("database")
        return {"db": database.serving_url, "secret_key": SECRET}
    return {"db": str(tmp_path / "m.db")}


@pytest.mark.slow
async def test_what_a_real_model_answers_from_memory_cites_it_or_is_none(address: str, where: dict[str, Any]) -> None:
    given: dict[str, Any] = {"model": NAME, "model_url": address, "model_retries": 0, "model_seconds": PATIENCE}
    other: dict[str, Any] = {"observe_model": "none", "embedder": "none", "background": False}
    async with open_memory(**where, **given, **other, slots={"response": 20}) as memory:
        await memory.record("Ana lives in Bergen, in the house by the old harbour.", speaker="Ana")
        asked = await memory.ask("Where does Ana live?")
        *_, streamed = [piece async for piece in memory.ask_stream("Where does Ana live?")]
        *pieces, done = [piece async for piece in memory.sessions.execute_stream("Say where Ana lives.", session="now")]
        assert isinstance(streamed, Answer)
        assert isinstance(done, TaskResult)
        for answer in (asked, streamed):
            assert answer.model == NAME
            assert answer.tokens > 0
            assert answer.citations if answer.known else answer.notes or answer.text.startswith("I don't know")
            assert {one.id for one in answer.citations} <= {hit.id for hit in answer.hits}
        assert "".join(map(str, pieces)).strip() == done.text == (await memory.get(done.messages[1])).text
        totals = {total.purpose.value: total for total in (await memory.admin.costs(days=1)).totals}
        assert 2 <= totals["ask"].calls <= 3
        assert (totals["answer"].calls, totals["answer"].failed) == (1, 0)
