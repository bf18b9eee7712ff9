"""What the service refuses, and every error of the engine, as problems (RFC 9457)."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.problems import MEDIA_TYPE, OWN, PROBLEMS, Told, problem, problem_of, told_of
from remembrancer.types.tracing import REQUEST

_LOG = logging.getLogger("remembrancer.service")
_JSON = "application/json"
_ZONE = "add Z, or an offset such as +01:00, in an address %2B01:00"
_RETRY_AFTER = {429: "1", 503: "1"}
E = TypeVar("E", bound=Exception)


class Refusal(HTTPException):
    """What the service itself refuses, by the code of one of `wire.problems.OWN`."""

    def __init__(self, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.told: Told = OWN[code][0]
        super().__init__(self.told.status, detail, headers)


def refused(refusal: Refusal) -> JSONResponse:
    """The answer to a request that is refused."""
    again = OWN[refusal.told.code][1].retryable
    return _answer(problem(refusal.told, refusal.detail, request=REQUEST.get(), retryable=again), refusal.headers)


def failed(error: RemembrancerError) -> JSONResponse:
    """The answer where the engine raised an error."""
    headers = {"WWW-Authenticate": "Bearer"} if told_of(error).status == 401 else None
    return _answer(problem_of(error, request=REQUEST.get()), headers)


def log_unexpected(error: Exception) -> None:
    """Write down that something failed that should not have."""
    _LOG.error("unexpected %s", type(error).__name__, exc_info=error)


def unexpected() -> JSONResponse:
    """The answer where something failed that should not have; the log says what, by the same id of the request."""
    told, again = OWN["unexpected"][0], OWN["unexpected"][1].retryable
    return _answer(
        problem(told, "something failed; the log of the service says what", request=REQUEST.get(), retryable=again),
        None,
    )


def tell_problems(app: FastAPI) -> None:
    """Answer every error with a problem."""

    async def of_engine(_: Request, error: RemembrancerError) -> JSONResponse:
        return failed(error)

    async def of_input(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [_fault(found) for found in error.errors()]
        kind_of_body = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind_of_body != _JSON and any(found["loc"] == ("body",) for found in error.errors()):
            faults = [{"where": "body", "what": f"send it as JSON, with the header Content-Type: {_JSON}"}]
        told = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:5])
        kind = PROBLEMS[InvalidInput]
        return _answer(problem(kind, told, request=REQUEST.get(), retryable=False, faults=faults[:20]), None)

    async def of_http(_: Request, error: HTTPException) -> JSONResponse:
        if isinstance(error, Refusal):
            return refused(error)
        codes = {404: "no-such-route", 405: "no-such-method", 400: "malformed"}
        code = codes.get(error.status_code)
        told = OWN[code][0] if code else Told(code="error", status=error.status_code, title="It could not be done")
        phrase = HTTPStatus(error.status_code).phrase.lower()
        if error.status_code == HTTPStatus.BAD_REQUEST:
            phrase = "the body cannot be read: it must be JSON in UTF-8, and not nested too deep"
        return _answer(problem(told, phrase, request=REQUEST.get(), retryable=False), error.headers)

    async def of_anything(_: Request, error: Exception) -> JSONResponse:
        # Raised again after this, and logged where it comes out.
        return unexpected()

    _answer_each(app, Exception, of_anything)
    _answer_each(app, RemembrancerError, of_engine)
    _answer_each(app, RequestValidationError, of_input)
    _answer_each(app, HTTPException, of_http)


def _answer_each(app: FastAPI, kind: type[E], answer: Callable[[Request, E], Awaitable[JSONResponse]]) -> None:
    """Answer every error of a class; the framework calls a handler with no other, which its types do not say."""
    app.add_exception_handler(kind, cast(Callable[[Request, Exception], Awaitable[JSONResponse]], answer))


def _fault(found: Mapping[str, object]) -> dict[str, str]:
    """Where the input is wrong, and what must stand there; never what was given."""
    place = found.get("loc", ())
    parts = [str(part) for part in place] if isinstance(place, tuple) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- of names and numbers
    where = ".".join(parts[1:]) or "body"
    match found.get("type"):
        case "timezone_aware":
            return {"where": where, "what": f"names no time zone; {_ZONE}"}
        case str(kind) if kind.startswith("datetime_"):
            return {"where": where, "what": f"is no time; write it as 2026-01-31T09:00:00Z; {_ZONE}"}
        case "json_invalid":
            return {"where": "body", "what": f"is not JSON at character {parts[-1] if parts else 0}"}
        case _:
            pass
    return {"where": where, "what": str(found.get("msg", "is not allowed"))}


def _answer(body: Mapping[str, Any], headers: Mapping[str, str] | None) -> JSONResponse:
    status: int = body["status"]
    wait = {"Retry-After": _RETRY_AFTER[status]} if status in _RETRY_AFTER else {}
    return JSONResponse(body, status, {**wait, **(headers or {})}, media_type=MEDIA_TYPE)
