"""Looking for faults in the exact scope, and mending those that need no judgement."""

import json
from typing import LiteralString

from remembrancer.errors import NotFound
from remembrancer.model.fault import Fault, Finding
from remembrancer.model.record import Record
from remembrancer.model.terms import Terms
from remembrancer.stores.postings import SHARD_BITS, held
from remembrancer.stores.sqlite.rows import RECORD_COLUMNS, record_from
from remembrancer.stores.sqlite.shard import Shard
from remembrancer.stores.sqlite.texts import add_wordings, put_wording, remove_wordings

_LISTED = 1_000
_CHECKS: dict[Fault, LiteralString] = {
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
        LEFT JOIN records AS claims ON claims.id = evidence.id
        LEFT JOIN records AS sources ON sources.id = evidence.source
        WHERE evidence.scope = :scope AND (claims.id IS NULL OR sources.id IS NULL) LIMIT :limit
    """,
    Fault.NUMBER_GAP: """
        SELECT sessions.id FROM sessions
        LEFT JOIN records ON records.scope = sessions.scope AND records.session = sessions.id
            AND records.number IS NOT NULL
        WHERE sessions.scope = :scope
        GROUP BY sessions.id
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


class SQLiteUpkeep:
    """See `ports.upkeep.Upkeep`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def faults(self) -> list[Finding]:
        """What is wrong in the exact scope, hashes and terms apart."""
        shard = self._shard
        values = {"scope": shard.exact, "limit": _LISTED}
        found = await shard.run(lambda: {fault: shard.connection.rows(sql, values) for fault, sql in _CHECKS.items()})
        return [Finding(fault=fault, where=tuple(str(row[0]) for row in rows)) for fault, rows in found.items() if rows]

    async def indexed(self, *, after: str, limit: int) -> list[tuple[Record, Terms | None]]:
        """Records by id, each with what the text index holds for it."""
        shard = self._shard
        rows = await shard.run(
            lambda: shard.connection.rows(
                "SELECT "
                + RECORD_COLUMNS
                + """, wordings.length, wordings.terms
                FROM records
                JOIN scopes ON scopes.id = records.scope
                LEFT JOIN wordings ON wordings.document = records.document
                WHERE records.scope = :scope AND records.id > :after ORDER BY records.id LIMIT :limit
                """,
                {"scope": shard.exact, "after": after, "limit": limit},
            )
        )
        return [(record_from(row), held(row[-2], row[-1])) for row in rows]

    async def posting_counts(self) -> dict[str, int]:
        """In how many wordings of the exact scope each term stands, as the postings have it."""
        shard = self._shard
        sql = "SELECT term, SUM(count) FROM postings WHERE scope = ? GROUP BY term"
        rows = await shard.run(lambda: shard.connection.rows(sql, (shard.exact,)))
        return {row[0]: row[1] for row in rows}

    async def reindex(self, id: str, terms: Terms | None) -> None:
        """Put a record into the text index anew, or take it out."""
        await self._shard.run(lambda: self._reindex(id, terms))

    def _reindex(self, id: str, terms: Terms | None) -> None:
        shard, connection = self._shard, self._shard.connection
        place = {"scope": shard.exact, "id": id}
        row = connection.row("SELECT document FROM records WHERE scope = :scope AND id = :id", place)
        if row is None:
            raise NotFound("memory", id)
        old: int | None = row[0]
        if old is not None and terms is not None:
            put_wording(shard, old, terms)
            return
        if old is not None:
            remove_wordings(shard, [old])
        document = add_wordings(shard, [terms])[0] or None
        connection.run(
            "UPDATE records SET document = :document, generation = NULL WHERE scope = :scope AND id = :id",
            {**place, "document": document},
        )

    async def drop_index(self) -> None:
        """Empty the text index of the exact scope; its vectors and numbers stay."""
        shard = self._shard

        def drop() -> None:
            scope = {"scope": shard.writable()}
            shard.connection.run("DELETE FROM postings WHERE scope = :scope", scope)
            shard.connection.run("DELETE FROM wordings WHERE scope = :scope", scope)
            shard.connection.run("UPDATE scopes SET documents = 0, words = 0 WHERE id = :scope", scope)

        await shard.run(drop)

    async def mend(self, finding: Finding) -> bool:
        """Mend a fault that needs no judgement; `False` where it does."""
        return await self._shard.run(lambda: self._mend(finding))

    def _mend(self, finding: Finding) -> bool:
        shard, connection = self._shard, self._shard.connection
        values = {"scope": shard.writable(), "where": json.dumps(finding.where)}
        match finding.fault:
            case Fault.ORPHAN_VECTOR:
                connection.run(
                    "DELETE FROM vectors WHERE scope = :scope"
                    " AND CAST(document AS TEXT) IN (SELECT value FROM json_each(:where))",
                    values,
                )
            case Fault.ORPHAN_INDEX_ROW:
                for document in map(int, finding.where):
                    if document >> SHARD_BITS == shard.exact:
                        remove_wordings(shard, [document])
            case Fault.MISSING_VECTOR:
                connection.run(
                    "UPDATE records SET generation = NULL WHERE scope = :scope"
                    " AND id IN (SELECT value FROM json_each(:where))",
                    values,
                )
            case _:
                return False
        return True
