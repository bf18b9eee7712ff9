"""A real server and a real model answer through the adapter: shapes and counts are asserted, never what is said."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import Field

from remembrancer import BadModelOutput
from remembrancer.governance.rules import Rules
from remembrancer.governance.spending import Allowance, Budgets, ledger_of
from remembrancer.model.call import Call, CallOutcome, CallPurpose
from remembrancer.model.caller import Caller
from remembrancer.model.price import FREE
from remembrancer.ports.language_model import Prompt
from remembrancer.providers.language import RemoteModel
from remembrancer.providers.prices import PriceList
from remembrancer.providers.system import SystemClock
from remembrancer.providers.tokenizer import tokenizer_named
from remembrancer.stores.sqlite.store import SQLiteStore
from remembrancer.testing import CountingIds, WatchedStore
from remembrancer.testing.contract.made import HOME
from remembrancer.workers.asking import Asking, Models
from tests.engine import desks_of
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
    rules = Rules(clock=SystemClock(), ids=CountingIds(), sign=store.sign)
    return Models(
        desks_of(store, rules),
        {CallPurpose.OBSERVE: [model]},
        rules,
        prices=PriceList({NAME: FREE}),
        counters=lambda name: tokenizer_named("auto", model=name),
        # What is free may be asked for under a budget of nothing.
        allowance=Allowance(tenant=Budgets(day_money=0)),
        asking=Asking(seconds=PATIENCE, retries=0),
    )


async def ledger(store: SQLiteStore) -> list[Call]:
    async with store.snapshot(Caller(scope=ledger_of(HOME))) as tx:
        return list(await tx.calls.list(limit=9))


async def test_a_real_model_gives_a_whole_value_and_its_call_is_in_the_ledger(
    model: RemoteModel, store: SQLiteStore
) -> None:
    watched = WatchedStore(store)
    found = await models(store, model).ask(HOME, "s", CallPurpose.OBSERVE, PROMPT, Noted, lambda it: it, max_tokens=200)
    assert isinstance(found.value, Noted)
    assert (found.model, found.version) == (NAME, "note-1")
    (call,) = await ledger(store)
    assert (call.outcome, call.cost) == (CallOutcome.OK, 0)
    assert call.usage is not None
    assert 0 < call.usage.prompt + call.usage.answer <= call.reserved_tokens
    assert call.milliseconds
    assert watched.begun == 3


async def test_an_answer_that_is_cut_short_is_none_and_is_paid_for(model: RemoteModel, store: SQLiteStore) -> None:
    with pytest.raises(BadModelOutput, match="agreed shape"):
        await models(store, model).ask(HOME, None, CallPurpose.OBSERVE, PROMPT, Noted, lambda it: it, max_tokens=3)
    calls = await ledger(store)
    assert [call.outcome for call in calls] == [CallOutcome.BAD_OUTPUT] * 2
    assert all(call.usage and call.usage.answer <= 3 for call in calls)
