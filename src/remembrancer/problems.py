"""The table of errors: HTTP problem, exit code, advice to agents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from remembrancer.errors import (
    BadModelOutput,
    BudgetExceeded,
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    ProviderError,
    ProviderUnavailable,
    RemembrancerError,
    RevisionConflict,
    SchemaMismatch,
    StoreError,
    StoreUnavailable,
    Unauthenticated,
)

MEDIA_TYPE = "application/problem+json"
URN = "urn:remembrancer:problem:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemType:
    """A problem of HTTP (RFC 9457).

    Args:
        code: stable, for programs.
        title: the same for all problems of the code.
    """

    code: str
    status: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorType(ProblemType):
    """A row of the table of errors.

    Args:
        exit_code: the exit code of a command that ends with the error.
        advice: the next step for an agent whose tool call failed.
    """

    exit_code: int
    advice: str


def _row(code: str, status: int, exit_code: int, title: str, advice: str) -> ErrorType:
    return ErrorType(code=code, status=status, exit_code=exit_code, title=title, advice=advice)


# fmt: off
ERRORS: Mapping[type[RemembrancerError], ErrorType] = {
    InvalidInput: _row(
        "invalid-input", 422, 2, "Something in the request is not allowed", "change what it names and call again"),
    NotFound: _row(
        "not-found", 404, 3, "No such thing here", "it is not here; search for it, or go on without"),
    Conflict: _row(
        "conflict", 409, 4, "Somebody else changed it first, or a key was used before",
        "read it again before you continue"),
    RevisionConflict: _row(
        "outdated", 412, 14, "It has changed since it was read", "read it again, then repeat the change"),
    NotAllowed: _row(
        "not-allowed", 403, 5, "A policy, a right or a clearance forbids it", "do not call it again; tell the user"),
    Unauthenticated: _row(
        "unauthenticated", 401, 13, "No access key, or one that is not valid",
        "the access key is not valid; tell the user"),
    StoreUnavailable: _row(
        "store-unavailable", 503, 6, "The database cannot be reached now", "call again in a moment"),
    SchemaMismatch: _row(
        "schema-mismatch", 500, 7, "The database is of another version",
        "tell the user: the service must be brought up to date"),
    StoreError: _row(
        "store-error", 500, 8, "The database failed", "tell the user: the memory failed"),
    ProviderUnavailable: _row(
        "provider-unavailable", 503, 9, "A model cannot be reached now", "call again in a moment, or go on without"),
    BadModelOutput: _row(
        "bad-model-output", 502, 11, "A model broke the agreed format", "call again once"),
    BudgetExceeded: _row(
        "budget-exceeded", 402, 12, "The budget for models is spent", "go on without; the budget is spent"),
    ProviderError: _row(
        "provider-error", 502, 10, "A model failed", "go on without"),
    RemembrancerError: _row(
        "error", 500, 1, "It could not be done", "tell the user"),
}
# fmt: on


def _service_problem(
    code: str, status: int, title: str, error: type[RemembrancerError]
) -> tuple[ProblemType, type[RemembrancerError]]:
    return ProblemType(code=code, status=status, title=title), error


# Problems of the service itself, each with the error that a client raises for it.
SERVICE_PROBLEMS: Mapping[str, tuple[ProblemType, type[RemembrancerError]]] = {
    problem.code: (problem, error)
    for problem, error in (
        _service_problem("too-large", 413, "The request is too large", InvalidInput),
        _service_problem("body-too-slow", 408, "The body of the request came too slowly", StoreUnavailable),
        _service_problem("malformed", 400, "The request is not valid HTTP", InvalidInput),
        _service_problem("too-many-requests", 429, "Too many requests for now", StoreUnavailable),
        _service_problem("too-slow", 503, "It took longer than a request may", StoreUnavailable),
        _service_problem("stopping", 503, "The service is stopping", StoreUnavailable),
        _service_problem("wrong-host", 421, "The service is not reached by that name", NotAllowed),
        _service_problem("wrong-origin", 403, "Pages of that origin are not allowed", NotAllowed),
        _service_problem("no-such-route", 404, "No such route", InvalidInput),
        _service_problem("no-such-method", 405, "The route does not have that method", InvalidInput),
        _service_problem("not-kept", 501, "The service stores nothing that could be exported", StoreError),
        _service_problem("unexpected", 500, "An unexpected failure", StoreError),
    )
}
_ERRORS_BY_CODE: Mapping[str, type[RemembrancerError]] = {
    **{row.code: error for error, row in ERRORS.items()},
    **{code: error for code, (_, error) in SERVICE_PROBLEMS.items()},
}


def problems_by_status() -> Mapping[int, Sequence[ProblemType]]:
    """Return all problems by their HTTP status."""
    problems: dict[int, list[ProblemType]] = {}
    for one in (*ERRORS.values(), *(problem for problem, _ in SERVICE_PROBLEMS.values())):
        problems.setdefault(one.status, []).append(one)
    return problems


def error_type(error: RemembrancerError) -> ErrorType:
    """Return the row of the class of an error, or of the nearest base."""
    return next(ERRORS[kind] for kind in type(error).__mro__ if kind in ERRORS)


def problem_body(problem: ProblemType, detail: str, *, request: str = "", **more: object) -> dict[str, object]:
    """Return the body of an answer that reports a problem (RFC 9457)."""
    return {
        "type": f"{URN}{problem.code}",
        "title": problem.title,
        "status": problem.status,
        "code": problem.code,
        "detail": detail,
        **({"request_id": request} if request else {}),
        **more,
    }


def error_body(error: RemembrancerError, *, request: str = "") -> dict[str, object]:
    """Return the body of an answer that reports an error."""
    missing: dict[str, object] = {"kind": error.kind, "id": error.id} if isinstance(error, NotFound) else {}
    return problem_body(error_type(error), str(error), request=request, retryable=error.retryable, **missing)


def error_from(body: Mapping[str, Any], *, status: int) -> RemembrancerError:
    """Return the error that the body of a problem reports."""
    kind = _ERRORS_BY_CODE.get(str(body.get("code")), StoreUnavailable if status >= 500 else InvalidInput)
    if kind is NotFound:
        return NotFound(str(body.get("kind", "memory")), str(body.get("id", "")))
    return kind(str(body.get("detail") or f"the service answered {status}"))
