"""Archives: all that is stored of the memories of the exact scope, read and written whole."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, LiteralString, cast

from remembrancer.errors import InvalidInput, quoted
from remembrancer.storage.record_rows import RECORD_READ, record_of
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import COLUMNS, KEPT, RECORD, SESSION, Column, StoreTable, ValueForm, columns, names
from remembrancer.storage.text_index import TextIndexWriter
from remembrancer.types.archive import ArchiveRow, ExistingRecord, RecordBundle, SessionBundle
from remembrancer.types.index import Terms
from remembrancer.types.record import Kind, Record

_RECORD = RECORD + columns("version weight rating boost pinned:truth relevance score decayed_on")
_VERSION = columns("version since:moment until:moment") + KEPT
_VERDICT = columns("person verdict at:moment")
_SOURCE = columns("source")
_SESSION = (*SESSION, *columns("erased"))
_CHUNK = tuple(column for column in COLUMNS[StoreTable.CHUNKS] if column.name not in ("scope", "tenant", "session"))
_LOG = columns("session places tokens fresh")
_SIDE_TABLES: Mapping[str, tuple[LiteralString, tuple[Column, ...], tuple[LiteralString, LiteralString]]] = {
    "injections": ("injections", COLUMNS[StoreTable.INJECTIONS][2:], ("id", "record")),
    "weights": ("weights", COLUMNS[StoreTable.WEIGHTS][2:], ("session", "record")),
}
ARCHIVED: Mapping[StoreTable, tuple[Column, ...]] = {
    StoreTable.RECORDS: _RECORD,
    StoreTable.EVIDENCE: columns("id source"),
    StoreTable.VERSIONS: (*columns("id"), *_VERSION),
    StoreTable.VERDICTS: (*columns("record"), *_VERDICT),
    StoreTable.SESSIONS: _SESSION,
    StoreTable.CHUNKS: (*columns("session"), *_CHUNK),
    StoreTable.LOGS: _LOG,
    StoreTable.INJECTIONS: _SIDE_TABLES["injections"][1],
    StoreTable.WEIGHTS: _SIDE_TABLES["weights"][1],
}
"""The columns of which an archive holds the values, by table."""
_LARGEST = 2**63
_INSERT: LiteralString = (
    f"INSERT INTO records (scope, tenant, document, {names(_RECORD)})"
    f" VALUES (:scope, :tenant, :document, {names(_RECORD, before=':')})"
)
# What is counted of a session, from the messages that it has.
_COUNTED: LiteralString = """
    UPDATE sessions SET
        messages = (
            SELECT COALESCE(MAX(counted), 0) FROM (
                SELECT number AS counted FROM records
                WHERE records.scope = :scope AND records.session = :session AND number IS NOT NULL
                UNION ALL SELECT CAST(:messages AS bigint)
            ) AS numbers
        ),
        tokens = (
            SELECT COALESCE(SUM(tokens), 0) FROM records
            WHERE records.scope = :scope AND records.session = :session AND number IS NOT NULL
        ),
        observed_tokens = (
            SELECT COALESCE(SUM(tokens), 0) FROM records
            WHERE records.scope = :scope AND records.session = :session AND number <= :observed
        )
    WHERE scope = :scope AND id = :session
"""
_ERASED: LiteralString = """
    UPDATE sessions SET erased = messages - (
        SELECT COUNT(*) FROM records
        WHERE records.scope = :scope AND records.session = :session AND number IS NOT NULL
    )
    WHERE scope = :scope AND id = :session
