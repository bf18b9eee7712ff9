"""The audit log as an operator reads it: who did and who was told what, and whether anything in it was touched."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, closing
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

import apsw
import pytest

from remembrancer import AuditFilter, Memory, NewObservation, NotAllowed, Scope, StoreUnavailable, open_memory
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.audit import Checkpoint
from tests.rows import every_row

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
ANA = Scope(agent="mail", user="ana")


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener()


@requirement("audit.reads")
async def test_it_says_who_was_told_of_which_memories_and_by_which_method(memory: Memory) -> None:
    ana = memory.within(ANA, actor="Bob")
    saved = [(await ana.save(text)).record.id for text in ("Ana likes tea", "Ana likes tea with milk")]
    for told in (
        await ana.get(saved[0]),
        await ana.recall("What does Ana like?", abstain=False),
        await ana.list(),
        await ana.context(question="Which tea?"),
        await ana.evidence(saved[1]),
    ):
        assert saved[1] in repr(told) or saved[0] in repr(told)
    rows = await memory.governance.audit.list(AuditFilter(action="read"))
    assert [(row.kind, row.actor, row.scope, row.origin) for row in reversed(rows)] == [
        (name, "Bob", ANA, "library") for name in ("get", "recall", "list", "context", "evidence")
    ]
    assert [row.record or set(row.records) for row in rows[-3:]] == [set(saved), set(saved), saved[0]]
    assert "Ana likes" not in repr(rows)
    # Who reads the log is told of memories, too.
    told = [row.kind for row in await memory.governance.audit.list(AuditFilter(memory=saved[0]))]
    assert told == ["governance.audit.list", "context", "list", "recall", "get", "observation"]


@requirement("audit.reads")
async def test_what_a_write_tells_its_author_is_no_read(memory: Memory) -> None:
    saved = await memory.save("Ana likes tea")
    await memory.edit(saved.record.id, tags=["tea"])
    await memory.delete(saved.record.id)
    await memory.list()
    assert [row.action for row in await memory.governance.audit.list()] == ["deleted", "updated", "created"]


@requirement("audit.reads")
async def test_reads_are_left_out_where_that_is_set(opener: Opener) -> None:
    memory = await opener(audit_reads=False)
    await memory.save("Ana likes tea")
    await memory.list()
    assert [row.action for row in await memory.governance.audit.list()] == ["created"]


@requirement("audit.reads")
async def test_reads_that_cannot_be_logged_stop_no_other_tenant(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = memory.within(Scope(tenant="far"))
    for one in (far, memory):
        await one.save("Ana likes tea")
    audit_reads = WriteTransaction.audit_reads

    def away(self: WriteTransaction, entries: Any) -> None:
        if self.tx.caller.scope.tenant == "far":
            raise StoreUnavailable("the database cannot be reached")
        audit_reads(self, entries)

    with monkeypatch.context() as patched:
        patched.setattr(WriteTransaction, "audit_reads", away)
        for one in (far, memory):
            assert (await one.recall("What does Ana like?")).hits
        assert [row.action for row in await memory.governance.audit.list()] == ["read", "created"]
        assert (await memory.list()).records[0].usage_count == 1
        await memory.governance.erasure.erase(tenant="local", reason="asked")
        with pytest.raises(StoreUnavailable):
            await far.governance.audit.list()
    assert [row.action for row in await far.governance.audit.list()] == ["read", "created"]


@requirement("audit.reads")
async def test_reads_of_one_whose_names_are_never_stored_are_logged_and_stop_nothing(memory: Memory) -> None:
    await memory.save("Ana likes tea")
    for scope, actor in ((Scope(user="<private>Ana</private>"), ""), (ANA, "<private>Ana</private>")):
        assert (await memory.within(scope, actor=actor).recall("What does Ana like?")).hits
    assert [(row.action, row.actor) for row in await memory.governance.audit.list()] == [
        ("read", ""),
        ("read", ""),
        ("created", ""),
    ]


@requirement("erasing.gone")
async def test_reads_before_an_erasure_do_not_bring_the_scope_back(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db") as memory, opened(tmp_path / "m.db") as other:
        await memory.within(ANA).save("Ana likes tea")
        there = other.within(ANA)
        assert (await there.recall("What does Ana like?")).hits
        assert (await there.context("talk", question="What does Ana like?")).text
        await memory.governance.erasure.erase(user="ana", reason="asked for")
        await other.admin.flush()
        assert ANA not in await memory.admin.scopes()
        assert (await memory.governance.audit.list())[0].action == "erased"


@requirement("erasing.gone")
async def test_an_erasure_while_reads_are_written_is_not_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path / "m.db") as memory, opened(tmp_path / "m.db") as other:
        await memory.within(ANA).save("Ana likes tea")
        there, visible_scopes = other.within(ANA), SQLiteStore.visible_scopes
        assert (await there.recall("What does Ana like?")).hits
        assert (await there.context("talk", question="What does Ana like?")).text

        async def erased_meanwhile(self: SQLiteStore, scope: Scope) -> list[Scope]:
            found = await visible_scopes(self, scope)
            monkeypatch.setattr(SQLiteStore, "visible_scopes", visible_scopes)
            await memory.governance.erasure.erase(user="ana", reason="asked for")
            return found

        monkeypatch.setattr(SQLiteStore, "visible_scopes", erased_meanwhile)
        await other.admin.flush()
        assert ANA not in await memory.admin.scopes()
        assert (await memory.governance.audit.list())[0].action == "erased"


@requirement("audit.listed")
async def test_entries_of_reads_are_left_out_of_a_list(memory: Memory) -> None:
    saved = await memory.save("Ana likes tea")
    for _ in range(3):
        await memory.get(saved.record.id)
    assert len(await memory.governance.audit.list()) > 1
    (row,) = await memory.governance.audit.list(AuditFilter(without_reads=True))
    assert row.action == "created"


@requirement("audit.listed")
async def test_it_is_listed_for_a_scope_and_what_is_under_it_by_what_is_asked(memory: Memory) -> None:
    ana, bob = memory.within(ANA), memory.within(Scope(agent="mail", user="bob"), actor="Bob")
    one = (await ana.save("Ana likes tea")).record.id
    await bob.save("Bob likes coffee")
    await bob.governance.classify((await bob.save("Bob is ill")).record.id, "confidential", reason="he asked for it")
    assert len(await memory.governance.audit.list()) == 4
    assert {row.scope for row in await ana.governance.audit.list()} == {ANA}
    assert [row.record for row in await ana.governance.audit.list(AuditFilter(memory=one))] == [one]
    assert len(await memory.governance.audit.list(AuditFilter(actor="Bob"))) == 3
    (classified,) = await memory.governance.audit.list(AuditFilter(action="classified"))
    assert (classified.reason, classified.actor) == ("he asked for it", "Bob")
    latest, *others = await memory.governance.audit.list()
    assert await memory.governance.audit.list(AuditFilter(before=latest.sequence)) == others
    assert await memory.governance.audit.list(limit=1) == [latest]
    assert await memory.governance.audit.list(AuditFilter(until=others[-1].at), limit=1) == [others[-1]]
    assert await memory.governance.audit.list(AuditFilter(kind="observation", origin="mcp")) == []


@requirement("audit.listed", "clearance.absent")
async def test_it_names_no_memory_to_whom_some_are_closed(memory: Memory) -> None:
    saved = (await memory.save(NewObservation(text="Ana is ill", classification="restricted"))).record.id
    below = memory.within(memory.scope, clearance="internal")
    assert saved not in repr(await below.governance.audit.list())
    with pytest.raises(NotAllowed, match="clearance"):
        await below.governance.audit.list(AuditFilter(memory=saved))


@requirement("audit.listed")
async def test_only_an_operator_reads_it(memory: Memory) -> None:
    key = await memory.admin.keys.create("agent")
    agent = memory.authenticator.memory_of(await memory.authenticator.authenticate(key.token, origin="library"))
    for ask in (agent.governance.audit.list, agent.governance.audit.verify, agent.governance.audit.checkpoint):
        with pytest.raises(NotAllowed, match="'operate'"):
            await ask()


def opened(path: Path) -> AbstractAsyncContextManager[Memory]:
    return open_memory(path, embedder="none", background=False)


def beside(path: Path, *statements: str) -> None:
    """Change a file as somebody may who can write it."""
    with closing(apsw.Connection(str(path))) as connection:
        loosely: Any = connection
        for (name,) in list(loosely.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
            loosely.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            loosely.execute(statement)


COPIED = "tenant, at, origin, actor, action, kind, subject, record, count, previous, hash, sealed"
TAMPERED: list[Callable[[int], str]] = [
    lambda row: f"UPDATE audit SET action = 'updated' WHERE sequence = {row}",
    lambda row: f"UPDATE audit SET actor = 'somebody' WHERE sequence = {row}",
    lambda row: f"UPDATE audit SET at = at + 1 WHERE sequence = {row}",
    lambda row: f"UPDATE audit SET count = count + 1 WHERE sequence = {row}",
    lambda row: f"UPDATE audit SET sealed = zeroblob(40) WHERE sequence = {row}",
    lambda row: f"DELETE FROM audit WHERE sequence = {row}",
    lambda row: f"INSERT INTO audit ({COPIED}) SELECT {COPIED} FROM audit WHERE sequence = {row}",
    lambda row: (
        f"UPDATE audit SET sequence = -1 WHERE sequence = {row};"
        f"UPDATE audit SET sequence = {row} WHERE sequence = {row % 6 + 1};"
        f"UPDATE audit SET sequence = {row % 6 + 1} WHERE sequence = -1"
    ),
]


@requirement("audit.verified")
@pytest.mark.parametrize("touched", TAMPERED)
async def test_each_entry_that_is_touched_is_found(tmp_path: Path, touched: Callable[[int], str]) -> None:
    path, whole = tmp_path / "m.db", tmp_path / "whole.db"
    async with opened(path) as memory:
        for number in range(6):
            await memory.save(f"note {number}")
        held = await memory.governance.audit.checkpoint()
        assert (await memory.governance.audit.verify(held)).sound
    copyfile(path, whole)
    with every_row() as row:
        for entry in range(1, 7):
            copyfile(whole, path)
            beside(path, touched(entry))
            async with opened(path) as memory:
                with row(touched(entry)):
                    found = await memory.governance.audit.verify(held)
                    assert not found.sound
                    assert found.against or found.broken


@requirement("audit.verified")
async def test_an_end_that_was_cut_off_is_found_against_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with opened(path) as memory:
        for number in range(6):
            await memory.save(f"note {number}")
        held = await memory.governance.audit.checkpoint()
        await memory.save("what came later is no fault")
        assert (await memory.governance.audit.verify(held)).sound
    beside(path, "DELETE FROM audit WHERE sequence > 4", "DELETE FROM counters WHERE name = 'audit'")
    async with opened(path) as memory:
        assert (await memory.governance.audit.verify()).sound
        found = await memory.governance.audit.verify(held)
        assert found.against == "entry 6 is missing, which was the last one then"


@requirement("audit.verified")
async def test_all_that_was_cut_off_is_counted_whoever_it_was_of(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with opened(path) as memory:
        for number in range(6):
            await memory.within(Scope(user=("ana", "ben", None)[number % 3])).save(f"note {number}")
    beside(path, "DELETE FROM audit WHERE sequence > 2")
    async with opened(path) as memory:
        assert (await memory.governance.audit.verify()).lost == 4


@requirement("audit.verified")
async def test_a_checkpoint_that_was_changed_is_none(memory: Memory) -> None:
    await memory.save("Ana likes tea")
    held = await memory.governance.audit.checkpoint()
    await memory.save("Ana likes coffee")
    later = await memory.governance.audit.checkpoint()

    async def said_of(changed: Checkpoint) -> str:
        return (await memory.governance.audit.verify(changed)).against

    assert await said_of(held) == ""
    assert "was changed" in await said_of(replace(held, count=2))
    assert "was changed" in await said_of(replace(held, signature=later.signature))
    assert "was changed" in await said_of(replace(held, signature="no hex"))
    assert "key of another store" in await said_of(replace(held, key="00" * 32))
    assert "tenant" in await said_of(replace(held, tenant="globex"))
