"""Anthropic's memory tool on a memory."""

import json
from collections.abc import Sequence
from typing import Any

import anthropic
import anyio
import httpx2
import pytest
from anthropic.lib.tools import ToolError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remembrancer import Filter, Scope, SyncMemory
from remembrancer.integrations.anthropic import RemembrancerAsyncMemoryTool, RemembrancerMemoryTool


def done(tool: RemembrancerMemoryTool, command: str, **arguments: Any) -> str:
    """What a command answers, or the text of its error after an exclamation mark."""
    try:
        return str(tool.call({"command": command, **arguments}))
    except ToolError as error:
        return f"!{error}"


def service(commands: Sequence[dict[str, Any]], seen: list[Any]) -> Any:
    """What answers for Anthropic: a model that gives these commands, one a turn."""
    pending = iter(commands)

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content)["messages"][-1]["content"])
        command = next(pending, None)
        block: dict[str, Any] = {"type": "text", "text": "done"}
        if command:
            block = {"type": "tool_use", "id": f"t{len(seen)}", "name": "memory", "input": command}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [block]}
        end = {"stop_reason": "tool_use" if command else "end_turn", "stop_sequence": None}
        return httpx2.Response(200, json={**message, **end, "usage": {"input_tokens": 1, "output_tokens": 1}})

    return httpx2.MockTransport(handle)


COMMANDS = [
    {"command": "create", "path": "/memories/a.txt", "file_text": "one\ntwo"},
    {"command": "view", "path": "/memories"},
    {"command": "view", "path": "/memories/a.txt", "view_range": [2, -1]},
    {"command": "create", "path": "/memories/a.txt", "file_text": "again"},
    {"command": "str_replace", "path": "/memories/a.txt", "old_str": "two", "new_str": "2"},
    {"command": "insert", "path": "/memories/a.txt", "insert_line": 9, "insert_text": "z"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "rename", "old_path": "/memories/a.txt", "new_path": "/memories/b.txt"},
    {"command": "delete", "path": "/memories/b.txt"},
    {"command": "create", "path": "/memories/c.txt"},
]
ANSWERS = [
    (None, "File created successfully at: /memories/a.txt"),
    (
        None,
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "7B\t/memories\n7B\t/memories/a.txt",
    ),
    (None, "Here's the content of /memories/a.txt with line numbers:\n     2\ttwo"),
    (True, "File /memories/a.txt already exists"),
    (
        None,
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\tone\n     2\t2",
    ),
    (True, "Invalid `insert_line` parameter: 9. It should be within the range [0, 2]."),
    (True, "Path must start with /memories, got: /etc/passwd"),
    (None, "Successfully renamed /memories/a.txt to /memories/b.txt"),
    (None, "Successfully deleted /memories/b.txt"),
    (True, "The command create needs the parameter `file_text`."),
]


def test_the_runner_of_the_sdk_executes_commands(either_memory: SyncMemory) -> None:
    seen: list[Any] = []
    client = anthropic.Anthropic(api_key="x", http_client=httpx2.Client(transport=service(COMMANDS, seen)))
    tools: Any = [RemembrancerMemoryTool(either_memory)]
    client.beta.messages.tool_runner(
        model="x", max_tokens=9, tools=tools, messages=[{"role": "user", "content": "go"}]
    ).until_done()
    assert [(one[0].get("is_error"), one[0]["content"]) for one in seen[1:]] == ANSWERS


def test_the_asynchronous_runner_does_the_same(memory: SyncMemory) -> None:
    seen: list[Any] = []

    async def run() -> None:
        http = httpx2.AsyncClient(transport=service(COMMANDS, seen))
        client = anthropic.AsyncAnthropic(api_key="x", http_client=http)
        tools: Any = [RemembrancerAsyncMemoryTool(memory)]
        runner = client.beta.messages.tool_runner(
            model="x", max_tokens=9, tools=tools, messages=[{"role": "user", "content": "go"}]
        )
        await runner.until_done()

    anyio.run(run)
    assert [(one[0].get("is_error"), one[0]["content"]) for one in seen[1:]] == ANSWERS


@pytest.mark.parametrize("content", ["", "\n", "  \n\t", "one", "one\n", "\r\nü\n\n", "word\n" * 20_000])
def test_a_file_keeps_every_character(memory: SyncMemory, content: str) -> None:
    tool = RemembrancerMemoryTool(memory)
    done(tool, "create", path="/memories/f", file_text=content)
    shown = done(tool, "view", path="/memories/f").split("\n", 1)[1]
    assert "\n".join(line.split("\t", 1)[1] for line in shown.split("\n")) == content


