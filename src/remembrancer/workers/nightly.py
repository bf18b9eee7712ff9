"""The nightly run of a scope: compaction, consolidation, detection, promotion, standing, each step once a local day.

Each step is its own transactions and its own record: a run that is killed goes on at its step, and one that is run
again changes nothing. What a step writes is written where the night still stands at that step, or not at all.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta, tzinfo
from functools import partial

import anyio
from anyio.to_thread import run_sync

from remembrancer.engines.asking.detector import detect_asking
from remembrancer.engines.compacting import Group, by_month, by_week
from remembrancer.engines.compacting.groups import LEAST, MONTH, monday_of
from remembrancer.engines.detecting.detect import detect
from remembrancer.errors import BadModelOutput, BudgetExceeded, Conflict, ProviderUnavailable
from remembrancer.governance import compacting, learned, procedures
from remembrancer.governance.admit import Rules
from remembrancer.governance.archive import archive
from remembrancer.governance.procedures import Refused, Room
from remembrancer.model.audit import AuditEntry
from remembrancer.model.call import CallPurpose
from remembrancer.model.caller import Caller
from remembrancer.model.episode import Tier
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import Status
from remembrancer.model.night import Night, Preview, Step, begins, night_of
from remembrancer.model.pattern import LEAST_EPISODES, PATTERNS_PER_RUN, Deed, Pattern, Refusal
from remembrancer.model.record import Episode, Kind, Observation, Procedure, Record, Signal
from remembrancer.model.scope import Scope
from remembrancer.model.standing import (
    RELEVANCE_HALF_LIFE_DAYS,
    Standing,
    days_unread,
    decayed,
    standing,
)
from remembrancer.ports.store import Store
from remembrancer.ports.tx import Tx
from remembrancer.workers.asking import Asker, Models

DETECTOR = "counting-detector 2"
ASKING = "asking-detector"
ANSWER_TOKENS = 4_000
MOST_NOTES = 20
RAW_DAYS = 30
WEEKLY_DAYS = 90
WINDOW_DAYS = 30
# A rule whose habit holds in less than half of so many occasions is given up.
TURNED = 0.5
OCCASIONS = 5
GROUPS_AT_ONCE = 24
ROWS_AT_ONCE = 2_000
_PAGE = 1_000
# The counts of what a night makes, and of what is live no more after it.
_MADE = (f"{Tier.WEEKLY} records", f"{Tier.MONTHLY} records", "observed")
_GONE = (f"{Tier.WEEKLY} covered", f"{Tier.MONTHLY} covered", "merged")
_ZERO = time(0, 0)

Told = Callable[[Scope, Step, int], None]
"""Is told of a scope, a step of its night, and how much of it was done since the last time."""


def unheard(_scope: Scope, _step: Step, _done: int) -> None:
    """Nobody is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What becomes of memories with time.

    Args:
        decay: what importance loses a day, in [0, 1]; 0 keeps it.
        by_access: whether it matters for that when a memory was last read.
        observations, reflections: how many active ones of the engines a scope may have; the lowest are archived.
        unread_days: after so many days without being read they are archived.
        faded: below such an importance, and older than `faded_days`, observations are archived.
    """

    decay: float = 0.01
    by_access: bool = True
    observations: int = 1_000
    reflections: int = 100
    unread_days: int = 90
    faded: float = 0.1
    faded_days: int = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What some work of a night came to: counts by name, what a person should know, whether its step is done."""

    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: Sequence[str] = ()
    done: bool = True


class _RehearsedError(Exception):
    """Ends a transaction in which something was tried, so that nothing of it is kept."""


@dataclass(slots=True)
class _Run:
    """One night of one scope under way."""

    scope: Scope
    night: Night
    before: Night | None
    """The one before it, where that was run to its end."""
    zone: tzinfo
    told: Told
    stored: Step | None = None
    """The last step that the store knows to be done: those after it, up to the night's own, had nothing to do."""


