"""A dialogue in a store, and its questions asked of it: by the product, as a user would."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial
from itertools import groupby
from typing import Any

from bench.places import IN_MEMORY, Place
from bench.sets import Dialogue, Question
from remembrancer.memory import Memory
from remembrancer.model.record import Record
from remembrancer.ports.embedder import Embedder
from remembrancer.retrieval.query import Recalled
from remembrancer.workers.importing import import_batches

DEEPEST = 100


@asynccontextmanager
async def filled(
    dialogue: Dialogue, embedder: Embedder | None, *, turns: int | None = None, place: Place = IN_MEMORY
) -> AsyncGenerator[Memory, None]:
    """A memory that holds the dialogue, or its first turns, with every vector made."""
    async with place.open(embedder) as memory:
        await add(memory, dialogue, 0, len(dialogue.turns) if turns is None else turns, embedder)
        yield memory


async def add(memory: Memory, dialogue: Dialogue, start: int, end: int, embedder: Embedder | None) -> None:
    """Import some turns of a dialogue and make their vectors."""
    for batch in import_batches(dialogue.turns[start:end]):
        await memory.messages.import_turns(batch)
    if embedder is not None and end > start:
        await memory.upkeep.embed()


async def ask_all(
    dialogue: Dialogue, embedder: Embedder | None, *, place: Place = IN_MEMORY, **options: object
) -> AsyncIterator[tuple[Question, Recalled]]:
    """Every question with what was recalled for it; each is asked when only what lies before it is known."""
    async with filled(dialogue, embedder, turns=0, place=place) as memory:
        recall: Any = partial(memory.recall, touch=False)
        known = 0
        for after, questions in groupby(dialogue.questions, key=lambda question: question.after):
            end = len(dialogue.turns) if after is None else after
            await add(memory, dialogue, known, end, embedder)
            known = max(known, end)
            now = max((turn.occurred_at for turn in dialogue.turns[:end] if turn.occurred_at), default=None)
            asked_at = None if now is None else now + timedelta(days=1)
            for question in questions:
                yield question, await recall(question.text, limit=DEEPEST, now=asked_at, abstain=False, **options)


def references(dialogue: Dialogue, records: list[Record]) -> list[str]:
    """What the records count as in the set, best first: turns, or sessions by their best turn."""
    if dialogue.by_session:
        return list(dict.fromkeys((record.session or "").rsplit("/", 1)[-1] for record in records))
    if dialogue.name == "longmemeval":
        return [f"{'/'.join((record.session or '').split('/')[:2])}#{_reference(record)}" for record in records]
    return [_reference(record) for record in records]


def _reference(record: Record) -> str:
    return str(record.metadata.get("reference", ""))
