"""Asking language models: which, within which budget, how often, and what is written down of it.

Read, think, write: what a call can cost is set aside in one transaction, what it did cost is settled in another, and
between the two, while the model thinks, none is open.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable
from remembrancer.llm.breaker import Breakers, Leave
from remembrancer.llm.budget import NOTHING_USED, Allowance, Costs, costs, ledger_of, refused
from remembrancer.llm.language_model import Answer, LanguageModel, Prompt
from remembrancer.llm.ledger import Bill, Ledger, Request
from remembrancer.llm.permits import Asking, complete, said
from remembrancer.llm.prices import Prices
from remembrancer.llm.prompts import parse, schema_of
from remembrancer.llm.stream import Streaming
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.tokens import TokenCounter
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.types.calls import CallOutcome, CallPurpose, ServedBlock, Usage, saving
from remembrancer.types.scope import Scope
from remembrancer.types.text import ESTIMATE
from remembrancer.types.times import backoff

T = TypeVar("T")
R = TypeVar("R")
# Of an answer that is to be repaired: enough to see its fault, and little of one that repeats itself without end.
_REPAIRED_CHARACTERS = 4_000
_SESSIONS_TOLD = 100
# Beside the time that its model may take, a question that tries one takes this at most.
_SLACK_SECONDS = 5.0
# What engines do without a model where none may be asked.
_BY_WORDS_TOO = (CallPurpose.OBSERVE, CallPurpose.REFLECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[T]):
    """What a model answered, and what made it; derived rows keep both.

    Args:
        model: as `provider:name`.
        version: of the prompt.
    """

    value: T
    model: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question(Generic[T]):
    """What is asked, what makes a value of the text of an answer, and what is said of one of which it makes none."""

    request: Request
    parse: Callable[[str], T]
    again: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply(Generic[T]):
    """What came of a call: a value, or what is wrong with the answer."""

    text: str
    value: T | None
    fault: BadModelOutput | None


class Models:
    """The language models of a deployment, by what they are asked for.

    Args:
        chosen: for each purpose the model to ask, then those to fall back on; what is left out is asked of none.
        prices: as far as there are any.
        counters: what counts the tokens of a model, by its name; blocking, and asked in a thread.
        allowance: no limit where there is none.
    """

    def __init__(
        self,
        desk: Desks,
        chosen: Mapping[CallPurpose, Sequence[LanguageModel]],
        rules: Dependencies,
        *,
        prices: Prices | None = None,
        counters: Callable[[str], TokenCounter] = lambda _: ESTIMATE,
        allowance: Allowance | None = None,
        asking: Asking | None = None,
    ) -> None:
        self._desk = desk
        self._chosen = chosen
        self._rules = rules
        self._allowance = allowance or Allowance()
        self.ledger = Ledger(desk, rules, prices=prices, counters=counters, allowance=self._allowance)
        self._asking = asking or Asking()
        self._streaming = Streaming(self.ledger, self._asking)

    def available(self, purpose: CallPurpose) -> bool:
        """Whether there is a model to ask."""
        return bool(self._chosen.get(purpose))

    def names(self, purpose: CallPurpose) -> tuple[str, ...]:
        """The models that are asked, the first one first."""
        return tuple(model.name for model in self._chosen.get(purpose, ()))

    async def ask(self, request: Request, shape: type[T], take: Callable[[T], R]) -> Asked[R]:
        """What is made of a whole value of a shape, from the first model that gives one.

        No transaction may be open meanwhile. A model that is not available is asked again after a while, then the next
        one is. One that breaks the agreed shape is shown its answer and asked once more. One that fails again and again
        is left alone for a while (see `model.breaker`). Every call is in the ledger.

        Args:
            request: with `seconds` no model is asked twice, and one that is slower has failed.
            take: makes a result of an answer; an answer that it refuses is a failure of the model.

        Raises:
            BudgetExceeded: it might cost more than is left, or the price is not known; nothing was asked.
            ProviderUnavailable: no model answered, none is configured, or it is left alone.
            BadModelOutput: the answer broke the agreed shape, twice, or `take` has refused it.
        """
        request = replace(request, schema=schema_of(shape))
        question = _Question(request=request, parse=partial(parse, shape=shape), again=_IN_SHAPE)
        return await self._first(question, take)

    async def answer(
        self,
        scope: Scope,
        session: str | None,
        prompt: Prompt,
        *,
        max_tokens: int,
        purpose: CallPurpose = CallPurpose.ANSWER,
        bill: Bill | None = None,
    ) -> Asked[str]:
        """What the first model that answers says to a person, in its own words; the rest as in `ask`.

        Raises:
            BadModelOutput: it said nothing, twice.
        """
        request = _in_words(scope, session, purpose, prompt, max_tokens, bill)
        return await self._first(_Question(request=request, parse=said, again=_IN_WORDS), _as_it_is)

    async def read(
        self,
        scope: Scope,
        session: str | None,
        purpose: CallPurpose,
        prompt: Prompt,
        read: Callable[[str], T],
        *,
        max_tokens: int,
        bill: Bill | None = None,
    ) -> Asked[T]:
        """What is made of an answer in words, from the first model that gives one; the rest as in `ask`.

        Args:
            read: what makes it; an answer that it refuses is put back to the model once, with the reason.

        Raises:
            BadModelOutput: it said nothing, or `read` has refused what it said, twice.
        """
        request = _in_words(scope, session, purpose, prompt, max_tokens, bill)
        question = _Question(request=request, parse=lambda text: read(said(text)), again=_IN_WORDS)
        return await self._first(question, _as_it_is)

    async def stream(
        self,
        scope: Scope,
        session: str | None,
        purpose: CallPurpose,
        prompt: Prompt,
        *,
        max_tokens: int,
        bill: Bill | None = None,
    ) -> AsyncGenerator[str | Asked[str], None]:
        """An answer in words piece by piece, as it comes, and then the whole of it.

        Until something came it is as with `answer`: who is not available is asked again, and then the next one is. A
        model that cannot stream gives all of it at once. Close it where it is not read to its end.

        Raises:
            BudgetExceeded: it might cost more than is left, or the price is not known; nothing was asked.
            ProviderUnavailable: no model answered, or the one that did broke off, took too long or went on without end.
            BadModelOutput: it said nothing.
        """
        request = _in_words(scope, session, purpose, prompt, max_tokens, bill)
        problem: ProviderUnavailable | BudgetExceeded | None = None
        for model in self._chosen.get(purpose, ()):
            begun = False
            try:
                async with aclosing(self._let_stream(model, request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except (ProviderUnavailable, BudgetExceeded) as error:
                if begun:
                    raise
                problem = problem or error
        raise problem or _no_model(purpose)

    async def _first(self, question: _Question[T], take: Callable[[T], R]) -> Asked[R]:
        """What is made of the value of the first model that gives one."""
        problem: ProviderUnavailable | BudgetExceeded | None = None
        for model in self._chosen.get(question.request.purpose, ()):
            try:
                value = await self._let(model, question, take)
                return Asked(value=value, model=model.name, version=question.request.prompt.version)
            except (ProviderUnavailable, BudgetExceeded) as error:
                problem = problem or error
        raise problem or _no_model(question.request.purpose)

    async def _let(self, model: LanguageModel, question: _Question[T], take: Callable[[T], R]) -> R:
        """What is made of a model's value, where its breaker lets the question through."""
        breakers = self._breakers(question.request)
        leave = await breakers.leave(model.name, question.request.purpose)
        try:
            retries = self._retries(leave) if question.request.seconds is None else 0
            # What is held against many texts takes its time.
            taken = await run_sync(take, await self._whole(model, question, retries=retries))
        except (BudgetExceeded, ProviderUnavailable, BadModelOutput) as error:
            await _told(breakers, leave, error)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                if question.request.seconds is None:
                    await breakers.unused(leave)
                else:
                    await breakers.failed(leave, ProviderUnavailable(f"the model {model.name!r} took too long"))
            raise
        await breakers.worked(leave)
        return taken

    async def _let_stream(self, model: LanguageModel, request: Request) -> AsyncGenerator[str | Asked[str], None]:
        """The pieces of a model's answer and the whole of it, where its breaker lets the question through."""
        breakers = self._breakers(request)
        leave = await breakers.leave(model.name, request.purpose)
        words = ""
        try:
            async with aclosing(self._streaming.tried(model, request, retries=self._retries(leave))) as pieces:
                async for piece in pieces:
                    words += piece
                    yield piece
            words = said(words)
        except (BudgetExceeded, ProviderUnavailable, BadModelOutput) as error:
            await _told(breakers, leave, error)
            raise
        await breakers.worked(leave)
        yield Asked(value=words, model=model.name, version=request.prompt.version)

    def _retries(self, leave: Leave) -> int:
        return 0 if leave.trial else self._asking.retries

    def _breakers(self, request: Request) -> Breakers:
        asking = self._asking
        # One that is tried may be shown its answer once.
        seconds = 2 * asking.seconds_for(request.purpose) + _SLACK_SECONDS
        return Breakers(self._desk(request.scope).store, self._rules.clock.now, asking.chance, trial_seconds=seconds)

    async def costs(self, scope: Scope, *, days: int) -> Costs:
        """What the calls of a scope cost on each of the last days, what memory spared, and how its budgets stand."""
        now = self._rules.clock.now()
        found = await self._desk(ledger_of(scope)).read(
            lambda tx: costs(tx, scope, self._allowance, now=now, days=days)
        )
        # The names of sessions are told to their own scope alone.
        sessions = await self._desk(scope).read(
            lambda tx: tx.blocks.by_session(since=found.days[-1].since, limit=_SESSIONS_TOLD)
        )
        return replace(found, sessions=tuple(sessions), breakers=tuple(await self._desk(scope).store.breakers()))

    async def priced(self, served: list[ServedBlock]) -> list[ServedBlock]:
        """Blocks with their cost at the price of the model that answers; as they are where that is not known."""
        name = next(iter(self.names(CallPurpose.ANSWER)), None)
        return served if name is None else await run_sync(lambda: [self._with_cost(name, one) for one in served])

    def _with_cost(self, model: str, one: ServedBlock) -> ServedBlock:
        """Blocking."""
        if self.ledger.cost(model, NOTHING_USED, one.at) is None:
            return one

        def cost(tokens: int, cached: int) -> int:
            return self.ledger.cost(model, Usage(prompt=tokens, cached=cached, answer=0), one.at) or 0

        return replace(one, cost=saving([one.block], [one.whole], cost))

    async def degraded(self, scope: Scope) -> tuple[str, ...]:
        """What is to be said where budgets or breakers keep models from what engines ask."""
        return (*await self._over_budget(scope), *await self._left_alone(scope))

    async def _over_budget(self, scope: Scope) -> tuple[str, ...]:
        """What budgets keep from models; without any the ledger is not read."""
        if not self._allowance.is_limited:
            return ()
        now = self._rules.clock.now()
        found = await self._desk(ledger_of(scope)).read(lambda tx: refused(tx, scope, self._allowance, now=now))
        purposes = " and to ".join(purpose for purpose in _BY_WORDS_TOO if purpose in found)
        return (f"a budget has refused today to ask a model to {purposes}: the words do it",) if purposes else ()

    async def _left_alone(self, scope: Scope) -> tuple[str, ...]:
        """Which of the models asked by engines are left alone."""
        if not any(self.available(purpose) for purpose in _BY_WORDS_TOO):
            return ()
        now = self._rules.clock.now()
        found = await self._desk(scope).store.breakers()
        return tuple(
            f"{one}: until then the words do it"
            for one in found
            if one.is_open(now) and one.purpose in _BY_WORDS_TOO and one.model in self.names(one.purpose)
        )

    async def _whole(self, model: LanguageModel, question: _Question[T], *, retries: int) -> T:
        """The value, after one repair at most."""
        reply = await self._answered(model, question, retries=retries)
        if reply.fault is not None and question.request.seconds is None:
            reply = await self._answered(model, _repairing(question, reply), retries=retries)
        if reply.fault is not None:
            raise reply.fault
        return reply.value  # pyright: ignore[reportReturnType] -- without a fault it is a T, which may well be None

    async def _answered(self, model: LanguageModel, question: _Question[T], *, retries: int) -> _Reply[T]:
        """What the model answers, asked again while it is not available."""
        asking = self._asking
        for attempt in range(1, retries + 1):
            try:
                return await self._called(model, question)
            except ProviderUnavailable as error:
                if error.lasting:
                    raise
                await asking.sleep(backoff(attempt, wait=error.wait, chance=asking.chance()))
        return await self._called(model, question)

    async def _called(self, model: LanguageModel, question: _Question[T]) -> _Reply[T]:
        """One call, reserved before and settled after, whatever becomes of it."""
        async with self.ledger.call(model.name, question.request) as entry:
            try:
                hurry = question.request.seconds
                seconds = self._asking.seconds_for(question.request.purpose) if hurry is None else hurry
                answer = await complete(model, question.request, seconds=seconds)
            except BadModelOutput as fault:
                entry.ended(CallOutcome.BAD_OUTPUT)
                return _Reply(text="", value=None, fault=fault)
            except ProviderUnavailable as error:
                if not error.charged:
                    entry.cost_nothing()
                raise
            reply = _reply(answer, question)
            entry.ended(CallOutcome.OK if reply.fault is None else CallOutcome.BAD_OUTPUT)
            await self.ledger.took(entry, answer, question.request)
            return reply


