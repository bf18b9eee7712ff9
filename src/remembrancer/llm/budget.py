"""Budgets of a tenant and its projects for models, and what is spent.

The largest cost of a call is reserved in the transaction that reads the budgets, and these transactions run one after
the other, so reserved amounts count as spent. The reservation of a dead process remains until its day or month is
over.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import partial

from remembrancer.storage.tx import Tx
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.calls import (
    Breaker,
    Call,
    CallOutcome,
    CallPurpose,
    CallResult,
    CallTotal,
    Savings,
    Usage,
    dollars,
)
from remembrancer.types.erasure import BudgetForecast
from remembrancer.types.scope import Scope

WARNING_SHARE = 0.75
CRITICAL_SHARE = 0.9
NOTHING_USED = Usage(prompt=0, cached=0, answer=0)


class Period(StrEnum):
    """The period of a budget."""

    DAY = "day"
    MONTH = "month"


class Unit(StrEnum):
    """The unit of a budget."""

    MONEY = "money"
    TOKENS = "tokens"


class BudgetState(StrEnum):
    """The state of a budget."""

    OK = "ok"
    WARNING = "warning"
    CRITICAL = "critical"
    EXCEEDED = "exceeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """The most that may be spent; `None` sets no limit. Money is in millionths of a US dollar."""

    day_money: int | None = None
    month_money: int | None = None
    day_tokens: int | None = None
    month_tokens: int | None = None

    def limits(self) -> list[tuple[Period, Unit, int]]:
        """Return the budgets that set a limit."""
        every = (
            (Period.DAY, Unit.MONEY, self.day_money),
            (Period.MONTH, Unit.MONEY, self.month_money),
            (Period.DAY, Unit.TOKENS, self.day_tokens),
            (Period.MONTH, Unit.TOKENS, self.month_tokens),
        )
        return [(period, unit, limit) for period, unit, limit in every if limit is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """Spending limits of a tenant.

    Args:
        tenant: for the whole tenant.
        project: for each of its projects.
        zone: where its days and months begin.
    """

    tenant: Budgets = field(default_factory=Budgets)
    project: Budgets = field(default_factory=Budgets)
    zone: tzinfo = UTC

    @property
    def is_limited(self) -> bool:
        """True if anything may not be spent."""
        return bool(self.tenant.limits() or self.project.limits())


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingLimit:
    """A limit and what of it is spent.

    Args:
        project: whose it is; `None` for the whole tenant's.
        limit, spent: tokens, or millionths of a US dollar.
        unpriced: calls of unknown cost, which are not among the money spent.
    """

    project: str | None
    period: Period
    unit: Unit
    limit: int
    spent: int
    unpriced: int
    since: datetime

    @property
    def state(self) -> BudgetState:
        """The state of spending; a limit of 0 is exceeded from the start."""
        if self.spent >= self.limit:
            return BudgetState.EXCEEDED
        if self.spent >= CRITICAL_SHARE * self.limit:
            return BudgetState.CRITICAL
        return BudgetState.WARNING if self.spent >= WARNING_SHARE * self.limit else BudgetState.OK

    def refuses(self, call: Call) -> str:
        """Why a call cannot be paid from it, or `""`; what costs nothing always can."""
        wanted = call.reserved_tokens if self.unit is Unit.TOKENS else call.reserved_cost
        if wanted is None:
            return f"the price of {call.model!r} is not known, and {self._named()} is one of money; set prices"
        if wanted and self.spent + wanted > self.limit:
            amounts = [self._format(amount) for amount in (self.spent, self.limit, wanted)]
            return f"{self._named()} has {amounts[0]} of {amounts[1]} spent, and the call may take {amounts[2]}"
        return ""

    def _named(self) -> str:
        return f"the budget of the {'tenant' if self.project is None else 'project'} for the {self.period}"

    def _format(self, amount: int) -> str:
        return f"{amount:,} tokens" if self.unit is Unit.TOKENS else f"{dollars(amount):f} USD"


def projected(budget: SpendingLimit, now: datetime, zone: tzinfo) -> BudgetForecast:
    """Return a budget with its spending projected to the end of its period."""
    begun = budget.since.astimezone(zone)
    following = begun + timedelta(days=1 if budget.period is Period.DAY else 32)
    end = following if budget.period is Period.DAY else following.replace(day=1)
    end = end.replace(hour=0, minute=0, second=0, microsecond=0, fold=0).astimezone(UTC)
    elapsed = max((now - budget.since).total_seconds(), 1.0)
    return BudgetForecast(
        project=budget.project,
        period=budget.period.value,
        unit=budget.unit.value,
        limit=budget.limit,
        spent=budget.spent,
        projected=max(budget.spent, round(budget.spent * (end - budget.since).total_seconds() / elapsed)),
        state=budget.state.value,
        until=end,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Calls of any kind added up; the fields are those of `CallTotal`."""

    calls: int
    refused: int
    failed: int
    prompt_tokens: int
    cached_tokens: int
    answer_tokens: int
    cost: int
    unpriced: int
    milliseconds: int


