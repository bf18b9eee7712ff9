"""Messages to observations: read a run, think without a transaction, write it at the cursor or not at all.

A run that was read is written only where the cursor still stands before it, so that two observers of one session, or
one that is killed and starts again, note each message once. Until a chunk is activated its messages are served raw.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import BudgetExceeded, Conflict, NotAllowed, NotFound, ProviderUnavailable
from remembrancer.ingest.admit import admit
from remembrancer.language.harness import without_harness
from remembrancer.language.quoting import own_words, quoted_words
from remembrancer.learn.llm.observer import ObservedRun, observe_asking
from remembrancer.learn.observe.observe import observe
from remembrancer.llm.call import Asker, Models
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Derived, Draft
from remembrancer.transactions.log import retire, show
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.transactions.write import NewChunk, Writing
from remembrancer.types.budget import AROUND_MESSAGE, Window
from remembrancer.types.calls import CallPurpose
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkNotes, ChunkState, Note, calls_are_answered, can_split_between
from remembrancer.types.record import HARNESS, Message, Observation, Role, Source, speaker_of
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification, Scope, Trust, most_restrictive
from remembrancer.types.session import Session

WORDS = "words-observer 1"
ASKING = "asking-observer"
AUTHOR = "remembrancer"
# A run may need more than a whole chunk of answer, with what JSON puts around each claim.
ANSWER_TOKENS = 12_000
IMPORTANCE = {1: 0.3, 2: 0.4, 3: 0.5, 4: 0.6, 5: 0.7}
_PAGE = 256
# How often a run is observed anew where its messages were taken away, or another observer was first.
_TRIES = 5
# Of the log, what may be told to a model again.
_LOG_TOLD = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Messages of one session that are observed together, and where the run ends: some may be gone."""

    session: str
    first: int
    last: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thought:
    """What became of a run, who thought, what was noted before, and what was dropped of answers, by its reason."""

    runs: tuple[ObservedRun, ...]
    engine: str
    model: str = ""
    before: Sequence[Observation] = ()
    refused: Mapping[str, int] = field(default_factory=dict[str, int])


