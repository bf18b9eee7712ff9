"""The statements that run often keep their index: the very ones that the store sends, planned by the server."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, LiteralString

import anyio
import anyio.to_thread
import numpy as np
import psycopg
import pytest
from psycopg import sql

from remembrancer.storage.postgres import vectors as near
from remembrancer.storage.postgres.connection import READ, PostgresConnection, Raw, Row
from remembrancer.storage.postgres.store import PostgresStore
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.scope import Scope
from tests.databases import SECRET, Database, fresh
from tests.factories import (
    DAY,
    HOME,
    RIVAL,
    SPACE,
    START,
    STRANGER,
    TEAM,
    directions,
    message,
)
from tests.rows import each_row

pytestmark = pytest.mark.anyio
Asking = Callable[[Tx], Awaitable[object]]
CROWD = Scope(tenant="crowd")
# Records of each scope, and how many of them have vectors: `RIVAL` has one in a hundred of those.
SIZES = {HOME: (6_000, 4_000), STRANGER: (2_000, 1_000), TEAM: (500, 500), CROWD: (11_000, 2_420), RIVAL: (500, 80)}
NUMBERS = {scope: number for number, scope in enumerate(SIZES, 1)}
SUBJECTS = 40
NEAREST = 20
QUERY = directions(1)[0]
SHARD = NUMBERS[HOME] << 32
CONTENT = (
    "records",
    "versions",
    "evidence",
    "postings",
    "document_terms",
    "vectors",
    "sessions",
    "idempotency_keys",
    "audit",
)

SEED: dict[str, LiteralString] = {
    "scopes": """
        INSERT INTO scopes OVERRIDING SYSTEM VALUE
        VALUES (%(scope)s, %(tenant)s, %(project)s, %(agent)s, %(user)s, %(size)s, %(size)s, 99, '')
    """,
    "sessions": """
        INSERT INTO sessions (
            scope, tenant, id, status, named, record, messages, erased, started_at, last_activity_at
        )
        SELECT %(scope)s, %(tenant)s, 's' || i, CASE WHEN i %% 50 = 0 THEN 'active' ELSE 'completed' END, true, true,
            99, 0, %(at)s, %(at)s + i * interval '1 day'
        FROM generate_series(0, 999) AS i
    """,
    "records": """
        INSERT INTO records OVERRIDING SYSTEM VALUE
        SELECT i + 100000 * %(scope)s, %(scope)s, %(tenant)s, 'r' || %(scope)s || '.' || i, kind, 's' || i %% 50,
            repeat('words ', 20), 'hash ' || i, '', 'tool', '{}', '{}', %(at)s + i * interval '1 minute', %(at)s,
            %(at)s + i * interval '1 minute', 1, 1, 'active', 'internal', 'trusted', 0.5, false, 0, NULL,
            (%(scope)s::bigint << 32) + i, CASE WHEN i <= %(size)s - 20 THEN 1 END,
            CASE kind WHEN 'message' THEN i / 50 END, CASE kind WHEN 'message' THEN 'user' END, '', 9,
            CASE kind WHEN 'observation' THEN 'discovery' END, CASE kind WHEN 'observation' THEN 'title' END,
            CASE WHEN i %% 10 = 1 THEN 'topic ' || i END
        FROM generate_series(1, %(size)s) AS i,
            LATERAL (SELECT CASE WHEN i %% 2 = 0 THEN 'message' ELSE 'observation' END) AS kinds (kind)
    """,
    "versions": """
        INSERT INTO versions
        SELECT scope, tenant, id, 1, occurred_at - interval '1 day', updated_at, session, text, hash, tags, metadata, 1,
            status, classification, trust, importance, type, title
        FROM records WHERE scope = %(scope)s AND "row" %% 4 = 0
    """,
    "evidence": """
        INSERT INTO evidence
        SELECT scope, tenant, id, lag(id) OVER (ORDER BY "row") FROM records WHERE scope = %(scope)s OFFSET 1
    """,
    "keys": """
        INSERT INTO idempotency_keys
        SELECT scope, tenant, 'k' || id, 'r', 'created', id, %(at)s FROM records WHERE scope = %(scope)s
    """,
    "wordings": """
        INSERT INTO document_terms SELECT document, scope, tenant, 20, 'words' FROM records WHERE scope = %(scope)s
    """,
    "postings": """
        INSERT INTO postings
        SELECT %(scope)s, %(tenant)s, 'term' || i, block, 10, repeat('x', 50)::bytea
        FROM generate_series(1, %(size)s / 3) AS i, generate_series(0, i %% 4) AS block
    """,
    "audit": """
        INSERT INTO audit OVERRIDING SYSTEM VALUE
        SELECT "row", tenant, %(at)s, 'library', '', 'created', kind, 'subject ' || scope, id, 1, '', ''
        FROM records WHERE scope = %(scope)s
    """,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A statement that the store sent."""

    statement: Any
    values: Any
    replan: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A store, and what it sends."""

    store: PostgresStore
    url: str
    sent: list[Sent]

    async def plans(self, ask: Asking, *, scope: Scope = HOME) -> list[str]:
        """How the server goes about what a question makes the store send: by its values, and whatever they are."""
        async with self.store.snapshot(Caller(scope=scope)) as tx:
            self.sent.clear()
            await ask(tx)
            sent = list(self.sent)
        return await anyio.to_thread.run_sync(_explained, self.url, scope.tenant, sent)


def _explained(url: str, tenant: str | None, sent: Sequence[Sent]) -> list[str]:
    with Raw.connect(url, autocommit=True) as raw:
        PostgresConnection(raw).begin(READ, tenant=tenant, timeout=30)
        found = [_steps(raw, item) for item in sent]
        raw.execute("SET LOCAL plan_cache_mode = force_generic_plan")
        return found + [_steps_of_any(raw, item) for item in sent if not item.replan]


def _steps(raw: Raw, item: Sent) -> str:
    return _text(raw.execute(f"EXPLAIN {_words(item)}".encode(), item.values).fetchall())


def _steps_of_any(raw: Raw, item: Sent) -> str:
    """The plan that a prepared statement keeps, which does not hang on its values."""
    raw.execute("DEALLOCATE ALL")
    raw.execute(item.statement, item.values, prepare=True)
    kept = raw.execute("SELECT name, cardinality(parameter_types) FROM pg_prepared_statements").fetchall()
    name, count = kept[0]
    values = f"({', '.join(['NULL'] * count)})" if count else ""
    execute = sql.SQL("EXPLAIN EXECUTE {}").format(sql.Identifier(name)) + sql.SQL(values)  # pyright: ignore[reportArgumentType]
    steps = _text(raw.execute(execute).fetchall())
    raw.execute("DEALLOCATE ALL")
    return steps


def _text(rows: list[Row]) -> str:
    return "\n".join(row[0] for row in rows)


@pytest.fixture(scope="module")
def large(postgres_admin_url: str) -> Iterator[Database]:
    """A database with much in it, of which the server knows what there is."""
    with fresh(postgres_admin_url) as database:
        anyio.run(_start_generation, database.serving_url)
        with Raw.connect(database.admin_url, autocommit=True) as admin:
            _fill(admin)
        yield database


async def _start_generation(url: str) -> None:
    async with PostgresStore.open(url, secret=SECRET) as store:
        assert (await store.serving_generation(SPACE)).number == 1


def _fill(admin: Raw) -> None:
    admin.execute("SET search_path TO remembrancer, remembrancer_ops, public")
    admin.execute("SET session_replication_role = replica")
    defined = admin.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'vectors_near_1'").fetchall()[0][0]
    # Built once over all rows, which takes a fraction of the time.
    admin.execute("DROP INDEX vectors_near_1")
    for scope, (size, embedded) in SIZES.items():
        named = {"tenant": scope.tenant, "project": scope.project, "agent": scope.agent, "user": scope.user}
        values = {**named, "scope": NUMBERS[scope], "size": size, "embedded": embedded, "at": START}
        for statement in SEED.values():
            admin.execute(statement, values)
    with admin.cursor().copy("COPY vectors (scope, tenant, generation, document, vector) FROM STDIN") as copy:
        for scope, rows in vectors().items():
            for ordinal, row in enumerate(rows, 1):
                place = (NUMBERS[scope], scope.tenant, 1, (NUMBERS[scope] << 32) + ordinal)
                copy.write_row((*place, f"[{','.join(f'{value:.5g}' for value in row.tolist())}]"))
    admin.execute("UPDATE vectors SET indexed = true")
    admin.execute(defined)
    admin.execute("VACUUM ANALYZE")


def vectors() -> dict[Scope, Any]:
    """Unit vectors of each scope around common subjects, the same in every call."""
    subjects, chance = directions(SUBJECTS, seed=7), np.random.default_rng(8)
    found: dict[Scope, Any] = {}
    for scope, (_, count) in SIZES.items():
        rows = subjects[chance.integers(0, SUBJECTS, size=count)] + 0.6 * directions(count, seed=NUMBERS[scope] + 20)
        found[scope] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


@pytest.fixture
async def watched(large: Database, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Watched, None]:
    sent: list[Sent] = []
    rows = PostgresConnection.rows

    def noted(self: PostgresConnection, statement: Any, values: Any = (), **options: Any) -> list[Row]:
        sent.append(Sent(statement=statement, values=values, replan=bool(options.get("replan"))))
        return rows(self, statement, values, **options)

    monkeypatch.setattr(PostgresConnection, "rows", noted)
    async with PostgresStore.open(large.serving_url, secret=SECRET) as store:
        yield Watched(store=store, url=large.serving_url, sent=sent)


def some(count: int) -> list[int]:
    return [SHARD + 1 + step * 7 for step in range(count)]


# Each question with the index that it must lead to.
HOT: dict[str, tuple[Asking, str]] = {
    "a record": (lambda tx: tx.records.find("r1.7"), "records_id_key"),
    "records of a scope": (lambda tx: tx.records.list(Filter(), limit=20, cursor=None), "records_by_time"),
    "the newest wordings": (lambda tx: tx.documents.matching(Filter(), limit=100), "records_by_"),
    "wordings of a stretch": (
        lambda tx: tx.documents.matching(Filter(since=START + DAY, until=START + DAY + DAY / 20)),
        "records_by_time",
    ),
    "a topic": (lambda tx: tx.observations.by_topic("topic 11"), "records_by_topic"),
    "a hash": (lambda tx: tx.observations.by_hash("hash 5"), "records_by_hash"),
    "messages by number": (lambda tx: tx.messages.by_number("s2", 1, 20), "records_by_number"),
    "messages beside": (lambda tx: tx.documents.messages_at([("s2", 3), ("s4", 5)]), "records_by_number"),
    "what was around": (
        lambda tx: tx.records.around(
            replace(message("r1.8"), session="s8"), before=2, after=2, statuses=(Status.ACTIVE,)
        ),
        "records_by_session",
    ),
    "headers": (lambda tx: tx.documents.headers(some(300)), "records_document_key"),
    "records of wordings": (lambda tx: tx.documents.records(some(20)), "records_document_key"),
    "dependants": (lambda tx: tx.records.dependents("r1.7"), "evidence_by_source"),
    "dependants elsewhere": (lambda tx: tx.records.cross_scope_dependents("r1.7"), "evidence_by_source"),
    "postings": (lambda tx: tx.text_index.postings([(1, "term7"), (1, "term9")]), "postings_pkey"),
    "frequencies": (lambda tx: tx.text_index.frequencies(["term7", "term9", "term11"]), "postings_pkey"),
    "near wordings of many": (
        lambda tx: tx.vectors.nearest(QUERY, generation=1, limit=20, among=None),
        "vectors_near_1|vectors_by_scope",
    ),
    "cosines": (
        lambda tx: tx.vectors.cosines(QUERY, np.array(some(100)), generation=1),
        "vectors_by_document",
    ),
    "stale sessions": (lambda tx: tx.sessions.stale(before=START + DAY), "sessions_by_activity|sessions_active"),
    "a session": (lambda tx: tx.sessions.find("s7"), "sessions_pkey"),
    "a key": (lambda tx: tx.keys.find("kr1.7"), "keys_pkey"),
    "the audit log": (lambda tx: tx.audit.count(), "audit_by_subject"),
}


@each_row("ask, index", HOT)
async def test_a_hot_question_is_answered_by_its_index(watched: Watched, ask: Asking, index: str) -> None:
    plans = await watched.plans(ask)
    assert plans
    # The keys of a scope are looked up in passing, and how many vectors there are.
    assert [plan for plan in plans if not re.search(f"{index}|scopes|pg_class", plan)] == []
    read = [f"Seq Scan on {table}" for table in CONTENT]
    assert [plan for plan in plans if any(step in plan for step in read)] == []


async def test_records_without_a_vector_are_found_without_a_join_of_those_that_have_one(watched: Watched) -> None:
    plans = await watched.plans(lambda tx: tx.vectors.missing(generation=1, limit=64))
    read = [plan for plan in plans if "records" in plan]
    assert read
    assert [plan for plan in read if "records_unembedded" not in plan or "Anti Join" in plan] == []


async def test_near_wordings_of_few_are_scored_one_by_one(watched: Watched) -> None:
    plans = await watched.plans(lambda tx: tx.vectors.nearest(QUERY, generation=1, limit=20, among=None), scope=RIVAL)
    assert all("vectors_by_scope" in plan or "vectors" not in plan for plan in plans), plans


async def test_nearly_all_of_the_true_nearest_are_found_through_the_index(watched: Watched) -> None:
    rows = vectors()
    documents, seen = numbered(rows, HOME, TEAM)
    queries = seen[::150] + 0.3 * directions(len(seen[::150]), seed=9)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    best = documents[np.argsort(-(queries @ seen.T), axis=1)[:, :NEAREST]]
    async with watched.store.snapshot(Caller(scope=HOME)) as tx:
        found = [
            (await tx.vectors.nearest(query, generation=1, limit=NEAREST, among=None)).documents for query in queries
        ]
    hits = [len(set(ours.tolist()) & set(true.tolist())) for ours, true in zip(found, best, strict=True)]
    assert {len(ours) for ours in found} == {NEAREST}
    assert sum(hits) >= 0.95 * NEAREST * len(queries)


async def test_the_index_of_vectors_may_be_dropped_for_a_large_import_and_built_afterwards(
    watched: Watched, large: Database
) -> None:
    async def nearest() -> list[int]:
        async with watched.store.snapshot(Caller(scope=HOME)) as tx:
            return (await tx.vectors.nearest(QUERY, generation=1, limit=NEAREST, among=None)).documents.tolist()

    with psycopg.connect(large.admin_url, autocommit=True) as owner:
        owner.execute("DROP INDEX remembrancer.vectors_near_1")
        exact = await nearest()
        owner.execute(
            "SELECT remembrancer_ops.create_vector_index(number, dimension) FROM remembrancer_ops.generations"
        )
    assert len(exact) == NEAREST
    assert len(set(exact) & set(await nearest())) >= 0.9 * NEAREST


@pytest.mark.parametrize("through_index", [False, True], ids=["as it is", "through the index"])
async def test_a_tenant_with_one_vector_in_a_hundred_finds_all_it_asks_for(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, through_index: bool
) -> None:
    if through_index:
        # The index gives the nearest of all tenants, of which few pass: it must go on until enough have.
        monkeypatch.setattr(near, "SCORED_ONE_BY_ONE", 0)
        monkeypatch.setattr(PostgresConnection, "begin", _begun_for_the_index)
    documents, rows = numbered(vectors(), RIVAL)
    best = documents[np.argsort(-(rows @ QUERY))[:NEAREST]].tolist()
    async with watched.store.snapshot(Caller(scope=RIVAL)) as tx:
        watched.sent.clear()
        found = await tx.vectors.nearest(QUERY, generation=1, limit=NEAREST, among=None)
    assert sum("AS near" in _words(item) for item in watched.sent) == through_index
    # Beside the index, what is in no index.
    assert len([item for item in watched.sent if "FROM vectors" in _words(item)]) == 1 + through_index
    assert len(found.documents) == NEAREST
    assert len(set(found.documents.tolist()) & set(best)) >= 0.8 * NEAREST


_begin = PostgresConnection.begin


def _begun_for_the_index(self: PostgresConnection, mode: LiteralString, *, tenant: str | None, timeout: float) -> None:
    _begin(self, mode, tenant=tenant, timeout=timeout)
    for other in ("seqscan", "bitmapscan", "sort"):
        self.run(sql.SQL("SET LOCAL enable_{} = off").format(sql.SQL(other)))  # pyright: ignore[reportArgumentType]


def _words(item: Sent) -> str:
    return item.statement if isinstance(item.statement, str) else item.statement.as_string(None)


def numbered(rows: dict[Scope, Any], *scopes: Scope) -> tuple[Any, Any]:
    """Document numbers, and the vectors that go with them."""
    documents = [(NUMBERS[scope] << 32) + 1 + np.arange(len(rows[scope])) for scope in scopes]
    return np.concatenate(documents), np.concatenate([rows[scope] for scope in scopes])


async def test_what_is_due_is_found_by_its_indexes(large: Database) -> None:
    plan = await anyio.to_thread.run_sync(_due, large.admin_url)
    assert "records_unembedded" in plan
    assert "sessions_active" in plan


def _due(url: str) -> str:
    """How the body of `due` is planned in the role that it runs as, where little is due."""
    with psycopg.connect(url) as admin:
        admin.execute("SET search_path TO remembrancer, remembrancer_ops")
        body = admin.execute("SELECT prosrc FROM pg_proc WHERE proname = 'due'").fetchall()[0][0]
        admin.execute("SET ROLE remembrancer_sweeping")
        for name, value in (
            ("stale_before", "timestamptz '2026-01-02'"),
            ("chunk_tokens", "1000000"),
            ("by_scope", "false"),
            ("log_tokens", "1000000"),
            ("fresh_tokens", "1000000"),
            ("night <>", "'' <>"),
            ("= night", "= ''"),
        ):
            body = body.replace(name, value)
        statement = "EXPLAIN " + body
        return _text(admin.execute(statement.encode()).fetchall())
