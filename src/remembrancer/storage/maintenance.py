"""Maintenance of the exact scope: its faults, the counters of its rows and changes, and its nightly runs."""

import json
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any, LiteralString

from remembrancer.errors import NotFound
from remembrancer.storage.documents import DOCUMENT_BITS
from remembrancer.storage.record_rows import RECORD_COLUMNS, RecordReader
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import COLUMNS, StoreTable, names
from remembrancer.storage.text_index import TextIndexWriter, terms_of_row
from remembrancer.storage.values import to_micros, undamaged
from remembrancer.types.index import Terms
from remembrancer.types.jobs import MOST_LISTED, Finding, MaintenanceRun, MaintenanceStep, StoreFault
from remembrancer.types.record import Record

COUNTED_TABLES: tuple[LiteralString, ...] = (
    "sessions", "records", "versions", "evidence", "idempotency_keys", "chunks", "logs", "injections",
    "maintenance_runs", "verdicts", "rejections", "weights", "calls", "blocks", "imports", "tombstones", "policies",
)  # fmt: skip
"""The tables whose rows are counted, by scope."""


def _counted_faults(connection: ScopedConnection) -> list[Finding]:
    """Return faults of tables with fewer or more rows of the exact scope than were counted. Blocking."""
    expected = {row[0]: row[1] for row in connection.rows("SELECT name, count FROM counters WHERE scope = :scope")}
    found = {name: _row_count(connection, name) for name in COUNTED_TABLES}
    lost = {name: expected[name] - found[name] for name in COUNTED_TABLES if expected.get(name, 0) > found[name]}
    foreign = {
        name: found[name] - expected.get(name, 0) for name in COUNTED_TABLES if found[name] > expected.get(name, 0)
    }
    return [
        Finding(fault=fault, where=tuple(f"{name} {count}" for name, count in counts.items()))
        for fault, counts in ((StoreFault.LOST_ROWS, lost), (StoreFault.FOREIGN_ROWS, foreign))
        if counts
    ]


def _recount(connection: ScopedConnection) -> None:
    """Set the counters of the exact scope to the rows that exist. Blocking."""
    connection.run("DELETE FROM counters WHERE scope = :scope")
    connection.run_many(
        "INSERT INTO counters (scope, tenant, name, count) VALUES (:scope, :tenant, :name, :count)",
        [{"name": name, "count": count} for name in COUNTED_TABLES if (count := _row_count(connection, name))],
    )


def _row_count(connection: ScopedConnection, name: LiteralString) -> int:
    return connection.value("SELECT COUNT(*) FROM " + name + " WHERE scope = :scope")


