"""The home page: what was learnt and changed, what waits for a person, and the health of the service."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from starlette.responses import Response

from remembrancer.errors import InvalidInput
from remembrancer.service.console.gate import ROOT, is_secure
from remembrancer.service.console.request import ConsoleRequest
from remembrancer.types.jobs import Job, JobState, JobWork
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Kind, Record, kind_of

SEEN_COOKIE = "remembrancer_seen"
_CHANGES = 300
_SHOWN = 8
_DISMISSABLE = timedelta(hours=48)
# A look within this time belongs to the same visit.
_VISIT = timedelta(minutes=30)
_FIRST_LOOK = timedelta(days=7)
_RECENT = timedelta(days=7)
_USED = (Status.ACTIVE, Status.RAW, Status.BUFFERED, Status.PAUSED)
_CONCLUSIONS = (Kind.OBSERVATION, Kind.REFLECTION, Kind.FACT, Kind.PROCEDURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Something that waits for a person: how many of it, and the page for it."""

    what: str
    count: int
    address: str


async def home(page: ConsoleRequest) -> Response:
    """Return the home page."""
    since, visit = _last_look(page)
    is_first = not page.request.cookies.get(SEEN_COOKIE) and not page.query("since")
    end = page.as_of or page.now
    changes = await page.memory.timeline.diff(min(since, end), end, limit=_CHANGES, all_scopes=page.everything)
    learnt = _newest([one for one in changes.learnt if one.status in _USED])
    latest = await page.memory.list(limit=1, as_of=page.as_of, all_scopes=page.everything)
    response = page.page(
        "home.html",
        since=since,
        is_first=is_first,
        learnt=[one for one in learnt if _is_conclusion(one)],
        recorded=sum(not _is_conclusion(one) for one in learnt),
        changed=sorted(changes.changed, key=lambda one: one.after.updated_at, reverse=True),
        retired=_newest(changes.retired),
        is_cut=len(changes.learnt) + len(changes.changed) + len(changes.retired) >= _CHANGES,
        shown=_SHOWN,
        is_empty=not latest.records,
        waiting=await _waiting(page),
        elsewhere=await page.other_scopes(),
        background=await page.memory.admin.background() if page.may("admin.background") else None,
        nights=await page.memory.admin.maintenance.list(limit=1),
        budgets=await _budgets(page),
    )
    response.set_cookie(
        SEEN_COOKIE, visit, path=ROOT, httponly=True, samesite="lax", secure=is_secure(page.request),
        max_age=31_536_000,
    )  # fmt: skip
    return response


def _is_conclusion(record: Record) -> bool:
    return kind_of(record) in _CONCLUSIONS


def _newest(records: Sequence[Record]) -> list[Record]:
    return sorted(records, key=lambda one: one.updated_at, reverse=True)


def _last_look(page: ConsoleRequest) -> tuple[datetime, str]:
    """Return the time of the last visit, and the cookie that remembers this one."""
    try:
        before, _, now = page.request.cookies.get(SEEN_COOKIE, "").partition("~")
        last, seen = datetime.fromisoformat(before), datetime.fromisoformat(now)
    except ValueError:
        last = seen = page.now - _FIRST_LOOK
    if last.tzinfo is None or seen.tzinfo is None:
        last = seen = page.now - _FIRST_LOOK
    # The same visit shows the same changes after a reload.
    since = last if page.now - seen < _VISIT else seen
    asked = page.time("since")
    return asked or since, f"{since.isoformat()}~{page.now.isoformat()}"


async def _waiting(page: ConsoleRequest) -> list[Waiting]:
    """Return what waits for a person, without what there is none of."""
    memory, found = page.memory, list[Waiting]()
    # A filter by status would read every memory of a large store.
    recent = await memory.timeline.diff(page.now - _RECENT, page.now, limit=_CHANGES, all_scopes=page.everything)
    quarantined = sum(one.status is Status.QUARANTINED for one in recent.learnt)
    address = page.url("/memories", statuses=Status.QUARANTINED.value, since=page.iso(page.now - _RECENT))
    found.append(Waiting(what="quarantined memories", count=quarantined, address=address))
    review = await memory.notes.in_review(limit=100)
    found.append(Waiting(what="notes to approve", count=len(review), address=page.url("/learning", part="review")))
    patterns = [one for one in await memory.patterns.list() if page.now - one.recorded_at < _DISMISSABLE]
    found.append(Waiting(what="new habits to judge", count=len(patterns), address=page.url("/learning")))
    refused = await memory.rules.refused()
    found.append(Waiting(what="rules that do not fit", count=len(refused), address=page.url("/learning", part="rules")))
    failed = await memory.notes.failed(limit=100)
    found.append(Waiting(what="runs that no model could observe", count=len(failed), address=page.url("/operations")))
    failed_jobs = _failed(await memory.admin.jobs.list(limit=50))
    found.append(Waiting(what="failed jobs", count=failed_jobs, address=page.url("/operations")))
    return [one for one in found if one.count]


def _failed(jobs: Sequence[Job]) -> int:
    """Return the number of kinds of jobs whose latest one failed.

    Args:
        jobs: the latest first.
    """
    latest: dict[JobWork, Job] = {}
    for one in jobs:
        latest.setdefault(one.work, one)
    return sum(one.state in (JobState.FAILED, JobState.LOST) for one in latest.values())


async def _budgets(page: ConsoleRequest) -> Sequence[object]:
    if not page.may("admin.costs"):
        return ()
    try:
        return (await page.memory.admin.costs(days=1)).budgets
    except InvalidInput:
        return ()
