"""A local socket that answers requests for contexts of other processes, which need not open the store.

The process that listens also records what the hooks of coding agents spool next to the store.
"""

import json
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.to_thread import run_sync

from remembrancer.client.hook_spool import spool_of
from remembrancer.client.local_socket import is_listening, socket_path
from remembrancer.errors import RemembrancerError
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.memory import Memory, RecallRequest
from remembrancer.operations import OPERATIONS
from remembrancer.service.server.hook_recording import record_spool
from remembrancer.settings import Settings
from remembrancer.types.scope import Scope

_LONGEST_REQUEST = 1_000_000
_SECONDS = 30.0
# Between two looks at the spool; a hook wakes the process earlier.
_SPOOL_SECONDS = 10.0
_LOG = logging.getLogger("remembrancer")


class Activity:
    """The activity of other local processes.

    Attributes:
        at: when the last of them asked or spooled something, in seconds of the event loop's clock.
        spooled: is set when something was spooled.
        is_recording: whether the spool is being recorded.
    """

    def __init__(self) -> None:
        self.at = anyio.current_time()
        self.spooled = anyio.Event()
        self.is_recording = True

    def note(self, *, spooled: bool = False) -> None:
        """Note that a process was active."""
        self.at = anyio.current_time()
        if spooled:
            self.spooled.set()


@asynccontextmanager
async def answer_local_requests(memory: Memory, settings: Settings) -> AsyncGenerator[Activity | None]:
    """Answer other local processes during a block, and record what hooks spool.

    The block has their activity; `None` if the store is no file, or another process listens.
    """
    path = await run_sync(socket_path, settings.db)
    listener = None if path is None else await _listening(path)
    if path is None or listener is None:
        yield None
        return
    activity = Activity()
    try:
        async with (
            run_in_background(partial(_serve, listener, memory, settings, activity)),
            run_in_background(partial(_record, memory, await run_sync(spool_of, settings.db), activity)),
        ):
            yield activity
    finally:
        with anyio.CancelScope(shield=True):
            await listener.aclose()
            await run_sync(_unlink, path)


async def _listening(path: str) -> SocketListener | None:
    """Return a listener for the owner of the file; `None` if another process listens, or a socket is impossible."""
    if await run_sync(is_listening, path):
        return None
    await run_sync(_unlink, path)
    try:
        return await anyio.create_unix_listener(path, mode=0o600)
    except OSError as error:
        _LOG.warning("no socket next to the store: %s; other processes open the store themselves", error.strerror)
        return None


def _unlink(path: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(path)


async def _record(memory: Memory, folder: Path, activity: Activity) -> None:
    """Record what hooks spool, from now on."""
    while True:
        activity.spooled, activity.is_recording = anyio.Event(), True
        try:
            if await record_spool(memory, folder):
                activity.note()
        except Exception:
            # A fault in one entry must not end the service.
            _LOG.exception("what hooks wrote could not be recorded")
        activity.is_recording = False
        with anyio.move_on_after(_SPOOL_SECONDS):
            await activity.spooled.wait()


async def _serve(listener: SocketListener, memory: Memory, settings: Settings, activity: Activity) -> None:
    """Answer requests once the models and tokenizer tables are loaded, so that a prompt does not wait for them."""
    try:
        await memory.recall(
            RecallRequest(question="What is stored here?", limit=1, max_tokens=1, record_access=False, rerank=False)
        )
    except RemembrancerError as error:
        _LOG.warning("the first recall failed: %s", error)
    await listener.serve(partial(_answer, memory, settings, activity))


async def _answer(memory: Memory, settings: Settings, activity: Activity, stream: SocketStream) -> None:
    """Answer a request, or decline it so that the other process opens the store itself."""
    async with stream:
        try:
            with anyio.move_on_after(_SECONDS):
                line = await BufferedByteReceiveStream(stream).receive_until(b"\n", _LONGEST_REQUEST)
                try:
                    answer = await _answered(memory, settings, json.loads(line), activity)
                except (RemembrancerError, LookupError, TypeError, ValueError) as error:
                    answer = {"declined": type(error).__name__}
                await stream.send(json.dumps(answer).encode())
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound):
            # The other process ended, or sent nothing.
            return
        except Exception:
            # A fault in one answer must not end the service.
            _LOG.exception("a request at the socket next to the store failed")


async def _answered(memory: Memory, settings: Settings, request: dict[str, Any], activity: Activity) -> dict[str, Any]:
    activity.note(spooled="spooled" in request)
    if "spooled" in request:
        return {"text": ""}
    if request.get("embedder", settings.embedder) != settings.embedder:
        return {"declined": "another embedder"}
    scope = Scope(**{"tenant": settings.tenant, **request["scope"]})
    caller = memory.within(scope, clearance=request.get("clearance"), actor=request.get("actor"))
    context = await caller.context(**OPERATIONS["context"].call_arguments(request["values"]))
    dropped = [id for ids in context.report.dropped.values() for id in ids]
    return {
        "text": context.text,
        "tokens": context.tokens,
        "ids": context.ids(),
        "dropped": dropped,
        "notes": context.notes,
    }
