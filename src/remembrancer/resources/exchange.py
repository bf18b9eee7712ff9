"""One turn of a conversation with the configured model: both sides are recorded, and between them it is asked."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from remembrancer.context.reply import Reply, reply_prompt, system_prompt
from remembrancer.context.report import Context
from remembrancer.errors import InvalidInput
from remembrancer.llm.models import ModelAnswer
from remembrancer.llm.request import Bill, ModelRequest
from remembrancer.resources.engine import Engine
from remembrancer.resources.messages import Messages
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Message

NO_MODEL: Final = "there is no model to answer; set REMEMBRANCER_MODEL to one, such as openai:gpt-5-nano"
Read = Callable[[str], Awaitable[Context]]
"""What the model is to read, by the name of the session."""


class Exchange:
    """What is said, and what the configured model answers to it.

    Args:
        message: what is said.
        instructions: what the model is told beside, in each turn the same.

    Attributes:
        bill: what it has cost.
        said, answered: both sides, as they were recorded; there once it is over.

    Raises:
        InvalidInput: there is no model to answer, or the instructions do not fit; nothing is recorded.
    """

    said: Message
    answered: Message
    _context: Context

    def __init__(self, engine: Engine, caller: Caller, message: NewMessage, read: Read, *, instructions: str) -> None:
        if not engine.models.available(CallPurpose.ANSWER):
            raise InvalidInput(NO_MODEL)
        self._engine = engine
        self._caller = caller
        self._message = message
        self._read = read
        self._slots = engine.slots(caller.scope)
        self._system = system_prompt(instructions, slots=self._slots, count=engine.rules.tokens.count)
        self.bill = Bill()

    async def whole(self) -> Reply:
        """Return the recorded answer; raises as `Sessions.reply`."""
        await self._begin()
        return await self._end(await self._engine.models.text(self._request(), str))

    async def pieces(self) -> AsyncGenerator[str | Reply, None]:
        """Stream the answer in pieces, and then the recorded whole; raises as `Sessions.reply`.

        What is broken off is not recorded.
        """
        await self._begin()
        async with aclosing(self._engine.models.stream(self._request())) as pieces:
            async for piece in pieces:
                yield await self._end(piece) if isinstance(piece, ModelAnswer) else piece

    async def _begin(self) -> None:
        self.said = await self._record(self._message)
        self._context = await self._read(self.said.session or "")

    def _request(self) -> ModelRequest:
        return ModelRequest(
            scope=self._caller.scope,
            session=self.said.session,
            purpose=CallPurpose.ANSWER,
            prompt=reply_prompt(self._context, self._system),
            max_tokens=self._slots.response,
            bill=self.bill,
        )

    async def _end(self, asked: ModelAnswer[str]) -> Reply:
        given = replace(self._message, role="assistant", text=asked.value, speaker="", author=asked.model, key=None)
        self.answered = await self._record(replace(given, session=self.said.session))
        return Reply(text=asked.value, model=asked.model, context=self._context)

    async def _record(self, message: NewMessage) -> Message:
        (saved,) = await Messages(self._engine, self._caller).record_many([message])
        return saved.record
