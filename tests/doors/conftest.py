"""Five doors: the library, REST by its client, MCP over HTTP, the command line, and two processes on PostgreSQL."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from remembrancer import Scope, SyncClient, SyncMemory
from tests.databases import SECRET, Database, fresh
from tests.serving import Running, serving

from .door import CommandDoor, Door, McpDoor, MemoryDoor

DOORS = ("library", "rest", "mcp", "cli", "postgres")


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service over a file, for all tests of a process."""
    folder = tmp_path_factory.mktemp("service")
    with serving(str(folder / "m.db"), folder / "log") as running:
        yield running


@pytest.fixture(scope="session")
def own_database(postgres_admin_url: str) -> Iterator[Database]:
    with fresh(postgres_admin_url) as found:
        yield found


@pytest.fixture(scope="session")
def processes(own_database: Database, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Two processes over PostgreSQL at one address."""
    folder = tmp_path_factory.mktemp("processes")
    env = {"REMEMBRANCER_SECRET_KEY": SECRET}
    with serving(own_database.serving_url, folder / "log", "--processes", "2", env=env) as running:
        yield running


class Doors:
    """Opens a door to a tenant: the test's own, or another."""

    def __init__(self, request: pytest.FixtureRequest, stack: ExitStack, folder: Path, name: str) -> None:
        self._request = request
        self._stack = stack
        self._folder = folder
        self._name = name
        self._own = f"t{secrets.token_hex(6)}"

    def __call__(self, tenant: str = "") -> Door:
        named = f"{self._own}{tenant}"
        match self._name:
            case "library":
                db = self._folder / "m.db"
                memory = self._stack.enter_context(SyncMemory(db, embedder="none", background=False))
                return MemoryDoor(memory.within(Scope(tenant=named)))
            case "cli":
                return CommandDoor("--db", str(self._folder / "m.db"), "--tenant", named, "--embedder", "none")
            case "mcp":
                running: Running = self._request.getfixturevalue("service")
                return self._mcp(running, named)
            case other:
                at: Running = self._request.getfixturevalue("service" if other == "rest" else "processes")
                return MemoryDoor(self._stack.enter_context(SyncClient(at.url, tenant=named)))

    def _mcp(self, running: Running, tenant: str) -> McpDoor:
        portal = self._stack.enter_context(start_blocking_portal())
        http = httpx2.AsyncClient(headers={"X-Tenant-ID": tenant})
        self._stack.enter_context(portal.wrap_async_context_manager(http))
        client = McpClient(streamable_http_client(f"{running.url}/mcp", http_client=http))
        return McpDoor(portal, self._stack.enter_context(portal.wrap_async_context_manager(client)))


@pytest.fixture(params=DOORS)
def doors(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Doors]:
    with ExitStack() as stack:
        yield Doors(request, stack, tmp_path, request.param)


@pytest.fixture
def door(doors: Doors) -> Door:
    return doors()
