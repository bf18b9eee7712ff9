"""What a vector rests on: a message is embedded with the one before it, and anew when that is another."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from remembrancer import Memory, RecallRequest
from remembrancer.testing import HashEmbedder
from remembrancer.types.new import NewMessage
from tests.deleting import delete_or_erase

from .requirements import requirement
from .world import World, opened

pytestmark = pytest.mark.anyio


class Watched(HashEmbedder):
    """An embedder that notes what it was given."""

    def __init__(self, *, name: str = "watched") -> None:
        super().__init__(64, name=name, fast=False)
        self.texts: list[str] = []

    def documents(self, texts: list[str]) -> object:  # pyright: ignore[reportIncompatibleMethodOverride] -- as there
        self.texts += texts
        return super().documents(texts)


@pytest.fixture
def embedder() -> Watched:
    return Watched()


@pytest.fixture
async def talk(tmp_path: Path, embedder: Watched) -> AsyncGenerator[World, None]:
    async with opened(tmp_path / "talk.db", embedder=embedder) as world:  # pyright: ignore[reportArgumentType] -- as there
        yield world


async def said(memory: Memory, *texts: str, **more: object) -> list[str]:
    """Ids of some messages of one session, which are embedded."""
    made = [
        (await memory.record(NewMessage(text=text, session="s", speaker="Ana", **more))).record.id  # pyright: ignore[reportArgumentType] -- named as there
        for text in texts
    ]
    await memory.admin.index.embed()
    return made


async def remade(memory: Memory, embedder: Watched) -> list[str]:
    """The texts that get vectors now."""
    embedder.texts.clear()
    await memory.admin.index.embed()
    return embedder.texts


@requirement("recording.embedded-with-the-one-before")
async def test_of_a_long_question_only_the_ends_are_embedded(talk: World, embedder: Watched) -> None:
    words = [f"word{n}" for n in range(4_000)]
    await talk.memory.save("Something to find")
    await talk.memory.admin.index.embed()
    embedder.texts.clear()
    await talk.memory.recall(" ".join(words)[:32_000], abstain=False)
    asked = [text for text in embedder.texts if "word" in text]
    assert len(asked) == 8
    assert asked[0].startswith("word0 word1 ")
    assert asked[-1].endswith(" ".join(words)[:32_000][-20:].strip())


@requirement("recording.embedded-with-the-one-before")
async def test_a_message_is_embedded_with_its_speaker_and_the_one_before_it(talk: World, embedder: Watched) -> None:
    await said(talk.memory, "Where do we meet?", "At the mill.")
    await talk.memory.save("A note stands for itself")
    assert embedder.texts == ["Ana: Where do we meet?", "Ana: Where do we meet?\nAna: At the mill."]
    assert await remade(talk.memory, embedder) == ["A note stands for itself"]


@requirement("recording.embedded-with-the-one-before")
@pytest.mark.parametrize("change", ["delete", "erase", "classify"])
async def test_what_changes_a_message_makes_the_vector_of_the_next_anew(
    talk: World, embedder: Watched, change: str
) -> None:
    first, _, _ = await said(talk.memory, "Where do we meet?", "At the mill.", "Fine.")
    if change == "classify":
        await talk.memory.governance.classify(first, "restricted", reason="a test")
    else:
        await delete_or_erase(talk.memory, first, erase=change == "erase")
    assert await remade(talk.memory, embedder) == ["Ana: At the mill."]


@requirement("recording.embedded-with-the-one-before", "erasing.receipts")
async def test_a_receipt_counts_the_vectors_that_rested_on_what_was_erased(talk: World, embedder: Watched) -> None:
    first, *_ = await said(talk.memory, "Where do we meet?", "At the mill.", "Fine.")
    receipt = await talk.memory.governance.erasure.erase(memories=[first], reason="a test")
    assert receipt.rows["vectors"] == 2
    assert await remade(talk.memory, embedder) == ["Ana: At the mill."]


@requirement("recording.embedded-with-the-one-before")
async def test_what_is_untrusted_or_closed_is_in_no_other_messages_vector(talk: World, embedder: Watched) -> None:
    await talk.memory.messages.record_many(
        [
            NewMessage(text="A page said so", role="tool", session="s"),
            NewMessage(text="Thanks", session="s"),
            NewMessage(text="The code is 4711", session="s", classification="restricted"),
            NewMessage(text="Noted", session="s"),
        ]
    )
    await talk.memory.admin.index.embed()
    assert [text for text in embedder.texts if "\n" in text] == ["Thanks\nThe code is 4711"]


@requirement("upkeep.reembed")
async def test_vectors_of_an_earlier_embedder_are_made_anew_in_the_background(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db", embedder=HashEmbedder(64, name="earlier")) as world:
        await world.memory.save("The heron nests in April")
        await world.memory.admin.index.embed()
    async with opened(tmp_path / "m.db", embedder=HashEmbedder(64, name="later")) as world:
        (note,) = (await world.memory.recall(RecallRequest(question="heron", record_access=False))).notes
        assert "earlier" in note
        await world.worker.run_once()
        recalled = await world.memory.recall(RecallRequest(question="heron", record_access=False))
        assert recalled.notes == ()
        assert "cosine" in recalled.hits[0].factors
