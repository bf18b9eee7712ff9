"""MCP over standard input and output. Unreadable requests are answered with an error."""

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

_UNREADABLE: Final = "the message is not valid JSON"
_SURROGATE: Final = "; half of a surrogate pair (\\ud800 to \\udfff) is not allowed"
_MALFORMED: Final = "the message is not a JSON-RPC 2.0 request; send an object with jsonrpc, id, method and params"
# Strings, brackets, and the text between them, also in invalid JSON.
_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s"{}\[\]:,]+')


# The wait for open requests after the end of standard input.
_DRAIN_SECONDS = 30.0


async def run_stdio(server: MCPServer[Any]) -> None:
    """Serve until standard input is closed and all open requests are answered."""
    inner = server._lowlevel_server  # pyright: ignore[reportPrivateUsage] -- as `run_stdio_async` does
    async with stdio_server() as (read, write), write, read, anyio.create_task_group() as group:
        asking, asked = create_context_streams[SessionMessage | Exception](0)
        answering, answered = create_context_streams[SessionMessage](0)
        open_requests: set[str | int] = set()
        settled = anyio.Condition()

        async def ask() -> None:
            async with asking:
                async for message in read:
                    answer = (
                        parse_error_response(message)
                        if isinstance(message, Exception)
                        else _invalid_id_response(message.message)
                    )
                    if answer is not None:
                        await write.send(SessionMessage(answer))
                    elif not isinstance(message, Exception):
                        if isinstance(message.message, JSONRPCRequest):
                            open_requests.add(message.message.id)
                        await asking.send(message)
                with anyio.move_on_after(_DRAIN_SECONDS):
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


def parse_error_response(error: Exception) -> JSONRPCError | None:
    """Return the response to a line that is not a message; `None` for an empty line."""
    errors = error.errors() if isinstance(error, ValidationError) else []
    unread = next((one for one in errors if one["type"] == "json_invalid"), None)
    if unread is None:
        ids = [id for one in errors if (id := _id_of(one["input"])) is not None]
        return _error(next(iter(ids), None), INVALID_REQUEST, _MALFORMED)
    if not unread["input"].strip():
        return None
    reason = str(unread.get("ctx", {}).get("error", ""))
    hint = _SURROGATE if "hex escape" in reason else ""
    return _error(_id_in(unread["input"]), PARSE_ERROR, f"{_UNREADABLE}: {reason}{hint}")


def _error(id: str | int | None, code: int, text: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=text))


def _invalid_id_response(message: JSONRPCMessage) -> JSONRPCError | None:
    """Return the response to a request whose id is neither a string nor an integer; the SDK reads a notification."""
    if not isinstance(message, JSONRPCNotification) or message.method.startswith("notifications/"):
        return None
    return _error(None, INVALID_REQUEST, _MALFORMED)


def _id_in(text: str) -> str | int | None:
    """Return the id of a request in a line of invalid JSON, or `None`."""
    depth, key, colon = 0, "", ""
    for match in _TOKEN.finditer(text):
        part = match[0]
        if depth == 1 and (key, colon) == ('"id"', ":"):
            try:
                return _id_of({"id": json.loads(part)})
            except ValueError:
                return None
        depth += (part in "{[") - (part in "}]")
        key, colon = colon, part
    return None


def _id_of(request: object) -> str | int | None:
    """Return the id of a request if it is valid, or `None`."""
    id = cast("Mapping[str, object]", request).get("id") if isinstance(request, Mapping) else None
    if isinstance(id, str):
        return id if id.isascii() or id.encode("utf-8", "ignore").decode() == id else None
    return id if isinstance(id, int) and not isinstance(id, bool) else None
