"""What every test may use, and what none may do."""

import ipaddress
import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import settings

import remembrancer.open
from remembrancer.privacy import archives
from remembrancer.privacy.archive.container import ArchiveHeader
from tests.postgres_server import shared

if TYPE_CHECKING:
    from tests.databases import Database

pytest.register_assert_rewrite("tests.contract.suite", "tests.contract.vector_index")

# What is imported on first use would be read from disk on an event loop.
assert remembrancer.open

# The same examples every time, and no deadline on a busy machine.
settings.register_profile("remembrancer", deadline=None, derandomize=True)
settings.load_profile("remembrancer")

# A shell starts what runs in its background deaf to interrupts, and so all the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Many tests start the program. Compiled once, it starts in two thirds of the time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# With a key around, models would be asked.
for key in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "DEEPSEEK_API_KEY"):
    os.environ.pop(key, None)
# What a hook gives up after on an idle machine says nothing of one that is not; tests of that time set it themselves.
os.environ["REMEMBRANCER_INJECT_PROMPT_SECONDS"] = "30"

# A server to be used in place of one of our own, as its superuser.
POSTGRES = os.environ.get("REMEMBRANCER_TEST_POSTGRES", "")


def _local(address: Any) -> bool:
    """Whether an address is of this machine, a path or a loopback host, or that of the server given for the tests."""
    if not isinstance(address, tuple):
        return True
    host = str(cast(tuple[object, ...], address)[0])
    try:
        return host in ("localhost", urlsplit(POSTGRES).hostname) or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True, scope="session")
def cheap_passphrases() -> Iterator[None]:
    """Archives of tests are encrypted by keys that are derived in a millisecond, instead of half a second each."""
    patch = pytest.MonkeyPatch()
    patch.setattr(archives, "new_header", lambda: ArchiveHeader(log2_n=4, p=1, salt=os.urandom(16)))
    yield
    patch.undo()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def event_loop_is_not_blocked() -> Iterator[None]:
    """No code of ours does blocking work on an event loop."""
    with blockbuster_ctx("remembrancer"):
        yield


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """No test reaches beyond loopback, by name or by number."""
    patch = pytest.MonkeyPatch()

    def guarded(name: str) -> None:
        plain = getattr(socket.socket, name)

        def only_local(self: socket.socket, *args: Any) -> Any:
            assert _local(args[-1]), f"a test wanted to reach {args[-1]}"
            return plain(self, *args)

        patch.setattr(socket.socket, name, only_local)

    for name in ("connect", "connect_ex", "sendto"):
        guarded(name)
    resolve = socket.getaddrinfo

    def only_local_names(host: Any, *args: Any, **kwargs: Any) -> Any:
        assert host is None or _local((host.decode() if isinstance(host, bytes) else host,)), f"a test asked for {host}"
        return resolve(host, *args, **kwargs)

    patch.setattr(socket, "getaddrinfo", only_local_names)
    yield
    patch.undo()


@pytest.fixture(scope="session")
def postgres_admin_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the superuser connects to the server of the tests: one for all processes that share the work."""
    if POSTGRES:
        yield POSTGRES
        return
    folder = tmp_path_factory.getbasetemp()
    with shared(folder.parent if hasattr(request.config, "workerinput") else folder) as url:
        yield url


@pytest.fixture
def postgres_database(postgres_admin_url: str) -> Iterator[str]:
    """Where the superuser connects to an empty database of the test's own."""
    # Loaded only by the tests that need it.
    import psycopg
    from psycopg import sql

    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(postgres_admin_url, autocommit=True) as admin:
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(name)))
    yield urlsplit(postgres_admin_url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(postgres_admin_url, autocommit=True) as admin:
        admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture(scope="session")
def prepared(postgres_admin_url: str) -> Iterator["Database"]:
    """One prepared database for each process, emptied between tests: a fresh one each would take most of the time."""
    # Loaded only by the tests that need it.
    from tests.databases import fresh

    with fresh(postgres_admin_url) as found:
        yield found


@pytest.fixture
def database(prepared: "Database") -> "Database":
    """A prepared PostgreSQL database without any memories."""
    from tests.databases import emptied

    emptied(prepared)
    return prepared
