"""The observer: from messages to observations.

It reads a run of messages, works without a transaction, and writes the notes at the cursor or not at all. A run is
written only if the cursor is unchanged, so that two observers of one session, or one that is restarted, note each
message once. Until a chunk is activated, its messages are served verbatim.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.ingest.admission import admit
from remembrancer.language.quoting import own_words, quoted_words, without_harness
from remembrancer.learn.engine import LearningEngine
from remembrancer.learn.llm.observer import ObservedRun, observe_asking
from remembrancer.learn.observe.observe import observe
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.storage.tx import Tx
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.side_rows import NewChunk
from remembrancer.transactions.transitions import retire_notes, show_chunks
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.budget import AROUND_MESSAGE
from remembrancer.types.calls import CallPurpose
from remembrancer.types.graph import declared_relations
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkNotes, ChunkState, Note, calls_are_answered, can_split_between
from remembrancer.types.record import HARNESS, Message, Observation, Role, Source, speaker_of
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification, Scope, Trust, most_restrictive
from remembrancer.types.session import Session

WORDS = "words-observer 1"
ASKING = "asking-observer"
AUTHOR = "remembrancer"
# An answer for a run may be longer than a whole chunk, since JSON surrounds each claim.
ANSWER_TOKENS = 12_000
IMPORTANCE = {1: 0.3, 2: 0.4, 3: 0.5, 4: 0.6, 5: 0.7}
_PAGE = 256
# Attempts to observe a run whose messages were deleted meanwhile, or that another observer wrote first.
_TRIES = 5
# Notes of the log that may be shown to a model again.
_LOG_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Messages of a session to observe together, and the end of the run.

    Some messages of the run may be deleted.
    """

    session: str
    first: int
    last: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thought:
    """The notes of a run, their engine, the earlier notes, and what was dropped."""

    runs: tuple[ObservedRun, ...]
    engine: str
    model: str = ""
    before: Sequence[Observation] = ()
    refused: Mapping[str, int] = field(default_factory=dict[str, int])


