"""Notes of the observer and the reflector on conversations."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from remembrancer.errors import NotFound
from remembrancer.learn import sessions
from remembrancer.resources.resource import Resource
from remembrancer.search.query import MAX_LIMIT
from remembrancer.storage.tx import Tx
from remembrancer.types.arguments import within
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import MOST_MESSAGES, Chunk
from remembrancer.types.record import Observation


class Notes(Resource, path="notes"):
    """The notes on the conversations of one scope. Reached as `memory.notes`."""

    async def observe(self, session: str) -> int:
        """Observe all unobserved messages of a session, activate the notes, and return the number of chunks.

        Raises:
            NotFound: there is no such session in this scope.
        """
        return await self._engine.conversations.observe_all(self._unit.scope, self._name(session))

    async def reflect(self, session: str | None = None) -> int:
        """Consolidate the log of a session, or every log of the scope, and return the number of tokens saved.

        Raises:
            NotFound: there is no such session in this scope.
        """
        name = None if session is None else self._name(session)
        fewer = await self._engine.conversations.reflector.now(self._unit.scope, name)
        await self._engine.worker.share_insights([self._unit.scope])
        return fewer

    async def log(self, session: str) -> Sequence[Observation]:
        """Return the active notes on a conversation, observations and reflections, in the order of the log."""
        name = self._name(session)
        by_scope = self._engine.conversations.window(self._unit.scope).by_scope
        return await self._unit.read(lambda tx: tx.observations.in_log(None if by_scope else name))

    async def of_chunk(self, session: str, first: int) -> Sequence[Observation]:
        """Return the notes on a chunk of messages, active or not, without those that a reflection replaced.

        Args:
            first: the number of the first message of the chunk.

        Raises:
            NotFound: there is no such chunk.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)

        async def work(tx: Tx) -> list[Observation]:
            chunk = await tx.chunks.find(name, first)
            if chunk is None:
                raise NotFound("chunk", f"{name} {first}")
            return await tx.observations.notes(name, chunk.first, chunk.last)

        records = await self._unit.read(work)
        return [record for record in records if record.status in (Status.BUFFERED, Status.ACTIVE)]

    async def chunks(self, session: str) -> Sequence[Chunk]:
        """Return the chunks of messages of a session that an observer has processed, in order."""
        name = self._name(session)
        return await self._chunks("notes.chunks", lambda tx: tx.chunks.list(name))

    async def failed(self, *, limit: int = 50) -> Sequence[Chunk]:
        """Return the chunks that no model could observe, latest first. Contexts show their messages verbatim.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        return await self._chunks("notes.failed", lambda tx: tx.chunks.failed(limit=limit))

    async def in_review(self, *, limit: int = 50) -> Sequence[Chunk]:
        """Return the chunks whose notes wait for the approval of a person, latest first.

        Args:
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        return await self._chunks("notes.in_review", lambda tx: tx.chunks.in_review(limit=limit))

    async def drop(self, session: str, first: int) -> Chunk:
        """Remove a chunk from the failed ones without another attempt, and return it.

        Its notes by rules stay; without notes, contexts continue to show its messages verbatim.

        Args:
            first: the number of the first message of the chunk.

        Raises:
            NotFound: there is no such chunk.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)
        async with self._unit.write() as writer:
            chunk = await writer.as_engine().tx.chunks.find(name, first)
            if chunk is None:
                raise NotFound("chunk", f"{name} {first}")
            if chunk.failure:
                await writer.put(replace(chunk, failure=""), action="dropped", kind="chunk")
        return await self._chunk(name, first)

    async def retry(self, session: str, first: int) -> Chunk:
        """Observe a chunk of messages again, replace its notes, and return it with its new state.

        Args:
            first: the number of the first message of the chunk.

        Raises:
            NotFound: there is no such chunk.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)
        await self._engine.conversations.observer.retry(self._unit.scope, name, first)
        return await self._chunk(name, first)

    async def approve(self, session: str, first: int) -> Chunk:
        """Approve the notes on a chunk of messages in review; see the setting `observe_review`.

        Raises:
            NotFound: there is no such chunk.
            NotAllowed: some of the notes are closed to the caller.
            Conflict: the chunk is not in review.
        """
        within(first, 1, MOST_MESSAGES, what="first")
        name = self._name(session)
        await self._engine.conversations.approve(self._caller, name, first)
        return await self._chunk(name, first)

    async def _chunks(self, operation: str, read: Callable[[Tx], Awaitable[Sequence[Chunk]]]) -> Sequence[Chunk]:
        """Return chunks, and audit the messages of those with a task, which discloses them."""

        async def work(tx: Tx) -> tuple[Sequence[Chunk], list[str]]:
            chunks = await read(tx)
            disclosing = [chunk for chunk in chunks if chunk.task or chunk.suggestion]
            lines = [one for run in disclosing for one in await tx.messages.by_number(run.session, run.first, run.last)]
            return chunks, [one.id for one in lines]

        chunks, ids = await self._unit.read(work)
        if ids:
            self._audit_read(operation, ids)
        return chunks

    async def _chunk(self, session: str, first: int) -> Chunk:
        """Return a chunk as the caller may see it."""
        chunk = await self._unit.read(lambda tx: tx.chunks.find(session, first))
        if chunk is None:
            raise NotFound("chunk", f"{session} {first}")
        return chunk

    def _name(self, session: str) -> str:
        return sessions.session_name(session, self._engine.rules)
