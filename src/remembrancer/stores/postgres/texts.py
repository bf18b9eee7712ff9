"""The text index: packed postings by exact scope, so that no scope's counts show in another's scores."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from remembrancer.model.terms import Terms
from remembrancer.ports.texts import Postings, TextStatistics
from remembrancer.stores.postgres.shard import Shard
from remembrancer.stores.postings import (
    by_place,
    document_number,
    entries_in,
    packed,
    terms_as_text,
    terms_from_text,
    unpacked,
    without,
)


class PostgresTexts:
    """See `ports.texts.Texts`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def statistics(self) -> list[TextStatistics]:
        """Each shard's size."""
        shard = self._shard
        rows = shard.sizes
        if rows is None:
            rows = await shard.run(
                lambda: shard.connection.rows(
                    "SELECT id, documents, words FROM scopes WHERE id = ANY(%s) AND documents > 0 ORDER BY id",
                    (shard.visible,),
                )
            )
        return [TextStatistics(shard=row[0], documents=row[1], mean_length=row[2] / row[1]) for row in rows]

    async def frequencies(self, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        """In how many wordings each term stands, by shard and term."""
        shard = self._shard
        rows = await shard.run(
            lambda: shard.connection.rows(
                """
                SELECT scope, term, SUM(count)::bigint FROM postings
                WHERE scope = ANY(%s) AND term = ANY(%s)
                GROUP BY scope, term
                """,
                (shard.visible, list(terms)),
            )
        )
        return {(row[0], row[1]): row[2] for row in rows}

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """Where terms stand, by shard and term."""
        seen = [place for place in wanted if place[0] in self._shard.visible]
        return await self._shard.run(lambda: self._postings(seen)) if seen else {}

    def _postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        rows = self._shard.connection.rows(
            """
            SELECT postings.scope, postings.term, postings.block, postings.entries
            FROM unnest(%s::bigint[], %s::text[]) AS wanted (scope, term)
            JOIN postings ON postings.scope = wanted.scope AND postings.term = wanted.term
            ORDER BY postings.scope, postings.term, postings.block
            """,
            ([scope for scope, _ in wanted], [term for _, term in wanted]),
        )
        blocks: defaultdict[tuple[int, str], list[tuple[int, bytes]]] = defaultdict(list)
        for scope, term, block, entries in rows:
            blocks[scope, term].append((block, entries))
        return {place: unpacked(place[0], found) for place, found in blocks.items()}


def add_wordings(shard: Shard, terms: Sequence[Terms | None]) -> list[int]:
    """Put wordings of the exact scope into the index; the number of each, 0 for one that is not indexed."""
    wanted = [item for item in terms if item is not None]
    if not wanted:
        return [0] * len(terms)
    scope = shard.writable()
    last: int = shard.connection.value(
        """
        UPDATE scopes SET
            last_document = last_document + %(count)s, documents = documents + %(count)s, words = words + %(words)s
        WHERE id = %(scope)s
        RETURNING last_document
        """,
        {"count": len(wanted), "words": sum(item.length for item in wanted), "scope": scope},
    )
    numbers = iter(document_number(scope, last - len(wanted) + 1 + index) for index in range(len(wanted)))
    documents = [0 if item is None else next(numbers) for item in terms]
    _insert(shard, scope, [(number, item) for number, item in zip(documents, terms, strict=True) if item is not None])
    return documents


def _insert(shard: Shard, scope: int, wordings: Sequence[tuple[int, Terms]]) -> None:
    tenant = shard.scope.tenant
    shard.connection.run(
        """
        INSERT INTO wordings (document, scope, tenant, length, terms)
        SELECT document, %s, %s, length, terms
        FROM unnest(%s::bigint[], %s::bigint[], %s::text[]) AS new (document, length, terms)
        """,
        (
            scope,
            tenant,
            [number for number, _ in wordings],
            [terms.length for _, terms in wordings],
            [terms_as_text(terms.counts) for _, terms in wordings],
        ),
    )
    blocks = sorted(packed(wordings).items())
    shard.connection.run(
        """
        INSERT INTO postings (scope, tenant, term, block, count, entries)
        SELECT %s, %s, term, block, count, entries
        FROM unnest(%s::text[], %s::bigint[], %s::bigint[], %s::bytea[]) AS new (term, block, count, entries)
        ON CONFLICT (scope, term, block) DO UPDATE SET
            count = postings.count + excluded.count,
            entries = postings.entries || excluded.entries
        """,
        (
            scope,
            tenant,
            [term for (term, _), _ in blocks],
            [block for (_, block), _ in blocks],
            [entries_in(entries) for _, entries in blocks],
            [entries for _, entries in blocks],
        ),
    )


def put_wording(shard: Shard, document: int, terms: Terms) -> None:
    """Put a wording of the exact scope into the index under the number it has."""
    scope = shard.writable()
    remove_terms(shard, [document])
    _insert(shard, scope, [(document, terms)])
    shard.connection.run(
        "UPDATE scopes SET documents = documents + 1, words = words + %s WHERE id = %s", (terms.length, scope)
    )


def remove_wordings(shard: Shard, documents: Sequence[int]) -> None:
    """Take wordings of the exact scope out of the index, their vectors with them."""
    shard.retired.extend(documents)
    shard.connection.run("DELETE FROM vectors WHERE document = ANY(%s)", (list(documents),))
    remove_terms(shard, documents)


def remove_terms(shard: Shard, documents: Sequence[int]) -> None:
    """Take wordings of the exact scope out of the text index alone."""
    connection, scope = shard.connection, shard.writable()
    rows = connection.rows(
        "DELETE FROM wordings WHERE document = ANY(%s) RETURNING document, length, terms", (list(documents),)
    )
    gone = {row[0]: terms_from_text(row[2], row[1]) for row in rows}
    if not gone:
        return
    _remove_entries(shard, scope, by_place(gone))
    words = sum(terms.length for terms in gone.values())
    connection.run(
        "UPDATE scopes SET documents = documents - %s, words = words - %s WHERE id = %s", (len(gone), words, scope)
    )


def _remove_entries(shard: Shard, scope: int, places: Mapping[tuple[str, int], Sequence[int]]) -> None:
    wanted = ([term for term, _ in places], [block for _, block in places])
    rows = shard.connection.rows(
        """
        SELECT postings.term, postings.block, postings.entries
        FROM unnest(%s::text[], %s::bigint[]) AS wanted (term, block)
        JOIN postings ON postings.scope = %s AND postings.term = wanted.term AND postings.block = wanted.block
        """,
        (*wanted, scope),
    )
    left = [(term, block, without(entries, places[term, block])) for term, block, entries in rows]
    shard.connection.run(
        """
        UPDATE postings SET entries = new.entries, count = new.count
        FROM unnest(%s::text[], %s::bigint[], %s::bytea[], %s::bigint[]) AS new (term, block, entries, count)
        WHERE postings.scope = %s AND postings.term = new.term AND postings.block = new.block
        """,
        (
            [term for term, _, _ in left],
            [block for _, block, _ in left],
            [entries for _, _, entries in left],
            [entries_in(entries) for _, _, entries in left],
            scope,
        ),
    )
    shard.connection.run(
        """
        DELETE FROM postings USING unnest(%s::text[], %s::bigint[]) AS wanted (term, block)
        WHERE postings.scope = %s AND postings.term = wanted.term AND postings.block = wanted.block
            AND postings.count = 0
        """,
        (*wanted, scope),
    )
