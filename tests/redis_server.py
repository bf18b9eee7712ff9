"""A real Redis of its own, which a test may kill and start again."""

import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from redis import Redis, RedisError

_PATIENCE_SECONDS = 10.0


class RedisServer:
    """A Redis that keeps nothing on disk, at a socket in a folder.

    Args:
        folder: with a short name, as addresses of sockets are short.
    """

    def __init__(self, folder: Path) -> None:
        self._socket = folder / "s"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"unix://{self._socket}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        program = shutil.which("redis-server")
        assert program is not None, "these tests need redis-server: on Debian, apt-get install redis-server"
        command = [program, "--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=self._socket.parent)
        ends = time.monotonic() + _PATIENCE_SECONDS
        while not self._answers():
            assert time.monotonic() < ends, "the Redis of the tests does not answer"
            time.sleep(0.02)

    def kill(self) -> None:
        """End it at once."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def text(self) -> bytes:
        """All names and values that it holds, end to end."""
        with self.opened() as redis:
            names: list[bytes] = list(redis.scan_iter())
            return b"\n".join([*names, *filter(None, redis.mget(names))])

    def opened(self) -> Any:
        """A connection to it; redis' own types are partly unknown."""
        return Redis(unix_socket_path=str(self._socket))

    def _answers(self) -> bool:
        try:
            with self.opened() as redis:
                return bool(redis.ping())
        except RedisError:
            return False


@contextmanager
def serving() -> Generator[RedisServer]:
    """A Redis, until the block ends."""
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        server = RedisServer(Path(folder))
        try:
            yield server
        finally:
            server.kill()
