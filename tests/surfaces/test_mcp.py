"""MCP as a client of the official SDK meets it, over both transports, each with a process of its own."""

import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from anyio.to_thread import run_sync
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CreateMessageRequestParams, CreateMessageResult, TextContent

from remembrancer import Memory, Scope, open_memory
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.service.mcp.tools import make_tools
from tests.serving import serving

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(110)]
ROOM = 2_500
PATIENCE = 40


def nobody(_: str) -> Memory:
    raise LookupError


def stdio(db: str, *options: str) -> Client:
    arguments = ["-m", "remembrancer", "mcp", "--db", db, "--embedder", "none", *options]
    return Client(StdioServerParameters(command=sys.executable, args=arguments))


async def said(client: Client, tool: str, **given: Any) -> str:
    found: Any = await client.call_tool(tool, given)
    return found.content[0].text


@pytest.mark.slow
async def test_an_agent_remembers_across_restarts_over_stdio(tmp_path: Path) -> None:
    db = str(tmp_path / "m.db")
    with anyio.fail_after(PATIENCE):
        async with stdio(db, "--user", "ana") as client:
            session = json.loads(await said(client, "mem_session_start"))["session"]
            saved = json.loads(await said(client, "mem_save", text="Ana is vegetarian", type="profile"))
            assert saved["session"] == session
            started = json.loads(await said(client, "mem_session_start", session="next"))
            assert (started["session"], started["is_new"]) == ("next", True)
            assert [(one["id"], one["snippet"]) for one in started["memories"]] == [(saved["id"], "Ana is vegetarian")]
            assert "Ana is vegetarian" in started["known"]
        async with stdio(db, "--user", "ana") as again, stdio(db, "--user", "bob") as other:
            assert "vegetarian" in await said(again, "recall", question="What does Ana eat?")
            assert "Nothing is known" in await said(other, "recall", question="What does Ana eat?")
            listed: Any = await again.list_tools()
            tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
            tokenizer = await run_sync(lambda: tokenizer_named("o200k_base", model=""))
            assert tokenizer.count(json.dumps(tools)) <= ROOM
            assert len(tools) == len(make_tools(nobody))


async def test_every_line_of_standard_input_is_answered(tmp_path: Path) -> None:
    """A lone surrogate, no JSON, no request: each is answered by an error, and what follows is answered as usual."""
    call = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "mem_save", "arguments": {"text": "?"}}}
    lines = [
        (json.dumps({**call, "id": 1}).replace("?", "half \\ud83d"), 1, -32700),
        (json.dumps({**call, "id": "\ud800"}), None, -32700),
        ("{", None, -32700),
        ("[1]", None, -32600),
        ('{"id": 4}', 4, -32600),
        ('{"jsonrpc": "2.0", "id": "five", "method": 5}', "five", -32600),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', None, -32600),
        ("[" * 9_999, None, -32700),
        (json.dumps({**call, "id": 6}).replace('"?"', "9" * 5_000), 6, -32700),
        (
            json.dumps({**call, "id": 'a "seven" }'}).replace('"?"', '{"id":' * 3_000 + "1" + "}" * 3_000),
            'a "seven" }',
            -32700,
        ),
        ('{"params": {"id": 1, "text": "\\"id\\": 2, {"}, "id": 8, ', 8, -32700),
        ("\n", ..., 0),
        ('{"jsonrpc": "2.0", "id": 9, "method": "ping"}', 9, 0),
    ]
    command = [sys.executable, "-m", "remembrancer", "mcp", "--db", str(tmp_path / "m.db"), "--embedder", "none"]
    begin = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    start = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin}),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    ]
    with anyio.fail_after(PATIENCE):
        typed = "\n".join([*start, *(line for line, _, _ in lines)]) + "\n"
        done = await anyio.run_process(command, input=typed.encode())
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    told = {(answer["id"], answer.get("error", {}).get("code", 0)) for answer in answers[1:]}
    assert told == {(id, code) for _, id, code in lines if id is not ...}
    assert len(answers) == len(lines)
    words = {answer["id"]: answer["error"]["message"] for answer in answers if "error" in answer}
    assert "half of a surrogate pair" in words.pop(1)
    assert "number out of range" in words[6]
    assert "recursion limit exceeded" in words['a "seven" }']
    assert not any("surrogate" in one for id, one in words.items() if id is not None)


