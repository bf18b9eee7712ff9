"""`RemembrancerMemoryService`: a memory service of Google's Agent Development Kit."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from anyio.to_thread import run_sync

from remembrancer.integrations import checked_memory, missing_extra
from remembrancer.sync import SyncMemory
from remembrancer.types.filter import Filter
from remembrancer.types.new import NewMessage, NewObservation
from remembrancer.types.record import Kind, Message, Metadata, Record, Role
from remembrancer.types.scope import Scope

try:
    from google.adk.events import Event
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session
    from google.genai import types
except ModuleNotFoundError as error:
    raise missing_extra("google-adk", error) from error

_LIMIT = 10


class RemembrancerMemoryService(BaseMemoryService):
    """The memories of each user of each app: `Runner(…, memory_service=RemembrancerMemoryService(memory))`.

    An app is a project of the memory, and its user a user.

    Args:
        memory: a `SyncMemory`, or a `SyncClient` of a service. The caller closes it.
        limit: the maximum number of memories of a search, 1 to 1,000.
    """

    def __init__(self, memory: SyncMemory, *, limit: int = _LIMIT) -> None:
        self._memory = checked_memory(memory)
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Record the events of a session; those that were recorded before are not recorded again."""
        await run_sync(self._record, session.app_name, session.user_id, session.id, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Record events of a session, each once."""
        await run_sync(self._record, app_name, user_id, session_id, events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Save memories as observations."""
        new = [
            NewObservation(text=text, author=entry.author or "", metadata=_metadata(entry.custom_metadata))
            for entry in memories
            if (text := _text(entry.content)).strip()
        ]
        await run_sync(self._of(app_name, user_id).observations.save_many, new)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the memories of a user that answer a query, best first; none if nothing is likely to answer."""
        found = await run_sync(lambda: self._of(app_name, user_id).recall(query, limit=self._limit))
        return SearchMemoryResponse(memories=[_entry(hit.record) for hit in found.hits])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Delete one memory of a user, or all.

        Raises:
            NotFound: there is no such memory.
        """
        await run_sync(self._delete, self._of(app_name, user_id), memory_id)

    def _of(self, app_name: str, user_id: str) -> SyncMemory:
        own = self._memory.scope
        return self._memory.within(Scope(tenant=own.tenant, project=app_name, agent=own.agent, user=user_id))

    def _record(self, app_name: str, user_id: str, session: str | None, events: Sequence[Event]) -> None:
        messages = [
            NewMessage(
                text=text,
                role=Role.USER if event.author == "user" else Role.ASSISTANT,
                speaker="" if event.author == "user" else event.author,
                session=session,
                occurred_at=datetime.fromtimestamp(event.timestamp, UTC),
                key=f"adk/{session}/{event.id}",
            )
            for event in events
            if not event.partial and (text := _text(event.content)).strip()
        ]
        if messages:
            self._of(app_name, user_id).messages.record_many(messages)

    @staticmethod
    def _delete(memory: SyncMemory, memory_id: str | None) -> None:
        if memory_id is not None:
            memory.delete(memory_id)
            return
        # One call deletes a limited number.
        while memory.observations.delete_many(Filter(kinds=(Kind.MESSAGE, Kind.OBSERVATION, Kind.REFLECTION))).count:
            pass


def _text(content: "types.Content | None") -> str:
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _metadata(custom: Mapping[str, Any] | None) -> Metadata:
    return {"google_adk": dict(custom)} if custom else {}


def _entry(record: Record) -> MemoryEntry:
    is_user = isinstance(record, Message) and record.role is Role.USER
    author = "user" if is_user else (record.speaker if isinstance(record, Message) else record.author)
    custom = record.metadata.get("google_adk")
    return MemoryEntry(
        id=record.id,
        author=author or None,
        timestamp=record.occurred_at.isoformat(),
        content=types.Content(role="user" if is_user else "model", parts=[types.Part(text=record.text)]),
        custom_metadata=dict(custom) if isinstance(custom, Mapping) else {},
    )
