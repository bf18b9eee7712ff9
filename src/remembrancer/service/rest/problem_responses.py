"""Responses to refused and failed requests, as problems (RFC 9457)."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar, cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.problems import (
    ERRORS,
    MEDIA_TYPE,
    SERVICE_PROBLEMS,
    ProblemType,
    error_body,
    error_type,
    problem_body,
)
from remembrancer.types.scope import REQUEST

_LOG = logging.getLogger("remembrancer.service")
_JSON = "application/json"
_ZONE = "add Z, or an offset such as +01:00, in a URL %2B01:00"
_RETRY_AFTER = {429: "1", 503: "1"}
E = TypeVar("E", bound=Exception)


class RequestRefused(HTTPException):
    """A request that the service refuses, with a code of `SERVICE_PROBLEMS`."""

    def __init__(self, code: str, detail: str, headers: Mapping[str, str] | None = None) -> None:
        self.problem: ProblemType = SERVICE_PROBLEMS[code][0]
        super().__init__(self.problem.status, detail, headers)


def refusal_response(refusal: RequestRefused) -> JSONResponse:
    """Return the response to a refused request."""
    retryable = SERVICE_PROBLEMS[refusal.problem.code][1].retryable
    body = problem_body(refusal.problem, refusal.detail, request=REQUEST.get(), retryable=retryable)
    return _answer(body, refusal.headers)


def error_response(error: RemembrancerError) -> JSONResponse:
    """Return the response to a request whose operation raised an error."""
    headers = {"WWW-Authenticate": "Bearer"} if error_type(error).status == 401 else None
    return _answer(error_body(error, request=REQUEST.get()), headers)


def log_unexpected(error: Exception) -> None:
    """Log an unexpected failure."""
    _LOG.error("unexpected %s", type(error).__name__, exc_info=error)


def unexpected_response() -> JSONResponse:
    """Return the response to an unexpected failure; the log has the details under the same request id."""
    problem, error = SERVICE_PROBLEMS["unexpected"]
    detail = "unexpected error; see the log of the service for this request id"
    return _answer(problem_body(problem, detail, request=REQUEST.get(), retryable=error.retryable), None)


def answer_with_problems(app: FastAPI) -> None:
    """Add handlers that answer all errors with problems."""

    async def of_engine(_: Request, error: RemembrancerError) -> JSONResponse:
        return error_response(error)

    async def of_input(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [_fault(error_item) for error_item in error.errors()]
        kind_of_body = request.headers.get("content-type", "").partition(";")[0].strip()
        if kind_of_body != _JSON and any(error_item["loc"] == ("body",) for error_item in error.errors()):
            faults = [{"where": "body", "what": f"send it as JSON, with the header Content-Type: {_JSON}"}]
        detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:5])
        row = ERRORS[InvalidInput]
        body = problem_body(row, detail, request=REQUEST.get(), retryable=False, faults=faults[:20])
        return _answer(body, None)

    async def of_http(_: Request, error: HTTPException) -> JSONResponse:
        if isinstance(error, RequestRefused):
            return refusal_response(error)
        codes = {404: "no-such-route", 405: "no-such-method", 400: "malformed"}
        code = codes.get(error.status_code)
        other = ProblemType(code="error", status=error.status_code, title=ERRORS[RemembrancerError].title)
        problem = SERVICE_PROBLEMS[code][0] if code else other
        phrase = HTTPStatus(error.status_code).phrase.lower()
        if error.status_code == HTTPStatus.BAD_REQUEST:
            phrase = "the body cannot be parsed: send JSON in UTF-8 that is not nested too deeply"
        return _answer(problem_body(problem, phrase, request=REQUEST.get(), retryable=False), error.headers)

    async def of_anything(_: Request, error: Exception) -> JSONResponse:
        # The framework raises the error again afterwards, and the gate logs it.
        return unexpected_response()

    _answer_each(app, Exception, of_anything)
    _answer_each(app, RemembrancerError, of_engine)
    _answer_each(app, RequestValidationError, of_input)
    _answer_each(app, HTTPException, of_http)


def _answer_each(app: FastAPI, kind: type[E], answer: Callable[[Request, E], Awaitable[JSONResponse]]) -> None:
    """Add a handler for a class of errors; its type is wider in the framework than at run time."""
    app.add_exception_handler(kind, cast(Callable[[Request, Exception], Awaitable[JSONResponse]], answer))


def _fault(found: Mapping[str, object]) -> dict[str, str]:
    """Return the place of an invalid value and the expectation, without the value."""
    place = found.get("loc", ())
    parts = [str(part) for part in place] if isinstance(place, tuple) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- of names and numbers
    where = ".".join(parts[1:]) or "body"
    match found.get("type"):
        case "timezone_aware":
            return {"where": where, "what": f"has no time zone; {_ZONE}"}
        case str(kind) if kind.startswith("datetime_"):
            return {"where": where, "what": f"is not a time; write it as 2026-01-31T09:00:00Z; {_ZONE}"}
        case "json_invalid":
            return {"where": "body", "what": f"is not JSON at character {parts[-1] if parts else 0}"}
        case _:
            pass
    return {"where": where, "what": str(found.get("msg", "is not allowed"))}


def _answer(body: Mapping[str, Any], headers: Mapping[str, str] | None) -> JSONResponse:
    status: int = body["status"]
    wait = {"Retry-After": _RETRY_AFTER[status]} if status in _RETRY_AFTER else {}
    return JSONResponse(body, status, {**wait, **(headers or {})}, media_type=MEDIA_TYPE)
