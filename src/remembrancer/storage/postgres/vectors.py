"""Vectors beside the rows: scored one by one in small scopes, found by pgvector's HNSW index in large ones."""

import json
from collections.abc import Mapping
from time import monotonic
from typing import LiteralString

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from remembrancer.storage.pieces import cosines_of
from remembrancer.storage.ports.vectors import Cosines, Embedded, Nearest, Unembedded
from remembrancer.storage.ports.wordings import Documents
from remembrancer.storage.postgres.connection import Connection, Row
from remembrancer.storage.postgres.dialect import as_array, as_halfvec
from remembrancer.storage.postings import document_number
from remembrancer.storage.reading import COLUMNS, Reading
from remembrancer.storage.shard import Shard
from remembrancer.storage.values import undamaged

Rows = NDArray[np.float32]

SCORED_ONE_BY_ONE = 2_000
# The index gives up on a filter after `hnsw.max_scan_tuples`, whose default this is.
_SCANNED_AT_MOST = 20_000
_KNOWN_SECONDS = 60.0
# A wording may have several pieces among the nearest.
_ROWS_A_RESULT = 1.25

_ALL: LiteralString = """
    SELECT document, MAX(1 - (vector::vector <=> %(query)s::vector)) AS cosine FROM vectors
    WHERE generation = %(generation)s AND scope = ANY(%(visible)s)
        AND (%(among)s::bigint[] IS NULL OR document = ANY(%(among)s::bigint[]))
        AND (%(hidden)s::bigint[] IS NULL OR document <> ALL(%(hidden)s::bigint[]))
    GROUP BY document ORDER BY cosine DESC, document LIMIT %(limit)s
"""
_AMONG = sql.SQL("AND document = ANY(%(among)s::bigint[])")
_HIDDEN = sql.SQL("AND document <> ALL(%(hidden)s::bigint[])")
# The index is named by its expression and generation, so these are part of the statement.
_INDEXED = sql.SQL("""
    SELECT document, 1 - (vector::vector <=> %(query)s::vector) FROM (
        SELECT document, vector FROM vectors
        WHERE generation = {generation} AND scope = ANY(%(visible)s) {among} {hidden}
        ORDER BY vector::halfvec({dimension}) <=> %(query)s::halfvec({dimension}) LIMIT %(rows)s
    ) AS near
""")


class TableSize:
    """About how many vectors there are, of all tenants, looked up once in a while."""

    def __init__(self) -> None:
        self._vectors = 0.0
        self._looked_up = -_KNOWN_SECONDS

    def vectors(self, connection: Connection) -> float:
        """As the server's statistics have it; 1 where it has none."""
        now = monotonic()
        if now - self._looked_up >= _KNOWN_SECONDS:
            found = connection.value("SELECT reltuples FROM pg_class WHERE oid = 'vectors'::regclass")
            self._vectors, self._looked_up = max(found, 1.0), now
        return self._vectors


