"""The door to sessions: opening and closing them, and how what was said in them is distilled."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

from remembrancer.context import brief as beginning
from remembrancer.context.conversations import Distilled
from remembrancer.errors import NotFound
from remembrancer.learn import sessions
from remembrancer.learn.sessions import Started
from remembrancer.resources.context import at_start, room_of
from remembrancer.resources.recall import Recalling
from remembrancer.resources.resource import Door
from remembrancer.search.query import MAX_LIMIT
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.draft import Draft
from remembrancer.types.arguments import checked, within
from remembrancer.types.chunk import Chunk
from remembrancer.types.forms import without_hash
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Metadata, Observation
from remembrancer.types.session import Session

MOST_MESSAGES = 1_000_000_000


@checked
class Sessions(Door):
    """The conversations and runs of one scope. Reached as `memory.sessions`."""

    async def start(
        self, id: str | None = None, *, record: bool = True, max_tokens: int | None = None, touch: bool = True
    ) -> Started:
        """Open a session, or resume the one of that id; without an id, the scope's one unnamed active session.

        Args:
            record: `False` recalls and stores nothing: recording in the session is then refused.
            max_tokens: the most that what is told of earlier sessions may have; the setting `start_tokens`, if not
                given.
            touch: `False` leaves no trace of the reading.

        Raises:
            InvalidInput: the id is none, or `max_tokens` is below 1.
        """
        room = room_of(self._engine.start_tokens if max_tokens is None else max_tokens)
        query = Recalling(self._engine, self._caller).query(at_start())
        async with self._desk.write() as writing:
            stale = await sessions.close_stale(writing)
        for name in stale:
            # Nobody who begins a session waits for a model.
            await self._engine.distilling.ended(self._desk.scope, name, asking=False)
        async with self._desk.write() as writing:
            session, is_new = await sessions.open_session(writing, id, record=record)
        rules = self._engine.rules
        found = await self._desk.read(lambda tx: beginning.foremost(tx, query, rules, session=session.id))
        listing = self._engine.remembering.told_at_start(found, max_tokens=room)
        told = {found.records[place].id for place in listing.told}
        if touch and record and told:
            self._engine.sweep.access_log.log_read(self._caller.scope, sorted(told))
        return Started(
            session=session,
            is_new=is_new,
            summaries=tuple(without_hash(summary) for summary in found.summaries if summary.id in told),
            memories=tuple(without_hash(memory) for memory in found.memories if memory.id in told),
            text=listing.text,
            tokens=listing.tokens,
            dropped=tuple(found.records[place].id for place in listing.left_out),
        )

    async def end(self, id: str) -> Session:
        """Close a session; closing it again changes nothing. What was said last in it is observed now.

        Raises:
            NotFound: no such session here.
        """
        scope, name = self._desk.scope, self._name(id)
        summed = await self._engine.summarising.of(scope, name)
        async with self._desk.write() as writing:
            ended = await sessions.end_session(writing, id, summed=summed)
        await self._engine.distilling.ended(scope, ended.id)
        return ended

    async def summarise(
        self,
        id: str,
        text: str,
        *,
        title: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        key: str | None = None,
    ) -> Observation:
        """Store a summary of a session.

        Args:
            occurred_at: when it was written, with its zone; now, if not given.
            key: an idempotency key: the same key again returns the first result and writes nothing.

        Raises:
            NotFound: no such session here.
        """
        summary = Draft(text=text, title=title, occurred_at=occurred_at, metadata=metadata or {}, key=key)
        async with self._desk.write() as writing:
            return await sessions.summarise(writing, id, summary)

    async def observe_now(self, session: str) -> int:
        """Observe all that waits in a session, and show what was noted from now on; how many runs were observed.

        Raises:
            NotFound: no such session here.
        """
        return await self._engine.distilling.now(self._desk.scope, self._name(session))

    async def reflect_now(self, session: str | None = None) -> int:
        """Consolidate the log of a session, or every log of the scope; how many tokens they have fewer.

        Raises:
            NotFound: no such session here.
        """
        name = None if session is None else self._name(session)
        fewer = await self._engine.distilling.reflecting.now(self._desk.scope, name)
        await self._engine.sweep.share_insights([self._desk.scope])
        return fewer

    async def log(self, session: str) -> Sequence[Observation]:
        """What is noted of a conversation and told to an agent: observations and reflections, in their order."""
        name = self._name(session)
        by_scope = self._engine.distilling.window(self._desk.scope).by_scope
        return await self._desk.read(lambda tx: tx.observations.in_log(None if by_scope else name))

    async def noted(self, session: str, first: int) -> Sequence[Observation]:
        """What was noted of a run of messages, whether it is told by now or not; without what a reflection took up.

        Args:
            first: the number of its first message.

        Raises:
            NotFound: no such run here.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)

        async def work(tx: Tx) -> list[Observation]:
            chunk = await tx.chunks.find(name, first)
            if chunk is None:
                raise NotFound("chunk", f"{name} {first}")
            return await tx.observations.noted(name, chunk.first, chunk.last)

        found = await self._desk.read(work)
        return [record for record in found if record.status in (Status.BUFFERED, Status.ACTIVE)]

    async def distilled(self, session: str) -> Distilled:
        """A conversation in numbers: what is raw, what is noted, and what waits.

        Raises:
            NotFound: no such session here.
        """
        return await self._engine.distilling.stats(self._caller, self._name(session))

    async def chunks(self, session: str) -> Sequence[Chunk]:
        """The runs of messages of a session that an observer came by, in order."""
        name = self._name(session)
        return await self._runs("sessions.chunks", lambda tx: tx.chunks.list(name))

    async def dead_letters(self, *, limit: int = 50) -> Sequence[Chunk]:
        """The runs of messages that no model could observe, the latest first; their messages are served all the same.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        return await self._runs("sessions.dead_letters", lambda tx: tx.chunks.failed(limit=limit))

    async def retry(self, session: str, first: int) -> Chunk:
        """Observe a run of messages again; what was noted of it before gives way. It says whether that failed again.

        Args:
            first: the number of its first message.

        Raises:
            NotFound: no such run here.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)
        await self._engine.distilling.observing.retry(self._desk.scope, name, first)
        return await self._chunk(name, first)

    async def approve(self, session: str, first: int) -> Chunk:
        """Let what was noted of a run of messages be shown, where the setting `observe_review` holds it.

        Raises:
            NotFound: no such run here.
            NotAllowed: some of what was noted of it is closed to the caller.
            Conflict: it is not held.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)
        await self._engine.distilling.approve(self._caller, name, first)
        return await self._chunk(name, first)

    async def _runs(self, by: str, read: Callable[[Tx], Awaitable[Sequence[Chunk]]]) -> Sequence[Chunk]:
        """Some runs of messages; who is told what was said in one by its task is told of its messages."""

        async def work(tx: Tx) -> tuple[Sequence[Chunk], list[str]]:
            runs = await read(tx)
            telling = [run for run in runs if run.task or run.suggestion]
            said = [one for run in telling for one in await tx.messages.by_number(run.session, run.first, run.last)]
            return runs, [one.id for one in said]

        runs, ids = await self._desk.read(work)
        if ids:
            self._hear(by, ids)
        return runs

    async def _chunk(self, session: str, first: int) -> Chunk:
        """A chunk as the caller may see it, whatever the engine did with it."""
        chunk = await self._desk.read(lambda tx: tx.chunks.find(session, first))
        if chunk is None:
            raise NotFound("chunk", f"{session} {first}")
        return chunk

    def _name(self, session: str) -> str:
        return sessions.session_name(session, self._engine.rules)

    async def list(self, *, limit: int = 20, all_scopes: bool = False) -> Sequence[Session]:
        """The scope's sessions, the latest active first.

        Args:
            limit: 1 to 1,000.
            all_scopes: those of the scopes under this one, too: from the tenant's own scope, of the whole tenant.

        Raises:
            NotAllowed: `all_scopes`, and the caller is no operator of the whole tenant.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        desk = self._desk.of(self._caller.across_scopes()) if all_scopes else self._desk
        return await desk.read(lambda tx: tx.sessions.list(limit=limit))
