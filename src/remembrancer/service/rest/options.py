"""Options and hooks of the REST service."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HandledRequest:
    """A request after its response, for logs, metrics and traces.

    Args:
        origin: the entry point: `rest` or `mcp`.
        route: the name of the operation or tool, or `none`.
        status: the HTTP status; 499 if the caller disconnected.
        tenant, agent: of the memory, or `""`.
        key: the name of the access key, or `""`.
    """

    id: str
    origin: str
    route: str
    status: int
    seconds: float
    tenant: str = ""
    agent: str = ""
    key: str = ""


def ignore_request(_request: HandledRequest) -> None:
    """Do nothing."""


@contextmanager
def no_trace(_headers: Mapping[str, str]) -> Generator[Callable[[HandledRequest], None]]:
    """Run a block without a trace."""
    yield ignore_request


async def no_metrics() -> str:
    """Return no metrics."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Options of the REST service.

    Args:
        keys_only: refuse requests without an access key, even if no key exists yet; for any bind but loopback.
        hosts: host names, next to those of loopback, that are accepted without an access key.
        origins: allowed origins of browser pages (CORS); empty for none.
        bytes: the maximum size of a body.
        file_bytes: the maximum size of a file of chats, or of an archive.
        seconds: the timeout of a request, except for long work.
        body_seconds: the timeout for the next piece of a body, and for a reader of events.
        rate: requests per second of an access key; the burst is ten times as many.
        at_once: the maximum of concurrent requests, of which a tenant may have three quarters; others get 429.
        on_request: is called after each response.
        trace: returns, for the headers of a request, a context manager that traces it; the function that it returns
            is called after the response.
        metrics: returns the text of `/metrics`.
        metrics_token: the token of `/metrics` where access keys are required; `""` closes it there.
        event_seconds: the polling interval of events.
    """

    keys_only: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    bytes: int = 4 * 2**20
    file_bytes: int = 256 * 2**20
    seconds: float = 30.0
    body_seconds: float = 20.0
    rate: float = 100.0
    at_once: int = 512
    on_request: Callable[[HandledRequest], None] = ignore_request
    trace: Callable[[Mapping[str, str]], AbstractContextManager[Callable[[HandledRequest], None]]] = no_trace
    metrics: Callable[[], Awaitable[str]] = no_metrics
    metrics_token: str = ""
    event_seconds: float = 1.0
