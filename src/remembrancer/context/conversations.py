"""A conversation kept within its window: what is observed is shown when there is too much, and the log reflected on.

Between two activations what an agent reads only grows at its end; an activation changes it once.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

import anyio

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.learn.observer import Observing, raw_tokens
from remembrancer.learn.reflector import Reflecting
from remembrancer.storage.tx import Tx
from remembrancer.transactions.log import show
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.types.access import Caller
from remembrancer.types.budget import AROUND_MESSAGE, Window
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState, Log
from remembrancer.types.record import Observation, Reflection
from remembrancer.types.scope import Scope
from remembrancer.types.session import Session

# In which a note tells of its messages, or an insight does that took it up.
_TELLING = (Status.ACTIVE, Status.RETIRED, Status.MERGED, Status.ARCHIVED)
# Sessions of a scope that may be one conversation.
_SESSIONS = 1_000
# A conversation with so many raw tokens, and twice as many as may be, is not caught up with while somebody waits.
_FAR_BEHIND_TOKENS = 100_000
_CATCHING_UP_SECONDS = 0.5
_ROUND_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """A message that gave way to a note which a person has called wrong, and that no other note tells of."""

    session: str
    number: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a conversation holds: its sessions, the runs that were observed of them, and its log in numbers.

    Args:
        untold: messages of runs that are told by their notes, which are told raw all the same.
    """

    sessions: tuple[Session, ...]
    chunks: tuple[Chunk, ...]
    log: Log
    untold: tuple[Untold, ...] = ()

    @property
    def raw(self) -> int:
        """How many tokens are served raw, without what a block writes around each message."""
        own = sum(raw_tokens(session, self.chunks) for session in self.sessions)
        return own + sum(one.tokens for one in self.untold)

    @property
    def waiting(self) -> int:
        """How many tokens of a block the raw messages take that may give way to notes."""
        own = {session.id: session.tokens + AROUND_MESSAGE * session.messages for session in self.sessions}
        shown = (chunk for chunk in self.chunks if chunk.state is ChunkState.ACTIVE and chunk.session in own)
        return sum(own.values()) - sum(map(_in_block, shown))

    def raw_spans(self, session: Session) -> list[tuple[int, int]]:
        """First and last numbers of the messages of a session that are served raw, in order."""
        spans = [(one.number, one.number) for one in self.untold if one.session == session.id]
        begin = 1
        for chunk in self.chunks:
            if chunk.session == session.id and chunk.state is ChunkState.ACTIVE:
                spans.append((begin, chunk.first - 1))
                begin = chunk.last + 1
        return sorted(span for span in [*spans, (begin, session.messages)] if span[0] <= span[1])


async def held(tx: Tx, session: str, *, by_scope: bool) -> Held:
    """What a conversation holds as of a transaction.

    Args:
        session: any of its sessions.
        by_scope: whether all sessions of the exact scope are one conversation.
    """
    if by_scope:
        sessions = sorted(await tx.sessions.list(limit=_SESSIONS), key=lambda found: (found.started_at, found.id))
    else:
        found = await tx.sessions.find(session)
        sessions = [found] if found else []
    chunks = await tx.chunks.list(None if by_scope else session)
    return Held(
        sessions=tuple(sessions),
        chunks=tuple(chunks),
        log=await tx.logs.find("" if by_scope else session),
        untold=tuple([one for found in sessions for one in await untold(tx, found.id, chunks)]),
    )


