"""Server-sent events: streamed answers of models, and events of a scope."""

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

_KEEP_ALIVE_SECONDS = 15.0
# The form of an event for the OpenAPI document.
CONTENT = {
    "text/event-stream": {
        "schema": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "description": "a reader that reconnects continues here"},
                "event": {"type": "string", "description": "the name of the event"},
                "data": {"type": "string", "description": "the data as JSON"},
            },
        }
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent:
    """A server-sent event.

    Args:
        name: `""` for an event that has only an id.
        id: a reader that reconnects continues here; `""` leaves the last id unchanged.
    """

    name: str = ""
    data: Any = None
    id: str = ""

    def encoded(self) -> bytes:
        """Return the event as bytes."""
        head = f"id: {self.id}\n" if self.id else ""
        if not self.name:
            return f"{head}\n".encode()
        return f"{head}event: {self.name}\ndata: {json.dumps(self.data, ensure_ascii=False)}\n\n".encode()


class EventStream(Response):
    """A response of events. It ends for a slow reader; a disconnect ends the source of the events.

    Args:
        seconds: the timeout of a reader for one event.
    """

    media_type = "text/event-stream"

    def __init__(self, events: AsyncGenerator[ServerSentEvent, None], *, seconds: float) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        self._events = events
        self._seconds = seconds

    @classmethod
    async def of(cls, pieces: AsyncGenerator[Any, None], *, seconds: float) -> "EventStream":
        """Return a stream of a model's answer, once its first piece exists.

        Raises:
            RemembrancerError: an error before the first piece.
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
        """Send the events until their end or a disconnect."""
        scope["state"]["stream"] = True
        # The length is unknown.
        headers = [(name, value) for name, value in self.raw_headers if name != b"content-length"]
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            lock = anyio.Lock()

            async def send_body(body: bytes, *, more: bool = True) -> None:
                with anyio.move_on_after(self._seconds) as slow:
                    async with lock:
                        await send({"type": "http.response.body", "body": body, "more_body": more})
                if slow.cancelled_caught:
                    tasks.cancel_scope.cancel()

            async def keep_alive() -> None:
                while True:
                    await anyio.sleep(_KEEP_ALIVE_SECONDS)
                    await send_body(b": still here\n\n")

            await send({"type": "http.response.start", "status": self.status_code, "headers": headers})
            tasks.start_soon(watch)
            tasks.start_soon(keep_alive)
            async with aclosing(self._events) as events:
                async for event in events:
                    await send_body(event.encoded())
            await send_body(b"", more=False)
            tasks.cancel_scope.cancel()


def _event(piece: Any) -> ServerSentEvent:
    return (
        ServerSentEvent(name="piece", data={"text": piece})
        if isinstance(piece, str)
        else ServerSentEvent(name="done", data=dump(piece))
    )
