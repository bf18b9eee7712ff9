"""Whose memory it is: what is shared is read, what is foreign is absent."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import product

import pytest

from remembrancer import InvalidInput, Memory, NotAllowed, NotFound, Outcome, Scope

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
        lambda: memory.delete(id, erase=True),
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

    assert await memory.find(id) is None
    assert await holding(memory, "heron") == set()
    assert len((await memory.list(limit=1000, statuses=["active", "soft-deleted"])).records) == 1
    assert len((await memory.timeline.between(limit=1000)).records) == 1
    assert len((await memory.timeline.diff(heron.recorded_at - DAY, heron.recorded_at)).learnt) == 1
    assert (await memory.upkeep.stats()).records == {"message/active": 1}
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
        assert {id for id in made.values() if await memory.find(id)} == expected


@requirement("scope.shared-is-read-only")
async def test_what_a_wider_scope_shares_is_read_and_not_changed(world: World) -> None:
    shared = (await world.of(PROJECT).save("The heron nests")).record
    assert await world.memory.get(shared.id) == shared

    for write in writes(world.memory, shared.id):
        with pytest.raises(NotAllowed):
            await write()
    assert await world.of(PROJECT).get(shared.id) == shared


@requirement("scope.key-is-per-scope")
@pytest.mark.parametrize("other", [BOB, PROJECT, TENANT, STRANGER], ids=str)
async def test_equal_texts_and_keys_of_two_scopes_never_meet(world: World, other: Scope) -> None:
    theirs = world.of(other)
    for memory in (world.memory, theirs):
        assert (await memory.save("It is red")).outcome is Outcome.CREATED
        assert (await memory.save("It is blue", topic_key="door")).outcome is Outcome.CREATED
        assert (await memory.save("It is green", key="k1")).outcome is Outcome.CREATED
        assert (await memory.record("hello", session="talk")).record.number == 1

    await theirs.save("It is black", topic_key="door")
    records = (await world.memory.list()).records
    assert [record.text for record in records if record.scope == ALICE and "black" in record.text] == []


@requirement("scope.key-is-per-scope", "recall.counts-reading")
async def test_reading_a_shared_memory_is_counted_and_a_foreign_one_is_not(world: World) -> None:
    shared = (await world.of(PROJECT).save("The heron nests")).record
    bobs = (await world.of(BOB).save("The heron sleeps")).record
    await world.memory.recall("heron")
    await world.memory.upkeep.flush()

    assert (await world.of(PROJECT).get(shared.id)).usage_count == 1
    assert (await world.of(BOB).get(bobs.id)).usage_count == 0


@requirement("scope.list-filters")
async def test_pages_of_a_list_hold_everything_once_newest_first(world: World) -> None:
    start = world.clock.now()
    made = [
        (await world.memory.save(f"claim {place}", occurred_at=start - (place // 3) * SECOND)).record.id
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
    await memory.record("d", tags=["x", "y"], session="s")
    page = await memory.list(kinds=["observation"], types=["decision"], tags=["x", "y"], sessions=["s"])

    assert page.records == (replace(both, hash=""),)


@requirement("scope.list-filters")
async def test_a_list_of_a_type_that_is_none_is_refused_and_one_of_summaries_is_not(world: World) -> None:
    with pytest.raises(InvalidInput, match=r"no observation type 'opinion'; allowed are profile, .*, summary"):
        await world.memory.list(types=["opinion"])
    assert (await world.memory.list(types=["summary"])).records == ()


@requirement("scope.list-filters")
@pytest.mark.parametrize("scope", [{"tenant": ""}, {"user": " "}, {"agent": "a\n"}, {"project": "p" * 201}], ids=str)
def test_a_scope_with_a_name_that_is_none_is_refused(scope: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        Scope(**scope)


@requirement("scope.foreign-reads-absent")
async def test_a_scope_without_a_tenant_does_not_leave_the_tenant_in_silence(world: World) -> None:
    with pytest.raises(InvalidInput, match=r"Scope\(tenant='acme', …\)"):
        world.of(ALICE).within(Scope(user="bob"))
