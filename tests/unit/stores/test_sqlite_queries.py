"""The statements that run often keep their index: the very ones that the store sends, planned by SQLite."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from remembrancer.storage.base import Store
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.feedback import FeedbackWeight
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from tests.factories import (
    DAY,
    HOME,
    SPACE,
    START,
    directions,
    embed,
    message,
    observation,
    put,
    session,
)
from tests.rows import each_row

pytestmark = pytest.mark.anyio
Asking = Callable[[Tx], Awaitable[object]]
QUERY = directions(1)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A store, and each statement that it sends with its values."""

    store: Store
    path: Path
    sent: list[tuple[str, Any]]

    async def plans(self, ask: Asking, *, writing: bool = False) -> list[str]:
        """How SQLite goes about what a question makes the store send."""
        caller = Caller(scope=HOME)
        async with self.store.begin(caller) if writing else self.store.snapshot(caller) as tx:
            self.sent.clear()
            await ask(tx)
            sent = list(self.sent)
        connection: Any = apsw.Connection(str(self.path))
        steps = [
            row[3] for sql, values in sent for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
        ]
        connection.close()
        return steps


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncGenerator[Watched, None]:
    sent: list[tuple[str, Any]] = []

    def trace(_cursor: object, sql: str, values: Any) -> bool:
        sent.append((sql, values))
        return True

    def watch(connection: Any) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(watch)
    try:
        path = tmp_path / "m.db"
        async with SQLiteStore.open(path) as store:
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.sessions.put(session("s"))
            documents = await put(store, message("m"), observation("o"))
            await embed(store, HOME, documents[:1], directions(1))
            yield Watched(store=store, path=path, sent=sent)
    finally:
        apsw.connection_hooks.remove(watch)


# Each question with the search that it must lead to.
HOT: dict[str, tuple[Asking, str]] = {
    "a record": (lambda tx: tx.records.find("o"), "SEARCH records USING INDEX sqlite_autoindex_records_2 (id=?)"),
    "records of a scope": (
        lambda tx: tx.records.list(Filter(), limit=20, cursor=None),
        "SEARCH records USING INDEX records_by_",
    ),
    "without a vector": (
        lambda tx: tx.vectors.missing(generation=1, limit=64),
        "SEARCH records USING INDEX records_unembedded (scope=? AND document>? AND document<?)",
    ),
    "a topic": (lambda tx: tx.observations.by_topic("t"), "SEARCH records USING INDEX records_by_topic"),
    "a hash": (lambda tx: tx.observations.by_hash("h"), "SEARCH records USING INDEX records_by_hash"),
    "messages by number": (lambda tx: tx.messages.by_number("s", 1, 2), "SEARCH records USING INDEX records_by_number"),
    "what was around": (
        lambda tx: tx.records.around(message("m"), before=2, after=2, statuses=(Status.ACTIVE,)),
        "SEARCH records USING INDEX records_by_session (scope=? AND session=?",
    ),
    "headers": (
        lambda tx: tx.documents.headers([1, 2]),
        "SEARCH records USING INDEX sqlite_autoindex_records_1 (document=?)",
    ),
    "records of wordings": (
        lambda tx: tx.documents.records([1, 2]),
        "SEARCH records USING INDEX sqlite_autoindex_records_1 (document=?)",
    ),
    "dependants": (lambda tx: tx.records.dependents("m"), "SEARCH evidence USING COVERING INDEX evidence_by_source"),
    "dependants elsewhere": (
        lambda tx: tx.records.cross_scope_dependents("m"),
        "SEARCH evidence USING INDEX evidence_by_source",
    ),
    "what changed": (
        lambda tx: tx.versions.between(known_from=START, known_to=START + DAY),
        "SEARCH records USING INDEX records_by_change (scope=? AND updated_at>?)",
    ),
    "past versions": (
        lambda tx: tx.versions.past(Filter(), at=START),
        "SEARCH versions USING INDEX versions_by_time (scope=? AND until>?)",
    ),
    "postings": (
        lambda tx: tx.text_index.postings([(1, "quartz")]),
        "SEARCH postings USING PRIMARY KEY (scope=? AND term=?)",
    ),
    "frequencies": (
        lambda tx: tx.text_index.frequencies(["quartz"]),
        "SEARCH postings USING PRIMARY KEY (scope=? AND term=?)",
    ),
    "new vectors": (
        lambda tx: tx.vectors.nearest(QUERY, generation=1, limit=2, among=None),
        "SEARCH vectors USING INDEX vectors_coded (scope=? AND generation=? AND sequence>?)",
    ),
    "missing vectors": (
        lambda tx: tx.vectors.missing(generation=1, limit=2),
        "SEARCH vectors USING COVERING INDEX vectors_by_document (document=? AND generation=?)",
    ),
    "stale sessions": (
        lambda tx: tx.sessions.stale(before=START),
        "SEARCH sessions USING INDEX sessions_by_activity (scope=? AND status=? AND last_activity_at<?)",
    ),
    "a key": (lambda tx: tx.keys.find("k"), "SEARCH idempotency_keys USING PRIMARY KEY (scope=? AND key=?)"),
    "what was spent": (
        lambda tx: tx.calls.spent(since=START, until=START + DAY),
        "SEARCH calls USING INDEX calls_by_time (scope=? AND started_at>? AND started_at<?)",
    ),
    "what calls were for": (
        lambda tx: tx.calls.totals(since=START, until=START + DAY),
        "SEARCH calls USING INDEX calls_by_time (scope=? AND started_at>? AND started_at<?)",
    ),
    "the latest calls": (
        lambda tx: tx.calls.list(limit=3),
        "SEARCH calls USING INDEX calls_by_time (scope=?)",
    ),
    "the audit log": (lambda tx: tx.audit.count(), "SEARCH audit USING COVERING INDEX audit_by_subject (subject=?)"),
}


@each_row("ask, search", HOT)
async def test_a_hot_question_is_answered_by_its_index(watched: Watched, ask: Asking, search: str) -> None:
    assert (await watched.store.serving_generation(SPACE)).number == 1
    steps = await watched.plans(ask)
    assert [step for step in steps if step.startswith(search)], steps
    tables = (
        "records",
        "versions",
        "evidence",
        "postings",
        "document_terms",
        "vectors",
        "sessions",
        "idempotency_keys",
        "calls",
        "audit",
    )
    assert [step for step in steps if step.split()[0] == "SCAN" and step.split()[1] in tables] == []


async def test_what_is_written_by_id_is_found_by_id(watched: Watched) -> None:
    await put(watched.store, observation("one"), observation("two"))

    async def write(tx: Tx) -> None:
        score = await tx.scores.find("one")
        assert score is not None
        await tx.scores.put([score, replace(score, id="two")])
        await tx.weights.set(FeedbackWeight(record="one", weight=0.5))

    steps = await watched.plans(write, writing=True)
    assert [step for step in steps if "records" in step] == [
        "SEARCH records USING INDEX sqlite_autoindex_records_2 (id=?)"
    ] * 4


async def test_the_plan_is_the_same_where_there_is_much(watched: Watched) -> None:
    await put(watched.store, *(observation(f"o{index}", at=START + index * DAY) for index in range(500)))
    few = np.arange(50).tolist()
    steps = await watched.plans(lambda tx: tx.documents.headers(few))
    assert "SEARCH records USING INDEX sqlite_autoindex_records_1 (document=?)" in steps
