"""The texts in metadata are found by their words, at the weight of a tag, for as long as they are there."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from anyio.to_thread import run_sync

from remembrancer import ChatFile, Filter, Memory, NewEpisode, NewObservation, RecallRequest
from tests.learning import Life

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]


async def found(memory: Memory, question: str) -> list[str]:
    """The memories that have a word of a question: all others are no hit of the lexical arm."""
    recalled = await memory.recall(RecallRequest(question=question, retrievers=["lexical"], abstain=False))
    return [hit.record.id for hit in recalled.hits]


@requirement("recall.metadata")
async def test_the_texts_in_metadata_are_found_for_as_long_as_they_are_there(life: Life) -> None:
    memory = life.memory
    metadata = {"project": "Xylotheque", "deep": {"name": "Quagmire"}, "list": ["Fjordland"], "number": 4711}
    saved = (await memory.save(NewObservation(text="The roof leaks", metadata=metadata))).record
    said = (await memory.record("It rained all day", metadata={"place": "Zwolle harbour"})).record
    done = (
        await memory.episodes.record(NewEpisode(summary="Filed the claim", metadata={"insurer": "Brightwell"}))
    ).record
    for word, id in (("xylotheque", saved.id), ("zwolle", said.id), ("brightwell", done.id)):
        assert await found(memory, f"what about {word}?") == [id], word
    for word in ("quagmire", "fjordland", "4711", "project"):
        assert await found(memory, word) == [], word

    life.clock.move(timedelta(seconds=1))
    await memory.edit(saved.id, metadata={"project": "Yurtmaker"})
    assert await found(memory, "yurtmaker") == [saved.id]
    assert await found(memory, "xylotheque") == []
    await memory.edit(saved.id, metadata={"project": None})
    assert await found(memory, "yurtmaker") == []
    await memory.governance.erasure.erase(memories=[said.id], reason="a test")
    assert await found(memory, "zwolle") == []
    assert [one for one in await memory.admin.doctor() if not one.repaired] == []


@requirement("recall.metadata")
async def test_a_memory_whose_text_has_the_word_ranks_before_one_whose_metadata_has_it(life: Life) -> None:
    memory = life.memory
    beside = (await memory.save(NewObservation(text="The roof leaks", metadata={"place": "Zwolle"}))).record
    within = (await memory.save("Zwolle has the best bakery, and Zwolle has canals")).record
    assert await found(memory, "zwolle") == [within.id, beside.id]


@requirement("recall.metadata")
async def test_of_long_metadata_only_the_beginning_is_searched_and_secrets_never_are(life: Life) -> None:
    memory, token = life.memory, "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    await memory.save(
        NewObservation(
            text="The roof leaks", metadata={"note": "beginning " + "filler " * 1_500 + "ending", "token": token}
        )
    )
    assert len(await found(memory, "beginning")) == 1
    assert await found(memory, "ending") == []
    assert await found(memory, token) == []


@requirement("recall.metadata")
async def test_what_an_import_writes_into_metadata_is_not_searched(life: Life, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    line = {"role": "user", "content": "It rained", "id": "zanzibar", "timestamp": "2026-01-01T00:00:00Z"}
    await run_sync(file.write_text, json.dumps(line))
    await life.memory.messages.import_file(await run_sync(ChatFile.at, file))
    (message,) = (await life.memory.list(Filter(kinds=["message"]))).records
    assert message.metadata == {"reference": "zanzibar"}
    assert await found(life.memory, "zanzibar") == []
