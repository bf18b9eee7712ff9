"""Texts and names that read alike are one, however they are encoded; what is stored reads as it was given."""

import unicodedata
from contextlib import closing
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

import apsw
import pytest

from remembrancer import Filter, InvalidInput, NewObservation, Scope
from remembrancer.storage.migrations import migrations
from remembrancer.types.results import Outcome
from remembrancer.types.text import hash_of
from tests.rows import each_row

from .requirements import requirement
from .world import World, opened

pytestmark = pytest.mark.anyio

# Read before there is an event loop.
COMPOSING = next(step.sql for step in migrations("remembrancer.storage.sqlite") if step.number == 15)
NAME = "Zoë Nguyễn"
FORMS = [unicodedata.normalize(form, NAME) for form in ("NFC", "NFD")]
TEXTS = ["Zoë rows\nat dawn", "Zoë rows\nat dawn\n", "Zoë rows\r\nat dawn", "Zoë rows\rat dawn\r\n  "]
BLANK = ["", " \n", "\u200b", "\ufeff\u2060", "\u00ad", "\u3164", "\u2800", "\u200b\ufe0f", "\u2028"]


@requirement("recording.one-form")
async def test_texts_that_read_alike_are_one_memory_that_reads_as_it_was_first_given(world: World) -> None:
    memory = world.memory
    first = await memory.save(unicodedata.normalize("NFD", TEXTS[1]))
    assert first.record.text == unicodedata.normalize("NFD", TEXTS[1])
    assert first.record.hash == hash_of(first.record.text)
    for text, form in product(TEXTS, ("NFC", "NFD")):
        again = await memory.save(unicodedata.normalize(form, text))
        assert (again.outcome, again.record.id) == (Outcome.DEDUPED, first.record.id)
        assert again.record.text == first.record.text


@requirement("recording.one-form")
async def test_a_text_that_is_corrected_reads_as_corrected_and_is_still_one(world: World) -> None:
    memory = world.memory
    first = (await memory.save(TEXTS[2])).record
    edited = (await memory.edit(first.id, TEXTS[0])).record
    assert (edited.text, edited.revision) == (TEXTS[0], 2)
    assert (await memory.save(TEXTS[2])).record.id == first.id
    other = (await memory.edit(first.id, "Zoë runs")).record
    assert (await memory.save(TEXTS[2])).record.id != other.id


@requirement("recording.one-form")
async def test_names_that_read_alike_are_one_name(world: World) -> None:
    composed, decomposed = FORMS
    memory = world.of(Scope(tenant="acme", user=composed))
    other = world.of(Scope(tenant="acme", user=decomposed, agent=None))
    assert memory.scope == other.scope

    first = await memory.save(
        NewObservation(text="Rows at dawn", topic_key=composed, tags=[composed], session=composed, key=composed)
    )
    again = await other.save(
        NewObservation(text="Rows at dawn", topic_key=decomposed, tags=[decomposed], session=decomposed, key=decomposed)
    )
    assert (again.outcome, again.record.id) == (Outcome.CREATED, first.record.id), "the idempotency key is the same"
    assert (await other.save("Rows at noon", topic_key=decomposed)).outcome is Outcome.UPDATED
    assert (await other.get(topic_key=decomposed)).id == first.record.id

    await other.facts.set(decomposed, "tea")
    assert (await memory.facts.set(composed, "tea")).outcome is Outcome.DEDUPED
    assert (await other.facts.get(decomposed)).details.value == "tea"

    await other.record("Hello", session=decomposed)
    assert {one.session for one in (await memory.list(Filter(kinds=["message"]))).records} == {composed}
    for filters in ({"tags": [decomposed]}, {"sessions": [decomposed]}):
        assert (await memory.list(Filter(**filters))).records  # pyright: ignore[reportArgumentType]
        assert (await memory.recall("rows noon hello", filter=Filter(**filters))).hits  # pyright: ignore[reportArgumentType]
    assert (await other.sessions.end(decomposed)).id == composed
    assert (await other.sessions.stats(decomposed)).messages
    assert (await other.notes.log(decomposed)) is not None
    assert await other.sessions.injections(decomposed) is not None


