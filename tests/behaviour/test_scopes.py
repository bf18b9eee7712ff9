"""Whose memory it is: what is shared is read, what is foreign is absent."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from itertools import product

import pytest

from remembrancer import (
    AuditFilter,
    Filter,
    InvalidInput,
    Memory,
    NewMessage,
    NewObservation,
    NotAllowed,
    NotFound,
    Scope,
)
from remembrancer.types.access import Right
from remembrancer.types.results import Outcome
from tests.finding import find

from .requirements import requirement
from .world import ALICE, BOB, DAY, PROJECT, SECOND, STRANGER, TENANT, World, holding

pytestmark = pytest.mark.anyio

SCOPES = [
    Scope(tenant=tenant, project=project, agent=agent, user=user)
    for tenant, project, agent, user in product(("acme", "globex"), (None, "apollo"), (None, "scout"), (None, "alice"))
]


def writes(memory: Memory, id: str) -> list[Callable[[], Awaitable[object]]]:
    """Everything that would change a memory."""
    return [
        lambda: memory.edit(id, title="Mine now"),
        lambda: memory.delete(id),
        lambda: memory.governance.erasure.erase(memories=[id], reason="a test"),
        lambda: memory.restore(id),
    ]


@requirement("scope.foreign-reads-absent")
async def test_a_memory_of_another_scope_is_absent_in_every_call(world: World) -> None:
    foreign = world.of(STRANGER)
    heron = (await foreign.record("The heron nests", session="talk")).record
    await world.memory.record("Nothing of note", session="talk")
    memory, id = world.memory, heron.id
    reads: list[Callable[[], Awaitable[object]]] = [
        lambda: memory.get(id),
        lambda: memory.get(id, as_of=heron.recorded_at),
        lambda: memory.timeline.around(id),
        lambda: memory.explain("heron", id),
        lambda: memory.save("It rests on it", evidence=[id]),
        *writes(memory, id),
    ]
    for read in reads:
        with pytest.raises(NotFound) as absent:
            await read()
        with pytest.raises(NotFound) as never:
            await memory.get("no-such-id")
        assert str(absent.value).replace(id, "") == str(never.value).replace("no-such-id", "")

    assert await find(memory, id) is None
    assert await holding(memory, "heron") == set()
    assert len((await memory.list(Filter(statuses=["active", "soft-deleted"]), limit=1000)).records) == 1
    assert len((await memory.timeline.between(limit=1000)).records) == 1
    assert len((await memory.timeline.diff(heron.recorded_at - DAY, heron.recorded_at)).learnt) == 1
    assert (await memory.admin.stats()).records == {"message/active": 1}
    assert [session.messages for session in await memory.sessions.list()] == [1]
    assert await foreign.get(id) == heron


@requirement("scope.blank-is-shared")
async def test_each_scope_sees_just_what_equals_it_or_is_blank(wordy: World) -> None:
    made = {scope: (await wordy.of(scope).save("heron")).record.id for scope in SCOPES}

    for reader in SCOPES:
        expected = {
            id
            for row, id in made.items()
            if row.tenant == reader.tenant
            and row.project in (None, reader.project)
            and row.agent in (None, reader.agent)
            and row.user in (None, reader.user)
        }
        memory = wordy.of(reader)
        assert {record.id for record in (await memory.list(limit=100)).records} == expected
        assert await holding(memory, "heron") == expected
        assert {id for id in made.values() if await find(memory, id)} == expected


@requirement("scope.shared-is-read-only")
async def test_what_a_wider_scope_shares_is_read_and_not_changed(world: World) -> None:
    shared = (await world.of(PROJECT).save("The heron nests")).record
    assert await world.memory.get(shared.id) == shared

    for write in writes(world.memory, shared.id):
        # An erasure is of the memories of exactly one scope; others read as absent.
        with pytest.raises((NotAllowed, NotFound)):
            await write()
    assert await world.of(PROJECT).get(shared.id) == shared


@requirement("scope.key-is-per-scope")
@pytest.mark.parametrize("other", [BOB, PROJECT, TENANT, STRANGER], ids=str)
async def test_equal_texts_and_keys_of_two_scopes_never_meet(world: World, other: Scope) -> None:
    theirs = world.of(other)
    for memory in (world.memory, theirs):
        assert (await memory.save("It is red")).outcome is Outcome.CREATED
        assert (await memory.save("It is blue", topic_key="door")).outcome is Outcome.CREATED
        assert (await memory.save(NewObservation(text="It is green", key="k1"))).outcome is Outcome.CREATED
        assert (await memory.record("hello", session="talk")).record.number == 1

    await theirs.save("It is black", topic_key="door")
    records = (await world.memory.list()).records
    assert [record.text for record in records if record.scope == ALICE and "black" in record.text] == []


@requirement("scope.key-is-per-scope", "recall.counts-reading")
async def test_reading_a_shared_memory_is_counted_and_a_foreign_one_is_not(world: World) -> None:
    shared = (await world.of(PROJECT).save("The heron nests")).record
    bobs = (await world.of(BOB).save("The heron sleeps")).record
    await world.memory.recall("heron")
    await world.memory.admin.flush()

    assert (await world.of(PROJECT).get(shared.id)).usage_count == 1
    assert (await world.of(BOB).get(bobs.id)).usage_count == 0


@requirement("scope.list-filters")
async def test_pages_of_a_list_hold_everything_once_newest_first(world: World) -> None:
    start = world.clock.now()
    made = [
        (
            await world.memory.save(NewObservation(text=f"claim {place}", occurred_at=start - (place // 3) * SECOND))
        ).record.id
        for place in range(11)
    ]
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await world.memory.list(limit=4, cursor=cursor)
        found += [record.id for record in page.records]
        cursor = page.cursor
        if cursor is None:
            break

    assert sorted(found) == sorted(made)
    order = {id: (place // 3, -place) for place, id in enumerate(made)}
    assert found == sorted(made, key=order.__getitem__)
    with pytest.raises(InvalidInput, match="cursor"):
        await world.memory.list(cursor="nonsense")


@requirement("scope.list-filters")
async def test_the_filters_of_a_list_must_all_hold(world: World) -> None:
    memory = world.memory
    await memory.save("a", tags=["x"], type="decision")
    both = (await memory.save("b", tags=["x", "y"], type="decision", session="s")).record
    await memory.save("c", tags=["y"], type="pattern", session="s")
    await memory.record(NewMessage(text="d", tags=["x", "y"], session="s"))
    page = await memory.list(Filter(kinds=["observation"], types=["decision"], tags=["x", "y"], sessions=["s"]))

    assert page.records == (replace(both, hash=""),)


@requirement("scope.list-filters")
async def test_a_list_of_a_type_that_is_none_is_refused_and_one_of_summaries_is_not(world: World) -> None:
    with pytest.raises(InvalidInput, match=r"unknown observation type 'opinion'; use one of profile, .*, summary"):
        await world.memory.list(Filter(types=["opinion"]))
    assert (await world.memory.list(Filter(types=["summary"]))).records == ()


@requirement("scope.list-filters")
@pytest.mark.parametrize("scope", [{"tenant": ""}, {"user": " "}, {"agent": "a\n"}, {"project": "p" * 201}], ids=str)
def test_a_scope_with_a_name_that_is_none_is_refused(scope: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        Scope(**scope)


@requirement("scope.foreign-reads-absent")
async def test_a_scope_without_a_tenant_does_not_leave_the_tenant_in_silence(world: World) -> None:
    with pytest.raises(InvalidInput, match=r"Scope\(tenant='acme', …\)"):
        world.of(ALICE).within(Scope(user="bob"))


@requirement("scope.whole-tenant")
async def test_an_operator_lists_all_scopes_of_a_tenant_by_every_filter(world: World) -> None:
    tenant, start = world.of(TENANT), world.clock.now()
    made: dict[str, Scope] = {}
    for place, scope in enumerate(SCOPES):
        saved = await world.of(scope).save(
            NewObservation(
                text=f"claim {place}", tags=[f"t{place % 2}"], author=f"a{place % 3}", occurred_at=start - place * DAY
            )
        )
        made[saved.record.id] = scope
        await world.of(scope).record("hello", session=f"s{place}")
    later = world.clock.now()
    own = {id: scope for id, scope in made.items() if TENANT.contains(scope)}

    page = await tenant.list(Filter(kinds=["observation"]), limit=3, all_scopes=True)
    found = list(page.records)
    while page.cursor:
        page = await tenant.list(Filter(kinds=["observation"]), limit=3, cursor=page.cursor, all_scopes=True)
        found += page.records
    assert {record.id: record.scope for record in found} == own
    assert [record.occurred_at for record in found] == sorted((one.occurred_at for one in found), reverse=True)
    assert {one.id: one.scope for one in page.compact}.items() <= own.items()

    places = {id: list(made).index(id) for id in own}
    filters: list[tuple[Filter, datetime | None, set[str]]] = [
        (Filter(tags=["t1"]), None, {id for id, place in places.items() if place % 2 == 1}),
        (Filter(authors=["a2"]), None, {id for id, place in places.items() if place % 3 == 2}),
        (
            Filter(since=start - 2 * DAY, kinds=["observation"]),
            None,
            {id for id, place in places.items() if place <= 2},
        ),
        (Filter(sources=["import"]), None, set()),
        (Filter(types=["discovery"]), later, set(own)),
    ]
    for filter, as_of, expected in filters:
        page = await tenant.list(filter, all_scopes=True, limit=100, as_of=as_of)
        assert {one.id for one in page.records} == expected
    sessions = await tenant.sessions.list(limit=100, all_scopes=True)
    assert {(one.id, one.scope) for one in sessions} == {
        (f"s{place}", scope) for place, scope in enumerate(SCOPES) if TENANT.contains(scope)
    }
    # A part of the tenant, by what is named of it; without being asked for, nothing changes.
    alice = Scope(tenant="acme", user="alice")
    of_alice = (await world.of(alice).list(Filter(kinds=["observation"]), limit=100, all_scopes=True)).records
    assert {one.id for one in of_alice} == {id for id, scope in own.items() if scope.user == "alice"}
    assert {one.scope for one in (await tenant.list(limit=100)).records} == {TENANT}
    assert {one.scope for one in await tenant.sessions.list(limit=100)} == {TENANT}


@requirement("scope.whole-tenant", "audit.reads")
async def test_an_export_of_all_scopes_names_each_and_is_in_the_audit_log(world: World) -> None:
    made = {(await world.of(scope).save(f"of {scope}")).record.id: scope for scope in SCOPES}
    own = {id: scope for id, scope in made.items() if TENANT.contains(scope)}
    tenant = world.of(TENANT)
    texts = {form: "".join([piece async for piece in tenant.governance.archives.export(form=form, all_scopes=True)])
             for form in ("jsonl", "jsonld", "csv", "markdown")}  # fmt: skip
    rows = [json.loads(line) for line in texts["jsonl"].splitlines()]
    assert {row["id"]: Scope(**row["scope"]) for row in rows} == own
    for form, text in texts.items():
        assert [id for id in made if id in text] == list(own), form
        assert ("globex" in text, "scout" in text, "alice" in text) == (False, True, True), form
    assert "· tenant acme, project apollo, agent scout, user alice\n" in texts["markdown"]

    rows = await tenant.governance.audit.list(AuditFilter(action="read", kind="governance.archives.export"))
    assert {row.scope for row in rows} == {TENANT}
    assert {id for row in rows for id in row.records} == set(own)
    await tenant.list(all_scopes=True)
    (read,) = await tenant.governance.audit.list(AuditFilter(action="read", kind="list"))
    assert set(read.records) == set(own)


@requirement("scope.whole-tenant")
async def test_all_scopes_are_read_by_an_operator_of_the_whole_tenant_alone(world: World) -> None:
    await world.of(BOB).save("Bob likes tea")
    usual, operator = frozenset({Right.READ, Right.WRITE}), frozenset({Right.READ, Right.OPERATE})
    lacking = [
        (replace(world.memory.caller, scope=TENANT, rights=usual, wall=TENANT), "the right 'operate'"),
        *(
            (replace(world.memory.caller, scope=wall, rights=operator, wall=wall), "an access key of the tenant")
            for wall in (PROJECT, ALICE, Scope(tenant="acme", user="bob"))
        ),
    ]
    for caller, message in lacking:
        memory = Memory(world.memory._engine, caller)  # pyright: ignore[reportPrivateUsage] -- as a service opens it
        with pytest.raises(NotAllowed, match=message):
            await memory.list(all_scopes=True)
        with pytest.raises(NotAllowed, match=message):
            await memory.sessions.list(all_scopes=True)
        with pytest.raises(NotAllowed, match=message):
            await anext(memory.governance.archives.export(all_scopes=True))
    caller = replace(world.memory.caller, scope=TENANT, rights=operator, wall=TENANT)
    memory = Memory(world.memory._engine, caller)  # pyright: ignore[reportPrivateUsage] -- as a service opens it
    assert [one.text for one in (await memory.list(all_scopes=True)).records] == ["Bob likes tea"]
    low = memory.within(TENANT, clearance="public")
    assert (await low.list(all_scopes=True)).records == ()
