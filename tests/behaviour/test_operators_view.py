"""What an operator reads to see that a memory works: conversations, searches, scopes, work and nights."""

from datetime import UTC, datetime, timedelta

import pytest

from remembrancer import Memory, NewMessage, NotAllowed, NotFound, Scope
from remembrancer.types.access import Right
from remembrancer.types.jobs import Purpose
from remembrancer.types.lifecycle import Status

from .opener import Opener
from .requirements import requirement
from .test_models_that_fail import UNUSABLE, Scripted

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
ANA, BEN = Scope(user="ana"), Scope(project="100%_sure", user="Ben")


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener()


@requirement("view.conversation")
async def test_a_conversation_is_read_by_numbers_without_deleted_messages(memory: Memory) -> None:
    saved = await memory.messages.record_many([NewMessage(text=f"Turn {n}", session="talk") for n in range(1, 8)])
    await memory.delete(saved[4].id)
    found = await memory.sessions.messages("talk", first=3, last=6)
    assert [(one.number, one.text, one.hash) for one in found] == [(n, f"Turn {n}", "") for n in (3, 4, 6)]
    assert len(await memory.sessions.messages("talk")) == 6
    assert await memory.sessions.messages("talk", first=100) == []
    with pytest.raises(NotFound):
        await memory.sessions.messages("another")
    with pytest.raises(NotFound):
        await memory.within(ANA).sessions.messages("talk")


@requirement("view.conversation")
async def test_a_list_of_sessions_continues_from_the_last_one_of_a_page(memory: Memory) -> None:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    for n in range(5):
        message = NewMessage(text="Hello", session=f"s{n}", occurred_at=begin + timedelta(hours=n))
        await memory.within(ANA).messages.record_many([message])
    for reader, all_scopes in ((memory, True), (memory.within(ANA), False)):
        first = await reader.sessions.list(limit=2, all_scopes=all_scopes)
        rest = await reader.sessions.list(until=first[-1].last_activity_at, all_scopes=all_scopes)
        assert [one.id for one in (*first, *rest[1:])] == ["s4", "s3", "s2", "s1", "s0"]


@requirement("view.dependents")
async def test_what_was_derived_from_a_memory_is_read_with_its_status(memory: Memory) -> None:
    base = (await memory.save("Ana takes the early flight")).record
    derived = (await memory.save("Ana should be called at six", evidence=[base.id])).record
    assert [one.id for one in await memory.dependents(base.id)] == [derived.id]
    assert await memory.dependents(derived.id) == []
    await memory.feedback(base.id, "wrong")
    after = {one.id: one.status for one in await memory.dependents(base.id)}
    assert after[derived.id] is Status.RETIRED
    with pytest.raises(NotFound):
        await memory.within(ANA).dependents("nothing")


@requirement("view.scopes")
async def test_an_operator_finds_scopes_by_a_part_of_their_names(memory: Memory) -> None:
    for scope in (ANA, BEN):
        await memory.within(scope).record("Hello")
    assert {ANA, BEN} <= set(await memory.admin.scopes())
    assert await memory.admin.scopes(part="bE") == [BEN]
    assert await memory.admin.scopes(part="0%_s") == [BEN]
    assert await memory.admin.scopes(part="%") == [BEN]
    assert await memory.admin.scopes(part="nobody") == []
    assert len(await memory.admin.scopes(limit=1)) == 1
    assert await memory.within(ANA).admin.scopes() == [ANA]


@requirement("view.work")
async def test_the_state_of_background_work_names_what_is_due(opener: Opener) -> None:
    memory = await opener(observe_tokens=200)
    assert Purpose.OBSERVE not in {one.purpose for one in (await memory.admin.background()).due}
    words = "The painters finished room twelve on Tuesday, and Ana approved the invoice of 1,200 euros. "
    await memory.messages.record_many([NewMessage(text=words * 4, session="talk") for _ in range(12)])
    state = await memory.admin.background()
    assert {one.purpose for one in state.due} >= {Purpose.OBSERVE}
    assert (state.works, list(state.leases), list(state.breakers), list(state.failing)) == (False, [], [], [])
    created = await memory.admin.keys.create("reader", rights=["read"])
    reader = await memory.authenticator.authenticate(created.token, origin="rest")
    assert Right.OPERATE not in reader.rights
    with pytest.raises(NotAllowed):
        await memory.authenticator.memory_of(reader).admin.background()


@requirement("view.work")
async def test_maintenance_runs_are_listed_latest_first(memory: Memory) -> None:
    assert await memory.admin.maintenance.list() == []
    await memory.record("Hello")
    run = await memory.admin.maintenance.run()
    assert [one.day for one in await memory.admin.maintenance.list()] == [run.day]


