"""A conversation as an agent's author holds it: what is said goes in, what is to be read comes out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from remembrancer import (
    Budget,
    BudgetExceeded,
    Conflict,
    ContextRequest,
    Filter,
    InvalidInput,
    NotFound,
    ProviderUnavailable,
    StoreError,
    SyncMemory,
    open_memory,
)
from remembrancer.llm.language_model import Prompt
from remembrancer.sync import SyncConversation
from remembrancer.testing import ScriptedModel

SMALL: dict[str, Any] = {"observe_tokens": 340, "reflect_tokens": 300, "embedder": "none", "background": False}
TALK = [
    ("user", "Mira", "The wetsuits of order TW-118 go to Oban, and they must be there on 2026-05-04."),
    ("assistant", "", "Noted: order TW-118 goes to Oban, to arrive on 2026-05-04."),
    ("user", "Mira", "I decided that Beatriz signs every discount above 12 percent from now on."),
    ("assistant", "", "Beatriz signs discounts above 12 percent. Shall I tell the workshop?"),
    ("user", "Mira", "Yes, please. The zip of the large suit broke again, the third time since March."),
    ("assistant", "", "I told the workshop, and opened a claim with the maker of the zip, number Z-90."),
]

ANSWER = (
    "Order TW-{number} is one of the larger ones of this spring. An order of that kind goes through four steps, each of"
    " which takes some days. The suits are cut from sheets that are glued and sewn, and then hang in the drying room. A"
    " second person looks at every seam, because a seam that leaks is found by whoever dives in it. After that the"
    " zips are waxed and tried ten times. The parcel is closed by two people, who both sign the sheet that lies in it."
    " Many workshops skip that last step, and most of the claims that come back have to do with it. Let me know whether"
    " you would like to hear more about any of these steps, and I will gladly tell you what the maker says about them."
)


def opened(folder: Path, **given: Any) -> SyncMemory:
    return SyncMemory(folder / "m.db", user="mira", **{**SMALL, **given})


def talk(conversation: SyncConversation, *, orders: Sequence[str] = ("TW-118",)) -> None:
    for order in orders:
        for role, speaker, text in TALK:
            conversation.add(text.replace("TW-118", order).replace("12", order[-2:]), role=role, speaker=speaker)


def test_what_is_added_is_told_raw_and_then_by_what_was_noted_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        conversation = memory.conversation("order")
        talk(conversation)
        before = conversation.context()
        assert "[1] " in before.text
        assert TALK[0][2] in before.text
        assert before.report.covered == 0

        assert conversation.observe() > 0
        after = conversation.context()
        assert (after.report.covered, after.report.raw) == (6, 0)
        assert "TW-118" in after.text
        found = conversation.stats()
        assert (found.messages, found.raw, found.waiting) == (6, 0, 0)
        assert found.ratio > 1


def test_between_activations_the_text_only_grows_at_its_end(tmp_path: Path) -> None:
    with opened(tmp_path, observe_tokens=10_000) as memory:
        conversation = memory.conversation("order")
        prefixes: list[str] = []
        for role, speaker, text in TALK:
            conversation.add(text, role=role, speaker=speaker)
            prefixes.append(conversation.context().prefix)
        assert all(later.startswith(earlier) for earlier, later in pairwise(prefixes))


def test_a_message_longer_than_any_question_is_told_by_what_was_noted_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        conversation = memory.conversation("order")
        conversation.add("The crates of order TW-118 stand in Oban. " + "And then it rained, and rained again. " * 870)
        context = conversation.context(budget=Budget(window=20_000))
        assert (context.report.covered, context.report.raw) == (1, 0)
        assert context.report.tokens <= context.report.budget


def test_a_deleted_message_asks_nothing_any_more(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.save("The otter hunts at dusk")
        conversation = memory.conversation("zoo")
        asked = conversation.add("When does the otter hunt?")
        assert "recalled" in conversation.context().report.slots
        memory.delete(asked.record.id)
        assert "recalled" not in conversation.context().report.slots


def test_a_conversation_goes_on_where_another_memory_of_the_scope_names_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        talk(memory.conversation("order"))
    with opened(tmp_path) as memory:
        assert memory.conversation("order").stats().messages == 6
        with pytest.raises(NotFound, match="no session 'another' here"):
            memory.conversation("another").stats()
        kept = memory.conversation("order")
    with pytest.raises(StoreError, match="closed"):
        kept.context()


@pytest.mark.anyio
async def test_with_await_it_is_the_same(tmp_path: Path) -> None:
    async with open_memory(tmp_path / "m.db", embedder="none", background=False) as memory:
        conversation = memory.conversation("order")
        for role, speaker, text in TALK:
            await conversation.add(text, role=role, speaker=speaker)
        assert TALK[0][2] in (await conversation.context("Where do the wetsuits go?")).text
        await conversation.observe()
        assert (await conversation.stats()).messages == 6


def test_the_log_is_what_was_noted_and_a_run_says_what_was_noted_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        conversation = memory.conversation("order")
        talk(conversation)
        conversation.observe()
        log = memory.notes.log("order")
        assert any("TW-118" in record.text for record in log)
        runs = memory.notes.chunks("order")
        assert [record.id for run in runs for record in memory.notes.of_chunk("order", run.first)] == [
            one.id for one in log
        ]
        with pytest.raises(NotFound, match="no chunk 'order 99' here"):
            memory.notes.of_chunk("order", 99)


def test_what_is_held_for_a_person_can_be_read_before_it_is_approved(tmp_path: Path) -> None:
    with opened(tmp_path, observe_review=True) as memory:
        conversation = memory.conversation("order")
        talk(conversation)
        conversation.observe()
        assert memory.notes.log("order") == []
        first = memory.notes.chunks("order")[0]
        assert (first.state, memory.notes.of_chunk("order", 1)[0].status) == ("in-review", "buffered")
        assert memory.notes.approve("order", 1).state == "buffered"
        with pytest.raises(Conflict, match="only chunks in review"):
            memory.notes.approve("order", 1)


def test_reflecting_on_every_log_leaves_each_conversation_its_own(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for name, order in (("one", "A"), ("two", "B")):
            talk(memory.conversation(name), orders=[f"{order}-{number}" for number in range(10, 20)])
            memory.conversation(name).observe()
        assert memory.notes.reflect() > 0
        for name in ("one", "two"):
            log = memory.notes.log(name)
            assert log
            assert {record.session for record in log} == {name}
            assert memory.sessions.stats(name).noted == sum(record.tokens for record in log)
        with pytest.raises(NotFound, match="no session 'three' here"):
            memory.notes.reflect("three")


def test_where_a_scope_is_one_conversation_it_has_one_log(tmp_path: Path) -> None:
    with opened(tmp_path, observe_scope="scope") as memory:
        for name, order in (("one", "A"), ("two", "B")):
            talk(memory.conversation(name), orders=[f"{order}-{number}" for number in range(10, 20)])
        memory.notes.observe("one")
        assert memory.notes.log("one") == memory.notes.log("two")
        before = memory.sessions.stats("one").noted
        fewer = memory.notes.reflect("two")
        assert (
            before - fewer
            == memory.sessions.stats("one").noted
            == sum(record.tokens for record in memory.notes.log("one"))
        )


def answering(*said: str | Exception | Callable[[Prompt], str]) -> ScriptedModel:
    script = list(said)

    def answer(prompt: Prompt) -> str | Exception:
        found = script.pop(0)
        return found(prompt) if callable(found) else found

    return ScriptedModel(answer)


def test_a_model_answers_with_what_memory_holds_and_both_sides_are_recorded(tmp_path: Path) -> None:
    model = answering(" To Oban. ")
    with opened(tmp_path, model=model, observe_model="none", reflect_model="none") as memory:
        conversation = memory.conversation("order")
        talk(conversation)
        reply = conversation.reply("Where do the suits go?", speaker="Mira", instructions="Be brief.")
        assert (reply.text, reply.model) == ("To Oban.", "scripted:model")
        (prompt,) = model.asked
        assert prompt.system.endswith("Be brief.")
        assert prompt.text.startswith(reply.context.text)
        assert "Where do the suits go?" in prompt.text
        assert (prompt.version, model.schemas) == ("reply-2", [None])
        assert "[8] " in conversation.context().text
        assert conversation.stats().messages == 8
        (total,) = memory.admin.costs().totals
        assert (total.purpose, total.calls) == ("answer", 1)


def test_the_next_prompt_begins_with_the_cacheable_part_of_the_one_before(tmp_path: Path) -> None:
    model = ScriptedModel(["To Oban.", "On 2026-05-04."])
    with opened(tmp_path, model=model, observe_model="none", observe_tokens=10_000) as memory:
        conversation = memory.conversation("order")
        talk(conversation)
        first = conversation.reply("Where do the suits go?")
        second = conversation.reply("And when?")
        assert second.context.text.startswith(first.context.prefix)
        assert model.asked[0].system == model.asked[1].system


def test_where_a_model_fails_what_was_said_stays_and_is_not_said_twice(tmp_path: Path) -> None:
    model = ScriptedModel([ProviderUnavailable("status 401", lasting=True), "Yes."])
    with opened(tmp_path, model=model, observe_model="none") as memory:
        with pytest.raises(ProviderUnavailable, match="401"):
            memory.sessions.reply("order", "Are you there?", key="1")
        assert memory.sessions.stats("order").messages == 1
        assert memory.sessions.reply("order", "Are you there?", key="1").text == "Yes."
        assert memory.sessions.stats("order").messages == 2


def test_without_a_model_nothing_is_recorded_and_the_setting_is_named(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert not memory.sessions.has_model
        with pytest.raises(InvalidInput, match="REMEMBRANCER_MODEL"):
            memory.sessions.reply("order", "Are you there?")
        assert memory.sessions.list() == []


def test_instructions_that_do_not_fit_are_refused_before_anything_is_recorded(tmp_path: Path) -> None:
    with opened(tmp_path, model=ScriptedModel([])) as memory:
        with pytest.raises(InvalidInput, match=r"instructions have \d+ tokens; shorten them to \d+"):
            memory.sessions.reply("order", "Are you there?", instructions="Be brief. " * 1_000)
        assert memory.sessions.list() == []


def test_with_the_budget_spent_no_model_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel([])
    with opened(tmp_path, model=model, observe_model="none", budget_day_tokens=10) as memory:
        with pytest.raises(BudgetExceeded):
            memory.sessions.reply("order", "Are you there?")
        assert model.asked == []


def test_a_caller_sets_the_caps_of_slots_and_the_report_has_them(tmp_path: Path) -> None:
    with opened(tmp_path, slots={"recalled": 900, "facts": 0}) as memory:
        usual = memory.context(task="Deliver the wetsuits").report
        assert (usual.caps["facts"], usual.caps["recalled"], usual.caps["episodes"]) == (0, 900, 1_200)
        assert usual.budget == 128_000 - 2_800
        once = memory.context(
            ContextRequest(task="Deliver", work_type="chore", budget=Budget(slots={"response": 9, "facts": 7}))
        ).report
        assert (once.caps["facts"], once.caps["recalled"], once.caps["response"]) == (7, 300, 9)
        assert once.budget == 128_000 - 809
        assert (
            memory.context(ContextRequest(work_type="chore", budget=Budget(slots={"recalled": 1}))).report.caps[
                "recalled"
            ]
            == 1
        )


def test_what_a_slot_has_no_room_for_is_left_out_and_named(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        said = memory.record("The wetsuits go to Oban.", session="order").record
        told = memory.context(task="Where do the wetsuits go?").report
        assert "recalled" in told.slots
        left = memory.context(task="Where do the wetsuits go?", budget=Budget(slots={"recalled": 0})).report
        assert (left.dropped["recalled"], "recalled" in left.slots) == ((said.id,), False)
        unfit = memory.context(
            ContextRequest(task="Deliver", history=["looked into the shed"], budget=Budget(slots={"tool_history": 0}))
        ).report
        (kept,) = unfit.dropped["history"]
        assert memory.get(kept).text == "looked into the shed"


def test_each_agent_has_its_own_slots(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("slots: {facts: 50}\nagents: {scribe: {slots: {facts: 70, episodes: 0}}}\n")
    with opened(tmp_path, config=str(file)) as memory:
        assert memory.context().report.caps["facts"] == 50
    with opened(tmp_path, config=str(file), agent="scribe") as memory:
        caps = memory.context().report.caps
        assert (caps["facts"], caps["episodes"]) == (70, 0)


def test_larger_slots_leave_less_of_the_window_to_a_conversation(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.record("hello", session="s")
        assert memory.context("s", budget=Budget(window=11_200)).report.tokens
        with pytest.raises(InvalidInput, match="use a window of at least 11400"):
            memory.context("s", budget=Budget(window=11_200, slots={"base_prompt": 9_200}))


def test_each_block_counts_once_with_what_it_has_in_common_with_the_one_before(tmp_path: Path) -> None:
    with opened(tmp_path, observe_tokens=5_000) as memory:
        conversation = memory.conversation("order")
        talk(conversation)
        first = conversation.context(ContextRequest(recall=False)).report
        conversation.add("And send the invoice to Beatriz.")
        second = conversation.context(ContextRequest(recall=False)).report
        memory.context(task="Deliver the wetsuits")
        memory.context(ContextRequest(session="order", record_access=False))
        (found,) = memory.admin.costs().sessions
        assert memory.admin.costs().sessions == (found,)
        assert (found.session, found.blocks, found.unpriced) == ("order", 2, 2)
        served, whole = found.saving.served, found.saving.whole
        assert (served.tokens, whole.tokens) == (first.tokens + second.tokens, first.whole + second.whole)
        assert whole.prefix == first.whole
        assert served.prefix == first.cacheable


def test_a_long_conversation_spares_more_than_it_serves_and_only_its_own_scope_reads_its_sessions(
    tmp_path: Path,
) -> None:
    prices = {"openai:small": {"prompt": 1, "answer": 1}}
    given = {"answer_model": "openai:small", "openai_api_key": "none", "prices": prices, "agent": "scribe"}
    with opened(tmp_path, **given) as memory:
        conversation = memory.conversation("order")
        for number in range(118, 148):
            conversation.add(f"What do we know of order TW-{number}?")
            conversation.add(ANSWER.format(number=number), role="assistant")
        conversation.context()
        (found,) = memory.admin.costs().agents
        assert (found.agent, found.session, found.unpriced) == ("scribe", None, 0)
        assert found.saving.whole.tokens > 3 * found.saving.served.tokens
        ratio = found.saving.uncached_ratio
        assert ratio is not None
        assert ratio > 3
        others = memory.within(replace(memory.scope, user="bob")).admin.costs()
        assert (others.agents, others.sessions) == ((found,), ())
        assert memory.within(replace(memory.scope, agent="clerk")).admin.costs().agents == ()


def test_what_three_agents_have_reflected_on_is_shared_where_the_setting_says_so(tmp_path: Path) -> None:
    insight = {"text": "Beatriz mends what breaks.", "type": "pattern", "priority": 5, "sources": [1, 2]}
    model = ScriptedModel(lambda _: {"insights": [insight]})
    chosen: dict[str, Any] = {**SMALL, "reflect_tokens": 100, "model": model, "observe_model": "none"}
    for share, told in ((False, []), (True, [insight["text"]])):
        with SyncMemory(tmp_path / f"{share}.db", project="apollo", share_insights=share, **chosen) as memory:
            for agent in ("clerk", "scribe", "tester"):
                assert memory.list(Filter(kinds=["observation"])).records == ()
                own = memory.within(replace(memory.scope, agent=agent))
                for part in ("zip", "pump", "crane", "lamp", "gate", "lock", "radio", "stove"):
                    own.record(f"I decided that Beatriz mends the {part} for 65 pounds in the week after.", session="s")
                own.notes.observe("s")
                own.notes.reflect("s")
                assert len(own.list(Filter(kinds=["reflection"])).records) == 1
            assert [record.text for record in memory.list(Filter(kinds=["observation"])).records] == told
