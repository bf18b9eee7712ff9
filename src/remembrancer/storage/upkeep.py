"""Looking for faults in the exact scope, and mending those that need no judgement; alike in every store."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import LiteralString

from remembrancer.errors import NotFound
from remembrancer.storage import tallies
from remembrancer.storage.postings import DOCUMENT_BITS, held
from remembrancer.storage.reading import COLUMNS, Reading
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.texts import Index
from remembrancer.storage.values import undamaged
from remembrancer.types.fault import MOST_LISTED, Fault, Finding
from remembrancer.types.record import Record
from remembrancer.types.terms import Terms

_CHECKS: Mapping[Fault, LiteralString] = {
    Fault.ORPHAN_VECTOR: """
        SELECT DISTINCT vectors.document FROM vectors
        LEFT JOIN records ON records.document = vectors.document AND records.scope = vectors.scope
        WHERE vectors.scope = :scope AND records.id IS NULL LIMIT :limit
    """,
    Fault.ORPHAN_INDEX_ROW: """
        SELECT wordings.document FROM wordings
        LEFT JOIN records ON records.document = wordings.document AND records.scope = wordings.scope
        WHERE wordings.scope = :scope AND records.id IS NULL LIMIT :limit
    """,
    Fault.BROKEN_EVIDENCE: """
        SELECT DISTINCT evidence.id FROM evidence
        LEFT JOIN records AS claims ON claims.id = evidence.id AND claims.tenant = evidence.tenant
        LEFT JOIN records AS sources ON sources.id = evidence.source AND sources.tenant = evidence.tenant
        WHERE evidence.scope = :scope AND (claims.id IS NULL OR sources.id IS NULL)
            AND NOT EXISTS (SELECT 1 FROM rejections WHERE tenant = evidence.tenant AND record = evidence.source)
        LIMIT :limit
    """,
    Fault.NUMBER_GAP: """
        SELECT sessions.id FROM sessions
        LEFT JOIN records ON records.scope = sessions.scope AND records.session = sessions.id
            AND records.number IS NOT NULL
        WHERE sessions.scope = :scope
        GROUP BY sessions.scope, sessions.id
        HAVING COUNT(records.id) + sessions.erased <> sessions.messages OR MAX(records.number) > sessions.messages
        LIMIT :limit
    """,
    Fault.MISSING_VECTOR: """
        SELECT records.id FROM records
        WHERE records.scope = :scope AND records.generation IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM vectors
            WHERE vectors.document = records.document AND vectors.generation = records.generation
        ) LIMIT :limit
    """,
}
_OF_SESSION: LiteralString = "records.scope = sessions.scope AND session = sessions.id AND number IS NOT NULL"
_GIVEN: LiteralString = f"""(
    SELECT COALESCE(MAX(number), 0) FROM (SELECT number FROM records WHERE {_OF_SESSION} UNION SELECT messages) AS given
)"""
_TAKEN_AS_ERASED: LiteralString = f"""
    UPDATE sessions SET
        messages = {_GIVEN}, erased = {_GIVEN} - (SELECT COUNT(*) FROM records WHERE {_OF_SESSION})
    WHERE scope = :scope AND id = ANY(:where)
"""
_SKEW = timedelta(hours=1)
_AHEAD: Mapping[Fault, LiteralString] = {
    Fault.FUTURE_NIGHT: "SELECT day FROM nights WHERE scope = :scope AND day > :day ORDER BY day LIMIT :limit",
    Fault.FUTURE_TIME: """
        SELECT id FROM records WHERE scope = :scope AND (updated_at > :now OR decayed_on > :day)
        UNION
        SELECT id FROM sessions WHERE scope = :scope AND last_activity_at > :now
        ORDER BY 1 LIMIT :limit
    """,
}
_INDEXED: LiteralString = f"""
    SELECT {COLUMNS}, wordings.length, wordings.terms
    FROM records
    JOIN scopes ON scopes.id = records.scope
    LEFT JOIN wordings ON wordings.document = records.document
    WHERE records.scope = :scope AND records.id > :after ORDER BY records.id LIMIT :limit