"""


class SqlArchives:
    """Memories of one exact scope with all their rows, in any status."""

    def __init__(self, connection: ScopedConnection, index: TextIndexWriter) -> None:
        self._connection = connection
        self._index = index

    async def bundles(self, kind: Kind, tier: str, *, after: tuple[str, str] | None, limit: int) -> list[RecordBundle]:
        """Return the next memories of a kind, by their time and id.

        Args:
            tier: of episodes; `""` for other kinds.
            after: time and id of the last one of the previous page; `None` for the first page.
        """
        at, last = after or (None, "")

        def work() -> list[RecordBundle]:
            records = self._rows(
                _RECORD,
                "records",
                "scope = :scope AND kind = :kind AND COALESCE(tier, '') = :tier"
                " AND (:at::timestamptz IS NULL OR (occurred_at, id) > (:at, :last))"
                " ORDER BY occurred_at, id LIMIT :limit",
                {
                    "kind": kind.value,
                    "tier": tier,
                    "at": None if at is None else datetime.fromisoformat(at),
                    "last": last,
                    "limit": limit,
                },
            )
            return self._bundled(records)

        return await self._connection.in_thread(work)

    def _bundled(self, records: Sequence[ArchiveRow]) -> list[RecordBundle]:
        """Return memories with the rows that belong to each. Blocking."""
        ids = [one["id"] for one in records]
        of_ids = {"ids": ids}
        evidence = self._by_id("id", _SOURCE, "evidence", " ORDER BY source", of_ids)
        versions = self._by_id("id", _VERSION, "versions", " ORDER BY version", of_ids)
        verdicts = self._by_id("record", _VERDICT, "verdicts", " ORDER BY person", of_ids)
        return [
            RecordBundle(
                record=one,
                evidence=tuple(row["source"] for row in evidence.get(one["id"], ())),
                versions=versions.get(one["id"], ()),
                verdicts=verdicts.get(one["id"], ()),
            )
            for one in records
        ]

    def _by_id(
        self,
        key: LiteralString,
        of: tuple[Column, ...],
        table: LiteralString,
        order: LiteralString,
        ids: Mapping[str, object],
    ) -> dict[str, list[ArchiveRow]]:
        which: LiteralString = "tenant = :tenant AND " + key + " = ANY(:ids)" + order
        found: dict[str, list[ArchiveRow]] = {}
        for row in self._connection.rows(f"SELECT {key}, {names(of)} FROM {table} WHERE " + which, ids):
            found.setdefault(row[0], []).append(self._json_row(of, row[1:]))
        return found

    async def session_bundles(self, *, after: str, limit: int) -> list[SessionBundle]:
        """Return the next sessions with their chunks, by id."""

        def work() -> list[SessionBundle]:
            sessions = self._rows(
                _SESSION,
                "sessions",
                "scope = :scope AND id > :after ORDER BY id LIMIT :limit",
                {"after": after, "limit": limit},
            )
            return [SessionBundle(session=one, chunks=self._chunks(one["id"])) for one in sessions]

        return await self._connection.in_thread(work)

    async def session_bundle(self, id: str) -> SessionBundle | None:
        """Return a session with its chunks, or `None`."""

        def work() -> SessionBundle | None:
            found = self._rows(_SESSION, "sessions", "scope = :scope AND id = :id", {"id": id})
            return SessionBundle(session=found[0], chunks=self._chunks(id)) if found else None

        return await self._connection.in_thread(work)

    def _chunks(self, session: str) -> list[ArchiveRow]:
        return self._rows(
            _CHUNK, "chunks", 'scope = :scope AND session = :session ORDER BY "first"', {"session": session}
        )

    async def logs(self) -> list[ArchiveRow]:
        """Return the headers of the logs; the one of the whole scope has the session `""`."""
        return await self._connection.in_thread(lambda: self._rows(_LOG, "logs", "scope = :scope ORDER BY session", {}))

    async def side_rows(self, table: str, *, after: tuple[str, str] | None, limit: int) -> list[ArchiveRow]:
        """Return the next rows of `injections` or `weights`, by their keys."""
        name, of, (first, second) = _SIDE_TABLES[table]
        order: LiteralString = first + ", " + second
        begun, last = after or ("", "")
        return await self._connection.in_thread(
            lambda: self._rows(
                of,
                name,
                "scope = :scope AND (" + order + ") > (:begun, :last) ORDER BY " + order + " LIMIT :limit",
                {"begun": begun, "last": last, "limit": limit},
            )
        )

    def record(self, bundle: RecordBundle) -> Record:
        """Return the record of a bundle, in the exact scope.

        Raises:
            InvalidInput: a column is missing, unknown, or has another form.
        """
        columns_of_record = _checked_row(_RECORD, bundle.record, "a memory")
        for version in bundle.versions:
            _checked_row(_VERSION, version, "a version")
        for verdict in bundle.verdicts:
            _checked_row(_VERDICT, verdict, "a verdict")
        scope = self._connection.scope
        values_by_name: dict[str, Any] = {
            **columns_of_record,
            "tenant": scope.tenant,
            "project": scope.project,
            "agent": scope.agent,
            "user": scope.user,
            "sources": bundle.evidence,
            "tags": columns_of_record["tags"] or (),
            "metadata": columns_of_record["metadata"] or {},
        }
        try:
            return record_of([values_by_name[column.name] for column in RECORD_READ])
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidInput(f"the archive contains a memory that cannot be read: {type(error).__name__}") from error

    def as_version(self, record: ArchiveRow) -> ArchiveRow:
        """Return the current state of a memory as a row of a version without an end."""
        return _as_version(record)

    async def existing(self, ids: Sequence[str]) -> dict[str, ExistingRecord]:
        """Return the state of those of these records that the tenant has, by id."""

        def work() -> dict[str, ExistingRecord]:
            of_ids = {"ids": list(ids)}
            elsewhere = self._connection.rows(
                "SELECT id FROM records WHERE tenant = :tenant AND id = ANY(:ids) AND {plus}scope <> :scope", of_ids
            )
            own = self._bundled(
                self._rows(_RECORD, "records", "id = ANY(:ids) AND tenant = :tenant AND {plus}scope = :scope", of_ids)
            )
            return {
                **{row[0]: ExistingRecord(id=row[0]) for row in elsewhere},
                **{one.id: ExistingRecord(id=one.id, bundle=one, now=_as_version(one.record)) for one in own},
            }

        return await self._connection.in_thread(work)

    async def tombstones(self, marks: Sequence[str]) -> set[str]:
        """Return the fingerprints that have a tombstone in the tenant."""
        rows = await self._connection.ask(
            "SELECT mark FROM tombstones WHERE scope IN (SELECT id FROM scopes WHERE tenant = :tenant)"
            " AND mark = ANY(:marks)",
            {"marks": list(marks)},
        )
        return {row[0] for row in rows}

    async def used_numbers(self, session: str, numbers: Sequence[int]) -> set[int]:
        """Return the message numbers that a session already uses."""
        rows = await self._connection.ask(
            "SELECT number FROM records WHERE scope = :scope AND session = :session AND number = ANY(:numbers)",
            {"session": session, "numbers": list(numbers)},
        )
        return {row[0] for row in rows}

    async def put(self, bundles: Sequence[RecordBundle], terms: Sequence[Terms | None]) -> None:
        """Store memories unchanged, in place of those with the same ids in the exact scope."""
        await self._connection.in_thread(lambda: self._put(bundles, terms))

    def _put(self, bundles: Sequence[RecordBundle], terms: Sequence[Terms | None]) -> None:
        connection = self._connection
        connection.writable()
        ids = {"ids": [one.id for one in bundles]}
        rows = connection.rows(
            "SELECT document FROM records WHERE scope = :scope AND {plus}records.id = ANY(:ids)", ids
        )
        self._index.remove([row[0] for row in rows if row[0] is not None])
        if rows:
            connection.run("DELETE FROM versions WHERE scope = :scope AND {plus}id = ANY(:ids)", ids)
            connection.run("DELETE FROM evidence WHERE scope = :scope AND {plus}id = ANY(:ids)", ids)
            connection.run("DELETE FROM verdicts WHERE scope = :scope AND record = ANY(:ids)", ids)
            connection.run("DELETE FROM records WHERE scope = :scope AND {plus}id = ANY(:ids)", ids)
        documents = self._index.add(terms)
        connection.run_many(
            _INSERT,
            [
                {"document": document or None, **_checked_row(_RECORD, one.record, "a memory")}
                for one, document in zip(bundles, documents, strict=True)
            ],
        )
        connection.run_many(
            "INSERT INTO evidence (scope, tenant, id, source) VALUES (:scope, :tenant, :id, :source)",
            [{"id": one.id, "source": source} for one in bundles for source in one.evidence],
        )
        connection.run_many(
            f"INSERT INTO versions (scope, tenant, id, {names(_VERSION)})"
            f" VALUES (:scope, :tenant, :id, {names(_VERSION, before=':')})",
            [
                {"id": one.id, **_checked_row(_VERSION, version, "a version")}
                for one in bundles
                for version in one.versions
            ],
        )
        connection.run_many(
            f"INSERT INTO verdicts (scope, tenant, record, {names(_VERDICT)})"
            f" VALUES (:scope, :tenant, :record, {names(_VERDICT, before=':')})",
            [
                {"record": one.id, **_checked_row(_VERDICT, verdict, "a verdict")}
                for one in bundles
                for verdict in one.verdicts
            ],
        )

    async def put_session(self, bundle: SessionBundle) -> None:
        """Store a session unchanged, its chunks in place of the old ones.

        If messages of it are missing, count those that exist.
        """
        await self._connection.in_thread(lambda: self._put_session(bundle))

    def _put_session(self, bundle: SessionBundle) -> None:
        connection = self._connection
        connection.writable()
        values = _checked_row(_SESSION, bundle.session, "a session")
        named = {"session": values["id"]}
        connection.run("DELETE FROM sessions WHERE scope = :scope AND id = :session", named)
        connection.run(
            f"INSERT INTO sessions (scope, tenant, {names(_SESSION)})"
            f" VALUES (:scope, :tenant, {names(_SESSION, before=':')})",
            values,
        )
        connection.run("DELETE FROM chunks WHERE scope = :scope AND session = :session", named)
        connection.run_many(
            f"INSERT INTO chunks (scope, tenant, session, {names(_CHUNK)})"
            f" VALUES (:scope, :tenant, :session, {names(_CHUNK, before=':')})",
            [{**named, **_checked_row(_CHUNK, chunk, "a chunk")} for chunk in bundle.chunks],
        )
        there: int = connection.value(
            "SELECT COUNT(*) FROM records WHERE scope = :scope AND session = :session AND number IS NOT NULL", named
        )
        if bundle.recount or there + (values["erased"] or 0) != values["messages"]:
            connection.run(_COUNTED, {**named, "messages": values["messages"], "observed": values["observed"]})
            connection.run(_ERASED, named)

    async def put_log(self, log: ArchiveRow) -> None:
        """Store the header of a log unchanged."""

        def work() -> None:
            self._connection.writable()
            self._connection.run(
                "DELETE FROM logs WHERE scope = :scope AND session = :session", {"session": log["session"]}
            )
            self._connection.run(
                f"INSERT INTO logs (scope, tenant, {names(_LOG)}) VALUES (:scope, :tenant, {names(_LOG, before=':')})",
                _checked_row(_LOG, log, "a log"),
            )

        await self._connection.in_thread(work)

    async def put_side_rows(self, table: str, rows: Sequence[ArchiveRow]) -> None:
        """Insert rows of `injections` or `weights` whose memories exist; existing rows stay."""
        name, of, (first, second) = _SIDE_TABLES[table]
        values = [_checked_row(of, row, "a row") for row in rows]

        def work() -> None:
            self._connection.writable()
            there = {
                row[0]
                for row in self._connection.rows(
                    "SELECT id FROM records WHERE tenant = :tenant AND id = ANY(:ids)",
                    {"ids": sorted({str(row["record"]) for row in values})},
                )
            }
            self._connection.run_many(
                f"INSERT INTO {name} (scope, tenant, {names(of)}) VALUES (:scope, :tenant, {names(of, before=':')})"
                f" ON CONFLICT (scope, {first}, {second}) DO NOTHING",
                [row for row in values if row["record"] in there],
            )

        await self._connection.in_thread(work)

    async def drop_dangling_evidence(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Delete evidence that names missing records; return the number of sources left, by id."""

        def work() -> Mapping[str, int]:
            of_ids = {"ids": list(ids)}
            self._connection.run(
                """
                DELETE FROM evidence WHERE scope = :scope AND {plus}id = ANY(:ids) AND NOT EXISTS (
                    SELECT 1 FROM records WHERE records.id = evidence.source AND records.tenant = evidence.tenant
                )
                """,
                of_ids,
            )
            rows = self._connection.rows(
                "SELECT id, COUNT(*) FROM evidence WHERE tenant = :tenant AND id = ANY(:ids) GROUP BY id", of_ids
            )
            return dict.fromkeys(ids, 0) | {row[0]: row[1] for row in rows}

        return await self._connection.in_thread(work)

    def _rows(
        self, of: tuple[Column, ...], table: LiteralString, which: LiteralString, values: Mapping[str, object]
    ) -> list[ArchiveRow]:
        rows = self._connection.rows(f"SELECT {names(of)} FROM {table} WHERE " + which, values)
        return [self._json_row(of, row) for row in rows]

    def _json_row(self, of: tuple[Column, ...], row: Sequence[Any]) -> ArchiveRow:
        """Return the columns of a row that have values, in the form of JSON."""
        values = self._connection.dialect.reader(of)(row)
        return {
            _bare(column.name): _as_json(column, value)
            for column, value in zip(of, values, strict=True)
            if value is not None
        }