async def test_an_agent_is_told_what_is_wrong_with_a_call_and_not_what_it_said(tmp_path: Path) -> None:
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("mem_search", {"query": "secret"}, "query: there is no such argument; question: field required"),
        ("mem_search", {"question": "x", "kinds": "secret"}, "kinds: input should be a valid list"),
        ("mem_timeline", {"since": "secret"}, "since: input should be a valid datetime"),
        ("mem_save", {"text": "secret", "topicKey": "secret"}, "topicKey: there is no such argument"),
        ("mem_timeline", {"id": "nobody"}, "no memory 'nobody' here"),
        ("mem_record", {"text": " "}, "text must not be empty"),
    ]
    with anyio.fail_after(PATIENCE):
        async with stdio(str(tmp_path / "m.db")) as client:
            for tool, arguments, told in wrong:
                found: Any = await client.call_tool(tool, arguments)
                assert found.is_error
                assert told in found.content[0].text
                assert "secret" not in found.content[0].text
                assert "pydantic" not in found.content[0].text


async def test_what_is_known_and_too_long_is_not_called_unknown(tmp_path: Path) -> None:
    with anyio.fail_after(PATIENCE):
        async with stdio(str(tmp_path / "m.db")) as client:
            long = "The launch code name is Falcon. " + "And much else was said. " * 400
            id = json.loads(await said(client, "mem_record", text=long))["id"]
            told = await said(client, "recall", question="What is the launch code name?")
            assert id in told
            assert "exceed 1500 tokens" in told
            assert "Falcon" in await said(client, "recall", question="What is the launch code name?", max_tokens=9_000)


@asynccontextmanager
async def over_http(url: str, key: str) -> AsyncGenerator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


async def test_over_http_the_key_says_whose_memory_it_is(tmp_path: Path) -> None:
    db = str(tmp_path / "m.db")
    async with open_memory(db, embedder="none", background=False) as memory:
        ana = (await memory.within(Scope(user="ana")).admin.keys.create("ana's agent")).token
        reader = (await memory.within(Scope(user="bob")).admin.keys.create("reader", rights=["read"])).token
    with serving(db, tmp_path / "log") as running, anyio.fail_after(PATIENCE):
        async with over_http(running.url, ana) as one, over_http(running.url, reader) as other:
            saved = json.loads(await said(one, "mem_save", text="The vault opens with 4711"))
            assert json.loads(await said(one, "mem_get_observation", id=saved["id"]))["text"].endswith("4711")
            found: Any = await other.call_tool("mem_get_observation", {"id": saved["id"]})
            absent: Any = await other.call_tool("mem_get_observation", {"id": "nobody"})
            for answer in (found, absent):
                assert (answer.is_error, answer.content[0].text, answer.structured_content) == (False, "null", None)
            refused: Any = await other.call_tool("mem_save", {"text": "x"})
            assert refused.is_error
            assert "right 'write'" in refused.content[0].text
            started: Any = await one.get_prompt("start_session")
            assert "mem_save" in started.messages[0].content.text
            for resource in ("reflections", "procedures", "sessions"):
                read: Any = await one.read_resource(f"memory://{resource}")
                assert isinstance(json.loads(read.contents[0].text), list)
        answer = httpx2.post(f"{running.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert answer.status_code == 401


@pytest.mark.parametrize("offered", [True, False])
async def test_the_model_of_the_client_observes_where_the_client_offers_it(tmp_path: Path, offered: bool) -> None:
    asked: list[CreateMessageRequestParams] = []

    async def sample(context: Any, params: CreateMessageRequestParams) -> CreateMessageResult:
        asked.append(params)
        content = TextContent(type="text", text='{"nonsense": 1}')
        return CreateMessageResult(role="assistant", content=content, model="of the client")

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "remembrancer", "mcp", "--db", str(tmp_path / "m.db"), "--embedder", "none", "--sampling"],
    )
    with anyio.fail_after(PATIENCE):
        async with Client(server, mode="legacy", sampling_callback=sample if offered else None) as client:
            await said(client, "mem_session_start", session="talk")
            await said(client, "mem_record", text="I moved to Lisbon in March.", session="talk")
            await said(client, "mem_session_end", session="talk")
    assert bool(asked) is offered
    assert all("Lisbon" in str(one.messages) and one.system_prompt for one in asked)
    async with open_memory(str(tmp_path / "m.db"), embedder="none", background=False) as memory:
        costs = await memory.admin.costs(days=1)
        assert {one.model for one in costs.totals} == {"mcp:client"}
        ended = await memory.sessions.list()
        assert [one.status for one in ended] == ["completed"]
