"""Budgets: what is left, how far they are spent, and what they refuse."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.llm.budget import (
    Allowance,
    Budgets,
    BudgetState,
    Period,
    SpendingLimit,
    Unit,
    costs,
    current_budgets,
    ledger_scope,
    period_start,
    reserve,
    sums,
)
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallOutcome
from remembrancer.types.scope import Scope
from tests.doubles import CountingIds
from tests.factories import DAY, HOME, HOUSE, SETTLED, call
from tests.rows import each_row

RULES = Dependencies(clock=FakeClock(), ids=CountingIds(), sign=str.upper)
NOON = datetime(2026, 3, 15, 12, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Kathmandu", "Africa/Cairo"]).map(ZoneInfo)
BUDGET = SpendingLimit(project=None, period=Period.DAY, unit=Unit.MONEY, limit=1_000, spent=0, unpriced=0, since=NOON)


@pytest.fixture
async def store() -> AsyncIterator[SQLiteStore]:
    async with SQLiteStore.open(":memory:") as store:
        yield store


@each_row(
    "spent, state",
    [
        (0, "ok"),
        (749, "ok"),
        (750, "warning"),
        (899, "warning"),
        (900, "critical"),
        (999, "critical"),
        (1_000, "exceeded"),
        (5_000, "exceeded"),
    ],
)
def test_a_budget_warns_at_three_quarters_and_is_critical_at_nine_tenths(spent: int, state: str) -> None:
    assert replace(BUDGET, spent=spent).state == BudgetState(state)


def test_a_limit_of_nothing_is_exceeded_from_the_start() -> None:
    assert replace(BUDGET, limit=0).state is BudgetState.EXCEEDED


@given(st.integers(0, 4_000), st.integers(0, 86_399), ZONES)
def test_a_day_and_a_month_begin_at_midnight_where_they_count(days: int, seconds: int, zone: ZoneInfo) -> None:
    now = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=days, seconds=seconds)
    day, month = period_start(Period.DAY, now, zone), period_start(Period.MONTH, now, zone)
    assert month <= day <= now < day + timedelta(hours=26)
    assert now.astimezone(zone).date() == day.astimezone(zone).date()
    assert month.astimezone(zone).date() == now.astimezone(zone).date().replace(day=1)


def test_a_day_of_a_changed_clock_is_shorter() -> None:
    # In Berlin the clocks went forward on 29 March 2026.
    assert period_start(Period.DAY, datetime(2026, 3, 29, 12, tzinfo=UTC), BERLIN) == datetime(
        2026, 3, 28, 23, tzinfo=UTC
    )
    assert period_start(Period.DAY, datetime(2026, 3, 30, 12, tzinfo=UTC), BERLIN) == datetime(
        2026, 3, 29, 22, tzinfo=UTC
    )


def test_a_call_that_might_cost_more_than_is_left_is_refused() -> None:
    asked = call("a")
    assert replace(BUDGET, spent=100).refuses(asked) == ""
    assert "0.000101 USD of 0.001 USD spent, and the call may take 0.0009 USD" in replace(BUDGET, spent=101).refuses(
        asked
    )
    tokens = replace(BUDGET, unit=Unit.TOKENS, spent=301, project="apollo")
    assert tokens.refuses(asked).startswith("the budget of the project for the day has 301 tokens of 1,000 tokens")


def test_under_a_budget_of_money_a_model_of_unknown_price_is_refused() -> None:
    unknown = call("a", reserved_cost=None)
    assert "price of 'openai:gpt-5-nano' is not known" in BUDGET.refuses(unknown)
    assert replace(BUDGET, unit=Unit.TOKENS).refuses(unknown) == ""


def test_what_costs_nothing_is_let_through_however_much_is_spent() -> None:
    assert replace(BUDGET, spent=9_000).refuses(call("a", reserved_cost=0)) == ""


@pytest.mark.anyio
async def test_what_others_have_set_aside_is_spent(store: SQLiteStore) -> None:
    allowance = Allowance(tenant=Budgets(day_money=2_000))
    refusals: list[str] = []
    for place, project in enumerate(("apollo", "gemini", None)):
        async with store.begin(Caller(scope=HOUSE)) as tx:
            asked = call(str(place), at=NOON, project=project)
            refusals.append(await reserve(WriteTransaction(tx, RULES), asked, allowance, refused_id="refused"))
    assert [bool(refusal) for refusal in refusals] == [False, False, True]
    async with store.snapshot(Caller(scope=HOUSE)) as tx:
        assert {found.id: found.outcome for found in await tx.calls.list(limit=9)} == {
            "0": CallOutcome.RESERVED,
            "1": CallOutcome.RESERVED,
            "refused": CallOutcome.REFUSED,
        }
        (budget,) = await current_budgets(tx, allowance, project=None, now=NOON)
    assert (budget.spent, budget.state) == (1_800, BudgetState.CRITICAL)


@pytest.mark.anyio
async def test_a_settled_call_gives_back_what_it_did_not_take(store: SQLiteStore) -> None:
    allowance = Allowance(tenant=Budgets(day_money=1_000))
    async with store.begin(Caller(scope=HOUSE)) as tx:
        assert await reserve(WriteTransaction(tx, RULES), call("a", at=NOON), allowance, refused_id="r") == ""
        assert await reserve(WriteTransaction(tx, RULES), call("b", at=NOON), allowance, refused_id="r") != ""
        await tx.calls.settle(replace(SETTLED, call="a"))
        assert await reserve(WriteTransaction(tx, RULES), call("b", at=NOON), allowance, refused_id="r") == ""


@pytest.mark.anyio
async def test_each_project_has_its_own_budgets_beside_the_tenants(store: SQLiteStore) -> None:
    allowance = Allowance(tenant=Budgets(month_tokens=10_000), project=Budgets(day_tokens=1_000))
    async with store.begin(Caller(scope=HOUSE)) as tx:
        for place, at in enumerate((NOON - DAY, NOON)):
            assert await reserve(WriteTransaction(tx, RULES), call(str(place), at=at), allowance, refused_id="r") == ""
        assert "project for the day" in await reserve(
            WriteTransaction(tx, RULES), call("x", at=NOON), allowance, refused_id="r"
        )
        assert (
            await reserve(WriteTransaction(tx, RULES), call("y", at=NOON, project="gemini"), allowance, refused_id="r")
            == ""
        )
        found = await current_budgets(tx, allowance, project="apollo", now=NOON)
    assert [(budget.project, budget.period, budget.spent) for budget in found] == [
        (None, Period.MONTH, 2_100),
        ("apollo", Period.DAY, 700),
    ]


@pytest.mark.anyio
async def test_costs_are_told_day_by_day_for_what_the_scope_names(store: SQLiteStore) -> None:
    async with store.begin(Caller(scope=ledger_scope(HOME))) as tx:
        for place, at in enumerate((NOON - 2 * DAY, NOON - DAY, NOON, NOON)):
            await tx.calls.add(call(str(place), at=at))
        await tx.calls.add(call("other", at=NOON, project="gemini"))
    allowance = Allowance(project=Budgets(day_money=9_000), zone=BERLIN)
    assert sums([]).calls == 0
    async with store.snapshot(Caller(scope=HOUSE)) as tx:
        found = await costs(tx, HOME, allowance, now=NOON, days=3)
        whole = await costs(tx, HOUSE, allowance, now=NOON, days=1)
        rival = await costs(tx, Scope(tenant="acme", agent="clerk"), allowance, now=NOON, days=2)
    assert [(day.since.isoformat(), day.sums.calls) for day in found.days] == [
        ("2026-03-15T00:00:00+01:00", 2),
        ("2026-03-14T00:00:00+01:00", 1),
        ("2026-03-13T00:00:00+01:00", 1),
    ]
    assert [(total.calls, total.cost) for total in found.totals] == [(4, 3_600)]
    assert [(budget.project, budget.spent) for budget in found.budgets] == [("apollo", 1_800)]
    assert [total.project for total in whole.totals] == ["apollo", "gemini"]
    assert [day.sums.calls for day in rival.days] == [0, 0]
    assert rival.totals == ()
