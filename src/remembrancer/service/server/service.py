"""One ASGI app of REST and MCP over a memory that is open for as long as the app runs."""

import os
import signal
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from math import inf
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync
from starlette.types import ASGIApp, Receive, Scope, Send

from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.memory import Memory
from remembrancer.open import open_memory, prometheus_meter, request_span
from remembrancer.service.mcp.server import http_app, make_server
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import HandledRequest, ServiceOptions, no_trace
from remembrancer.service.server.local_requests import answer_local_requests
from remembrancer.service.server.logs import log_as_json, log_request
from remembrancer.settings import Settings, load_settings
from remembrancer.types.arguments import is_loopback

if TYPE_CHECKING:
    from remembrancer.adapters.prometheus import PrometheusMeter

_LOOKED_EVERY_SECONDS = 1.0
_FAILED = 500
NO_KEYS = (
    "bound to {host}, others can reach it, and there is no access key yet: make one with"
    " `remembrancer admin keys create NAME`, or bind to 127.0.0.1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """What a service is started with.

    Args:
        settings: by their names, as `open_memory` takes them; what is not given comes from elsewhere.
        logged: whether requests are logged.
        shared: a folder for the numbers of several processes, which are told together; `""` for one process.
    """

    host: str = "127.0.0.1"
    port: int = 8077
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    logged: bool = True
    shared: str = ""


class Service:
    """The app, which opens its memory when it starts and closes it when it stops (ASGI lifespan)."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or live."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif self._app is not None:
            await self._app(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            log_as_json()
            meter = prometheus_meter(self._options.shared)
            async with opened(self._options, meter=meter) as memory:
                await check_keys(memory, self._options.host)
                serving = service_options(self._options, meter, memory)
                server = await run_sync(make_server, None)
                mcp = http_app(server, bytes=serving.bytes)
                self._app = make_app(memory, serving, mcp=mcp)
                settings = load_settings(**self._options.settings)
                async with (
                    server.session_manager.run(),
                    answer_local_requests(memory, settings),
                    run_in_background(_end_with_parent),
                ):
                    await send({"type": "lifespan.startup.complete"})
                    await receive()
        except RemembrancerError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.shutdown.complete"})


def traced_requests() -> Callable[[Mapping[str, str]], AbstractContextManager[Callable[[HandledRequest], None]]]:
    """What makes each request a span, with what the service says of it.

    Raises:
        StoreError: the extra `telemetry` is not installed.
    """
    span = request_span()

    @contextmanager
    def traced(headers: Mapping[str, str]) -> Generator[Callable[[HandledRequest], None]]:
        with span(headers) as ended:

            def end(handled: HandledRequest) -> None:
                told: dict[str, str | int] = {
                    "http.response.status_code": handled.status,
                    "remembrancer.request_id": handled.id,
                    "remembrancer.tenant": handled.tenant,
                    "remembrancer.agent": handled.agent,
                }
                ended(f"{handled.door} {handled.route}", told, handled.status >= _FAILED)

            yield end

    return traced


async def _end_with_parent() -> None:
    """One of several processes ends when the one that keeps them was killed: nobody else would end it."""
    parent = parent_process()
    while parent is None or parent.is_alive():  # noqa: ASYNC110 -- another process tells of no event
        await anyio.sleep(_LOOKED_EVERY_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def opened(options: ServerOptions, **more: Any) -> AbstractAsyncContextManager[Memory]:
    """The memory of a service, which makes its database where there is none."""
    return open_memory(**options.settings, origin="rest", **more)


async def check_keys(memory: Memory, host: str) -> None:
    """Nothing, where nobody beyond this machine gets in without an access key.

    Raises:
        InvalidInput: the address is open to others, and no key was ever made.
    """
    if not is_loopback(host) and not await memory.authenticator.needs_keys():
        raise InvalidInput(NO_KEYS.format(host=host))


def service_options(options: ServerOptions, meter: "PrometheusMeter", memory: Memory) -> ServiceOptions:
    """How the service answers, by the settings."""
    looked_at = -inf

    def told(handled: HandledRequest) -> None:
        meter.handled(origin=handled.door, route=handled.route, status=handled.status, seconds=handled.seconds)
        if options.logged:
            log_request(handled)

    async def metrics() -> str:
        nonlocal looked_at
        # Where others do the work, somebody has to say that it waits: also where there are no others.
        if not settings.background and anyio.current_time() - looked_at > settings.sweep_seconds:
            looked_at = anyio.current_time()
            await memory.authenticator.look_for_work()
        return await run_sync(meter.text)

    settings: Settings = load_settings(**options.settings)
    return ServiceOptions(
        keys_only=not is_loopback(options.host),
        hosts=settings.service_hosts,
        origins=settings.service_origins,
        bytes=settings.service_bytes,
        file_bytes=settings.service_file_bytes,
        seconds=settings.service_seconds,
        body_seconds=settings.service_body_seconds,
        rate=settings.service_rate,
        at_once=settings.service_at_once,
        told=told,
        traced=traced_requests() if settings.spans else no_trace,
        metrics=metrics,
        metrics_token=settings.service_metrics_token.get_secret_value(),
    )
