"""Sessions: opened, resumed, abandoned, ended; and looking along them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from remembrancer import Budget, ContextRequest, Filter, NewMessage, NewObservation, NotAllowed, NotFound
from remembrancer.types.record import Role
from tests.learning import Life
from tests.sealing import left_out_of

from .opener import Opener
from .requirements import requirement
from .test_recording import ORDER
from .world import ALICE, DAY, PROJECT, SECOND, World

pytestmark = pytest.mark.anyio

STALE = DAY + SECOND


@requirement("sessions.unnamed")
async def test_a_start_without_an_id_resumes_the_one_unnamed_session_until_it_ends(world: World) -> None:
    first = await world.memory.sessions.start()
    named = await world.memory.sessions.start("talk")
    again = await world.memory.sessions.start()
    await world.memory.sessions.end(first.session.id)
    fresh = await world.memory.sessions.start()

    assert [started.is_new for started in (first, named, again, fresh)] == [True, True, False, True]
    assert again.session.id == first.session.id
    assert len({first.session.id, named.session.id, fresh.session.id}) == 3


@requirement("sessions.unnamed", "scope.key-is-per-scope")
async def test_two_scopes_have_each_their_unnamed_session_and_their_own_of_one_name(world: World) -> None:
    project = world.of(PROJECT)
    mine, ours = await world.memory.sessions.start(), await project.sessions.start()
    assert mine.session.id != ours.session.id

    await world.memory.record("one", session="talk")
    assert (await project.record("one too", session="talk")).record.number == 1
    assert (await project.sessions.start("talk")).is_new is False
    with pytest.raises(NotFound):
        await project.sessions.end(mine.session.id)


@requirement("sessions.start-twice")
async def test_starting_and_ending_a_session_twice_changes_nothing(world: World) -> None:
    first = await world.memory.sessions.start("talk")
    second = await world.memory.sessions.start("talk")
    assert (second.session, second.is_new) == (first.session, False)

    ended = await world.memory.sessions.end("talk")
    world.clock.move(DAY)
    assert await world.memory.sessions.end("talk") == ended
    assert ended.status.value == "completed"
    with pytest.raises(NotFound):
        await world.memory.sessions.end("never started")


@requirement("sessions.stale")
async def test_after_24_hours_without_activity_the_next_start_closes_a_session_with_a_marked_summary(
    world: World,
) -> None:
    await world.memory.record("We begin with the roof", session="talk", speaker="Ann")
    last = world.clock.move(SECOND)
    await world.memory.record("We end with the cellar", session="talk")
    world.clock.move(STALE)
    started = await world.memory.sessions.start("other")

    talk = next(session for session in await world.memory.sessions.list() if session.id == "talk")
    assert (talk.status.value, talk.ended_at, talk.last_activity_at) == ("completed", last, last)
    summary = started.summaries[0]
    assert (summary.type, summary.session, summary.metadata["auto_generated"]) == ("summary", "talk", True)
    assert "We begin with the roof" in summary.text
    assert "We end with the cellar" in summary.text
    again = await world.memory.sessions.start("other")
    assert again.summaries == started.summaries


@requirement("sessions.observed-to-the-end")
@pytest.mark.parametrize("how", ["ended", "left alone"])
async def test_what_was_said_last_is_noted_when_a_session_is_over(world: World, how: str) -> None:
    await world.memory.record("Never book me before 10, says the roofer.", session="talk", speaker="Ann")
    await world.memory.record("I decided to take the slate roof.", session="talk", speaker="Ann")
    assert await world.memory.notes.log("talk") == []
    if how == "ended":
        await world.memory.sessions.end("talk")
    else:
        world.clock.move(STALE)
        await world.memory.sessions.start("other")
    noted = " ".join(note.text for note in await world.memory.notes.log("talk"))
    assert "slate roof" in noted
    assert "before 10" in noted
    assert (await world.memory.sessions.stats("talk")).waiting == 0


@requirement("sessions.stale")
async def test_a_session_that_was_used_within_24_hours_is_left_open(world: World) -> None:
    first = await world.memory.sessions.start()
    world.clock.move(DAY)
    assert (await world.memory.sessions.start()).session.id == first.session.id
    world.clock.move(STALE)
    assert (await world.memory.sessions.start()).session.id != first.session.id


@requirement("sessions.stale")
async def test_a_session_in_which_only_claims_were_saved_is_closed_with_a_summary_too(world: World) -> None:
    await world.memory.sessions.start("talk")
    await world.memory.save("The roof leaks", session="talk")
    world.clock.move(STALE)

    summaries = (await world.memory.sessions.start("other")).summaries
    assert [summary.session for summary in summaries] == ["talk"]


@requirement("sessions.stale-summary-is-clean", "time.delete-hides")
async def test_a_summary_of_our_own_does_not_quote_a_deleted_message(world: World) -> None:
    message = (await world.memory.record("My pin is 4711", session="talk")).record
    await world.memory.delete(message.id)
    world.clock.move(STALE)

    started = await world.memory.sessions.start()
    assert [summary for summary in started.summaries if "4711" in summary.text] == []


@requirement("sessions.stale-summary-is-clean", "recording.orders-are-quarantined")
async def test_a_summary_of_our_own_does_not_lend_trust_to_what_a_tool_said(world: World) -> None:
    await world.memory.record(ORDER, role="tool", session="talk")
    world.clock.move(STALE)

    started = await world.memory.sessions.start()
    assert [summary for summary in started.summaries if ORDER in summary.text and summary.trust == "trusted"] == []


@requirement("sessions.stale-summary-is-clean", "recording.evidence-inherits")
async def test_a_summary_of_our_own_has_the_class_of_what_it_quotes(world: World) -> None:
    await world.memory.record(NewMessage(text="The salary is high", session="talk", classification="restricted"))
    world.clock.move(STALE)

    started = await world.memory.sessions.start()
    classes = [summary.classification for summary in started.summaries if "salary" in summary.text]
    assert [name for name in classes if name != "restricted"] == []


@requirement("sessions.record-false")
async def test_a_session_that_records_nothing_refuses_messages(world: World) -> None:
    await world.memory.sessions.start("quiet", record=False)

    with pytest.raises(NotAllowed, match="record=False"):
        await world.memory.record("psst", session="quiet")
    with pytest.raises(NotAllowed):
        await world.memory.messages.record_many([NewMessage(text="psst", role=Role.USER, session="quiet")])
    assert (await world.memory.admin.stats()).records == {}


@requirement("sessions.record-false")
async def test_the_unnamed_session_that_records_nothing_refuses_messages_too(world: World) -> None:
    await world.memory.sessions.start(record=False)

    with pytest.raises(NotAllowed):
        await world.memory.record("psst")
    assert (await world.memory.admin.stats()).records == {}


@requirement("sessions.record-false")
async def test_a_session_that_records_nothing_refuses_claims_and_summaries(world: World) -> None:
    await world.memory.sessions.start("quiet", record=False)

    with pytest.raises(NotAllowed):
        await world.memory.save("psst", session="quiet")
    with pytest.raises(NotAllowed):
        await world.memory.sessions.summarise("quiet", "psst")
    assert (await world.memory.admin.stats()).records == {}


@requirement("sessions.activity")
async def test_every_save_and_every_summary_moves_the_last_activity(world: World) -> None:
    await world.memory.sessions.start("talk")
    seen: list[datetime] = []
    for write in (
        lambda: world.memory.record("a word", session="talk"),
        lambda: world.memory.save("a claim", session="talk"),
        lambda: world.memory.sessions.summarise("talk", "a summary"),
    ):
        world.clock.move(timedelta(hours=1))
        await write()
        seen += [session.last_activity_at for session in await world.memory.sessions.list()]

    assert seen == [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in (1, 2, 3)]


@requirement("sessions.activity")
async def test_a_save_outside_of_a_session_opens_none(world: World) -> None:
    saved = await world.memory.save("a claim")
    await world.memory.save(NewObservation(text="of yesterday", source="import", occurred_at=world.clock.now() - DAY))

    assert saved.record.session is None
    assert await world.memory.sessions.list() == []


@requirement("sessions.joined")
@pytest.mark.parametrize("name", [None, "talk"])
async def test_a_save_that_names_no_session_joins_the_one_that_was_used_last(world: World, name: str | None) -> None:
    memory = world.memory
    await memory.sessions.start("earlier")
    world.clock.move(SECOND)
    session = (await memory.sessions.start(name)).session.id
    world.clock.move(SECOND)
    at = world.clock.now()
    saved = (await memory.save("The roof leaks", topic_key="roof")).record
    assert saved.session == session
    assert (await memory.sessions.list())[0].last_activity_at == at

    await memory.sessions.end(session)
    world.clock.move(SECOND)
    assert (await memory.save("The roof is mended", topic_key="roof")).record.session == "earlier"
    imported = await memory.save(
        NewObservation(text="The roof was new", source="import", occurred_at=world.clock.now() - DAY)
    )
    assert imported.record.session is None


@requirement("sessions.joined")
async def test_an_edit_and_a_deduplicated_save_keep_the_session_awake(world: World) -> None:
    memory = world.memory
    saved = (await memory.save("The roof leaks")).record
    await memory.sessions.start("talk")
    for write in (lambda: memory.save("The roof leaks"), lambda: memory.edit(saved.id, tags=["roof"])):
        at = world.clock.move(timedelta(hours=1))
        await write()
        assert [session.last_activity_at for session in await memory.sessions.list()] == [at]
    assert (await memory.get(saved.id)).session == "talk"


@requirement("sessions.joined", "sessions.stale")
@pytest.mark.parametrize("swept", [False, True])
async def test_the_first_save_after_a_day_closes_the_session_and_opens_the_next(world: World, swept: bool) -> None:
    memory = world.memory
    first = (await memory.sessions.start()).session.id
    await memory.record("We decided to use slate")
    await memory.save("The roof leaks")
    world.clock.move(STALE)
    if swept:
        await world.worker.run_once()
    saved = (await memory.save("The cellar is dry")).record

    assert saved.session not in (None, first)
    sessions = {session.id: session for session in await memory.sessions.list()}
    assert [sessions[id].status.value for id in (first, saved.session or "")] == ["completed", "active"]
    (summary,) = (await memory.list(Filter(types=["summary"]))).records
    assert summary.session == first
    assert "slate" in summary.text
    assert "The roof leaks" in summary.text


@requirement("sessions.joined", "sessions.record-false")
async def test_a_save_that_names_no_session_is_refused_in_one_that_records_nothing(world: World) -> None:
    await world.memory.sessions.start(record=False)
    with pytest.raises(NotAllowed, match="record=False"):
        await world.memory.save("psst")
    assert (await world.memory.admin.stats()).records == {}


@requirement("sessions.joined")
async def test_naming_a_session_opens_or_resumes_it_whatever_is_saved(world: World) -> None:
    memory = world.memory
    writes = {
        "claim": lambda: memory.save("The roof leaks", session="claim"),
        "message": lambda: memory.record("The roof leaks", session="message"),
        "episode": lambda: memory.episodes.record("mended the roof", session="episode"),
    }
    for name, write in writes.items():
        await write()
        await memory.sessions.end(name)
        world.clock.move(SECOND)
        await write()
        (session,) = [one for one in await memory.sessions.list() if one.id == name]
        assert (session.status.value, session.ended_at) == ("active", None), name


@requirement("sessions.resumed")
async def test_a_resumed_session_is_summed_up_from_where_the_earlier_summary_ended(world: World) -> None:
    memory = world.memory
    for text, claim in (
        ("We decided to use slate", "The roof leaks"),
        ("We decided to drain the cellar", "The cellar is wet"),
    ):
        world.clock.move(SECOND)
        await memory.record(text, session="talk")
        await memory.save(claim, session="talk")
        world.clock.move(STALE)
        await memory.sessions.start("other")
    second, first = (await memory.sessions.start("other")).summaries

    assert "slate" in first.text
    assert "The roof leaks" in first.text
    assert second.text.splitlines()[0] == "Resumed session of 1 message, on 2 January 2026."
    assert "cellar" in second.text
    assert "slate" not in second.text
    assert "roof" not in second.text

    for id in first.evidence:
        if "slate" in (await memory.get(id)).text:
            await memory.delete(id)
    (whole,) = (await memory.sessions.start("other")).summaries
    assert "slate" not in whole.text
    assert "The roof leaks" in whole.text
    assert "cellar" in whole.text


@requirement("sessions.summary-reserved")
async def test_a_summary_belongs_to_a_session_that_is_there(world: World) -> None:
    await world.memory.sessions.start("talk")
    summary = await world.memory.sessions.summarise("talk", "We spoke of roofs", title="Roofs")

    assert (summary.type, summary.session, summary.title) == ("summary", "talk", "Roofs")
    assert await world.memory.get(summary.id) == summary
    with pytest.raises(NotFound):
        await world.memory.sessions.summarise("never started", "We spoke of nothing")


@requirement("sessions.start-brief")
async def test_a_start_brings_the_five_latest_summaries_and_the_ten_foremost_memories(world: World) -> None:
    for number in range(7):
        await world.memory.sessions.start(f"talk {number}")
        for place in ("first", "last"):
            world.clock.move(SECOND)
            await world.memory.sessions.summarise(f"talk {number}", f"{place} summary {number}")
    for number in range(12):
        await world.memory.save(f"discovery {number}")
    profile = (await world.memory.save("I am a roofer", type="profile")).record
    world.clock.move(SECOND)
    started = await world.memory.sessions.start()

    assert [summary.text for summary in started.summaries] == [f"last summary {number}" for number in (6, 5, 4, 3, 2)]
    assert len(started.memories) == 10
    assert started.memories[0].id == profile.id


@requirement("sessions.numbers", "time.delete-hides")
async def test_a_deleted_message_keeps_its_number_and_the_next_gets_a_fresh_one(world: World) -> None:
    said = [(await world.memory.record(f"word {place}", session="talk")).record for place in range(3)]
    await world.memory.delete(said[2].id)
    await world.memory.governance.erasure.erase(memories=[said[1].id], reason="a test")
    after = (await world.memory.record("word 3", session="talk")).record

    assert [record.number for record in (*said, after)] == [1, 2, 3, 4]
    restored = await world.memory.restore(said[2].id)
    assert getattr(restored, "number", None) == 3


@requirement("sessions.timeline")
async def test_a_timeline_shows_five_before_and_five_after_in_the_order_they_were_said(world: World) -> None:
    said = [(await world.memory.record(f"word {place}", session="talk")).record for place in range(13)]
    await world.memory.record("elsewhere", session="other")
    around = await world.memory.timeline.around(said[6].id)

    assert [record.text for record in around.before] == [f"word {place}" for place in range(1, 6)]
    assert around.record == replace(said[6], hash="")
    assert [record.text for record in around.after] == [f"word {place}" for place in range(7, 12)]
    edge = await world.memory.timeline.around(said[0].id, before=3, after=1)
    assert (edge.before, [record.text for record in edge.after]) == ((), ["word 1"])


@requirement("sessions.timeline")
async def test_a_memory_without_a_session_stands_alone(world: World) -> None:
    claim = (await world.memory.save("alone")).record
    await world.memory.save("alone too")
    around = await world.memory.timeline.around(claim.id)

    assert (around.before, around.record, around.after) == ((), replace(claim, hash=""), ())


@requirement("sessions.timeline")
async def test_a_session_of_the_same_name_in_a_shared_scope_is_another_session(world: World) -> None:
    shared = (await world.of(PROJECT).record("ours", session="talk")).record
    mine = (await world.memory.record("mine", session="talk")).record
    around = await world.memory.timeline.around(mine.id)

    assert (around.before, around.after) == ((), ())
    assert (await world.memory.timeline.around(shared.id)).after == ()
    assert mine.scope == ALICE


@requirement("sessions.between")
async def test_between_two_dates_everything_is_found_newest_first_with_its_bounds(world: World) -> None:
    start = world.clock.now()
    said = [
        (await world.memory.record(f"day {day}", session="talk", occurred_at=start - day * DAY)).record
        for day in range(6)
    ]
    first = await world.memory.timeline.between(start - 4 * DAY, start - DAY, limit=3)
    rest = await world.memory.timeline.between(start - 4 * DAY, start - DAY, limit=3, cursor=first.cursor)

    assert [*first.records, *rest.records] == [replace(message, hash="") for message in said[1:5]]
    assert rest.cursor is None


@requirement("sessions.then")
async def test_a_timeline_as_of_a_time_has_the_sessions_of_that_time(world: World) -> None:
    memory, clock = world.memory, world.clock
    await memory.sessions.start("monday")
    first = (await memory.record("before it", session="monday")).record
    clock.move(SECOND)
    moved = (await memory.save("the roof leaks", topic_key="roof", session="monday")).record
    clock.move(SECOND)
    last = (await memory.record("after it", session="monday")).record
    then = clock.move(SECOND)
    clock.move(SECOND)
    await memory.sessions.start("tuesday")
    before = (await memory.record("before the change", session="tuesday")).record
    clock.move(SECOND)
    await memory.save("the roof is mended", topic_key="roof", session="tuesday")
    clock.move(SECOND)
    after = (await memory.record("after the change", session="tuesday")).record

    at_that_time = await memory.timeline.around(moved.id, as_of=then)
    assert [one.id for one in at_that_time.before] == [first.id]
    assert (at_that_time.record.session, at_that_time.record.text) == ("monday", "the roof leaks")
    assert [one.id for one in at_that_time.after] == [last.id]
    beside = await memory.timeline.around(first.id, as_of=then)
    assert [one.id for one in beside.after] == [moved.id, last.id]
    now = await memory.timeline.around(moved.id)
    assert [one.id for one in now.before] == [before.id]
    assert [one.id for one in now.after] == [after.id]
    assert [one.id for one in (await memory.timeline.around(first.id)).after] == [last.id]


@requirement("sessions.summary-tells")
async def test_an_automatic_summary_says_what_was_decided_asked_saved_and_left_open(world: World) -> None:
    memory = world.memory
    for role, text in (
        ("user", "Good morning to you. How many tiles does the roof need?"),
        ("assistant", "It needs 340 tiles."),
        ("user", "Then we decided to order slate from Oban. The weather is fine."),
        ("assistant", "Noted."),
        ("user", "Could you find out who delivers on Saturday? Bye for now."),
    ):
        world.clock.move(SECOND)
        await memory.record(text, role=role, session="talk")
    saved = (await memory.save("Slate comes from Oban", session="talk")).record
    world.clock.move(STALE)
    (summary,) = (await memory.sessions.start("other")).summaries
    assert summary.text.splitlines() == [
        "Session of 5 messages, on 1 January 2026.",
        "Decided: user: “Then we decided to order slate from Oban.”.",
        "Asked: user: “How many tiles does the roof need?”.",
        "Left open: user: “Could you find out who delivers on Saturday?”.",
        "Saved: Slate comes from Oban.",
    ]
    assert saved.id in summary.evidence


@requirement("sessions.nothing-to-sum-up")
async def test_a_session_in_which_nothing_was_said_or_saved_has_no_summary(world: World) -> None:
    memory = world.memory
    await memory.sessions.start("empty")
    await memory.sessions.start("emptied")
    await memory.delete((await memory.record("never mind", session="emptied")).record.id)
    await memory.sessions.start("summed up")
    await memory.record("We speak of roofs", session="summed up")
    world.clock.move(SECOND)
    await memory.sessions.summarise("summed up", "We spoke of roofs")
    world.clock.move(STALE)
    started = await memory.sessions.start("other")
    assert [summary.text for summary in started.summaries] == ["We spoke of roofs"]
    assert {session.status.value for session in await memory.sessions.list() if session.id != "other"} == {"completed"}


@requirement("sessions.end-sums-up")
async def test_a_session_that_is_ended_leaves_a_summary_for_the_next_start(world: World) -> None:
    memory = world.memory
    await memory.record("We begin with the roof", session="talk")
    await memory.record("We decided to use slate", session="talk")
    await memory.sessions.end("talk")
    (summary,) = (await memory.sessions.start("other")).summaries
    assert (summary.session, summary.metadata["auto_generated"]) == ("talk", True)
    assert "slate" in summary.text
    assert "slate" in (await memory.context(mode="brief")).text

    await memory.sessions.end("talk")
    assert (await memory.sessions.start("other")).summaries == (summary,)


@requirement("sessions.end-sums-up")
async def test_a_summary_by_somebody_who_was_there_takes_the_place_of_ours(world: World) -> None:
    memory = world.memory
    await memory.record("We begin with the roof", session="talk")
    await memory.sessions.end("talk")
    await memory.sessions.summarise("talk", "We spoke of roofs")
    assert [one.text for one in (await memory.sessions.start("other")).summaries] == ["We spoke of roofs"]

    await memory.sessions.start("talk")
    await memory.sessions.end("talk")
    assert [one.text for one in (await memory.sessions.start("other")).summaries] == ["We spoke of roofs"]


@requirement("sessions.end-sums-up", "sessions.stale-summary-is-clean")
async def test_a_session_without_a_word_or_that_records_nothing_ends_without_a_summary(world: World) -> None:
    memory = world.memory
    await memory.sessions.start("silent")
    await memory.sessions.end("silent")
    await memory.sessions.start("quiet", record=False)
    await memory.sessions.end("quiet")
    assert (await memory.sessions.start("other")).summaries == ()


@requirement("sessions.left-open")
async def test_a_start_and_a_brief_say_which_session_was_not_ended(world: World) -> None:
    memory = world.memory
    await memory.record("We begin with the roof", session="talk")
    await memory.record("And then the cellar", session="talk")
    said = 'The session "talk" was not ended: 2 messages, last used on '
    assert said in (await memory.sessions.start("other")).text
    told = (await memory.context("other", mode="brief")).text
    assert said in told
    assert "Said last: user: And then the cellar\n" in told
    assert said not in (await memory.context("talk", mode="brief")).text

    await memory.sessions.end("talk")
    assert said not in (await memory.context("other", mode="brief")).text


@requirement("sessions.left-open")
async def test_of_a_session_that_was_left_open_nothing_is_told_past_the_tokens_or_to_others(world: World) -> None:
    memory = world.memory
    await memory.record("We begin with the roof", session="talk")
    assert (await memory.context(mode="brief", budget=Budget(tokens=20))).text == ""
    stranger = memory.within(replace(memory.scope, user="stranger"))
    assert "talk" not in (await stranger.context(mode="brief")).text


@requirement("sessions.start-brief")
async def test_a_brief_tells_rules_changes_decisions_and_whether_the_last_session_was_ended(life: Life) -> None:
    memory, clock = life.memory, life.clock
    await memory.facts.set("contact/anna/tone", "formal", category="contact")
    clock.move(DAY)
    await memory.sessions.start("monday")
    await memory.record("Shall we order the tiles?", session="monday")
    await memory.record("We decided to order slate tiles.", session="monday")
    await memory.facts.set("contact/anna/tone", "informal", category="contact")
    await memory.facts.set("budget", 900)
    await memory.rules.add("Answer in German.")
    await memory.save("We build with slate", type="decision", topic_key="roof")
    await memory.save("Tea rather than coffee", type="preference")
    await memory.save("The shed is ten years old")

    before = (await memory.context(ContextRequest(session="tuesday", record_access=False, mode="brief"))).text
    assert '- The session "monday" was not ended: 2 messages' in before
    await memory.sessions.end("monday")
    clock.move(DAY)
    brief = await memory.context(ContextRequest(session="tuesday", record_access=False, mode="brief"))
    titles = [line for line in brief.text.splitlines() if line.startswith("##")]
    assert titles == [
        "## Rules",
        "## Instructions and preferences",
        "## Changed since the last session began",
        "## Decisions",
        "## Known",
        "## Last session",
    ]
    assert '- The session "monday" was ended: 2 messages' in brief.text
    assert "- Answer in German." in brief.text
    assert "- contact / anna: tone: informal (since 2026-" in brief.text
    assert "; before: formal)" in brief.text
    assert "- budget: 900 (since " in brief.text
    await memory.save("We build with straw", type="decision", topic_key="roof")
    changed = (await memory.context(ContextRequest(session="tuesday", record_access=False, mode="brief"))).text
    assert changed.index("## Changed") < changed.index("We build with straw") < changed.index("## Known")

    small = await memory.context(
        ContextRequest(session="tuesday", record_access=False, mode="brief", budget=Budget(tokens=120))
    )
    assert small.tokens <= 120
    assert "Answer in German." in small.text
    assert set(small.ids()) | set(left_out_of(small)) == set(brief.ids())


@requirement("sessions.start-brief")
async def test_standing_instructions_come_first_in_a_brief_however_much_was_said_since(life: Life) -> None:
    memory, clock = life.memory, life.clock
    told = ["Never call Ana before nine.", "Ana is allergic to nuts.", "Always answer Ben in German."]
    for text in told:
        await memory.save(text)
    clock.move(200 * DAY)
    for number in range(80):
        await memory.save(f"The heron was seen at pond {number}.", importance=1.0)
    gone = (await memory.save("Never water the ferns.")).record
    await memory.feedback(gone.id, "wrong")
    brief = await memory.context(ContextRequest(record_access=False, mode="brief", budget=Budget(tokens=200)))
    assert next(line for line in brief.text.splitlines() if line.startswith("##")) == "## Instructions and preferences"
    assert all(text in brief.text for text in told)
    assert gone.text not in brief.text


@requirement("sessions.end-anyhow")
async def test_a_session_whose_summary_a_person_has_rejected_ends_all_the_same_and_names_nothing_closed(
    opener: Opener,
) -> None:
    memory = await opener(user="ana")
    guest = await opener(user="ana", clearance="public")
    told = dict[str, str]()
    for session in ("monday", "tuesday"):
        await memory.record(NewMessage(text="We go to Oban on Friday.", session=session, classification="restricted"))
        await memory.save(
            NewObservation(
                text="The ferry to Oban is booked.", session=session, type="decision", classification="restricted"
            )
        )
        await memory.sessions.end(session)
        (summary,) = (await memory.list(Filter(types=["summary"], sessions=[session]))).records
        await memory.feedback(summary.id, "wrong")
        told[session] = summary.id
        await memory.sessions.start(session)
    for id in [one.id for one in (await memory.list(Filter(kinds=["observation"]))).records]:
        await memory.feedback(id, "wrong")
    assert (await guest.sessions.end("monday")).status == "completed"
    assert (await memory.sessions.end("tuesday")).status == "completed"
    assert not (await memory.list(Filter(types=["summary"]))).records
