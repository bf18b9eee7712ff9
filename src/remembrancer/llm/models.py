"""The language models of a deployment: which one is asked, within which budget, and how often.

Text, structured answers and streams all go through `Models`. No transaction is open while a model is called.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, Generic, TypeVar

from anyio.to_thread import run_sync

from remembrancer.errors import BudgetExceeded, ProviderUnavailable
from remembrancer.llm.breaker import BreakerPermit, Breakers
from remembrancer.llm.budget import NOTHING_USED, Allowance, Costs, costs, ledger_scope, refused_purposes
from remembrancer.llm.call import CallSettings, ModelCaller, as_text
from remembrancer.llm.language_model import LanguageModel, Prompt
from remembrancer.llm.ledger import Ledger
from remembrancer.llm.prompts import parse, schema_of
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.request import Bill, ModelRequest
from remembrancer.transactions.dependencies import Dependencies, TokenCounter
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.calls import CallPurpose, ServedBlock, Usage, saving
from remembrancer.types.scope import Scope
from remembrancer.types.text import ESTIMATE

T = TypeVar("T")
R = TypeVar("R")
_SESSIONS_REPORTED: Final = 100
# A trial of a model that was left alone lasts at most this much longer than the timeout of the model.
_SLACK_SECONDS: Final = 5.0
# Purposes for which there is an engine without a model.
_WITHOUT_MODEL: Final = (CallPurpose.OBSERVE, CallPurpose.REFLECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer(Generic[T]):
    """The value of a model's answer, with the model and prompt that derived rows keep.

    Args:
        model: as `provider:name`.
        version: of the prompt.
    """

    value: T
    model: str
    version: str


class Models:
    """The language models of a deployment, by purpose.

    Args:
        chosen: for each purpose the model to ask, then those to fall back on; none for a purpose that is left out.
        prices: as far as there are any.
        counters: returns what counts the tokens of a model, by its name; blocking, and called in a thread.
        allowance: no limit where there is none.
    """

    def __init__(
        self,
        units: UnitsOfWork,
        chosen: Mapping[CallPurpose, Sequence[LanguageModel]],
        rules: Dependencies,
        *,
        prices: PriceList | None = None,
        counters: Callable[[str], TokenCounter] = lambda _: ESTIMATE,
        allowance: Allowance | None = None,
        settings: CallSettings | None = None,
    ) -> None:
        self._units = units
        self._chosen = chosen
        self._rules = rules
        self._allowance = allowance or Allowance()
        self._settings = settings or CallSettings()
        self.ledger = Ledger(units, rules, prices=prices, counters=counters, allowance=self._allowance)
        self._caller = ModelCaller(self.ledger, self._settings)

    def available(self, purpose: CallPurpose) -> bool:
        """Return True if there is a model to ask."""
        return bool(self._chosen.get(purpose))

    def names(self, purpose: CallPurpose) -> tuple[str, ...]:
        """Return the names of the models that are asked, the first one first."""
        return tuple(model.name for model in self._chosen.get(purpose, ()))

    async def structured(self, request: ModelRequest, shape: type[T], convert: Callable[[T], R]) -> ModelAnswer[R]:
        """Return the converted answer of the first model that answers in the shape.

        A model that is not available is called again after a while, then the next one is. One that breaks the agreed
        shape gets its answer back once. One that fails again and again is paused for a while (see `types.breaker`).
        Every call is in the ledger.

        Args:
            convert: an answer that it refuses counts as a failure of the model.

        Raises:
            BudgetExceeded: it might cost more than is left, or the price is not known; no model was called.
            ProviderUnavailable: no model answered, none is configured, or it is paused.
            BadModelOutput: the answer broke the agreed shape, twice, or `convert` has refused it.
        """
        return await self._ask(replace(request, schema=schema_of(shape)), partial(parse, shape=shape), convert)

    async def text(self, request: ModelRequest, read: Callable[[str], T]) -> ModelAnswer[T]:
        """Return the value that `read` makes of the first model's answer in words; see `structured`.

        Args:
            read: an answer that it refuses goes back to the model once, with the reason; `str` keeps the words.

        Raises:
            BadModelOutput: the answer was blank, or `read` has refused it, twice.
        """
        return await self._ask(request, lambda text: read(as_text(text)), _unchanged)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[str | ModelAnswer[str], None]:
        """Yield an answer in words piece by piece, and then the whole of it; see `text`.

        Another model is asked only before the first piece. A model that cannot stream yields one piece. Close the
        stream if it is not read to its end.

        Raises:
            BudgetExceeded: it might cost more than is left, or the price is not known; no model was called.
            ProviderUnavailable: no model answered, or the answer broke off, was too slow or exceeded its limit.
            BadModelOutput: the answer was blank.
        """
        problem: ProviderUnavailable | BudgetExceeded | None = None
        for model in self._chosen.get(request.purpose, ()):
            begun = False
            try:
                async with aclosing(self._stream(model, request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except (ProviderUnavailable, BudgetExceeded) as error:
                if begun:
                    raise
                problem = problem or error
        raise problem or _no_model(request.purpose)

    async def _ask(self, request: ModelRequest, read: Callable[[str], T], convert: Callable[[T], R]) -> ModelAnswer[R]:
        problem: ProviderUnavailable | BudgetExceeded | None = None
        for model in self._chosen.get(request.purpose, ()):
            try:
                async with self._breakers(request).guard(
                    model.name, request.purpose, hurried=request.seconds is not None
                ) as permit:
                    retries = self._retries(permit) if request.seconds is None else 0
                    answer = await self._caller.complete(model, request, read, retries=retries)
                    # Comparing an answer with many texts is slow.
                    value = await run_sync(convert, answer)
                return ModelAnswer(value=value, model=model.name, version=request.prompt.version)
            except (ProviderUnavailable, BudgetExceeded) as error:
                problem = problem or error
        raise problem or _no_model(request.purpose)

    async def _stream(
        self, model: LanguageModel, request: ModelRequest
    ) -> AsyncGenerator[str | ModelAnswer[str], None]:
        text = ""
        async with self._breakers(request).guard(model.name, request.purpose) as permit:
            async with aclosing(self._caller.stream(model, request, retries=self._retries(permit))) as pieces:
                async for piece in pieces:
                    text += piece
                    yield piece
            text = as_text(text)
        yield ModelAnswer(value=text, model=model.name, version=request.prompt.version)

    def _retries(self, permit: BreakerPermit) -> int:
        return 0 if permit.trial else self._settings.retries

    def _breakers(self, request: ModelRequest) -> Breakers:
        settings = self._settings
        # A model on trial may get its answer back once.
        seconds = 2 * settings.seconds_for(request.purpose) + _SLACK_SECONDS
        return Breakers(self._units(request.scope).store, self._rules.clock.now, settings.chance, trial_seconds=seconds)

    async def costs(self, scope: Scope, *, days: int) -> Costs:
        """Return the cost of a scope's calls by day, the savings by memory, and the budgets."""
        now = self._rules.clock.now()
        found = await self._units(ledger_scope(scope)).read(
            lambda tx: costs(tx, scope, self._allowance, now=now, days=days)
        )
        # The names of sessions are shown to their own scope alone.
        sessions = await self._units(scope).read(
            lambda tx: tx.blocks.by_session(since=found.days[-1].since, limit=_SESSIONS_REPORTED)
        )
        return replace(found, sessions=tuple(sessions), breakers=tuple(await self._units(scope).store.breakers()))

    async def priced(self, served: list[ServedBlock]) -> list[ServedBlock]:
        """Return blocks with their cost at the price of the answering model, if it is known."""
        name = next(iter(self.names(CallPurpose.ANSWER)), None)
        return served if name is None else await run_sync(lambda: [self._with_cost(name, one) for one in served])

    def _with_cost(self, model: str, one: ServedBlock) -> ServedBlock:
        """Return a block with its cost. Blocking."""
        if self.ledger.cost(model, NOTHING_USED, one.at) is None:
            return one

        def cost(tokens: int, cached: int) -> int:
            return self.ledger.cost(model, Usage(prompt=tokens, cached=cached, answer=0), one.at) or 0

        return replace(one, cost=saving([one.block], [one.whole], cost))

    async def degraded(self, scope: Scope) -> tuple[str, ...]:
        """Return a note for each budget or breaker that keeps the engines of a scope from a model."""
        return (*await self._over_budget(scope), *await self._left_alone(scope))

    async def _over_budget(self, scope: Scope) -> tuple[str, ...]:
        """Return a note on the purposes that a budget refuses; without a budget the ledger is not read."""
        if not self._allowance.is_limited:
            return ()
        now = self._rules.clock.now()
        found = await self._units(ledger_scope(scope)).read(
            lambda tx: refused_purposes(tx, scope, self._allowance, now=now)
        )
        purposes = " and to ".join(purpose for purpose in _WITHOUT_MODEL if purpose in found)
        return (f"a budget has refused today to ask a model to {purposes}: the words do it",) if purposes else ()

    async def _left_alone(self, scope: Scope) -> tuple[str, ...]:
        """Return a note on each model of the engines that is left alone."""
        if not any(self.available(purpose) for purpose in _WITHOUT_MODEL):
            return ()
        now = self._rules.clock.now()
        found = await self._units(scope).store.breakers()
        return tuple(
            f"{one}: until then the words do it"
            for one in found
            if one.is_open(now) and one.purpose in _WITHOUT_MODEL and one.model in self.names(one.purpose)
        )


class ScopedModels:
    """The models of one scope and purpose; the implementation of `AskModel`.

    Args:
        seconds: as in `ModelRequest`.

    Attributes:
        model: the one that answered last, as `provider:name`; `""` before.
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
        self._request = partial(
            ModelRequest,
            scope=scope,
            session=session,
            purpose=purpose,
            max_tokens=max_tokens,
            bill=bill or Bill(),
            seconds=seconds,
        )
        self.model = self.version = ""

    async def __call__(self, prompt: Prompt, shape: type[T], convert: Callable[[T], R], /) -> R:
        """Return the converted answer; raises as `Models.structured`."""
        answer = await self._models.structured(self._request(prompt=prompt), shape, convert)
        self.model, self.version = answer.model, answer.version
        return answer.value


def _no_model(purpose: CallPurpose) -> ProviderUnavailable:
    return ProviderUnavailable(f"no model is configured to {purpose}", lasting=True)


def _unchanged(value: T) -> T:
    return value
