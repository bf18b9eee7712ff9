"""A real PgBouncer in transaction mode, before a server of the tests."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

_PATIENCE_SECONDS = 10.0
# PgBouncer refuses to run as root.
_ACCOUNT = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooler:
    """A running PgBouncer.

    Args:
        url: the address of a serving role through it.
    """

    url: str
    _process: subprocess.Popen[bytes]
    _config: Path

    def point_to(self, url: str) -> None:
        """Use another server from now on."""
        settings = self._config.read_text().splitlines()
        self._config.write_text("\n".join([settings[0], _server(url), *settings[2:]]))
        self._process.send_signal(signal.SIGHUP)


@contextmanager
def pooled(
    url: str, *, connections: int, clients: int = 2_000, query_timeout: int = 35
) -> Generator[Pooler, None, None]:
    """A PgBouncer before the server of a serving role's address, until the block ends.

    Args:
        connections: to the server, at most.
        clients: at most.
        query_timeout: seconds after which the server of a query counts as hung.
    """
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    assert program is not None, "these tests need pgbouncer: on Debian, apt-get install pgbouncer"
    address, port = urlsplit(url), _free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        users = folder / "users.txt"
        users.write_text(f'"{address.username}" "{address.password}"\n')
        settings = {
            "listen_addr": "127.0.0.1",
            "listen_port": port,
            "unix_socket_dir": "",
            "auth_type": "plain",
            "auth_file": users,
            "pool_mode": "transaction",
            "default_pool_size": connections,
            "max_client_conn": clients,
            # As the documentation advises.
            "server_login_retry": 1,
            "query_wait_timeout": 10,
            "query_timeout": query_timeout,
            **({"user": _ACCOUNT} if os.geteuid() == 0 else {}),
        }
        lines = ["[databases]", _server(url), "[pgbouncer]"]
        config = folder / "pgbouncer.ini"
        config.write_text("\n".join([*lines, *(f"{name} = {value}" for name, value in settings.items())]))
        process = subprocess.Popen([program, "--quiet", str(config)])
        through = f"postgresql://{address.username}:{address.password}@127.0.0.1:{port}{address.path}"
        try:
            _wait(through)
            yield Pooler(url=through, _process=process, _config=config)
        finally:
            process.terminate()
            process.wait()


def _server(url: str) -> str:
    address = urlsplit(url)
    return f"* = host={address.hostname} port={address.port}"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(url: str) -> None:
    ends = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            psycopg.connect(url, connect_timeout=1).close()
        except psycopg.OperationalError:
            assert time.monotonic() < ends, "the PgBouncer of the tests does not answer"
            time.sleep(0.05)
        else:
            return
