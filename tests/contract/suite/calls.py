"""The contract of a store: the ledger of model calls, and the savings of blocks."""

from dataclasses import replace
from functools import partial

from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.calls import (
    CallOutcome,
    CallPurpose,
    CallResult,
    CallTotal,
    CostComparison,
    PromptCost,
    Spending,
    Usage,
)
from remembrancer.types.scope import Scope
from tests.contract.suite.base import Contract
from tests.factories import DAY, HOME, HOUSE, OUTSIDERS, RIVAL, SETTLED, START, STRANGER, call, served
from tests.rows import every_row


class CallsContract(Contract):
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

    async def test_an_unsettled_call_counts_with_its_reservation(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            assert await tx.calls.spent(since=START, until=START + 99 * DAY) == Spending(tokens=0, cost=0, unpriced=0)
            await tx.calls.add(call("old", at=START - DAY))
            await tx.calls.add(call("running"))
            await tx.calls.add(call("done"))
            await tx.calls.add(call("unknown", reserved_cost=None))
            await tx.calls.add(call("lost", project="gemini"))
            await tx.calls.add(call("failed", project=None))
            await tx.calls.settle(replace(SETTLED, call="done"))
            await tx.calls.settle(replace(SETTLED, call="unknown", cost=None))
            lost = CallResult(call="lost", outcome=CallOutcome.UNAVAILABLE, milliseconds=9, usage=None, cost=None)
            await tx.calls.settle(lost)
            await tx.calls.settle(replace(lost, call="failed", usage=Usage(prompt=0, cached=0, answer=0), cost=0))
            assert await tx.calls.spent(since=START, until=START + 99 * DAY) == Spending(
                tokens=2 * 700 + 2 * 560, cost=2 * 900 + 77, unpriced=1
            )
            assert await tx.calls.spent(since=START, until=START + 99 * DAY, project="gemini") == Spending(
                tokens=700, cost=900, unpriced=0
            )
            assert await tx.calls.spent(since=START, until=START) == Spending(tokens=0, cost=0, unpriced=0)
            assert await tx.calls.spent(since=START, until=START + 99 * DAY, project="none") == Spending(
                tokens=0, cost=0, unpriced=0
            )

    async def test_calls_are_summed_by_purpose(self, store: Store) -> None:
        refused = CallResult(
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
        observed = CallTotal(
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

    async def test_a_ledger_contains_only_its_exact_scope(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOUSE)) as tx:
            await tx.calls.add(call("a"))
        with every_row() as row:
            for name in set(OUTSIDERS) - {"the whole tenant"}:
                with row(name):
                    async with store.begin(Caller(scope=OUTSIDERS[name])) as tx:
                        assert await tx.calls.list(limit=9) == []
                        assert (await tx.calls.spent(since=START, until=START + 99 * DAY)).cost == 0
                        assert await tx.calls.totals(since=START, until=START + DAY) == []
                        await tx.calls.settle(SETTLED)
                        assert await tx.calls.add(call("a")) is True
                    async with store.snapshot(Caller(scope=HOUSE)) as tx:
                        assert [found.outcome for found in await tx.calls.list(limit=9)] == [CallOutcome.RESERVED]

    async def test_savings_are_summed_by_session_of_the_exact_scope(self, store: Store) -> None:
        blocks = [served("a"), served("b", at=START + DAY, price=None), served("c", session="t", at=START + 2 * DAY)]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.blocks.add(blocks)
            await tx.blocks.add(blocks[:1])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            last, first = await tx.blocks.by_session(since=START, limit=9)
            assert (last.session, last.blocks, last.saving) == ("t", 1, blocks[2].cost)
            assert (first.session, first.blocks, first.unpriced, first.known) == ("s", 2, 1, True)
            assert first.saving == CostComparison(
                served=PromptCost(tokens=20, prefix=10, uncached=20, cached=16),
                whole=PromptCost(tokens=200, prefix=100, uncached=200, cached=150),
            )
            assert await tx.blocks.by_session(since=START, limit=1) == [last]
            _, later = await tx.blocks.by_session(since=START + DAY, limit=9)
            assert (later.session, later.blocks, later.unpriced, later.known) == ("s", 1, 1, False)
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.blocks.by_session(since=START, limit=9) == []

    async def test_savings_are_summed_by_agent_of_the_tenant(self, store: Store) -> None:
        other = Scope(tenant=HOUSE.tenant, project="gemini")
        for place, scope in enumerate((HOME, replace(HOME, user="bob"), other, RIVAL)):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.blocks.add([served(f"{place}")])
        async with store.snapshot(Caller(scope=HOUSE)) as tx:
            found = await tx.blocks.by_agent(since=START)
            by = {(one.project, one.agent, one.session): one.blocks for one in found}
            assert by == {(HOME.project, HOME.agent, None): 2, ("gemini", None, None): 1}
            assert [one.project for one in found] == sorted(one.project or "" for one in found)
            assert [one.blocks for one in await tx.blocks.by_agent(since=START, project="gemini")] == [1]
            assert [one.blocks for one in await tx.blocks.by_agent(since=START, agent=HOME.agent)] == [2]
            assert await tx.blocks.by_agent(since=START + DAY) == []
