"""A memory that is valid until a moment: read until then, and afterwards only where the past is asked for."""

from datetime import datetime, timedelta

import pytest

from remembrancer import Changes, Filter, InvalidInput, Memory, NewObservation, Scope
from remembrancer.types.lifecycle import Status
from tests.learning import ANA, DAY, HOUR, Life

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
QUESTION = "When is the car in the workshop?"


async def read(memory: Memory, *, as_of: datetime | None = None) -> tuple[bool, ...]:
    """Whether recall, lists, the context and what is found by a filter have the memory of the car."""
    hits = (await memory.recall(QUESTION, as_of=as_of)).hits
    listed = (await memory.list(as_of=as_of)).records
    filtered = (await memory.list(Filter(tags=["car"]), as_of=as_of)).records
    context = await memory.context(question=QUESTION, as_of=as_of)
    texts = [any("workshop" in one.text for one in found) for found in ([hit.record for hit in hits], listed, filtered)]
    return (*texts, "workshop" in context.text)


@requirement("saving.valid-until")
async def test_a_memory_is_in_no_read_from_the_moment_until_which_it_is_valid(life: Life) -> None:
    memory, ends = life.memory, life.clock.now() + DAY
    saved = await memory.save(
        NewObservation(text="The car is in the workshop until Tuesday", tags=["car"], valid_until=ends)
    )
    await memory.save("The bicycle stands in the cellar")
    assert saved.record.valid_until == ends
    life.clock.move(DAY - timedelta(microseconds=1))
    assert await read(memory) == (True,) * 4
    before = life.clock.now()
    life.clock.move(timedelta(microseconds=1))
    assert await read(memory) == (False,) * 4
    assert await read(memory, as_of=before) == (True,) * 4
    assert await read(memory, as_of=ends) == (False,) * 4

    versions = await memory.timeline.history(saved.id)
    assert [(one.record.status, one.since, one.until) for one in versions] == [
        (Status.ACTIVE, saved.record.updated_at, ends),
        (Status.ARCHIVED, ends, None),
    ]
    assert (await memory.get(saved.id)).text == saved.record.text
    assert [one.id for one in (await memory.list(Filter(statuses=["archived"]))).records] == [saved.id]


@requirement("saving.valid-until")
async def test_its_end_counts_from_the_moment_also_where_nobody_read_for_long(life: Life) -> None:
    memory, ends = life.memory, life.clock.now() + DAY
    saved = await memory.save(
        NewObservation(text="The car is in the workshop until Tuesday", tags=["car"], valid_until=ends)
    )
    life.clock.move(30 * DAY)
    assert await read(memory, as_of=ends + DAY) == (False,) * 4
    assert await read(memory, as_of=ends - HOUR) == (True,) * 4
    assert (await memory.get(saved.id)).updated_at == ends


@requirement("saving.valid-until")
async def test_wider_scopes_and_writes_know_the_end_too(life: Life) -> None:
    wider, ends = life.memory.within(Scope(tenant=ANA.tenant)), life.clock.now() + DAY
    text = "The car is in the workshop until Tuesday"
    first = await wider.save(NewObservation(text=text, tags=["car"], valid_until=ends))
    own = await life.memory.save(NewObservation(text=text, tags=["car"], valid_until=ends + DAY))
    assert await read(life.memory) == (True,) * 4
    life.clock.move(DAY)
    assert [one.id for one in (await life.memory.list()).records] == [own.id]
    life.clock.move(DAY)
    assert await read(life.memory) == (False,) * 4
    # Said again it is valid again, and until another moment, if one is named.
    again = await wider.save(text)
    assert (again.id, again.record.valid_until, again.record.status) == (first.id, None, Status.ACTIVE)
    later = await life.memory.save(NewObservation(text=text, valid_until=life.clock.now() + DAY))
    assert (later.id, later.record.valid_until) == (own.id, life.clock.now() + DAY)
    life.clock.move(2 * DAY)
    assert [one.id for one in (await life.memory.list()).records] == [first.id]
    restored = await life.memory.restore(own.id)
    assert (restored.status, await read(life.memory)) == (Status.ACTIVE, (True,) * 4)


@requirement("saving.valid-until")
async def test_the_end_is_moved_by_an_edit_and_stays_where_nothing_is_said_of_it(life: Life) -> None:
    memory, now = life.memory, life.clock.now()
    saved = await memory.save(NewObservation(text="The car is in the workshop", topic_key="car", valid_until=now + DAY))
    kept = await memory.save("The car is in the workshop of Ana", topic_key="car")
    assert (kept.id, kept.outcome.value, kept.record.valid_until) == (saved.id, "updated", now + DAY)
    moved = await memory.edit(saved.id, Changes(valid_until=now + 3 * DAY))
    assert (moved.outcome.value, moved.record.valid_until, moved.record.text) == (
        "updated", now + 3 * DAY, kept.record.text,
    )  # fmt: skip
    assert (await memory.edit(saved.id, Changes(valid_until=now + 3 * DAY))).record.revision == moved.record.revision
    life.clock.move(2 * DAY)
    assert len((await memory.list()).records) == 1
    life.clock.move(DAY)
    assert not (await memory.list()).records


@requirement("saving.valid-until")
async def test_an_end_without_its_zone_or_that_is_over_is_refused(life: Life) -> None:
    now = life.clock.now()
    for wrong in (now.replace(tzinfo=None) + DAY, now, now - DAY):
        with pytest.raises(InvalidInput, match="valid_until"):
            await life.memory.save(NewObservation(text="The car is in the workshop", valid_until=wrong))
    assert not (await life.memory.list()).records


@requirement("saving.valid-until")
async def test_what_is_saved_again_after_its_end_is_valid_again_where_nobody_read_between(life: Life) -> None:
    memory, ends = life.memory, life.clock.now() + DAY
    first = await memory.save(NewObservation(text="The car is in the workshop", tags=["car"], valid_until=ends))
    life.clock.move(2 * DAY)
    again = await memory.save("The car is in the workshop", tags=["car"])
    assert (again.id, again.record.valid_until, again.record.status) == (first.id, None, Status.ACTIVE)
    assert await read(memory) == (True,) * 4
    versions = await memory.timeline.history(first.id)
    assert (Status.ARCHIVED, ends) in [(one.record.status, one.since) for one in versions]


@requirement("saving.valid-until")
async def test_all_scopes_of_a_tenant_are_listed_without_what_has_ended_in_one_of_them(life: Life) -> None:
    tenant = life.memory.within(Scope(tenant=ANA.tenant))
    await life.memory.save(NewObservation(text="The car is in the workshop", valid_until=life.clock.now() + DAY))
    kept = await life.memory.save("The bicycle stands in the cellar")
    life.clock.move(2 * DAY)
    assert [one.id for one in (await tenant.list(all_scopes=True)).records] == [kept.id]
