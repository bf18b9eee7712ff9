"""Operations: jobs, failed chunks, background work, nights, vectors, costs and savings."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.responses import Response

from remembrancer.errors import InvalidInput
from remembrancer.service.console.request import ConsoleRequest
from remembrancer.types.jobs import JobWork, MaintenanceStep
from remembrancer.types.record import Kind

if TYPE_CHECKING:
    from remembrancer.llm.budget import Costs, Day

_WORKS = {"night": JobWork.NIGHTLY, "embed": JobWork.EMBED, "reembed": JobWork.REEMBED, "reindex": JobWork.REINDEX}
_STARTED = {
    "night": "The maintenance runs now.",
    "embed": "The missing vectors are being made.",
    "reembed": "All vectors are being made again, next to the old ones.",
    "reindex": "The text index is being rebuilt.",
}


async def operations(page: ConsoleRequest) -> Response:
    """Return the state of the work of the service."""
    memory = page.memory
    counted = page.query("count") == "1"
    stats = await memory.admin.stats() if counted else None
    return page.page(
        "operations.html",
        timed=False,
        jobs=await memory.admin.jobs.list(limit=20),
        failed=await memory.notes.failed(limit=20),
        background=await memory.admin.background() if page.may("admin.background") else None,
        nights=await memory.admin.maintenance.list(limit=7),
        steps=MaintenanceStep,
        missing=await _missing(page) if counted else None,
        stats=stats,
        tiers=_tiers(stats.records) if stats else (),
    )


async def _missing(page: ConsoleRequest) -> int | None:
    """Return the number of missing vectors; `None` without an embedder, or for callers who may not see it."""
    if not page.may("admin.index.missing"):
        return None
    with suppress(InvalidInput):
        return await page.memory.admin.index.missing()
    return None


def _tiers(records: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    """Return the number of memories of each kind, in any status but deleted."""
    counts = dict.fromkeys((kind.value for kind in Kind), 0)
    for name, count in records.items():
        kind, _, status = name.partition("/")
        counts[kind] += 0 if status == "soft-deleted" else count
    return [(name, count) for name, count in counts.items() if count]


async def costs(page: ConsoleRequest) -> Response:
    """Return costs and savings over time, by agent and by model."""
    days = page.whole("days", 30, high=366)
    found = await page.memory.admin.costs(days=days)
    spent = found.days[::-1]
    return page.page(
        "costs.html",
        timed=False,
        days=days,
        costs=found,
        tokens=[(f"{one.since:%d %b}", one.sums.prompt_tokens + one.sums.answer_tokens) for one in spent],
        money=[(f"{one.since:%d %b}", one.sums.cost) for one in spent],
        saved=[(f"{one.since:%d %b}", _saved(one)) for one in spent],
        ratios=[(f"{one.since:%d %b}", _ratio(one)) for one in spent],
        agents=_by_agent(found),
    )


def _saved(day: "Day") -> int:
    """Return the tokens that contexts of a day saved."""
    savings = day.savings
    return max(0, savings.saving.whole.tokens - savings.saving.served.tokens) if savings else 0


def _ratio(day: "Day") -> float:
    """Return how many times longer whole histories are than the contexts of a day; 0 without contexts."""
    savings = day.savings
    served = savings.saving.served.tokens if savings else 0
    return round(savings.saving.whole.tokens / served, 2) if savings and served else 0.0


def _by_agent(costs: "Costs") -> Sequence[tuple[str, int, int, int]]:
    """Return the agents with their calls, tokens and cost, those with the most tokens first."""
    found: dict[str, tuple[int, int, int]] = {}
    for one in costs.totals:
        calls, tokens, cost = found.get(one.agent or "", (0, 0, 0))
        found[one.agent or ""] = (
            calls + one.calls,
            tokens + one.prompt_tokens + one.answer_tokens,
            cost + one.cost,
        )
    return sorted(((name, *values) for name, values in found.items()), key=lambda row: -row[2])


async def act(page: ConsoleRequest) -> Response:
    """Start a job, or cancel one.

    Raises:
        InvalidInput: the form names no known action.
    """
    action, back = page.field("action"), page.back(page.url("/operations"))
    if action == "cancel":
        await page.memory.admin.jobs.cancel(page.field("job"))
        return page.redirect(back, "The job is asked to end; what it did so far stays.")
    if action not in _WORKS:
        raise InvalidInput(f"no action {action!r}; load the page again")
    await page.memory.admin.jobs.start(_WORKS[action])
    return page.redirect(back, _STARTED[action])
