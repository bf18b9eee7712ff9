"""`costs`: what language models cost, how the budgets stand, and which models fail."""

from typing import TYPE_CHECKING

import click

from remembrancer.cli import shapes, times
from remembrancer.cli.output import print_json, shown
from remembrancer.cli.target import Target, targeted
from remembrancer.types.price import dollars

if TYPE_CHECKING:
    from remembrancer.llm.budget import Budget, Sums
    from remembrancer.types.call import Total
    from remembrancer.types.savings import Savings


@click.command()
@click.option("--days", default=30, show_default=True, help="How many, today among them; 1 to 366.")
@targeted
def costs(target: Target, days: int) -> None:
    """What language models cost day by day, what memory spared, how the budgets stand, and which models fail.

    A project or an agent that is not named means all of the tenant's. A cost that is not known is shown as unknown.
    """
    found = target.run(lambda memory: memory.upkeep.costs(days=days))
    if target.json:
        print_json(shapes.costs(found))
        return
    for breaker in found.breakers:
        click.echo(f"failing  {shown(str(breaker))}")
    used = [day for day in found.days if day.sums.calls or day.sums.refused]
    if not used:
        click.echo(f"no model was asked in the last {days} days")
    for day in used:
        click.echo(f"{times.day(day.since)}  {_told(day.sums)}")
    for total in found.totals:
        click.echo(f"{_use(total)}  {_told(total)}")
    for one in found.agents:
        click.echo(f"spared  {_owner(one)}  {_spared(one)}")
    for one in found.sessions:
        click.echo(f"spared  session {shown(one.session or '')}  {_spared(one)}")
    for budget in found.budgets:
        click.echo(_budget(budget))


def _use(total: "Total") -> str:
    return shown("  ".join(filter(None, (total.purpose, total.model, total.project, total.agent))))


def _told(found: "Sums | Total") -> str:
    tokens = f"{found.prompt_tokens:,} tokens in, {found.cached_tokens:,} of them cached, {found.answer_tokens:,} out"
    apart = [f"{count} {word}" for count, word in ((found.failed, "failed"), (found.refused, "refused")) if count]
    return ", ".join([_calls(found.calls), *apart, tokens, _money(found)])


def _owner(found: "Savings") -> str:
    parts = [f"{name} {shown(value)}" for name, value in (("project", found.project), ("agent", found.agent)) if value]
    return "  ".join(parts) or "no agent"


def _spared(found: "Savings") -> str:
    served, whole = found.saving.served, found.saving.whole
    blocks = "1 block" if found.blocks == 1 else f"{found.blocks:,} blocks"
    tokens = f"{blocks}, {served.tokens:,} tokens instead of {whole.tokens:,}"
    if not found.known:
        return f"{tokens}, cost unknown"
    apart = f", {found.unpriced:,} of unknown cost apart" if found.unpriced else ""
    money = (
        f"{dollars(served.uncached):f} USD instead of {dollars(whole.uncached):f} uncached,"
        f" {dollars(served.cached):f} instead of {dollars(whole.cached):f} cached"
    )
    return f"{tokens}, {money}{apart}"


def _calls(count: int) -> str:
    return "1 call" if count == 1 else f"{count:,} calls"


def _money(found: "Sums | Total") -> str:
    known = shapes.cost(found)
    if known is None:
        return "cost unknown"
    return f"{known:f} USD" + (f" and {_calls(found.unpriced)} of unknown cost" if found.unpriced else "")


def _budget(budget: "Budget") -> str:
    spent, limit = (shapes.in_unit(amount, budget.unit) for amount in (budget.spent, budget.limit))
    unit = "USD" if budget.unit == "money" else "tokens"
    owner = "tenant" if budget.project is None else f"project {shown(budget.project)}"
    unpriced = f", {_calls(budget.unpriced)} of unknown cost apart" if unit == "USD" and budget.unpriced else ""
    return f"budget of the {owner} for the {budget.period}: {spent:,} of {limit:,} {unit}{unpriced}, {budget.state}"
