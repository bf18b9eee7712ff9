"""Statements of the text index in SQLite."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, LiteralString

from remembrancer.storage.postings import entries_in, packed, terms_as_text, without
from remembrancer.storage.texts import Blocks, Index, Texts
from remembrancer.types.terms import Terms


class SQLiteTexts(Texts):
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
        WHERE instr(postings.term, :part) > 0
    """

    def _blocks(self, wanted: Sequence[tuple[int, str]], /) -> Blocks:
        return {place: blocks for place in wanted if (blocks := self._of_term(*place))}

    def _of_term(self, scope: int, term: str) -> list[tuple[int, bytes]]:
        rows = self._connection.raw.rows(
            "SELECT block, entries FROM postings WHERE scope = :of AND term = :term ORDER BY block",
            {"of": scope, "term": term},
        )
        return [(row[0], row[1]) for row in rows]


class SQLiteIndex(Index):
    """The writer of the text index in a file."""

    def _insert(self, documents: Sequence[tuple[int, Terms]], /) -> None:
        scope, tenant = self._connection.writable(), self._connection.scope.tenant
        self._connection.raw.run_many(
            "INSERT INTO wordings (document, scope, tenant, length, terms) VALUES (?, ?, ?, ?, ?)",
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
