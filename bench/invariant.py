"""What a conversation must keep to, looked at from outside, turn by turn.

Each message of a conversation stands in the block of an agent raw, or in a run of messages that is told by what was
noted of it: once, and never both. Runs follow without gaps, are never taken back, and nothing of them is left behind.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from remembrancer import Filter
from remembrancer.context.report import Context
from remembrancer.context.slots import Slot
from remembrancer.memory import Memory
from remembrancer.transactions.dependencies import TokenCounter
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.record import Message, Observation, Record, Reflection

_PAGE = 1_000
_LOG = (Slot.REFLECTIONS, Slot.OBSERVATIONS)
_SPAN = r"(\d+)(?:–(\d+))?"
_HEADING = re.compile(rf"^### (?:.*, )?messages? {_SPAN}$", re.MULTILINE)
_OF_ALL = re.compile(rf"^## What is known of messages ({_SPAN}(?:, {_SPAN})*)$", re.MULTILINE)
_EACH = re.compile(_SPAN)

Place = tuple[str, int]


class Watch:
    """What was said in a conversation, and what of it must be told.

    Args:
        sessions: those that are one conversation.
        may_drop: whether messages that do not fit may be left out and named.
    """

    def __init__(self, *sessions: str, may_drop: bool = False) -> None:
        self.sessions = sessions
        self._may_drop = may_drop
        self._said: dict[Place, str] = {}
        self._gone: set[str] = set()
        self._tokens: dict[str, int] = {}
        self._cursors: dict[str, int] = {}
        self._ends: dict[Place, int] = {}
        self._noted: set[str] = set()
        self.activations: set[datetime | None] = set()
        self.reflections = 0

    def heard(self, message: Message) -> None:
        """A message was recorded."""
        assert message.session is not None
        self._said[message.session, message.number] = message.id
        self._tokens[message.id] = message.tokens

    def lost(self, id: str) -> None:
        """A message was deleted or erased: it must be told no more."""
        self._gone.add(id)

    async def look(self, memory: Memory, context: Context) -> list[str]:
        """What is wrong with a block that was made just now, while nobody else was at work."""
        faults: list[str] = []
        chunks = {session: await memory.notes.chunks(session) for session in self.sessions}
        for session, found in chunks.items():
            faults += self._contiguous(session, found)
        shown = [chunk for found in chunks.values() for chunk in found if chunk.state is ChunkState.ACTIVE]
        self.activations |= {chunk.activated_at for chunk in shown}
        noted = {id for item in context.block.items if item.slot in _LOG for id in item.ids}
        left_out = {id for slot in _LOG for id in context.report.dropped.get(slot.value, ())}
        # Nothing but a reflector takes something out of a log.
        self.reflections += bool(self._noted - noted - left_out)
        self._noted = noted
        if context.report.tokens > context.report.budget:
            faults.append(f"the block has {context.report.tokens} tokens and its budget is {context.report.budget}")
        return faults + self._told(context, shown) + self._headings(context, shown)

    def _contiguous(self, session: str, chunks: Sequence[Chunk]) -> list[str]:
        """What is wrong with the runs of a session: they begin at 1, follow without gaps and stay as they are."""
        faults: list[str] = []
        end = 0
        for chunk in chunks:
            if chunk.first != end + 1 or chunk.last < chunk.first:
                faults.append(f"{session}: messages {chunk.first} to {chunk.last} follow those up to {end}")
            end = chunk.last
            if self._ends.setdefault((session, chunk.first), chunk.last) != chunk.last:
                faults.append(f"{session}: the run from {chunk.first} on has another end than before")
        if end < self._cursors.get(session, 0):
            faults.append(f"{session}: observed up to {self._cursors[session]}, and then up to {end}")
        self._cursors[session] = end
        known = {first for of, first in self._ends if of == session}
        if missing := known - {chunk.first for chunk in chunks}:
            faults.append(f"{session}: the runs from {sorted(missing)} on are gone")
        return faults

    def _told(self, context: Context, shown: Iterable[Chunk]) -> list[str]:
        """What is wrong with how the messages are told."""
        raw = Counter(id for item in context.block.items if item.slot is Slot.MESSAGES for id in item.ids)
        dropped = set(context.report.dropped.get(Slot.MESSAGES.value, ()))
        covered = Counter((chunk.session, number) for chunk in shown for number in range(chunk.first, chunk.last + 1))
        faults = [f"something raw was never said here: {id}" for id in set(raw) - set(self._tokens)]
        if dropped and not self._may_drop:
            faults.append(f"{len(dropped)} messages were left out")
        for place, id in self._said.items():
            times = raw[id] + covered[place]
            if id in self._gone:
                if raw[id]:
                    faults.append(f"message {place} is gone, and told")
            elif times != (0 if id in dropped else 1):
                faults.append(f"message {place} is told {raw[id]} times raw and {covered[place]} times by notes")
        return faults

    def _headings(self, context: Context, shown: Sequence[Chunk]) -> list[str]:
        """Whether the block itself says which messages its notes tell of."""
        if len(self.sessions) > 1:
            return []
        said = told_in(context)
        covered = {number for chunk in shown for number in range(chunk.first, chunk.last + 1)}
        wrong = sorted(number for number in covered | set(said) if said[number] != (number in covered))
        return [f"by its headings the block tells of messages {wrong} not once"] if wrong else []

    async def look_within(self, memory: Memory, context: Context, counter: TokenCounter) -> list[str]:
        """What is wrong with what lies behind a block: nothing noted is stranded, doubled, or miscounted."""
        faults: list[str] = []
        if (length := counter.count(context.text)) > context.report.budget:
            faults.append(f"the text has {length} tokens and its budget is {context.report.budget}")
        for session in self.sessions:
            chunks = await memory.notes.chunks(session)
            records = await recorded(memory, session)
            notes = [found for found in records if isinstance(found, Observation) and found.engine]
            faults += _notes(chunks, [note for note in notes if not isinstance(note, Reflection)])
        distilled = await memory.sessions.stats(self.sessions[0])
        raw = sum(self._tokens[id] for item in context.block.items if item.slot is Slot.MESSAGES for id in item.ids)
        if not self._gone and not self._may_drop and distilled.raw != raw:
            faults.append(f"{distilled.raw} tokens are counted raw, and {raw} are")
        return faults


def _notes(chunks: Sequence[Chunk], notes: Sequence[Observation]) -> list[str]:
    """What is wrong with the notes of a session."""
    faults: list[str] = []
    twice = Counter((note.hash, note.first, note.last) for note in notes if note.status in _STANDING)
    faults += [f"noted {times} times of {place[1:]}" for place, times in twice.items() if times > 1]
    places = Counter(note.place for note in notes if note.status is Status.ACTIVE)
    faults += [f"{times} notes have place {place} in the log" for place, times in places.items() if times > 1]
    for note in notes:
        chunk = next((found for found in chunks if _within(note, found)), None)
        if chunk is None:
            faults.append(f"the note of {note.first} to {note.last} belongs to no run")
        elif note.status in _STANDING and note.status is not _STATUS.get(chunk.state):
            faults.append(f"a note is {note.status} in the run from {chunk.first} on, which is {chunk.state}")
    for chunk in chunks:
        told = sum(note.tokens for note in notes if note.status is Status.ACTIVE and _within(note, chunk))
        if chunk.state is ChunkState.ACTIVE and chunk.noted < told:
            faults.append(f"the run from {chunk.first} on has {told} tokens of notes, and counts {chunk.noted}")
    return faults


def _within(note: Observation, chunk: Chunk) -> bool:
    return chunk.first <= note.first and note.last <= chunk.last


_STANDING = (Status.ACTIVE, Status.BUFFERED)
_STATUS = {
    ChunkState.ACTIVE: Status.ACTIVE,
    ChunkState.BUFFERED: Status.BUFFERED,
    ChunkState.IN_REVIEW: Status.BUFFERED,
}


def told_in(context: Context) -> Counter[int]:
    """How often the block says of each message, by its number, that its notes tell of it."""
    text = "".join(item.text for item in context.block.items if item.slot in _LOG)
    spans = [match.groups() for match in _HEADING.finditer(text)]
    for match in _OF_ALL.finditer(text):
        spans += [each.groups() for each in _EACH.finditer(match[1])]
    return Counter(number for first, last in spans for number in range(int(first), int(last or first) + 1))


async def recorded(memory: Memory, session: str) -> list[Record]:
    """Every claim of a session, in any status."""
    found: list[Record] = []
    cursor: str | None = None
    statuses = [status.value for status in Status]
    kinds = ["observation", "reflection"]
    while True:
        page = await memory.list(Filter(kinds=kinds, sessions=[session], statuses=statuses), limit=_PAGE, cursor=cursor)
        found += page.records
        cursor = page.cursor
        if cursor is None:
            return found