class Nightly:
    """The nightly runs of one open store.

    Args:
        zone: of every tenant but those in `zones`: its day, its weekdays and hours.
        room: how many rules an agent may have, and how long.
        models: proposes patterns too, where one is configured to detect.
        seconds: how long a model may take for one scope.
    """

    def __init__(
        self,
        store: Store,
        rules: Rules,
        *,
        zone: tzinfo,
        zones: Mapping[str, tzinfo] | None = None,
        room: Callable[[Scope], Room] = lambda _: Room(),
        keeping: Keeping | None = None,
        models: Models | None = None,
        seconds: float = 300.0,
    ) -> None:
        self._store = store
        self._rules = rules
        self._own_zones = zones or {}
        self._zones = (zone, *self._own_zones.values())
        self._room = room
        self._keeping = keeping or Keeping()
        self._models = models or Models(store, {}, rules)
        self._seconds = seconds
        self._steps: dict[Step, Callable[[_Run], Awaitable[None]]] = {
            Step.WEEKLY: partial(self._compact, tier=Tier.WEEKLY),
            Step.MONTHLY: partial(self._compact, tier=Tier.MONTHLY),
            Step.CONSOLIDATE: self._consolidate,
            Step.DETECT: self._detect,
            Step.PROMOTE: self._promote,
            Step.STANDING: self._stand,
        }

    def _zone(self, tenant: str) -> tzinfo:
        return self._own_zones.get(tenant, self._zones[0])

    def day(self, tenant: str) -> date:
        """The local day whose run is the last that is due for a tenant."""
        return night_of(self._rules.clock.now(), self._zone(tenant))

    def latest(self) -> date:
        """The latest local day of any tenant whose run is due."""
        return max(night_of(self._rules.clock.now(), zone) for zone in self._zones)

    async def run(self, scope: Scope, *, told: Told = unheard) -> Night:
        """The run of a scope for the last local day that is due, as far as it is not done yet.

        After an outage of days this is the one that catches up.

        Raises:
            Conflict: another process is at it.
        """
        zone, day = self._zone(scope.tenant), self.day(scope.tenant)
        async with self._store.begin(Caller.engine(scope)) as tx:
            night = await tx.nights.find(day)
            before = await _whole_before(tx, day)
            if night is None:
                night = Night(day=day, step=None, started_at=self._rules.clock.now())
                await tx.nights.put(night)
        run = _Run(scope=scope, night=night, before=before, zone=zone, told=told, stored=night.step)
        for step in night.left:
            await self._steps[step](run)
        return run.night

    async def due(self, scope: Scope) -> bool:
        """Whether the run of a scope for its last local day is not done yet."""
        async with self._store.snapshot(Caller.engine(scope)) as tx:
            night = await tx.nights.find(self.day(scope.tenant))
        return night is None or night.ended_at is None

    async def preview(self, scope: Scope) -> Preview:
        """What the run of a scope would do now, of the steps that are left; nothing is changed, and no model is asked.

        Learning and promotion are tried in a transaction that is taken back. What is archived is told by importance as
        it stands before the night.
        """
        zone, day = self._zone(scope.tenant), self.day(scope.tenant)
        async with self._store.snapshot(Caller.engine(scope)) as tx:
            night = await tx.nights.find(day)
            before = await _whole_before(tx, day)
        left = tuple(Step) if night is None else night.left
        run = _Run(
            scope=scope,
            night=night or Night(day=day, step=None, started_at=self._rules.clock.now()),
            before=before,
            zone=zone,
            told=unheard,
        )
        found = [await self._to_compact(run, left), *await self._to_learn(run, left)]
        if Step.STANDING in left:
            made, gone = (sum(one.counts.get(name, 0) for one in found for name in names) for names in (_MADE, _GONE))
            found.append(await self._to_stand(run, made - gone))
        counts: Counter[str] = Counter()
        for one in found:
            counts.update(one.counts)
        return Preview(
            day=day,
            left=left,
            counts={name: count for name, count in sorted(counts.items()) if count},
            notes=tuple(note for one in found for note in one.notes)[:MOST_NOTES],
        )

    async def refused(self, scope: Scope) -> list[Refused]:
        """The observations that would be procedures, were there room; nothing is changed."""
        async with self._store.snapshot(Caller.engine(scope)) as tx:
            return [
                found
                for one in await tx.observations.learned((Status.ACTIVE,))
                if isinstance(found := await procedures.wanting(tx, one, self._rules, self._room(scope)), Refused)
            ]

    async def _write(self, run: _Run, step: Step, work: Callable[[Tx], Awaitable[Counted]]) -> None:
        """Some of a step's work with the night's record, in one transaction.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
        """
        async with self._store.begin(Caller.engine(run.scope)) as tx:
            found = await tx.nights.find(run.night.day)
            if found is None or found.step is not run.stored or found.ended_at is not None:
                raise Conflict(f"the nightly run for {run.night.day} is under way in another process")
            done_now = await work(tx)
            counts = done_now.counts
            totals = {name: found.counts.get(name, 0) + counts.get(name, 0) for name in {*found.counts, *counts}}
            last = done_now.done and step is tuple(Step)[-1]
            run.night = replace(
                found,
                step=step if done_now.done else run.night.step,
                counts={name: count for name, count in sorted(totals.items()) if count},
                notes=(*found.notes, *done_now.notes)[:MOST_NOTES],
                ended_at=self._rules.clock.now() if last else None,
            )
            await tx.nights.put(run.night)
            if last:
                await tx.audit.add([self._entry(sum(totals.values()))])
        run.stored = run.night.step
        run.told(run.scope, step, sum(counts.values()))

    def _skip(self, run: _Run, step: Step) -> None:
        """A step that has nothing more to do is done; the next one that writes says so."""
        run.night = replace(run.night, step=step)
        run.told(run.scope, step, 0)

    # Compaction

    async def _compact(self, run: _Run, tier: Tier) -> None:
        """Whole weeks of raw episodes older than 30 days, or whole months of weekly records older than 90."""
        step = Step.WEEKLY if tier is Tier.WEEKLY else Step.MONTHLY
        for contact in await self._contacts(run, tier):
            async for groups in self._groups(run, contact, tier):
                for at in range(0, len(groups), GROUPS_AT_ONCE):
                    some = groups[at : at + GROUPS_AT_ONCE]
                    await self._write(run, step, partial(self._compacted, groups=some, tier=tier))
        self._skip(run, step)

    async def _contacts(self, run: _Run, tier: Tier) -> Sequence[str]:
        """Those with whom enough was done that is old enough, and whose groups may be others than the night before."""
        least = LEAST if tier is Tier.WEEKLY else 1
        async with self._store.snapshot(Caller.engine(run.scope)) as tx:
            return await tx.episodes.contacts(
                compacting.BELOW[tier], until=_until(run, tier), at_least=least, changed_since=_since(run, tier)
            )

    async def _groups(
        self, run: _Run, contact: str, tier: Tier, *, others: Sequence[Episode] = ()
    ) -> AsyncGenerator[list[Group], None]:
        """What is to be told together of what was done with a contact, some groups at a time.

        Args:
            others: what is told with what is kept.
        """
        after: tuple[datetime, str] | None = None
        waiting = [*others]
        more = True
        while more:
            async with self._store.snapshot(Caller.engine(run.scope)) as tx:
                found = await tx.episodes.with_contact(
                    contact, compacting.BELOW[tier], until=_until(run, tier), after=after, limit=_PAGE
                )
            more = len(found) == _PAGE
            after = (found[-1].occurred_at, found[-1].id) if found else after
            waiting += [episode for episode in found if not episode.details.kept]
            groups, waiting = _grouped(waiting, tier, run.zone, before=_before(run.night.day, tier), more=more)
            yield groups

    async def _to_compact(self, run: _Run, left: Sequence[Step]) -> Counted:
        """What compaction would come to: the weeks of this night would be in its months."""
        counts: Counter[str] = Counter()
        weeks: dict[str, list[Episode]] = {}
        if Step.WEEKLY in left:
            for contact in await self._contacts(run, Tier.WEEKLY):
                async for groups in self._groups(run, contact, Tier.WEEKLY):
                    counts.update(_tallied(groups, Tier.WEEKLY))
                    weeks.setdefault(contact, []).extend(_as_week(group) for group in groups)
        if Step.MONTHLY in left:
            for contact in {*await self._contacts(run, Tier.MONTHLY), *weeks}:
                async for groups in self._groups(run, contact, Tier.MONTHLY, others=weeks.get(contact, ())):
                    counts.update(_tallied(groups, Tier.MONTHLY))
        return Counted(counts=counts)

    async def _compacted(self, tx: Tx, *, groups: Sequence[Group], tier: Tier) -> Counted:
        made = await compacting.compact(tx, groups, tier, self._rules)
        covered = sum(len(record.evidence) for record in made)
        return Counted(counts={f"{tier} records": len(made), f"{tier} covered": covered}, done=False)

    # Learning

    async def _consolidate(self, run: _Run) -> None:
        async def work(tx: Tx) -> Counted:
            return Counted(counts={"merged": await learned.consolidate(tx, self._rules, before=run.before)})

        await self._write(run, Step.CONSOLIDATE, work)

    async def _detect(self, run: _Run) -> None:
        """Count what the last 30 days have in common, and recount what a model proposes; up to three new ones."""
        found = await self._counted(run)
        if found is None:
            self._skip(run, Step.DETECT)
            return
        proposed, refusals, asker = await self._asked(run.scope, found.deeds, found.told)

        async def work(tx: Tx) -> Counted:
            taken, fresh = await self._taken(tx, run, found)
            room = PATTERNS_PER_RUN - len(fresh)
            engine = f"{ASKING} {asker.version}"
            more = await learned.take(
                tx, proposed, self._rules, engine=engine, day=run.night.day, model=asker.model, limit=room
            )
            observed = len({one.id for one in (*fresh, *more)} - {one.id for one in found.standing})
            return Counted(
                counts={"observed": observed, "grown": len(taken) - len(fresh), "refused proposals": len(refusals)},
                notes=[f"refused: {refusal.quote!r}, {refusal.reason}" for refusal in refusals],
            )

        await self._write(run, Step.DETECT, work)

    async def _counted(self, run: _Run) -> "_Found | None":
        """What the last 30 days have in common; `None` where too little was done in them, or nothing since."""
        since, until = begins(run.night.day, run.zone) - timedelta(days=WINDOW_DAYS), begins(run.night.day, run.zone)
        async with self._store.snapshot(Caller.engine(run.scope)) as tx:
            if not await _news(tx, run):
                return None
            deeds = await _deeds(tx, since, until, run.zone)
            standing = await tx.observations.learned((Status.ACTIVE,))
            rejected = await tx.observations.learned(learned.PUT_AWAY)
        if len(deeds) < LEAST_EPISODES:
            return None
        # What was rejected is counted too, so that nothing of its deeds is told anew; none of it is taken.
        counted = [one.learned.key for one in (*standing, *rejected) if one.learned]
        patterns = await run_sync(partial(detect, deeds, known=counted))
        return _Found(deeds=deeds, standing=standing, rejected=rejected, patterns=patterns)

    async def _taken(self, tx: Tx, run: _Run, found: "_Found") -> tuple[list[Observation], list[Observation]]:
        """The observations of what was counted, and those among them that are new."""
        taken = await learned.take(tx, found.patterns, self._rules, engine=DETECTOR, day=run.night.day)
        return taken, [one for one in taken if one.learned and one.learned.key not in found.known]

    async def _to_learn(self, run: _Run, left: Sequence[Step]) -> list[Counted]:
        """What consolidation, detection and promotion would come to: they are done, and taken back."""
        found = await self._counted(run) if Step.DETECT in left else None
        would: list[Counted] = []
        try:
            async with self._store.begin(Caller.engine(run.scope)) as tx:
                if Step.CONSOLIDATE in left:
                    merged = await learned.consolidate(tx, self._rules, before=run.before)
                    would.append(Counted(counts={"merged": merged}))
                if found is not None:
                    taken, fresh = await self._taken(tx, run, found)
                    notes = [f"would be observed: {one.text}" for one in fresh]
                    would.append(
                        Counted(counts={"observed": len(fresh), "grown": len(taken) - len(fresh)}, notes=notes)
                    )
                if Step.PROMOTE in left:
                    would.append(await self._promoted(tx))
                raise _RehearsedError
        except _RehearsedError:
            pass
        if found is not None and self._models.available(CallPurpose.DETECT):
            would.append(Counted(notes=["a model may propose more; none was asked"]))
        return would

    async def _asked(
        self, scope: Scope, deeds: Sequence[Deed], told: Sequence[Observation]
    ) -> tuple[list[Pattern], list[Refusal], Asker]:
        """What a model proposes, recounted; nothing where none is there, or it fails: counting is enough."""
        models = self._models
        asker = Asker(models, scope, None, CallPurpose.DETECT, max_tokens=ANSWER_TOKENS)
        if not models.available(CallPurpose.DETECT):
            return [], [], asker
        try:
            with anyio.fail_after(self._seconds):
                patterns, refusals = await detect_asking(deeds, asker, known=[one.text for one in told])
        except (ProviderUnavailable, BudgetExceeded, TimeoutError) as error:
            return [], [Refusal(quote="", reason=f"no model was asked: {error or 'it took too long'}")], asker
        except BadModelOutput as error:
            return [], [Refusal(quote="", reason=str(error))], asker
        return patterns, refusals, asker

    async def _promote(self, run: _Run) -> None:
        """Rules of what is sure enough; those whose habit has turned are given up."""
        await self._write(run, Step.PROMOTE, self._promoted)

    async def _promoted(self, tx: Tx) -> Counted:
        promoted = demoted = 0
        refused: list[Refused] = []
        for one in await tx.observations.learned((Status.ACTIVE,)):
            if one.learned is None:
                continue
            if _turned(one.learned.held, one.learned.against):
                for procedure in await procedures.of(tx, one.id):
                    if procedure.status is Status.ACTIVE:
                        await procedures.moved(tx, procedure, Status.DEMOTED, self._rules)
                        demoted += 1
                continue
            made = await procedures.promote(tx, one, self._rules, self._room(tx.scope))
            if isinstance(made, Refused):
                refused.append(made)
            promoted += isinstance(made, Procedure)
        counts = {"promoted": promoted, "demoted": demoted, "refused for want of room": len(refused)}
        return Counted(counts=counts, notes=[f"no rule of {one.observation}: {one.reason}" for one in refused])

    # Standing

    async def _stand(self, run: _Run) -> None:
        """Importance decays, standing is worked out anew, and what is over a cap, unread or faded is archived.

        What is not live stays as it is: were it live again, the nights that it missed would be counted.
        """
        page: list[Standing] = []

        async def work(tx: Tx) -> Counted:
            # Read where it is written: what a person pins meanwhile stays pinned, and what another worker did is done.
            after = (page[-1].occurred_at, page[-1].id) if page else None
            page[:] = await tx.standings.page(after=after, limit=ROWS_AT_ONCE)
            changed = [new for one in page if (new := self._stands(one, run.night.day)) != one]
            await tx.standings.decay(changed)
            if len(page) == ROWS_AT_ONCE:
                return Counted(counts={"decayed": len(changed)}, done=False)
            archived = await archive(tx, await self._to_archive(tx), self._rules)
            return Counted(counts={"decayed": len(changed), "archived": archived})

        while run.night.ended_at is None:
            await self._write(run, Step.STANDING, work)

    async def _standings(self, run: _Run) -> AsyncGenerator[list[Standing], None]:
        """How memories stand after the night, where that changes; some at a time."""
        after: tuple[datetime, str] | None = None
        while True:
            async with self._store.snapshot(Caller.engine(run.scope)) as tx:
                page = await tx.standings.page(after=after, limit=ROWS_AT_ONCE)
            yield [new for one in page if (new := self._stands(one, run.night.day)) != one]
            if len(page) < ROWS_AT_ONCE:
                break
            after = (page[-1].occurred_at, page[-1].id)

    async def _to_stand(self, run: _Run, more: int) -> Counted:
        """How many would decay, with so many more as the night itself would make live, and be archived."""
        decaying = more + sum([len(changed) async for changed in self._standings(run)])
        async with self._store.snapshot(Caller.engine(run.scope)) as tx:
            archived = len(await self._to_archive(tx))
        return Counted(counts={"decayed": decaying, "archived": archived})

    def _stands(self, one: Standing, day: date) -> Standing:
        """A memory after the nights since it was last looked at; the same where this one was counted."""
        if one.decayed_on is not None and one.decayed_on >= day:
            return one
        now = self._rules.clock.now()
        nights = 1 if one.decayed_on is None else (day - one.decayed_on).days
        importance, relevance, unread = one.importance, one.relevance, days_unread(one, now)
        for night in range(nights - 1, -1, -1):
            relevance *= 0.5 ** (1 / RELEVANCE_HALF_LIFE_DAYS)
            if not one.pinned:
                days = max(0.0, unread - night)
                importance = decayed(
                    importance, rate=self._keeping.decay, days_unread=days, by_access=self._keeping.by_access
                )
        stands = standing(one, now, relevance=relevance)
        return replace(one, importance=importance, relevance=relevance, decayed_on=day, standing=stands)

    async def _to_archive(self, tx: Tx) -> list[str]:
        """What is over a cap, unread or faded."""
        keeping, now = self._keeping, self._rules.clock.now()
        over = [
            *await tx.standings.beyond(Kind.OBSERVATION, keep=keeping.observations),
            *await tx.standings.beyond(Kind.REFLECTION, keep=keeping.reflections),
            *await tx.standings.unread(before=now - timedelta(days=keeping.unread_days)),
            *await tx.standings.faded(below=keeping.faded, before=now - timedelta(days=keeping.faded_days)),
        ]
        return list(dict.fromkeys(over))

    def _entry(self, count: int) -> AuditEntry:
        now = self._rules.clock.now()
        return AuditEntry(action="nightly", kind="memory", record=None, count=count, at=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the detector counted of some deeds, beside what it observed before."""

    deeds: Sequence[Deed]
    standing: Sequence[Observation]
    rejected: Sequence[Observation]
    patterns: Sequence[Pattern]

    @property
    def told(self) -> list[Observation]:
        """All that was observed before, and is not deleted."""
        return [*self.standing, *(one for one in self.rejected if one.status is not Status.DELETED)]

    @property
    def known(self) -> set[str]:
        """The keys of what stands."""
        return {one.learned.key for one in self.standing if one.learned}


def _before(day: date, tier: Tier) -> date:
    """The day before which all is old enough to be told together, in the night of a day."""
    return day - timedelta(days=RAW_DAYS if tier is Tier.WEEKLY else WEEKLY_DAYS)


def _since(run: _Run, tier: Tier) -> datetime | None:
    """Since when something must have changed to make other groups; `None` where a week has become old enough.

    Weeks begin on a Monday and so do months, which are made of them: what is not grouped in the night of one day is
    not in the next, until a Monday comes or one of them comes or changes. Where one has gone, the Monday is early
    enough.
    """
    if run.before is None:
        return None
    monday, then = (monday_of(_before(day, tier)) for day in (run.night.day, run.before.day))
    return run.before.started_at if monday == then else None


def _until(run: _Run, tier: Tier) -> datetime:
    """The time before which all that matters is: of raw episodes, whole weeks alone.

    Of weekly records also those that a month may still have to wait for: one of weeks that were joined ends later.
    """
    last = _before(run.night.day, tier)
    return datetime.combine(monday_of(last) if tier is Tier.WEEKLY else last + MONTH, _ZERO, run.zone)


def _as_week(group: Group) -> Episode:
    """The last episode of a week, in place of the record that would be made of all."""
    last = group.episodes[-1]
    return replace(last, details=replace(last.details, tier=Tier.WEEKLY, begins=group.begins, ends=group.ends))


def _tallied(groups: Sequence[Group], tier: Tier) -> dict[str, int]:
    return {f"{tier} records": len(groups), f"{tier} covered": sum(len(group.episodes) for group in groups)}


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


async def _news(tx: Tx, run: _Run) -> bool:
    """Whether there may be something to learn that the night before did not see, or had no room for."""
    before = run.before
    if before is None or before.counts.get("observed", 0) >= PATTERNS_PER_RUN:
        return True
    since = min(begins(before.day, run.zone), before.started_at)
    return await tx.nights.deeds_since(since, until=begins(run.night.day, run.zone))


async def _whole_before(tx: Tx, day: date) -> Night | None:
    """The run before a day's, where it was run to its end."""
    before = await tx.nights.latest(before=day)
    return before if before is not None and before.ended_at is not None else None


async def _deeds(tx: Tx, since: datetime, until: datetime, zone: tzinfo) -> list[Deed]:
    """What was done and signalled in the exact scope in a stretch of time, as the detector reads it."""
    statuses = (Status.RAW, Status.SUPERSEDED_RAW, Status.ACTIVE)
    wanted = Filter(kinds=(Kind.EPISODE, Kind.SIGNAL), statuses=statuses, since=since, until=until)
    deeds: list[Deed] = []
    cursor: str | None = None
    while True:
        page = await tx.records.list(wanted, limit=_PAGE, cursor=cursor)
        deeds += [deed for record in page.records if record.scope == tx.scope and (deed := _deed(record, zone))]
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


def _turned(held: int, against: int) -> bool:
    """Whether what was a habit holds no more."""
    return held + against >= OCCASIONS and held < TURNED * (held + against)
