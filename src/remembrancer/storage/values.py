"""Values of rows: times, scopes, sessions and cursors of pages, the same for both databases.

A row has times as `datetime`, truths as `bool`, lists of names as sequences of `str`, and metadata as a mapping.
"""

import base64
import binascii
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from remembrancer.errors import InvalidInput, StoreError
from remembrancer.types.index import Generation, Space, SpaceState
from remembrancer.types.record import (
    Record,
)
from remembrancer.types.scope import Scope
from remembrancer.types.session import Session, SessionStatus

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def to_micros(when: datetime) -> int:
    """Return microseconds since 1970 in UTC."""
    return (when - _EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return the time of `to_micros`."""
    return _EPOCH + micros * MICROSECOND


DAMAGED = "\ufffd"
"""What stands in a text for bytes that are none."""
Row = Sequence[Any]
R = TypeVar("R")
T = TypeVar("T")
_LOG = logging.getLogger("remembrancer")
# True once the warning was logged: the background reads the same rows every few seconds.
_warned: set[bool] = set()


def undamaged(rows: Iterable[R], make: Callable[[R], T]) -> list[T]:
    """Return the value of each row, without the rows that a disk has damaged, which have none."""
    made: list[T] = []
    for row in rows:
        try:
            made.append(make(row))
        except (StoreError, ValueError, LookupError, TypeError) as error:
            # Not the error's message, which may quote what is in the row.
            _LOG.debug("a row is damaged: %s in %s", type(error).__name__, make.__qualname__)
            if not _warned:
                _warned.add(True)
                _LOG.warning("rows that are damaged are left out: run `remembrancer admin doctor`")
    return made


def to_json(value: object) -> str:
    """Return compact JSON with sorted keys."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def scope_of(row: Row) -> Scope:
    """Return a scope from its tenant, project, agent and user."""
    return Scope(tenant=row[0], project=row[1], agent=row[2], user=row[3])


def scope_columns(scope: Scope) -> dict[str, object]:
    """Return a scope's four names."""
    return {"tenant": scope.tenant, "project": scope.project, "agent": scope.agent, "user": scope.user}


def session_of(row: Row, scope: Scope) -> Session:
    """Return a session from the values of `SESSION`."""
    return Session(
        id=row[0],
        scope=scope,
        status=SessionStatus(row[1]),
        named=row[2],
        record=row[3],
        messages=row[4],
        started_at=row[5],
        last_activity_at=row[6],
        ended_at=row[7],
        tokens=row[8],
        observed=row[9],
        observed_tokens=row[10],
    )


def generation_of(row: Row) -> Generation:
    """Return a generation from its number, the five columns of its space, and its state."""
    return Generation(
        number=row[0],
        space=Space(name=row[1], version=row[2], dimension=row[3], random_cosine=row[4], random_spread=row[5]),
        state=SpaceState(row[6]),
    )


def cursor_at(record: Record) -> str:
    """Return the cursor of the page after this record."""
    return base64.urlsafe_b64encode(f"{to_micros(record.occurred_at)}:{record.id}".encode()).decode()


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """Return the time and the id of a cursor.

    Raises:
        InvalidInput: it is no cursor.
    """
    try:
        micros, id = base64.urlsafe_b64decode(cursor.encode()).decode().split(":", 1)
        return from_micros(int(micros)), id
    except (ValueError, OverflowError, binascii.Error) as error:
        raise InvalidInput(f"no such cursor: {cursor!r}; pass the one of the previous page") from error
