"""MCP over standard input and output, where every request is answered: what cannot be read, by an error."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final, cast

import anyio
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared._context_streams import create_context_streams
from mcp.shared.message import SessionMessage
from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

_UNREADABLE: Final = "the message is no JSON that can be read"
_SURROGATE: Final = "; half of a surrogate pair (\\ud800 to \\udfff) is no text"
_MALFORMED: Final = "the message is no request of JSON-RPC 2.0; send an object with jsonrpc, id, method and params"
# Strings, brackets and what lies between them; of what cannot be read, too.
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+')


# What was asked before standard input ended is waited for so long.
_LAST_ANSWERS_SECONDS = 30.0


async def run_stdio(server: MCPServer[Any]) -> None:
    """Serve until the other side closes standard input, and what it has asked by then is answered."""
    inner = server._lowlevel_server  # pyright: ignore[reportPrivateUsage] -- as `run_stdio_async` does
    async with stdio_server() as (read, write), write, read, anyio.create_task_group() as group:
        asking, asked = create_context_streams[SessionMessage | Exception](0)
        answering, answered = create_context_streams[SessionMessage](0)
        open_requests: set[str | int] = set()
        settled = anyio.Condition()

        async def ask() -> None:
            async with asking:
                async for message in read:
                    answer = refusal(message) if isinstance(message, Exception) else _unanswerable(message.message)
                    if answer is not None:
                        await write.send(SessionMessage(answer))
                    elif not isinstance(message, Exception):
                        if isinstance(message.message, JSONRPCRequest):
                            open_requests.add(message.message.id)
                        await asking.send(message)
                with anyio.move_on_after(_LAST_ANSWERS_SECONDS):
                    async with settled:
                        while open_requests:
                            await settled.wait()

        async def answer() -> None:
            async for message in answered:
                await write.send(message)
                if isinstance(message.message, JSONRPCResponse | JSONRPCError) and message.message.id is not None:
                    async with settled:
                        open_requests.discard(message.message.id)
                        settled.notify_all()

        group.start_soon(ask)
        group.start_soon(answer)
        await inner.run(asked, answering, inner.create_initialization_options())
        group.cancel_scope.cancel()


def refusal(error: Exception) -> JSONRPCError | None:
    """What is answered to a line that is no message; `None` for an empty one."""
    found = error.errors() if isinstance(error, ValidationError) else []
    unread = next((one for one in found if one["type"] == "json_invalid"), None)
    if unread is None:
        ids = [id for one in found if (id := _id_of(one["input"])) is not None]
        return _refused(next(iter(ids), None), INVALID_REQUEST, _MALFORMED)
    if not unread["input"].strip():
        return None
    reason = str(unread.get("ctx", {}).get("error", ""))
    hint = _SURROGATE if "hex escape" in reason else ""
    return _refused(_id_in(unread["input"]), PARSE_ERROR, f"{_UNREADABLE}: {reason}{hint}")


def _refused(id: str | int | None, code: int, told: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=told))


def _unanswerable(message: JSONRPCMessage) -> JSONRPCError | None:
    """What is answered to a request whose id is neither text nor a whole number: it is read as a notification."""
    if not isinstance(message, JSONRPCNotification) or message.method.startswith("notifications/"):
        return None
    return _refused(None, INVALID_REQUEST, _MALFORMED)


def _id_in(text: str) -> str | int | None:
    """The id of a request in a line that cannot be read; what else is in it need not be JSON."""
    depth, key, colon = 0, "", ""
    for found in _TOKEN.finditer(text):
        part = found[0]
        if depth == 1 and (key, colon) == ('"id"', ":"):
            try:
                return _id_of({"id": json.loads(part)})
            except ValueError:
                return None
        depth += (part in "{[") - (part in "}]")
        key, colon = colon, part
    return None


def _id_of(given: object) -> str | int | None:
    """The id of a request that can be answered under it."""
    id = cast("Mapping[str, object]", given).get("id") if isinstance(given, Mapping) else None
    if isinstance(id, str):
        return id if id.isascii() or id.encode("utf-8", "ignore").decode() == id else None
    return id if isinstance(id, int) and not isinstance(id, bool) else None
