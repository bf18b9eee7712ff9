"""Requests that came with an idempotency key: done once, and answered the same each time."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import anyio
from fastapi import Response

from remembrancer.errors import Conflict, RemembrancerError
from remembrancer.memory import Memory
from remembrancer.problems import MEDIA_TYPE as PROBLEM
from remembrancer.service.rest.refusals import failed

REPLAYED = "Idempotency-Replayed"


async def once(
    memory: Memory, key: str, asked: str, work: Callable[[], Awaitable[Response]], *, seconds: float, secret: bool
) -> Response:
    """What a request is answered; what was answered before, where it came before.

    Args:
        asked: all that was asked, for telling it from another request with the same key.
        seconds: for which it may take.
        secret: whether the answer is told once and kept nowhere.

    Raises:
        Conflict: the key came with another request, or what it was answered is told no more.
        StoreUnavailable: it is at work still.
    """
    reception, caller = memory.reception, memory.caller
    before = await reception.begin(caller, key, asked, runs_for=timedelta(seconds=seconds))
    if before is not None and secret and before.status < 400:
        raise Conflict("this was done already, and its answer is told once: look at the list, and make another one")
    if before is not None:
        kind = PROBLEM if before.status >= 400 else "application/json"
        return Response(before.body or None, before.status, {REPLAYED: "true"}, kind if before.body else None)
    status, body = 0, b""
    try:
        answer = await work()
        status, body = answer.status_code, b"" if secret else bytes(answer.body)
        return answer
    except RemembrancerError as error:
        if not error.retryable:
            answer = failed(error)
            status, body = answer.status_code, bytes(answer.body)
        raise
    finally:
        # Whatever became of it, the next one with this key is to know.
        with anyio.CancelScope(shield=True):
            await reception.answered(caller, key, asked, status=status, body=body.decode())
