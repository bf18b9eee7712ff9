"""The service in this process, over a file, as a request from this machine meets it."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx2
import pytest
from anyio.to_thread import run_sync

from remembrancer import Memory, NewKey, open_memory
from remembrancer.service.mcp.server import http_app, make_server
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import HandledRequest, ServiceOptions

_DOCUMENT: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A memory that is served, and who comes to it.

    Args:
        handled: what the service says of each request.
    """

    memory: Memory
    app: Any
    handled: list[HandledRequest]

    def guest(self, key: str = "", *, tenant: str = "", client: str = "127.0.0.1") -> httpx2.AsyncClient:
        """Somebody with an access key."""
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **({"X-Tenant-ID": tenant} if tenant else {})}
        transport = httpx2.ASGITransport(app=self.app, client=(client, 40_000), raise_app_exceptions=False)
        return httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)

    async def key(self, name: str = "guest", **said: Any) -> str:
        """A token of a new access key."""
        return (await self.memory.admin.keys.create(NewKey(name=name, **said))).token


@asynccontextmanager
async def served(
    db: Path | str, opened: Mapping[str, Any] = MappingProxyType({}), **settings: Any
) -> AsyncGenerator[House, None]:
    """Open a memory and serve it.

    Args:
        opened: settings of the memory.
        settings: of the service.
    """
    async with AsyncExitStack() as stack:
        opening = open_memory(db, embedder="none", background=False, nightly=False, **opened)
        memory = await stack.enter_async_context(opening)
        handled: list[HandledRequest] = []
        server = await run_sync(make_server, None)
        serving = ServiceOptions(on_request=handled.append, rate=100_000, event_seconds=0.05, **settings)
        mcp = http_app(server, bytes=serving.bytes)
        await stack.enter_async_context(server.session_manager.run())
        yield House(memory=memory, app=make_app(memory, serving, mcp=mcp), handled=handled)


@pytest.fixture
async def house(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[House, None]:
    async with served(tmp_path / "m.db", **getattr(request, "param", {})) as house:
        yield house
        assert await undocumented(house) == []


async def document(house: House) -> dict[str, Any]:
    """Return the OpenAPI document, which is the same for every house; making it takes a second."""
    if not _DOCUMENT:
        async with house.guest() as guest:
            _DOCUMENT.update((await guest.get("/openapi.json")).json())
    return _DOCUMENT


async def undocumented(house: House) -> list[str]:
    """Return the operations that were answered with a status that the document does not have for them."""
    answered = {(one.route, one.status) for one in house.handled if one.origin == "rest" and one.route != "none"}
    paths = (await document(house))["paths"]
    documented = {one["operationId"]: one["responses"] for verbs in paths.values() for one in verbs.values()}
    gone = 499
    return [
        f"{route}: {status}"
        for route, status in sorted(answered)
        if status != gone and str(status) not in documented[route]
    ]


@pytest.fixture
async def guest(house: House) -> AsyncIterator[httpx2.AsyncClient]:
    """Somebody on this machine, where no key was made."""
    async with house.guest() as client:
        yield client
