"""Models are asked within budgets, again where they fail, and every call is in the ledger."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Annotated, Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from remembrancer import BadModelOutput, BudgetExceeded, ProviderUnavailable, StoreUnavailable
from remembrancer.adapters.clock import TimeOrderedIds
from remembrancer.llm.budget import Allowance, Budgets, ledger_scope
from remembrancer.llm.call import CallSettings
from remembrancer.llm.language_model import Completion, LanguageModel, Prompt
from remembrancer.llm.models import ModelAnswer, Models
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.llm.request import ModelRequest
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock, ScriptedModel
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.calls import FREE, Call, CallPurpose, Price, Usage, plausible_usage
from remembrancer.types.scope import Scope
from remembrancer.types.text import Estimate
from tests.behaviour.requirements import requirement
from tests.databases import SECRET, Database
from tests.doubles import CountingIds, WatchedModel, WatchedStore
from tests.engine import desks_of
from tests.factories import HOME

pytestmark = pytest.mark.anyio

PROMPT = Prompt(system="You pick a number.", text="Pick one.", version="pick-1")
PRICE = Price(prompt=Decimal(2), cached=Decimal(1), answer=Decimal(10))
USED = Usage(prompt=100, cached=40, answer=5)
# As `PRICE` has it.
COST = 60 * 2 + 40 + 5 * 10
DOWN = ProviderUnavailable("status 500")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picked:
    number: Annotated[int, Field(ge=1, le=5)]


@dataclass(slots=True, kw_only=True)
class World:
    """Models over a store, with a clock that stands still and sleeps that are only noted."""

    store: SQLiteStore
    watched: WatchedStore
    clock: FakeClock = field(default_factory=FakeClock)
    ids: CountingIds = field(default_factory=CountingIds)
    slept: list[float] = field(default_factory=list[float])

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def models(
        self,
        *chosen: LanguageModel,
        allowance: Allowance | None = None,
        prices: Mapping[str, Price] | None = None,
        retries: int = 2,
        seconds: float = 0.05,
    ) -> Models:
        given = {model.name: PRICE for model in chosen} if prices is None else prices
        rules = Dependencies(clock=self.clock, ids=self.ids, sign=self.store.sign)
        return Models(
            desks_of(self.store, rules),
            {CallPurpose.OBSERVE: chosen, CallPurpose.ANSWER: chosen},
            rules,
            prices=PriceList(given),
            counters=lambda name: tokenizer_named("auto", model=name),
            allowance=allowance or Allowance(),
            settings=CallSettings(seconds=seconds, retries=retries, sleep=self._sleep),
        )

    def scripted(
        self, *script: str | Mapping[str, Any] | Exception, name: str = "scripted:model", delay: float = 0.0
    ) -> ScriptedModel:
        return WatchedModel(script, name=name, usage=USED, delay=delay, watched=self.watched)

    async def ledger(self) -> Sequence[Call]:
        """Every call, the first begun first."""
        async with self.store.snapshot(Caller(scope=ledger_scope(HOME))) as tx:
            return sorted(await tx.calls.list(limit=100), key=lambda call: call.id)

    async def told(self) -> list[tuple[str, str, int | None]]:
        return [(call.model, call.outcome.value, call.cost) for call in await self.ledger()]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with SQLiteStore.open(":memory:") as store:
        yield World(store=store, watched=WatchedStore(store))


IN_WORDS = ModelRequest(scope=HOME, session="s", purpose=CallPurpose.ANSWER, prompt=PROMPT, max_tokens=50)


def as_it_is(picked: Picked) -> Picked:
    return picked


async def pick(
    models: Models, *, scope: Scope = HOME, max_tokens: int = 50, seconds: float | None = None
) -> ModelAnswer[Picked]:
    request = ModelRequest(
        scope=scope, session="s", purpose=CallPurpose.OBSERVE, prompt=PROMPT, max_tokens=max_tokens, seconds=seconds
    )
    return await models.structured(request, Picked, as_it_is)


async def test_an_answer_is_one_value_and_one_row_of_the_ledger(world: World) -> None:
    model = world.scripted({"number": 3})
    models = world.models(model)

    assert await pick(models) == ModelAnswer(value=Picked(number=3), model="scripted:model", version="pick-1")

    (schema,) = model.schemas
    assert (model.asked, schema and schema["title"]) == ([PROMPT], "Picked")
    (call,) = await world.ledger()
    assert (call.project, call.agent, call.session) == ("apollo", "scribe", "s")
    assert (call.purpose, call.prompt_version, call.outcome, call.usage) == ("observe", "pick-1", "ok", USED)
    assert (call.cost, call.milliseconds) == (COST, 0)
    assert call.reserved_cost is not None
    assert call.reserved_cost >= COST
    assert call.reserved_tokens > 50
    assert (models.available(CallPurpose.OBSERVE), models.available(CallPurpose.REFLECT)) == (True, False)
    assert models.names(CallPurpose.OBSERVE) == ("scripted:model",)


async def test_an_answer_in_words_is_asked_for_without_a_schema(world: World) -> None:
    model = world.scripted(" Nothing of the kind,\nI think. ")
    answered = await world.models(model).text(IN_WORDS, str)
    assert answered == ModelAnswer(value="Nothing of the kind,\nI think.", model="scripted:model", version="pick-1")
    assert model.schemas == [None]
    (call,) = await world.ledger()
    assert (call.purpose, call.outcome, call.cost) == ("answer", "ok", COST)


async def test_a_model_that_says_nothing_is_asked_the_same_once_more(world: World) -> None:
    model = world.scripted("", " \n", "Yes.")
    with pytest.raises(BadModelOutput, match="the model returned a blank answer"):
        await world.models(model).text(IN_WORDS, str)
    assert model.asked == [PROMPT, PROMPT]
    assert [outcome for _, outcome, _ in await world.told()] == ["bad-output", "bad-output"]


async def test_no_transaction_is_open_while_a_model_thinks(world: World) -> None:
    model = world.scripted({"number": 1})
    async with world.store.begin(Caller(scope=HOME)):
        with pytest.raises(AssertionError, match="while a transaction was open"):
            await model.complete(PROMPT, schema=None, max_tokens=1, seconds=1, temperature=0)
    await pick(world.models(world.scripted({"number": 1})))
    assert world.watched.begun == 3


async def test_a_model_that_fails_is_asked_again_after_longer_and_longer_waits(world: World) -> None:
    model = world.scripted(DOWN, ProviderUnavailable("busy", wait=7.0), {"number": 1})
    assert (await pick(world.models(model))).value == Picked(number=1)
    assert world.slept == [0.375, 7.0]
    assert await world.told() == [
        ("scripted:model", "unavailable", 0),
        ("scripted:model", "unavailable", 0),
        ("scripted:model", "ok", COST),
    ]


async def test_when_it_goes_on_failing_the_next_model_is_asked(world: World) -> None:
    first = world.scripted(*[DOWN] * 3, name="scripted:first")
    second = world.scripted({"number": 2}, name="scripted:second")
    found = await pick(world.models(first, second))
    assert (found.model, found.value) == ("scripted:second", Picked(number=2))
    assert [name for name, _, _ in await world.told()] == ["scripted:first"] * 3 + ["scripted:second"]


async def test_a_failure_that_lasts_is_not_waited_for(world: World) -> None:
    refused = world.scripted(ProviderUnavailable("the key is refused", lasting=True), name="scripted:first")
    assert (await pick(world.models(refused, world.scripted({"number": 2})))).model == "scripted:model"
    assert world.slept == []


async def test_when_every_model_fails_the_first_failure_is_told(world: World) -> None:
    models = world.models(world.scripted(DOWN), world.scripted(ProviderUnavailable("gone", lasting=True)), retries=0)
    with pytest.raises(ProviderUnavailable, match="status 500"):
        await pick(models)


async def test_while_the_first_model_is_left_alone_the_next_one_is_asked(world: World) -> None:
    first = world.scripted(*[DOWN] * 9, name="scripted:first")
    second = world.scripted(*[{"number": 2}] * 6, name="scripted:second")
    models = world.models(first, second)
    assert {(await pick(models)).model for _ in range(6)} == {"scripted:second"}
    assert (first.left, second.left, len(world.slept)) == (0, 0, 6)
    with pytest.raises(
        ProviderUnavailable, match="first did not answer when asked to observe, 3 times in a row, and is not called"
    ):
        await pick(world.models(first))


async def test_a_budget_that_refuses_the_question_leaves_the_trial_of_a_model_to_another(world: World) -> None:
    model = world.scripted(*[DOWN] * 3, {"number": 1})
    for _ in range(3):
        with pytest.raises(ProviderUnavailable):
            await pick(world.models(model, retries=0))
    world.clock.move(timedelta(minutes=1))
    with pytest.raises(BudgetExceeded):
        await pick(world.models(model, allowance=Allowance(tenant=Budgets(day_tokens=0))))
    assert (await pick(world.models(model))).value == Picked(number=1)
    assert await world.store.breakers() == []


async def test_a_question_that_is_given_up_leaves_the_trial_of_a_model_to_another(world: World) -> None:
    model = world.scripted(*[DOWN] * 3, {"number": 1})
    for _ in range(3):
        with pytest.raises(ProviderUnavailable):
            await pick(world.models(model, retries=0))
    world.clock.move(timedelta(minutes=1))
    with anyio.move_on_after(0.05) as scope:
        await pick(world.models(world.scripted({"number": 2}, delay=10.0), seconds=10.0))
    assert scope.cancelled_caught
    assert (await pick(world.models(model))).value == Picked(number=1)


async def test_who_is_in_a_hurry_asks_each_model_once_for_so_long_and_shows_none_its_answer(world: World) -> None:
    first, second = world.scripted(DOWN), world.scripted("None.", name="scripted:second")
    with pytest.raises(BadModelOutput):
        await pick(world.models(first, second), seconds=5.0)
    assert (len(first.asked), len(second.asked), world.slept) == (1, 1, [])
    patient = world.scripted({"number": 4}, delay=0.1)
    assert (await pick(world.models(patient), seconds=5.0)).value.number == 4
    with pytest.raises(ProviderUnavailable, match=r"within 0.01 s"):
        await pick(world.models(world.scripted({"number": 4}, delay=0.1)), seconds=0.01)


async def test_a_model_that_is_given_up_by_who_was_in_a_hurry_has_failed(world: World) -> None:
    model = world.scripted(*[{"number": 2}] * 3, delay=10.0)
    for _ in range(3):
        with anyio.move_on_after(0.05):
            await pick(world.models(model), seconds=10.0)
    assert [one.failures for one in await world.store.breakers()] == [3]


async def test_without_a_model_there_is_nobody_to_ask(world: World) -> None:
    with pytest.raises(ProviderUnavailable, match="no model is configured to observe") as caught:
        await pick(world.models())
    assert caught.value.lasting
    assert await world.ledger() == []


async def test_an_answer_of_the_wrong_shape_is_shown_to_the_model_once(world: World) -> None:
    model = world.scripted({"number": 9}, '```json\n{"number": 5}\n```')
    assert (await pick(world.models(model))).value == Picked(number=5)
    first, second = model.asked
    assert first == PROMPT
    assert (second.system, second.version) == (PROMPT.system, "pick-1+repair")
    assert second.text.startswith(PROMPT.text)
    assert '{"number": 9}' in second.text
    assert "number: less_than_equal" in second.text
    assert await world.told() == [("scripted:model", "bad-output", COST), ("scripted:model", "ok", COST)]


@pytest.mark.parametrize(
    "garbage", ["", "half: {", '{"number": 3', "no " * 9_000, '{"number": "three"}', "null", "[3]"]
)
async def test_an_answer_that_stays_wrong_is_none_at_all(world: World, garbage: str) -> None:
    model = world.scripted(garbage, garbage)
    with pytest.raises(BadModelOutput, match="agreed shape"):
        await pick(world.models(model, world.scripted(name="scripted:second")))
    assert model.left == 0
    assert [outcome for _, outcome, _ in await world.told()] == ["bad-output", "bad-output"]
    assert len(model.asked[1].text) < 5_000


async def test_a_response_that_is_none_counts_as_the_most_that_it_can_have_cost(world: World) -> None:
    model = world.scripted(BadModelOutput("not even JSON"), {"number": 1})
    await pick(world.models(model))
    lost, settled = await world.ledger()
    assert (lost.outcome, lost.usage, lost.cost) == ("bad-output", None, None)
    assert settled.cost == COST
    assert model.asked == [PROMPT, PROMPT]


async def test_an_answer_that_came_too_late_counts_as_the_most_that_it_can_have_cost(world: World) -> None:
    allowance = Allowance(tenant=Budgets(day_tokens=10_000))
    models = world.models(world.scripted({"number": 1}, delay=60.0), allowance=allowance, retries=0)
    with pytest.raises(ProviderUnavailable, match=r"within 0\.15 s"):
        await pick(models)
    (call,) = await world.ledger()
    assert (call.outcome, call.usage, call.cost) == ("unavailable", None, None)
    (budget,) = (await models.costs(HOME, days=1)).budgets
    assert budget.spent == call.reserved_tokens


async def test_a_call_that_is_cancelled_is_settled_all_the_same(world: World) -> None:
    scope = anyio.CancelScope()

    def cancelling(_: Prompt) -> Mapping[str, Any]:
        scope.cancel()
        return {"number": 1}

    with scope:
        await pick(world.models(ScriptedModel(cancelling, delay=0.01)))
    assert scope.cancelled_caught
    assert await world.told() == [("scripted:model", "unavailable", None)]


async def test_the_time_that_a_model_took_is_in_the_ledger(world: World) -> None:
    def slow(_: Prompt) -> Mapping[str, Any]:
        world.clock.move(timedelta(seconds=1.5))
        return {"number": 1}

    await pick(world.models(ScriptedModel(slow)))
    assert [call.milliseconds for call in await world.ledger()] == [1_500]


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """A server that says of what it took whatever it is told to."""

    usage: Any
    name: str = "scripted:saying"

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        return Completion(text='{"number": 1}', usage=self.usage, model=self.name)


async def test_what_a_server_does_not_count_is_counted_here(world: World) -> None:
    await pick(world.models(Saying(usage=Usage(prompt=0, cached=0, answer=0))))
    (call,) = await world.ledger()
    assert call.usage is not None
    assert call.usage.prompt + 50 == call.reserved_tokens
    assert call.usage.answer > 0
    assert call.cost


NUMBERS = st.one_of(
    st.integers(), st.integers(-(2**70), 2**70), st.floats(), st.none(), st.text(max_size=3), st.booleans()
)
REPORTED = st.one_of(st.builds(Usage, prompt=NUMBERS, cached=NUMBERS, answer=NUMBERS, written=NUMBERS), NUMBERS)


@requirement("observing.usage-is-believed-or-counted")
@settings(max_examples=20)
@given(reported=st.lists(REPORTED, min_size=1, max_size=4))
def test_nothing_that_a_server_reports_gives_back_what_was_spent(reported: Sequence[Any]) -> None:
    async def ask() -> None:
        async with SQLiteStore.open(":memory:") as store:
            world = World(store=store, watched=WatchedStore(store))
            allowance = Allowance(tenant=Budgets(day_money=10**9, day_tokens=10**9))
            spent = [0, 0]
            for usage in reported:
                models = world.models(Saying(usage=usage), allowance=allowance, prices={"scripted:saying": PRICE})
                assert (await pick(models)).value == Picked(number=1)
                now = [budget.spent for budget in (await models.costs(HOME, days=1)).budgets]
                assert all(before < after for before, after in zip(spent, now, strict=True))
                spent = now
            assert all(call.outcome == "ok" for call in await world.ledger())

    anyio.run(ask)


@requirement("observing.usage-is-believed-or-counted")
@given(
    prompt=st.integers(1, 5_000),
    cached=st.integers(0, 5_000),
    answer=st.integers(0, 5_000),
    most=st.integers(1, 20_000),
)
def test_a_usage_that_can_be_is_believed(prompt: int, cached: int, answer: int, most: int) -> None:
    usage = Usage(prompt=prompt, cached=cached, answer=answer)
    believed = cached <= prompt and prompt + answer <= 10 * most
    assert plausible_usage(usage, most=most) == (usage if believed else None)


# Budgets


async def test_a_budget_that_is_spent_refuses_before_anything_is_asked(world: World) -> None:
    model = world.scripted({"number": 1}, {"number": 1})
    models = world.models(model, allowance=Allowance(tenant=Budgets(day_money=900)))
    await pick(models)
    with pytest.raises(BudgetExceeded, match=r"budget of the tenant for the day has 0\.00021 USD of 0\.0009 USD"):
        await pick(models)
    assert len(model.asked) == 1
    assert sorted(await world.told()) == [("scripted:model", "ok", COST), ("scripted:model", "refused", 0)]


async def test_who_is_refused_with_every_sweep_is_written_down_once_an_hour(world: World) -> None:
    models = world.models(world.scripted(), allowance=Allowance(tenant=Budgets(day_tokens=0)))
    for minutes in (0, 1, 30, 61):
        world.clock.move(timedelta(minutes=minutes))
        with pytest.raises(BudgetExceeded):
            await pick(models)
    assert [outcome for _, outcome, _ in await world.told()] == ["refused", "refused"]


async def test_under_a_budget_of_money_a_model_without_a_price_gives_way_to_one_that_has_one(world: World) -> None:
    unknown = world.scripted(name="scripted:unknown")
    free = world.scripted({"number": 1}, name="scripted:free")
    models = world.models(
        unknown, free, allowance=Allowance(tenant=Budgets(day_money=10)), prices={"scripted:free": FREE}
    )
    assert (await pick(models)).model == "scripted:free"
    assert unknown.asked == []


async def test_without_a_budget_a_model_of_unknown_price_is_asked_and_its_cost_stays_unknown(world: World) -> None:
    models = world.models(world.scripted({"number": 1}), prices={})
    await pick(models)
    assert await world.told() == [("scripted:model", "ok", None)]
    (total,) = (await models.costs(HOME, days=1)).totals
    assert (total.cost, total.unpriced) == (0, 1)


async def test_a_budget_that_cannot_be_looked_at_refuses(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    model = world.scripted()
    models = world.models(model)

    def unavailable(_: Scope) -> Any:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(world.store, "begin", unavailable)
    with pytest.raises(StoreUnavailable):
        await pick(models)
    assert model.asked == []


async def test_many_who_ask_at_once_never_spend_more_than_there_is(world: World) -> None:
    model = WatchedModel(lambda _: {"number": 1}, usage=USED, delay=0.01, watched=world.watched)
    models = world.models(model, allowance=Allowance(tenant=Budgets(day_money=2_000)))
    refused: list[BudgetExceeded] = []

    async def asks(agent: int) -> None:
        try:
            await pick(models, scope=Scope(tenant="acme", project=f"p{agent % 3}", agent=f"a{agent}"))
        except BudgetExceeded as error:
            refused.append(error)

    async with anyio.create_task_group() as tasks:
        for agent in range(12):
            tasks.start_soon(asks, agent)
    assert len(model.asked) + len(refused) == 12
    assert 0 < len(model.asked) < 12
    assert sum(call.cost or 0 for call in await world.ledger()) <= 2_000


async def test_two_processes_on_one_server_never_spend_more_than_there_is(database: Database) -> None:
    # A call may take 196 tokens and takes 105: two of them fit, at once or in turn, and no third.
    allowance = Allowance(tenant=Budgets(day_tokens=398))
    asked: list[ScriptedModel] = []
    refused: list[BudgetExceeded] = []
    async with PostgresStore.open(database.serving_url, secret=SECRET) as one:  # noqa: SIM117
        async with PostgresStore.open(database.serving_url, secret=SECRET) as other, anyio.create_task_group() as tasks:
            for place, store in enumerate((one, other, one, other)):
                model = ScriptedModel([{"number": 1}], usage=USED, delay=0.2)
                asked.append(model)
                rules = Dependencies(clock=FakeClock(), ids=TimeOrderedIds(), sign=store.sign)
                models = Models(
                    desks_of(store, rules),
                    {CallPurpose.OBSERVE: [model]},
                    rules,
                    allowance=allowance,
                    counters=lambda name: tokenizer_named("auto", model=name),
                )

                async def asks(models: Models = models, user: str = f"u{place}") -> None:
                    try:
                        await pick(models, scope=Scope(tenant="acme", user=user))
                    except BudgetExceeded as error:
                        refused.append(error)

                tasks.start_soon(asks)
    assert (sum(len(model.asked) for model in asked), len(refused)) == (2, 2)


async def test_what_is_set_aside_is_never_less_than_a_text_can_take(world: World) -> None:
    # Without the model's own encoding each byte may be a token.
    rules = Dependencies(clock=world.clock, ids=world.ids, sign=world.store.sign)
    models = Models(
        desks_of(world.store, rules),
        {CallPurpose.OBSERVE: [world.scripted({"number": 1})]},
        rules,
        prices=PriceList({}),
        counters=lambda _: Estimate(),
        allowance=Allowance(),
    )
    odd = Prompt(system="", text="}{" * 500, version="odd-1")
    request = ModelRequest(scope=HOME, session=None, purpose=CallPurpose.OBSERVE, prompt=odd, max_tokens=50)
    await models.structured(request, Picked, as_it_is)
    (call,) = await world.ledger()
    assert call.reserved_tokens > 1_000 + 50
