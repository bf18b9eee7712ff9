"""The session of the OpenAI Agents SDK on a memory."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from agents import Agent, RunConfig, Runner, function_tool, set_tracing_disabled
from agents.memory import Session
from agents.testing import ScriptedModel, assistant_message, function_call

from remembrancer import Filter, InvalidInput, SyncMemory
from remembrancer.integrations import item_log
from remembrancer.integrations.openai_agents import RemembrancerSession

set_tracing_disabled(True)


def run(method: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    """What a method returns on an event loop of its own, as each run of a program has one."""
    return anyio.run(method, *arguments)


def answer(agent: Agent[Any], text: str, session: RemembrancerSession, config: RunConfig | None = None) -> None:
    run(partial(Runner.run, agent, text, session=session, run_config=config))


IMAGE = f"data:image/png;base64,{'iVBORw0KGgo/' * 150_000}"
ITEMS: list[Any] = [
    {"role": "user", "content": [{"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": IMAGE}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA+/=="},
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "weather", "arguments": '{"city": "Oslo"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "rain " * 1_000},
    {"type": "message", "role": "assistant", "id": "m1", "content": [{"type": "output_text", "text": "It rains."}]},
    {"role": "developer", "content": ""},
    {"role": "user", "content": "line\n\n  two\t", "unknown_key": {"b": [1, None], "a": 2.5}},
]


def test_items_come_back_whole_and_in_order(either_memory: SyncMemory) -> None:
    session = RemembrancerSession("talk", either_memory)
    assert isinstance(session, Session)
    run(session.add_items, ITEMS[:3])
    run(session.add_items, ITEMS[3:])
    run(session.add_items, [])
    assert run(session.get_items) == ITEMS
    assert run(RemembrancerSession("talk", either_memory).get_items, 3) == ITEMS[-3:]
    assert run(RemembrancerSession("other", either_memory).get_items) == []


def test_a_limit_is_of_the_newest_items(memory: SyncMemory) -> None:
    session = RemembrancerSession("talk", memory, session_settings={"limit": 2})
    items: list[Any] = [{"role": "user", "content": str(number)} for number in range(5)]
    run(session.add_items, items)
    assert [run(session.get_items, limit) for limit in (None, 3, 0, -1, 99)] == [
        items[-2:],
        items[-3:],
        [],
        items,
        items,
    ]


def test_pop_and_clear_delete(either_memory: SyncMemory) -> None:
    session = RemembrancerSession("talk", either_memory)
    run(session.add_items, ITEMS)
    assert run(session.pop_item) == ITEMS[-1]
    assert run(session.get_items) == ITEMS[:-1]
    run(session.clear_session)
    assert (run(session.pop_item), run(session.get_items)) == (None, [])
    assert either_memory.list(Filter(kinds=["message"])).records == ()
    run(session.add_items, ITEMS[-1:])
    assert run(session.get_items) == ITEMS[-1:]


def test_words_of_items_are_recalled(memory: SyncMemory) -> None:
    session = RemembrancerSession("talk", memory)
    run(session.add_items, ITEMS)
    records: Any = memory.list(Filter(sessions=["talk"])).records
    assert [(one.role.value, one.text[:40]) for one in reversed(records)] == [
        ("user", "look\n[input_image data:image/png;base64]"),
        ("assistant", ""),
        ("assistant", '[calls weather({"city": "Oslo"})]'),
        ("tool", ("rain " * 8)),
        ("assistant", "It rains."),
        ("system", "[no text]"),
        ("user", "line\n\n  two\t"),
    ]


def test_messages_of_other_programs_are_part_of_the_conversation(memory: SyncMemory) -> None:
    memory.record("I cannot stand early flights.", session="talk")
    memory.record("Noted.", role="assistant", session="talk")
    assert run(RemembrancerSession("talk", memory).get_items) == [
        {"role": "user", "content": "I cannot stand early flights."},
        {"role": "assistant", "content": "Noted."},
    ]


@pytest.mark.parametrize("name", ["", "x" * 201, "a\nb"])
def test_a_name_that_is_not_possible_is_refused_at_once(memory: SyncMemory, name: str) -> None:
    with pytest.raises(InvalidInput, match="session"):
        RemembrancerSession(name, memory)


def test_a_run_with_tools_goes_on_in_another_process(tmp_path: Path) -> None:
    @function_tool
    def weather(city: str) -> str:
        """Return the weather."""
        return f"rain in {city}"

    first = ScriptedModel(
        [[function_call("weather", {"city": "Oslo"}, call_id="c1")], [assistant_message("It rains.")]]
    )
    with SyncMemory(tmp_path / "agent.db", embedder="none") as memory:
        answer(Agent(name="a", model=first, tools=[weather]), "Weather?", RemembrancerSession("talk", memory))
    second = ScriptedModel([[assistant_message("Still rain.")]])
    with SyncMemory(tmp_path / "agent.db", embedder="none") as memory:
        answer(Agent(name="a", model=second), "And now?", RemembrancerSession("talk", memory))
    seen: Any = second.calls[-1].input
    assert [one.get("type", one.get("role")) for one in seen] == [
        "user",
        "function_call",
        "function_call_output",
        "message",
        "user",
    ]
    assert seen[2]["output"] == "rain in Oslo"


def test_a_run_that_fails_keeps_its_input(memory: SyncMemory) -> None:
    session = RemembrancerSession("talk", memory)
    with pytest.raises(Exception):  # noqa: B017, PT011 -- whatever the script raises for a call too many
        answer(Agent(name="a", model=ScriptedModel([])), "lost?", session)
    assert run(session.get_items) == [{"role": "user", "content": "lost?"}]


def test_what_is_recalled_reaches_the_model_and_is_not_recorded(memory: SyncMemory) -> None:
    memory.save("The user likes green tea", type="preference")
    session = RemembrancerSession("talk", memory)
    model = ScriptedModel([[assistant_message("Tea.")]])
    config = RunConfig(session_input_callback=session.with_recall)
    answer(Agent(name="a", model=model), "Does the user like tea?", session, config)
    sent: Any = model.calls[-1].input
    block, question = sent
    assert "The user likes green tea" in str(block)
    assert question == {"role": "user", "content": "Does the user like tea?"}
    assert [one.get("role") for one in run(session.get_items)] == ["user", "assistant"]


@pytest.mark.parametrize("page_size", [7, 100])
def test_a_long_conversation_is_served_within_bounds(
    page_size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_log, "_SHORT_PAGE", page_size)
    with SyncMemory(tmp_path / "long.db", embedder="none", background=False, observe_tokens=1_000) as memory:
        session = RemembrancerSession("talk", memory)
        for number in range(60):
            words = f"We decided in meeting {number} that the budget of team {number} is {number * 100} euros. "
            run(session.add_items, [{"role": "user", "content": words * 3}])
        served: Any = run(session.get_items)
        whole = run(RemembrancerSession("talk", memory, bounded=False).get_items)
    assert len(whole) == 60
    assert served[0]["role"] == "developer"
    assert "meeting 3" in served[0]["content"]
    assert len(served) < 20
    assert served[-1] == whole[-1]


def test_a_result_whose_call_was_noted_is_left_out(tmp_path: Path) -> None:
    with SyncMemory(tmp_path / "long.db", embedder="none", background=False) as memory:
        session = RemembrancerSession("talk", memory)
        call = {"type": "function_call", "call_id": "c1", "name": "budget", "arguments": "{}"}
        run(session.add_items, [{"role": "user", "content": "My budget is 900 euros. Is it enough?"}, call])
        memory.notes.observe("talk")
        run(session.add_items, [{"type": "function_call_output", "call_id": "c1", "output": "Yes"}])
        served: Any = run(session.get_items)
        whole = run(RemembrancerSession("talk", memory, bounded=False).get_items)
    assert [one.get("type") for one in whole] == [None, "function_call", "function_call_output"]
    assert [one.get("role") for one in served] == ["developer"]
