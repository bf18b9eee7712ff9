"""Requests with an idempotency key: run once, with the same response each time."""

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
    memory: Memory, key: str, request: str, work: Callable[[], Awaitable[Response]], *, seconds: float, secret: bool
) -> Response:
    """Return the response to a request; the stored one if the request was sent before.

    Args:
        request: the whole request, to distinguish it from another one with the same key.
        seconds: the maximum duration of the work.
        secret: whether the response is shown once and never stored.

    Raises:
        Conflict: the key was used for another request, or the response was a secret.
        StoreUnavailable: the first request is not finished yet.
    """
    authenticator, caller = memory.authenticator, memory.caller
    before = await authenticator.begin(caller, key, request, runs_for=timedelta(seconds=seconds))
    if before is not None and secret and before.status < 400:
        raise Conflict(
            "this request was done before, and its response is shown only once; list the keys, and create another one"
        )
    if before is not None:
        kind = PROBLEM if before.status >= 400 else "application/json"
        return Response(before.body or None, before.status, {REPLAYED: "true"}, kind if before.body else None)
    status, body = 0, b""
    try:
        response = await work()
        status, body = response.status_code, b"" if secret else bytes(response.body)
        return response
    except RemembrancerError as error:
        if not error.retryable:
            response = error_response(error)
            status, body = response.status_code, bytes(response.body)
        raise
    finally:
        # Stored on success and failure, for the next request with this key.
        with anyio.CancelScope(shield=True):
            await authenticator.store_response(caller, key, request, status=status, body=body.decode())