class Observer(LearningEngine):
    """The observer of one open store."""

    purpose = CallPurpose.OBSERVE
    timeout = 300.0

    async def observe(
        self,
        scope: Scope,
        session: str,
        *,
        everything: bool = False,
        asking: bool = True,
        until: float = math.inf,
    ) -> int:
        """Observe what waits in a session, a run at a time; how many chunks were written here.

        Args:
            everything: whether what is less than a whole run is observed as well.
            asking: `False` leaves models out.
            until: the time of the event loop after which no further run is begun.
        """
        written = conflicts = 0
        while conflicts < _TRIES and anyio.current_time() < until:
            run = await self._next(scope, session, everything)
            if run is None:
                return written
            thought = await self._thought(scope, run, asking=asking)
            try:
                written += await self._write(scope, run, thought)
            except (Conflict, NotFound):
                conflicts += 1
        return written

    async def retry(self, scope: Scope, session: str, first: int, *, asking: bool = True) -> Chunk:
        """Observe a chunk again that a model failed on, and replace its notes.

        A chunk without a failure is unchanged, so that an interrupted retry can be repeated.

        Raises:
            NotFound: no such chunk in this scope.
            Conflict: another writer changed it meanwhile.
        """
        chunk, messages = await self._units(scope).read(lambda tx: _chunk_of(tx, session, first))
        if not chunk.failure:
            return chunk
        run = _Run(session=session, first=chunk.first, last=chunk.last, messages=tuple(messages))
        thought = await self._thought(scope, run, asking=asking)
        async with self._units(scope).write() as writer:
            if await writer.tx.chunks.find(session, first) != chunk:
                raise Conflict(f"chunk {first} of session {session!r} was observed meanwhile")
            return await self._replace(writer, chunk, run, thought)

    async def _next(self, scope: Scope, session: str, everything: bool) -> _Run | None:
        """Return the run after the cursor; `None` if too few tokens wait."""
        least = self._window(scope).chunk_tokens
        return await self._units(scope).read(lambda tx: _following(tx, session, least, everything=everything))

    async def _thought(self, scope: Scope, run: _Run, *, asking: bool) -> _Thought:
        """Return the notes of a run; no transaction is open."""
        messages = [one for message in run.messages if (one := _observable(message)) is not None]

        async def with_model(models: Models, refused: Counter[str]) -> _Thought:
            return await self._asked(models, scope, run, messages, refused)

        async def by_words(refused: Counter[str]) -> _Thought:
            before = await self._units(scope).read(lambda tx: _noted_before(tx, run)) if messages else []
            notes = await run_sync(lambda: self._by_words(_parts(messages), [one.text for one in before]))
            return _Thought(
                runs=(ObservedRun(first=run.first, last=run.last, notes=notes),),
                engine=WORDS,
                before=before,
                refused=refused,
            )

        return await self.think(scope, with_model=with_model if asking and messages else None, by_words=by_words)

    def _by_words(self, messages: Sequence[Message], before: Sequence[str]) -> ChunkNotes:
        if not messages:
            return ChunkNotes(notes=())
        return observe(messages, zone=self._zone, types=self._rules.types, noted=before)

    def _left_over(self, messages: Sequence[Message], part: ObservedRun, before: Sequence[str]) -> ObservedRun:
        """Return a run with notes by the rules for messages with dropped claims."""
        if part.notes is None or not part.notes.uncovered:
            return part
        within = [message for message in messages if part.first <= message.number <= part.last]
        found = self._by_words(_parts(within), [*before, *(note.text for note in part.notes.notes)])
        left = set(part.notes.uncovered)
        notes = [note for note in found.notes if not left.isdisjoint(note.messages)]
        return replace(part, by_words=ChunkNotes(notes=tuple(notes)))

    async def _asked(
        self, models: Models, scope: Scope, run: _Run, messages: Sequence[Message], refused: Counter[str]
    ) -> _Thought:
        ask = ScopedModels(models, scope, run.session, CallPurpose.OBSERVE, max_tokens=ANSWER_TOKENS)
        log = await self._units(scope).read(lambda tx: _noted_before(tx, run))
        runs = await observe_asking(
            messages,
            ask=ask,
            zone=self._zone,
            count=self._rules.tokens.count,
            types=self._rules.types,
            log=log,
            refused=refused,
        )
        before = [one.text for one in log]
        whole = await run_sync(
            lambda: [self._led_by_trusted(self._left_over(messages, part, before), messages) for part in runs]
        )
        engine = f"{ASKING} {ask.version}".strip()
        return _Thought(runs=_joined(whole, run), engine=engine, model=ask.model, refused=refused)

    def _led_by_trusted(self, found: ObservedRun, messages: Sequence[Message]) -> ObservedRun:
        """Return a run without a task or hint that untrusted messages support."""
        parts = _parts([one for one in messages if found.first <= one.number <= found.last])
        trusted = [part for part in parts if part.trust is Trust.TRUSTED]
        if found.notes is None or len(trusted) == len(parts):
            return found
        words = self._by_words(trusted, ())
        return replace(found, notes=replace(found.notes, task=words.task, suggestion=words.suggestion))

    async def _write(self, scope: Scope, run: _Run, thought: _Thought) -> int:
        """Store what was noted and move the cursor, in one transaction.

        Raises:
            Conflict: the cursor is no longer where the run begins.
            NotFound: a message of the run was erased meanwhile.
        """
        async with self._units(scope).write() as writer:
            for part in thought.runs:
                chunk = self._chunk(run, part, thought, self._observed(scope))
                await writer.put(NewChunk(chunk=chunk))
                if part.notes is not None:
                    noted = await self._note_part(writer, run, part, thought)
                    await writer.put(replace(chunk, noted=noted))
            writer.audit_dropped("note", thought.refused)
        return len(thought.runs)

    def _observed(self, scope: Scope) -> ChunkState:
        """Return the state of an observed chunk: buffered, or waiting for approval."""
        return ChunkState.IN_REVIEW if self._window(scope).review else ChunkState.BUFFERED

    def _chunk(self, run: _Run, part: ObservedRun, thought: _Thought, state: ChunkState) -> Chunk:
        notes = part.notes
        return Chunk(
            session=run.session,
            first=part.first,
            last=part.last,
            state=ChunkState.DEAD if notes is None else state,
            tokens=sum(message.tokens for message in run.messages if part.first <= message.number <= part.last),
            noted=0,
            classification=_highest(run.messages, part.first, part.last),
            task=notes.task if notes else "",
            suggestion=notes.suggestion if notes else "",
            engine=thought.engine,
            model=thought.model,
            failure="" if notes else part.reason or "nothing was noted",
            observed_at=self._rules.clock.now(),
        )

    async def _note_part(self, writer: WriteTransaction, run: _Run, part: ObservedRun, thought: _Thought) -> int:
        """Admit all that was noted of a part of a run, by a model and by the words; its tokens."""
        tokens = await self._note(writer, run, part.notes, thought) if part.notes else 0
        if part.by_words is None:
            return tokens
        return tokens + await self._note(writer, run, part.by_words, _Thought(runs=(), engine=WORDS))

    async def _note(self, writer: WriteTransaction, run: _Run, notes: ChunkNotes, thought: _Thought) -> int:
        """Admit notes that are shown later, and return their tokens.

        Notes that a person has rejected are left out.
        """
        tokens = 0
        for note in notes.notes:
            with_sources = self._draft(run, note, thought)
            try:
                saved = (await admit(writer, [with_sources]))[0].record
            except NotAllowed:
                continue
            if isinstance(saved, Observation) and saved.status is Status.BUFFERED:
                tokens += saved.tokens
        await self._rest_on(writer, run, notes, thought.before)
        return tokens

    async def _rest_on(
        self, writer: WriteTransaction, run: _Run, notes: ChunkNotes, before: Sequence[Observation]
    ) -> None:
        """Add messages as evidence to earlier notes that they repeat.

        Only notes of the same trust and class get them.
        """
        repeated: dict[str, list[Message]] = {}
        for place, number in notes.again if before else ():
            repeated.setdefault(before[place].id, []).extend(one for one in run.messages if one.number == number)
        for id, messages in repeated.items():
            noted = await writer.tx.records.find(id)
            if not isinstance(noted, Observation) or noted.status not in (Status.ACTIVE, Status.BUFFERED):
                continue
            alike = (one for one in messages if (one.trust, one.classification) == (noted.trust, noted.classification))
            if more := [one.id for one in alike if one.id not in noted.evidence and one.status is not Status.DELETED]:
                await writer.change(noted, Change(evidence=tuple(more)))

    def _draft(self, run: _Run, note: Note, thought: _Thought) -> Draft:
        sources = [
            message.id
            for message in run.messages
            if note.first <= message.number <= note.last
            and (not note.messages or message.number in note.messages)
            and message.status is not Status.DELETED
        ]
        return Draft(
            text=note.text,
            type=note.type,
            session=run.session,
            author=AUTHOR,
            source=Source.OBSERVER,
            occurred_at=note.observed_at,
            importance=IMPORTANCE[note.priority],
            trust=Trust.UNTRUSTED if note.quoted else None,
            evidence=sources,
            metadata=declared_relations(note.relations),
            derived=Derived(
                engine=thought.engine,
                model=thought.model,
                priority=note.priority,
                refers_to=note.refers_to,
                first=note.first,
                last=note.last,
                shown=False,
            ),
        )

    async def _replace(self, writer: WriteTransaction, chunk: Chunk, run: _Run, thought: _Thought) -> Chunk:
        """Return a chunk with its new notes; unchanged, with the reason, if there are none."""
        notes = [part.notes for part in thought.runs if part.notes is not None]
        writer.audit_dropped("note", thought.refused)
        failed = next((part.reason for part in thought.runs if part.notes is None), "")
        if failed:
            tried = replace(chunk, failure=failed, tries=chunk.tries + 1, observed_at=self._rules.clock.now())
            await writer.put(tried)
            return tried
        found = await writer.tx.observations.notes(chunk.session, chunk.first, chunk.last)
        await retire_notes(writer, [old for old in found if old.status in (Status.BUFFERED, Status.ACTIVE)])
        noted = sum([await self._note_part(writer, run, part, thought) for part in thought.runs])
        again = replace(
            chunk,
            # What is shown already has been approved of, where that is asked for.
            state=ChunkState.BUFFERED if chunk.state is ChunkState.ACTIVE else self._observed(writer.tx.scope),
            noted=noted,
            place=None,
            task=notes[-1].task,
            suggestion=notes[-1].suggestion,
            engine=thought.engine,
            model=thought.model,
            # Notes that the rules made instead of a model stay on the list, so that the model can retry.
            failure=chunk.failure if thought.engine == WORDS and self.asks_model else "",
            tries=chunk.tries + 1,
            observed_at=self._rules.clock.now(),
            activated_at=None,
        )
        await writer.put(again)
        # Notes that were visible are shown at once; otherwise their messages would be in the context verbatim again.
        if chunk.state is ChunkState.ACTIVE:
            await show_chunks(writer, [again], by_scope=self._window(writer.tx.scope).by_scope)
        return await writer.tx.chunks.find(chunk.session, chunk.first) or again


