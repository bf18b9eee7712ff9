"""A turn of a conversation with the configured model."""

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
"""Returns the context for a session."""


class Exchange:
    """A message and the answer of the configured model. Both are recorded.

    Args:
        message: the message of the user.
        read: returns the context for the model.
        instructions: for the model, the same in each turn.

    Attributes:
        bill: the cost of the answer.
        message, answer: the recorded messages; available at the end.

    Raises:
        InvalidInput: no model is configured, or the instructions do not fit; nothing is recorded.
    """

    message: Message
    answer: Message
    _context: Context

    def __init__(self, engine: Engine, caller: Caller, message: NewMessage, read: Read, *, instructions: str) -> None:
        if not engine.models.available(CallPurpose.ANSWER):
            raise InvalidInput(NO_MODEL)
        self._engine = engine
        self._caller = caller
        self._new_message = message
        self._read = read
        self._slots = engine.slots(caller.scope)
        self._system = system_prompt(instructions, slots=self._slots, count=engine.rules.tokens.count)
        self.bill = Bill()

    async def whole(self) -> Reply:
        """Record both sides and return the answer; raises the errors of `Sessions.reply`."""
        await self._begin()
        return await self._end(await self._engine.models.text(self._request(), str))

    async def pieces(self) -> AsyncGenerator[str | Reply, None]:
        """Stream the answer in pieces, and then the recorded reply; raises the errors of `Sessions.reply`.

        An interrupted answer is not recorded.
        """
        await self._begin()
        async with aclosing(self._engine.models.stream(self._request())) as pieces:
            async for piece in pieces:
                yield await self._end(piece) if isinstance(piece, ModelAnswer) else piece

    async def _begin(self) -> None:
        self.message = await self._record(self._new_message)
        self._context = await self._read(self.message.session or "")

    def _request(self) -> ModelRequest:
        return ModelRequest(
            scope=self._caller.scope,
            session=self.message.session,
            purpose=CallPurpose.ANSWER,
            prompt=reply_prompt(self._context, self._system),
            max_tokens=self._slots.response,
            bill=self.bill,
        )

    async def _end(self, asked: ModelAnswer[str]) -> Reply:
        answer = replace(
            self._new_message, role="assistant", text=asked.value, speaker="", author=asked.model, key=None
        )
        self.answer = await self._record(replace(answer, session=self.message.session))
        return Reply(text=asked.value, model=asked.model, context=self._context)

    async def _record(self, message: NewMessage) -> Message:
        (saved,) = await Messages(self._engine, self._caller).record_many([message])
        return saved.record
