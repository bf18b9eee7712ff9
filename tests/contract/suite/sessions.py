"""The contract of a store: sessions, idempotency keys, the audit log, injections and imported conversations."""

from dataclasses import replace

import pytest

from remembrancer.errors import RemembrancerError
from remembrancer.storage.base import Store
from remembrancer.types.access import Caller
from remembrancer.types.archive import Tombstone
from remembrancer.types.results import IdempotentWrite, Outcome
from remembrancer.types.scope import Scope
from remembrancer.types.session import SessionStatus
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    HOME,
    HOUSE,
    OUTSIDERS,
    RIVAL,
    START,
    STRANGER,
    TEAM,
    entry,
    injection,
    message,
    put,
    reading,
    session,
)
from tests.rows import every_row


class SessionsContract(Contract):
    async def test_an_idempotency_key_is_remembered_in_its_own_scope(self, store: Store) -> None:
        first = IdempotentWrite(key="k", request="r1", outcome=Outcome.CREATED, record="a")
        second = IdempotentWrite(key="k", request="r2", outcome=Outcome.UPDATED, record="b")
        for scope, remembered in ((HOME, first), (TEAM, second)):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.keys.add(remembered, at=START)
        found: list[IdempotentWrite | None] = []
        for scope in (HOME, TEAM, STRANGER):
            async with store.snapshot(Caller(scope=scope)) as tx:
                found.append(await tx.keys.find("k"))
        assert found == [first, second, None]
        with pytest.raises(RemembrancerError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.keys.add(second, at=START)

    async def test_audit_entries_are_counted_for_the_exact_scope(self, store: Store) -> None:
        for scope, entries in ((HOME, [entry("a"), entry("b")]), (STRANGER, [entry()]), (RIVAL, [entry("a")])):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.audit.add(entries)
        counted: dict[Scope, int] = {}
        for scope in (HOME, HOUSE, STRANGER, RIVAL, Scope(tenant="nobody")):
            async with store.snapshot(Caller(scope=scope)) as tx:
                counted[scope] = await tx.audit.count()
        assert counted == {HOME: 2, HOUSE: 0, STRANGER: 1, RIVAL: 1, Scope(tenant="nobody"): 0}

    async def test_each_audit_row_names_the_hash_of_the_one_before_it(self, store: Store) -> None:
        for scope in (HOME, RIVAL, STRANGER, HOME):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.audit.add([entry("a"), entry(None)])
        rows = await self.rows(store, "SELECT tenant, previous, hash FROM audit ORDER BY sequence")
        for tenant, count in (("acme", 6), ("rival", 2)):
            chain = [(previous, hash) for row, previous, hash in rows if row == tenant]
            hashes = [hash for _, hash in chain]
            assert len(set(hashes)) == count
            assert [previous for previous, _ in chain] == ["0" * 64, *hashes[:-1]]

    async def test_the_audit_log_names_only_the_tenant_in_clear(self, store: Store) -> None:
        scope = Scope(tenant="acme", project="projectname", agent="agentname", user="username")
        async with store.begin(Caller(scope=scope)) as tx:
            await tx.audit.add([entry("recordname")])
        async with store.begin(Caller(scope=replace(scope, user=None))) as tx:
            await tx.audit.add([entry("recordname")])
        rows = await self.rows(store, "SELECT * FROM audit")
        marks = await self.rows(store, "SELECT subject, record FROM audit")
        assert not [name for name in ("projectname", "agentname", "username", "recordname") if name in str(rows)]
        # The same record under another scope's key reads otherwise: entries cannot be joined across subjects.
        assert len({mark for row in marks for mark in row}) == 4

    async def test_a_session_reads_back_as_stored(self, store: Store) -> None:
        first = replace(session("s"), named=False, record=False)
        ended = replace(
            first,
            status=SessionStatus.COMPLETED,
            last_activity_at=START + DAY,
            ended_at=START + DAY,
            record=True,
        )
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(first)
            assert await tx.sessions.find("s") == first
            assert await tx.sessions.unnamed() == first
            assert await tx.sessions.reserve_numbers("s", 3, tokens=30) == 1
            assert await tx.sessions.reserve_numbers("s", 1, tokens=5) == 4
            # The count is the store's own: putting a session cannot take numbers back.
            await tx.sessions.put(replace(ended, messages=1))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.sessions.find("s") == replace(ended, messages=4, tokens=35)
            assert await tx.sessions.unnamed() is None

    async def test_a_scope_has_one_active_unnamed_session(self, store: Store) -> None:
        first, second = (replace(session(id), named=False) for id in "ab")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.sessions.put(session("named"))
            assert await tx.sessions.unnamed() is None
            await tx.sessions.put(first)
        with pytest.raises(RemembrancerError):
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.sessions.put(second)
        async with store.begin(Caller(scope=STRANGER)) as tx:
            await tx.sessions.put(replace(second, scope=STRANGER))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.sessions.unnamed() == first

    async def test_the_current_session_is_the_active_one_used_last_or_else_the_one_used_last(
        self, store: Store
    ) -> None:
        over = [
            replace(session(id, at=START + days * DAY), status=SessionStatus.COMPLETED, ended_at=START)
            for id, days in (("a", 1), ("b", 3), ("c", 2))
        ]
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.sessions.current() is None
            for one in over:
                await tx.sessions.put(one)
            assert await tx.sessions.current() == over[1]
            await tx.sessions.put(session("open"))
            assert await tx.sessions.current() == session("open")
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.sessions.current() is None

    async def test_sessions_are_listed_latest_active_first(self, store: Store) -> None:
        active = {"b": 2, "a": 2, "old": 0, "new": 5}
        async with store.begin(Caller(scope=HOME)) as tx:
            for id, days in active.items():
                await tx.sessions.put(session(id, at=START + days * DAY))
            await tx.sessions.put(replace(session("over"), status=SessionStatus.COMPLETED, ended_at=START))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            listed = await tx.sessions.list(limit=3)
            stale = await tx.sessions.stale(before=START + 2 * DAY)
            none = await tx.sessions.stale(before=START)
            current = await tx.sessions.current()
        assert current == session("new", at=START + 5 * DAY)
        assert listed == [session(id, at=START + active[id] * DAY) for id in ("new", "a", "b")]
        assert stale == [session("old")]
        assert none == []

    async def test_injections_are_listed_by_session(self, store: Store) -> None:
        first, later = injection("b", "a"), injection("c", at=START + DAY, shown=False)
        elsewhere = injection("d", session="other")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.injections.add([first, later, elsewhere])
            await tx.injections.add([first])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.injections.list("s", limit=9) == [later, first]
            assert await tx.injections.list("s", limit=2) == [later, replace(first, records=("b",))]
            assert await tx.injections.list("other", limit=9) == [elsewhere]
        async with store.snapshot(Caller(scope=STRANGER)) as tx:
            assert await tx.injections.list("s", limit=9) == []

    async def test_erasing_a_record_removes_it_from_injections(self, store: Store) -> None:
        await put(store, message("m"), message("n", number=2))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.injections.add([injection("m", "n")])
            await tx.records.erase("m")
            assert [one.records for one in await tx.injections.list("s", limit=9)] == [("n",)]

    async def test_a_reading_is_found_by_each_of_its_fingerprints(self, store: Store) -> None:
        one, other = reading("a", place="p", digest="d"), reading("b", place="q", digest="e")
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.imports.put(one)
            await tx.imports.put(other)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.imports.find(sources=["p"]) == [one]
            assert await tx.imports.find(sources=["p"], digests=["d", "e"]) == [one, other]
            assert await tx.imports.find(first_messages=["hello"]) == [one, other]
            assert await tx.imports.find(sessions=["b", "c"]) == [other]
            assert await tx.imports.find(sources=["nowhere"], digests=[""], first_messages=[""]) == []

    async def test_readings_of_one_session_have_one_number_of_messages(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.imports.put(reading("a", place="p", messages=3))
            await tx.imports.put(reading("b", place="p", messages=4))
            await tx.imports.put(reading("a", place="q", digest="more", messages=5))
            found = await tx.imports.find(sources=["p", "q"])
        assert [(one.session, one.source, one.digest, one.messages, one.from_others) for one in found] == [
            ("a", "p", "all of it", 5, 2),
            ("a", "q", "more", 5, 0),
            ("b", "p", "all of it", 4, 0),
        ]

    async def test_imports_and_erasures_of_another_scope_read_as_absent(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.imports.put(reading())
            await tx.imports.add_tombstone(Tombstone(mark="m"))
            await tx.imports.add_tombstone(Tombstone(mark="m"))
            assert await tx.imports.tombstones(["m", "n"]) == {"m"}
        anything = {"sources": ["here"], "digests": ["all of it"], "first_messages": ["hello"], "sessions": ["s"]}
        with every_row() as row:
            for name, outsider in OUTSIDERS.items():
                with row(name):
                    async with store.snapshot(Caller(scope=outsider)) as tx:
                        assert await tx.imports.find(**anything) == []
                        assert await tx.imports.tombstones(["m"]) == set()
