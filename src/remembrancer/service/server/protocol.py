"""HTTP/1.1 that waits for nobody without end, and lets go of readers of events when the service stops."""

from asyncio import TimerHandle  # noqa: TID251 -- the type of what uvicorn's loop gives
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0


class TimeoutProtocol(H11Protocol):
    """uvicorn's own, with a time for the head of a request to come, which it has not."""

    _waiting: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect the first request."""
        super().connection_made(transport)
        self._expect()

    def data_received(self, data: bytes) -> None:
        """Take what came; where that is only a part of a head, expect the rest."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._expected()
        elif self._waiting is None:
            self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """Expect nothing more."""
        self._expected()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End: a reader of events is told that there are no more, everybody else gets the answer."""
        super().shutdown()
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete and self.scope.get("state", {}).get("stream"):
            cycle.disconnected = True
            cycle.message_event.set()
            self.transport.close()

    def _expect(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _expected(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
