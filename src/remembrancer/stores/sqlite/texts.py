"""The text index: packed postings by exact scope, so that no scope's counts show in another's scores."""

from collections.abc import Sequence

from remembrancer.model.terms import Terms
from remembrancer.ports.texts import Postings, TextStatistics
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
from remembrancer.stores.sqlite.shard import Shard, as_json
from remembrancer.stores.values import to_json


class SQLiteTexts:
    """See `ports.texts.Texts`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def statistics(self) -> list[TextStatistics]:
        """Each shard's size."""
        shard = self._shard
        rows = await shard.run(
            lambda: shard.connection.rows(
                """
                SELECT id, documents, words FROM scopes
                WHERE id IN (SELECT value FROM json_each(?)) AND documents > 0
                """,
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
                SELECT postings.scope, postings.term, SUM(postings.count)
                FROM json_each(:scopes) AS scopes
                CROSS JOIN json_each(:terms) AS terms
                CROSS JOIN postings ON postings.scope = scopes.value AND postings.term = terms.value
                GROUP BY postings.scope, postings.term
                """,
                {"scopes": shard.visible, "terms": to_json(list(terms))},
            )
        )
        return {(row[0], row[1]): row[2] for row in rows}

    async def postings(self, wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Postings]:
        """Where terms stand, by shard and term."""
        return await self._shard.run(lambda: {place: found for place in wanted if (found := self._postings(*place))})

    def _postings(self, shard: int, term: str) -> Postings | None:
        if shard not in self._shard.numbers:
            return None
        blocks = self._shard.connection.rows(
            "SELECT block, entries FROM postings WHERE scope = ? AND term = ? ORDER BY block", (shard, term)
        )
        return unpacked(shard, [(row[0], row[1]) for row in blocks]) if blocks else None


def add_wordings(shard: Shard, terms: Sequence[Terms | None]) -> list[int]:
    """Put wordings of the exact scope into the index; the number of each, 0 for one that is not indexed."""
    if not any(item is not None for item in terms):
        return [0] * len(terms)
    scope, wanted = shard.writable(), [item for item in terms if item is not None]
    last: int = shard.connection.value(
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
    _insert(
        shard,
        scope,
        [(number, item) for number, item in zip(documents, terms, strict=True) if item is not None],
    )
    return documents


def _insert(shard: Shard, scope: int, wordings: list[tuple[int, Terms]]) -> None:
    tenant = shard.scope.tenant
    shard.connection.run_many(
        "INSERT INTO wordings (document, scope, tenant, length, terms) VALUES (?, ?, ?, ?, ?)",
        [(number, scope, tenant, terms.length, terms_as_text(terms.counts)) for number, terms in wordings],
    )
    shard.connection.run_many(
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


def put_wording(shard: Shard, document: int, terms: Terms) -> None:
    """Put a wording of the exact scope into the index under the number it has."""
    scope = shard.writable()
    remove_terms(shard, [document])
    _insert(shard, scope, [(document, terms)])
    shard.connection.run(
        "UPDATE scopes SET documents = documents + 1, words = words + ? WHERE id = ?", (terms.length, scope)
    )


def remove_wordings(shard: Shard, documents: Sequence[int]) -> None:
    """Take wordings of the exact scope out of the index, their vectors with them."""
    shard.retired.extend(documents)
    shard.connection.run_many("DELETE FROM vectors WHERE document = ?", [(document,) for document in documents])
    remove_terms(shard, documents)


def remove_terms(shard: Shard, documents: Sequence[int]) -> None:
    """Take wordings of the exact scope out of the text index alone."""
    connection, scope = shard.connection, shard.writable()
    rows = connection.rows(
        "DELETE FROM wordings WHERE document IN (SELECT value FROM json_each(?)) RETURNING document, length, terms",
        (as_json(documents),),
    )
    gone = {row[0]: terms_from_text(row[2], row[1]) for row in rows}
    for (term, block), found in by_place(gone).items():
        _remove_entries(shard, (scope, term, block), found)
    words = sum(terms.length for terms in gone.values())
    connection.run(
        "UPDATE scopes SET documents = documents - ?, words = words - ? WHERE id = ?", (len(gone), words, scope)
    )


def _remove_entries(shard: Shard, place: tuple[int, str, int], documents: Sequence[int]) -> None:
    row = shard.connection.row("SELECT entries FROM postings WHERE scope = ? AND term = ? AND block = ?", place)
    if row is None:
        return
    if left := without(row[0], documents):
        shard.connection.run(
            "UPDATE postings SET entries = ?, count = ? WHERE scope = ? AND term = ? AND block = ?",
            (left, entries_in(left), *place),
        )
    else:
        shard.connection.run("DELETE FROM postings WHERE scope = ? AND term = ? AND block = ?", place)
