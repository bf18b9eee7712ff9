"""What a model notes and nobody said, over a real server: it is dropped alone, with its reason, and nothing is lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
from pydantic import Field

from bench.fidelity.talks import Noted, talks
from bench.fidelity.telling import answer, remembering, said
from remembrancer import AuditFilter
from remembrancer.learn.observer import WORDS
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.prompts import parse, schema_of
from remembrancer.llm.providers.language import RemoteModel
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
        await memory.notes.observe("talk")
        (chunk,) = await memory.notes.chunks("talk")
        notes = await memory.notes.of_chunk("talk", chunk.first)
        assert told.calls == 1
        assert LIE.text not in {note.text for note in notes}
        (by_model,) = [note for note in notes if note.model]
        assert by_model.text.startswith("Noor: Morning!")
        by_words = [note for note in notes if note.engine == WORDS]
        assert any("I'm allergic" in note.text for note in by_words)
        assert all(note.first <= LIE.messages[0] <= note.last for note in by_words)
        (entry,) = await memory.governance.audit.list(AuditFilter(action="refused"))
        assert (entry.kind, entry.count, entry.reason) == ("note", 1, "says of somebody what was said of another")


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    """A note of a length at which a small model ends."""

    text: Annotated[str, Field(min_length=20, max_length=120)]


@requirement("observing.claims-are-compared")
@pytest.mark.slow
async def test_what_a_small_model_babbles_is_dropped_with_its_reason(told: Answers) -> None:
    """It copies now and then: a note is kept only where its words are those of the talk."""
    asked = "Invent a sentence about {}."
    things = ("a dragon", "a football team", "the moon", "a recipe for soup")
    with serving() as address:
        model = RemoteModel("openai:smollm2", url=address)
        prompts = [Prompt(system="You tell stories.", text=asked.format(thing), version="note-1") for thing in things]
        limits: dict[str, Any] = {"max_tokens": 120, "seconds": 60.0, "temperature": 0.0}
        said_so = [await model.complete(prompt, schema=schema_of(Short), **limits) for prompt in prompts]
        await model.close()
    written = [parse(one.text, Short).text for one in said_so]
    reasons: list[str] = []
    async with remembering(told, TALK) as memory:
        for at, text in enumerate(written):
            await said(memory, TALK, f"talk {at}")
            told.script = [answer(TALK, Noted(way="", messages=(3,), text=text))]
            await memory.notes.observe(f"talk {at}")
            (chunk,) = await memory.notes.chunks(f"talk {at}")
            assert text not in {note.text for note in await memory.notes.of_chunk(f"talk {at}", chunk.first)}
        reasons += [entry.reason for entry in await memory.governance.audit.list(AuditFilter(action="refused"))]
    assert len(reasons) == len(written)
    assert all(reasons)
