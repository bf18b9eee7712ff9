"""`remembrancer admin costs`: what is known of money is told, and what is not is called unknown."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from click.testing import CliRunner, Result

from remembrancer.cli.app import app
from remembrancer.llm.budget import NOTHING_USED
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallOutcome
from tests.behaviour.requirements import requirement
from tests.factories import BREAKER, HOUSE, SETTLED, call

pytestmark = pytest.mark.anyio


@pytest.fixture
async def db(tmp_path: Path) -> Path:
    """Today: two known calls and an unknown one; a week ago: one."""
    now = datetime.now(UTC)
    async with SQLiteStore.open(tmp_path / "m.db") as store, store.begin(Caller(scope=HOUSE)) as tx:
        for id, at, project, cost in (
            ("a", now, "apollo", 250_000),
            ("b", now, "apollo", 77),
            ("c", now, "gemini", None),
            ("d", now - timedelta(days=7), "apollo", 1_000),
        ):
            await tx.calls.add(call(id, at=at, project=project, reserved_cost=cost))
            await tx.calls.settle(replace(SETTLED, call=id, cost=cost))
        refused = replace(call("e", at=now), outcome=CallOutcome.REFUSED, usage=NOTHING_USED, cost=0)
        await tx.calls.add(refused)
    return tmp_path / "m.db"


async def run(db: Path, *arguments: str, **environment: str) -> Result:
    command = ["admin", "costs", "--db", str(db), "--embedder", "none", "--tenant", "acme", *arguments]
    # A command runs an event loop of its own.
    return await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, command, env=environment))


async def test_costs_are_told_by_day_and_by_use_with_the_budgets(db: Path) -> None:
    ran = await run(db, REMEMBRANCER_BUDGET_DAY_MONEY="0.26", REMEMBRANCER_BUDGET_MONTH_TOKENS="1000000")
    assert ran.exit_code == 0, ran.output
    today, last_week, *rest = ran.output.splitlines()
    used = "tokens in, {} of them cached, {} out"
    assert today.endswith(f"3 calls, 1 refused, 1,500 {used.format(600, 180)}, 0.250077 USD and 1 call of unknown cost")
    assert last_week.endswith(f"1 call, 500 {used.format(200, 60)}, 0.001000 USD")
    assert rest[0].startswith("observe  openai:gpt-5-nano  apollo  scribe  3 calls, 1 refused, ")
    assert rest[1] == f"observe  openai:gpt-5-nano  gemini  scribe  1 call, 500 {used.format(200, 60)}, cost unknown"
    assert rest[2] == (
        "budget of the tenant for the day: 0.250077 of 0.26 USD, 1 call of unknown cost not counted, critical"
    )
    assert rest[3].endswith("of 1,000,000 tokens, ok")


async def test_costs_are_told_in_json_with_null_for_unknown(db: Path) -> None:
    ran = await run(db, "--json", "--days", "2", "--project", "gemini", REMEMBRANCER_PROJECT_BUDGET_DAY_TOKENS="560")
    found = json.loads(ran.output)
    assert [day["cost"] for day in found["days"]] == [None, 0]
    (total,) = found["totals"]
    assert (total["project"], total["cost"], total["unpriced"], total["calls"]) == ("gemini", None, 1, 1)
    assert found["budgets"] == [
        {
            "of": "project",
            "period": "day",
            "unit": "tokens",
            "limit": 560,
            "spent": 560,
            "unpriced": 1,
            "state": "exceeded",
        }
    ]


async def test_where_no_model_was_asked_nothing_was_spent(db: Path) -> None:
    ran = await run(db, "--agent", "nobody", "--days", "3")
    assert ran.output == "no model was asked in the last 3 days\n"


async def test_a_number_of_days_that_cannot_be_is_refused(db: Path) -> None:
    ran = await run(db, "--days", "0")
    assert ran.exit_code != 0
    assert "days is 0; use 1 to 366" in ran.output


@requirement("observing.breaker")
async def test_a_model_that_is_left_alone_is_told_by_costs_and_by_the_doctor(db: Path) -> None:
    now = datetime.now(UTC)
    breaker = replace(BREAKER, failures=3, opened=1, until=now + timedelta(minutes=5))
    async with SQLiteStore.open(db) as store:
        await store.put_breaker(breaker)
    told = "failing  openai:gpt-5-nano did not answer when asked to observe, 3 times in a row, and is not called"
    assert told in (await run(db)).output
    found = json.loads((await run(db, "--json")).output)["breakers"]
    assert [(one["model"], one["failing"], one["failures"]) for one in found] == [
        ("openai:gpt-5-nano", "did not answer", 3)
    ]
    command = ["admin", "doctor", "--db", str(db), "--embedder", "none"]
    ran = await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, command))
    assert ran.exit_code == 11
    assert (
        "model-left-alone (1): openai:gpt-5-nano did not answer when asked to observe, 3 times in a row" in ran.output
    )
    assert (await anyio.to_thread.run_sync(lambda: CliRunner().invoke(app, [*command, "--repair"]))).exit_code == 0
    assert "failing" not in (await run(db)).output