def _as_version(record: ArchiveRow) -> ArchiveRow:
    kept = {_bare(column.name) for column in KEPT}
    values_by_name = {name: value for name, value in record.items() if name in kept}
    return {**values_by_name, "version": record.get("version", 1), "since": record["updated_at"]}


def _bare(name: str) -> str:
    return name.strip('"')


def _as_json(column: Column, value: Any) -> Any:
    match column.form:
        case ValueForm.MOMENT:
            return _iso(value)
        case ValueForm.TAGS:
            return list(value)
        case _:
            return value


def _iso(value: datetime) -> str:
    return value.isoformat(timespec="microseconds")


def _checked_row(of: tuple[Column, ...], row: ArchiveRow, what: str) -> dict[str, Any]:
    """Return the columns of a row of an archive as values for a database.

    Raises:
        InvalidInput: a column is unknown, or has another form.
    """
    known = {_bare(column.name): column for column in of}
    if unknown := next((name for name in row if name not in known), None):
        raise InvalidInput(
            f"the archive has a column {quoted(unknown)} of {what}, which this release does not know; update it"
        )
    return {name: _checked(column, row.get(name), what) for name, column in known.items()}


def _checked(column: Column, value: Any, what: str) -> Any:
    if value is None:
        return None
    if not _FORMS[column.form](value):
        raise InvalidInput(f"the archive contains {what} whose {_bare(column.name)} has another form")
    if column.form is ValueForm.MOMENT:
        try:
            found = datetime.fromisoformat(value)
        except ValueError:
            found = None
        if found is None or found.tzinfo is None:
            raise InvalidInput(f"the archive contains {what} whose {_bare(column.name)} is no time")
        return found
    return value


def _is_plain(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return -_LARGEST <= value < _LARGEST
    return isinstance(value, str | float)


def _is_tags(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[object]", value))


_FORMS: Mapping[ValueForm, Callable[[Any], bool]] = {
    ValueForm.PLAIN: _is_plain,
    ValueForm.TRUTH: lambda value: isinstance(value, bool),
    ValueForm.MOMENT: lambda value: isinstance(value, str),
    ValueForm.TAGS: _is_tags,
    ValueForm.JSON: lambda value: isinstance(value, dict),
    ValueForm.VECTOR: lambda _: False,
}
