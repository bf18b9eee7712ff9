"""Deleting by a filter: the preview names what goes, exactly that goes, and one step restores all of it."""

from datetime import timedelta
from typing import Any

import pytest

from remembrancer import Filter, InvalidInput, Memory, NewMessage, NewObservation, NotFound, Scope
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.lifecycle import GRACE
from remembrancer.types.record import Record
from tests.engine import engine_of
from tests.finding import find
from tests.learning import ANA, Life

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]


async def listed(memory: Memory) -> dict[str, Record]:
    """The live memories of a scope by id."""
    return {one.id: one for one in (await memory.list(limit=1_000)).records}


@requirement("retaining.many")
async def test_what_the_preview_names_is_deleted_and_restored_in_one_step(life: Life) -> None:
    memory = life.memory
    wider = memory.within(Scope(tenant=ANA.tenant))
    await wider.save("shared by all", tags=["draft"])
    for number in range(60):
        await memory.save(
            NewObservation(
                text=f"note {number}",
                tags=["draft"] if number % 2 else ["kept"],
                author="ada" if number % 3 else "ben",
                source="import" if number % 5 else "user",
            )
        )
    await memory.messages.record_many([NewMessage(text=f"line {number}", session="s") for number in range(5)])
    before = await listed(memory)
    filters: list[tuple[dict[str, Any], set[str]]] = [
        (
            {"tags": ["draft"]},
            {id for id, one in before.items() if "draft" in one.tags and one.scope == memory.scope},
        ),
        ({"authors": ["ada", "eve"]}, {id for id, one in before.items() if one.author == "ada"}),
        (
            {"sources": ["import"], "tags": ["kept"]},
            {id for id, one in before.items() if one.source == "import" and "kept" in one.tags},
        ),
        ({"sessions": ["s"], "kinds": ["message"]}, {id for id, one in before.items() if one.text[:4] == "line"}),
    ]
    for filter, expected in filters:
        preview = await memory.observations.delete_many(Filter(**filter), dry_run=True)
        assert (preview.count, preview.derived, preview.on_hold, preview.deleted_at) == (len(expected), 0, 0, None), (
            filter
        )
        assert set(preview.ids) <= expected, filter
        assert len(preview.ids) == min(50, len(expected)), filter
        assert await listed(memory) == before, filter

        deleted = await memory.observations.delete_many(Filter(**filter))
        assert (deleted.count, deleted.ids) == (preview.count, preview.ids), filter
        assert set(await listed(memory)) == set(before) - expected, filter
        assert deleted.deleted_at is not None
        restored = await memory.observations.restore_many(deleted.deleted_at)
        assert (restored.count, restored.refused) == (len(expected), ()), filter
        after = await listed(memory)
        assert {id: one.text for id, one in after.items()} == {id: one.text for id, one in before.items()}, filter
        with pytest.raises(NotFound):
            await memory.observations.restore_many(deleted.deleted_at)
        before = after


@requirement("retaining.many")
async def test_each_deletion_is_restored_apart_from_others_of_the_same_moment(life: Life) -> None:
    memory = life.memory
    one, other, third = [(await memory.save(f"note {tag}", tags=[tag])).record.id for tag in ("a", "b", "c")]
    first = await memory.observations.delete_many(Filter(tags=["a"]))
    second = await memory.observations.delete_many(Filter(tags=["b"]))
    life.clock.move(timedelta(seconds=1))
    await memory.delete(third)
    assert first.deleted_at is not None
    assert second.deleted_at is not None
    assert first.deleted_at != second.deleted_at
    await memory.observations.restore_many(first.deleted_at)
    assert set(await listed(memory)) == {one}
    await memory.delete(one)
    with pytest.raises(NotFound):
        await memory.observations.restore_many(first.deleted_at)
    await memory.observations.restore_many(second.deleted_at)
    assert set(await listed(memory)) == {other}
    assert await find(memory, third) is None


