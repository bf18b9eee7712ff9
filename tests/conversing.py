"""A conversation for the tests of what observes it: every message is noted as it is, and what went wrong shows."""

from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bench.invariant import Watch, recorded
from remembrancer import ContextRequest, Memory, Observation
from remembrancer.learn.observer import Observer
from remembrancer.storage.base import Store
from remembrancer.storage.postgres.store import POOL_SIZE, PostgresStore
from remembrancer.storage.sqlite.store import SQLiteStore
from remembrancer.types.budget import Window
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import ChunkNotes, Note
from remembrancer.types.record import Message
from remembrancer.types.text import ESTIMATE
from tests.databases import SECRET

SESSION = "talk"
WINDOW = Window(messages=80, observations=60, chunk=0.3)


class QuickObserver(Observer):
    """Notes every message as it is: what is noted twice, or not at all, shows."""

    def _by_words(self, messages: Sequence[Message], before: Sequence[str]) -> ChunkNotes:
        return ChunkNotes(
            notes=tuple(
                Note(
                    text=f"noted {message.text}",
                    type="discovery",
                    priority=1 + message.number % 5,
                    observed_at=message.occurred_at,
                    first=message.number,
                    last=message.number,
                )
                for message in messages
            )
        )


@asynccontextmanager
async def opened(db: str, *, pool_size: int = POOL_SIZE) -> AsyncGenerator[Store]:
    """The store of a file, or of a database of the tests."""
    if "://" in db:
        async with PostgresStore.open(db, secret=SECRET, pool_size=pool_size) as server:
            yield server
    else:
        async with SQLiteStore.open(db) as file:
            yield file


async def faults_at_the_end(memory: Memory, watch: Watch) -> list[str]:
    """What is wrong with a conversation, now and once all that waits is done; none of its messages may be gone."""
    faults = await watch.look(
        memory, await memory.context(ContextRequest(session=SESSION, recall=False, record_access=False))
    )
    await memory.notes.observe(SESSION)
    context = await memory.context(ContextRequest(session=SESSION, recall=False, record_access=False))
    faults += await watch.look(memory, context) + await watch.look_within(memory, context, ESTIMATE)
    notes = [note for note in await recorded(memory, SESSION) if isinstance(note, Observation)]
    if waiting := sum(note.status is Status.BUFFERED for note in notes):
        faults.append(f"{waiting} notes are stranded")
    standing = Counter(note.first for note in notes if note.first and note.status is not Status.RETIRED)
    faults += [f"message {number} is noted {times} times" for number, times in standing.items() if times > 1]
    (session,) = [found for found in await memory.sessions.list() if found.id == SESSION]
    if unnoted := set(range(1, session.messages + 1)) - {note.first for note in notes}:
        faults.append(f"nothing is noted of messages {sorted(unnoted)}")
    return faults
