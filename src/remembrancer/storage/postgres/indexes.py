"""Statements of the text index and of indexed documents in PostgreSQL."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import ClassVar, LiteralString

import numpy as np

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

_INSERT: LiteralString = """
    INSERT INTO document_terms (document, scope, tenant, length, terms)
    SELECT document, :scope, :tenant, length, terms
    FROM unnest(:documents::bigint[], :lengths::bigint[], :texts::text[]) AS new (document, length, terms)
"""
_POST: LiteralString = """
    INSERT INTO postings (scope, tenant, term, block, count, entries)
    SELECT :scope, :tenant, term, block, count, entries
    FROM unnest(:terms::text[], :blocks::bigint[], :counts::bigint[], :packs::bytea[])
        AS new (term, block, count, entries)
    ON CONFLICT (scope, term, block, tenant) DO UPDATE SET
        count = postings.count + excluded.count,
        entries = postings.entries || excluded.entries
"""


class PostgresTextIndex(TextIndex):
    """The text index on a server."""

    _FREQUENCIES: ClassVar[LiteralString] = (
        "SELECT scope, term, SUM(count)::bigint FROM postings"
        " WHERE scope = ANY(:visible) AND term = ANY(:terms) GROUP BY scope, term"
    )
    _CONTAINING: ClassVar[LiteralString] = (
        "SELECT DISTINCT scope, term FROM postings WHERE scope = ANY(:visible) AND strpos(term, :part) > 0"
        " AND term NOT LIKE '§%'"
    )

    def _blocks(self, wanted: Sequence[tuple[int, str]], /) -> Blocks:
        rows = self._connection.rows(
            """
            SELECT postings.scope, postings.term, postings.block, postings.entries
            FROM unnest(:scopes::bigint[], :terms::text[]) AS wanted (scope, term)
            JOIN postings ON postings.scope = wanted.scope AND postings.term = wanted.term
            ORDER BY postings.scope, postings.term, postings.block
            """,
            {"scopes": [scope for scope, _ in wanted], "terms": [term for _, term in wanted]},
        )
        blocks: defaultdict[tuple[int, str], list[tuple[int, bytes]]] = defaultdict(list)
        for scope, term, block, entries in rows:
            blocks[scope, term].append((block, entries))
        return blocks


class PostgresTextIndexWriter(TextIndexWriter):
    """The writer of the text index on a server."""

    def _insert(self, documents: Sequence[tuple[int, Terms]], /) -> None:
        self._connection.run(
            _INSERT,
            {
                "documents": [number for number, _ in documents],
                "lengths": [terms.length for _, terms in documents],
                "texts": [terms_as_text(terms.counts) for _, terms in documents],
            },
        )
        blocks = sorted(packed(documents).items())
        self._connection.run(
            _POST,
            {
                "terms": [term for (term, _), _ in blocks],
                "blocks": [block for (_, block), _ in blocks],
                "counts": [entries_in(entries) for _, entries in blocks],
                "packs": [entries for _, entries in blocks],
            },
        )

    def _remove_entries(self, places: Mapping[tuple[str, int], Sequence[int]], /) -> None:
        wanted = {"terms": [term for term, _ in places], "blocks": [block for _, block in places]}
        rows = self._connection.rows(
            """
            SELECT postings.term, postings.block, postings.entries
            FROM unnest(:terms::text[], :blocks::bigint[]) AS wanted (term, block)
            JOIN postings
                ON postings.scope = :scope AND postings.term = wanted.term AND postings.block = wanted.block
            """,
            wanted,
        )
        left = [(term, block, without(entries, places[term, block])) for term, block, entries in rows]
        self._connection.run(
            """
            UPDATE postings SET entries = new.entries, count = new.count
            FROM unnest(:terms::text[], :blocks::bigint[], :packs::bytea[], :counts::bigint[])
                AS new (term, block, entries, count)
            WHERE postings.scope = :scope AND postings.term = new.term AND postings.block = new.block
            """,
            {
                "terms": [term for term, _, _ in left],
                "blocks": [block for _, block, _ in left],
                "packs": [entries for _, _, entries in left],
                "counts": [entries_in(entries) for _, _, entries in left],
            },
        )
        self._connection.run(
            """
            DELETE FROM postings USING unnest(:terms::text[], :blocks::bigint[]) AS wanted (term, block)
            WHERE postings.scope = :scope AND postings.term = wanted.term AND postings.block = wanted.block
                AND postings.count = 0
            """,
            wanted,
        )


_HEADER: LiteralString = f"""
    SELECT
        records.document, records.id, records.kind, COALESCE(records.session, ''), COALESCE(records.number, 0),
        COALESCE(NULLIF(records.speaker, ''), records.role, ''), COALESCE(records.role, ''), COALESCE(records.type, ''),
        COALESCE((SELECT length FROM document_terms WHERE document_terms.document = records.document), 1),
        date_part('epoch', records.occurred_at), date_part('epoch', records.updated_at),
        date_part('epoch', records.last_accessed_at), records.revision, records.importance,
        COALESCE(records.tier, ''), {WEIGHT}
    FROM records
