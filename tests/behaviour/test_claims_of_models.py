"""What a model notes and nobody said, over a real server: it is dropped alone, with its reason, and nothing is lost."""

from collections.abc import Iterator

import pytest

from bench.fidelity.talks import talks
from bench.fidelity.telling import answer, remembering, said
from remembrancer.workers.observing import WORDS
from tests.answers import Answers, answering
from tests.small_model import serving

from .requirements import requirement

pytestmark = pytest.mark.anyio
TALK = talks("worked_on")[1]
LIE = next(note for note in TALK.notes if note.way == "merged persons")


@pytest.fixture
def told() -> Iterator[Answers]:
    with answering() as model:
        yield model


@requirement("observing.claims-are-compared")
async def test_a_lie_is_dropped_alone_and_the_words_note_what_it_was_about(told: Answers) -> None:
    async with remembering(told, TALK) as memory:
        await said(memory, TALK, "talk")
        told.script = [answer(TALK, LIE)]
        await memory.sessions.observe_now("talk")
        (chunk,) = await memory.sessions.chunks("talk")
        notes = await memory.sessions.noted("talk", chunk.first)
        assert told.calls == 1
        assert LIE.text not in {note.text for note in notes}
        (by_model,) = [note for note in notes if note.model]
        assert by_model.text.startswith("Noor: Morning!")
        by_words = [note for note in notes if note.engine == WORDS]
        assert any("I'm allergic" in note.text for note in by_words)
        assert all(note.first <= LIE.messages[0] <= note.last for note in by_words)
        (entry,) = await memory.audit.list(action="refused")
        assert (entry.kind, entry.count, entry.reason) == ("note", 1, "says of somebody what was said of another")


@requirement("observing.claims-are-compared")
@pytest.mark.slow
async def test_of_a_small_model_that_talks_nonsense_all_is_dropped_with_its_reason(told: Answers) -> None:
    with serving() as address:
        given = {"model_url": address, "model_retries": 0, "model_seconds": 60.0}
        async with remembering(told, TALK, **given) as memory:
            for text in ("I moved the demo to Friday at 3, Ben is not there.", "Never book me before 10, please."):
                await memory.record(text, session="talk", speaker="Iris")
            await memory.sessions.observe_now("talk")
            for chunk in await memory.sessions.chunks("talk"):
                assert all(note.engine == WORDS for note in await memory.sessions.noted("talk", chunk.first))
            context = await memory.context("talk", recall=False)
            assert "Never book me before 10" in context.text
            (total,) = (await memory.upkeep.costs(days=1)).totals
            assert total.calls > 0
