"""Answers `brief`, `inject` and `remind` of other processes, so that they need not open the store themselves."""

import json
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from functools import partial
from typing import Any

import anyio
from anyio.abc import SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from remembrancer.client.beside import listens, socket_beside
from remembrancer.errors import RemembrancerError
from remembrancer.jobs.background_tasks import run_in_background
from remembrancer.memory import Memory
from remembrancer.settings import Settings
from remembrancer.types.injection import Injected
from remembrancer.types.scope import Scope

_LONGEST_REQUEST = 1_000_000
_SECONDS = 30.0
_LOG = logging.getLogger("remembrancer")


@asynccontextmanager
async def answering(memory: Memory, settings: Settings) -> AsyncGenerator[None]:
    """A block in which others on this machine are answered; nothing where the store is no file, or another answers."""
    path = socket_beside(settings.db)
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
    """A listener that only the owner of the file reaches; `None` where another process has one, or none can be."""
    if listens(path):
        return None
    with suppress(FileNotFoundError):
        os.unlink(path)
    try:
        return await anyio.create_unix_listener(path, mode=0o600)
    except OSError as error:
        _LOG.warning("no socket beside the store (%s); other processes open it themselves", error.strerror)
        return None


async def _serve(listener: SocketListener, memory: Memory, settings: Settings) -> None:
    """Answer whoever asks, once the model and the tables for counting are loaded: a prompt waits for neither."""
    try:
        memory.block(await memory.recall("What is kept here?", limit=1, touch=False, rerank=False))
    except RemembrancerError as error:
        _LOG.warning("the first recall failed: %s", error)
    await listener.serve(partial(_answer, memory, settings))


async def _answer(memory: Memory, settings: Settings, stream: SocketStream) -> None:
    """One request. What cannot be answered here is declined, and the other process does it by itself."""
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
            # Who asked is gone, or asked for nothing.
            return
        except Exception:
            # A fault in one answer must not end the service.
            _LOG.exception("a request at the socket beside the store failed")


async def _answered(memory: Memory, settings: Settings, request: dict[str, Any]) -> dict[str, Any]:
    if request["embedder"] != settings.embedder:
        return {"declined": "another embedder"}
    contexts = memory.within(Scope(**request["scope"]), clearance=request["clearance"], actor=request["actor"]).contexts
    ways = {"brief": contexts.brief, "inject": contexts.inject, "remind": contexts.remind}
    found: Injected = await ways[request["way"]](**request["arguments"])
    return asdict(found)
