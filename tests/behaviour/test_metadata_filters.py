"""Finding by metadata: every name and value that is asked for is on a memory, and by every way of reading."""

from datetime import timedelta
from typing import Any

import pytest

from remembrancer import Filter, InvalidInput, Memory, NewObservation
from tests.learning import Life

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]

METADATA: list[dict[str, Any]] = [
    {"path": "src/über.py", "line": 7, "open": True},
    {"path": "src/über.py", "line": 7.0, "open": False},
    {"path": "src/über.py", "line": "7", "open": 1},
    {"path": ["src/über.py"], "deep": {"line": 7}},
    {"it's": 'a "quoted" name', "a.b": "$.path", "": "no name"},
    {},
]
ASKED: list[tuple[dict[str, Any], set[int]]] = [
    ({"path": "src/über.py"}, {0, 1, 2}),
    ({"line": 7}, {0, 1}),
    ({"line": "7"}, {2}),
    ({"line": True}, set()),
    ({"open": True}, {0}),
    ({"open": 1}, {2}),
    ({"path": "src/über.py", "open": False}, {1}),
    ({"path": "src/über.py", "open": "False"}, set()),
    ({"it's": 'a "quoted" name'}, {4}),
    ({"a.b": "$.path"}, {4}),
    ({"": "no name"}, {4}),
    ({"$.path": "src/über.py"}, set()),
    ({}, {0, 1, 2, 3, 4, 5}),
]


async def filled(memory: Memory) -> list[str]:
    saved = await memory.observations.save_many(
        [NewObservation(text=f"the pump of hall {at} hums", metadata=one) for at, one in enumerate(METADATA)]
    )
    return [one.record.id for one in saved]


@requirement("reading.metadata")
async def test_recall_and_list_give_what_has_all_of_the_metadata_asked_for(life: Life) -> None:
    memory = life.memory
    ids = await filled(memory)
    then = life.clock.now()
    for asked, places in ASKED:
        expected = {ids[place] for place in places}
        page = await memory.list(Filter(metadata=asked))
        assert {one.id for one in page.records} == expected, asked
        hits = (await memory.recall("which pump hums?", abstain=False, filter=Filter(metadata=asked))).hits
        assert {hit.record.id for hit in hits} == expected, asked
        past = await memory.list(Filter(metadata=asked), as_of=then)
        assert {one.id for one in past.records} == expected, asked
        preview = await memory.observations.delete_many(Filter(metadata=asked), dry_run=True) if asked else None
        assert preview is None or set(preview.ids) == expected, asked


@requirement("reading.metadata", "recording.one-form")
async def test_authors_and_metadata_that_read_alike_are_found_in_either_form(life: Life) -> None:
    memory = life.memory
    composed, decomposed = "Café", "Cafe\u0301"
    for place, name in enumerate((composed, decomposed)):
        await memory.save(
            NewObservation(text=f"the pump of hall {place} hums", author=name, metadata={name: name, "line": 7})
        )
    await memory.save(NewObservation(text="the pump of hall 2 hums", author="Cafe", metadata={"Cafe": "Cafe"}))
    for name in (composed, decomposed):
        for asked in ({"authors": [name]}, {"metadata": {name: name}}, {"metadata": {name: name, "line": 7}}):
            for past in (None, life.clock.now()):
                page = await memory.list(Filter(**asked), as_of=past)  # pyright: ignore[reportArgumentType]
                assert len(page.records) == 2, (asked, past)
            hits = (await memory.recall("which pump hums?", abstain=False, filter=Filter(**asked))).hits  # pyright: ignore[reportArgumentType]
            assert len(hits) == 2, asked
    assert {one.author for one in (await memory.list()).records} == {composed, decomposed, "Cafe"}


@requirement("reading.metadata")
async def test_changed_metadata_is_found_as_it_is_now_and_as_it_was_then(life: Life) -> None:
    memory = life.memory
    id = (await memory.save(NewObservation(text="the pump hums", metadata={"hall": 3}))).record.id
    before = life.clock.now()
    life.clock.move(timedelta(seconds=1))
    await memory.edit(id, metadata={"hall": 4})
    assert not (await memory.list(Filter(metadata={"hall": 3}))).records
    assert [one.id for one in (await memory.list(Filter(metadata={"hall": 4}))).records] == [id]
    assert [one.id for one in (await memory.list(Filter(metadata={"hall": 3}), as_of=before)).records] == [id]


@requirement("reading.metadata")
async def test_metadata_that_nothing_can_equal_is_refused(life: Life) -> None:
    memory = life.memory
    wrong: list[dict[Any, Any]] = [{"a": [1]}, {"a": {"b": 1}}, {"a": None}, {1: "a"}, {"a": float("nan")}, {"a": "\0"}]
    for asked in wrong:
        with pytest.raises(InvalidInput):
            await memory.list(Filter(metadata=asked))
        with pytest.raises(InvalidInput):
            await memory.recall("pump", filter=Filter(metadata=asked))
