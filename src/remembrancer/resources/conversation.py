"""A session of a memory as an object."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from remembrancer.context.conversations import ConversationStats
from remembrancer.context.reply import Reply
from remembrancer.context.report import Context
from remembrancer.context.request import ContextRequest
from remembrancer.resources.requests import request_of
from remembrancer.types.budget import Budget
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Message, Metadata
from remembrancer.types.results import Saved

if TYPE_CHECKING:
    from remembrancer.memory import Memory


class Conversation:
    """A conversation of any length within a fixed window. Made by `Memory.conversation`.

    Args:
        session: the name; the same name in the same scope continues the conversation.
    """

    def __init__(self, memory: "Memory", session: str) -> None:
        self._memory = memory
        self.session = session

    async def add(
        self,
        message: str | NewMessage,
        role: str = "user",
        *,
        speaker: str = "",
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        trust: str | None = None,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record a message in this session; see `Memory.record`. It does not wait for a model."""
        options: dict[str, object] = {"role": role, "speaker": speaker, "occurred_at": occurred_at}
        options |= {"metadata": metadata, "trust": trust, "key": key}
        new = request_of(self.add, NewMessage, "text", message, **options)
        return await self._memory.record(replace(new, session=self.session))

    async def context(
        self,
        question: str | ContextRequest = "",
        *,
        task: str = "",
        budget: Budget | None = None,
        contact: str | None = None,
        format: str = "markdown",
        as_of: datetime | None = None,
    ) -> Context:
        """Return the context of the next turn; see `Memory.context`."""
        options: dict[str, object] = {"task": task, "budget": budget, "contact": contact, "format": format}
        request = request_of(self.context, ContextRequest, "question", question, **options, as_of=as_of)
        return await self._memory.context(replace(request, session=self.session))

    async def reply(self, text: str, *, speaker: str = "", instructions: str = "") -> Reply:
        """Record a message and the answer of the configured model; see `Sessions.reply`."""
        return await self._memory.sessions.reply(self.session, text, speaker=speaker, instructions=instructions)

    async def observe(self) -> int:
        """Observe all unobserved messages; see `Notes.observe`."""
        return await self._memory.notes.observe(self.session)

    async def stats(self) -> ConversationStats:
        """Return statistics of the conversation; see `Sessions.stats`."""
        return await self._memory.sessions.stats(self.session)
