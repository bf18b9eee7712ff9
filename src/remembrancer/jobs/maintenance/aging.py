"""Aging of memories: retention policies, decay of scores, and archiving by cap, age and importance."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from remembrancer.graph.centrality import Centrality
from remembrancer.jobs.maintenance.context import AgingPolicy, StepContext, StepResult
from remembrancer.privacy.retention import BATCH, apply_retention, due_records, purgeable_records
from remembrancer.storage.feedback import Position
from remembrancer.storage.tx import Tx
from remembrancer.transactions.transitions import archive_records
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.feedback import RELEVANCE_HALF_LIFE_DAYS, ScoreParts, days_unread, decayed_importance, score_of
from remembrancer.types.jobs import maintenance_start
from remembrancer.types.record import Kind

RETENTION_COUNTS: tuple[str, str] = ("expired", "purged")
"""The names under which a run counts memories that it deleted, and that it removed permanently."""
PAGE = 2_000


async def retain(context: StepContext) -> None:
    """Delete memories by retention policy, and remove deleted ones whose grace period is over.

    Works in batches: what fails or is interrupted is due again in the next run.
    """
    now = context.night.started_at
    tried, failing = set[str](), set[str]()

    async def next_batch(tx: Tx) -> list[str]:
        limit = 2 * BATCH + len(failing)
        ids = [one.record.id for one in await due_records(tx, now=now, limit=limit)]
        ids += [record.id for record in await purgeable_records(tx, now=now, limit=limit)]
        failing.update(tried.intersection(ids))
        return [id for id in ids if id not in failing][:BATCH]

    async def work(writer: WriteTransaction, ids: Sequence[str]) -> StepResult:
        done = await apply_retention(writer, only=frozenset(ids), limit=2 * BATCH + len(failing))
        counts = dict(zip(RETENTION_COUNTS, (done.expired, done.purged), strict=True))
        return StepResult(counts=counts, done=False)

    while ids := await context.read(next_batch):
        tried.clear()
        tried.update(ids)
        await context.for_each(ids, work)


async def update_scores(context: StepContext) -> None:
    """Recompute the scores of active memories in pages, and archive those that fall below the policy.

    Inactive memories keep their scores: when restored, they decay for the nights that they missed.
    """
    last: Position | None = None
    centrality = Centrality()
    start = maintenance_start(context.night.day, context.zone)

    async def page(tx: Tx) -> list[Position]:
        return await tx.scores.positions(after=last, limit=PAGE)

    async def work(writer: WriteTransaction, some: Sequence[tuple[Position | None, Position]]) -> StepResult:
        # Read in the transaction that writes: a memory may be pinned, or done by another worker, since.
        scores = await writer.tx.scores.page(after=some[0][0], until=some[-1][1])
        due = [one for one in scores if one.decayed_on != context.night.day]
        central = await centrality.of(writer.tx, [one.id for one in due])
        after = [
            after_night(
                one,
                context.night.day,
                writer.now,
                context.aging,
                start=start,
                centrality=central.get(one.id, 0.0),
            )
            for one in due
        ]
        changed = [new for one, new in zip(due, after, strict=True) if new != one]
        await writer.put(*changed)
        return StepResult(counts={"decayed": len(changed)}, done=False)

    while positions := await context.read(page):
        await context.for_each(list(zip([last, *positions], positions, strict=False)), work)
        last = positions[-1]

    async def archive_some(writer: WriteTransaction, ids: Sequence[str]) -> StepResult:
        current = set(await _ids_to_archive(writer.tx, writer.now, context.aging))
        return StepResult(counts={"archived": await archive_records(writer, [id for id in ids if id in current])})

    ids = await context.read(lambda tx: _ids_to_archive(tx, context.night.started_at, context.aging))
    await context.for_each(ids, archive_some)


def after_night(
    one: ScoreParts, day: date, now: datetime, aging: AgingPolicy, *, start: datetime, centrality: float
) -> ScoreParts:
    """Return the score of a memory after the nights since its last update, up to the night of `day`.

    A memory that was recorded after the start of the night is not decayed by it. One that was decayed up to a later
    day, because the clock was ahead, is not decayed again until then.

    Args:
        start: the time at which the night of `day` starts.
        centrality: in [0, 1]; see `graph.centrality`.
    """
    importance, relevance, unread = one.importance, one.relevance, days_unread(one, now)
    nights = _nights_since(one, day, start)
    for night in range(nights - 1, -1, -1):
        relevance *= 0.5 ** (1 / RELEVANCE_HALF_LIFE_DAYS)
        if not one.pinned:
            days = max(0.0, unread - night)
            importance = decayed_importance(importance, rate=aging.decay, days_unread=days, by_access=aging.by_access)
    score = score_of(one, now, relevance=relevance, centrality=centrality)
    decayed_on = day if one.decayed_on is None else max(day, one.decayed_on)
    return replace(one, importance=importance, relevance=relevance, decayed_on=decayed_on, score=score)


def _nights_since(one: ScoreParts, day: date, start: datetime) -> int:
    """Return the number of nights from the last update of a score up to the night of `day`."""
    if one.decayed_on is not None:
        return max(0, (day - one.decayed_on).days)
    return 1 if one.recorded_at < start else 0


async def _ids_to_archive(tx: Tx, now: datetime, aging: AgingPolicy) -> list[str]:
    """Return the ids of memories over a cap, unread or faded."""
    ids = [
        *await tx.scores.surplus(Kind.OBSERVATION, keep=aging.observations),
        *await tx.scores.surplus(Kind.REFLECTION, keep=aging.reflections),
        *await tx.scores.unread(before=now - timedelta(days=aging.unread_days)),
        *await tx.scores.faded(below=aging.faded, before=now - timedelta(days=aging.faded_days)),
    ]
    return list(dict.fromkeys(ids))
