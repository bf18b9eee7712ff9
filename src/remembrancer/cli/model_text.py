"""The costs of language models and the price of an answer, as text and as JSON."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from remembrancer.cli import times
from remembrancer.cli.output import numbered
from remembrancer.types.calls import dollars
from remembrancer.types.text import shown

if TYPE_CHECKING:
    from remembrancer.llm.budget import Costs, Sums
    from remembrancer.types.calls import CallTotal, PromptCost, Savings

JsonShape = dict[str, object]


def price_line(answer: Any) -> str:
    """Return the model, the tokens and the price of an answer on one line."""
    money = "at a price that is not known" if answer.cost is None else f"{dollars(answer.cost):f} USD"
    return f"{answer.model}, {numbered(answer.tokens, 'token')}, {money}"


def costs_lines(costs: "Costs") -> Iterator[str]:
    """Yield the lines of the costs of language models."""
    yield from (f"failing  {shown(str(breaker))}" for breaker in costs.breakers)
    used = [day for day in costs.days if day.sums.calls or day.sums.refused]
    if not used:
        yield f"no model was asked in the last {len(costs.days)} days"
    yield from (f"{times.day(day.since)}  {_use(day.sums)}" for day in used)
    for total in costs.totals:
        of = "  ".join(filter(None, (total.purpose, total.model, total.project, total.agent)))
        yield f"{shown(of)}  {_use(total)}"
    yield from (f"saved    {_owner(one)}  {_saving(one)}" for one in costs.agents)
    yield from (f"saved    session {shown(one.session or '')}  {_saving(one)}" for one in costs.sessions)
    yield from map(_budget, costs.budgets)


def costs_json(costs: "Costs") -> JsonShape:
    """Return the costs of language models in US dollars; `null` is unknown."""
    return {
        "days": [{"date": f"{day.since:%Y-%m-%d}", **_sums(day.sums)} for day in costs.days],
        "totals": [
            {"purpose": one.purpose.value, "model": one.model, "project": one.project, "agent": one.agent, **_sums(one)}
            for one in costs.totals
        ],
        "budgets": [
            {
                "of": "tenant" if budget.project is None else "project",
                "period": budget.period.value,
                "unit": budget.unit.value,
                "limit": _in_unit(budget.limit, budget.unit),
                "spent": _in_unit(budget.spent, budget.unit),
                "unpriced": budget.unpriced,
                "state": budget.state.value,
            }
            for budget in costs.budgets
        ],
        "savings": {
            "agents": [{"project": one.project, "agent": one.agent, **_savings(one)} for one in costs.agents],
            "sessions": [{"session": one.session, **_savings(one)} for one in costs.sessions],
        },
        "breakers": [
            {
                "model": one.model,
                "purpose": one.purpose.value,
                "failing": one.failing.value,
                "failures": one.failures,
                "since": one.since.isoformat(),
                "until": one.until and one.until.isoformat(),
            }
            for one in costs.breakers
        ],
    }


def _in_unit(amount: int, unit: str) -> float:
    """Return tokens unchanged, money in US dollars."""
    return float(dollars(amount)) if unit == "money" else amount


def _cost(sums: "Sums | CallTotal") -> float | None:
    """Return US dollars, or `None` if the cost is unknown."""
    return None if sums.unpriced and not sums.cost else float(dollars(sums.cost))


def _sums(sums: "Sums | CallTotal") -> JsonShape:
    names = ("calls", "refused", "failed", "prompt_tokens", "cached_tokens", "answer_tokens")
    own = {name: getattr(sums, name) for name in names}
    return {**own, "cost": _cost(sums), "unpriced": sums.unpriced, "milliseconds": sums.milliseconds}


def _savings(savings: "Savings") -> JsonShape:
    return {
        "blocks": savings.blocks,
        "unpriced": savings.unpriced,
        "served": _expense(savings, savings.saving.served),
        "whole": _expense(savings, savings.saving.whole),
    }


def _expense(savings: "Savings", spent: "PromptCost") -> JsonShape:
    money = {"uncached": spent.uncached, "cached": spent.cached}
    known = {name: float(dollars(amount)) if savings.known else None for name, amount in money.items()}
    return {"tokens": spent.tokens, "prefix": spent.prefix, **known}


def _use(sums: "Sums | CallTotal") -> str:
    tokens = f"{sums.prompt_tokens:,} tokens in, {sums.cached_tokens:,} of them cached, {sums.answer_tokens:,} out"
    counts = ((sums.failed, "failed"), (sums.refused, "refused"))
    return ", ".join([numbered(sums.calls, "call"), *(f"{n} {word}" for n, word in counts if n), tokens, _money(sums)])


def _money(sums: "Sums | CallTotal") -> str:
    known = _cost(sums)
    if known is None:
        return "cost unknown"
    return f"{known:f} USD" + (f" and {numbered(sums.unpriced, 'call')} of unknown cost" if sums.unpriced else "")


def _owner(savings: "Savings") -> str:
    parts = (("project", savings.project), ("agent", savings.agent))
    return "  ".join(f"{name} {shown(value)}" for name, value in parts if value) or "no agent"


def _saving(savings: "Savings") -> str:
    served, whole = savings.saving.served, savings.saving.whole
    tokens = f"{numbered(savings.blocks, 'block')}, {served.tokens:,} tokens instead of {whole.tokens:,}"
    if not savings.known:
        return f"{tokens}, cost unknown"
    unpriced = f", {savings.unpriced:,} more of unknown cost" if savings.unpriced else ""
    money = (
        f"{dollars(served.uncached):f} USD instead of {dollars(whole.uncached):f} uncached,"
        f" {dollars(served.cached):f} instead of {dollars(whole.cached):f} cached"
    )
    return f"{tokens}, {money}{unpriced}"


def _budget(budget: Any) -> str:
    spent, limit = (_in_unit(amount, budget.unit) for amount in (budget.spent, budget.limit))
    unit = "USD" if budget.unit == "money" else "tokens"
    owner = "tenant" if budget.project is None else f"project {shown(budget.project)}"
    is_unpriced = unit == "USD" and budget.unpriced
    unpriced = f", {numbered(budget.unpriced, 'call')} of unknown cost not counted" if is_unpriced else ""
    return f"budget of the {owner} for the {budget.period}: {spent:,} of {limit:,} {unit}{unpriced}, {budget.state}"
