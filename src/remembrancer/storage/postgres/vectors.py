"""Vectors in PostgreSQL: scored one by one in small scopes, found by pgvector's HNSW index in large ones."""

import json
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any, ClassVar, LiteralString, cast

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from remembrancer.storage.documents import DocumentNumbers, Embedded, Nearest
from remembrancer.storage.postgres.connection import PostgresConnection, Row
from remembrancer.storage.postgres.dialect import as_array, as_halfvec
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.vectors import Vectors

Rows = NDArray[np.float32]

SCORED_ONE_BY_ONE = 2_000
"""The documents of a scope up to which its vectors are in no index; the trigger of the table has the same number."""
# Older vectors of a scope that became large which one write adds to the index.
_INDEXED_AT_ONCE = 50
# The index stops filtering after `hnsw.max_scan_tuples`, whose default this is.
_SCANNED_AT_MOST = 20_000
_KNOWN_SECONDS = 60.0
# A wording may have several pieces among the nearest.
_ROWS_A_RESULT = 1.25

_ALL: LiteralString = """
    SELECT document, MAX(1 - (vector::vector <=> %(query)s::vector)) AS cosine FROM vectors
    WHERE generation = %(generation)s AND scope = ANY(%(visible)s)
        AND (%(among)s::bigint[] IS NULL OR document = ANY(%(among)s::bigint[]))
        AND (%(hidden)s::bigint[] IS NULL OR document <> ALL(%(hidden)s::bigint[]))
        AND (%(all)s OR NOT indexed)
    GROUP BY document ORDER BY cosine DESC, document LIMIT %(limit)s
"""
_AMONG = sql.SQL("AND document = ANY(%(among)s::bigint[])")
_HIDDEN = sql.SQL("AND document <> ALL(%(hidden)s::bigint[])")
# The index is named by its expression and generation, so these are part of the statement.
_INDEXED = sql.SQL("""
    SELECT document, 1 - (vector::vector <=> %(query)s::vector) FROM (
        SELECT document, vector FROM vectors
        WHERE generation = {generation} AND indexed AND scope = ANY(%(visible)s) {among} {hidden}
        ORDER BY vector::halfvec({dimension}) <=> %(query)s::halfvec({dimension}) LIMIT %(rows)s
    ) AS near
""")

# In one statement: twenty questions need 3 ms for 1,000 vectors, and one statement for each 25.
_BEST = sql.SQL("SELECT {best} FROM vectors WHERE generation = %(generation)s AND scope = ANY(%(visible)s) {hidden}")


class IndexSize:
    """The approximate number of vectors of all tenants in the index of a generation, looked up once in a while."""

    def __init__(self) -> None:
        self._vectors: dict[int, float] = {}
        self._looked_up = -_KNOWN_SECONDS

    def vectors(self, connection: PostgresConnection, generation: int) -> float:
        """Return the number in the server's statistics; 1 if it has none."""
        now = monotonic()
        if now - self._looked_up >= _KNOWN_SECONDS:
            rows = connection.rows(
                "SELECT substring(relname FROM 14)::bigint, reltuples FROM pg_class"
                " WHERE relnamespace = 'remembrancer'::regnamespace AND starts_with(relname, 'vectors_near_')"
            )
            self._vectors, self._looked_up = dict(rows), now
        return max(self._vectors.get(generation, 1.0), 1.0)


