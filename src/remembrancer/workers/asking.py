"""Asking language models: which, within which budget, how often, and what is written down of it.

Read, think, write: what a call can cost is set aside in one transaction, what it did cost is settled in another, and
between the two, while the model thinks, none is open.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from typing import Any, Generic, TypeVar

import anyio
from anyio.to_thread import run_sync

from remembrancer.engines.prompting import parse, schema_of
from remembrancer.errors import BadModelOutput, BudgetExceeded, ProviderUnavailable, RemembrancerError
from remembrancer.governance.desk import Desks
from remembrancer.governance.rules import Rules
from remembrancer.governance.spending import (
    NOTHING_USED,
    Allowance,
    Costs,
    costs,
    ledger_of,
    refused,
    reserve,
    unspent,
)
from remembrancer.model.backoff import backoff
from remembrancer.model.call import Call, CallOutcome, CallPurpose, Settlement, Usage, believable
from remembrancer.model.savings import Served, saving
from remembrancer.model.scope import Scope
from remembrancer.model.tokens import ESTIMATE
from remembrancer.ports.language_model import Answer, LanguageModel, Prompt
from remembrancer.ports.prices import Prices
from remembrancer.ports.tokens import TokenCounter
from remembrancer.workers.breaking import Breakers

T = TypeVar("T")
R = TypeVar("R")
# What providers put around a prompt: names of roles, marks between messages.
_AROUND_TOKENS = 64
# Of an answer that is to be repaired: enough to see its fault, and little of one that repeats itself without end.
_REPAIRED_CHARACTERS = 4_000
_REFUSAL_ID_DIGITS = 32
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
class Asking:
    """How models are asked.

    Args:
        seconds: how long to wait for an answer.
        retries: how often one that is not available is asked again, 0 or more.
        sleep: waits for so many seconds.
        chance: a number in [0, 1), which keeps those who failed together from coming back together.
    """

    seconds: float = 60.0
    retries: int = 2
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep
    chance: Callable[[], float] = lambda: 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form(Generic[T]):
    """How an answer is to look: the schema that asks for it, if any, and what makes a value of its text."""

    schema: Mapping[str, Any] | None
    parse: Callable[[str], T]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question(Generic[T]):
    scope: Scope
    session: str | None
    purpose: CallPurpose
    prompt: Prompt
    form: _Form[T]
    max_tokens: int
    temperature: float
    seconds: float | None = None


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
        rules: Rules,
        *,
        prices: Prices | None = None,
        counters: Callable[[str], TokenCounter] = lambda _: ESTIMATE,
        allowance: Allowance | None = None,
        asking: Asking | None = None,
    ) -> None:
        self._desk = desk
        self._chosen = chosen
        self._rules = rules
        self._prices = prices
        self._counter = cache(counters)
        self._allowance = allowance or Allowance()
        self._asking = asking or Asking()

    def available(self, purpose: CallPurpose) -> bool:
        """Whether there is a model to ask."""
        return bool(self._chosen.get(purpose))

    def names(self, purpose: CallPurpose) -> tuple[str, ...]:
        """The models that are asked, the first one first."""
        return tuple(model.name for model in self._chosen.get(purpose, ()))

    async def ask(
        self,
        scope: Scope,
        session: str | None,
        purpose: CallPurpose,
        prompt: Prompt,
        shape: type[T],
        take: Callable[[T], R],
        *,
        max_tokens: int,
        temperature: float = 0.0,
        seconds: float | None = None,
    ) -> Asked[R]:
        """What is made of a whole value of a shape, from the first model that gives one.

        No transaction may be open meanwhile. A model that is not available is asked again after a while, then the next
        one is. One that breaks the agreed shape is shown its answer and asked once more. One that fails again and again
        is left alone for a while (see `model.breaker`). Every call is in the ledger.

        Args:
            scope: on whose behalf, and from whose budget.
            take: what an answer is made into; what it refuses counts as a failure of the model.
            max_tokens: the longest answer that is paid for.
            seconds: how long each model may take, for who is in a hurry: then none is asked twice, and one that is
                given up has failed.

        Raises:
            BudgetExceeded: it might cost more than is left, or the price is not known; nothing was asked.
            ProviderUnavailable: no model answered, none is configured, or it is left alone.
            BadModelOutput: the answer broke the agreed shape, twice, or `take` has refused it.
        """
        form = _Form(schema=schema_of(shape), parse=partial(parse, shape=shape))
        question = _Question(
            scope=scope,
            session=session,
            purpose=purpose,
            prompt=prompt,
            form=form,
            max_tokens=max_tokens,
            temperature=temperature,
            seconds=seconds,
        )
        return await self._first(question, take)

    async def answer(
        self, scope: Scope, session: str | None, prompt: Prompt, *, max_tokens: int, temperature: float = 0.0
    ) -> Asked[str]:
        """What the first model that answers says to a person, in its own words; the rest as in `ask`.

        Raises:
            BadModelOutput: it said nothing, twice.
        """
        question = _Question(
            scope=scope,
            session=session,
            purpose=CallPurpose.ANSWER,
            prompt=prompt,
            form=_IN_WORDS,
            max_tokens=max_tokens,
            temperature=temperature,
        )
        return await self._first(question, _as_said)

    async def _first(self, question: _Question[T], take: Callable[[T], R]) -> Asked[R]:
        """What is made of the value of the first model that gives one."""
        problem: ProviderUnavailable | BudgetExceeded | None = None
        for model in self._chosen.get(question.purpose, ()):
            try:
                value = await self._let(model, question, take)
                return Asked(value=value, model=model.name, version=question.prompt.version)
            except (ProviderUnavailable, BudgetExceeded) as error:
                problem = problem or error
        raise problem or ProviderUnavailable(f"no model is configured to {question.purpose}", lasting=True)

    async def _let(self, model: LanguageModel, question: _Question[T], take: Callable[[T], R]) -> R:
        """What is made of a model's value, where its breaker lets the question through."""
        breakers = self._breakers(question.scope)
        leave = await breakers.leave(model.name, question.purpose)
        try:
            once = leave.trial or question.seconds is not None
            taken = take(await self._whole(model, question, retries=0 if once else self._asking.retries))
        except BudgetExceeded:
            await breakers.unused(leave)
            raise
        except (ProviderUnavailable, BadModelOutput) as error:
            await breakers.failed(leave, error)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                if question.seconds is None:
                    await breakers.unused(leave)
                else:
                    await breakers.failed(leave, ProviderUnavailable(f"the model {model.name!r} took too long"))
            raise
        await breakers.worked(leave)
        return taken

    def _breakers(self, scope: Scope) -> Breakers:
        asking = self._asking
        # One that is tried may be shown its answer once.
        seconds = 2 * asking.seconds + _SLACK_SECONDS
        return Breakers(self._desk(scope).store, self._rules.clock.now, asking.chance, trial_seconds=seconds)

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

    async def priced(self, served: list[Served]) -> list[Served]:
        """Blocks with their cost at the price of the model that answers; as they are where that is not known."""
        name = next(iter(self.names(CallPurpose.ANSWER)), None)
        return served if name is None else await run_sync(lambda: [self._with_cost(name, one) for one in served])

    def _with_cost(self, model: str, one: Served) -> Served:
        """Blocking."""
        if self.cost(model, NOTHING_USED, one.at) is None:
            return one

        def cost(tokens: int, cached: int) -> int:
            return self.cost(model, Usage(prompt=tokens, cached=cached, answer=0), one.at) or 0

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
        if reply.fault is not None and question.seconds is None:
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
        call = await self._reserved(model, question)
        # Until the model has said otherwise, it may have cost the most.
        settlement = Settlement(call=call.id, outcome=CallOutcome.UNAVAILABLE, milliseconds=0, usage=None, cost=None)
        try:
            answer = await self._answer(model, question)
            reply = _reply(answer, question.form)
            outcome = CallOutcome.OK if reply.fault is None else CallOutcome.BAD_OUTPUT
            usage = await run_sync(self._used, call, answer, question)
            cost = self.cost(call.model, usage, call.started_at)
            settlement = Settlement(call=call.id, outcome=outcome, milliseconds=0, usage=usage, cost=cost)
        except BadModelOutput as fault:
            settlement = replace(settlement, outcome=CallOutcome.BAD_OUTPUT)
            return _Reply(text="", value=None, fault=fault)
        except ProviderUnavailable as error:
            if not error.charged:
                settlement = unspent(call.id, 0)
            raise
        else:
            return reply
        finally:
            elapsed = self._rules.clock.now() - call.started_at
            settlement = replace(settlement, milliseconds=max(0, round(elapsed.total_seconds() * 1_000)))
            await self.settle(question.scope, settlement)

    async def _answer(self, model: LanguageModel, question: _Question[T]) -> Answer:
        """What a model says; whatever a caller's own one raises or returns instead becomes an error of ours.

        Raises:
            ProviderUnavailable: it failed.
            BadModelOutput: it returned something else than an `Answer`.
        """
        try:
            answer: object = await model.complete(
                question.prompt,
                schema=question.form.schema,
                max_tokens=question.max_tokens,
                seconds=self._asking.seconds if question.seconds is None else question.seconds,
                temperature=question.temperature,
            )
        except (RemembrancerError, TimeoutError):
            raise
        except Exception as error:
            told = f"the model {model.name!r} failed: {type(error).__name__}"
            raise ProviderUnavailable(told, charged=True) from error
        if not isinstance(answer, Answer):  # pyright: ignore[reportUnnecessaryIsInstance] -- a caller's own may differ
            raise BadModelOutput(f"the model {model.name!r} returned {type(answer).__name__} instead of an Answer")
        if not isinstance(answer.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- a caller's own may differ
            raise BadModelOutput(f"the model {model.name!r} returned an Answer without a text")
        return answer

    async def _reserved(self, model: LanguageModel, question: _Question[T]) -> Call:
        """The call as it stands in the ledger before it is made; raises as `reserve`."""
        tokens, cost = await run_sync(self._most, model.name, question)
        version, purpose = question.prompt.version, question.purpose
        return await self.reserve(
            question.scope, purpose, model.name, tokens=tokens, cost=cost, session=question.session, version=version
        )

    async def reserve(
        self,
        scope: Scope,
        purpose: CallPurpose,
        model: str,
        *,
        tokens: int,
        cost: int | None,
        session: str | None = None,
        version: str = "",
    ) -> Call:
        """A call as it stands in the ledger before it is made; settle it afterwards, whatever becomes of it.

        Args:
            tokens: the most that it can take, prompt and answer together.
            cost: the most that it can cost, in millionths of a US dollar; `None` where no price is known.
            version: of the prompt, where there is one.

        Raises:
            BudgetExceeded: it was refused, and so it stands there.
        """
        call = Call(
            id=self._rules.ids.new(),
            project=scope.project,
            agent=scope.agent,
            session=session,
            purpose=purpose,
            model=model,
            prompt_version=version,
            started_at=self._rules.clock.now(),
            reserved_tokens=tokens,
            reserved_cost=cost,
        )
        async with self._desk(ledger_of(scope)).write() as writing:
            refusal = await reserve(writing, call, self._allowance, refused_id=self._refusal_id(call))
        if refusal:
            raise BudgetExceeded(refusal)
        return call

    async def settle(self, scope: Scope, settlement: Settlement) -> None:
        """Write down how a call of a scope ended, also where nobody waits for it any more."""
        with anyio.CancelScope(shield=True):
            async with self._desk(ledger_of(scope)).write() as writing:
                await writing.note(settlement)

    def _refusal_id(self, call: Call) -> str:
        """The same for all of an hour: who is refused comes again with every sweep."""
        hour = call.started_at.replace(minute=0, second=0, microsecond=0)
        parts = (call.purpose, call.model, call.project, call.agent, call.session, hour.isoformat())
        return f"refused-{self._rules.sign(repr(parts))[:_REFUSAL_ID_DIGITS]}"

    def _most(self, model: str, question: _Question[Any]) -> tuple[int, int | None]:
        """The most tokens that a call can take, and the most that it can cost. Blocking."""
        prompt = self._prompt_tokens(model, question)
        now = self._rules.clock.now()
        # Some providers ask more for what they put into their cache.
        ways = [Usage(prompt=prompt, cached=0, answer=question.max_tokens, written=part) for part in (0, prompt)]
        known = [self.cost(model, usage, now) for usage in ways]
        return prompt + question.max_tokens, max((cost for cost in known if cost is not None), default=None)

    def cost(self, model: str, usage: Usage, at: datetime) -> int | None:
        """What a call costs, in millionths of a US dollar; `None` where no price is known. Blocking at first."""
        cost = None if self._prices is None else self._prices.cost(model, usage, at=at)
        return None if cost is None else max(0, cost)

    def _prompt_tokens(self, model: str, question: _Question[Any]) -> int:
        """No fewer than the model counts."""
        counter = self._counter(model)
        text = "\n".join((question.prompt.system, question.prompt.text, json.dumps(question.form.schema)))
        bound = counter.count(text) if counter.exact or counter.margin > 1 else len(text.encode(errors="replace"))
        return bound + _AROUND_TOKENS

    def _used(self, call: Call, answer: Answer, question: _Question[Any]) -> Usage:
        """What a call took: as the provider says or, where it says nothing that can be, as we count. Blocking."""
        if reported := believable(answer.usage, most=call.reserved_tokens):
            return reported
        prompt = self._prompt_tokens(call.model, question)
        return Usage(prompt=prompt, cached=0, answer=self._counter(call.model).count(answer.text))


def _said(text: str) -> str:
    """An answer in words, without what no store could keep.

    Raises:
        BadModelOutput: there are none.
    """
    words = text.replace("\0", "").encode(errors="replace").decode().strip()
    if not words:
        raise BadModelOutput("the model said nothing")
    return words


_IN_WORDS = _Form(schema=None, parse=_said)


def _as_said(words: str) -> str:
    return words


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
        seconds: float | None = None,
    ) -> None:
        self._models = models
        self._scope = scope
        self._session = session
        self._purpose = purpose
        self._max_tokens = max_tokens
        self._seconds = seconds
        self.model = self.version = ""

    async def __call__(self, prompt: Prompt, shape: type[T], take: Callable[[T], R], /) -> R:
        """What is made of the answer; raises as `Models.ask`."""
        asked = await self._models.ask(
            self._scope,
            self._session,
            self._purpose,
            prompt,
            shape,
            take,
            max_tokens=self._max_tokens,
            seconds=self._seconds,
        )
        self.model, self.version = asked.model, asked.version
        return asked.value


def _reply(answer: Answer, form: _Form[T]) -> _Reply[T]:
    try:
        return _Reply(text=answer.text, value=form.parse(answer.text), fault=None)
    except BadModelOutput as fault:
        return _Reply(text=answer.text, value=None, fault=fault)


def _repairing(question: _Question[T], reply: _Reply[T]) -> _Question[T]:
    """The question with the answer and its fault put back; without an answer it is the same question."""
    if not reply.text.strip():
        return question
    prompt = question.prompt
    text = (
        f"{prompt.text}\n\nAn earlier answer was:\n\n{reply.text[:_REPAIRED_CHARACTERS]}\n\n"
        f"It cannot be used: {reply.fault}. Answer again, with JSON of the agreed shape and nothing else."
    )
    return replace(question, prompt=Prompt(system=prompt.system, text=text, version=f"{prompt.version}+repair"))
