"""What was learnt: habits, rules, records of weeks and months, notes to approve, and what the night does."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.responses import Response

from remembrancer.errors import InvalidInput
from remembrancer.service.console.request import ConsoleRequest, number
from remembrancer.types.jobs import MaintenanceStep
from remembrancer.types.notes import Chunk
from remembrancer.types.record import Observation

PARTS = {
    "habits": "Habits",
    "rules": "Rules",
    "review": "To approve",
    "records": "Weeks and months",
    "nights": "Nights",
}
_EPISODES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedChunk:
    """A chunk that waits for approval, with its notes."""

    chunk: Chunk
    notes: Sequence[Observation]


async def learning(page: ConsoleRequest) -> Response:
    """Return a part of the page of learning."""
    part = page.query("part") or "habits"
    if part not in PARTS:
        raise InvalidInput(f"no part {part!r}; the tabs list all parts")
    return page.page(
        "learning.html", part=part, parts=PARTS, elsewhere=await page.other_scopes(), found=await _VALUES[part](page)
    )


async def _habits(page: ConsoleRequest) -> dict[str, object]:
    found = await page.memory.patterns.list(all=True, as_of=page.as_of)
    ordered = sorted(found, key=lambda one: (one.status.value != "active", -one.importance, one.recorded_at))
    return {"patterns": ordered}


async def _rules(page: ConsoleRequest) -> dict[str, object]:
    rules = await page.memory.rules.list(all=True, as_of=page.as_of)
    return {
        "rules": sorted(rules, key=lambda one: (one.status.value != "active", one.recorded_at)),
        "refused": await page.memory.rules.refused(),
    }


async def _review(page: ConsoleRequest) -> dict[str, object]:
    chunks = await page.memory.notes.in_review(limit=20)
    return {
        "chunks": [
            ReviewedChunk(chunk=one, notes=await page.memory.notes.of_chunk(one.session, one.first)) for one in chunks
        ]
    }


async def _records(page: ConsoleRequest) -> dict[str, object]:
    tier = page.query("tier") or "weekly"
    found = await page.memory.episodes.list(tier=tier, limit=_EPISODES, as_of=page.as_of)
    return {"episodes": found, "tier": tier, "outcomes": Counter(one.details.outcome.value for one in found)}


async def _nights(page: ConsoleRequest) -> dict[str, object]:
    asked = page.query("preview") == "1"
    return {
        "preview": await page.memory.admin.maintenance.dry_run() if asked else None,
        "nights": await page.memory.admin.maintenance.list(limit=14),
        "steps": MaintenanceStep,
    }


_VALUES = {"habits": _habits, "rules": _rules, "review": _review, "records": _records, "nights": _nights}


async def change_rule(page: ConsoleRequest) -> Response:
    """Add a rule."""
    await page.memory.rules.add(page.field("rule"), author=page.caller.actor)
    return page.redirect(
        page.back(page.url("/learning", part="rules")), "Added: every context has the rule from now on."
    )


async def review(page: ConsoleRequest) -> Response:
    """Approve the notes on a chunk, or have them made again.

    Raises:
        InvalidInput: the form names no known action.
    """
    session, action = page.field("session"), page.field("action")
    first = int(number(page.field("first"), "first", low=1, high=2**31, whole=True))
    back = page.back(page.url("/learning", part="review"))
    match action:
        case "approve":
            await page.memory.notes.approve(session, first)
            return page.redirect(back, "Approved: contexts show the notes in place of the messages.")
        case "retry":
            chunk = await page.memory.notes.retry(session, first)
            done = f"failed again: {chunk.failure}" if chunk.failure else "the notes were made again"
            return page.redirect(back, f"Observed again; {done}.")
        case "drop":
            await page.memory.notes.drop(session, first)
            return page.redirect(back, "Dropped: the messages stay verbatim, or with their notes by rules.")
        case _:
            raise InvalidInput(f"no action {action!r}; load the page again")
