"""Answering a question from memory, with citations; nothing is paid where memory does not know."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from remembrancer.context.answer_prompt import Uncited, checked
from remembrancer.context.citations import Answer, Posed, posed
from remembrancer.ingest.facts import believed
from remembrancer.ingest.facts import holding as known_facts
from remembrancer.language.analysis import share_of, slots_of
from remembrancer.llm.call import Asked
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.ledger import Bill
from remembrancer.resources.context import belonging, room_of
from remembrancer.resources.recall import Question, Recalling
from remembrancer.resources.resource import Door
from remembrancer.search import timeline as looking
from remembrancer.search.companions import needed
from remembrancer.search.query import Query, Recalled
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.rejections import unrejected
from remembrancer.types.call import CallPurpose
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record

NO_MODEL = (
    "no model is configured to answer, so this is what was recalled; set REMEMBRANCER_MODEL to one, such as"
    " openai:gpt-5-nano"
)


# So many facts and rules, with so much of the question's words at least.
MOST_BY_KEY = 8
LEAST_SHARE = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """A question that is worth its price."""

    posed: Posed
    prompt: Prompt


class Asking(Door):
    """Questions of one caller to its memory."""

    async def ask(self, question: Question, *, max_tokens: int) -> Answer:
        """The answer; see `Memory.ask`."""
        ready = await self._ready(question, self._recalling.query(question), room_of(max_tokens))
        if isinstance(ready, Answer):
            return ready
        bill, models, scope = Bill(), self._engine.models, self._caller.scope
        try:
            asked = await models.read(
                scope,
                None,
                CallPurpose.ASK,
                ready.prompt,
                partial(checked, labels=ready.posed.labels),
                max_tokens=self._engine.slots(scope).response,
                bill=bill,
            )
        except Uncited as fault:
            return ready.posed.unknown(f"twice {fault}", model=bill.model, paid=bill.paid)
        return ready.posed.answered(asked.value, model=asked.model, paid=bill.paid)

    def stream(self, question: Question, *, max_tokens: int) -> AsyncGenerator[str | Answer, None]:
        """The answer piece by piece, and then as it was checked; see `Memory.ask_stream`.

        Raises:
            InvalidInput: something is out of range, at once.
        """
        return self._stream(question, self._recalling.query(question), room_of(max_tokens))

    async def _stream(self, question: Question, query: Query, room: int) -> AsyncGenerator[str | Answer, None]:
        ready = await self._ready(question, query, room)
        if isinstance(ready, Answer):
            if not ready.citations:
                yield ready.text
            yield ready
            return
        bill, scope = Bill(), self._caller.scope
        stream = self._engine.models.stream(
            scope,
            None,
            CallPurpose.ASK,
            ready.prompt,
            max_tokens=self._engine.slots(scope).response,
            bill=bill,
        )
        async with aclosing(stream) as pieces:
            async for piece in pieces:
                yield _streamed(ready.posed, piece, bill) if isinstance(piece, Asked) else piece

    async def _ready(self, question: Question, query: Query, room: int) -> "Answer | _Ready":
        """The question as a model is to read it; or the answer, where none is asked."""
        recalled = await self._recalling.recall(replace(question, touch=False))
        by_key = await self._by_key(question, query)
        if not by_key and (recalled.abstained or not recalled.hits):
            return posed(question.text, recalled, (), ()).unknown()
        recalled = replace(belonging(recalled, question.text), abstained=False)
        found = await self._told(question, query, recalled, by_key, room)
        if not found.lines:
            return found.unknown(f"nothing that was recalled fits into {room} tokens")
        if question.touch:
            self._engine.sweep.access_log.log_read(self._caller.scope, [record.id for record in found.records])
        if not self._engine.models.available(CallPurpose.ASK):
            return found.told(NO_MODEL)
        remembering = self._engine.remembering
        prompt = found.prompt(memory=remembering.seal(found.text), today=remembering.today(query.now))
        return _Ready(posed=found, prompt=prompt)

    async def _by_key(self, question: Question, query: Query) -> list[Record]:
        """The facts and rules that share words with a question, best first: they are read by key, not searched."""
        if query.filter.narrows() or question.kinds:
            return []

        async def work(tx: Tx) -> list[Record]:
            at = query.as_of
            valid = await known_facts(tx, query.now) if at is None else believed(await looking.facts(tx, as_of=at), at)
            rules = await looking.procedures(tx, (Status.ACTIVE,), as_of=at)
            return list(await unrejected(tx, [*valid, *rules], sign=self._engine.rules.sign))

        slots = slots_of(question.text)
        shares = {record.id: (record, share_of(slots, record.text)) for record in await self._desk.read(work)}
        found = sorted(shares.values(), key=lambda one: (-one[1], one[0].id))
        return [record for record, share in found if share >= LEAST_SHARE][:MOST_BY_KEY]

    async def _told(
        self, question: Question, query: Query, recalled: Recalled, by_key: Sequence[Record], room: int
    ) -> Posed:
        """What was recalled, as lines of a block."""
        best = [hit.record for hit in recalled.hits]
        # A turn that stands beside a hit may be one that the question leaves out.
        beside = [] if query.filter.narrows() or query.as_of else best

        async def work(tx: Tx) -> Mapping[str, Sequence[Record]]:
            return await needed(tx, beside)

        needs = await self._desk.read(work)
        all_of = [*by_key, *(hit.record for hit in recalled.hits), *chain.from_iterable(needs.values())]
        records = {record.id: record for record in all_of}
        chosen = self._engine.remembering.recollected(recalled, needs, room=room, now=query.now, besides=by_key)
        return posed(question.text, recalled, chosen.lines, [records[id] for id in chosen.ids])

    @property
    def _recalling(self) -> Recalling:
        return Recalling(self._engine, self._caller)


def _streamed(found: Posed, asked: Asked[str], bill: Bill) -> Answer:
    """What holds of an answer that was read as it came: it is not put back to the model."""
    try:
        return found.answered(checked(asked.value, found.labels), model=asked.model, paid=bill.paid)
    except Uncited as fault:
        return found.unknown(str(fault), model=asked.model, paid=bill.paid)
