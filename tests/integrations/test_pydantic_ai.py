"""The capability for Pydantic AI."""

from functools import partial
from typing import Any

import anyio
import pytest
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from remembrancer import Filter, Scope, SyncMemory
from remembrancer.integrations.pydantic_ai import MemoryCapability, load_history


def run(agent: Agent[Any, Any], text: str, **options: Any) -> Any:
    return anyio.run(partial(agent.run, text, **options))


def echo(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart(f"{len(messages)} messages; {info.instructions}")])


def test_an_agent_reads_what_is_known_and_goes_on_from_the_history(memory: SyncMemory) -> None:
    memory.save("The user likes green tea", type="preference")
    agent = Agent(FunctionModel(echo), capabilities=[MemoryCapability(memory, session="talk")])
    first = run(agent, "Does the user like tea?")
    assert first.output.startswith("1 messages; <memory-block")
    assert "The user likes green tea" in first.output
    second = run(agent, "And coffee?", message_history=load_history(memory, "talk"))
    assert second.output.startswith("3 messages; ")
    assert [type(one).__name__ for one in load_history(memory, "talk")] == ["ModelRequest", "ModelResponse"] * 2


def test_the_history_has_the_messages_of_a_run_with_tools(either_memory: SyncMemory) -> None:
    agent = Agent(TestModel(call_tools=["save_memory"]), capabilities=[MemoryCapability(either_memory, session="talk")])
    result = run(agent, "hi")
    kept = load_history(either_memory, "talk", bounded=False)
    assert [[part.part_kind for part in one.parts] for one in kept] == [
        ["user-prompt"],
        ["tool-call"],
        ["tool-return"],
        ["text"],
    ]
    assert [one.parts for one in kept] == [one.parts for one in result.all_messages()]
    records: Any = either_memory.list(Filter(sessions=["talk"], kinds=["message"])).records
    assert [one.role.value for one in reversed(records)] == ["user", "assistant", "tool", "assistant"]


def test_each_run_has_the_memory_of_the_user_in_its_dependencies(memory: SyncMemory) -> None:
    def owner(ctx: Any) -> Scope:
        return Scope(user=ctx.deps)

    memory.within(Scope(user="ana")).save("Ana likes tea")
    memory.within(Scope(user="ben")).save("Ben likes coffee")
    agent = Agent(FunctionModel(echo), deps_type=str, capabilities=[MemoryCapability(memory, session="t", scope=owner)])
    known = run(agent, "Which drink does Ana or Ben like, tea or coffee?", deps="ana").output
    assert "Ana likes tea" in known
    assert "coffee" not in known
    assert load_history(memory.within(Scope(user="ben")), "t") == []


def test_a_tool_saves_and_recalls_in_the_scope_of_the_run(memory: SyncMemory) -> None:
    calls = iter(
        [ToolCallPart("save_memory", {"text": "Ana likes herons"}), ToolCallPart("recall", {"question": "herons"})]
    )

    def script(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert all("scope" not in str(tool.parameters_json_schema) for tool in info.function_tools)
        call = next(calls, None)
        return ModelResponse(parts=[call or TextPart(str(messages[-1].parts[-1].content))])  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]

    agent = Agent(FunctionModel(script), capabilities=[MemoryCapability(memory.within(Scope(user="ana")), session="t")])
    assert "Ana likes herons" in run(agent, "go").output
    assert memory.list(Filter(kinds=["observation"])).records == ()
    without = Agent(FunctionModel(echo), capabilities=[MemoryCapability(memory, tools=False)])
    assert run(without, "hi").output


def test_a_run_that_fails_is_recorded_up_to_there(memory: SyncMemory) -> None:
    def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if len(messages) > 2:
            raise ZeroDivisionError
        return ModelResponse(parts=[ToolCallPart("recall", {"question": "x"})])

    agent = Agent(FunctionModel(fail), capabilities=[MemoryCapability(memory, session="t")])
    with pytest.raises(ZeroDivisionError):
        run(agent, "lost?")
    assert [[part.part_kind for part in one.parts] for one in load_history(memory, "t")] == [
        ["user-prompt"],
        ["tool-call"],
        ["tool-return"],
    ]


def test_a_call_without_a_result_is_not_in_the_history(memory: SyncMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart("recall", {"question": "x"})])

    agent = Agent(FunctionModel(stop), capabilities=[MemoryCapability(memory, session="t")])

    def interrupted(*_: Any, **named: Any) -> Any:
        if named.get("mode"):
            raise KeyboardInterrupt
        return context(*_, **named)

    context: Any = memory.context
    monkeypatch.setattr(memory, "context", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(agent, "lost?")
    assert [[part.part_kind for part in one.parts] for one in load_history(memory, "t")] == [["user-prompt"]]


def test_concurrent_runs_keep_apart(memory: SyncMemory) -> None:
    agent = Agent(
        FunctionModel(echo), deps_type=str, capabilities=[MemoryCapability(memory, session=lambda ctx: str(ctx.deps))]
    )

    async def run_all() -> None:
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(partial(agent.run, f"I am {number}", deps=f"s{number}"))

    anyio.run(run_all)
    assert [len(load_history(memory, f"s{number}")) for number in range(8)] == [2] * 8
