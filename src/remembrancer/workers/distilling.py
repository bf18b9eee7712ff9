"""A conversation kept within its window: what is observed is shown when there is too much, and the log reflected on.

Between two activations what an agent reads only grows at its end; an activation changes it once.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import anyio

from remembrancer.errors import Conflict, NotAllowed, NotFound
from remembrancer.governance.desk import Desks
from remembrancer.governance.log import show
from remembrancer.model.caller import Caller
from remembrancer.model.chunk import Chunk, ChunkState, Log
from remembrancer.model.record import Observation, Reflection
from remembrancer.model.scope import Scope
from remembrancer.model.session import Session
from remembrancer.model.window import Window
from remembrancer.ports.tx import Tx
from remembrancer.workers.observing import Observing, raw_tokens
from remembrancer.workers.reflecting import Reflecting

# Sessions of a scope that may be one conversation.
_SESSIONS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a conversation holds: its sessions, the runs that were observed of them, and its log in numbers."""

    sessions: tuple[Session, ...]
    chunks: tuple[Chunk, ...]
    log: Log

    @property
    def raw(self) -> int:
        """How many tokens are served raw."""
        return sum(raw_tokens(session, self.chunks) for session in self.sessions)

    def raw_spans(self, session: Session) -> list[tuple[int, int]]:
        """First and last numbers of the messages of a session that are served raw, in order."""
        spans: list[tuple[int, int]] = []
        begin = 1
        for chunk in self.chunks:
            if chunk.session == session.id and chunk.state is ChunkState.ACTIVE:
                spans.append((begin, chunk.first - 1))
                begin = chunk.last + 1
        return [span for span in [*spans, (begin, session.messages)] if span[0] <= span[1]]


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
    return Held(sessions=tuple(sessions), chunks=tuple(chunks), log=await tx.logs.find("" if by_scope else session))


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
        """Observe what waits in a scope, and activate where there is too much; how many chunks were observed."""
        window = self.window(scope)
        least = 1 if window.by_scope else window.chunk_tokens
        waiting = await self._desk(scope).read(lambda tx: tx.sessions.unobserved(tokens=least))
        written = 0
        for session in waiting:
            written += await self.observing.observe(scope, session.id, everything=window.by_scope)
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

    async def approve(self, caller: Caller, session: str, first: int) -> None:
        """Let a chunk that was held for a person be shown.

        Raises:
            NotFound: no such chunk here.
            NotAllowed: some of what was noted of it is closed to the caller.
            Conflict: it is not held.
        """
        async with self._desk(caller.scope).of(caller).write() as writing:
            chunk = await writing.tx.chunks.find(session, first)
            if chunk is None:
                raise NotFound("chunk", f"{session} {first}")
            if chunk.state is not ChunkState.HELD:
                raise Conflict(f"chunk {first} of session {session!r} is {chunk.state}, not held for approval")
            behind = writing.as_engine().tx
            noted = await behind.observations.noted(session, chunk.first, chunk.last)
            if len(await writing.tx.observations.noted(session, chunk.first, chunk.last)) < len(noted):
                raise NotAllowed("some of what was noted is closed to this caller, who cannot approve it unread")
            whole = await behind.chunks.find(session, first)
            assert whole is not None
            await writing.note(replace(whole, state=ChunkState.BUFFERED), action="approved", kind="chunk")

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

    async def settle(self, scope: Scope, session: str, *, window: int) -> None:
        """Bring a conversation within its thresholds, waiting for as long as that takes.

        Args:
            window: tokens that both its messages and its log may take together; smaller ones make smaller thresholds.
        """
        thresholds = self.window(scope).within(window)
        state = await self._held(scope, session, thresholds)
        state = await self._give_way(scope, session, thresholds, state)
        if _overrun(state, thresholds):
            state = await self._catch_up(scope, session, thresholds, state)
        limit = thresholds.wait * thresholds.observation_limit(state.raw)
        if state.log.tokens >= limit and state.log.fresh >= thresholds.fresh_tokens:
            await self._consolidate(scope, state.log)

    async def _catch_up(self, scope: Scope, session: str, window: Window, state: Held) -> Held:
        """Observe until the raw messages fit; the words decide what no model could in time."""
        for everything in (False, True):
            for found in state.sessions:
                await self._observed(scope, found.id, everything=everything)
            state = await self._give_way(scope, session, window, await self._held(scope, session, window))
            if not _overrun(state, window):
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

    async def _observed(self, scope: Scope, session: str, *, everything: bool) -> None:
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
    return state.raw >= window.wait * window.message_limit(state.log.tokens)


def giving_way(state: Held, window: Window) -> list[Chunk]:
    """The chunks that are to be shown in place of their messages, oldest first, so that the newest messages stay."""
    limit, raw = window.message_limit(state.log.tokens), state.raw
    chosen: list[Chunk] = []
    if raw < limit:
        return chosen
    for chunk in _waiting(state.chunks):
        if raw - chunk.tokens < window.kept_tokens and (chosen or raw < window.wait * limit):
            break
        chosen.append(chunk)
        raw -= chunk.tokens
    return chosen


def _waiting(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Those that may be shown, in the order in which they were observed."""
    waiting = [chunk for chunk in chunks if chunk.state is ChunkState.BUFFERED]
    return sorted(waiting, key=lambda chunk: (chunk.observed_at, chunk.session, chunk.first))
