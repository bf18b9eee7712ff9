"""Whole weeks of raw episodes older than 30 days, and whole months of weekly records older than 90, told as one."""

from collections.abc import AsyncGenerator, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from functools import partial

from remembrancer.jobs.maintenance.stage import Counted, Stage
from remembrancer.learn.compact import Group, by_month, by_week, stands_as_it_is
from remembrancer.learn.compact import records as compacting
from remembrancer.learn.compact.groups import LEAST, MONTH, monday_of
from remembrancer.learn.compact.records import Story
from remembrancer.storage.tx import Tx
from remembrancer.transactions.write import Writing
from remembrancer.types.episode import Tier
from remembrancer.types.record import Episode

RAW_DAYS = 30
WEEKLY_DAYS = 90
GROUPS_AT_ONCE = 24
_PAGE = 1_000
_ZERO = time(0, 0)


async def compact(stage: Stage, tier: Tier) -> None:
    """Write a record in place of each group of a tier that is old enough."""
    least = LEAST if tier is Tier.WEEKLY else 1
    contacts: list[str] = await stage.read(
        lambda tx: tx.episodes.contacts(
            compacting.BELOW[tier], until=_until(stage, tier), at_least=least, changed_since=_since(stage, tier)
        )
    )
    for contact in contacts:
        async for groups in _groups(stage, contact, tier):
            for at in range(0, len(groups), GROUPS_AT_ONCE):
                some = groups[at : at + GROUPS_AT_ONCE]
                stories = await _stories(stage, some, tier)
                await stage.each(list(zip(some, stories, strict=True)), partial(_compacted, tier=tier))


async def _stories(stage: Stage, groups: Sequence[Group], tier: Tier) -> list[Story | None]:
    """What a model says that each group came to, where one is asked."""
    asked = [at for at, group in enumerate(groups) if not stands_as_it_is(group.episodes, tier)]
    if not asked or not stage.tells:
        return [None] * len(groups)

    async def work(tx: Tx) -> list[list[Episode]]:
        return [await compacting.raw_of(tx, groups[at].episodes) for at in asked]

    told = dict(zip(asked, await stage.tell(await stage.read(work)), strict=True))
    return [told.get(at) for at in range(len(groups))]


async def _compacted(writing: Writing, told: Sequence[tuple[Group, Story | None]], *, tier: Tier) -> Counted:
    made = await compacting.compact(writing, [group for group, _ in told], tier, [story for _, story in told])
    covered = sum(len(record.evidence) for record in made)
    return Counted(counts={f"{tier} records": len(made), f"{tier} covered": covered}, done=False)


async def _groups(stage: Stage, contact: str, tier: Tier) -> AsyncGenerator[list[Group], None]:
    """What is to be told together of what was done with a contact, some groups at a time."""
    after: tuple[datetime, str] | None = None
    waiting: list[Episode] = []
    more = True
    while more:
        found: list[Episode] = await stage.read(
            lambda tx, after=after: tx.episodes.with_contact(
                contact, compacting.BELOW[tier], until=_until(stage, tier), after=after, limit=_PAGE
            )
        )
        more = len(found) == _PAGE
        after = (found[-1].occurred_at, found[-1].id) if found else after
        waiting += [episode for episode in found if not episode.details.kept]
        groups, waiting = _grouped(waiting, tier, stage.zone, before=_before(stage.night.day, tier), more=more)
        yield groups


def _before(day: date, tier: Tier) -> date:
    """The day before which all is old enough to be told together, in the night of a day."""
    return day - timedelta(days=RAW_DAYS if tier is Tier.WEEKLY else WEEKLY_DAYS)


def _since(stage: Stage, tier: Tier) -> datetime | None:
    """Since when something must have changed to make other groups; `None` where a week has become old enough.

    Weeks begin on a Monday and so do months, which are made of them: what is not grouped in the night of one day is
    not in the next, until a Monday comes or one of them comes or changes. Where one has gone, the Monday is early
    enough.
    """
    if stage.before is None:
        return None
    monday, then = (monday_of(_before(day, tier)) for day in (stage.night.day, stage.before.day))
    return stage.before.started_at if monday == then else None


def _until(stage: Stage, tier: Tier) -> datetime:
    """The time before which all that matters is: of raw episodes, whole weeks alone.

    Of weekly records also those that a month may still have to wait for: one of weeks that were joined ends later.
    """
    last = _before(stage.night.day, tier)
    return datetime.combine(monday_of(last) if tier is Tier.WEEKLY else last + MONTH, _ZERO, stage.zone)


def _grouped(
    waiting: Sequence[Episode], tier: Tier, zone: tzinfo, *, before: date, more: bool
) -> tuple[list[Group], list[Episode]]:
    """The groups among some episodes, and those that wait for the next page: the last week of this one may go on."""
    if tier is Tier.MONTHLY:
        return ([], list(waiting)) if more else (by_month(waiting, before=before), [])
    if not more:
        return by_week(waiting, zone)[0], []
    last = monday_of(waiting[-1].occurred_at.astimezone(zone).date()) if waiting else date.min
    whole = [one for one in waiting if monday_of(one.occurred_at.astimezone(zone).date()) < last]
    groups, left = by_week(whole, zone)
    return groups, [*left, *waiting[len(whole) :]]
