"""The service as a user starts it: a process of its own, at an address of this machine."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2

PATIENCE_SECONDS = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A service that runs.

    Args:
        log: the file of what it says.
    """

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def text(self) -> str:
        """What it has said."""
        return self.log.read_text(encoding="utf-8")


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def started(
    db: str, log: Path, *options: str, env: Mapping[str, str] | None = None, port: int = 0, is_ready: bool = True
) -> Running:
    """A service over a database, once it answers."""
    chosen = port or free_port()
    command = [sys.executable, "-m", "remembrancer", "serve", "--db", db, "--embedder", "none", "--port", str(chosen)]
    with log.open("ab") as out:
        process = subprocess.Popen([*command, *options], stdout=out, stderr=out, env=_environment(env))
    running = Running(url=f"http://127.0.0.1:{chosen}", process=process, log=log)
    if is_ready:
        try:
            wait_for(running)
        except BaseException:
            # Asked to end, it ends its processes too.
            stopped(running)
            raise
    return running


def wait_for(running: Running, path: str = "/ready") -> None:
    """Wait until a service answers."""
    ends, last = time.monotonic() + PATIENCE_SECONDS, ""
    with httpx2.Client(base_url=running.url, timeout=5.0) as http:
        while time.monotonic() < ends and running.process.poll() is None:
            try:
                answer = http.get(path)
            except httpx2.TransportError as error:
                last = repr(error)
            else:
                if answer.status_code == 200:
                    return
                last = answer.text
            time.sleep(0.02)
    raise AssertionError(f"the service is not ready: {last}; it wrote: {running.text()}")


def soon(holds: Callable[[], bool], *, patience: float = 2 * PATIENCE_SECONDS) -> None:
    """Wait until something holds; where it cannot be asked yet, it does not."""
    ends = time.monotonic() + patience
    while True:
        with suppress(httpx2.TransportError):
            if holds():
                return
        assert time.monotonic() < ends
        time.sleep(0.1)


def stopped(running: Running, *, kill: bool = False) -> int:
    """End a service; its exit code."""
    if running.process.poll() is None:
        (running.process.kill if kill else running.process.terminate)()
    return running.process.wait(timeout=PATIENCE_SECONDS)


@contextmanager
def serving(
    db: str, log: Path, *options: str, env: Mapping[str, str] | None = None, port: int = 0
) -> Generator[Running]:
    """A service over a database for as long as a block runs."""
    running = started(db, log, *options, env=env, port=port)
    try:
        yield running
    finally:
        stopped(running)


def _environment(more: Mapping[str, str] | None) -> dict[str, str]:
    import os

    return {**os.environ, **(more or {})}
