"""A local socket that answers requests for contexts of other processes, which need not open the store."""

import json
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from remembrancer.client.local_socket import is_listening, socket_path
from remembrancer.errors import RemembrancerError
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.memory import Memory, RecallRequest
from remembrancer.operations import OPERATIONS
from remembrancer.settings import Settings
from remembrancer.types.scope import Scope

_LONGEST_REQUEST = 1_000_000
_SECONDS = 30.0
_LOG = logging.getLogger("remembrancer")


@asynccontextmanager
async def answer_local_requests(memory: Memory, settings: Settings) -> AsyncGenerator[None]:
    """Answer other local processes during a block, if the store is a file and no other process listens."""
    path = socket_path(settings.db)
    listener = None if path is None else await _listening(path)
    if path is None or listener is None:
        yield
        return
    try:
        async with run_in_background(partial(_serve, listener, memory, settings)):
            yield
    finally:
        with anyio.CancelScope(shield=True):
            await listener.aclose()
        with suppress(FileNotFoundError):
            os.unlink(path)


async def _listening(path: str) -> SocketListener | None:
    """Return a listener for the owner of the file; `None` if another process listens, or a socket is impossible."""
    if is_listening(path):
        return None
    with suppress(FileNotFoundError):
        os.unlink(path)
    try:
        return await anyio.create_unix_listener(path, mode=0o600)
    except OSError as error:
        _LOG.warning("no socket next to the store: %s; other processes open the store themselves", error.strerror)
        return None


async def _serve(listener: SocketListener, memory: Memory, settings: Settings) -> None:
    """Answer requests once the models and tokenizer tables are loaded, so that a prompt does not wait for them."""
    try:
        await memory.recall(
            RecallRequest(question="What is stored here?", limit=1, max_tokens=1, record_access=False, rerank=False)
        )
    except RemembrancerError as error:
        _LOG.warning("the first recall failed: %s", error)
    await listener.serve(partial(_answer, memory, settings))


async def _answer(memory: Memory, settings: Settings, stream: SocketStream) -> None:
    """Answer a request, or decline it so that the other process opens the store itself."""
    async with stream:
        try:
            with anyio.move_on_after(_SECONDS):
                line = await BufferedByteReceiveStream(stream).receive_until(b"\n", _LONGEST_REQUEST)
                try:
                    answer = await _answered(memory, settings, json.loads(line))
                except (RemembrancerError, LookupError, TypeError, ValueError) as error:
                    answer = {"declined": type(error).__name__}
                await stream.send(json.dumps(answer).encode())
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead, anyio.DelimiterNotFound):
            # The other process ended, or sent nothing.
            return
        except Exception:
            # A fault in one answer must not end the service.
            _LOG.exception("a request at the socket next to the store failed")


async def _answered(memory: Memory, settings: Settings, request: dict[str, Any]) -> dict[str, Any]:
    if request["embedder"] != settings.embedder:
        return {"declined": "another embedder"}
    caller = memory.within(Scope(**request["scope"]), clearance=request["clearance"], actor=request["actor"])
    context = await caller.context(**OPERATIONS["context"].call_arguments(request["values"]))
    dropped = [id for ids in context.report.dropped.values() for id in ids]
    return {
        "text": context.text,
        "tokens": context.tokens,
        "ids": context.ids(),
        "dropped": dropped,
        "notes": context.notes,
    }
