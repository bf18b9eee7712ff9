"""The second write to a memory is held to what the first one was: what it does not say, it does not change."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from remembrancer import Changes, Conflict, Memory, NewMessage, NewObservation, Observation, RecallRequest
from remembrancer.types.results import Outcome
from tests.learning import DAY, Life

from .requirements import requirement

pytestmark = pytest.mark.anyio

SAID = datetime(2025, 3, 1, 12, tzinfo=UTC)


async def shown(memory: Memory, word: str) -> list[str]:
    """What a recall of a word shows."""
    return [hit.record.text for hit in (await memory.recall(RecallRequest(question=word, record_access=False))).hits]


@requirement("recording.unsaid-stays")
@pytest.mark.parametrize("again", ["The heron nests in April", "The heron nests in May"])
async def test_a_save_changes_nothing_that_it_does_not_say(life: Life, again: str) -> None:
    first = await life.memory.save(
        NewObservation(
            text="The heron nests in April",
            topic_key="heron",
            type="preference",
            title="Birds",
            tags=["fauna"],
            metadata={"seen": 3},
            importance=0.9,
            classification="confidential",
        )
    )
    record = (await life.memory.save(again, topic_key="heron")).record

    assert record.id == first.record.id
    assert (record.text, record.type, record.title, record.tags) == (again, "preference", "Birds", ("fauna",))
    assert (record.metadata, record.importance, record.classification.value) == ({"seen": 3}, 0.9, "confidential")


@requirement("recording.unsaid-stays")
async def test_a_save_may_say_importance_and_type_alone(life: Life) -> None:
    await life.memory.save("The heron nests in April")
    saved = await life.memory.save("The heron nests in April", importance=0.9, type="decision", tags=["fauna"])
    assert saved.outcome is Outcome.UPDATED
    assert (saved.record.importance, saved.record.type, saved.record.tags) == (0.9, "decision", ("fauna",))
    assert (await life.memory.save("The heron nests in April")).outcome is Outcome.DEDUPED


@requirement("recording.unsaid-stays")
async def test_what_a_save_changes_stands_in_the_index_at_once(life: Life) -> None:
    memory = life.memory
    untrusted = (await memory.record("The heron is grey.", role="tool", session="s")).record.id
    saved = (await memory.save("Ada lives in Lisbon", type="profile", topic_key="home")).record.id
    await memory.save("Ada lives in Porto", topic_key="home", evidence=[untrusted])
    assert await memory.admin.doctor() == []
    for type in ("preference", "discovery"):
        await memory.edit(saved, "Ada lives by the sea", type=type)
        assert await memory.admin.doctor() == []


@requirement("recording.class-may-rise")
async def test_no_save_lowers_a_class_below_the_default(life: Life) -> None:
    assert (
        await life.memory.save(NewObservation(text="The heron nests", classification="public"))
    ).record.classification == "internal"
    assert (
        await life.memory.record(NewMessage(text="A heron!", classification="public"))
    ).record.classification == "internal"


@requirement("recording.versions-say-who")
async def test_each_version_has_its_own_author_source_and_time(life: Life) -> None:
    first = await life.memory.save(
        NewObservation(text="She likes tea", topic_key="drink", author="ana", source="user", occurred_at=SAID)
    )
    told = life.clock.now()
    life.clock.move(DAY)
    second = (
        await life.memory.save(
            NewObservation(text="She likes coffee", topic_key="drink", author="scribe", importance=0.8)
        )
    ).record

    assert (second.author, second.source, second.occurred_at) == ("scribe", "tool", life.clock.now())
    former = await life.memory.get(first.record.id, as_of=told)
    assert (former.text, former.author, former.source, former.occurred_at, former.importance) == (
        "She likes tea", "ana", "user", SAID, 0.5,
    )  # fmt: skip


@requirement("recording.versions-say-who")
async def test_an_edit_is_of_who_works_with_the_memory(life: Life) -> None:
    saved = (await life.memory.save(NewObservation(text="She likes tea", author="ana", occurred_at=SAID))).record
    edited = await life.memory.edit(saved.id, Changes(tags=["drinks"], author="ben"))
    assert (edited.record.author, edited.record.occurred_at) == ("ben", SAID)
    assert (await life.memory.edit(saved.id, Changes(occurred_at=SAID - DAY))).record.occurred_at == SAID - DAY
    assert (await life.memory.edit(saved.id, Changes(occurred_at=SAID - DAY))).outcome is Outcome.DEDUPED
    reworded = (await life.memory.edit(saved.id, "She likes coffee", importance=0.7)).record
    assert (reworded.occurred_at, reworded.importance) == (life.clock.now(), 0.7)


async def pause(memory: Memory, id: str) -> None:
    await memory.patterns.pause(id)


async def retire(memory: Memory, id: str) -> None:
    await memory.patterns.retire(id)


async def merge(memory: Memory, id: str) -> None:
    other = (await memory.save("Storks nest in spring")).record
    await memory.patterns.merge(other.id, id)


@requirement("recording.left-out-stays")
@pytest.mark.parametrize("key", [None, "heron"])
@pytest.mark.parametrize("left_out", [pause, retire, merge])
async def test_a_save_takes_up_nothing_that_was_left_out(
    life: Life, left_out: Callable[[Memory, str], Awaitable[None]], key: str | None
) -> None:
    saved = (await life.memory.save("The heron nests in April", topic_key=key)).record
    await left_out(life.memory, saved.id)
    status = (await life.memory.get(saved.id)).status

    again = await life.memory.save("The heron nests in April", topic_key=key)
    assert (again.outcome, again.record.id, again.record.status) == (Outcome.DEDUPED, saved.id, status)
    tagged = await life.memory.save("The heron nests in April", topic_key=key, tags=["fauna"])
    assert (tagged.outcome, tagged.record.status) == (Outcome.UPDATED, status)
    if key:
        assert (await life.memory.save("The heron nests in May", topic_key=key)).record.status is status
    assert not [text for text in await shown(life.memory, "heron") if "heron" in text]


@requirement("recording.one-row-a-text")
async def test_an_edit_to_the_text_of_another_memory_is_a_conflict(life: Life) -> None:
    april = (await life.memory.save("The heron nests in April")).record
    may = (await life.memory.save("The heron nests in May")).record
    with pytest.raises(Conflict, match=april.id):
        await life.memory.edit(may.id, "The heron nests in April")
    await life.memory.delete(april.id)
    assert (await life.memory.edit(may.id, "The heron nests in April")).outcome is Outcome.UPDATED


@requirement("recording.left-out-stays")
@pytest.mark.parametrize(("left_out", "way"), [(pause, "resume"), (retire, "resume"), (merge, "restore")])
async def test_an_edit_of_what_was_left_out_says_how_to_bring_it_back(
    life: Life, left_out: Callable[[Memory, str], Awaitable[None]], way: str
) -> None:
    saved = (await life.memory.save("The heron nests in April")).record
    await left_out(life.memory, saved.id)
    with pytest.raises(Conflict, match=f"{way} it before"):
        await life.memory.edit(saved.id, title="Herons")


@requirement("recording.edit-keeps-the-rest")
async def test_an_edit_clears_a_title_and_a_name_of_the_metadata(life: Life) -> None:
    saved = (
        await life.memory.save(NewObservation(text="The heron nests", title="Birds", metadata={"seen": 3, "by": "Ana"}))
    ).record
    edited = (await life.memory.edit(saved.id, title="", metadata={"seen": None})).record
    assert isinstance(edited, Observation)
    assert (edited.title, edited.metadata) == ("The heron nests", {"by": "Ana"})
