"""One session of a memory, as an agent's author holds it: what is said goes in, what is to be read comes out."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from remembrancer.context.conversations import Distilled
from remembrancer.context.reply import Reply
from remembrancer.context.report import Context
from remembrancer.types.record import Json, Message, Metadata
from remembrancer.types.saved import Saved

if TYPE_CHECKING:
    from remembrancer.memory import Memory


class Conversation:
    """A conversation of any length, within a fixed window. Made by `Memory.conversation`.

    Args:
        session: its name; the conversation goes on wherever a memory of the same scope names it again.
    """

    def __init__(self, memory: "Memory", session: str) -> None:
        self._memory = memory
        self.session = session

    async def add(
        self,
        text: str,
        role: str = "user",
        *,
        speaker: str = "",
        content: Sequence[Mapping[str, Json]] = (),
        tool_calls: Sequence[Mapping[str, Json]] = (),
        occurred_at: datetime | None = None,
        metadata: Metadata | None = None,
        trust: str | None = None,
        classification: str | None = None,
        key: str | None = None,
    ) -> Saved[Message]:
        """Record what was said; see `Memory.record`. It never waits for a model."""
        return await self._memory.record(
            text,
            role=role,
            session=self.session,
            speaker=speaker,
            content=content,
            tool_calls=tool_calls,
            occurred_at=occurred_at,
            metadata=metadata,
            trust=trust,
            classification=classification,
            key=key,
        )

    async def context(
        self,
        question: str = "",
        *,
        history: Sequence[str] = (),
        working: str = "",
        window: int | None = None,
        slots: Mapping[str, int] | None = None,
        contact: str | None = None,
        task: str = "",
        format: str = "markdown",
        recall: bool = True,
        touch: bool = True,
        as_of: datetime | None = None,
    ) -> Context:
        """What the agent is to read before it answers; see `Memory.context`."""
        return await self._memory.context(
            self.session,
            question=question,
            history=history,
            working=working,
            window=window,
            slots=slots,
            contact=contact,
            task=task,
            format=format,
            recall=recall,
            touch=touch,
            as_of=as_of,
        )

    async def reply(self, text: str, *, speaker: str = "", instructions: str = "") -> Reply:
        """Have the configured model answer; both sides are recorded; see `Memory.reply`."""
        return await self._memory.reply(self.session, text, speaker=speaker, instructions=instructions)

    async def observe_now(self) -> int:
        """Observe all that waits; see `Sessions.observe_now`."""
        return await self._memory.sessions.observe_now(self.session)

    async def stats(self) -> Distilled:
        """The conversation in numbers; see `Sessions.distilled`."""
        return await self._memory.sessions.distilled(self.session)