def _observable(message: Message) -> Message | None:
    """Return a message without recalled memories and without text of the agent's program; `None` if nothing is left."""
    if message.status is not Status.ACTIVE or message.echo or HARNESS in message.metadata:
        return None
    left = without_harness(message.text)
    return replace(message, text=left) if left.strip() or left == message.text else None


def _parts(messages: Sequence[Message]) -> list[Message]:
    return [part for message in messages for part in _apart(message)]


def _apart(message: Message) -> list[Message]:
    """Return the parts of a message: its speaker's words, and untrusted or quoted text."""
    if message.role is Role.TOOL:
        return [message]
    trusted = message.trust is Trust.TRUSTED
    quoted = quoted_words(message.text) if trusted else message.text
    if not quoted.strip():
        return [message]
    who = f"Quoted ({speaker_of(message)})"
    others = replace(message, text=quoted, speaker=who, trust=Trust.UNTRUSTED)
    own = own_words(message.text) if trusted else ""
    return [replace(message, text=own), others] if own.strip() else [others]


def raw_tokens(session: Session, chunks: Sequence[Chunk]) -> int:
    """Return the tokens of a session that are served verbatim, without the text around messages."""
    return session.tokens - sum(
        chunk.tokens for chunk in chunks if chunk.session == session.id and chunk.state is ChunkState.ACTIVE
    )


