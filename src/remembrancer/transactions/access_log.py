"""Disclosures: the memories that methods returned to callers.

What a call writes has an audit entry of its own and is no disclosure.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.audit import AuditEntry

READ: Final = "read"
_MAX_IDS: Final = 1_000
_WRITTEN: ContextVar[set[str] | None] = ContextVar("written", default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """Memories that one method returned to a caller.

    Args:
        method: such as `recall` or `facts.list`.
        ids: each id once.
    """

    caller: Caller
    method: str
    ids: tuple[str, ...]
    at: datetime


@contextmanager
def audited_call() -> Generator[set[str] | None]:
    """Yield the set that collects the ids a caller's call writes.

    `None` within another call.
    """
    if _WRITTEN.get() is not None:
        yield None
        return
    written = set[str]()
    token = _WRITTEN.set(written)
    try:
        yield written
    finally:
        _WRITTEN.reset(token)


def record_write(writer: WriteTransaction) -> None:
    """Add the records of a transaction to those of the current call."""
    written = _WRITTEN.get()
    if written is not None:
        written.update(writer.record_ids)


def audit_entries(disclosures: Sequence[Disclosure]) -> list[AuditEntry]:
    """Return one audit entry for each method of some disclosures."""
    ids_by_method: dict[str, dict[str, None]] = {}
    for disclosure in disclosures:
        ids_by_method.setdefault(disclosure.method, {}).update(dict.fromkeys(disclosure.ids))
    return [
        AuditEntry(
            action=READ,
            kind=method,
            record=next(iter(ids)) if len(ids) == 1 else None,
            count=len(ids),
            at=disclosures[0].at,
            records=() if len(ids) == 1 else tuple(ids)[:_MAX_IDS],
        )
        for method, ids in ids_by_method.items()
    ]
