"""The text index: packed postings by exact scope, so that no scope's counts show in another's scores."""

from collections.abc import Sequence
from typing import LiteralString

from remembrancer.storage.ports.texts import Postings, TextStatistics
from remembrancer.storage.postings import (
    by_place,
    document_number,
    entries_in,
    packed,
    terms_as_text,
    terms_from_text,
    unpacked,
    without,
)
from remembrancer.storage.shard import Shard
from remembrancer.storage.sqlite.connection import Connection
from remembrancer.storage.values import to_json
from remembrancer.types.terms import Terms

_SIZES: LiteralString = """
    SELECT id, documents, words FROM scopes WHERE id = ANY(:visible) AND documents > 0 ORDER BY id
"""


class SQLiteTexts:
    """See `ports.texts.Texts`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def statistics(self) -> list[TextStatistics]:
        """Each shard's size."""
        shard = self._shard
        rows = shard.sizes if shard.frozen else await shard.ask(_SIZES)
        return [TextStatistics(shard=row[0], documents=row[1], mean_length=row[2] / row[1]) for row in rows]

    async def frequencies(self, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        """In how many wordings each term stands, by shard and term."""
        rows = await self._shard.ask(
            """
            SELECT postings.scope, postings.term, SUM(postings.count)
            FROM json_each(:visible) AS scopes
            CROSS JOIN json_each(:terms) AS terms
            CROSS JOIN postings ON postings.scope = scopes.value AND postings.term = terms.value
            GROUP BY postings.scope, postings.term
            """,
            {"terms": list(terms)},
        )
        return {(row[0], row[1]): row[2] for row in rows}

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """Where terms stand, by shard and term; without those that stand in nothing that is seen."""
        shard = self._shard
        return await shard.in_thread(lambda: {place: found for place in wanted if (found := self._postings(*place))})

    def _postings(self, scope: int, term: str) -> Postings | None:
        if scope not in self._shard.visible:
            return None
        blocks = self._shard.connection.rows(
            "SELECT block, entries FROM postings WHERE scope = :of AND term = :term ORDER BY block",
            {"of": scope, "term": term},
        )
        found = unpacked(scope, [(row[0], row[1]) for row in blocks], hidden=self._shard.hidden) if blocks else None
        return found if found is not None and len(found.documents) else None

    async def holding(self, part: str) -> list[tuple[int, str]]:
        """The terms of the index that have a part of a word in them, by shard; also those of closed wordings."""
        rows = await self._shard.ask(
            """
            SELECT DISTINCT postings.scope, postings.term
            FROM json_each(:visible) AS scopes
            CROSS JOIN postings ON postings.scope = scopes.value
            WHERE instr(postings.term, :part) > 0
            """,
            {"part": part},
        )
        return [(row[0], row[1]) for row in rows]


class SQLiteIndex:
    """See `stores.records.Index`. Blocking.

    Args:
        connection: the one of the shard.
    """

    def __init__(self, shard: Shard, connection: Connection) -> None:
        self._shard = shard
        self._connection = connection

    def add(self, terms: Sequence[Terms | None], /) -> list[int]:
        """Put wordings into the index; the number of each, 0 for one that is not indexed."""
        if not any(item is not None for item in terms):
            return [0] * len(terms)
        scope, wanted = self._shard.writable(), [item for item in terms if item is not None]
        last: int = self._connection.value(
            """
            UPDATE scopes
            SET last_document = last_document + :count, documents = documents + :count, words = words + :words
            WHERE id = :scope
            RETURNING last_document
            """,
            {"count": len(wanted), "words": sum(item.length for item in wanted), "scope": scope},
        )
        numbers = iter(document_number(scope, last - len(wanted) + 1 + index) for index in range(len(wanted)))
        documents = [0 if item is None else next(numbers) for item in terms]
        self._insert(scope, [(number, item) for number, item in zip(documents, terms, strict=True) if item is not None])
        return documents

    def _insert(self, scope: int, wordings: list[tuple[int, Terms]]) -> None:
        tenant = self._shard.scope.tenant
        self._connection.run_many(
            "INSERT INTO wordings (document, scope, tenant, length, terms) VALUES (?, ?, ?, ?, ?)",
            [(number, scope, tenant, terms.length, terms_as_text(terms.counts)) for number, terms in wordings],
        )
        self._connection.run_many(
            """
            INSERT INTO postings (scope, tenant, term, block, count, entries) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (scope, term, block) DO UPDATE SET
                count = count + excluded.count,
                entries = CAST(entries || excluded.entries AS BLOB)
            """,
            [
                (scope, tenant, term, block, entries_in(entries), entries)
                for (term, block), entries in sorted(packed(wordings).items())
            ],
        )

    def put(self, document: int, terms: Terms, /) -> None:
        """Put a wording into the index under the number that it has."""
        scope = self._shard.writable()
        self._remove_terms([document])
        self._insert(scope, [(document, terms)])
        self._connection.run(
            "UPDATE scopes SET documents = documents + 1, words = words + ? WHERE id = ?", (terms.length, scope)
        )

    def remove(self, documents: Sequence[int], /) -> None:
        """Take wordings out of the index, their vectors with them."""
        self._shard.retired.extend(documents)
        self._connection.run_many("DELETE FROM vectors WHERE document = ?", [(document,) for document in documents])
        self._remove_terms(documents)

    def _remove_terms(self, documents: Sequence[int]) -> None:
        """Take wordings out of the text index alone."""
        connection, scope = self._connection, self._shard.writable()
        rows = connection.rows(
            "DELETE FROM wordings WHERE document IN (SELECT value FROM json_each(?)) RETURNING document, length, terms",
            (to_json(list(documents)),),
        )
        gone = {row[0]: terms_from_text(row[2], row[1]) for row in rows}
        for (term, block), found in by_place(gone).items():
            self._remove_entries((scope, term, block), found)
        words = sum(terms.length for terms in gone.values())
        connection.run(
            "UPDATE scopes SET documents = documents - ?, words = words - ? WHERE id = ?", (len(gone), words, scope)
        )

    def _remove_entries(self, place: tuple[int, str, int], documents: Sequence[int]) -> None:
        connection = self._connection
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
