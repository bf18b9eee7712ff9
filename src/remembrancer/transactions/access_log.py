"""Who was told of which memories: what a caller's call wrote stands in the audit log already, and is not heard."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from remembrancer.transactions.write_transaction import Writing
from remembrancer.types.access import Caller
from remembrancer.types.audit import AuditEntry

READ: Final = "read"
_IDS_KEPT: Final = 1_000
_WRITTEN: ContextVar[set[str] | None] = ContextVar("written", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A caller was told of memories.

    Args:
        by: the method, such as `recall` or `facts.list`.
        ids: of the memories, each once.
    """

    caller: Caller
    by: str
    ids: tuple[str, ...]
    at: datetime


Hear: TypeAlias = Callable[[Caller, str, Sequence[str]], None]
"""Is told of a caller, a method, and the memories that the caller was told of by it."""


@contextmanager
def call() -> Generator[set[str] | None]:
    """A caller's call of a method; the ids of what it writes, or `None` for one that goes into another's answer."""
    if _WRITTEN.get() is not None:
        yield None
        return
    written = set[str]()
    token = _WRITTEN.set(written)
    try:
        yield written
    finally:
        _WRITTEN.reset(token)


def note_written(done: Writing) -> None:
    """Say that the call that goes on has written."""
    written = _WRITTEN.get()
    if written is not None:
        written.update(done.concerned)


def entries_of(heard: Sequence[Heard]) -> list[AuditEntry]:
    """What the audit log is to say of what one caller was told: one entry for each method."""
    told: dict[str, dict[str, None]] = {}
    for one in heard:
        told.setdefault(one.by, {}).update(dict.fromkeys(one.ids))
    return [
        AuditEntry(
            action=READ,
            kind=by,
            record=next(iter(ids)) if len(ids) == 1 else None,
            count=len(ids),
            at=heard[0].at,
            records=() if len(ids) == 1 else tuple(ids)[:_IDS_KEPT],
        )
        for by, ids in told.items()
    ]
