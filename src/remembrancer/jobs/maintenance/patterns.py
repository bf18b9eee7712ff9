"""Patterns of the last 30 days as observations, and rules from those that are certain enough."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial

from anyio.to_thread import run_sync

from remembrancer.jobs.maintenance.context import StepContext, StepResult
from remembrancer.jobs.maintenance.models import Proposals
from remembrancer.learn import patterns, rules
from remembrancer.learn.detect.detect import detect_all
from remembrancer.learn.rules import Refused
from remembrancer.storage.tx import Tx
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.episode import Tier
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import maintenance_start
from remembrancer.types.lifecycle import Status
from remembrancer.types.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, BehaviourEvent, Pattern
from remembrancer.types.record import Episode, Kind, Observation, Record, Rule, Signal
from remembrancer.types.scope import Trust

DETECTOR = "counting-detector 2"
WINDOW_DAYS = 30
_PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _History:
    """The events of the window, and the observations made from earlier ones.

    Args:
        rejected: those that a person has rejected, dismissed or deleted.
    """

    deeds: Sequence[BehaviourEvent]
    active: Sequence[Observation]
    rejected: Sequence[Observation]

    @property
    def active_keys(self) -> set[str]:
        """Return the keys of the active observations."""
        return {one.learned.key for one in self.active if one.learned}


async def consolidate(context: StepContext) -> None:
    """Merge duplicate observations."""

    async def work(writer: WriteTransaction) -> StepResult:
        return StepResult(counts={"merged": await patterns.consolidate(writer, before=context.before)})

    await context.write(work)


async def detect(context: StepContext) -> None:
    """Detect patterns by counting, recount those that a model proposes, and save up to three new ones."""
    history: _History | None = await context.read(lambda tx: _read_history(tx, context))
    if history is None:
        return
    # Rejected patterns are counted too, so that their events make no new one; but they are not saved.
    counted = [one.learned.key for one in (*history.active, *history.rejected) if one.learned]
    detected = await run_sync(partial(detect_all, history.deeds, known=counted))
    confirmed = [*detected.patterns, *(one for one in detected.lapsed if one.key in history.active_keys)]
    known = [*history.active, *(one for one in history.rejected if one.status is not Status.DELETED)]
    new_quotes = [one.quote for one in confirmed if one.key not in counted]
    quotes = [*(one.text for one in known), *new_quotes]
    limit = PATTERNS_PER_RUN - len(new_quotes)
    proposals = await context.propose(history.deeds, quotes, limit) if limit > 0 else Proposals()

    active_before = {one.id for one in history.active}

    async def note_refusals(_: WriteTransaction) -> StepResult:
        notes = [f"refused: {refusal.quote!r}, {refusal.reason}" for refusal in proposals.refusals]
        return StepResult(counts={"refused proposals": len(notes)}, notes=notes, done=False)

    async def work(writer: WriteTransaction, some: Sequence[tuple[Pattern, Proposals | None]]) -> StepResult:
        day = context.night.day
        active = {one.id for one in await writer.tx.observations.patterns((Status.ACTIVE,))}
        saved = await patterns.take(writer, [one for one, by in some if by is None], engine=DETECTOR, day=day)
        fresh = [one for one in saved if one.learned and one.learned.key not in history.active_keys]
        proposed = await patterns.take(
            writer,
            [one for one, by in some if by is not None],
            engine=proposals.engine,
            model=proposals.model,
            day=day,
            limit=PATTERNS_PER_RUN - len({*active, *(one.id for one in fresh)} - active_before),
        )
        new = {one.id: one.text for one in (*fresh, *proposed) if one.id not in active}
        counts = {"observed": len(new), "grown": len(saved) - len(fresh)}
        return StepResult(counts=counts, observed=list(new.values()))

    if proposals.refusals:
        await context.write(note_refusals)
    items = [*((one, None) for one in confirmed), *((one, proposals) for one in proposals.patterns)]
    await context.for_each(items, work)


async def promote(context: StepContext) -> None:
    """Make rules of certain patterns; suspend the rules of patterns that have ended, resume those that recur."""

    async def work(writer: WriteTransaction, some: Sequence[Observation]) -> StepResult:
        ids = {one.id for one in some}
        counts: Counter[str] = Counter()
        notes: list[str] = []
        # Ended patterns first: the one that has replaced another is promoted in the same run.
        for one in sorted(await writer.tx.observations.patterns((Status.ACTIVE,)), key=_continues):
            if one.learned is None or one.id not in ids:
                continue
            if one.learned.ended:
                counts["demoted"] += await rules.demote(writer, one, one.learned.evidence)
                continue
            rule = await rules.promote(writer, one, context.room)
            if isinstance(rule, Refused):
                counts["refused"] += 1
                notes.append(f"no rule made from {rule.observation}: {rule.reason}")
            counts["promoted"] += isinstance(rule, Rule)
        names = {"promoted": "promoted", "demoted": "demoted", "refused for want of room": "refused"}
        return StepResult(counts={name: counts[count] for name, count in names.items()}, notes=notes)

    await context.for_each(await context.read(lambda tx: tx.observations.patterns((Status.ACTIVE,))), work)


def _continues(observation: Observation) -> bool:
    return observation.learned is not None and not observation.learned.ended


async def _read_history(tx: Tx, context: StepContext) -> _History | None:
    """Return the events of the last 30 days, `None` if they are too few or none is new."""
    if not await _has_new_events(tx, context):
        return None
    until = maintenance_start(context.night.day, context.zone)
    deeds = await _deeds(tx, until - timedelta(days=WINDOW_DAYS), until, context.zone)
    if len(deeds) < LEAST_EPISODES:
        return None
    return _History(
        deeds=deeds,
        active=await tx.observations.patterns((Status.ACTIVE,)),
        rejected=await tx.observations.patterns(patterns.PUT_AWAY),
    )


async def _has_new_events(tx: Tx, context: StepContext) -> bool:
    """Return True if events may have been added since the previous run, or if that run reached its limit."""
    before = context.before
    if before is None or before.counts.get("observed", 0) >= PATTERNS_PER_RUN:
        return True
    since = min(maintenance_start(before.day, context.zone), before.started_at)
    return await tx.maintenance_runs.has_events_since(since, until=maintenance_start(context.night.day, context.zone))


async def _deeds(tx: Tx, since: datetime, until: datetime, zone: tzinfo) -> list[BehaviourEvent]:
    """Return the episodes and signals of the exact scope in a period, oldest first."""
    statuses = (Status.RAW, Status.SUPERSEDED_RAW, Status.ACTIVE)
    filter = Filter(kinds=(Kind.EPISODE, Kind.SIGNAL), statuses=statuses, since=since, until=until)
    deeds: list[BehaviourEvent] = []
    cursor: str | None = None
    while True:
        page = await tx.records.list(filter, limit=_PAGE, cursor=cursor)
        # Text of web pages and tools must not form a habit.
        trusted = (one for one in page.records if one.scope == tx.scope and one.trust is Trust.TRUSTED)
        deeds += [deed for record in trusted if (deed := _deed(record, zone))]
        cursor = page.cursor
        if cursor is None:
            return deeds[::-1]


def _deed(record: Record, zone: tzinfo) -> BehaviourEvent | None:
    """Return an episode or signal for the detector, `None` for a compact record and a counter-signal."""
    at = record.occurred_at.astimezone(zone)
    match record:
        case Episode() if record.details.tier is Tier.RAW:
            details = record.details
            return BehaviourEvent(
                id=record.id,
                at=at,
                event=details.event.value,
                outcome=details.outcome.value,
                text=record.text,
                entities=details.entities,
                attributes=details.attributes,
            )
        case Signal() if not record.details.is_counter:
            return BehaviourEvent(
                id=record.id,
                at=at,
                event=record.details.signal.value,
                outcome="",
                text=record.text,
                entities=record.details.entities,
                attributes=record.details.attributes,
            )
        case _:
            return None