@requirement("observing.review")
async def test_chunks_that_wait_for_a_person_are_listed_over_all_sessions(opener: Opener) -> None:
    memory = await opener(observe_review=True)
    for session in ("one", "two"):
        await memory.record("I prefer the window seat, and I never fly before ten.", session=session)
        await memory.notes.observe(session)
    waiting = await memory.notes.in_review()
    assert {one.session for one in waiting} == {"one", "two"}
    await memory.notes.approve("one", 1)
    assert [one.session for one in await memory.notes.in_review()] == ["two"]


@requirement("observing.model-may-fail")
async def test_a_dropped_chunk_is_listed_no_more_and_stays_verbatim(opener: Opener) -> None:
    scripted = Scripted()
    scripted.answering = UNUSABLE["nothing"]
    memory = await opener(**scripted.settings)
    await memory.record("I prefer the window seat, and I never fly before ten.", session="talk")
    await memory.notes.observe("talk")
    (failed,) = await memory.notes.failed()
    dropped = await memory.notes.drop("talk", failed.first)
    assert (dropped.failure, dropped.state) == ("", failed.state)
    assert await memory.notes.failed() == []
    assert "window seat" in (await memory.context("talk")).text
    assert await memory.notes.drop("talk", failed.first) == dropped
    with pytest.raises(NotFound):
        await memory.notes.drop("talk", 99)


@requirement("view.trace")
async def test_a_trace_has_the_hits_of_recall_and_what_fell_out(opener: Opener) -> None:
    memory = await opener(embedder="hash")
    for n in range(12):
        await memory.save(f"Ana paid invoice {n} for the kitchen on a Monday")
    rejected = (await memory.save("Ana paid the invoice for the kitchen twice")).record
    await memory.feedback(rejected.id, "wrong")
    trace = await memory.trace("Which invoice for the kitchen did Ana pay?", limit=5)
    recalled = await memory.recall("Which invoice for the kitchen did Ana pay?", limit=5)
    assert [hit.id for hit in trace.result.hits] == [hit.id for hit in recalled.hits]
    assert [one.rank for one in trace.candidates] == list(range(1, trace.considered + 1))
    stages = [one.stage for one in trace.candidates]
    assert (stages[:5], set(stages[5:])) == (["recalled"] * 5, {"limit"})
    assert all(one.behind >= 0 for one in trace.candidates[5:])
    assert rejected.id not in {one.record.id for one in trace.candidates}
    assert set(trace.seconds) == {"embed", "search", "rank"}
    few = await memory.trace("Which invoice for the kitchen did Ana pay?", limit=5, max_tokens=30)
    assert "tokens" in {one.stage for one in few.candidates}
    await memory.admin.flush()
    before = (await memory.get(recalled.hits[0].id)).usage_count
    await memory.trace("Which invoice for the kitchen did Ana pay?")
    await memory.admin.flush()
    assert (await memory.get(recalled.hits[0].id)).usage_count == before


@requirement("view.trace")
async def test_a_trace_of_nonsense_says_below_what_it_abstained(memory: Memory) -> None:
    await memory.save("Ana paid the invoice for the kitchen")
    trace = await memory.trace("xylophone quorum")
    assert trace.result.abstained
    assert trace.result.confidence < trace.abstain_below
    assert {one.stage for one in trace.candidates} <= {"abstained"}


@requirement("view.changes")
async def test_a_limited_diff_has_the_latest_changes(memory: Memory) -> None:
    early = datetime.now(UTC) - timedelta(hours=1)
    ids = [(await memory.save(f"Claim {n} about the kitchen")).record.id for n in range(6)]
    whole = await memory.timeline.diff(early, datetime.now(UTC))
    assert [one.id for one in whole.learnt] == sorted(ids)
    some = await memory.timeline.diff(early, datetime.now(UTC), limit=2)
    assert [one.id for one in some.learnt] == sorted(ids[-2:])


@requirement("view.changes")
async def test_a_limited_diff_compares_whole_records_and_ignores_later_changes(memory: Memory) -> None:
    early = datetime.now(UTC) - timedelta(hours=1)
    ids = [(await memory.save(f"Claim {n} about the kitchen")).record.id for n in range(3)]
    for n, id in enumerate(ids * 3):
        await memory.edit(id, f"Claim {n} about the other kitchen")
    middle = datetime.now(UTC)
    for n in range(4):
        await memory.save(f"Claim {n} about the garden")
    some = await memory.timeline.diff(early, middle, limit=6)
    assert (len(some.learnt), some.changed) == (3, ())
    assert [one.text for one in some.learnt] == [one.text for one in (await memory.timeline.diff(early, middle)).learnt]
    assert len((await memory.timeline.diff(middle, datetime.now(UTC), limit=2)).learnt) == 2


@requirement("view.costs")
async def test_the_savings_of_a_day_are_those_of_its_contexts(memory: Memory) -> None:
    for n in range(3):
        await memory.record(f"Turn {n} about the kitchen", session="talk")
        await memory.context("talk")
    today, yesterday = (await memory.admin.costs(days=2)).days
    assert yesterday.savings is None
    assert today.savings is not None
    assert today.savings.blocks == 3
    assert today.savings.saving.served.tokens > 0
