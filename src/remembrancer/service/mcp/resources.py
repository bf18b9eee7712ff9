"""MCP resources (reflections, rules and sessions), and a prompt that starts a session."""

import json
from collections.abc import Callable
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from remembrancer.errors import NotFound
from remembrancer.memory import Memory
from remembrancer.types.access import Right
from remembrancer.types.filter import Filter
from remembrancer.types.results import record_json

_MOST = 100
_BEGINNING = """This conversation is session {session}; pass it to the tools of memory.

{known}

Call `recall` before you answer a question that may concern an earlier conversation, and `mem_save` for what will
matter later."""


def add_resources(server: MCPServer[Any], memory_of: Callable[[str], Memory]) -> None:
    """Add the resources and the prompt to a server."""

    def of(resource: str) -> Memory:
        memory = memory_of(resource)
        memory.caller.need(Right.READ)
        return memory

    @server.resource("memory://reflections", mime_type="application/json")
    async def reflections() -> str:  # pyright: ignore[reportUnusedFunction] -- a resource
        """Return the reflections, newest first."""
        page = await of("reflections").list(Filter(kinds=["reflection"]), limit=_MOST)
        return _json([dict(record_json(record, "public")) for record in page.records])

    @server.resource("memory://procedures", mime_type="application/json")
    async def procedures() -> str:  # pyright: ignore[reportUnusedFunction] -- a resource
        """Return the rules that an agent follows verbatim."""
        rules = await of("procedures").rules.list()
        return _json([{"id": one.id, "rule": one.text, "confirmed": one.details.confirmations} for one in rules])

    @server.resource("memory://sessions", mime_type="application/json")
    async def sessions() -> str:  # pyright: ignore[reportUnusedFunction] -- a resource
        """Return the latest sessions."""
        latest = await of("sessions").sessions.list(limit=_MOST)
        return _json(
            [
                {"id": one.id, "status": one.status.value, "messages": one.messages, "last": str(one.last_activity_at)}
                for one in latest
            ]
        )

    @server.resource("memory://sessions/{session}", mime_type="application/json")
    async def session(session: str) -> str:  # pyright: ignore[reportUnusedFunction] -- a resource
        """Return the messages and observations of a session, newest first."""
        memory = of("session")
        try:
            await memory.sessions.stats(session)
        except NotFound as error:
            raise ResourceNotFoundError(f"no session {session!r} here") from error
        page = await memory.list(Filter(sessions=[session]), limit=_MOST)
        return _json([dict(record_json(record)) for record in page.records])

    @server.prompt()
    async def start_session(session: str | None = None) -> str:  # pyright: ignore[reportUnusedFunction] -- a prompt
        """Start a conversation with the memories that matter for it."""
        memory = of("start_session")
        memory.caller.need(Right.WRITE)
        started = await memory.sessions.start(session)
        brief = started.text or "Nothing is known yet."
        return _BEGINNING.format(session=started.session.id, known=brief)


def _json(found: Any) -> str:
    return json.dumps(found, ensure_ascii=False, default=str)