class PostgresVectors(Vectors):
    """Vectors on a server."""

    _EMBEDDED: ClassVar[LiteralString] = """
        SELECT document, array_agg(vector::text) FROM vectors
        WHERE document > :after AND document < :end AND scope = :scope AND generation = :generation
            AND EXISTS (
                SELECT 1 FROM records
                WHERE records.document = vectors.document AND document > :after AND document < :end{cleared}
            )
        GROUP BY document ORDER BY document LIMIT :limit
    """

    def __init__(self, connection: ScopedConnection, *, size: IndexSize) -> None:
        super().__init__(connection)
        # Statements that name an index are composed, which only a connection of psycopg accepts.
        self._raw = cast(PostgresConnection, connection.raw)
        self._size = size

    def _nearest(self, query: Rows, generation: int, limit: int, among: DocumentNumbers | None, /) -> Nearest:
        hidden = self._connection.hidden.tolist()
        values: dict[str, object] = {
            "query": as_halfvec(query),
            "generation": generation,
            "visible": self._connection.visible,
            "among": None if among is None else as_array(among.tolist()),
            "hidden": as_array(hidden) if hidden else None,
            "limit": limit,
            "rows": round(limit * _ROWS_A_RESULT),
            "all": True,
        }
        existing = sum(size for _, size, _ in self._connection.sizes) - len(hidden)
        documents_in_scope = existing if among is None else min(len(among), existing)
        if documents_in_scope > SCORED_ONE_BY_ONE and self._is_dense(documents_in_scope, limit, generation):
            statement = _INDEXED.format(
                generation=sql.Literal(generation),
                dimension=sql.Literal(len(query)),
                among=sql.SQL("") if among is None else _AMONG,
                hidden=_HIDDEN if hidden else sql.SQL(""),
            )
            rows = self._raw.rows(statement, values, replan=True)
            # Those of small scopes that the caller sees as well, and of a scope that has just become large.
            rows += self._raw.rows(_ALL, {**values, "all": False}, replan=True)
            found = _best(rows, limit)
            if len(found.documents) == limit:
                return found
        return _best(self._raw.rows(_ALL, values, replan=True), limit)

    def _best_cosines(self, queries: Rows, generation: int) -> list[float]:
        if sum(size for _, size, _ in self._connection.sizes) > SCORED_ONE_BY_ONE:
            return super()._best_cosines(queries, generation)
        values: dict[str, object] = {f"query{place}": as_halfvec(query) for place, query in enumerate(queries)}
        best = [sql.SQL("MAX(1 - (vector <=> {}::halfvec))").format(sql.Placeholder(name)) for name in values]
        hidden = self._connection.hidden.tolist()
        values |= {"generation": generation, "visible": self._connection.visible, "hidden": as_array(hidden)}
        statement = _BEST.format(best=sql.SQL(", ").join(best), hidden=_HIDDEN if hidden else sql.SQL(""))
        return [
            cosine for row in self._raw.rows(statement, values, replan=True) for cosine in row if cosine is not None
        ]

    def _is_dense(self, documents_in_scope: int, limit: int, generation: int) -> bool:
        """Return True if enough of the index's vectors are eligible for it to find some before it stops."""
        return _SCANNED_AT_MOST * documents_in_scope >= 4 * limit * self._size.vectors(self._raw, generation)

    def _cosines(
        self, query: Rows, documents: DocumentNumbers, generation: int, /
    ) -> Mapping[int, tuple[float, float]]:
        rows = self._connection.rows(
            """
            SELECT document, MAX(cosine), AVG(cosine) FROM (
                SELECT document, 1 - (vector::vector <=> :query::vector) AS cosine FROM vectors
                WHERE document = ANY(:wanted::bigint[]) AND generation = :generation AND scope = ANY(:visible)
            ) AS pieces
            GROUP BY document
            """,
            {"query": as_halfvec(query), "wanted": documents, "generation": generation},
        )
        hidden = set(self._connection.hidden.tolist()) if not self._connection.caller.sees_all else set[int]()
        return {row[0]: (row[1], row[2]) for row in rows if row[0] not in hidden}

    def _add(self, pieces: Mapping[int, Rows], generation: int, /) -> set[int]:
        connection = self._connection
        connection.writable()
        rows = connection.rows(
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
        existing = sorted(row[0] for row in rows)
        values = {"generation": generation, "documents": existing}
        connection.run("DELETE FROM vectors WHERE document = ANY(:documents) AND generation = :generation", values)
        connection.run(
            """
            INSERT INTO vectors (scope, tenant, generation, document, vector)
            SELECT :scope, :tenant, :generation, document, piece::halfvec
            FROM unnest(:documents::bigint[], :pieces::text[]) WITH ORDINALITY AS pieces (document, piece, place)
            ORDER BY place
            """,
            {
                "generation": generation,
                "documents": [document for document in existing for _ in pieces[document]],
                "pieces": [as_halfvec(row) for document in existing for row in pieces[document]],
            },
        )
        # As an array: of a table that was empty when it was analysed, a join read each row for each of these.
        connection.run(
            """
            UPDATE vectors SET indexed = true WHERE scope = :scope AND sequence = ANY(ARRAY(
                SELECT sequence FROM vectors
                WHERE scope = :scope AND generation = :generation AND NOT indexed
                    AND EXISTS (SELECT 1 FROM scopes WHERE id = :scope AND documents > :few)
                LIMIT :most
            ))
            """,
            {"generation": generation, "few": SCORED_ONE_BY_ONE, "most": _INDEXED_AT_ONCE},
        )
        return set(existing)

    def _unpacked(self, rows: Sequence[Sequence[Any]], /) -> list[Embedded]:
        return [
            Embedded(document=row[0], passages=np.array([json.loads(piece) for piece in row[1]], dtype=np.float32))
            for row in rows
        ]


def _best(rows: list[Row], limit: int) -> Nearest:
    """Return the best cosine of each document, best first; ties by document."""
    best: dict[int, float] = {}
    for document, cosine in rows:
        best[document] = max(cosine, best.get(document, -2.0))
    order = sorted(best, key=lambda document: (-best[document], document))[:limit]
    return Nearest(
        documents=np.array(order, dtype=np.int64),
        cosines=np.array([best[document] for document in order], dtype=np.float32),
    )