"""
# Each type is found by a step in the index, and of each the first rows are read, however many there are.
_TYPES: LiteralString = """
    WITH RECURSIVE types (scope, type) AS (
        SELECT seen.scope, (
            SELECT MIN(records.type) FROM records
            WHERE records.scope = seen.scope
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM unnest(:visible::bigint[]) AS seen (scope)
        UNION ALL
        SELECT types.scope, (
            SELECT MIN(records.type) FROM records
            WHERE records.scope = types.scope AND records.type > types.type
                AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL
        )
        FROM types WHERE types.type IS NOT NULL
    )
"""
_FIRST: LiteralString = """
    CROSS JOIN LATERAL (
        SELECT records.document FROM records
        WHERE records.scope = types.scope AND records.type = types.type AND records.revision {revised}
            AND records.kind = 'observation' AND records.status = 'active' AND records.document IS NOT NULL{cleared}
        ORDER BY records.updated_at DESC, records.id DESC LIMIT :limit
    ) AS found
    WHERE types.type <> ALL(:apart::text[])
"""
_AT: LiteralString = (
    _HEADER
    + """
    JOIN unnest(:sessions::text[], :numbers::bigint[]) AS wanted (session, number)
        ON records.session = wanted.session AND records.number = wanted.number
    WHERE records.document IS NOT NULL AND {seen} ORDER BY records.document
"""
)


class PostgresIndexedDocuments(IndexedDocuments):
    """Indexed documents on a server."""

    _UPDATED_LAST: ClassVar[LiteralString] = (
        _TYPES
        + "SELECT found.document FROM types CROSS JOIN unnest(:few::integer[]) AS few (revisions)"
        + _FIRST.replace("{revised}", "= few.revisions")
    )
    _OFTEN_UPDATED: ClassVar[LiteralString] = (
        _TYPES + "SELECT found.document FROM types" + _FIRST.replace("{revised}", ">= :many")
    )
    _HEADERS: ClassVar[LiteralString] = (
        _HEADER + "WHERE records.document = ANY(:wanted::bigint[]) AND {seen} ORDER BY records.document"
    )
    _NEWEST: ClassVar[LiteralString] = (
        "SELECT records.document FROM records WHERE records.document = ANY(:wanted::bigint[]) AND {seen}"
        " ORDER BY records.occurred_at DESC, records.document LIMIT :limit"
    )
    _RECORDS: ClassVar[LiteralString] = (
        f"SELECT {RECORD_COLUMNS}, records.document FROM records JOIN scopes ON scopes.id = records.scope"
        " WHERE records.document = ANY(:documents::bigint[]) AND {seen}"
    )

    def _index_for(self, filter: Filter, limit: int, /) -> LiteralString:
        return ""

    def _at(self, places: Sequence[tuple[str, int]], /) -> tuple[LiteralString, Values]:
        numbers = np.array([number for _, number in places], dtype=np.int64)
        return _AT, {"sessions": [session for session, _ in places], "numbers": numbers}
