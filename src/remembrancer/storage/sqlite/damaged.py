"""Damaged texts of a file: reading past them, finding them, and replacing bytes that are not UTF-8.

Texts that must be JSON or a word of their column, and are not, count as damaged too. SQLite stores any bytes, and a
disk may change one: without this, an encoding error would hide all the other rows.
"""

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from remembrancer.errors import StoreError
from remembrancer.storage.policies import policy_of
from remembrancer.storage.sqlite.dialect import mapping, tags
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import DETAILED, Kind, Role, Source
from remembrancer.types.scope import Classification, Trust

_LOG = logging.getLogger("remembrancer")
# Columns that may be read with U+FFFD in them; in any other column a changed word would pass for another.
_LEGIBLE = frozenset(
    [
        "text",
        "title",
        "author",
        "speaker",
        "task",
        "suggestion",
        "failure",
        "sha256",
        "fingerprint",
        "analyser",
        "name",
        "model_version",
    ]
)
_FINGERPRINTS = frozenset(["rejections", "tombstones", "store", "migrations"])
_JSON = frozenset({"tags", "metadata", "sources"})
_KNOWN_BY = ("id", "day")
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)
# The forms that texts must have.
_OF_RECORD: Mapping[str, Callable[[str], object]] = {
    "kind": Kind,
    "tags": tags,
    "metadata": mapping,
    "details": mapping,
    "source": Source,
    "status": Status,
    "classification": Classification,
    "trust": Trust,
    "role": Role,
}
_FORMS: Mapping[str, Mapping[str, Callable[[str], object]]] = {
    "records": _OF_RECORD,
    "versions": _OF_RECORD,
    "maintenance_runs": {"counts": mapping},
    "jobs": {"counts": mapping},
    "policies": {"details": mapping},
}
# Statements whose warning was logged: the background repeats them every few seconds.
_warned: set[str] = set()


class Cursor(Protocol):
    """The methods of apsw's cursor that are used here."""

    is_readonly: bool

    def get_description(self) -> Sequence[Sequence[Any]]:
        """Return the columns of the result; each begins with its name."""
        ...

    def execute(self, sql: str, values: Any = (), /) -> Any:
        """Run a statement."""
        ...

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows."""
        ...

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Iterate over the remaining rows."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A damaged text and its place.

    Args:
        id: of its row, or its day, if it has one.
    """

    table: str
    column: str
    id: str
    stored: bytes

    def __str__(self) -> str:
        return f"{self.table}.{self.column} {self.id}".rstrip()


def readable(cursor: Cursor, sql: str, values: Any) -> list[tuple[Any, ...]]:
    """Return the legible rows of a statement that failed over its texts, in their order.

    Raises:
        StoreError: the statement writes.
    """
    cursor.execute(sql, values)
    if not cursor.is_readonly:
        raise StoreError("a row to be changed contains text that is not UTF-8; run `remembrancer admin doctor`")
    names = [str(column[0]) for column in cursor.get_description()]
    columns = [f"c{place}" for place in range(len(names))]
    typed = ", ".join(f"typeof({column}), {_as_stored(column)}" for column in columns)
    cursor.execute(f"WITH damaged ({', '.join(columns)}) AS ({sql}) SELECT {typed} FROM damaged", values)
    rows = [_legible(names, row) for row in cursor.fetchall()]
    if None in rows and sql not in _warned:
        _warned.add(sql)
        _LOG.warning("memories with text that is not UTF-8 are left out: run `remembrancer admin doctor`")
    return [row for row in rows if row is not None]


def _legible(names: Sequence[str], row: Sequence[Any]) -> tuple[Any, ...] | None:
    """Return a row of types and values without damage; `None` if a repaired text would have another meaning."""
    values: list[Any] = []
    for name, kind, value in zip(names, row[::2], row[1::2], strict=True):
        text = value.decode(errors="replace") if kind == "text" else value
        if kind == "text" and text.encode() != value and not (name in _LEGIBLE or (name in _JSON and _is_json(text))):
            return None
        values.append(text)
    return tuple(values)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def damaged(cursor: Cursor) -> Iterator[Damage]:
    """Return every damaged text of the file."""
    for table, columns in _texts(cursor).items():
        id = next((_as_stored(name) for name in _KNOWN_BY if name in columns), "''")
        cursor.execute(f"SELECT {', '.join([id, *map(_as_stored, columns)])} FROM {table}")
        for id, *values in cursor:
            row = dict(zip(columns, values, strict=True))
            for column, value in row.items():
                if isinstance(value, bytes) and not (_is_text(value) and _is_sound(table, column, row)):
                    known = id.decode(errors="replace") if isinstance(id, bytes) else ""
                    yield Damage(table=table, column=column, id=known, stored=value)


def is_repairable(damage: Damage) -> bool:
    """Return True if a text may be repaired: no fingerprint, and no UTF-8 that its column does not accept."""
    return damage.table not in _FINGERPRINTS and not _is_text(damage.stored)


def repair(cursor: Cursor, damage: Damage) -> None:
    """Replace the bytes of a text that are not UTF-8 by U+FFFD.

    Raises:
        apsw.ConstraintError: the table does not accept the new text.
    """
    column = f'"{damage.column}"'
    cursor.execute(
        f"UPDATE {damage.table} SET {column} = ? WHERE CAST({column} AS BLOB) = ? AND typeof({column}) = 'text'",
        (damage.stored.decode(errors="replace"), damage.stored),
    )


def _texts(cursor: Cursor) -> Mapping[str, list[str]]:
    """Return the columns of texts, by table."""
    cursor.execute(
        "SELECT t.name, c.name FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c"
        " WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.type = 'TEXT'"
    )
    found: dict[str, list[str]] = {}
    for table, column in cursor.fetchall():
        found.setdefault(table, []).append(column)
    return found


def _as_stored(column: str) -> str:
    """Return SQL for the bytes of a column's text; other values stay as they are."""
    return f'CASE typeof("{column}") WHEN \'text\' THEN CAST("{column}" AS BLOB) ELSE "{column}" END'


def _is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_sound(table: str, column: str, row: Mapping[str, Any]) -> bool:
    """Return True if a text of a row has the form that its column needs."""
    form = _FORMS.get(table, {}).get(column)
    if form is None:
        return True
    try:
        values: Any = form(row[column].decode())
        kind = row["kind"].decode() if column == "details" and "kind" in row else ""
        if table == "policies":
            policy_of(kind, values, set_at=_ANY_TIME)
        elif kind in DETAILED:
            DETAILED[Kind(kind)].load(values)
    except (StoreError, ValueError, LookupError, TypeError):
        return False
    return True
