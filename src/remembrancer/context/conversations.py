"""Conversations within their token limits: observed messages make room.

A context only grows at its end between two activations; an activation replaces old messages with notes, in one step.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

import anyio

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.learn.observer import Observer, raw_tokens
from remembrancer.learn.reflector import Reflector
from remembrancer.storage.tx import Tx
from remembrancer.transactions.transitions import show_chunks
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.access import Caller
from remembrancer.types.budget import AROUND_MESSAGE, Window
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState, Log
from remembrancer.types.record import Observation, Reflection
from remembrancer.types.scope import Scope
from remembrancer.types.session import Session

# A note in one of these statuses covers its messages, itself or through the reflection that merged it.
_COVERING_STATUSES = (Status.ACTIVE, Status.RETIRED, Status.MERGED, Status.ARCHIVED)
# The most sessions of a scope that form one conversation.
_MAX_SESSIONS = 1_000
# A conversation with this many raw tokens, and twice the limit, is left to the background: no caller waits for it.
_FAR_BEHIND_TOKENS = 100_000
_CATCHING_UP_SECONDS = 0.5
_ROUND_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class UncoveredMessage:
    """A message of a replaced chunk whose note was rejected by a person.

    No other note covers it, so it is shown verbatim again.
    """

    session: str
    number: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationState:
    """The sessions of a conversation, their chunks and the state of the log.

    Args:
        uncovered: messages of active chunks that are shown verbatim all the same.
    """

    sessions: tuple[Session, ...]
    chunks: tuple[Chunk, ...]
    log: Log
    uncovered: tuple[UncoveredMessage, ...] = ()

    @property
    def raw(self) -> int:
        """The tokens shown verbatim, without the markup around each message."""
        own = sum(raw_tokens(session, self.chunks) for session in self.sessions)
        return own + sum(one.tokens for one in self.uncovered)

    @property
    def waiting(self) -> int:
        """The tokens of a block in raw messages that notes may replace."""
        own = {session.id: session.tokens + AROUND_MESSAGE * session.messages for session in self.sessions}
        shown = (chunk for chunk in self.chunks if chunk.state is ChunkState.ACTIVE and chunk.session in own)
        return sum(own.values()) - sum(map(_tokens_in_block, shown))

    def raw_spans(self, session: Session) -> list[tuple[int, int]]:
        """Return the first and last numbers of the messages shown verbatim."""
        spans = [(one.number, one.number) for one in self.uncovered if one.session == session.id]
        begin = 1
        for chunk in self.chunks:
            if chunk.session == session.id and chunk.state is ChunkState.ACTIVE:
                spans.append((begin, chunk.first - 1))
                begin = chunk.last + 1
        return sorted(span for span in [*spans, (begin, session.messages)] if span[0] <= span[1])


async def load_state(tx: Tx, session: str, *, by_scope: bool) -> ConversationState:
    """Return the state of a conversation in a transaction.

    Args:
        session: any of its sessions.
        by_scope: whether all sessions of the exact scope are one conversation.
    """
    if by_scope:
        sessions = sorted(await tx.sessions.list(limit=_MAX_SESSIONS), key=lambda one: (one.started_at, one.id))
    else:
        stored = await tx.sessions.find(session)
        sessions = [stored] if stored else []
    chunks = await tx.chunks.list(None if by_scope else session)
    return ConversationState(
        sessions=tuple(sessions),
        chunks=tuple(chunks),
        log=await tx.logs.find("" if by_scope else session),
        uncovered=tuple([message for one in sessions for message in await uncovered_messages(tx, one.id, chunks)]),
    )


async def uncovered_messages(
    tx: Tx, session: str, chunks: Sequence[Chunk], *, known_by: datetime | None = None
) -> list[UncoveredMessage]:
    """Return the messages of a session that only rejected notes covered.

    Args:
        known_by: counts only rejections up to this time.
    """
    rejected = await tx.observations.rejected_notes(session)
    rejected = [note for note in rejected if known_by is None or note.updated_at <= known_by]
    shown = [chunk for chunk in chunks if chunk.session == session and chunk.state is ChunkState.ACTIVE]
    uncovered: dict[int, UncoveredMessage] = {}
    for chunk in shown if rejected else ():
        within = [note for note in rejected if chunk.first <= note.first <= chunk.last]
        if not within:
            continue
        notes = await tx.observations.notes(session, chunk.first, chunk.last)
        covered = {
            number for note in notes if note.status in _COVERING_STATUSES for number in range(note.first, note.last + 1)
        }
        for note in within:
            for message in await tx.messages.by_number(session, note.first, note.last):
                if message.number not in covered and message.status is Status.ACTIVE:
                    uncovered[message.number] = UncoveredMessage(
                        session=session, number=message.number, tokens=message.tokens
                    )
    return [uncovered[number] for number in sorted(uncovered)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStats:
    """The statistics of a conversation; tokens as counted when recorded.

    Args:
        messages: the number of recorded messages.
        tokens: the tokens of all messages.
        raw: the tokens of the messages that are shown verbatim.
        buffered: the raw tokens that are observed already, and wait to be replaced by their notes.
        covered: the tokens of the messages that are replaced by notes.
        noted: the tokens of the notes.
        ratio: covered over noted; 0 while nothing is covered.
        chunks: the number of observed chunks.
        activations: how often notes replaced messages.
        reflections: the number of reflections among the notes.
        waiting: the tokens that are not observed yet.
        dead: the number of chunks that no model could observe.
    """

    messages: int
    tokens: int
    raw: int
    buffered: int
    covered: int
    noted: int
    ratio: float
    chunks: int
    activations: int
    reflections: int
    waiting: int
    dead: int


class ConversationService:
    """Observation, activation and reflection of the conversations of a store.

    Args:
        window: the thresholds of an agent's conversations.
        least: the lowest thresholds of any agent.
        seconds: how long a context waits for a model; after that the rule-based observer is used.
    """

    def __init__(
        self,
        units: UnitsOfWork,
        observer: Observer,
        reflector: Reflector,
        *,
        window: Callable[[Scope], Window],
        least: Callable[[], Window],
        seconds: float = 20.0,
    ) -> None:
        self._units = units
        self.observer = observer
        self.reflector = reflector
        self.window = window
        self.least = least
        self._seconds = seconds

    async def observe_waiting(self, scope: Scope) -> int:
        """Observe what waits in a scope, and activate where the limit is passed.

        After a while no further session is begun: other work comes in between, and the next round continues.

        Returns:
            The number of observed chunks.
        """
        until = anyio.current_time() + _ROUND_SECONDS
        window = self.window(scope)
        least = 1 if window.by_scope else window.chunk_tokens
        waiting = await self._units(scope).read(lambda tx: tx.sessions.unobserved(tokens=least))
        written = 0
        for session in waiting:
            written += await self.observer.observe(scope, session.id, everything=window.by_scope, until=until)
            await self._activate(scope, session.id, window, await self._state(scope, session.id, window))
        return written

    async def reflect(self, scope: Scope) -> int:
        """Reflect on the logs of a scope that have grown enough.

        Returns:
            The number of tokens that the logs shrank by.
        """
        fewer = 0
        for session in await self.reflector.due(scope):
            fewer += await self.reflector.reflect(scope, session)
        return fewer

    async def observe_all(self, scope: Scope, session: str, *, asking: bool = True) -> int:
        """Observe all that waits in a conversation, and activate its notes.

        Returns:
            The number of observed chunks.

        Raises:
            NotFound: there is no such session.
        """
        window = self.window(scope)
        state = await self._state(scope, session, window)
        if not state.sessions:
            raise NotFound("session", session)
        written = 0
        for one in state.sessions:
            written += await self.observer.observe(scope, one.id, everything=True, asking=asking)
        async with self._units(scope).write() as writer:
            state = await load_state(writer.tx, session, by_scope=window.by_scope)
            await show_chunks(writer, _buffered(state.chunks), by_scope=window.by_scope)
        return written

    async def observe_ended(self, scope: Scope, session: str, *, asking: bool = True) -> None:
        """Observe the rest of an ended session, and activate its notes.

        Waits for a model as long as a context does; after that the rule-based observer is used.

        Args:
            asking: `False` uses no model.
        """
        window = self.window(scope)
        if window.by_scope:
            # Its messages belong to a conversation that continues.
            return
        # Another process may be observing it.
        with suppress(Conflict):
            if asking:
                await self._observed(scope, session, everything=True)
            else:
                await self.observer.observe(scope, session, everything=True, asking=False)
        async with self._units(scope).write() as writer:
            state = await load_state(writer.tx, session, by_scope=False)
            await show_chunks(writer, _buffered(state.chunks), by_scope=False)

    async def approve(self, caller: Caller, session: str, first: int) -> None:
        """Release a chunk that waits for a person's approval.

        Raises:
            NotFound: there is no such chunk.
            NotAllowed: some of its notes are closed to the caller.
            Conflict: it does not wait for approval.
        """
        async with self._units(caller.scope).of(caller).write() as writer:
            engine_tx = writer.as_engine().tx
            chunk = await engine_tx.chunks.find(session, first)
            if chunk is None:
                raise NotFound("chunk", f"{session} {first}")
            if chunk.state is not ChunkState.IN_REVIEW:
                raise Conflict(
                    f"chunk {first} of session {session!r} is {chunk.state}; only chunks in review can be approved"
                )
            notes = await engine_tx.observations.notes(session, chunk.first, chunk.last)
            if len(await writer.tx.observations.notes(session, chunk.first, chunk.last)) < len(notes):
                raise NotAllowed("the caller cannot read all notes of the chunk, so it cannot approve them")
            await writer.put(replace(chunk, state=ChunkState.BUFFERED), action="approved", kind="chunk")

    async def stats(self, caller: Caller, session: str) -> ConversationStats:
        """Return the statistics of a conversation.

        Raises:
            NotFound: there is no such session.
        """
        window = self.window(caller.scope)

        async def work(tx: Tx) -> tuple[ConversationState, Sequence[Observation]]:
            state = await load_state(tx, session, by_scope=window.by_scope)
            return state, await tx.observations.in_log(None if window.by_scope else session)

        state, log = await self._units(caller.scope).of(caller).read(work)
        if not state.sessions:
            raise NotFound("session", session)
        active = [chunk for chunk in state.chunks if chunk.state is ChunkState.ACTIVE]
        covered = sum(chunk.tokens for chunk in active)
        noted = sum(record.tokens for record in log)
        return ConversationStats(
            messages=sum(one.messages for one in state.sessions),
            tokens=sum(one.tokens for one in state.sessions),
            raw=state.raw,
            buffered=sum(chunk.tokens for chunk in _buffered(state.chunks)),
            covered=covered,
            noted=noted,
            ratio=round(covered / noted, 2) if noted else 0.0,
            chunks=len(state.chunks),
            activations=len({chunk.activated_at for chunk in active}),
            reflections=sum(isinstance(record, Reflection) for record in log),
            waiting=sum(one.tokens - one.observed_tokens for one in state.sessions),
            dead=sum(bool(chunk.failure) for chunk in state.chunks),
        )

    async def enforce_limits(self, scope: Scope, session: str, *, window: int, fixed: int, recalled: int = 0) -> None:
        """Bring a conversation within its thresholds, and wait for that.

        Args:
            window: tokens of the model's window; what it leaves to messages and notes may lower the thresholds.
            fixed: the tokens of the fixed slots.
            recalled: the tokens for recalled memories.
        """
        thresholds = self.window(scope).within(window, fixed=fixed, recalled=recalled)
        state = await self._state(scope, session, thresholds)
        state = await self._activate(scope, session, thresholds, state)
        if _must_wait(state, thresholds):
            state = await self._catch_up(scope, session, thresholds, state)
        limit = thresholds.wait * thresholds.observation_limit(state.raw)
        if state.log.tokens >= limit and state.log.fresh >= thresholds.fresh_tokens:
            await self._reflect_now(scope, state.log)

    async def _catch_up(
        self, scope: Scope, session: str, window: Window, state: ConversationState
    ) -> ConversationState:
        """Observe until the raw messages fit, with the rule-based observer last.

        Of a large backlog, such as an imported chat, only as much is observed as a short time allows: the background
        and the next contexts do the rest.
        """
        late = state.waiting > max(_FAR_BEHIND_TOKENS, 2 * window.message_limit(state.log.tokens))
        until = anyio.current_time() + _CATCHING_UP_SECONDS if late else math.inf
        for everything in (False, True):
            for one in state.sessions:
                await self._observed(scope, one.id, everything=everything, until=until)
            state = await self._activate(scope, session, window, await self._state(scope, session, window))
            if not _must_wait(state, window) or anyio.current_time() >= until:
                return state
        for chunk in state.chunks:
            if chunk.state is ChunkState.DEAD:
                # Another process may have observed it, and its messages may be erased: the state read next decides.
                with suppress(Conflict, NotFound):
                    await self.observer.retry(scope, chunk.session, chunk.first, asking=False)
                state = await self._activate(scope, session, window, await self._state(scope, session, window))
                if not _must_wait(state, window):
                    break
        return state

    async def _observed(self, scope: Scope, session: str, *, everything: bool, until: float = math.inf) -> None:
        if until < math.inf:
            await self.observer.observe(scope, session, everything=everything, asking=False, until=until)
            return
        with anyio.move_on_after(self._seconds) as waited:
            await self.observer.observe(scope, session, everything=everything)
        if waited.cancelled_caught:
            await self.observer.observe(scope, session, everything=everything, asking=False)

    async def _reflect_now(self, scope: Scope, log: Log) -> None:
        try:
            with anyio.move_on_after(self._seconds) as waited:
                if await self.reflector.reflect(scope, log.session):
                    return
            if waited.cancelled_caught:
                await self.reflector.reflect(scope, log.session, asking=False)
        except Conflict:
            # Another process is reflecting; the next turn sees the result.
            return

    async def _state(self, scope: Scope, session: str, window: Window) -> ConversationState:
        return await self._units(scope).read(lambda tx: load_state(tx, session, by_scope=window.by_scope))

    async def _activate(
        self, scope: Scope, session: str, window: Window, state: ConversationState
    ) -> ConversationState:
        """Replace the oldest messages by notes where there are too many.

        Args:
            state: the state before; the chunks are chosen again in the transaction that activates them.

        Returns:
            The state afterwards.
        """
        if not chunks_to_activate(state, window):
            return state
        async with self._units(scope).write() as writer:
            state = await load_state(writer.tx, session, by_scope=window.by_scope)
            await show_chunks(writer, chunks_to_activate(state, window), by_scope=window.by_scope)
            return await load_state(writer.tx, session, by_scope=window.by_scope)


def _must_wait(state: ConversationState, window: Window) -> bool:
    """Return True if a context has to wait until there are fewer raw messages."""
    return state.waiting >= window.wait * window.message_limit(state.log.tokens)


def chunks_to_activate(state: ConversationState, window: Window) -> list[Chunk]:
    """Return the chunks that replace their messages, oldest first.

    The newest messages stay verbatim.
    """
    limit, raw = window.message_limit(state.log.tokens), state.waiting
    chunks: list[Chunk] = []
    if raw < limit:
        return chunks
    for chunk in _buffered(state.chunks):
        if raw - _tokens_in_block(chunk) < window.kept_tokens and (chunks or raw < window.wait * limit):
            break
        chunks.append(chunk)
        raw -= _tokens_in_block(chunk)
    return chunks


def _tokens_in_block(chunk: Chunk) -> int:
    """Return the tokens of a chunk's messages in a block."""
    return chunk.tokens + AROUND_MESSAGE * (chunk.last - chunk.first + 1)


def _buffered(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return the buffered chunks in the order of their observation.

    The chunks of a session stay in their own order.
    """
    latest: dict[str, datetime] = {}
    waiting: list[tuple[datetime, str, int, Chunk]] = []
    for chunk in sorted(chunks, key=lambda chunk: (chunk.session, chunk.first)):
        if chunk.state is ChunkState.BUFFERED:
            # A clock that was set back must not reverse the two halves of a conversation.
            latest[chunk.session] = max(chunk.observed_at, latest.get(chunk.session, chunk.observed_at))
            waiting.append((latest[chunk.session], chunk.session, chunk.first, chunk))
    return [chunk for *_, chunk in sorted(waiting, key=lambda one: one[:3])]
