"""Answers to questions from memory, with citations. No model is called if memory has no answer."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from remembrancer.context.answer_prompt import UncitedAnswer, check_answer
from remembrancer.context.citations import Answer, PreparedQuestion, prepare_question
from remembrancer.ingest.facts import nearest_valid
from remembrancer.ingest.facts import valid_facts as known_facts
from remembrancer.language.analysis import share_of, slots_of
from remembrancer.llm.language_model import Prompt
from remembrancer.llm.models import ModelAnswer
from remembrancer.llm.request import Bill, ModelRequest
from remembrancer.resources.context import RECALLED_FOR_CONTEXT, belonging
from remembrancer.resources.resource import UseCase
from remembrancer.resources.retrieval import Retrieval
from remembrancer.search import timeline
from remembrancer.search.companions import companion_turns
from remembrancer.search.query import Query, RecallRequest, RecallResult
from remembrancer.storage.tx import Tx
from remembrancer.transactions.rejections import without_rejected
from remembrancer.types.calls import CallPurpose
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record

NO_MODEL = (
    "no model is configured to answer, so these are the recalled memories; set REMEMBRANCER_MODEL to one, such as"
    " openai:gpt-5-nano"
)

ANSWER_HITS = RECALLED_FOR_CONTEXT
ANSWER_TOKENS = 1_500
# The maximum of facts and rules, and the minimum share of the question's words in each.
MOST_BY_KEY = 8
LEAST_SHARE = 1 / 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """A question with its prompt for a model."""

    posed: PreparedQuestion
    prompt: Prompt


class QuestionAnswering(UseCase):
    """Questions of one caller to memory, with `ANSWER_HITS` and `ANSWER_TOKENS` as default limits."""

    async def ask(self, request: RecallRequest) -> Answer:
        """Return the answer; see `Memory.ask`."""
        ready = await self._ready(request)
        if isinstance(ready, Answer):
            return ready
        bill = Bill()
        try:
            response = await self._engine.models.text(
                self._request(ready.prompt, bill), partial(check_answer, labels=ready.posed.labels)
            )
        except UncitedAnswer as fault:
            return ready.posed.unknown(f"twice {fault}", model=bill.model, paid=bill.paid)
        return ready.posed.from_model(response.value, model=response.model, paid=bill.paid)

    async def stream(self, request: RecallRequest) -> AsyncGenerator[str | Answer, None]:
        """Stream the answer in pieces, and then the checked answer; see `Memory.ask_stream`."""
        ready = await self._ready(request)
        if isinstance(ready, Answer):
            if not ready.citations:
                yield ready.text
            yield ready
            return
        bill = Bill()
        async with aclosing(self._engine.models.stream(self._request(ready.prompt, bill))) as pieces:
            async for piece in pieces:
                yield _streamed(ready.posed, piece, bill) if isinstance(piece, ModelAnswer) else piece

    def _request(self, prompt: Prompt, bill: Bill) -> ModelRequest:
        scope = self._caller.scope
        return ModelRequest(
            scope=scope,
            session=None,
            purpose=CallPurpose.ASK,
            prompt=prompt,
            max_tokens=self._engine.slots(scope).response,
            bill=bill,
        )

    async def _ready(self, request: RecallRequest) -> "Answer | _Ready":
        """Return the question with its prompt, or the answer if no model is called."""
        query, room = self._retrieval.query(request), request.max_tokens or ANSWER_TOKENS
        hits = request.limit or ANSWER_HITS
        recalled = await self._retrieval.recall(replace(request, limit=hits, max_tokens=None, record_access=False))
        by_key = await self._by_key(query)
        if not by_key and (recalled.abstained or not recalled.hits):
            return prepare_question(request.question, recalled, (), ()).unknown()
        recalled = replace(belonging(recalled, request.question), abstained=False)
        question = await self._posed(query, recalled, by_key, room)
        if not question.lines:
            return question.unknown(f"no recalled memory fits into {room} tokens")
        if request.record_access:
            self._engine.worker.access_log.log_read(self._caller.scope, [record.id for record in question.records])
        if not self._engine.models.available(CallPurpose.ASK):
            return question.without_model(NO_MODEL)
        remembering = self._engine.context_builder
        prompt = question.prompt(memory=remembering.seal(question.text), today=remembering.today(query.now))
        return _Ready(posed=question, prompt=prompt)

    async def _by_key(self, query: Query) -> list[Record]:
        """Return the facts and rules that share words with a question, best first, as recall does not search them."""
        request = query.request
        if request.filter.narrows():
            return []

        async def work(tx: Tx) -> list[Record]:
            at = request.as_of
            valid = (
                await known_facts(tx, query.now)
                if at is None
                else nearest_valid(await timeline.facts(tx, as_of=at), at)
            )
            rules = await timeline.procedures(tx, (Status.ACTIVE,), as_of=at)
            return list(await without_rejected(tx, [*valid, *rules], sign=self._engine.rules.sign))

        slots = slots_of(request.question)
        shares = {record.id: (record, share_of(slots, record.text)) for record in await self._unit.read(work)}
        ranked = sorted(shares.values(), key=lambda one: (-one[1], one[0].id))
        return [record for record, share in ranked if share >= LEAST_SHARE][:MOST_BY_KEY]

    async def _posed(
        self, query: Query, recalled: RecallResult, by_key: Sequence[Record], room: int
    ) -> PreparedQuestion:
        """Return a question with the recalled memories as lines."""
        best = [hit.record for hit in recalled.hits]
        # The filter may exclude neighbouring messages of a hit.
        neighbours_of = [] if query.request.filter.narrows() or query.request.as_of else best

        async def work(tx: Tx) -> Mapping[str, Sequence[Record]]:
            return await companion_turns(tx, neighbours_of)

        needs = await self._unit.read(work)
        all_of = [*by_key, *(hit.record for hit in recalled.hits), *chain.from_iterable(needs.values())]
        records = {record.id: record for record in all_of}
        chosen = self._engine.context_builder.select_recalled(recalled, needs, room=room, now=query.now, first=by_key)
        return prepare_question(query.request.question, recalled, chosen.lines, [records[id] for id in chosen.ids])

    @property
    def _retrieval(self) -> Retrieval:
        return Retrieval(self._engine, self._caller)


def _streamed(found: PreparedQuestion, asked: ModelAnswer[str], bill: Bill) -> Answer:
    """Return the checked answer of a stream; an invalid one is not sent back to the model."""
    try:
        return found.from_model(check_answer(asked.value, found.labels), model=asked.model, paid=bill.paid)
    except UncitedAnswer as fault:
        return found.unknown(str(fault), model=asked.model, paid=bill.paid)
