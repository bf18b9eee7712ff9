"""The ledger of model calls: the largest possible cost is reserved before a call, and the real one settled after."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import BudgetExceeded
from remembrancer.llm.budget import Allowance, free_usage, ledger_scope, reserve
from remembrancer.llm.language_model import Completion
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.request import ModelRequest
from remembrancer.transactions.dependencies import Dependencies, TokenCounter
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.calls import Call, CallOutcome, CallPurpose, CallResult, Usage, plausible_usage
from remembrancer.types.scope import REQUEST, Scope

# Tokens that providers add to a prompt: names of roles, separators of messages.
_AROUND_TOKENS = 64
_REFUSAL_ID_DIGITS = 32


class LedgerEntry:
    """A call in the ledger while it runs; until its usage is known, the reserved amount counts."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.usage = CallResult(call=call.id, outcome=CallOutcome.UNAVAILABLE, milliseconds=0, usage=None, cost=None)
        self.partial = ""

    def set_outcome(self, outcome: CallOutcome) -> None:
        """Set the outcome."""
        self.usage = replace(self.usage, outcome=outcome)

    def set_free(self) -> None:
        """Set no cost: the call did not reach the model, or was refused by it."""
        self.usage = free_usage(self.call.id, 0)

    def set_partial(self, text: str) -> None:
        """Set the part of an answer that arrived; its tokens are counted."""
        self.partial = text


class Ledger:
    """The ledger of the model calls of one open store.

    Args:
        prices: as far as there are any.
        counters: what counts the tokens of a model, by its name; blocking, and asked in a thread.
    """

    def __init__(
        self,
        units: UnitsOfWork,
        rules: Dependencies,
        *,
        prices: PriceList | None,
        counters: Callable[[str], TokenCounter],
        allowance: Allowance,
    ) -> None:
        self._units = units
        self._rules = rules
        self._prices = prices
        self._counter = cache(counters)
        self._allowance = allowance

    @asynccontextmanager
    async def open_call(self, model: str, request: ModelRequest) -> AsyncGenerator[LedgerEntry, None]:
        """Run a block that calls a language model, and add the call to the bill; see `reserve`."""
        tokens, cost = await run_sync(self._most, model, request)
        reserved = self.reserve(
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
                # Also if the caller was cancelled.
                with anyio.CancelScope(shield=True):
                    if entry.partial:
                        usage = await run_sync(self._usage, entry.call.model, entry.partial, request)
                        self.settle(entry, usage)
                request.bill.add(entry.call, entry.usage)

    @asynccontextmanager
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
    ) -> AsyncGenerator[LedgerEntry, None]:
        """Run a block that calls a model: reserve its largest cost before, and settle the real cost after.

        No transaction is open within the block.

        Args:
            tokens: the maximum, prompt and answer together.
            cost: the maximum in millionths of a US dollar; `None` without a known price.
            version: of the prompt, if there is one.

        Raises:
            BudgetExceeded: the call was refused; the ledger has an entry for the refusal.
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
        unit = self._units(ledger_scope(scope))
        async with unit.write() as writer:
            refusal = await reserve(writer, call, self._allowance, refused_id=self._refusal_id(call))
        if refusal:
            raise BudgetExceeded(refusal)
        entry = LedgerEntry(call)
        try:
            yield entry
        finally:
            # Also if the caller was cancelled.
            with anyio.CancelScope(shield=True):
                elapsed = self._rules.clock.now() - call.started_at
                milliseconds = max(0, round(elapsed.total_seconds() * 1_000))
                end = replace(entry.usage, milliseconds=milliseconds)
                async with unit.write() as writer:
                    await writer.put(end)
                self._rules.meter.called(scope, call, end)

    async def settle_answer(self, entry: LedgerEntry, answer: Completion, request: ModelRequest) -> None:
        """Settle a call by the usage that the provider reports, or by our own count.

        The own count replaces an implausible report.
        """
        reported = plausible_usage(answer.usage, most=entry.call.reserved_tokens)
        self.settle(entry, reported or await run_sync(self._usage, entry.call.model, answer.text, request))

    def cost(self, model: str, usage: Usage, at: datetime) -> int | None:
        """Return the cost of a call in millionths of a dollar; `None` without a price. Blocking."""
        cost = None if self._prices is None else self._prices.cost(model, usage, at=at)
        return None if cost is None else max(0, cost)

    def settle(self, entry: LedgerEntry, usage: Usage) -> None:
        """Settle a call with its usage and its cost."""
        is_free = entry.call.reserved_cost == 0
        cost = 0 if is_free else self.cost(entry.call.model, usage, entry.call.started_at)
        entry.usage = replace(entry.usage, usage=usage, cost=cost)

    def _refusal_id(self, call: Call) -> str:
        """Return one id for all refusals of an hour: a refused worker tries again and again."""
        hour = call.started_at.replace(minute=0, second=0, microsecond=0)
        parts = (call.purpose, call.model, call.project, call.agent, call.session, hour.isoformat())
        return f"refused-{self._rules.sign(repr(parts))[:_REFUSAL_ID_DIGITS]}"

    def _most(self, model: str, request: ModelRequest) -> tuple[int, int | None]:
        """Return the largest number of tokens and the largest cost of a call. Blocking."""
        prompt = self._prompt_tokens(model, request)
        now = self._rules.clock.now()
        # Some providers charge more for tokens that they write to their cache.
        ways = [Usage(prompt=prompt, cached=0, answer=request.max_tokens, written=part) for part in (0, prompt)]
        known = [self.cost(model, usage, now) for usage in ways]
        return prompt + request.max_tokens, max((cost for cost in known if cost is not None), default=None)

    def _prompt_tokens(self, model: str, request: ModelRequest) -> int:
        """Return an upper bound of the tokens of a prompt. Blocking."""
        counter = self._counter(model)
        text = "\n".join((request.prompt.system, request.prompt.text, json.dumps(request.schema)))
        bound = counter.count(text) if counter.exact or counter.margin > 1 else len(text.encode(errors="replace"))
        return bound + _AROUND_TOKENS

    def _usage(self, model: str, answer: str, request: ModelRequest) -> Usage:
        """Return the usage of a call by our own count. Blocking."""
        return Usage(prompt=self._prompt_tokens(model, request), cached=0, answer=self._counter(model).count(answer))
