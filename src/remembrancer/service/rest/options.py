"""How a service answers: its limits, whom it lets in without a key, and who is told of each request."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HandledRequest:
    """One request that was answered.

    Args:
        route: the operation, or the path as it is documented; never what a caller wrote.
        status: as HTTP numbers it; 499 where the caller went away.
        tenant, agent: whose memory it was, or `""`.
        key: the name of the access key, or `""`.
    """

    id: str
    door: str
    route: str
    status: int
    seconds: float
    tenant: str = ""
    agent: str = ""
    key: str = ""


def ignore_request(_handled: HandledRequest) -> None:
    """Tell nobody."""


@contextmanager
def no_trace(_headers: Mapping[str, str]) -> Generator[Callable[[HandledRequest], None]]:
    """A block that is part of no trace."""
    yield ignore_request


async def no_metrics() -> str:
    """No metrics."""
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """How a service answers.

    Args:
        keys_only: refuse who shows no access key, even before the first one was made: for any bind but loopback.
        hosts: names by which the service may be reached without a key, beside those of loopback.
        origins: pages that may come in from a browser (CORS); none, if empty.
        bytes: the most that the body of a request may have.
        file_bytes: the same for a file of chats, or an archive.
        seconds: for which a request may take, but for long work.
        body_seconds: for which the next piece of a body is waited for, and a reader of events.
        rate: requests a second for each access key, in the long run; ten times as many at once.
        at_once: requests that are dealt with at a time; who comes beyond is to come again.
        told: hears of each request.
        traced: a block in which a request is answered, by its headers; what it gives hears of the request at its end.
        metrics: the text of `/metrics`.
        metrics_token: opens `/metrics` where access keys are needed; `""` opens it to nobody then.
        paced: how often the events of a scope are looked for, in seconds.
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
    told: Callable[[HandledRequest], None] = ignore_request
    traced: Callable[[Mapping[str, str]], AbstractContextManager[Callable[[HandledRequest], None]]] = no_trace
    metrics: Callable[[], Awaitable[str]] = no_metrics
    metrics_token: str = ""
    paced: float = 1.0
