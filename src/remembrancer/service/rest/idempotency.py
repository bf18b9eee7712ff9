"""Requests with an idempotency key: done once, and answered the same each time."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import anyio
from fastapi import Response

from remembrancer.errors import Conflict, RemembrancerError
from remembrancer.memory import Memory
from remembrancer.problems import MEDIA_TYPE as PROBLEM
from remembrancer.service.rest.problem_responses import error_response

REPLAYED = "Idempotency-Replayed"


async def answer_once(
    memory: Memory, key: str, asked: str, work: Callable[[], Awaitable[Response]], *, seconds: float, secret: bool
) -> Response:
    """Return the answer to a request; the first answer where the same request came before.

    Args:
        asked: the whole request, to distinguish it from another request with the same key.
        seconds: the longest that the work may take.
        secret: whether the answer is shown once and never stored.

    Raises:
        Conflict: the key came with another request, or its answer was a secret.
        StoreUnavailable: the first request is not finished yet.
    """
    authenticator, caller = memory.authenticator, memory.caller
    before = await authenticator.begin(caller, key, asked, runs_for=timedelta(seconds=seconds))
    if before is not None and secret and before.status < 400:
        raise Conflict("this was done already, and its answer is shown only once: see the list, and create another one")
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
            answer = error_response(error)
            status, body = answer.status_code, bytes(answer.body)
        raise
    finally:
        # Stored whatever the outcome, for the next request with this key.
        with anyio.CancelScope(shield=True):
            await authenticator.answered(caller, key, asked, status=status, body=body.decode())