def cut(messages: Sequence[Message], least: int, *, last: int | None, everything: bool) -> int | None:
    """Return the number of the last message of the next run; `None` if too few tokens wait.

    A message that is larger than a run is a run of its own. The last message of a session may be a call that a tool is
    about to answer, so a run ends with it only if `everything` is true.

    Args:
        messages: those after the cursor, in order.
        least: the tokens of a run, as a block renders it.
        last: the last number of the session, if all of its messages are in `messages`.
    """
    tokens, ends = 0, -1
    for place, message in enumerate(messages):
        if tokens and message.tokens > least and ends == place - 1:
            break
        tokens += message.tokens + AROUND_MESSAGE
        after = messages[place + 1] if place + 1 < len(messages) else None
        known = after is not None or (last is not None and everything)
        if known and can_split_between(message, after) and (after is not None or calls_are_answered(messages)):
            ends = place
            if tokens >= least:
                break
    else:
        if last is None or not everything:
            return None
    # What was erased behind the last message goes with it.
    if last is not None and ends == len(messages) - 1:
        return last
    return messages[ends].number if ends >= 0 else None


async def _following(tx: Tx, session: str, least: int, *, everything: bool) -> _Run | None:
    """Return the run after the cursor of a session; `None` if too few tokens wait.

    Args:
        least: the tokens of a run.
    """
    found = await tx.sessions.find(session)
    if found is None or not found.record or found.observed >= found.messages:
        return None
    messages: list[Message] = []
    read = found.observed
    end: int | None = None
    while end is None and read < found.messages:
        messages += await tx.messages.by_number(session, read + 1, read + _PAGE)
        read = min(read + _PAGE, found.messages)
        end = cut(messages, least, last=found.messages if read == found.messages else None, everything=everything)
    if end is None:
        return None
    kept = tuple(message for message in messages if message.number <= end)
    return _Run(session=session, first=found.observed + 1, last=end, messages=kept)


async def _noted_before(tx: Tx, run: _Run) -> list[Observation]:
    """Return the latest earlier notes: those of the log, then the buffered ones."""
    log = await tx.observations.in_log(run.session)
    noted = await tx.observations.notes(run.session, 1, run.first - 1) if run.first > 1 else []
    waiting = [one for one in noted if one.status is Status.BUFFERED]
    # Of a run that is observed again what came after it is known as well, and was not before it.
    return [one for one in (*log, *waiting) if one.first < run.first][-_LOG_SHOWN:]


async def _chunk_of(tx: Tx, session: str, first: int) -> tuple[Chunk, list[Message]]:
    """Return the chunk that begins with a message, and its messages.

    Raises:
        NotFound: there is none.
    """
    chunk = await tx.chunks.find(session, first)
    if chunk is None:
        raise NotFound("chunk", f"{session} {first}")
    return chunk, await tx.messages.by_number(session, chunk.first, chunk.last)


def _highest(messages: Sequence[Message], first: int, last: int) -> Classification:
    """Return the highest classification of messages by their numbers, inclusive."""
    return most_restrictive(message.classification for message in messages if first <= message.number <= last)


def _joined(runs: Sequence[ObservedRun], run: _Run) -> tuple[ObservedRun, ...]:
    """Return the parts into which a model split a run, extended so that no gap is left between them."""
    ends = [*(following.first - 1 for following in runs[1:]), run.last]
    begins = [run.first, *(end + 1 for end in ends[:-1])]
    return tuple(replace(part, first=begin, last=end) for part, begin, end in zip(runs, begins, ends, strict=True))
