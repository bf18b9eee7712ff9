"""A dialogue in a store, and its questions asked of it: by the product, as a user would."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any
from unittest import mock

from bench.places import IN_MEMORY, Place
from bench.sets import Dialogue, Question
from remembrancer import RecallRequest
from remembrancer.assembly import engine
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.turn_import import import_batches
from remembrancer.llm.embedder import Embedder
from remembrancer.memory import Memory
from remembrancer.search.query import RecallResult
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Clock
from remembrancer.types.new import NewObservation
from remembrancer.types.record import Record

DEEPEST = 100
NOTE = "note"
_NOTES_AT_ONCE = 100


@asynccontextmanager
async def filled(
    dialogue: Dialogue,
    embedder: Embedder | None,
    *,
    turns: int | None = None,
    place: Place = IN_MEMORY,
    clock: Clock | None = None,
) -> AsyncGenerator[Memory, None]:
    """A memory that holds the dialogue, or its first turns, with every vector made.

    Args:
        clock: what it takes for the time; that of the system, if not given.
    """
    telling = nullcontext() if clock is None else mock.patch.object(engine, "SystemClock", return_value=clock)
    with telling:
        async with place.open(embedder) as memory:
            await add(memory, dialogue, 0, len(dialogue.turns) if turns is None else turns, embedder)
            yield memory


async def add(memory: Memory, dialogue: Dialogue, start: int, end: int, embedder: Embedder | None) -> None:
    """Import some turns of a dialogue and make their vectors."""
    turns = dialogue.turns[start:end]
    for batch in import_batches([turn for turn in turns if turn.role != NOTE]):
        await memory.messages.import_turns(batch)
    for few in batched([turn for turn in turns if turn.role == NOTE], _NOTES_AT_ONCE):
        await memory.observations.save_many([_note(turn) for turn in few])
    if embedder is not None and end > start:
        await memory.admin.index.embed()


def batched(turns: Sequence[Turn], size: int) -> Iterator[Sequence[Turn]]:
    """Some turns at a time."""
    return (turns[start : start + size] for start in range(0, len(turns), size))


def _note(turn: Turn) -> NewObservation:
    """What was written down, and not said: saved as a user saves it."""
    return NewObservation(text=turn.text, occurred_at=turn.occurred_at, metadata={"reference": turn.reference})


async def in_turn(dialogue: Dialogue, embedder: Embedder | None) -> AsyncGenerator[tuple[Memory, Question, int], None]:
    """Every question with a memory of the turns before it, when it is asked, and how many these are."""
    clock, known = FakeClock(), 0
    async with filled(dialogue, embedder, turns=0, clock=clock) as memory:
        for after, questions in groupby(dialogue.questions, key=lambda question: question.after):
            end = len(dialogue.turns) if after is None else after
            clock.move(asked_at(dialogue, end) - clock.now())
            await add(memory, dialogue, known, end, embedder)
            known = max(known, end)
            for question in questions:
                yield memory, question, end


async def ask_all(
    dialogue: Dialogue, embedder: Embedder | None, *, place: Place = IN_MEMORY, **options: Any
) -> AsyncIterator[tuple[Question, RecallResult]]:
    """Every question with what was recalled for it; each is asked when only what lies before it is known."""
    options = {"limit": DEEPEST, **options}
    async with filled(dialogue, embedder, turns=0, place=place) as memory:
        known = 0
        for after, questions in groupby(dialogue.questions, key=lambda question: question.after):
            end = len(dialogue.turns) if after is None else after
            await add(memory, dialogue, known, end, embedder)
            known = max(known, end)
            when = asked_at(dialogue, end)
            for question in questions:
                yield (
                    question,
                    await memory.recall(
                        RecallRequest(question=question.text, now=when, abstain=False, record_access=False, **options)
                    ),
                )


def asked_at(dialogue: Dialogue, end: int) -> datetime:
    """When the questions after so many turns are asked: a day after the last of these; now, where none says when."""
    last = max((turn.occurred_at for turn in dialogue.turns[:end] if turn.occurred_at), default=None)
    return datetime.now(UTC) if last is None else last + timedelta(days=1)


def references(dialogue: Dialogue, records: list[Record]) -> list[str]:
    """What the records count as in the set, best first: turns, or sessions by their best turn."""
    if dialogue.by_session:
        return list(dict.fromkeys((record.session or "").rsplit("/", 1)[-1] for record in records))
    if dialogue.name == "longmemeval":
        return [f"{'/'.join((record.session or '').split('/')[:2])}#{_reference(record)}" for record in records]
    return [_reference(record) for record in records]


def _reference(record: Record) -> str:
    return str(record.metadata.get("reference", ""))