"""


class SqlUpkeep(Reading):
    """Looking for faults in the exact scope, and mending them."""

    def __init__(self, connection: ScopedConnection, index: Index) -> None:
        super().__init__(connection)
        self._index = index

    async def faults(self) -> list[Finding]:
        """What is wrong in the exact scope, hashes and terms apart."""
        connection = self._connection
        found = await connection.in_thread(
            lambda: {fault: connection.rows(statement, {"limit": MOST_LISTED}) for fault, statement in _CHECKS.items()}
        )
        checked = [
            Finding(fault=fault, where=tuple(str(row[0]) for row in rows)) for fault, rows in found.items() if rows
        ]
        return checked + await connection.in_thread(lambda: tallies.faults(connection))

    async def ahead(self, of: datetime) -> list[Finding]:
        """Nights, records and sessions of the exact scope that a clock which ran ahead has written."""
        # Clocks of two machines differ a little, and days of two time zones by more than half of one.
        limits = {"now": of + _SKEW, "day": (of + timedelta(days=1)).date().isoformat(), "limit": MOST_LISTED}
        connection = self._connection
        found = await connection.in_thread(
            lambda: {fault: connection.rows(statement, limits) for fault, statement in _AHEAD.items()}
        )
        return [Finding(fault=fault, where=tuple(str(row[0]) for row in rows)) for fault, rows in found.items() if rows]

    async def indexed(self, *, after: str, limit: int) -> list[tuple[Record, Terms | None]]:
        """Records by id, each with what the text index holds for it."""
        rows = await self._connection.ask(_INDEXED, {"after": after, "limit": limit})
        return undamaged(rows, lambda row: (self._record(row), held(row[-2], row[-1])))

    async def posting_counts(self) -> dict[str, int]:
        """In how many wordings of the exact scope each term stands, as the postings have it."""
        rows = await self._connection.ask(
            "SELECT term, SUM(count)::bigint FROM postings WHERE scope = :scope GROUP BY term"
        )
        return {row[0]: row[1] for row in rows}

    async def index(self, id: str, terms: Terms | None, *, fresh: bool = False) -> None:
        """Put a record into the text index anew, or take it out.

        Args:
            fresh: under a new number, which has no vectors yet.
        """
        await self._connection.in_thread(lambda: self._reindex(id, terms, fresh=fresh))

    def _reindex(self, id: str, terms: Terms | None, *, fresh: bool) -> None:
        connection = self._connection
        row = connection.row("SELECT document FROM records WHERE scope = :scope AND id = :id", {"id": id})
        if row is None:
            raise NotFound("memory", id)
        old: int | None = row[0]
        if old is not None and terms is not None and not fresh:
            self._index.put(old, terms)
            return
        if old is not None:
            self._index.remove([old])
        document = self._index.add([terms])[0] or None
        connection.run(
            "UPDATE records SET document = :document, generation = NULL WHERE scope = :scope AND id = :id",
            {"id": id, "document": document},
        )

    async def drop_index(self) -> None:
        """Empty the text index of the exact scope; its vectors and numbers stay."""
        connection = self._connection

        def drop() -> None:
            connection.writable()
            connection.run("DELETE FROM postings WHERE scope = :scope")
            connection.run("DELETE FROM wordings WHERE scope = :scope")
            connection.run("UPDATE scopes SET documents = 0, words = 0 WHERE id = :scope")

        await connection.in_thread(drop)

    async def mend(self, finding: Finding) -> None:
        """Mend a fault of `MENDABLE`, or take one of `ACCEPTABLE` as it is; another one stays."""
        await self._connection.in_thread(lambda: self._mend(finding))

    def _mend(self, finding: Finding) -> None:
        connection, where = self._connection, {"where": list(finding.where)}
        connection.writable()
        match finding.fault:
            case Fault.ORPHAN_VECTOR:
                connection.run(
                    "DELETE FROM vectors WHERE scope = :scope AND CAST(document AS text) = ANY(:where)", where
                )
            case Fault.ORPHAN_INDEX_ROW:
                self._index.remove(
                    [document for document in map(int, finding.where) if document >> DOCUMENT_BITS == connection.exact]
                )
            case Fault.MISSING_VECTOR:
                connection.run("UPDATE records SET generation = NULL WHERE scope = :scope AND id = ANY(:where)", where)
            case Fault.LOST_ROWS | Fault.FOREIGN_ROWS:
                tallies.count_anew(connection)
            case Fault.NUMBER_GAP:
                connection.run(_TAKEN_AS_ERASED, where)
            case Fault.FUTURE_NIGHT:
                connection.run("DELETE FROM nights WHERE scope = :scope AND day = ANY(:where)", where)
            case _:
                pass
