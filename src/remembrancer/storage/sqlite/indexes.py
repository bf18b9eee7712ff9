"""Statements of the text index and of indexed documents in SQLite.

They name the indexes that the planner, which knows no statistics, would not choose.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, LiteralString

from remembrancer.storage.dialect import Values
from remembrancer.storage.indexed_documents import IndexedDocuments
from remembrancer.storage.record_rows import RECORD_COLUMNS, WEIGHT
from remembrancer.storage.text_index import (
    Blocks,
    TextIndex,
    TextIndexWriter,
    entries_in,
    packed,
    terms_as_text,
    without,
)
from remembrancer.types.filter import Filter
from remembrancer.types.index import Terms


class SQLiteTextIndex(TextIndex):
    """The text index in a file."""

    _FREQUENCIES: ClassVar[LiteralString] = """
        SELECT postings.scope, postings.term, SUM(postings.count)
        FROM json_each(:visible) AS scopes
        CROSS JOIN json_each(:terms) AS terms
        CROSS JOIN postings ON postings.scope = scopes.value AND postings.term = terms.value
        GROUP BY postings.scope, postings.term
    """
    _CONTAINING: ClassVar[LiteralString] = """
        SELECT DISTINCT postings.scope, postings.term
        FROM json_each(:visible) AS scopes
        CROSS JOIN postings ON postings.scope = scopes.value
        WHERE instr(postings.term, :part) > 0 AND postings.term NOT LIKE '§%'
    """

    def _blocks(self, wanted: Sequence[tuple[int, str]], /) -> Blocks:
        return {place: blocks for place in wanted if (blocks := self._of_term(*place))}

    def _of_term(self, scope: int, term: str) -> list[tuple[int, bytes]]:
        rows = self._connection.raw.rows(
            "SELECT block, entries FROM postings WHERE scope = :of AND term = :term ORDER BY block",
            {"of": scope, "term": term},
        )
        return [(row[0], row[1]) for row in rows]


class SQLiteTextIndexWriter(TextIndexWriter):
    """The writer of the text index in a file."""

    def _insert(self, documents: Sequence[tuple[int, Terms]], /) -> None:
        scope, tenant = self._connection.writable(), self._connection.scope.tenant
        self._connection.raw.run_many(
            "INSERT INTO document_terms (document, scope, tenant, length, terms) VALUES (?, ?, ?, ?, ?)",
            [(number, scope, tenant, terms.length, terms_as_text(terms.counts)) for number, terms in documents],
        )
        self._connection.raw.run_many(
            """
            INSERT INTO postings (scope, tenant, term, block, count, entries) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (scope, term, block) DO UPDATE SET
                count = count + excluded.count,
                entries = CAST(entries || excluded.entries AS BLOB)
            """,
            [
                (scope, tenant, term, block, entries_in(entries), entries)
                for (term, block), entries in sorted(packed(documents).items())
            ],
        )

    def _remove_entries(self, places: Mapping[tuple[str, int], Sequence[int]], /) -> None:
        scope = self._connection.writable()
        for (term, block), documents in places.items():
            self._remove_from((scope, term, block), documents)

    def _remove_from(self, place: tuple[int, str, int], documents: Sequence[int]) -> None:
        connection = self._connection.raw
        row = connection.row("SELECT entries FROM postings WHERE scope = ? AND term = ? AND block = ?", place)
        if row is None:
            return
        if left := without(row[0], documents):
            connection.run(
                "UPDATE postings SET entries = ?, count = ? WHERE scope = ? AND term = ? AND block = ?",
                (left, entries_in(left), *place),
            )
        else:
            connection.run("DELETE FROM postings WHERE scope = ? AND term = ? AND block = ?", place)


# The wanted rows come first, and the index is named: the planner knows no statistics and would scan a scope instead.
_HEADER: LiteralString = f"""
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.role, ''), COALESCE(records.type, ''),
        COALESCE((SELECT length FROM document_terms WHERE document_terms.document = records.document), 1),
        records.occurred_at / 1e6, records.updated_at / 1e6, records.last_accessed_at / 1e6, records.revision,
        records.importance, COALESCE(records.tier, ''), {WEIGHT}
    FROM json_each(:wanted) AS wanted
"""
# Each type is found by a step in the index, and of each the first rows are read, however many there are.
_TYPES: LiteralString = """
    WITH RECURSIVE types (scope, type) AS (
        SELECT seen.value, (
            SELECT MIN(records.type) FROM records INDEXED BY records_at_start
            WHERE records.scope = seen.value
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM json_each(:visible) AS seen
        UNION ALL
        SELECT types.scope, (
            SELECT MIN(records.type) FROM records INDEXED BY records_at_start
            WHERE records.scope = types.scope AND records.type > types.type
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM types WHERE types.type IS NOT NULL
    )
"""
_FIRST: LiteralString = """
    CROSS JOIN json_each((
        SELECT json_group_array(document) FROM (
            SELECT records.document FROM records INDEXED BY records_at_start
            WHERE records.scope = types.scope AND records.type = types.type AND records.revision {revised}
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL{cleared}
            ORDER BY records.updated_at DESC, records.id DESC LIMIT :limit
        )
    )) AS found
    WHERE types.type <> ALL(:apart)
"""
_AT: LiteralString = (
    _HEADER
    + """
    CROSS JOIN json_each(wanted.value) AS numbers
    CROSS JOIN json_each(:visible) AS seen
    CROSS JOIN records INDEXED BY records_by_number
        ON records.scope = seen.value AND records.session = wanted.key AND records.number = numbers.value
    WHERE records.document IS NOT NULL{cleared}
"""
)


class SQLiteIndexedDocuments(IndexedDocuments):
    """Indexed documents in a file."""

    _UPDATED_LAST: ClassVar[LiteralString] = (
        _TYPES
        + "SELECT found.value FROM types CROSS JOIN json_each(:few) AS few"
        + _FIRST.replace("{revised}", "= few.value")
    )
    _OFTEN_UPDATED: ClassVar[LiteralString] = (
        _TYPES + "SELECT found.value FROM types" + _FIRST.replace("{revised}", ">= :many")
    )
    _HEADERS: ClassVar[LiteralString] = _HEADER + "CROSS JOIN records ON records.document = wanted.value WHERE {seen}"
    _NEWEST: ClassVar[LiteralString] = (
        "SELECT records.document FROM json_each(:wanted) AS wanted"
        " CROSS JOIN records ON records.document = wanted.value WHERE {seen}"
        " ORDER BY records.occurred_at DESC, records.document LIMIT :limit"
    )
    _RECORDS: ClassVar[LiteralString] = (
        f"SELECT {RECORD_COLUMNS}, records.document FROM json_each(:documents) AS wanted"
        " CROSS JOIN records ON records.document = wanted.value JOIN scopes ON scopes.id = records.scope"
        " WHERE {seen}"
    )

    def _index_for(self, filter: Filter, limit: int, /) -> LiteralString:
        if filter.ids:
            return ""
        is_by_time = filter.since or filter.until or limit
        return " INDEXED BY records_by_time" if is_by_time else " INDEXED BY records_by_kind"

    def _at(self, places: Sequence[tuple[str, int]], /) -> tuple[LiteralString, Values]:
        wanted: dict[str, list[int]] = {}
        for session, number in places:
            wanted.setdefault(session, []).append(number)
        return _AT, {"wanted": wanted}