def test_directories_are_listed_renamed_and_deleted_with_their_files(memory: SyncMemory) -> None:
    tool = RemembrancerMemoryTool(memory)
    for path in ("a/x.txt", "a/b/y.txt", "a/b/c/z.txt", ".hidden", "t"):
        done(tool, "create", path=f"/memories/{path}", file_text="12345")
    listing = [line.split("\t")[1] for line in done(tool, "view", path="/memories").split("\n")[1:]]
    assert listing == ["/memories", "/memories/a/", "/memories/a/b/", "/memories/a/x.txt", "/memories/t"]
    assert done(tool, "view", path="/memories/.hidden").endswith("1\t12345")
    assert done(tool, "create", path="/memories/t/u", file_text="") == "!The path /memories/t is not a directory."
    assert done(tool, "create", path="/memories/a", file_text="") == "!File /memories/a already exists"
    assert (
        done(tool, "str_replace", path="/memories/a", old_str="1", new_str="") == "!The path /memories/a is not a file."
    )
    assert done(tool, "rename", old_path="/memories/a", new_path="/memories/a/d").startswith("!Cannot move")
    assert done(tool, "rename", old_path="/memories/a", new_path="/memories/t").startswith("!The destination")
    assert done(tool, "rename", old_path="/memories/a", new_path="/memories/n/a").startswith("Successfully")
    assert done(tool, "view", path="/memories/n/a/b/c/z.txt").endswith("12345")
    assert done(tool, "delete", path="/memories/n").startswith("Successfully")
    assert done(tool, "delete", path="/memories/n") == "!The path /memories/n does not exist"
    assert done(tool, "delete", path="/memories/") == "!Cannot delete the /memories directory itself"
    assert tool.clear_all_memory() == "All memory cleared"
    assert memory.list(Filter(tags=["file"])).records == ()


NAMES = st.sampled_from(["..", ".", "a", "", "memories", "%2e%2e", "..\\", "~", "\0", "a\nb", "x" * 300])


@given(
    names=st.lists(NAMES, max_size=5), prefix=st.sampled_from(["/memories", "/memories/", "/", "", "/memories_backup"])
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_path_leads_outside(names: list[str], prefix: str) -> None:
    with SyncMemory(":memory:", embedder="none") as memory:
        tool = RemembrancerMemoryTool(memory.within(Scope(user="ana")))
        path = f"{prefix}/{'/'.join(names)}" if names else prefix
        answer = done(tool, "create", path=path, file_text="text")
        written = memory.within(Scope(user="ana")).list(Filter(tags=["file"])).records
        stored: Any = [record.metadata["file"] for record in written]
        assert answer.startswith("File created") == bool(stored)
        for one in stored:
            assert one["path"][0] == "memories"
            assert not {"..", ".", ""}.intersection(one["path"])


def test_a_file_is_a_memory(either_memory: SyncMemory) -> None:
    tool = RemembrancerMemoryTool(either_memory)
    done(tool, "create", path="/memories/flights.md", file_text="Ana cannot stand early flights.\n")
    done(tool, "str_replace", path="/memories/flights.md", old_str="early", new_str="late")
    record = either_memory.list(Filter(tags=["file"])).records[0]
    assert [one.record.text for one in either_memory.timeline.history(record.id)] == [
        "Ana cannot stand early flights.\n",
        "Ana cannot stand late flights.\n",
    ]
    assert either_memory.recall("late flights").hits[0].record.id == record.id
    either_memory.edit(record.id, "Ana likes early flights.\n")
    assert done(tool, "view", path="/memories/flights.md").endswith("1\tAna likes early flights.\n     2\t")
    either_memory.delete(record.id)
    assert done(tool, "view", path="/memories/flights.md").startswith("!The path /memories/flights.md does not exist")
    done(tool, "create", path="/memories/key", file_text="password: sk-proj-abcdefghijklmnop1234567890ABCDEF")
    assert "sk-proj" not in done(tool, "view", path="/memories/key")
    assert done(tool, "create", path="/memories/big", file_text="x" * 1_100_000).startswith("!metadata has")


def test_several_occurrences_are_named(memory: SyncMemory) -> None:
    tool = RemembrancerMemoryTool(memory)
    done(tool, "create", path="/memories/f", file_text="a\nb\na\n")
    assert done(tool, "str_replace", path="/memories/f", old_str="a", new_str="c").endswith(
        "Multiple occurrences of old_str `a` in lines: 1, 3. Please ensure it is unique"
    )
    assert done(tool, "str_replace", path="/memories/f", old_str="z", new_str="c").startswith("!No replacement")
    assert done(tool, "str_replace", path="/memories/f", old_str="", new_str="c").startswith("!No replacement")
    assert done(tool, "insert", path="/memories/f", insert_line=0, insert_text="first\n") == (
        "The file /memories/f has been edited."
    )
    assert done(tool, "view", path="/memories/f").endswith("1\tfirst\n     2\ta\n     3\tb\n     4\ta\n     5\t")
