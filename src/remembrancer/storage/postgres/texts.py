"""The text index: packed postings by exact scope, so that no scope's counts show in another's scores."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
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
from remembrancer.types.terms import Terms

_SIZES: LiteralString = """
    SELECT id, documents, words FROM scopes WHERE id = ANY(:visible) AND documents > 0 ORDER BY id
"""
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


class PostgresTexts:
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
            "SELECT scope, term, SUM(count)::bigint FROM postings"
            " WHERE scope = ANY(:visible) AND term = ANY(:terms) GROUP BY scope, term",
            {"terms": list(terms)},
        )
        return {(row[0], row[1]): row[2] for row in rows}

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """Where terms stand, by shard and term; without those that stand in nothing that is seen."""
        seen = [place for place in wanted if place[0] in self._shard.visible]
        return await self._shard.in_thread(lambda: self._postings(seen)) if seen else {}

    def _postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        rows = self._shard.rows(
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
        hidden = self._shard.hidden
        found = {place: unpacked(place[0], packed, hidden=hidden) for place, packed in blocks.items()}
        return {place: postings for place, postings in found.items() if len(postings.documents)}

    async def holding(self, part: str) -> list[tuple[int, str]]:
        """The terms of the index that have a part of a word in them, by shard; also those of closed wordings."""
        rows = await self._shard.ask(
            "SELECT DISTINCT scope, term FROM postings WHERE scope = ANY(:visible) AND strpos(term, :part) > 0",
            {"part": part},
        )
        return [(row[0], row[1]) for row in rows]


class PostgresIndex:
    """See `stores.records.Index`. Blocking."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    def add(self, terms: Sequence[Terms | None], /) -> list[int]:
        """Put wordings into the index; the number of each, 0 for one that is not indexed."""
        wanted = [item for item in terms if item is not None]
        if not wanted:
            return [0] * len(terms)
        scope = self._shard.writable()
        last: int = self._shard.value(
            """
            UPDATE scopes
            SET last_document = last_document + :count, documents = documents + :count, words = words + :words
            WHERE id = :scope
            RETURNING last_document
            """,
            {"count": len(wanted), "words": sum(item.length for item in wanted)},
        )
        numbers = iter(document_number(scope, last - len(wanted) + 1 + index) for index in range(len(wanted)))
        documents = [0 if item is None else next(numbers) for item in terms]
        self._insert([(number, item) for number, item in zip(documents, terms, strict=True) if item is not None])
        return documents

    def _insert(self, wordings: Sequence[tuple[int, Terms]]) -> None:
        self._shard.run(
            _INSERT,
            {
                "documents": [number for number, _ in wordings],
                "lengths": [terms.length for _, terms in wordings],
                "texts": [terms_as_text(terms.counts) for _, terms in wordings],
            },
        )
        blocks = sorted(packed(wordings).items())
        self._shard.run(
            _POST,
            {
                "terms": [term for (term, _), _ in blocks],
                "blocks": [block for (_, block), _ in blocks],
                "counts": [entries_in(entries) for _, entries in blocks],
                "packs": [entries for _, entries in blocks],
            },
        )

    def put(self, document: int, terms: Terms, /) -> None:
        """Put a wording into the index under the number that it has."""
        self._shard.writable()
        self._remove_terms([document])
        self._insert([(document, terms)])
        self._shard.run(
            "UPDATE scopes SET documents = documents + 1, words = words + :words WHERE id = :scope",
            {"words": terms.length},
        )

    def remove(self, documents: Sequence[int], /) -> None:
        """Take wordings out of the index, their vectors with them."""
        self._shard.retired.extend(documents)
        self._shard.run("DELETE FROM vectors WHERE document = ANY(:documents)", {"documents": list(documents)})
        self._remove_terms(documents)

    def _remove_terms(self, documents: Sequence[int]) -> None:
        """Take wordings out of the text index alone."""
        self._shard.writable()
        rows = self._shard.rows(
            "DELETE FROM wordings WHERE document = ANY(:documents) RETURNING document, length, terms",
            {"documents": list(documents)},
        )
        gone = {row[0]: terms_from_text(row[2], row[1]) for row in rows}
        if not gone:
            return
        self._remove_entries(by_place(gone))
        self._shard.run(
            "UPDATE scopes SET documents = documents - :count, words = words - :words WHERE id = :scope",
            {"count": len(gone), "words": sum(terms.length for terms in gone.values())},
        )

    def _remove_entries(self, places: Mapping[tuple[str, int], Sequence[int]]) -> None:
        wanted = {"terms": [term for term, _ in places], "blocks": [block for _, block in places]}
        rows = self._shard.rows(
            """
            SELECT postings.term, postings.block, postings.entries
            FROM unnest(:terms::text[], :blocks::bigint[]) AS wanted (term, block)
            JOIN postings
                ON postings.scope = :scope AND postings.term = wanted.term AND postings.block = wanted.block
            """,
            wanted,
        )
        left = [(term, block, without(entries, places[term, block])) for term, block, entries in rows]
        self._shard.run(
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
        self._shard.run(
            """
            DELETE FROM postings USING unnest(:terms::text[], :blocks::bigint[]) AS wanted (term, block)
            WHERE postings.scope = :scope AND postings.term = wanted.term AND postings.block = wanted.block
                AND postings.count = 0
            """,
            wanted,
        )
