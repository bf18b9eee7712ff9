"""A real HTTP server on this machine that plays an endpoint: well, or in whatever other way it is told."""

import json
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, object]
PATIENCE = 5.0
# Waits until the test is over, and then answers nothing.
NEVER: Answer = (0, b"")
# Answers the beginning of what it should, and then nothing more.
HALTING: Answer = (-1, b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """A body that comes in events, one after the other.

    Args:
        pause: seconds between two of them.
        is_cut: whether the connection ends before the body does.
    """

    events: Sequence[bytes]
    pause: float = 0.0
    is_cut: bool = False


class Endpoint:
    """Answers in turn what it was told, then as it should; keeps what it was asked.

    Args:
        well: how it should answer a request: status, and what becomes JSON, or bytes as they are.
    """

    def __init__(self, well: Callable[[dict[str, Any]], Answer]) -> None:
        self._well = well
        self._over = threading.Event()
        self.told: list[Callable[[dict[str, Any]], Answer]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.address = ""

    @property
    def url(self) -> str:
        """Up to and including the version."""
        return f"{self.address}/v1"

    def answer(self, request: dict[str, Any]) -> Answer:
        self.asked.append(request)
        return (self.told.pop(0) if self.told else self._well)(request)

    @contextmanager
    def serving(self) -> "Generator[Endpoint, None, None]":
        """A block in which it can be reached."""
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.headers.append({name.lower(): value for name, value in self.headers.items()})
                endpoint.paths.append(self.path)
                status, answer = endpoint.answer(body)
                if status <= 0:
                    endpoint.wait(self, body, begins=status < 0)
                    return
                if isinstance(answer, Stream):
                    endpoint.stream(self, answer)
                    return
                sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.begin(status, len(sent))
                self.wfile.write(sent)

            def begin(self, status: int, length: int, kind: str = "application/json") -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(length))
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, request: object, client_address: object) -> None:
                """Silent, when a client has gone."""

        with Server(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            self.address = f"http://127.0.0.1:{server.server_address[1]}"
            try:
                yield self
            finally:
                self._over.set()
                server.shutdown()
                thread.join()

    def stream(self, handler: Any, answer: Stream) -> None:
        """Send event after event, as long as the client is there and the test is not over."""
        handler.begin(200, sum(map(len, answer.events)) + answer.is_cut, "text/event-stream")
        with suppress(OSError):
            for place, event in enumerate(answer.events):
                if place and self._over.wait(answer.pause):
                    break
                handler.wfile.write(event)
                handler.wfile.flush()
        handler.close_connection = True

    def wait(self, handler: Any, request: dict[str, Any], *, begins: bool) -> None:
        """Keep a client waiting until the test is over; a letter now and then shows that somebody is there."""
        if begins:
            sent = json.dumps(self._well(request)[1]).encode()
            handler.begin(200, len(sent))
            with suppress(OSError):
                for letter in sent:
                    if self._over.wait(0.02):
                        break
                    handler.wfile.write(bytes([letter]))
        self._over.wait(PATIENCE)
        handler.close_connection = True
