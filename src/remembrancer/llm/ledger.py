"""What calls of models cost: the most is set aside before each, and what it took is settled, whatever becomes of it."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from typing import Any

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import BudgetExceeded
from remembrancer.llm.budget import Allowance, ledger_of, reserve, unspent
from remembrancer.llm.language_model import Answer, Prompt
from remembrancer.llm.prices import Prices
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.tokens import TokenCounter
from remembrancer.transactions.unit_of_work import Desks
from remembrancer.types.calls import AnswerCost, Call, CallOutcome, CallPurpose, CallResult, Usage, plausible_usage
from remembrancer.types.scope import REQUEST, Scope

# What providers put around a prompt: names of roles, marks between messages.
_AROUND_TOKENS = 64
_REFUSAL_ID_DIGITS = 32


class Bill:
    """What somebody's questions have cost so far.

    Attributes:
        paid: all calls together.
        model: which model was called last, as `provider:name`; `""` before.
    """

    def __init__(self) -> None:
        self.paid = AnswerCost()
        self.model = ""

    def add(self, call: Call, settled: CallResult) -> None:
        """Put a call on it."""
        self.paid = self.paid.plus(call, settled)
        self.model = call.model


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of a model.

    Args:
        scope: on whose behalf, and from whose budget.
        schema: of the answer; `None` for one in words.
        max_tokens: the longest answer that is paid for.
        bill: what its calls are put on.
        seconds: how long a model may take, for who is in a hurry; `None` for as long as models are given.
    """

    scope: Scope
    session: str | None
    purpose: CallPurpose
    prompt: Prompt
    max_tokens: int
    schema: Mapping[str, Any] | None = None
    temperature: float = 0.0
    bill: Bill = field(default_factory=Bill)
    seconds: float | None = None


class Entry:
    """One call as it stands in the ledger while it runs; what is not said of it counts as the most that it can take."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.settlement = CallResult(
            call=call.id, outcome=CallOutcome.UNAVAILABLE, milliseconds=0, usage=None, cost=None
        )
        self.came = ""

    def ended(self, outcome: CallOutcome) -> None:
        """It has come to this."""
        self.settlement = replace(self.settlement, outcome=outcome)

    def cost_nothing(self) -> None:
        """It never reached the model, or was refused by it."""
        self.settlement = unspent(self.call.id, 0)

    def broke_off(self, came: str) -> None:
        """So much of an answer came and no more: it is counted."""
        self.came = came


class Ledger:
    """The calls of models of one open store.

    Args:
        prices: as far as there are any.
        counters: what counts the tokens of a model, by its name; blocking, and asked in a thread.
    """

    def __init__(
        self,
        desk: Desks,
        rules: Dependencies,
        *,
        prices: Prices | None,
        counters: Callable[[str], TokenCounter],
        allowance: Allowance,
    ) -> None:
        self._desk = desk
        self._rules = rules
        self._prices = prices
        self._counter = cache(counters)
        self._allowance = allowance

    @asynccontextmanager
    async def call(self, model: str, request: Request) -> AsyncGenerator[Entry, None]:
        """A block in which a language model is called, and what it takes is put on the bill; the rest as `reserved`."""
        tokens, cost = await run_sync(self._most, model, request)
        reserved = self.reserved(
            request.scope,
            request.purpose,
            model,
            tokens=tokens,
            cost=cost,
            session=request.session,
            version=request.prompt.version,
        )
        async with reserved as entry:
            try:
                yield entry
            finally:
                # Also where whoever asked has gone.
                with anyio.CancelScope(shield=True):
                    if entry.came:
                        usage = await run_sync(self._usage, entry.call.model, entry.came, request)
                        self.counted(entry, usage)
                request.bill.add(entry.call, entry.settlement)

    @asynccontextmanager
    async def reserved(
        self,
        scope: Scope,
        purpose: CallPurpose,
        model: str,
        *,
        tokens: int,
        cost: int | None,
        session: str | None = None,
        version: str = "",
    ) -> AsyncGenerator[Entry, None]:
        """A block in which a model is called: what it may take is set aside, and settled when the block ends.

        No transaction is open within.

        Args:
            tokens: the most that it can take, prompt and answer together.
            cost: the most that it can cost, in millionths of a US dollar; `None` where no price is known.
            version: of the prompt, where there is one.

        Raises:
            BudgetExceeded: the call was refused, and so it stands in the ledger.
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
            request=REQUEST.get(),
        )
        desk = self._desk(ledger_of(scope))
        async with desk.write() as writing:
            refusal = await reserve(writing, call, self._allowance, refused_id=self._refusal_id(call))
        if refusal:
            raise BudgetExceeded(refusal)
        entry = Entry(call)
        try:
            yield entry
        finally:
            # Also where whoever asked has gone.
            with anyio.CancelScope(shield=True):
                elapsed = self._rules.clock.now() - call.started_at
                milliseconds = max(0, round(elapsed.total_seconds() * 1_000))
                end = replace(entry.settlement, milliseconds=milliseconds)
                async with desk.write() as writing:
                    await writing.note(end)
                self._rules.meter.called(scope, call, end)

    async def took(self, entry: Entry, answer: Answer, request: Request) -> None:
        """Write down what an answer took: as the provider says or, where it says nothing that can be, as we count."""
        reported = plausible_usage(answer.usage, most=entry.call.reserved_tokens)
        self.counted(entry, reported or await run_sync(self._usage, entry.call.model, answer.text, request))

    def cost(self, model: str, usage: Usage, at: datetime) -> int | None:
        """What a call costs, in millionths of a dollar; `None` where the price is not known. Blocking."""
        cost = None if self._prices is None else self._prices.cost(model, usage, at=at)
        return None if cost is None else max(0, cost)

    def counted(self, entry: Entry, usage: Usage) -> None:
        """Write down what a call took, with its cost."""
        is_free = entry.call.reserved_cost == 0
        cost = 0 if is_free else self.cost(entry.call.model, usage, entry.call.started_at)
        entry.settlement = replace(entry.settlement, usage=usage, cost=cost)

    def _refusal_id(self, call: Call) -> str:
        """The same for all of an hour: who is refused comes again with every sweep."""
        hour = call.started_at.replace(minute=0, second=0, microsecond=0)
        parts = (call.purpose, call.model, call.project, call.agent, call.session, hour.isoformat())
        return f"refused-{self._rules.sign(repr(parts))[:_REFUSAL_ID_DIGITS]}"

    def _most(self, model: str, request: Request) -> tuple[int, int | None]:
        """The most tokens that a call can take, and the most that it can cost. Blocking."""
        prompt = self._prompt_tokens(model, request)
        now = self._rules.clock.now()
        # Some providers ask more for what they put into their cache.
        ways = [Usage(prompt=prompt, cached=0, answer=request.max_tokens, written=part) for part in (0, prompt)]
        known = [self.cost(model, usage, now) for usage in ways]
        return prompt + request.max_tokens, max((cost for cost in known if cost is not None), default=None)

    def _prompt_tokens(self, model: str, request: Request) -> int:
        """No fewer than the model counts. Blocking."""
        counter = self._counter(model)
        text = "\n".join((request.prompt.system, request.prompt.text, json.dumps(request.schema)))
        bound = counter.count(text) if counter.exact or counter.margin > 1 else len(text.encode(errors="replace"))
        return bound + _AROUND_TOKENS

    def _usage(self, model: str, answer: str, request: Request) -> Usage:
        """What a call took, as we count. Blocking."""
        return Usage(prompt=self._prompt_tokens(model, request), cached=0, answer=self._counter(model).count(answer))