def sums(totals: Iterable[CallTotal]) -> Sums:
    """Return the sum of totals of any kind."""
    found = list(totals)
    return Sums(**{name.name: sum(getattr(total, name.name) for total in found) for name in fields(Sums)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The spending of a day.

    Args:
        since: its beginning in the time zone of the budgets.
        savings: those of the contexts of the day; `None` without contexts.
    """

    since: datetime
    sums: Sums
    savings: Savings | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost of models and the state of budgets.

    Args:
        days: the latest first.
        totals: of all those days, by purpose, model, project and agent.
        agents: savings by served blocks on all those days, by project and agent.
        sessions: the same for the sessions of the exact scope, the last served first.
        breakers: models that have failed since their last good answer, for any caller.
    """

    days: tuple[Day, ...]
    totals: tuple[CallTotal, ...]
    budgets: tuple[SpendingLimit, ...]
    agents: tuple[Savings, ...] = ()
    sessions: tuple[Savings, ...] = ()
    breakers: tuple[Breaker, ...] = ()


def ledger_scope(scope: Scope) -> Scope:
    """Return the exact scope with the ledger of a tenant, since budgets span all its scopes."""
    return Scope(tenant=scope.tenant)


def period_start(period: Period, now: datetime, zone: tzinfo) -> datetime:
    """Return the start of the day or the month of a time, in UTC."""
    local = now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return (local.replace(day=1) if period is Period.MONTH else local).astimezone(UTC)


async def current_budgets(
    tx: Tx, allowance: Allowance, *, project: str | None, now: datetime
) -> tuple[SpendingLimit, ...]:
    """Return every budget that a project's calls are paid from, the tenant's first.

    Args:
        tx: in the scope of `ledger_scope`.
    """
    owners = [(None, allowance.tenant)] + ([] if project is None else [(project, allowance.project)])
    return tuple(
        [
            await _budget(tx, owner, period, unit, limit, period_start(period, now, allowance.zone), now)
            for owner, budgets in owners
            for period, unit, limit in budgets.limits()
        ]
    )


async def _budget(
    tx: Tx, owner: str | None, period: Period, unit: Unit, limit: int, since: datetime, now: datetime
) -> SpendingLimit:
    # What a clock that ran ahead has written is of another day, and would count on every day until then.
    spent = await tx.calls.spent(since=since, until=now + timedelta(days=1), project=owner)
    return SpendingLimit(
        project=owner,
        period=period,
        unit=unit,
        limit=limit,
        spent=spent.tokens if unit is Unit.TOKENS else spent.cost,
        unpriced=spent.unpriced,
        since=since,
    )


async def reserve(writer: WriteTransaction, call: Call, allowance: Allowance, *, refused_id: str) -> str:
    """Reserve the largest cost of a call, or store its refusal; return the reason, or `""`.

    Args:
        writing: in the scope of `ledger_scope`; committed in both cases.
        refused_id: id of the refusal, unless it is stored already.
    """
    budgets = await current_budgets(writer.tx, allowance, project=call.project, now=call.started_at)
    refusal = next(filter(None, (budget.refuses(call) for budget in budgets)), "")
    if not refusal:
        await writer.put(call)
        return ""
    await writer.put(_refused(call, refused_id))
    return refusal


async def refused_purposes(tx: Tx, scope: Scope, allowance: Allowance, *, now: datetime) -> frozenset[CallPurpose]:
    """Return the purposes of a scope's calls that a budget has refused since the day began.

    Args:
        tx: in the scope of `ledger_scope`.
        scope: what it leaves blank of project and agent is all of them.
    """
    since, until = period_start(Period.DAY, now, allowance.zone), now + timedelta(days=1)
    found = await tx.calls.totals(since=since, until=until, project=scope.project, agent=scope.agent)
    return frozenset(total.purpose for total in found if total.refused)


def _refused(call: Call, id: str) -> Call:
    return replace(call, id=id, outcome=CallOutcome.REFUSED, milliseconds=0, usage=NOTHING_USED, cost=0)


def free_usage(call: str, milliseconds: int) -> CallResult:
    """Return the usage of a call without an answer and without cost."""
    outcome = CallOutcome.UNAVAILABLE
    return CallResult(call=call, outcome=outcome, milliseconds=milliseconds, usage=NOTHING_USED, cost=0)


async def costs(tx: Tx, scope: Scope, allowance: Allowance, *, now: datetime, days: int) -> Costs:
    """Return the cost of a scope's calls on each of the last days, today first.

    Args:
        tx: in the scope of `ledger_scope`.
        scope: what it leaves blank of project and agent is all of them.
    """
    of = partial(tx.calls.totals, project=scope.project, agent=scope.agent)
    found: list[Day] = []
    end = now + timedelta(days=1)
    since, until = period_start(Period.DAY, now, allowance.zone), end
    for _ in range(days):
        found.append(
            Day(
                since=since.astimezone(allowance.zone),
                sums=sums(await of(since=since, until=until)),
                savings=await tx.blocks.total(since=since, until=until, project=scope.project, agent=scope.agent),
            )
        )
        # The day before began at least twelve hours earlier, even when clocks change.
        since, until = period_start(Period.DAY, since - timedelta(hours=12), allowance.zone), since
    return Costs(
        days=tuple(found),
        totals=tuple(await of(since=until, until=end)),
        budgets=await current_budgets(tx, allowance, project=scope.project, now=now),
        agents=tuple(await tx.blocks.by_agent(since=until, project=scope.project, agent=scope.agent)),
    )
