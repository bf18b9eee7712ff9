"""What an operation costs does not grow with what other tenants have; counted in statements, since times vary."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.scale import Plan, State, run
from remembrancer import Memory, NewMessage, NewObservation, Scope
from remembrancer.jobs.maintenance import aging
from remembrancer.storage.documents import Postings
from remembrancer.storage.postgres.connection import PostgresConnection
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.indexes import SQLiteTextIndex

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
OTHERS = 40
# A busy machine opens connections and refreshes what is cached during some calls: the fewest of some users count.
USERS = ("ana", "bo", "cleo")
AT_MOST_MORE = 20
OPERATIONS: Mapping[str, Callable[[Memory], Awaitable[Any]]] = {
    "save": lambda memory: memory.save("The heron stands at the mill."),
    "record": lambda memory: memory.record(NewMessage(text="The otter swims.", session="a session")),
    "recall": lambda memory: memory.recall("Where does the heron stand?"),
    "context": lambda memory: memory.context(question="Where does the heron stand?"),
    "brief": lambda memory: memory.context(mode="brief"),
    "list": lambda memory: memory.list(),
    "night": lambda memory: memory.admin.maintenance.run(),
}


@pytest.mark.both_stores
@requirement("growth.other-tenants")
async def test_an_operation_sends_no_statement_for_each_other_tenant(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[str] = []
    for kind in (SQLiteConnection, PostgresConnection):
        for name in ("rows", "run", "run_many"):
            monkeypatch.setattr(kind, name, _noting(getattr(kind, name), sent))
    memory = await opener(embedder="hash", background=False)

    async def costs(tenant: str) -> dict[str, int]:
        found = dict[str, list[int]]()
        for user in USERS:
            own = memory.within(Scope(tenant=tenant, user=user))
            await own.save("The badger sleeps.")
            for name, operation in OPERATIONS.items():
                found.setdefault(name, []).append(await _cost(own, operation, sent))
        return {name: min(counts) for name, counts in found.items()}

    await costs("warm")
    first = await costs("alone")
    for number in range(OTHERS):
        await memory.within(Scope(tenant=f"tenant-{number}")).save(f"Heron {number} stands at the weir.")
    beside = await costs("beside")
    assert {name: count for name, count in beside.items() if count > first[name] + AT_MOST_MORE} == {}


async def _cost(memory: Memory, operation: Callable[[Memory], Awaitable[Any]], sent: list[str]) -> int:
    """The statements of an operation, with those of what it reads: the log is waited for by who reads it."""
    await memory.governance.audit.list()
    sent.clear()
    await operation(memory)
    await memory.governance.audit.list()
    return len(sent)


def _noting(method: Callable[..., Any], sent: list[str]) -> Callable[..., Any]:
    def noted(self: Any, statement: Any, *arguments: Any, **named: Any) -> Any:
        sent.append(str(statement))
        return method(self, statement, *arguments, **named)

    return noted


@requirement("growth.night")
async def test_a_night_counts_each_name_once(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Counter[str]()
    frequencies, postings = SQLiteTextIndex.frequencies, SQLiteTextIndex.postings

    async def noted_frequencies(self: SQLiteTextIndex, terms: Sequence[str]) -> dict[tuple[int, str], int]:
        read.update(terms)
        return await frequencies(self, terms)

    async def noted_postings(
        self: SQLiteTextIndex, wanted: Sequence[tuple[int, str]]
    ) -> dict[tuple[int, str], Postings]:
        read.update(term for _, term in wanted)
        return await postings(self, wanted)

    monkeypatch.setattr(aging, "PAGE", 5)
    memory = await opener(embedder="none", background=False)
    await memory.save(NewObservation(text="Vera Kron is on sick leave.", classification="restricted"))
    for number in range(20):
        await memory.save(f"Dora Ross leads project {number}.")
    monkeypatch.setattr(SQLiteTextIndex, "frequencies", noted_frequencies)
    monkeypatch.setattr(SQLiteTextIndex, "postings", noted_postings)
    assert (await memory.admin.maintenance.run()).failures == ()
    assert read
    assert max(read.values()) == 1


@requirement("growth.measured")
def test_a_run_of_the_bench_of_scale_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    sizes = [60, 120]
    plan = Plan(store="sqlite", shape="one", sizes=sizes, tenants=1, chats="", runs=6, erased=20)
    first = run(replace(plan, sizes=sizes[:1]), tmp_path)
    second = run(plan, tmp_path)
    assert [line["memories"] for line in second.lines] == sizes
    assert second.lines[0] == first.lines[0]
    assert sum(second.filled.values()) == sizes[-1]
    assert all(line["of the exact ten"] >= 0.95 for line in second.lines)
    assert State.read(tmp_path / "sqlite-one-1.json") == second
