"""The service in this process, over a file, as a request from this machine meets it."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.to_thread import run_sync

from remembrancer import Memory, open_memory
from remembrancer.service.mcp.server import http_app, make_server
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.serving import Handled, Serving


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A memory that is served, and who comes to it.

    Args:
        handled: what the service says of each request.
    """

    memory: Memory
    app: Any
    handled: list[Handled]

    def guest(self, key: str = "", *, tenant: str = "", client: str = "127.0.0.1") -> httpx2.AsyncClient:
        """Somebody with an access key."""
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **({"X-Tenant-ID": tenant} if tenant else {})}
        transport = httpx2.ASGITransport(app=self.app, client=(client, 40_000), raise_app_exceptions=False)
        return httpx2.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)

    async def key(self, name: str = "guest", **said: Any) -> str:
        """A token of a new access key."""
        return (await self.memory.keys.create(name, **said)).token


@pytest.fixture
async def house(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[House, None]:
    async with AsyncExitStack() as stack:
        memory = await stack.enter_async_context(
            open_memory(tmp_path / "m.db", embedder="none", background=False, nightly=False)
        )
        handled: list[Handled] = []
        said: dict[str, Any] = getattr(request, "param", {})
        server = await run_sync(make_server, None)
        serving = Serving(told=handled.append, rate=100_000, paced=0.05, **said)
        mcp = http_app(server, bytes=serving.bytes)
        await stack.enter_async_context(server.session_manager.run())
        made = House(memory=memory, app=make_app(memory, serving, mcp=mcp), handled=handled)
        yield made
        assert await undocumented(made) == []


async def undocumented(house: House) -> list[str]:
    """Return the operations that were answered with a status that the document does not have for them."""
    answered = {(one.route, one.status) for one in house.handled if one.door == "rest" and one.route != "none"}
    async with house.guest() as guest:
        paths = (await guest.get("/openapi.json")).json()["paths"]
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
