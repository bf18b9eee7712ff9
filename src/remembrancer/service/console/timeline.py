"""The timeline, which travels in time, and the difference of two dates."""

from datetime import timedelta
from itertools import groupby

from starlette.responses import Response

from remembrancer.service.console.request import ConsoleRequest

PAGE_SIZE = 50
_CHANGES = 200
_DAYS = 7


async def timeline(page: ConsoleRequest) -> Response:
    """Return the memories along time, latest first, by day."""
    found = await page.memory.timeline.between(
        page.time("since"),
        page.time("until"),
        limit=page.whole("limit", PAGE_SIZE, high=500),
        cursor=page.query("cursor") or None,
        as_of=page.as_of,
        all_scopes=page.everything,
    )
    days = groupby(found.records, key=lambda one: one.occurred_at.astimezone(page.zone).date())
    return page.page("timeline.html", days=[(day, list(records)) for day, records in days], cursor=found.cursor)


async def diff(page: ConsoleRequest) -> Response:
    """Return what was learnt, changed and retired between two times."""
    earlier = page.time("earlier") or page.now - timedelta(days=_DAYS)
    chosen = page.time("later")
    # A field of a form has whole minutes.
    later = chosen + timedelta(minutes=1, microseconds=-1) if chosen else page.now
    found = await page.memory.timeline.diff(earlier, later, limit=_CHANGES, all_scopes=page.everything)
    return page.page(
        "diff.html",
        timed=False,
        earlier=earlier,
        later=later,
        found=found,
        chosen=chosen or page.now,
        is_cut=len(found.learnt) + len(found.changed) + len(found.retired) >= _CHANGES,
        most=_CHANGES,
    )
