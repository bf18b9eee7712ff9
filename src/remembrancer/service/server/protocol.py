"""HTTP/1.1 with a timeout for the head of a request, and an end of event streams at shutdown."""

from asyncio import TimerHandle  # noqa: TID251 -- the type of a timer of uvicorn's loop
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0


class TimeoutProtocol(H11Protocol):
    """uvicorn's protocol with a timeout for the head of a request."""

    _timer: TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start the timeout of the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Process received data, and start or stop the timeout of a head."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_timer()
        elif self._timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        self._stop_timer()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Shut down: end event streams, and finish other responses."""
        super().shutdown()
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete and self.scope.get("state", {}).get("stream"):
            cycle.disconnected = True
            cycle.message_event.set()
            self.transport.close()

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(HEAD_SECONDS, self._close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