class PostgresVectors(Reading):
    """See `ports.vectors.Vectors`."""

    def __init__(self, shard: Shard, connection: Connection, size: "TableSize") -> None:
        super().__init__(shard)
        self._connection = connection
        self._size = size

    async def nearest(self, query: Rows, *, generation: int, limit: int, among: Documents | None) -> Nearest:
        """The wordings nearest to a unit vector, a wording counting as its best piece."""
        return await self._shard.in_thread(lambda: self._nearest(query, generation, limit, among))

    def _nearest(self, query: Rows, generation: int, limit: int, among: Documents | None) -> Nearest:
        hidden = self._shard.hidden.tolist()
        values: dict[str, object] = {
            "query": as_halfvec(query),
            "generation": generation,
            "visible": self._shard.visible,
            "among": None if among is None else as_array(among.tolist()),
            "hidden": as_array(hidden) if hidden else None,
            "limit": limit,
            "rows": round(limit * _ROWS_A_RESULT),
        }
        standing = sum(size for _, size, _ in self._shard.sizes) - len(hidden)
        wordings = standing if among is None else min(len(among), standing)
        if wordings > SCORED_ONE_BY_ONE and self._is_dense(wordings, limit):
            statement = _INDEXED.format(
                generation=sql.Literal(generation),
                dimension=sql.Literal(len(query)),
                among=sql.SQL("") if among is None else _AMONG,
                hidden=_HIDDEN if hidden else sql.SQL(""),
            )
            found = _best(self._connection.rows(statement, values, plan_anew=True), limit)
            if len(found.documents) == limit:
                return found
        return _best(self._connection.rows(_ALL, values, plan_anew=True), limit)

    def _is_dense(self, wordings: int, limit: int) -> bool:
        """Whether so many of the table's vectors are meant that the index finds enough before it gives up."""
        return _SCANNED_AT_MOST * wordings >= 4 * limit * self._size.vectors(self._connection)

    async def cosines(self, query: Rows, documents: Documents, *, generation: int) -> Cosines:
        """The cosines of the pieces of each wording, in order."""
        rows = await self._shard.ask(
            """
            SELECT document, MAX(cosine), AVG(cosine) FROM (
                SELECT document, 1 - (vector::vector <=> :query::vector) AS cosine FROM vectors
                WHERE document = ANY(:wanted::bigint[]) AND generation = :generation AND scope = ANY(:visible)
            ) AS pieces
            GROUP BY document
            """,
            {"query": as_halfvec(query), "wanted": documents, "generation": generation},
        )
        hidden = set(self._shard.hidden.tolist()) if not self._shard.caller.sees_all else set[int]()
        return cosines_of({row[0]: (row[1], row[2]) for row in rows if row[0] not in hidden}, documents)

    async def add(self, pieces: Mapping[int, Rows], *, generation: int) -> set[int]:
        """Store the pieces of wordings of the exact scope; those of the wordings that still stood."""
        return await self._shard.in_thread(lambda: self._add(pieces, generation))

    def _add(self, pieces: Mapping[int, Rows], generation: int) -> set[int]:
        shard = self._shard
        shard.writable()
        rows = shard.rows(
            """
            UPDATE records
            SET generation = CASE
                WHEN :generation = (SELECT number FROM generations WHERE state = 'active') THEN :generation
                ELSE generation
            END
            WHERE document = ANY(:documents) AND scope = :scope
            RETURNING document
            """,
            {"generation": generation, "documents": list(pieces)},
        )
        standing = sorted(row[0] for row in rows)
        values = {"generation": generation, "documents": standing}
        shard.run("DELETE FROM vectors WHERE document = ANY(:documents) AND generation = :generation", values)
        shard.run(
            """
            INSERT INTO vectors (scope, tenant, generation, document, vector)
            SELECT :scope, :tenant, :generation, document, piece::halfvec
            FROM unnest(:documents::bigint[], :pieces::text[]) WITH ORDINALITY AS pieces (document, piece, place)
            ORDER BY place
            """,
            {
                "generation": generation,
                "documents": [document for document in standing for _ in pieces[document]],
                "pieces": [as_halfvec(row) for document in standing for row in pieces[document]],
            },
        )
        return set(standing)

    async def missing(self, *, generation: int, limit: int, after: int = 0) -> list[Unembedded]:
        """Indexed records of the exact scope without vectors, in the order of their numbers."""
        rows = await self._shard.ask(
            f"SELECT {COLUMNS}, records.document"
            + """
            FROM records JOIN scopes ON scopes.id = records.scope
            WHERE records.document > :after AND records.document < :end AND {own}
                AND (records.generation IS NULL OR records.generation <> :generation)
                AND NOT EXISTS (
                    SELECT 1 FROM vectors
                    WHERE vectors.document = records.document AND vectors.generation = :generation
                )
            ORDER BY records.document LIMIT :limit
            """,
            {"generation": generation, "limit": limit, **self._within(after)},
        )
        return undamaged(rows, lambda row: Unembedded(document=row[-1], record=self._record(row)))

    async def embedded(self, *, generation: int, limit: int, after: int = 0) -> list[Embedded]:
        """Wordings of the exact scope with their vectors, in the order of their numbers."""
        rows = await self._shard.ask(
            """
            SELECT document, array_agg(vector::text) FROM vectors
            WHERE document > :after AND document < :end AND scope = :scope AND generation = :generation
                AND EXISTS (SELECT 1 FROM records WHERE records.document = vectors.document{cleared})
            GROUP BY document ORDER BY document LIMIT :limit
            """,
            {"generation": generation, "limit": limit, **self._within(after)},
        )
        return [
            Embedded(document=row[0], pieces=np.array([json.loads(piece) for piece in row[1]], dtype=np.float32))
            for row in rows
        ]

    def _within(self, after: int) -> dict[str, object]:
        """The bounds of the exact scope's numbers, behind one of them."""
        exact = self._shard.exact
        return {"after": max(after, document_number(exact, 0)), "end": document_number(exact + 1, 0)}


def _best(rows: list[Row], limit: int) -> Nearest:
    """The best cosine of each wording, best first; ties by wording."""
    best: dict[int, float] = {}
    for document, cosine in rows:
        best[document] = max(cosine, best.get(document, -2.0))
    order = sorted(best, key=lambda document: (-best[document], document))[:limit]
    return Nearest(
        documents=np.array(order, dtype=np.int64),
        cosines=np.array([best[document] for document in order], dtype=np.float32),
    )