def _in_words(
    scope: Scope,
    session: str | None,
    purpose: CallPurpose,
    prompt: Prompt,
    max_tokens: int,
    bill: Bill | None,
) -> Request:
    return Request(
        scope=scope,
        session=session,
        purpose=purpose,
        prompt=prompt,
        max_tokens=max_tokens,
        bill=bill or Bill(),
    )


async def _told(breakers: Breakers, leave: Leave, error: BudgetExceeded | ProviderUnavailable | BadModelOutput) -> None:
    """Tell the breaker of a model what its question has come to."""
    if isinstance(error, BudgetExceeded):
        await breakers.unused(leave)
    else:
        await breakers.failed(leave, error)


def _no_model(purpose: CallPurpose) -> ProviderUnavailable:
    return ProviderUnavailable(f"no model is configured to {purpose}", lasting=True)


_IN_SHAPE = "Answer again, with JSON of the agreed shape and nothing else."
_IN_WORDS = "Answer again, without that fault, and say nothing of it."


def _as_it_is(value: T) -> T:
    return value


class Asker:
    """Puts an engine's prompts to the models, on behalf of one scope and for one purpose; see `engines.asking.ask`.

    Args:
        seconds: as in `Models.ask`.

    Attributes:
        model: which one answered last, as `provider:name`; `""` before.
        version: of the prompt that it answered.
    """

    def __init__(
        self,
        models: Models,
        scope: Scope,
        session: str | None,
        purpose: CallPurpose,
        *,
        max_tokens: int,
        bill: Bill | None = None,
        seconds: float | None = None,
    ) -> None:
        self._models = models
        self._scope = scope
        self._session = session
        self._purpose = purpose
        self._max_tokens = max_tokens
        self._seconds = seconds
        self._bill = bill
        self.model = self.version = ""

    async def __call__(self, prompt: Prompt, shape: type[T], take: Callable[[T], R], /) -> R:
        """What is made of the answer; raises as `Models.ask`."""
        request = Request(
            scope=self._scope,
            session=self._session,
            purpose=self._purpose,
            prompt=prompt,
            max_tokens=self._max_tokens,
            bill=self._bill or Bill(),
            seconds=self._seconds,
        )
        asked = await self._models.ask(request, shape, take)
        self.model, self.version = asked.model, asked.version
        return asked.value


def _reply(answer: Answer, question: _Question[T]) -> _Reply[T]:
    try:
        return _Reply(text=answer.text, value=question.parse(answer.text), fault=None)
    except BadModelOutput as fault:
        return _Reply(text=answer.text, value=None, fault=fault)


def _repairing(question: _Question[T], reply: _Reply[T]) -> _Question[T]:
    """The question with the answer and its fault put back; without an answer it is the same question."""
    if not reply.text.strip():
        return question
    prompt = question.request.prompt
    text = (
        f"{prompt.text}\n\nAn earlier answer was:\n\n{reply.text[:_REPAIRED_CHARACTERS]}\n\n"
        f"It cannot be used: {reply.fault}. {question.again}"
    )
    again = Prompt(system=prompt.system, text=text, version=f"{prompt.version}+repair")
    return replace(question, request=replace(question.request, prompt=again))