async def untold(tx: Tx, session: str, chunks: Sequence[Chunk], *, known_by: datetime | None = None) -> list[Untold]:
    """The messages of a session that only notes told of which a person has called wrong.

    Args:
        known_by: only what was called so by then, where given.
    """
    struck = await tx.observations.struck(session)
    struck = [note for note in struck if known_by is None or note.updated_at <= known_by]
    shown = [chunk for chunk in chunks if chunk.session == session and chunk.state is ChunkState.ACTIVE]
    found: dict[int, Untold] = {}
    for chunk in shown if struck else ():
        within = [note for note in struck if chunk.first <= note.first <= chunk.last]
        if not within:
            continue
        noted = await tx.observations.noted(session, chunk.first, chunk.last)
        standing = {n for note in noted if note.status in _TELLING for n in range(note.first, note.last + 1)}
        for note in within:
            for message in await tx.messages.by_number(session, note.first, note.last):
                if message.number not in standing and message.status is Status.ACTIVE:
                    one = Untold(session=session, number=message.number, tokens=message.tokens)
                    found[message.number] = one
    return [found[number] for number in sorted(found)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distilled:
    """A conversation in numbers; tokens as they were counted when they were recorded.

    Args:
        messages: how many were recorded.
        tokens: of all of them.
        raw: of those that are served as they were said.
        buffered: of those of the raw ones that are observed already, and wait to give way.
        covered: of those that are told by what was noted of them.
        noted: of the log.
        ratio: covered over noted; 0 while nothing is.
        chunks: how many runs of messages were observed.
        activations: how often notes have taken the place of messages.
        reflections: how many stand in the log.
        waiting: of those that no observer has come by.
        dead: how many runs no model could observe.
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


class Distilling:
    """Keeps the conversations of one open store within their windows.

    Args:
        window: the thresholds of an agent's conversations.
        least: from when on anything may be due, for any agent.
        seconds: how long a context waits for a model; past it the words decide.
    """

    def __init__(
        self,
        desk: Desks,
        observing: Observing,
        reflecting: Reflecting,
        *,
        window: Callable[[Scope], Window],
        least: Callable[[], Window],
        seconds: float = 20.0,
    ) -> None:
        self._desk = desk
        self.observing = observing
        self.reflecting = reflecting
        self.window = window
        self.least = least
        self._seconds = seconds

    async def ahead(self, scope: Scope) -> int:
        """Observe what waits in a scope, and activate where there is too much; how many chunks were observed.

        Of what waits for long no more is begun after a while: other work comes in between, and the next round goes on.
        """
        until = anyio.current_time() + _ROUND_SECONDS
        window = self.window(scope)
        least = 1 if window.by_scope else window.chunk_tokens
        waiting = await self._desk(scope).read(lambda tx: tx.sessions.unobserved(tokens=least))
        written = 0
        for session in waiting:
            written += await self.observing.observe(scope, session.id, everything=window.by_scope, until=until)
            await self._give_way(scope, session.id, window, await self._held(scope, session.id, window))
        return written

    async def reflect(self, scope: Scope) -> int:
        """Reflect on the logs of a scope that have grown enough; how many tokens they have fewer."""
        fewer = 0
        for session in await self.reflecting.due(scope):
            fewer += await self.reflecting.reflect(scope, session)
        return fewer

    async def now(self, scope: Scope, session: str, *, asking: bool = True) -> int:
        """Observe all that waits in a conversation, and show what was noted; how many chunks were observed."""
        window = self.window(scope)
        state = await self._held(scope, session, window)
        if not state.sessions:
            raise NotFound("session", session)
        written = 0
        for found in state.sessions:
            written += await self.observing.observe(scope, found.id, everything=True, asking=asking)
        async with self._desk(scope).write() as writing:
            state = await held(writing.tx, session, by_scope=window.by_scope)
            await show(writing, _waiting(state.chunks), by_scope=window.by_scope)
        return written

    async def ended(self, scope: Scope, session: str, *, asking: bool = True) -> None:
        """Observe what is left of a session that is over, and show it: what it came to is found by those that follow.

        Waits for a model as a context does; past that the words decide.

        Args:
            asking: `False` leaves models out.
        """
        window = self.window(scope)
        if window.by_scope:
            # Its messages are of a conversation that goes on.
            return
        # Somebody else may be at it.
        with suppress(Conflict):
            if asking:
                await self._observed(scope, session, everything=True)
            else:
                await self.observing.observe(scope, session, everything=True, asking=False)
        async with self._desk(scope).write() as writing:
            state = await held(writing.tx, session, by_scope=False)
            await show(writing, _waiting(state.chunks), by_scope=False)

    async def approve(self, caller: Caller, session: str, first: int) -> None:
        """Let a chunk that was held for a person be shown.

        Raises:
            NotFound: no such chunk here.
            NotAllowed: some of what was noted of it is closed to the caller.
            Conflict: it is not held.
        """
        async with self._desk(caller.scope).of(caller).write() as writing:
            behind = writing.as_engine().tx
            chunk = await behind.chunks.find(session, first)
            if chunk is None:
                raise NotFound("chunk", f"{session} {first}")
            if chunk.state is not ChunkState.IN_REVIEW:
                raise Conflict(f"chunk {first} of session {session!r} is {chunk.state}, not held for approval")
            noted = await behind.observations.noted(session, chunk.first, chunk.last)
            if len(await writing.tx.observations.noted(session, chunk.first, chunk.last)) < len(noted):
                raise NotAllowed("some of what was noted is closed to this caller, who cannot approve it unread")
            await writing.note(replace(chunk, state=ChunkState.BUFFERED), action="approved", kind="chunk")

    async def stats(self, caller: Caller, session: str) -> Distilled:
        """A conversation in numbers.

        Raises:
            NotFound: no such session here.
        """
        window = self.window(caller.scope)

        async def work(tx: Tx) -> tuple[Held, Sequence[Observation]]:
            state = await held(tx, session, by_scope=window.by_scope)
            return state, await tx.observations.in_log(None if window.by_scope else session)

        state, log = await self._desk(caller.scope).of(caller).read(work)
        if not state.sessions:
            raise NotFound("session", session)
        active = [chunk for chunk in state.chunks if chunk.state is ChunkState.ACTIVE]
        covered = sum(chunk.tokens for chunk in active)
        noted = sum(record.tokens for record in log)
        return Distilled(
            messages=sum(found.messages for found in state.sessions),
            tokens=sum(found.tokens for found in state.sessions),
            raw=state.raw,
            buffered=sum(chunk.tokens for chunk in _waiting(state.chunks)),
            covered=covered,
            noted=noted,
            ratio=round(covered / noted, 2) if noted else 0.0,
            chunks=len(state.chunks),
            activations=len({chunk.activated_at for chunk in active}),
            reflections=sum(isinstance(record, Reflection) for record in log),
            waiting=sum(found.tokens - found.observed_tokens for found in state.sessions),
            dead=sum(bool(chunk.failure) for chunk in state.chunks),
        )

    async def settle(self, scope: Scope, session: str, *, window: int, fixed: int, beside: int = 0) -> None:
        """Bring a conversation within its thresholds, waiting for as long as that takes.

        Args:
            window: tokens of the model's window; what it leaves to messages and log makes smaller thresholds.
            fixed: those of it that the fixed slots take.
            beside: those that what is recalled may take.
        """
        thresholds = self.window(scope).within(window, fixed=fixed, recalled=beside)
        state = await self._held(scope, session, thresholds)
        state = await self._give_way(scope, session, thresholds, state)
        if _overrun(state, thresholds):
            state = await self._catch_up(scope, session, thresholds, state)
        limit = thresholds.wait * thresholds.observation_limit(state.raw)
        if state.log.tokens >= limit and state.log.fresh >= thresholds.fresh_tokens:
            await self._consolidate(scope, state.log)

    async def _catch_up(self, scope: Scope, session: str, window: Window, state: Held) -> Held:
        """Observe until the raw messages fit; the words decide what no model could in time.

        Of what nobody has observed for long, such as an imported chat, as much is observed as a short time allows: the
        rest is left to the background and to the next contexts.
        """
        late = state.waiting > max(_FAR_BEHIND_TOKENS, 2 * window.message_limit(state.log.tokens))
        until = anyio.current_time() + _CATCHING_UP_SECONDS if late else math.inf
        for everything in (False, True):
            for found in state.sessions:
                await self._observed(scope, found.id, everything=everything, until=until)
            state = await self._give_way(scope, session, window, await self._held(scope, session, window))
            if not _overrun(state, window) or anyio.current_time() >= until:
                return state
        for chunk in state.chunks:
            if chunk.state is ChunkState.DEAD:
                # Somebody else may be at it, and what was said may be erased meanwhile: what is held then tells.
                with suppress(Conflict, NotFound):
                    await self.observing.retry(scope, chunk.session, chunk.first, asking=False)
                state = await self._give_way(scope, session, window, await self._held(scope, session, window))
                if not _overrun(state, window):
                    break
        return state

    async def _observed(self, scope: Scope, session: str, *, everything: bool, until: float = math.inf) -> None:
        if until < math.inf:
            await self.observing.observe(scope, session, everything=everything, asking=False, until=until)
            return
        with anyio.move_on_after(self._seconds) as waited:
            await self.observing.observe(scope, session, everything=everything)
        if waited.cancelled_caught:
            await self.observing.observe(scope, session, everything=everything, asking=False)

    async def _consolidate(self, scope: Scope, log: Log) -> None:
        try:
            with anyio.move_on_after(self._seconds) as waited:
                if await self.reflecting.reflect(scope, log.session):
                    return
            if waited.cancelled_caught:
                await self.reflecting.reflect(scope, log.session, asking=False)
        except Conflict:
            # Somebody else is at it; the next turn sees what came of it.
            return

    async def _held(self, scope: Scope, session: str, window: Window) -> Held:
        return await self._desk(scope).read(lambda tx: held(tx, session, by_scope=window.by_scope))

    async def _give_way(self, scope: Scope, session: str, window: Window, state: Held) -> Held:
        """Show what was noted in place of the oldest messages, where there are too many; what is held then.

        Args:
            state: as it was read; what is shown is decided anew in the transaction that shows it.
        """
        if not giving_way(state, window):
            return state
        async with self._desk(scope).write() as writing:
            state = await held(writing.tx, session, by_scope=window.by_scope)
            await show(writing, giving_way(state, window), by_scope=window.by_scope)
            return await held(writing.tx, session, by_scope=window.by_scope)


def _overrun(state: Held, window: Window) -> bool:
    """Whether a context has to wait until there are fewer raw messages."""
    return state.waiting >= window.wait * window.message_limit(state.log.tokens)


def giving_way(state: Held, window: Window) -> list[Chunk]:
    """The chunks that are to be shown in place of their messages, oldest first, so that the newest messages stay."""
    limit, raw = window.message_limit(state.log.tokens), state.waiting
    chosen: list[Chunk] = []
    if raw < limit:
        return chosen
    for chunk in _waiting(state.chunks):
        if raw - _in_block(chunk) < window.kept_tokens and (chosen or raw < window.wait * limit):
            break
        chosen.append(chunk)
        raw -= _in_block(chunk)
    return chosen


def _in_block(chunk: Chunk) -> int:
    """How many tokens of a block the messages of a run take."""
    return chunk.tokens + AROUND_MESSAGE * (chunk.last - chunk.first + 1)


def _waiting(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Those that may be shown, in the order in which they were observed; those of a session in their own order."""
    latest: dict[str, datetime] = {}
    waiting: list[tuple[datetime, str, int, Chunk]] = []
    for chunk in sorted(chunks, key=lambda chunk: (chunk.session, chunk.first)):
        if chunk.state is ChunkState.BUFFERED:
            # A clock that was set back is not to show the second half of a talk before the first.
            latest[chunk.session] = max(chunk.observed_at, latest.get(chunk.session, chunk.observed_at))
            waiting.append((latest[chunk.session], chunk.session, chunk.first, chunk))
    return [chunk for *_, chunk in sorted(waiting, key=lambda one: one[:3])]
