"""Erasure of all rows of one scope."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString, NamedTuple

from remembrancer.storage import tables
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import COLUMNS, StoreTable, columns, names
from remembrancer.storage.values import scope_of, to_micros
from remembrancer.types.record import Source
from remembrancer.types.scope import Scope

_PAGE: LiteralString = "2000"
# The key of the last row of a page.
_AFTER: tuple[LiteralString, ...] = (":after0", ":after1", ":after2", ":after3")
# In an order in which no row that goes is named by one that stays.
_SCOPED: tuple[LiteralString, ...] = (
    "evidence", "versions", "idempotency_keys", "postings", "vectors", "document_terms", "injections", "verdicts",
    "rejections", "weights", "chunks", "logs", "maintenance_runs", "blocks", "imports", "requests", "policies",
    "tombstones", "records",
    "sessions",
)  # fmt: skip
# The columns of the time of a row: of its first text, and of a later one.
_READS_SINCE: Mapping[str, tuple[str, str]] = {"records": ("recorded_at", "updated_at"), "versions": ("since", "since")}
# The sources of conclusions; the others are of people and agents.
_CONCLUDING = (Source.OBSERVER.value, Source.DETECTOR.value)
_HASHES = columns("hash occurred_at:moment")
# Its words are sorted, so that none of its runs is one of a text.
_SORTED = tables.name_of(StoreTable.DOCUMENT_TERMS)
_OF_SESSION: tuple[LiteralString, ...] = ("chunks", "logs", "injections", "weights", "blocks", "imports")
# Numbers and index terms contain no ids of people.
_NO_IDS = (StoreTable.VECTORS, StoreTable.POSTINGS, StoreTable.TOMBSTONES)
# The columns of each scanned table, and the order of its rows.
_SCANNED: Mapping[LiteralString, tuple[LiteralString, LiteralString]] = {
    **{
        tables.name_of(table): (names(COLUMNS[table]), ", ".join(key))
        for table, key in tables.KEYS.items()
        if table not in _NO_IDS and any(column.name == "scope" for column in COLUMNS[table])
    },
    "requests": ("key, body", "key"),
}

# The types of values that have text; most values are numbers.
_TEXT_TYPES = frozenset((str, dict, list))


class ScannedRow(NamedTuple):
    """The texts of a row.

    Args:
        texts: all its texts.
        is_written: whether it is a memory that a person or agent wrote, not one that an engine concluded; also of index
            terms, which are sorted and repeat no text.
        at: since when it has these texts, in microseconds; `None` if that is not known.
    """

    texts: Sequence[str]
    is_written: bool
    at: int | None


class SqlErasure:
    """All rows of one exact scope, for its erasure."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def row_counts(self) -> Mapping[str, int]:
        """Return the number of rows of the exact scope, by table, without empty ones."""
        return await self._connection.in_thread(self._rows)

    def _rows(self) -> Mapping[str, int]:
        counts = {name: self._connection.value(f"SELECT COUNT(*) FROM {name} WHERE scope = :scope") for name in _SCOPED}
        return {name: count for name, count in counts.items() if count}

    async def kinds(self) -> Mapping[str, str]:
        """Return the kind of every record of the exact scope by its id, in any status."""
        rows = await self._connection.ask("SELECT id, kind FROM records WHERE scope = :scope")
        return {row[0]: row[1] for row in rows}

    async def hashes(self, ids: Sequence[str] | None = None) -> list[tuple[str, datetime]]:
        """Return hashes of all texts that records of the exact scope had, each with its time.

        A text that is not in the form in which texts are compared has the hash of that form, too.

        Args:
            ids: of the records; all by default.
        """
        read = self._connection.dialect.reader(_HASHES)
        only = _of(ids)
        rows = await self._connection.ask(
            f"SELECT hash, occurred_at FROM records WHERE scope = :scope{only}"
            f" UNION SELECT identity, occurred_at FROM records WHERE scope = :scope AND identity IS NOT NULL{only}"
            f" UNION SELECT hash, occurred_at FROM versions WHERE scope = :scope{only}",
            {} if ids is None else {"ids": list(ids)},
        )
        return [(hash, at) for hash, at in map(read, rows)]

    async def texts(self, ids: Sequence[str] | None = None) -> list[tuple[str, int]]:
        """Return all texts of records of the exact scope that people and agents wrote.

        Each with the time since when it existed, in microseconds.

        Args:
            ids: of the records; all by default.
        """
        only: LiteralString = _of(ids) + " AND source <> ALL(:concluding)"
        rows = await self._connection.ask(
            f"SELECT text, recorded_at FROM records WHERE scope = :scope{only}"
            f" UNION ALL SELECT text, since FROM versions WHERE scope = :scope{only}",
            {"concluding": list(_CONCLUDING)} | ({} if ids is None else {"ids": list(ids)}),
        )
        return [(text, self._micros(at)) for text, at in rows]

    async def cross_scope_dependents(self) -> list[tuple[Scope, str]]:
        """Return scopes and ids of records of other scopes of the tenant with evidence in the exact one."""
        rows = await self._connection.ask(
            """
            SELECT DISTINCT scopes.tenant, scopes.project, scopes.agent, scopes."user", evidence.id
            FROM records
            JOIN evidence ON evidence.source = records.id AND evidence.tenant = records.tenant
            JOIN scopes ON scopes.id = evidence.scope
            WHERE records.scope = :scope AND evidence.scope <> :scope
            """
        )
        return [(scope_of(row), row[4]) for row in rows]

    async def erase_session(self, id: str) -> Mapping[str, int]:
        """Delete all rows of a session of the exact scope but its memories; return their numbers, by table."""
        return await self._connection.in_thread(lambda: self._session(id))

    def _session(self, id: str) -> Mapping[str, int]:
        connection, of = self._connection, {"session": id}
        connection.writable()
        connection.run("UPDATE calls SET session = NULL WHERE scope = :scope AND session = :session", of)
        deleted = {
            name: connection.run(f"DELETE FROM {name} WHERE scope = :scope AND session = :session", of)
            for name in _OF_SESSION
        }
        deleted["sessions"] = connection.run("DELETE FROM sessions WHERE scope = :scope AND id = :session", of)
        return {name: count for name, count in deleted.items() if count}

    async def erase_all(self) -> Mapping[str, int]:
        """Delete the exact scope with all its rows and its key; return the numbers of rows, by table.

        The costs of models stay in the tenant's ledger, without its names.
        """
        return await self._connection.in_thread(self._all)

    def _all(self) -> Mapping[str, int]:
        connection, exact = self._connection, self._connection.exact
        if exact < 0:
            return {}
        _, *home = connection.row("SELECT COUNT(*), MIN(id) FROM scopes WHERE tenant = :tenant AND id <> :scope") or (
            0,
        )
        documents = [
            row[0]
            for row in connection.rows("SELECT document FROM records WHERE scope = :scope AND document IS NOT NULL")
        ]
        connection.retired.extend(documents)
        if home and home[0] is not None:
            # Spending still counts, for whomever it was.
            connection.run(
                "UPDATE calls SET scope = :home, project = NULL, agent = NULL, session = NULL WHERE scope = :scope",
                {"home": home[0]},
            )
        deleted = {name: connection.run(f"DELETE FROM {name} WHERE scope = :scope") for name in ("calls", *_SCOPED)}
        connection.run("DELETE FROM counters WHERE scope = :scope")
        connection.run("DELETE FROM scopes WHERE id = :scope")
        return {name: count for name, count in deleted.items() if count}

    async def add_tombstones(self, marks: Sequence[str]) -> None:
        """Store tombstones with these fingerprints."""

        def add_tombstones() -> None:
            self._connection.writable()
            self._connection.run_many(
                "INSERT INTO tombstones (scope, tenant, mark) VALUES (:scope, :tenant, :mark)"
                " ON CONFLICT (scope, mark) DO NOTHING",
                [{"mark": mark} for mark in marks],
            )

        await self._connection.in_thread(add_tombstones)

    async def tombstones(self) -> set[str]:
        """Return the fingerprints of all tombstones of the exact scope."""
        return {row[0] for row in await self._connection.ask("SELECT mark FROM tombstones WHERE scope = :scope")}

    async def scan(self, see: Callable[[Sequence[ScannedRow]], None]) -> int:
        """Pass the texts of the tenant's rows to a function, page by page; return the number of rows."""
        return await self._connection.in_thread(lambda: self._scan(see))

    def _scan(self, see: Callable[[Sequence[ScannedRow]], None]) -> int:
        count = 0
        scopes = [row[0] for row in self._connection.rows("SELECT id FROM scopes WHERE tenant = :tenant ORDER BY id")]
        for name, (selected, order) in _SCANNED.items():
            read = self._reader(name, selected.split(", "))
            keys = order.split(", ")
            marks: LiteralString = ", ".join(_AFTER[: len(keys)])
            first: LiteralString = f"SELECT {selected}, {order} FROM {name} WHERE scope = :of"
            next_page: LiteralString = f" AND ({order}) > ({marks})"
            ending: LiteralString = f" ORDER BY {order} LIMIT {_PAGE}"
            for scope in scopes:
                statement, values = first + ending, {"of": scope}
                while rows := self._connection.rows(statement, values):
                    count += len(rows)
                    see([read(row[: -len(keys)]) for row in rows])
                    last = rows[-1][-len(keys) :]
                    statement = first + next_page + ending
                    values = {"of": scope, **{mark[1:]: value for mark, value in zip(_AFTER, last, strict=False)}}
        return count

    def _reader(self, name: str, columns: Sequence[str]) -> Callable[[Sequence[Any]], ScannedRow]:
        """Return the converter of rows of a table."""
        if name not in _READS_SINCE:
            return lambda row: ScannedRow(_texts(row), name == _SORTED, None)
        since, reworded = _READS_SINCE[name]
        source, first, later, revision = (columns.index(column) for column in ("source", since, reworded, "revision"))

        def read(row: Sequence[Any]) -> ScannedRow:
            at = self._micros(row[first if row[revision] == 1 else later])
            return ScannedRow(_texts(row), row[source] not in _CONCLUDING, at)

        return read

    def _micros(self, moment: Any) -> int:
        return to_micros(self._connection.dialect.moment(moment))


def _of(ids: Sequence[str] | None) -> LiteralString:
    return "" if ids is None else " AND id = ANY(:ids)"


def _texts(row: Sequence[Any]) -> list[str]:
    return [
        value if type(value) is str else json.dumps(value, ensure_ascii=False, default=str)
        for value in row
        if type(value) in _TEXT_TYPES
    ]
