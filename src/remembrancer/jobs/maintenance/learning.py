"""What the last 30 days have in common, as observations; and rules of what is sure enough."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from functools import partial

from anyio.to_thread import run_sync

from remembrancer.jobs.maintenance.stage import Counted, Proposed, Stage
from remembrancer.learn import patterns as learned
from remembrancer.learn import rules as procedures
from remembrancer.learn.detect.detect import detect_anew
from remembrancer.learn.rules import Refused
from remembrancer.storage.tx import Tx
from remembrancer.transactions.write import Writing
from remembrancer.types.classification import Trust
from remembrancer.types.episode import Tier
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.night import begins
from remembrancer.types.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, Deed, Pattern
from remembrancer.types.record import Episode, Kind, Observation, Procedure, Record, Signal

DETECTOR = "counting-detector 2"
WINDOW_DAYS = 30
_PAGE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What was done, beside what was observed before."""

    deeds: Sequence[Deed]
    standing: Sequence[Observation]
    rejected: Sequence[Observation]

    @property
    def keys(self) -> set[str]:
        """The keys of what stands."""
        return {one.learned.key for one in self.standing if one.learned}


async def consolidate(stage: Stage) -> None:
    """Merge what was observed twice."""

    async def work(writing: Writing) -> Counted:
        return Counted(counts={"merged": await learned.consolidate(writing, before=stage.before)})

    await stage.write(work)


async def observe(stage: Stage) -> None:
    """Count what the last 30 days have in common, and recount what a model proposes; up to three new ones."""
    known: _Known | None = await stage.read(lambda tx: _known(tx, stage))
    if known is None:
        return
    # What was rejected is counted too, so that nothing of its deeds is told anew; none of it is taken.
    counted = [one.learned.key for one in (*known.standing, *known.rejected) if one.learned]
    detected = await run_sync(partial(detect_anew, known.deeds, known=counted))
    patterns = [*detected.patterns, *(one for one in detected.lapsed if one.key in known.keys)]
    told = [*known.standing, *(one for one in known.rejected if one.status is not Status.DELETED)]
    found = [one.quote for one in patterns if one.key not in counted]
    quotes = [*(one.text for one in told), *found]
    room = PATTERNS_PER_RUN - len(found)
    proposed = await stage.propose(known.deeds, quotes, room) if room > 0 else Proposed()

    before = {one.id for one in known.standing}

    async def refused(_: Writing) -> Counted:
        notes = [f"refused: {refusal.quote!r}, {refusal.reason}" for refusal in proposed.refusals]
        return Counted(counts={"refused proposals": len(notes)}, notes=notes, done=False)

    async def work(writing: Writing, some: Sequence[tuple[Pattern, Proposed | None]]) -> Counted:
        day = stage.night.day
        there = {one.id for one in await writing.tx.observations.patterns((Status.ACTIVE,))}
        taken = await learned.take(writing, [one for one, by in some if by is None], engine=DETECTOR, day=day)
        fresh = [one for one in taken if one.learned and one.learned.key not in known.keys]
        more = await learned.take(
            writing,
            [one for one, by in some if by is not None],
            engine=proposed.engine,
            model=proposed.model,
            day=day,
            limit=PATTERNS_PER_RUN - len({*there, *(one.id for one in fresh)} - before),
        )
        new = {one.id: one.text for one in (*fresh, *more) if one.id not in there}
        counts = {"observed": len(new), "grown": len(taken) - len(fresh)}
        return Counted(counts=counts, observed=list(new.values()))

    if proposed.refusals:
        await stage.write(refused)
    await stage.each([*((one, None) for one in patterns), *((one, proposed) for one in proposed.patterns)], work)


async def promote(stage: Stage) -> None:
    """Make rules of what is sure enough; give up those whose habit has ended, and take them up where it is back."""

    async def work(writing: Writing, wanted: Sequence[Observation]) -> Counted:
        ids = {one.id for one in wanted}
        counts: Counter[str] = Counter()
        notes: list[str] = []
        # What has ended goes first: what has taken its place is promoted in the same night.
        for one in sorted(await writing.tx.observations.patterns((Status.ACTIVE,)), key=_goes_on):
            if one.learned is None or one.id not in ids:
                continue
            if one.learned.ended:
                counts["demoted"] += await procedures.demote(writing, one, one.learned.evidence)
                continue
            made = await procedures.promote(writing, one, stage.room)
            if isinstance(made, Refused):
                counts["refused"] += 1
                notes.append(f"no rule of {made.observation}: {made.reason}")
            counts["promoted"] += isinstance(made, Procedure)
        told = {"promoted": "promoted", "demoted": "demoted", "refused for want of room": "refused"}
        return Counted(counts={name: counts[count] for name, count in told.items()}, notes=notes)

    await stage.each(await stage.read(lambda tx: tx.observations.patterns((Status.ACTIVE,))), work)


def _goes_on(observation: Observation) -> bool:
    return observation.learned is not None and not observation.learned.ended


async def _known(tx: Tx, stage: Stage) -> _Known | None:
    """What was done in the last 30 days; `None` where that is too little, or nothing since the night before."""
    if not await _news(tx, stage):
        return None
    until = begins(stage.night.day, stage.zone)
    deeds = await _deeds(tx, until - timedelta(days=WINDOW_DAYS), until, stage.zone)
    if len(deeds) < LEAST_EPISODES:
        return None
    return _Known(
        deeds=deeds,
        standing=await tx.observations.patterns((Status.ACTIVE,)),
        rejected=await tx.observations.patterns(learned.PUT_AWAY),
    )


async def _news(tx: Tx, stage: Stage) -> bool:
    """Whether there may be something to learn that the night before did not see, or had no room for."""
    before = stage.before
    if before is None or before.counts.get("observed", 0) >= PATTERNS_PER_RUN:
        return True
    since = min(begins(before.day, stage.zone), before.started_at)
    return await tx.maintenance_runs.has_events_since(since, until=begins(stage.night.day, stage.zone))


async def _deeds(tx: Tx, since: datetime, until: datetime, zone: tzinfo) -> list[Deed]:
    """What was done and signalled in the exact scope in a stretch of time, as the detector reads it."""
    statuses = (Status.RAW, Status.SUPERSEDED_RAW, Status.ACTIVE)
    wanted = Filter(kinds=(Kind.EPISODE, Kind.SIGNAL), statuses=statuses, since=since, until=until)
    deeds: list[Deed] = []
    cursor: str | None = None
    while True:
        page = await tx.records.list(wanted, limit=_PAGE, cursor=cursor)
        # No habit is counted of what a page or a tool said.
        own = (one for one in page.records if one.scope == tx.scope and one.trust is Trust.TRUSTED)
        deeds += [deed for record in own if (deed := _deed(record, zone))]
        cursor = page.cursor
        if cursor is None:
            return deeds[::-1]


def _deed(record: Record, zone: tzinfo) -> Deed | None:
    """An episode or a signal as the detector reads it; `None` for a compact record and a counter-signal."""
    at = record.occurred_at.astimezone(zone)
    match record:
        case Episode() if record.details.tier is Tier.RAW:
            told = record.details
            return Deed(
                id=record.id,
                at=at,
                event=told.event.value,
                outcome=told.outcome.value,
                text=record.text,
                entities=told.entities,
                attributes=told.attributes,
            )
        case Signal() if not record.details.is_counter:
            return Deed(
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