@requirement("recording.not-empty")
@each_row("text", BLANK)
async def test_what_shows_nothing_is_refused_as_empty(world: World, text: str) -> None:
    memory = world.memory
    with pytest.raises(InvalidInput, match="empty"):
        await memory.save(text)
    with pytest.raises(InvalidInput, match="empty"):
        await memory.save("Rows at dawn", topic_key=text)
    with pytest.raises(InvalidInput, match="empty"):
        Scope(user=text)


@requirement("recording.newest-said-counts")
async def test_what_was_said_earlier_and_arrives_later_does_not_replace_what_was_said_since(world: World) -> None:
    memory, now = world.memory, world.clock.now()
    newer = await memory.save(
        NewObservation(text="Lives in Zurich", topic_key="home", occurred_at=now, tags=["now"], title="Home")
    )
    late = await memory.save(
        NewObservation(text="Lives in Bern", topic_key="home", occurred_at=now - timedelta(days=9), tags=["then"])
    )
    current = await memory.get(topic_key="home")
    assert (current.id, current.text, current.occurred_at) == (newer.record.id, "Lives in Zurich", now)
    assert current.tags == ("now",)
    assert late.record.text == "Lives in Zurich"
    said = [version.record.text for version in await memory.timeline.history(current.id)]
    assert said == ["Lives in Zurich", "Lives in Bern", "Lives in Zurich"]
    assert (await memory.save("Lives in Rome", topic_key="home")).record.text == "Lives in Rome"


def _composed(text: str | None) -> str | None:
    return text and unicodedata.normalize("NFC", text)


def _decomposed(text: str | None) -> str | None:
    return text and unicodedata.normalize("NFD", text)


@requirement("recording.one-form")
async def test_a_store_that_was_made_before_keeps_its_memories_within_reach(tmp_path: Path) -> None:
    """Rows as the version before wrote them, composed by the migration."""
    composed, decomposed = FORMS
    path = tmp_path / "m.db"
    async with opened(path, embedder=None) as world:
        memory = world.of(Scope(tenant="acme", user=composed))
        await memory.record("Hello there", session=composed)
        kept = (await memory.save("Zoë rows", tags=[composed], topic_key=composed)).record
        plain = (await memory.save("Likes tea")).record
        await memory.facts.set(composed, "tea")
    with closing(apsw.Connection(str(path))) as file:
        loosely: Any = file
        loosely.create_scalar_function("nfd", _decomposed, 1)
        loosely.execute(
            "UPDATE scopes SET user = nfd(user); UPDATE sessions SET id = nfd(id);"
            " UPDATE records SET session = nfd(session), topic_key = nfd(topic_key), tags = nfd(tags),"
            " details = nfd(details); DROP INDEX records_by_hash;"
            " ALTER TABLE records DROP COLUMN identity; CREATE INDEX records_by_hash ON records (scope, hash)"
        )
        loosely.create_scalar_function("nfc", _composed, 1)
        loosely.execute(COMPOSING)
    async with opened(path, embedder=None) as world:
        memory = world.of(Scope(tenant="acme", user=decomposed))
        assert (await memory.get(topic_key=composed)).id == kept.id
        assert (await memory.save("Likes tea\n")).record.id == plain.id
        assert (await memory.facts.get(composed)).details.value == "tea"
        assert [one.id for one in (await memory.list(Filter(tags=[decomposed]))).records] == [kept.id]
        assert (await memory.sessions.stats(composed)).messages == 1


@requirement("recording.wordless-turns")
async def test_a_turn_without_words_is_recorded_with_its_call_and_never_recalled(world: World) -> None:
    memory, call = world.memory, {"tool_calls": [{"name": "read_file", "arguments": {"path": "a.py"}}]}
    await memory.record("Read the file a.py, please", session="talk")
    called = await memory.record("", role="assistant", session="talk", metadata=call)
    empty = await memory.record("", role="tool", session="talk")
    assert (called.record.number, empty.record.number) == (2, 3)
    assert (await memory.get(called.record.id)).metadata == call
    assert {hit.record.text for hit in (await memory.recall("Which file was read?")).hits} <= {
        "Read the file a.py, please"
    }
    assert "Read the file" in (await memory.context("talk")).text
    for role in ("user", "system"):
        with pytest.raises(InvalidInput, match="empty"):
            await memory.record("\u200b", role=role)