class Observing:
    """The observer of one open store.

    Args:
        zone: whose "yesterday" is meant.
        window: the thresholds of an agent's conversations.
        models: asked where one is configured to observe; else, and where it fails, the words decide.
        seconds: how long a model may take for one run.
    """

    def __init__(
        self,
        desk: Desks,
        rules: Dependencies,
        *,
        zone: tzinfo,
        window: Callable[[Scope], Window],
        models: Models | None = None,
        seconds: float = 300.0,
    ) -> None:
        self._desk = desk
        self._rules = rules
        self._zone = zone
        self._window = window
        self._models = models
        self._seconds = seconds

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
        written = clashes = 0
        while clashes < _TRIES and anyio.current_time() < until:
            run = await self._next(scope, session, everything)
            if run is None:
                return written
            thought = await self._thought(scope, run, asking=asking)
            try:
                written += await self._write(scope, run, thought)
            except (Conflict, NotFound):
                clashes += 1
        return written

    async def retry(self, scope: Scope, session: str, first: int, *, asking: bool = True) -> Chunk:
        """Observe a chunk again that a model could not; what was noted of it before gives way.

        One that was observed well stays as it is, so that a retry that was broken off can be made again.

        Raises:
            NotFound: no such chunk here.
            Conflict: somebody else changed it meanwhile.
        """
        chunk, messages = await self._desk(scope).read(lambda tx: _chunk_of(tx, session, first))
        if not chunk.failure:
            return chunk
        run = _Run(session=session, first=chunk.first, last=chunk.last, messages=tuple(messages))
        thought = await self._thought(scope, run, asking=asking)
        async with self._desk(scope).write() as writing:
            if await writing.tx.chunks.find(session, first) != chunk:
                raise Conflict(f"chunk {first} of session {session!r} was observed meanwhile")
            return await self._replace(writing, chunk, run, thought)

    async def _next(self, scope: Scope, session: str, everything: bool) -> _Run | None:
        """The run that follows the cursor, where enough waits."""
        least = self._window(scope).chunk_tokens
        return await self._desk(scope).read(lambda tx: _following(tx, session, least, everything=everything))

    async def _thought(self, scope: Scope, run: _Run, *, asking: bool) -> _Thought:
        """What is noted of a run; no transaction is open."""
        standing = [said for message in run.messages if (said := _said(message)) is not None]
        models, refused = self._observers, Counter[str]()
        if asking and standing and models is not None:
            try:
                with anyio.fail_after(self._seconds):
                    return await self._asked(models, scope, run, standing, refused)
            except (ProviderUnavailable, BudgetExceeded, TimeoutError):
                # The words decide: the conversation goes on.
                pass
            finally:
                self._rules.meter.refused(scope, CallPurpose.OBSERVE, refused)
        before = await self._desk(scope).read(lambda tx: _noted_before(tx, run)) if standing else []
        notes = await run_sync(lambda: self._by_words(_parts(standing), [one.text for one in before]))
        return _Thought(
            runs=(ObservedRun(first=run.first, last=run.last, notes=notes),),
            engine=WORDS,
            before=before,
            refused=refused,
        )

    @property
    def _observers(self) -> Models | None:
        """The models, where there is one that observes."""
        return self._models if self._models is not None and self._models.available(CallPurpose.OBSERVE) else None

    def _by_words(self, messages: Sequence[Message], before: Sequence[str]) -> ChunkNotes:
        if not messages:
            return ChunkNotes(notes=())
        return observe(messages, zone=self._zone, types=self._rules.types, noted=before)

    def _left_over(self, messages: Sequence[Message], part: ObservedRun, before: Sequence[str]) -> ObservedRun:
        """A run with what the words note of the messages of which a claim was dropped."""
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
        ask = Asker(models, scope, run.session, CallPurpose.OBSERVE, max_tokens=ANSWER_TOKENS)
        log = await self._desk(scope).read(lambda tx: _noted_before(tx, run))
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
        """A run whose task, and what to keep in mind, no untrusted words have had a hand in."""
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
        async with self._desk(scope).write() as writing:
            for part in thought.runs:
                chunk = self._chunk(run, part, thought, self._observed(scope))
                await writing.note(NewChunk(chunk=chunk))
                if part.notes is not None:
                    noted = await self._note_part(writing, run, part, thought)
                    await writing.note(replace(chunk, noted=noted))
            writing.refused("note", thought.refused)
        return len(thought.runs)

    def _observed(self, scope: Scope) -> ChunkState:
        """What becomes of a run that was observed: it waits to be shown, or first for a person."""
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

    async def _note_part(self, writing: Writing, run: _Run, part: ObservedRun, thought: _Thought) -> int:
        """Admit all that was noted of a part of a run, by a model and by the words; its tokens."""
        tokens = await self._note(writing, run, part.notes, thought) if part.notes else 0
        if part.by_words is None:
            return tokens
        return tokens + await self._note(writing, run, part.by_words, _Thought(runs=(), engine=WORDS))

    async def _note(self, writing: Writing, run: _Run, notes: ChunkNotes, thought: _Thought) -> int:
        """Admit notes, to be shown later; their tokens. What a person has rejected is not noted again."""
        tokens = 0
        for note in notes.notes:
            with_sources = self._draft(run, note, thought)
            try:
                saved = (await admit(writing, [with_sources]))[0].record
            except NotAllowed:
                continue
            if isinstance(saved, Observation) and saved.status is Status.BUFFERED:
                tokens += saved.tokens
        await self._rest_on(writing, run, notes, thought.before)
        return tokens

    async def _rest_on(self, writing: Writing, run: _Run, notes: ChunkNotes, before: Sequence[Observation]) -> None:
        """Let what was noted before, and was said again, rest on that as well, where it is as trusted and as open."""
        said: dict[str, list[Message]] = {}
        for place, number in notes.again if before else ():
            said.setdefault(before[place].id, []).extend(one for one in run.messages if one.number == number)
        for id, messages in said.items():
            noted = await writing.tx.records.find(id)
            if not isinstance(noted, Observation) or noted.status not in (Status.ACTIVE, Status.BUFFERED):
                continue
            alike = (one for one in messages if (one.trust, one.classification) == (noted.trust, noted.classification))
            if more := [one.id for one in alike if one.id not in noted.evidence and one.status is not Status.DELETED]:
                await writing.change(noted, Change(evidence=tuple(more)))

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

    async def _replace(self, writing: Writing, chunk: Chunk, run: _Run, thought: _Thought) -> Chunk:
        """A chunk with what was noted of it now; where nothing could be, it stays as it is and says why."""
        notes = [part.notes for part in thought.runs if part.notes is not None]
        writing.refused("note", thought.refused)
        failed = next((part.reason for part in thought.runs if part.notes is None), "")
        if failed:
            tried = replace(chunk, failure=failed, tries=chunk.tries + 1, observed_at=self._rules.clock.now())
            await writing.note(tried)
            return tried
        found = await writing.tx.observations.noted(chunk.session, chunk.first, chunk.last)
        await retire(writing, [old for old in found if old.status in (Status.BUFFERED, Status.ACTIVE)])
        noted = sum([await self._note_part(writing, run, part, thought) for part in thought.runs])
        again = replace(
            chunk,
            # What is shown already has been approved of, where that is asked for.
            state=ChunkState.BUFFERED if chunk.state is ChunkState.ACTIVE else self._observed(writing.tx.scope),
            noted=noted,
            place=None,
            task=notes[-1].task,
            suggestion=notes[-1].suggestion,
            engine=thought.engine,
            model=thought.model,
            # What the words took in place of a model stays on the list, for the model to try again.
            failure=chunk.failure if thought.engine == WORDS and self._observers is not None else "",
            tries=chunk.tries + 1,
            observed_at=self._rules.clock.now(),
            activated_at=None,
        )
        await writing.note(again)
        # What was shown before is shown anew at once, or the messages would stand in the context raw again.
        if chunk.state is ChunkState.ACTIVE:
            await show(writing, [again], by_scope=self._window(writing.tx.scope).by_scope)
        return await writing.tx.chunks.find(chunk.session, chunk.first) or again