_CHECKS: Mapping[StoreFault, LiteralString] = {
    StoreFault.ORPHAN_VECTOR: """
        SELECT DISTINCT vectors.document FROM vectors
        LEFT JOIN records ON records.document = vectors.document AND records.scope = vectors.scope
        WHERE vectors.scope = :scope AND records.id IS NULL LIMIT :limit
    """,
    StoreFault.ORPHAN_INDEX_ROW: """
        SELECT document_terms.document FROM document_terms
        LEFT JOIN records ON records.document = document_terms.document AND records.scope = document_terms.scope
        WHERE document_terms.scope = :scope AND records.id IS NULL LIMIT :limit
    """,
    StoreFault.BROKEN_EVIDENCE: """
        SELECT DISTINCT evidence.id FROM evidence
        LEFT JOIN records AS claims ON claims.id = evidence.id AND claims.tenant = evidence.tenant
        LEFT JOIN records AS sources ON sources.id = evidence.source AND sources.tenant = evidence.tenant
        WHERE evidence.scope = :scope AND (claims.id IS NULL OR sources.id IS NULL)
            AND NOT EXISTS (SELECT 1 FROM rejections WHERE tenant = evidence.tenant AND record = evidence.source)
        LIMIT :limit
    """,
    StoreFault.NUMBER_GAP: """
        SELECT sessions.id FROM sessions
        LEFT JOIN records ON records.scope = sessions.scope AND records.session = sessions.id
            AND records.number IS NOT NULL
        WHERE sessions.scope = :scope
        GROUP BY sessions.scope, sessions.id, sessions.tenant
        HAVING COUNT(records.id) + sessions.erased <> sessions.messages OR MAX(records.number) > sessions.messages
        LIMIT :limit
    """,
    StoreFault.MISSING_VECTOR: """
        SELECT records.id FROM records
        WHERE records.scope = :scope AND records.generation IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM vectors
            WHERE vectors.document = records.document AND vectors.generation = records.generation
        ) LIMIT :limit
    """,
}
_OF_SESSION: LiteralString = "records.scope = sessions.scope AND session = sessions.id AND number IS NOT NULL"
_ASSIGNED: LiteralString = f"""(
    SELECT COALESCE(MAX(number), 0)
    FROM (SELECT number FROM records WHERE {_OF_SESSION} UNION SELECT messages) AS assigned
)"""
_COUNT_AS_ERASED: LiteralString = f"""
    UPDATE sessions SET
        messages = {_ASSIGNED}, erased = {_ASSIGNED} - (SELECT COUNT(*) FROM records WHERE {_OF_SESSION})
    WHERE scope = :scope AND id = ANY(:where)
"""
_SKEW = timedelta(hours=1)
_AHEAD: Mapping[StoreFault, LiteralString] = {
    StoreFault.FUTURE_NIGHT: "SELECT day FROM maintenance_runs"
    " WHERE scope = :scope AND day > :day ORDER BY day LIMIT :limit",
    StoreFault.FUTURE_TIME: """
        SELECT id FROM records WHERE scope = :scope AND (updated_at > :now OR decayed_on > :day)
        UNION
        SELECT id FROM sessions WHERE scope = :scope AND last_activity_at > :now
        ORDER BY 1 LIMIT :limit
    """,
}
_INDEXED: LiteralString = f"""
    SELECT {RECORD_COLUMNS}, document_terms.length, document_terms.terms
    FROM records
    JOIN scopes ON scopes.id = records.scope
    LEFT JOIN document_terms ON document_terms.document = records.document
    WHERE records.scope = :scope AND records.id > :after ORDER BY records.id LIMIT :limit
"""