@requirement("retaining.many")
async def test_what_a_legal_hold_is_on_is_counted_and_kept(life: Life) -> None:
    memory = _governing(life)
    kept = (await memory.save("the contract", session="case", tags=["draft"])).record.id
    gone = (await memory.save("a draft", session="s", tags=["draft"])).record.id
    await memory.governance.holds.place("case 7", reason="a claim was filed", session="case")
    for dry in (True, False):
        found = await memory.observations.delete_many(Filter(tags=["draft"]), dry_run=dry)
        assert (found.count, found.ids, found.on_hold) == (1, (gone,), 1)
    assert set(await listed(memory)) == {kept}


@requirement("retaining.many")
async def test_what_has_its_place_taken_stays_deleted_and_is_named(life: Life) -> None:
    memory = life.memory
    taken = (await memory.save("no meetings on Fridays", topic_key="fridays", tags=["old"])).record.id
    free = (await memory.save("prefers tea", tags=["old"])).record.id
    deleted = await memory.observations.delete_many(Filter(tags=["old"]))
    other = (await memory.save("meetings on Fridays", topic_key="fridays")).record.id
    assert deleted.deleted_at is not None
    restored = await memory.observations.restore_many(deleted.deleted_at)
    assert (restored.count, restored.refused) == (1, (taken,))
    assert set(await listed(memory)) == {free, other}
    await memory.delete(other)
    assert (await memory.observations.restore_many(deleted.deleted_at)).count == 1
    assert set(await listed(memory)) == {free, taken}


@requirement("retaining.many")
async def test_a_filter_is_needed_and_thirty_days_are_the_end(life: Life) -> None:
    memory = life.memory
    await memory.save("note", tags=["old"])
    with pytest.raises(InvalidInput, match="condition of the filter"):
        await memory.observations.delete_many(Filter())
    with pytest.raises(InvalidInput, match="source"):
        await memory.observations.delete_many(Filter(sources=["nowhere"]))
    nothing = await memory.observations.delete_many(Filter(tags=["new"]))
    assert (nothing.count, nothing.deleted_at) == (0, None)
    deleted = await memory.observations.delete_many(Filter(tags=["old"]))
    assert deleted.deleted_at is not None
    life.clock.move(GRACE + timedelta(days=1))
    restored = await memory.observations.restore_many(deleted.deleted_at)
    assert (restored.count, len(restored.refused)) == (0, 1)


@requirement("retaining.many")
async def test_a_summary_goes_with_what_it_quotes_and_comes_back_with_it(life: Life) -> None:
    memory = life.memory
    await memory.sessions.start("s")
    for text in ("Decided: we ship on Friday.", "The release is named Larch."):
        await memory.record(NewMessage(text=text, session="s", tags=["talk"]))
    await memory.sessions.end("s")
    before = {one.text for one in (await listed(memory)).values()}
    preview = await memory.observations.delete_many(Filter(tags=["talk"]), dry_run=True)
    deleted = await memory.observations.delete_many(Filter(tags=["talk"]))
    left = (await listed(memory)).values()
    assert (deleted.derived, deleted.count) == (preview.derived, 2)
    assert [one for one in left if "Friday" in one.text] == []
    assert deleted.deleted_at is not None
    await memory.observations.restore_many(deleted.deleted_at)
    assert {one.text for one in (await listed(memory)).values()} == before


@requirement("retaining.many")
async def test_the_audit_log_tells_of_both_steps(life: Life) -> None:
    memory = _governing(life)
    for number in range(3):
        await memory.save(f"note {number}", tags=["old"])
    deleted = await memory.observations.delete_many(Filter(tags=["old"]))
    assert deleted.deleted_at is not None
    await memory.observations.restore_many(deleted.deleted_at)
    told = [
        (one.action, one.count) for one in (await memory.governance.audit.list(limit=20)) if one.kind == "observation"
    ]
    assert [one for one in told if one[0] in ("deleted", "restored")] == [("restored", 3), ("deleted", 3)]


def _governing(life: Life) -> Memory:
    rules = Dependencies(clock=life.clock, ids=life.ids, sign=life.store.sign)
    home = Scope(tenant=ANA.tenant)
    return engine_of(life.store, rules, home, caller=Caller(scope=home)).memory
