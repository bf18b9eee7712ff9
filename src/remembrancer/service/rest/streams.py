"""Answers that come piece by piece, as server-sent events: what a model says, and what happens in a scope."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import anyio
from fastapi import Response
from starlette.types import Receive, Scope, Send

from remembrancer.errors import RemembrancerError
from remembrancer.problems import error_body
from remembrancer.resources.json_values import dump
from remembrancer.types.scope import REQUEST

_ALIVE_SECONDS = 15.0
# What each event of a stream is, for the document.
CONTENT = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "where a reader who comes again goes on"},
                "event": {"type": "string", "description": "its name"},
                "data": {"type": "string", "description": "what it tells, as JSON"},
            },
        }
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent:
    """One event of a stream.

    Args:
        name: `""` for one that tells only where a reader who comes again goes on.
        id: where that is, or `""` for where it was.
    """

    name: str = ""
    data: Any = None
    id: str = ""

    def encoded(self) -> bytes:
        """The event as it goes over the line."""
        head = f"id: {self.id}\n" if self.id else ""
        if not self.name:
            return f"{head}\n".encode()
        return f"{head}event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


class EventStream(Response):
    """Events as they come. A reader who does not take them is left; one who goes ends what makes them.

    Args:
        seconds: for which a reader may leave an event lying.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[ServerSentEvent, None], *, seconds: float) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._events = events
        self._seconds = seconds

    @classmethod
    async def of(cls, pieces: AsyncGenerator[Any, None], *, seconds: float) -> "EventStream":
        """A stream of what a model says; what is wrong before its first piece is raised here.

        Raises:
            RemembrancerError: as the method that makes the pieces.
        """
        first = await anext(pieces)

        async def events() -> AsyncGenerator[ServerSentEvent, None]:
            async with aclosing(pieces):
                yield _event(first)
                try:
                    async for piece in pieces:
                        yield _event(piece)
                except RemembrancerError as error:
                    yield ServerSentEvent(name="problem", data=error_body(error, request=REQUEST.get()))

        return cls(events(), seconds=seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what comes, until there is no more or nobody reads it."""
        scope["state"]["stream"] = True
        # Without a length, as it is not known.
        headers = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            lock = anyio.Lock()

            async def sent(body: bytes, *, more: bool = True) -> None:
                with anyio.move_on_after(self._seconds) as slow:
                    async with lock:
                        await send({"type": "http.response.body", "body": body, "more_body": more})
                if slow.cancelled_caught:
                    tasks.cancel_scope.cancel()

            async def alive() -> None:
                while True:
                    await anyio.sleep(_ALIVE_SECONDS)
                    await sent(b": still here\n\n")

            await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
            tasks.start_soon(watch)
            tasks.start_soon(alive)
            async with aclosing(self._events) as events:
                async for event in events:
                    await sent(event.encoded())
            await sent(b"", more=False)
            tasks.cancel_scope.cancel()


def _event(piece: Any) -> ServerSentEvent:
    return (
        ServerSentEvent(name="piece", data={"text": piece})
        if isinstance(piece, str)
        else ServerSentEvent(name="done", data=dump(piece))
    )
