"""The problems of the service: one stable code for each error, and the error again for who gets the code."""

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
    Outdated,
    ProviderError,
    ProviderUnavailable,
    RemembrancerError,
    SchemaMismatch,
    StoreError,
    StoreUnavailable,
    Unauthenticated,
)

MEDIA_TYPE = "application/problem+json"
ABOUT = "urn:remembrancer:problem:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """How an error is told over HTTP.

    Args:
        title: the same for all problems of the code.
    """

    code: str
    status: int
    title: str


PROBLEMS: Mapping[type[RemembrancerError], Told] = {
    InvalidInput: Told(code="invalid-input", status=422, title="Something in the request is not allowed"),
    NotFound: Told(code="not-found", status=404, title="No such thing here"),
    Outdated: Told(code="outdated", status=412, title="It has changed since it was read"),
    Conflict: Told(code="conflict", status=409, title="Someone else changed it first, or a key was used before"),
    Unauthenticated: Told(code="unauthenticated", status=401, title="No access key, or one that opens nothing"),
    NotAllowed: Told(code="not-allowed", status=403, title="A policy, a right or a clearance forbids it"),
    StoreUnavailable: Told(code="store-unavailable", status=503, title="The database cannot be reached now"),
    SchemaMismatch: Told(code="schema-mismatch", status=500, title="The database is of another version"),
    StoreError: Told(code="store-error", status=500, title="The database failed"),
    ProviderUnavailable: Told(code="provider-unavailable", status=503, title="A model cannot be reached now"),
    BadModelOutput: Told(code="bad-model-output", status=502, title="A model broke the agreed format"),
    BudgetExceeded: Told(code="budget-exceeded", status=402, title="The budget for models is spent"),
    ProviderError: Told(code="provider-error", status=502, title="A model failed"),
    RemembrancerError: Told(code="error", status=500, title="It could not be done"),
}
# What the service itself refuses; a client reads each as the error beside it.
OWN: Mapping[str, tuple[Told, type[RemembrancerError]]] = {
    told.code: (told, error)
    for told, error in (
        (Told(code="too-large", status=413, title="The request is too large"), InvalidInput),
        (Told(code="body-too-slow", status=408, title="The body of the request came too slowly"), StoreUnavailable),
        (Told(code="malformed", status=400, title="The request is not HTTP as it should be"), InvalidInput),
        (Told(code="too-many-requests", status=429, title="Too many requests for now"), StoreUnavailable),
        (Told(code="too-slow", status=503, title="It took longer than a request may"), StoreUnavailable),
        (Told(code="stopping", status=503, title="The service is stopping"), StoreUnavailable),
        (Told(code="wrong-host", status=421, title="The service is not reached by that name"), NotAllowed),
        (Told(code="wrong-origin", status=403, title="Pages of that origin may not come in"), NotAllowed),
        (Told(code="no-such-route", status=404, title="No such route"), InvalidInput),
        (Told(code="no-such-method", status=405, title="That method is not for this route"), InvalidInput),
        (Told(code="not-kept", status=501, title="Nothing here is kept that could be exported"), StoreError),
        (Told(code="unexpected", status=500, title="Something failed that should not have"), StoreError),
    )
}
_OF_CODE: Mapping[str, type[RemembrancerError]] = {
    **{told.code: error for error, told in PROBLEMS.items()},
    **{code: error for code, (_, error) in OWN.items()},
}


def by_status() -> Mapping[int, Sequence[Told]]:
    """Return all problems, by the HTTP status that they are answered with."""
    found: dict[int, list[Told]] = {}
    for told in (*PROBLEMS.values(), *(told for told, _ in OWN.values())):
        found.setdefault(told.status, []).append(told)
    return found


def told_of(error: RemembrancerError) -> Told:
    """How an error is told: by its class, or the nearest one above it."""
    return next(PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS)


def problem(told: Told, detail: str, *, request: str = "", **more: object) -> dict[str, object]:
    """The body of an answer that tells a problem (RFC 9457)."""
    return {
        "type": f"{ABOUT}{told.code}",
        "title": told.title,
        "status": told.status,
        "code": told.code,
        "detail": detail,
        **({"request_id": request} if request else {}),
        **more,
    }


def problem_of(error: RemembrancerError, *, request: str = "") -> dict[str, object]:
    """The body of an answer that tells an error."""
    named: dict[str, object] = {"kind": error.kind, "id": error.id} if isinstance(error, NotFound) else {}
    return problem(told_of(error), str(error), request=request, retryable=error.retryable, **named)


def error_of(body: Mapping[str, Any], *, status: int) -> RemembrancerError:
    """The error that a problem tells, for who has asked."""
    kind = _OF_CODE.get(str(body.get("code")), StoreUnavailable if status >= 500 else InvalidInput)
    if kind is NotFound:
        return NotFound(str(body.get("kind", "memory")), str(body.get("id", "")))
    return kind(str(body.get("detail") or f"the service answered {status}"))
