"""Compaction of old episodes: a record per whole week after 30 days, and per whole month after 90."""

from collections.abc import AsyncGenerator, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from functools import partial

from remembrancer.jobs.maintenance.context import StepContext, StepResult
from remembrancer.learn.compact import Group, by_month, by_week, is_unchanged_source
from remembrancer.learn.compact import records as compact_records
from remembrancer.learn.compact.groups import LEAST, MONTH, monday_of
from remembrancer.learn.compact.records import Story
from remembrancer.storage.tx import Tx
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.episode import Tier
from remembrancer.types.record import Episode

RAW_DAYS = 30
WEEKLY_DAYS = 90
GROUPS_PER_BATCH = 24
_PAGE = 1_000
_MIDNIGHT = time(0, 0)


async def compact(context: StepContext, tier: Tier) -> None:
    """Replace each group of episodes that is old enough for `tier` by one record."""
    least = LEAST if tier is Tier.WEEKLY else 1
    contacts: list[str] = await context.read(
        lambda tx: tx.episodes.contacts(
            compact_records.BELOW[tier],
            until=_until(context, tier),
            at_least=least,
            changed_since=_changed_since(context, tier),
        )
    )
    for contact in contacts:
        async for groups in _groups(context, contact, tier):
            for start in range(0, len(groups), GROUPS_PER_BATCH):
                batch = groups[start : start + GROUPS_PER_BATCH]
                summaries = await _summarise(context, batch, tier)
                await context.for_each(list(zip(batch, summaries, strict=True)), partial(_write_records, tier=tier))


async def _summarise(context: StepContext, groups: Sequence[Group], tier: Tier) -> list[Story | None]:
    """Return a model's summary of each group that needs one."""
    places = [place for place, group in enumerate(groups) if not is_unchanged_source(group.episodes, tier)]
    if not places or not context.can_summarise:
        return [None] * len(groups)

    async def work(tx: Tx) -> list[list[Episode]]:
        return [await compact_records.raw_of(tx, groups[place].episodes) for place in places]

    summaries = dict(zip(places, await context.summarise(await context.read(work)), strict=True))
    return [summaries.get(place) for place in range(len(groups))]


async def _write_records(
    writer: WriteTransaction, batch: Sequence[tuple[Group, Story | None]], *, tier: Tier
) -> StepResult:
    groups, summaries = [group for group, _ in batch], [summary for _, summary in batch]
    records = await compact_records.compact(writer, groups, tier, summaries)
    covered = sum(len(record.evidence) for record in records)
    return StepResult(counts={f"{tier} records": len(records), f"{tier} covered": covered}, done=False)


async def _groups(context: StepContext, contact: str, tier: Tier) -> AsyncGenerator[list[Group], None]:
    """Yield the groups of the episodes with a contact, page by page."""
    after: tuple[datetime, str] | None = None
    pending: list[Episode] = []
    more = True
    while more:
        page: list[Episode] = await context.read(
            lambda tx, after=after: tx.episodes.with_contact(
                contact, compact_records.BELOW[tier], until=_until(context, tier), after=after, limit=_PAGE
            )
        )
        more = len(page) == _PAGE
        after = (page[-1].occurred_at, page[-1].id) if page else after
        pending += [episode for episode in page if not episode.details.kept]
        groups, pending = _group(pending, tier, context.zone, before=_before(context.night.day, tier), more=more)
        yield groups


def _before(day: date, tier: Tier) -> date:
    """Return the day before which episodes are old enough in the run of `day`."""
    return day - timedelta(days=RAW_DAYS if tier is Tier.WEEKLY else WEEKLY_DAYS)


def _changed_since(context: StepContext, tier: Tier) -> datetime | None:
    """Return the time since which an episode must have changed to change the groups, `None` for any time.

    Weeks begin on Monday and months are made of weeks. So the groups of one day are those of the next, unless a Monday
    has passed or an episode was added or changed. A deleted one is considered on the next Monday, which is early
    enough.
    """
    if context.before is None:
        return None
    monday, previous = (monday_of(_before(day, tier)) for day in (context.night.day, context.before.day))
    return context.before.started_at if monday == previous else None


def _until(context: StepContext, tier: Tier) -> datetime:
    """Return the end of the episodes to consider: for raw ones, the end of the last whole week.

    For weekly records, later ones are included that a month may have to wait for: one of joined weeks ends later.
    """
    last = _before(context.night.day, tier)
    return datetime.combine(monday_of(last) if tier is Tier.WEEKLY else last + MONTH, _MIDNIGHT, context.zone)


def _group(
    pending: Sequence[Episode], tier: Tier, zone: tzinfo, *, before: date, more: bool
) -> tuple[list[Group], list[Episode]]:
    """Return the groups of some episodes, and those of the last week, which may continue on the next page."""
    if tier is Tier.MONTHLY:
        return ([], list(pending)) if more else (by_month(pending, before=before), [])
    if not more:
        return by_week(pending, zone)[0], []
    last = monday_of(pending[-1].occurred_at.astimezone(zone).date()) if pending else date.min
    whole = [one for one in pending if monday_of(one.occurred_at.astimezone(zone).date()) < last]
    groups, left = by_week(whole, zone)
    return groups, [*left, *pending[len(whole) :]]
