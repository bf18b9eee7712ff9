"""Turns and tasks of the configured model, which reads the context and answers."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from remembrancer.context.reply import Reply, TaskResult
from remembrancer.context.report import Context
from remembrancer.context.request import ContextRequest
from remembrancer.context.slots import Slot
from remembrancer.learn.lessons import conclude
from remembrancer.resources.context import ContextAssembly
from remembrancer.resources.exchange import Exchange
from remembrancer.resources.resource import UseCase
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Record


class TaskExecution(UseCase):
    """Turns and tasks of one caller."""

    def exchange(self, message: NewMessage, *, instructions: str, contact: str | None = None) -> Exchange:
        """Return the exchange of a turn.

        Raises:
            InvalidInput: no model is configured, or an argument is not valid.
        """
        contexts = ContextAssembly(self._engine, self._caller)

        async def read(session: str) -> Context:
            return await contexts.assemble(ContextRequest(session=session, question=message.text, contact=contact))

        return Exchange(self._engine, self._caller, message, read, instructions=instructions)

    async def execute(
        self, message: NewMessage, *, instructions: str, contact: str | None, reflect: bool
    ) -> TaskResult:
        """Return the result of a task; see `Sessions.execute`."""
        exchange = self.exchange(message, instructions=instructions, contact=contact)
        return await self._executed(exchange, await exchange.whole(), reflect=reflect)

    async def stream(
        self, message: NewMessage, *, instructions: str, contact: str | None, reflect: bool
    ) -> AsyncGenerator[str | TaskResult, None]:
        """Stream the result of a task in pieces; see `Sessions.execute_stream`."""
        exchange = self.exchange(message, instructions=instructions, contact=contact)
        async with aclosing(exchange.pieces()) as pieces:
            async for piece in pieces:
                yield await self._executed(exchange, piece, reflect=reflect) if isinstance(piece, Reply) else piece

    async def _executed(self, exchange: Exchange, reply: Reply, *, reflect: bool) -> TaskResult:
        record, note = await self._reflected(exchange, reply) if reflect else (None, "")
        paid = exchange.bill.paid
        return TaskResult(
            text=reply.text,
            model=reply.model,
            context=reply.context,
            session=exchange.message.session or "",
            messages=(exchange.message.id, exchange.answer.id),
            memories=tuple(dict.fromkeys(reply.context.memory_ids())),
            tokens=paid.tokens,
            cost=paid.cost,
            reflection=record,
            notes=(*reply.context.report.notes, *filter(None, [note])),
        )

    async def _reflected(self, exchange: Exchange, reply: Reply) -> tuple[Record | None, str]:
        return await conclude(
            self._unit,
            self._engine.models,
            _best_first(reply.context),
            exchange.message,
            exchange.answer,
            zone=self._engine.zone,
            bill=exchange.bill,
        )


def _best_first(context: Context) -> list[str]:
    """Return the ids of all memories of a context, recalled ones first."""
    order = (Slot.RECALLED, Slot.EPISODES, Slot.FACTS, Slot.PROCEDURES, Slot.REFLECTIONS, Slot.OBSERVATIONS)
    by_slot = {slot: [id for item in context.block.items if item.slot is slot for id in item.ids] for slot in Slot}
    return list(dict.fromkeys(id for slot in dict.fromkeys([*order, *Slot]) for id in by_slot[slot]))
