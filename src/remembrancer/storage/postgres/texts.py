"""Statements of the text index in PostgreSQL."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import ClassVar, LiteralString

from remembrancer.storage.postings import entries_in, packed, terms_as_text, without
from remembrancer.storage.texts import Blocks, Index, Texts
from remembrancer.types.terms import Terms

_INSERT: LiteralString = """
    INSERT INTO wordings (document, scope, tenant, length, terms)
    SELECT document, :scope, :tenant, length, terms
    FROM unnest(:documents::bigint[], :lengths::bigint[], :texts::text[]) AS new (document, length, terms)
"""
_POST: LiteralString = """
    INSERT INTO postings (scope, tenant, term, block, count, entries)
    SELECT :scope, :tenant, term, block, count, entries
    FROM unnest(:terms::text[], :blocks::bigint[], :counts::bigint[], :packs::bytea[])
        AS new (term, block, count, entries)
    ON CONFLICT (scope, term, block) DO UPDATE SET
        count = postings.count + excluded.count,
        entries = postings.entries || excluded.entries
"""


class PostgresTexts(Texts):
    """The text index on a server."""

    _FREQUENCIES: ClassVar[LiteralString] = (
        "SELECT scope, term, SUM(count)::bigint FROM postings"
        " WHERE scope = ANY(:visible) AND term = ANY(:terms) GROUP BY scope, term"
    )
    _CONTAINING: ClassVar[LiteralString] = (
        "SELECT DISTINCT scope, term FROM postings WHERE scope = ANY(:visible) AND strpos(term, :part) > 0"
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


class PostgresIndex(Index):
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