class SqlUpkeep(RecordReader):
    """Faults of the exact scope, and their repair."""

    def __init__(self, connection: ScopedConnection, index: TextIndexWriter) -> None:
        super().__init__(connection)
        self._index = index

    async def faults(self) -> list[Finding]:
        """Return the faults of the exact scope, apart from hashes and terms."""
        connection = self._connection
        found = await connection.in_thread(
            lambda: {fault: connection.rows(statement, {"limit": MOST_LISTED}) for fault, statement in _CHECKS.items()}
        )
        checked = [
            Finding(fault=fault, where=tuple(str(row[0]) for row in rows)) for fault, rows in found.items() if rows
        ]
        return checked + await connection.in_thread(lambda: _counted_faults(connection))

    async def ahead(self, of: datetime) -> list[Finding]:
        """Return nightly runs, records and sessions that were written while a clock ran ahead."""
        # Clocks of two machines differ a little, and days of two time zones by more than half of one.
        limits = {"now": of + _SKEW, "day": (of + timedelta(days=1)).date().isoformat(), "limit": MOST_LISTED}
        connection = self._connection
        found = await connection.in_thread(
            lambda: {fault: connection.rows(statement, limits) for fault, statement in _AHEAD.items()}
        )
        return [Finding(fault=fault, where=tuple(str(row[0]) for row in rows)) for fault, rows in found.items() if rows]

    async def indexed(self, *, after: str, limit: int) -> list[tuple[Record, Terms | None]]:
        """Return records by id, each with its terms in the text index."""
        rows = await self._connection.ask(_INDEXED, {"after": after, "limit": limit})
        return undamaged(rows, lambda row: (self._record(row), terms_of_row(row[-2], row[-1])))

    async def posting_counts(self) -> dict[str, int]:
        """Return the number of documents of the exact scope with each term, by the postings."""
        rows = await self._connection.ask(
            "SELECT term, SUM(count)::bigint FROM postings WHERE scope = :scope GROUP BY term"
        )
        return {row[0]: row[1] for row in rows}

    async def index(self, id: str, terms: Terms | None, *, fresh: bool = False) -> None:
        """Index a record again, or remove it from the text index.

        Args:
            fresh: under a new number, which has no vectors yet.
        """
        await self._connection.in_thread(lambda: self._reindex(id, terms, fresh=fresh))

    def _reindex(self, id: str, terms: Terms | None, *, fresh: bool) -> None:
        connection = self._connection
        row = connection.row("SELECT document FROM records WHERE {plus}scope = :scope AND id = :id", {"id": id})
        if row is None:
            raise NotFound("memory", id)
        old: int | None = row[0]
        if old is not None and terms is not None and not fresh:
            self._index.put([(old, terms)])
            return
        if old is not None:
            self._index.remove([old])
        document = self._index.add([terms])[0] or None
        connection.run(
            "UPDATE records SET document = :document, generation = NULL WHERE {plus}scope = :scope AND id = :id",
            {"id": id, "document": document},
        )

    async def index_many(self, terms: Mapping[str, Terms | None]) -> None:
        """Index records again, or remove them from the text index; each keeps its number.

        Args:
            terms: by id.
        """
        await self._connection.in_thread(lambda: self._reindex_many(terms))

    def _reindex_many(self, terms: Mapping[str, Terms | None]) -> None:
        rows = self._connection.rows(
            "SELECT id, document FROM records WHERE scope = :scope AND id = ANY(:ids)", {"ids": list(terms)}
        )
        kept: list[tuple[int, Terms]] = []
        for id, document in rows:
            found = terms[id]
            if document is not None and found is not None:
                kept.append((document, found))
            else:
                self._reindex(id, found, fresh=False)
        if kept:
            self._index.put(sorted(kept, key=lambda one: one[0]))

    async def drop_index(self) -> None:
        """Empty the text index of the exact scope; its vectors and numbers stay."""
        connection = self._connection

        def drop() -> None:
            connection.writable()
            connection.run("DELETE FROM postings WHERE scope = :scope")
            connection.run("DELETE FROM document_terms WHERE scope = :scope")
            connection.run("UPDATE scopes SET documents = 0, words = 0 WHERE id = :scope")

        await connection.in_thread(drop)

    async def repair(self, finding: Finding) -> None:
        """Repair a fault of `MENDABLE`, or accept one of `ACCEPTABLE`; another one stays."""
        await self._connection.in_thread(lambda: self._repair(finding))

    def _repair(self, finding: Finding) -> None:
        connection, where = self._connection, {"where": list(finding.where)}
        connection.writable()
        match finding.fault:
            case StoreFault.ORPHAN_VECTOR:
                connection.run(
                    "DELETE FROM vectors WHERE scope = :scope AND CAST(document AS text) = ANY(:where)", where
                )
            case StoreFault.ORPHAN_INDEX_ROW:
                self._index.remove(
                    [document for document in map(int, finding.where) if document >> DOCUMENT_BITS == connection.exact]
                )
            case StoreFault.MISSING_VECTOR:
                connection.run("UPDATE records SET generation = NULL WHERE scope = :scope AND id = ANY(:where)", where)
            case StoreFault.LOST_ROWS | StoreFault.FOREIGN_ROWS:
                _recount(connection)
            case StoreFault.NUMBER_GAP:
                connection.run(_COUNT_AS_ERASED, where)
            case StoreFault.FUTURE_NIGHT:
                connection.run("DELETE FROM maintenance_runs WHERE scope = :scope AND day = ANY(:where)", where)
            case _:
                pass


