"""The start and stop of the service, in one process or several, and MCP over standard input and output."""

import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import uvicorn
from anyio.to_thread import run_sync
from uvicorn.supervisors import Multiprocess

from remembrancer.errors import InvalidInput, StoreUnavailable
from remembrancer.open import model_of
from remembrancer.service.mcp.sampling import MODEL as CLIENT_MODEL
from remembrancer.service.mcp.sampling import ClientSampling
from remembrancer.service.mcp.server import make_server
from remembrancer.service.mcp.stdio import run_stdio
from remembrancer.service.server.local_requests import answer_local_requests
from remembrancer.service.server.protocol import TimeoutProtocol
from remembrancer.service.server.service import NO_KEYS, ServerOptions, Service, check_keys, open_service_memory
from remembrancer.settings import load_settings, set_for_children
from remembrancer.types.arguments import is_loopback

_STOP_SECONDS = 20
_BACKLOG = 1_024
# A process without an answer for this time is replaced; on a busy machine it loads slowly.
_HEALTH_CHECK_SECONDS = 120


def serve(options: ServerOptions, *, processes: int = 1, progress: Callable[[str], None]) -> None:
    """Serve until SIGTERM or an interrupt; requests in progress are answered first.

    Args:
        processes: the number of processes at the address; more than one only over PostgreSQL.
        progress: is called with the address, once the service listens there.

    Raises:
        InvalidInput: a setting is not valid, or others can reach the address and there is no access key.
        StoreUnavailable: the database cannot be opened, or the address is in use.
    """
    if processes > 1 and "://" not in load_settings(**options.settings).db:
        raise InvalidInput("several processes need a PostgreSQL database; use --db postgresql://…")
    # Report errors before the service starts, and before a new file is created.
    database = load_settings(**options.settings).db
    if not is_loopback(options.host) and "://" not in database and not Path(database).exists():
        raise InvalidInput(NO_KEYS.format(host=options.host))
    anyio.run(_check, options)
    listener = _listen(options.host, options.port)
    shown = f"[{options.host}]" if ":" in options.host else options.host
    progress(f"http://{shown}:{listener.getsockname()[1]}")
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)
    if threading.current_thread() is threading.main_thread():
        # uvicorn stops, and then raises the signal again, which would kill the process.
        signal.signal(signal.SIGTERM, _exit)
    with closing(listener):
        if processes == 1:
            uvicorn.Server(_config(options, 1)).run(sockets=[listener])
            return
        with TemporaryDirectory(prefix="remembrancer-") as folder:
            set_for_children("PROMETHEUS_MULTIPROC_DIR", folder)
            Multiprocess(_config(replace(options, metrics_folder=folder), processes), sockets=[listener]).run()


def _exit(_signal: int, _frame: object) -> None:
    sys.exit(0)


def _config(options: ServerOptions, processes: int) -> uvicorn.Config:
    return uvicorn.Config(
        partial(Service, options),
        factory=True,
        workers=processes,
        http=TimeoutProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=2**16,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_STOP_SECONDS,
        timeout_worker_healthcheck=_HEALTH_CHECK_SECONDS,
        backlog=_BACKLOG,
    )


async def serve_stdio(options: ServerOptions, *, reveal: bool = False, sampling: bool = False) -> None:
    """Serve MCP over standard input and output until it is closed.

    Args:
        reveal: whether to show personal data to the agent.
        sampling: whether the model of the client answers for this memory; without one, rules do.
    """
    client = ClientSampling() if sampling else None
    more = {} if client is None else {"model": model_of(CLIENT_MODEL, client.answer)}
    settings = load_settings(**options.settings)
    async with open_service_memory(options, **more) as memory, answer_local_requests(memory, settings):
        authenticator = memory.authenticator
        memory = authenticator.memory_of(authenticator.masked(memory.caller, reveal=reveal))
        server = await run_sync(make_server, memory)
        if client is not None:
            server.middleware.append(client.remember_session)
        await run_stdio(server)


async def _check(options: ServerOptions) -> None:
    async with open_service_memory(
        ServerOptions(host=options.host, settings={**options.settings, "background": False})
    ) as memory:
        await check_keys(memory, options.host)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol TCP, the event loop switches off Nagle's algorithm, which delays each response by 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise StoreUnavailable(f"cannot listen at {host}:{port}: {error.strerror}; choose another --port") from error
    listener.set_inheritable(True)
    return listener