def _said(message: Message) -> Message | None:
    """A message as it is observed: without what memory told, and what the program around the agent wrote."""
    if message.status is not Status.ACTIVE or message.echo or HARNESS in message.metadata:
        return None
    left = without_harness(message.text)
    return replace(message, text=left) if left.strip() or left == message.text else None


def _parts(messages: Sequence[Message]) -> list[Message]:
    return [part for message in messages for part in _apart(message)]


def _apart(message: Message) -> list[Message]:
    """A message as the words observe it: what is untrusted, or quotes others, is not what its speaker said."""
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
    """How many tokens of a session are served raw, without what a block writes around each message."""
    return session.tokens - sum(
        chunk.tokens for chunk in chunks if chunk.session == session.id and chunk.state is ChunkState.ACTIVE
    )


def cut(messages: Sequence[Message], least: int, *, last: int | None, everything: bool) -> int | None:
    """The number that the next run ends with, or `None` where too little waits.

    A message that is larger than a run is one of its own. The last message of a session may be about to be answered by
    a tool, so a run ends with it only where everything is asked for.

    Args:
        messages: those after the cursor, in order.
        least: the tokens of a run, as a block writes it.
        last: the number that was given last in the session, where all of its messages are here.
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
    """The run of messages that follows the cursor of a session; `None` where too little waits.

    Args:
        least: the tokens of a run.
    """
    found = await tx.sessions.find(session)
    if found is None or not found.record or found.observed >= found.messages:
        return None
    said: list[Message] = []
    read = found.observed
    end: int | None = None
    while end is None and read < found.messages:
        said += await tx.messages.by_number(session, read + 1, read + _PAGE)
        read = min(read + _PAGE, found.messages)
        end = cut(said, least, last=found.messages if read == found.messages else None, everything=everything)
    if end is None:
        return None
    kept = tuple(message for message in said if message.number <= end)
    return _Run(session=session, first=found.observed + 1, last=end, messages=kept)


async def _noted_before(tx: Tx, run: _Run) -> list[Observation]:
    """The end of what was noted before a run: the log, and behind it what waits to be shown."""
    log = await tx.observations.in_log(run.session)
    noted = await tx.observations.noted(run.session, 1, run.first - 1) if run.first > 1 else []
    waiting = [one for one in noted if one.status is Status.BUFFERED]
    # Of a run that is observed again what came after it is known as well, and was not before it.
    return [one for one in (*log, *waiting) if one.first < run.first][-_LOG_TOLD:]


async def _chunk_of(tx: Tx, session: str, first: int) -> tuple[Chunk, list[Message]]:
    """The chunk that begins with a message, and its messages.

    Raises:
        NotFound: there is none.
    """
    chunk = await tx.chunks.find(session, first)
    if chunk is None:
        raise NotFound("chunk", f"{session} {first}")
    return chunk, await tx.messages.by_number(session, chunk.first, chunk.last)


def _highest(messages: Sequence[Message], first: int, last: int) -> Classification:
    """The highest classification of some messages by their numbers, both inclusive."""
    return most_restrictive(message.classification for message in messages if first <= message.number <= last)


def _joined(runs: Sequence[ObservedRun], run: _Run) -> tuple[ObservedRun, ...]:
    """The runs that a model made of one, with what stands between their messages: they follow without gaps."""
    ends = [*(following.first - 1 for following in runs[1:]), run.last]
    begins = [run.first, *(end + 1 for end in ends[:-1])]
    return tuple(replace(part, first=begin, last=end) for part, begin, end in zip(runs, begins, ends, strict=True))
