"""The contract of a store: the ledger."""

# ruff: noqa: D102 -- a test's name is its sentence; a transaction that is to raise is a whole block.

from dataclasses import replace
from functools import partial

import pytest

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import (
    DAY,
    HOUSE,
    OUTSIDERS,
    SETTLED,
    START,
    call,
)
from remembrancer.types.call import CallOutcome, CallPurpose, Settlement, Spent, Total, Usage
from remembrancer.types.caller import Caller


class CallsContract(Contract):
    """See `remembrancer.testing.contract`: the ledger."""

    async def test_a_call_reads_back_reserved_and_settled(self, store: Store) -> None:
        before = replace(call("b", reserved_cost=None), project=None, agent=None, session=None)
        async with store.begin(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.add(call("a", at=START + DAY)) is True
            assert await tx.calls.add(before) is True
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.list(limit=9) == [call("a", at=START + DAY), before]
            assert await tx.calls.list(limit=1) == [call("a", at=START + DAY)]
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.settle(SETTLED)
            await tx.calls.settle(replace(SETTLED, call="nobody"))
        settled = replace(
            call("a", at=START + DAY), outcome=CallOutcome.OK, milliseconds=1_234, usage=SETTLED.usage, cost=77
        )
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.list(limit=9) == [settled, before]
        sql = "SELECT tenant, id, provider, model, cost FROM calls ORDER BY id"
        assert await self.rows(store, sql) == [
            ("acme", "a", "openai", "gpt-5-nano", 77),
            ("acme", "b", "openai", "gpt-5-nano", None),
        ]

    async def test_a_call_is_written_and_settled_once(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.add(call("a"))
            assert await tx.calls.add(replace(call("a"), model="openai:other")) is False
            await tx.calls.settle(SETTLED)
            await tx.calls.settle(replace(SETTLED, outcome=CallOutcome.UNAVAILABLE, cost=9))
            (found,) = await tx.calls.list(limit=9)
        assert (found.model, found.outcome, found.cost) == ("openai:gpt-5-nano", CallOutcome.OK, 77)

    async def test_what_is_not_settled_counts_as_the_most_that_it_can_be(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.spent(since=START, until=START + 99 * DAY) == Spent(tokens=0, cost=0, unpriced=0)
            await tx.calls.add(call("old", at=START - DAY))
            await tx.calls.add(call("running"))
            await tx.calls.add(call("done"))
            await tx.calls.add(call("unknown", reserved_cost=None))
            await tx.calls.add(call("lost", project="gemini"))
            await tx.calls.add(call("failed", project=None))
            await tx.calls.settle(replace(SETTLED, call="done"))
            await tx.calls.settle(replace(SETTLED, call="unknown", cost=None))
            lost = Settlement(call="lost", outcome=CallOutcome.UNAVAILABLE, milliseconds=9, usage=None, cost=None)
            await tx.calls.settle(lost)
            await tx.calls.settle(replace(lost, call="failed", usage=Usage(prompt=0, cached=0, answer=0), cost=0))
            assert await tx.calls.spent(since=START, until=START + 99 * DAY) == Spent(
                tokens=2 * 700 + 2 * 560, cost=2 * 900 + 77, unpriced=1
            )
            assert await tx.calls.spent(since=START, until=START + 99 * DAY, project="gemini") == Spent(
                tokens=700, cost=900, unpriced=0
            )
            assert await tx.calls.spent(since=START, until=START) == Spent(tokens=0, cost=0, unpriced=0)
            assert await tx.calls.spent(since=START, until=START + 99 * DAY, project="none") == Spent(
                tokens=0, cost=0, unpriced=0
            )

    async def test_calls_add_up_by_what_they_were_for(self, store: Store) -> None:
        refused = Settlement(
            call="", outcome=CallOutcome.REFUSED, milliseconds=0, usage=Usage(prompt=0, cached=0, answer=0), cost=0
        )
        async with store.begin(Caller(scope=HOUSE)) as tx:
            for place, (at, ended) in enumerate(
                [
                    (START - DAY, SETTLED),
                    (START, SETTLED),
                    (START, replace(SETTLED, outcome=CallOutcome.BAD_OUTPUT)),
                    (START, refused),
                    (START + DAY, SETTLED),
                ]
            ):
                await tx.calls.add(call(str(place), at=at))
                await tx.calls.settle(replace(ended, call=str(place)))
            await tx.calls.add(replace(call("other"), purpose=CallPurpose.ANSWER, agent=None, reserved_cost=None))
            await tx.calls.add(call("nobody's", project=None))
        observed = Total(
            purpose=CallPurpose.OBSERVE,
            model="openai:gpt-5-nano",
            project="apollo",
            agent="scribe",
            calls=2,
            refused=1,
            failed=1,
            prompt_tokens=1_000,
            cached_tokens=400,
            answer_tokens=120,
            cost=154,
            unpriced=0,
            milliseconds=2_468,
        )
        nothing = replace(
            observed, calls=1, refused=0, failed=0, prompt_tokens=0, cached_tokens=0, answer_tokens=0, milliseconds=0
        )
        answered = replace(nothing, purpose=CallPurpose.ANSWER, agent=None, cost=0, unpriced=1)
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            totals = partial(tx.calls.totals, since=START, until=START + DAY)
            assert await totals() == [answered, replace(nothing, project=None, cost=900), observed]
            assert await totals(project="apollo") == [answered, observed]
            assert await totals(project="apollo", agent="scribe") == [observed]
            assert await totals(agent="clerk") == []

    @pytest.mark.parametrize("outsider", [*set(OUTSIDERS) - {"the whole tenant"}])
    async def test_a_ledger_is_its_exact_scopes_alone(self, store: Store, outsider: str) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.add(call("a"))
        async with store.begin(Caller(scope=OUTSIDERS[outsider])) as tx:
            assert await tx.calls.list(limit=9) == []
            assert (await tx.calls.spent(since=START, until=START + 99 * DAY)).cost == 0
            assert await tx.calls.totals(since=START, until=START + DAY) == []
            await tx.calls.settle(SETTLED)
            assert await tx.calls.add(call("a")) is True
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            assert [found.outcome for found in await tx.calls.list(limit=9)] == [CallOutcome.RESERVED]