class SqlChanges:
    """The counter of changes of memories, sessions and logs."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def mark(self) -> str:
        """Return a mark that differs after every change of what the caller sees."""
        rows = await self._connection.ask(
            "SELECT scope, count FROM counters WHERE scope = ANY(:visible) AND name = 'changes' ORDER BY scope"
        )
        return " ".join(f"{scope}:{count}" for scope, count in rows)

    async def add(self, *, at: datetime) -> None:
        """Count a change of the exact scope."""
        await self._connection.write(
            "INSERT INTO counters (scope, tenant, name, count) VALUES (:scope, :tenant, 'changes', :first)"
            " ON CONFLICT (scope, name) DO UPDATE SET count = counters.count + 1",
            {"first": to_micros(at)},
        )


_RUN = COLUMNS[StoreTable.MAINTENANCE_RUNS][2:]
_RUNS: LiteralString = f"SELECT {names(_RUN)} FROM maintenance_runs WHERE scope = :scope AND "


class SqlMaintenanceRuns:
    """Nightly runs of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection
        self._read = connection.dialect.reader(_RUN)

    async def find(self, day: date) -> MaintenanceRun | None:
        """Return the run of a day, or `None`."""
        return await self._one("day = :day", day=day.isoformat())

    async def latest(self, *, before: date | None = None) -> MaintenanceRun | None:
        """Return the run of the latest day, or of the latest before a day; `None` if found is none."""
        return await self._one("day < :day ORDER BY day DESC LIMIT 1", day=(before or date.max).isoformat())

    async def has_events_since(self, at: datetime, *, until: datetime) -> bool:
        """Return True if an episode or signal from before `until` occurred or was changed since a time."""
        rows = await self._connection.ask(
            "SELECT 1 FROM records WHERE {own} AND kind IN ('episode', 'signal') AND occurred_at < :until"
            " AND (updated_at >= :since OR occurred_at >= :since) LIMIT 1",
            {"until": until, "since": at},
        )
        return bool(rows)

    async def put(self, night: MaintenanceRun) -> None:
        """Store the state of a run."""
        values = {
            "day": night.day.isoformat(),
            "step": night.step or "",
            "counts": json.dumps(
                {"counts": dict(night.counts), "notes": night.notes, "tries": night.tries}, sort_keys=True
            ),
            "started_at": night.started_at,
            "ended_at": night.ended_at,
        }

        await self._connection.write(
            """
                INSERT INTO maintenance_runs (scope, tenant, day, step, counts, started_at, ended_at)
                VALUES (:scope, :tenant, :day, :step, :counts, :started_at, :ended_at)
                ON CONFLICT (scope, day) DO UPDATE SET
                    step = excluded.step, counts = excluded.counts, ended_at = excluded.ended_at
                """,
            values,
        )

    async def _one(self, which: LiteralString, **values: object) -> MaintenanceRun | None:
        rows = await self._connection.ask(_RUNS + which, values)
        return next(iter(undamaged(rows, lambda row: self._night(self._read(row)))), None)

    def _night(self, row: list[Any]) -> MaintenanceRun:
        day, step, counts, started_at, ended_at = row
        # Both describe what the run has read, which is all memories of the scope.
        values: Mapping[str, Any] = (
            json.loads(counts) if self._connection.caller.sees_all else {"counts": {}, "notes": ()}
        )
        return MaintenanceRun(
            day=date.fromisoformat(day),
            step=MaintenanceStep(step) if step else None,
            counts=values["counts"],
            notes=tuple(values["notes"]),
            tries=values.get("tries", 1),
            started_at=started_at,
            ended_at=ended_at,
        )

    async def list(self, *, limit: int) -> list[MaintenanceRun]:
        """Return the runs of the latest days, latest first."""
        rows = await self._connection.ask(_RUNS + "TRUE ORDER BY day DESC LIMIT :limit", {"limit": limit})
        return undamaged(rows, lambda row: self._night(self._read(row)))
