"""The ASGI app of REST and MCP, which opens its memory at startup."""

import os
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
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
from remembrancer.service.console.app import make_console
from remembrancer.service.console.gate import ROOT
from remembrancer.service.console.options import ConsoleOptions
from remembrancer.service.mcp.server import http_app, make_server
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import HandledRequest, ServiceOptions, no_trace
from remembrancer.service.server.local_requests import answer_local_requests
from remembrancer.service.server.logs import log_as_json, log_request
from remembrancer.settings import Settings, load_settings
from remembrancer.types.arguments import is_loopback

if TYPE_CHECKING:
    from remembrancer.adapters.prometheus import PrometheusMeter

_PARENT_CHECK_SECONDS = 1.0
_SERVER_ERROR = 500
# A thread with an answer of the database waits so long for one that computes: Python's 5 ms add up over the statements
# of a request; see docs/decisions/0033.
_SWITCH_SECONDS = 0.0005
NO_KEYS = (
    "{host} can be reached from other machines, and there is no access key: create one with"
    " `remembrancer admin keys create NAME`, or bind to 127.0.0.1"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Options of the server.

    Args:
        settings: settings by name, as arguments of `open_memory`; the others have their configured values.
        log_requests: whether to log requests.
        metrics_folder: a folder for the metrics of several processes, which are summed; `""` for one process.
        console_only: whether the console of a local file is opened without a sign-in.
    """

    host: str = "127.0.0.1"
    port: int = 8077
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    log_requests: bool = True
    metrics_folder: str = ""
    console_only: bool = False


class Service:
    """The ASGI app, which opens and closes its memory with the lifespan."""

    def __init__(self, options: ServerOptions) -> None:
        self._options = options
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request or the lifespan."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif self._app is not None:
            await self._app(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        sys.setswitchinterval(_SWITCH_SECONDS)
        try:
            log_as_json()
            meter = prometheus_meter(self._options.metrics_folder)
            async with open_service_memory(self._options, meter=meter) as memory:
                await check_keys(memory, self._options.host)
                options = service_options(self._options, meter, memory)
                server = await run_sync(make_server, None)
                mcp = http_app(server, bytes=options.bytes)
                settings = load_settings(**self._options.settings)
                self._app = await _with_console(
                    make_app(memory, options, mcp=mcp), memory, console_options(options, settings, self._options)
                )
                async with (
                    server.session_manager.run(),
                    answer_local_requests(memory, settings),
                    run_in_background(_end_with_parent, memory.authenticator.warm_up),
                ):
                    await send({"type": "lifespan.startup.complete"})
                    await receive()
        except RemembrancerError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.shutdown.complete"})


async def _with_console(app: ASGIApp, memory: Memory, options: ConsoleOptions | None) -> ASGIApp:
    """Return an app with the console at `/console`, if it is not switched off."""
    if options is None:
        return app
    console = await make_console(memory, options)

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        await (console if path == ROOT or path.startswith(f"{ROOT}/") else app)(scope, receive, send)

    return dispatch


def console_options(service: ServiceOptions, settings: Settings, options: ServerOptions) -> ConsoleOptions | None:
    """Return the options of the console from the settings; `None` if it is switched off."""
    if not (settings.console or options.console_only):
        return None
    return ConsoleOptions(
        service=service,
        sign_in=not options.console_only,
        read_only=settings.console_read_only,
        lifetime=timedelta(hours=settings.console_hours),
        grafana_url=settings.grafana_url,
    )


def request_tracer() -> Callable[[Mapping[str, str]], AbstractContextManager[Callable[[HandledRequest], None]]]:
    """Return a context manager that makes a span of each request.

    Raises:
        StoreError: the extra `telemetry` is not installed.
    """
    span = request_span()

    @contextmanager
    def trace(headers: Mapping[str, str]) -> Generator[Callable[[HandledRequest], None]]:
        with span(headers) as end_span:

            def end(handled: HandledRequest) -> None:
                attributes: dict[str, str | int] = {
                    "http.response.status_code": handled.status,
                    "remembrancer.request_id": handled.id,
                    "remembrancer.tenant": handled.tenant,
                    "remembrancer.agent": handled.agent,
                }
                end_span(f"{handled.origin} {handled.route}", attributes, handled.status >= _SERVER_ERROR)

            yield end

    return trace


async def _end_with_parent() -> None:
    """End a worker process after its parent was killed."""
    parent = parent_process()
    while parent is None or parent.is_alive():  # noqa: ASYNC110 -- the end of another process has no event
        await anyio.sleep(_PARENT_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


def open_service_memory(options: ServerOptions, **more: Any) -> AbstractAsyncContextManager[Memory]:
    """Open the memory of a service; a missing database is created."""
    return open_memory(**options.settings, origin="rest", **more)


async def check_keys(memory: Memory, host: str) -> None:
    """Check that other machines need an access key.

    Raises:
        InvalidInput: other machines can reach the address, and no key exists.
    """
    if not is_loopback(host) and not await memory.authenticator.needs_keys():
        raise InvalidInput(NO_KEYS.format(host=host))


def service_options(options: ServerOptions, meter: "PrometheusMeter", memory: Memory) -> ServiceOptions:
    """Return the options of the REST service from the settings."""
    counted_at = -inf

    def on_request(handled: HandledRequest) -> None:
        meter.handled(origin=handled.origin, route=handled.route, status=handled.status, seconds=handled.seconds)
        if options.log_requests:
            log_request(handled)

    async def metrics() -> str:
        nonlocal counted_at
        # Without background work in this process, due work is counted here, also if no worker runs.
        if not settings.background and anyio.current_time() - counted_at > settings.poll_seconds:
            counted_at = anyio.current_time()
            await memory.authenticator.measure_due_work()
        await memory.authenticator.measure_replicas()
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
        on_request=on_request,
        trace=request_tracer() if settings.spans else no_trace,
        metrics=metrics,
        metrics_token=settings.service_metrics_token.get_secret_value(),
    )
