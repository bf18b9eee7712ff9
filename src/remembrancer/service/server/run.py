"""Starting and stopping the service, in one process or several; and MCP over standard input and output."""

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
from remembrancer.service.mcp.server import make_server
from remembrancer.service.mcp.stdio import run_stdio
from remembrancer.service.server.beside import answering
from remembrancer.service.server.protocol import PatientProtocol
from remembrancer.service.server.service import NO_KEYS, Options, Service, check_keys, opened
from remembrancer.settings import load_settings, set_for_children
from remembrancer.types.arguments import is_loopback

_STOP_SECONDS = 20
_BACKLOG = 1_024
# A process that has not answered for so long is ended, and another started; on a busy machine one takes long to load.
_SILENT_SECONDS = 120


def serve(options: Options, *, processes: int = 1, progress: Callable[[str], None]) -> None:
    """Serve until SIGTERM or an interrupt; requests in progress are answered first.

    Args:
        processes: the number of processes at the address; more than one only over PostgreSQL.
        progress: is called with the address, once the service listens there.

    Raises:
        InvalidInput: a setting is not valid, or others can reach the address and there is no access key.
        StoreUnavailable: the database cannot be opened, or the address is in use.
    """
    if processes > 1 and "://" not in load_settings(**options.settings).db:
        raise InvalidInput("several processes take a database on PostgreSQL; name one with --db postgresql://…")
    # What is wrong is said before there is a service, and a file where there was none.
    where = load_settings(**options.settings).db
    if not is_loopback(options.host) and "://" not in where and not Path(where).exists():
        raise InvalidInput(NO_KEYS.format(host=options.host))
    anyio.run(_try, options)
    listening = _listening(options.host, options.port)
    shown = f"[{options.host}]" if ":" in options.host else options.host
    progress(f"serving at http://{shown}:{options.port}, MCP at /mcp; stop with Ctrl-C")
    logging.getLogger("uvicorn.error").setLevel(logging.INFO)
    if threading.current_thread() is threading.main_thread():
        # uvicorn stops, and then raises the signal again, which would end the process by it.
        signal.signal(signal.SIGTERM, _end)
    with closing(listening):
        if processes == 1:
            uvicorn.Server(_config(options, 1)).run(sockets=[listening])
            return
        with TemporaryDirectory(prefix="remembrancer-") as folder:
            set_for_children("PROMETHEUS_MULTIPROC_DIR", folder)
            Multiprocess(_config(replace(options, shared=folder), processes), sockets=[listening]).run()


def _end(_signal: int, _frame: object) -> None:
    sys.exit(0)


def _config(options: Options, processes: int) -> uvicorn.Config:
    return uvicorn.Config(
        partial(Service, options),
        factory=True,
        workers=processes,
        http=PatientProtocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=2**16,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_STOP_SECONDS,
        timeout_worker_healthcheck=_SILENT_SECONDS,
        backlog=_BACKLOG,
    )


async def serve_stdio(options: Options, *, reveal: bool = False) -> None:
    """Speak MCP over standard input and output, until the other side closes it.

    Args:
        reveal: whether the agent is shown personal data as it is.
    """
    async with opened(options) as memory, answering(memory, load_settings(**options.settings)):
        authenticator = memory.authenticator
        memory = authenticator.memory_of(authenticator.masked(memory.caller, reveal=reveal))
        await run_stdio(await run_sync(make_server, memory))


async def _try(options: Options) -> None:
    async with opened(Options(host=options.host, settings={**options.settings, "background": False})) as memory:
        await check_keys(memory, options.host)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, or the event loop would let each answer wait for an acknowledgement (Nagle): 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise StoreUnavailable(
            f"{host}:{port} cannot be listened at: {error.strerror}; choose another --port"
        ) from error
    listening.set_inheritable(True)
    return listening
