"""Running the nights of one open store, and rehearsing them."""

import logging
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from functools import partial
from typing import Any, TypeVar

import anyio

from remembrancer.errors import (
    BadModelOutput,
    BudgetExceeded,
    Conflict,
    ProviderUnavailable,
    StoreUnavailable,
)
from remembrancer.jobs.maintenance.compacting import compact
from remembrancer.jobs.maintenance.learning import consolidate, observe, promote
from remembrancer.jobs.maintenance.retaining import retain
from remembrancer.jobs.maintenance.stage import Counted, Keeping, Proposed, Stage, Work
from remembrancer.jobs.maintenance.standing import stand
from remembrancer.learn import rules as procedures
from remembrancer.learn.compact.records import Story
from remembrancer.learn.llm.compactor import compact_asking
from remembrancer.learn.llm.detector import detect_asking
from remembrancer.learn.rules import Refused, Room
from remembrancer.llm.models import Models, ScopedModels
from remembrancer.privacy.lending import lend
from remembrancer.storage.ports.tx import Tx
from remembrancer.transactions.dependencies import Rules
from remembrancer.transactions.unit_of_work import Desk, Desks
from remembrancer.transactions.write import Writing
from remembrancer.types.call import CallPurpose
from remembrancer.types.caller import Caller
from remembrancer.types.episode import Tier
from remembrancer.types.lifecycle import Status
from remembrancer.types.night import FAILED_STEPS, MOST_TRIES, Night, Preview, Step, failed, is_failed, night_of
from remembrancer.types.pattern import Deed, Refusal
from remembrancer.types.record import Episode
from remembrancer.types.scope import Scope

ASKING = "asking-detector"
ANSWER_TOKENS = 4_000
MOST_NOTES = 20
# After so many that failed in one step, the rest is done together or not at all.
MOST_CAUSES = 20
T = TypeVar("T")
_LOG = logging.getLogger(__name__)
STEPS: Mapping[Step, Callable[[Stage], Awaitable[None]]] = {
    Step.RETAIN: retain,
    Step.WEEKLY: partial(compact, tier=Tier.WEEKLY),
    Step.MONTHLY: partial(compact, tier=Tier.MONTHLY),
    Step.CONSOLIDATE: consolidate,
    Step.DETECT: observe,
    Step.PROMOTE: promote,
    Step.STANDING: stand,
}

Told = Callable[[Scope, Step, int], None]
"""Is told of a scope, a step of its night, and how much of it was done since the last time."""


def unheard(_scope: Scope, _step: Step, _done: int) -> None:
    """Nobody is told."""


class Nightly:
    """The nightly runs of one open store.

    Args:
        zone: of every tenant but those in `zones`: its day, its weekdays and hours.
        room: how many rules an agent may have, and how long.
        models: proposes patterns too, where one is configured to detect.
        seconds: how long a model may take for one scope.

    Attributes:
        failing: the scopes of which something failed in the last night that this process has run.
    """

    def __init__(
        self,
        desk: Desks,
        rules: Rules,
        *,
        zone: tzinfo,
        zones: Mapping[str, tzinfo] | None = None,
        room: Callable[[Scope], Room] = lambda _: Room(),
        keeping: Keeping | None = None,
        models: Models | None = None,
        seconds: float = 300.0,
    ) -> None:
        self._desk = desk
        self._rules = rules
        self._own_zones = zones or {}
        self._zones = (zone, *self._own_zones.values())
        self._room = room
        self._keeping = keeping or Keeping()
        self._models = models or Models(desk, {}, rules)
        self._seconds = seconds
        self.failing = set[Scope]()

    def _zone(self, tenant: str) -> tzinfo:
        return self._own_zones.get(tenant, self._zones[0])

    def day(self, tenant: str) -> date:
        """The local day whose run is the last that is due for a tenant."""
        return night_of(self._rules.clock.now(), self._zone(tenant))

    def latest(self) -> date:
        """The latest local day of any tenant whose run is due."""
        return max(night_of(self._rules.clock.now(), zone) for zone in self._zones)

    async def run(self, scope: Scope, *, by: Caller | None = None, told: Told = unheard) -> Night:
        """The run of a scope for the last local day that is due, as far as it is not done yet.

        After an outage of days this is the one that catches up. A step that fails, or a part of one, stops none of the
        others: it is noted, and done again later that day, and in the next night.

        Args:
            by: who set it going, for the audit log; else the engine by itself.

        Raises:
            Conflict: another process is at it.
        """
        desk, day = self._desk(scope).on_behalf(by), self.day(scope.tenant)
        async with desk.write() as writing:
            night, before = await _nights(writing.tx, day)
            if night is None:
                night = Night(day=day, step=None, started_at=writing.now)
                await writing.note(night)
            elif night.ended_at is None:
                night = replace(night, tries=night.tries + 1)
                await writing.note(night)
        asked = _Asked(self._models, scope, zone=self._zone(scope.tenant), seconds=self._seconds)
        stage = _InEarnest(self._set(scope, night, before), desk, asked, told)
        if night.ended_at is None:
            for step in night.left:
                await stage.do(step)
            await stage.end()
        self.failing.discard(scope)
        if stage.night.failures:
            self.failing.add(scope)
        if scope == Scope(tenant=scope.tenant, project=scope.project):
            await lend(desk)
        return stage.night

    async def due(self, scope: Scope) -> bool:
        """Whether the run of a scope for its last local day is to be begun now, or begun again."""
        night = await self._desk(scope).read(lambda tx: tx.nights.find(self.day(scope.tenant)))
        return night is None or night.is_due(self._rules.clock.now())

    async def preview(self, caller: Caller) -> Preview:
        """What the run of a caller's scope would do now, of the steps that are left; no model is asked.

        All of it is done in one transaction that is taken back: for as long as that takes nobody else writes.
        """
        day = self.day(caller.scope.tenant)
        rehearsal = await self._rehearsed(caller, day)
        left = rehearsal.night.left
        asks = [
            said
            for step, purpose, said in (
                (Step.WEEKLY, CallPurpose.SUMMARISE, "a model may tell what weeks and months came to; none was asked"),
                (Step.DETECT, CallPurpose.DETECT, "a model may propose more; none was asked"),
            )
            if step in left and self._models.available(purpose)
        ]
        notes = [*rehearsal.notes, *asks]
        return Preview(
            day=day,
            left=left,
            counts={name: count for name, count in sorted(rehearsal.counts.items()) if count},
            notes=tuple(notes)[:MOST_NOTES],
        )

    async def _rehearsed(self, caller: Caller, day: date) -> "_Rehearsal":
        try:
            async with self._desk(caller.scope).of(caller).write() as writing:
                night, before = await _nights(writing.tx, day)
                night = night or Night(day=day, step=None, started_at=writing.now)
                rehearsal = _Rehearsal(self._set(caller.scope, night, before), writing)
                for step in night.left:
                    await rehearsal.do(step)
                raise _RehearsedError(rehearsal)
        except _RehearsedError as end:
            return end.rehearsal

    async def refused(self, caller: Caller) -> list[Refused]:
        """The observations that would be procedures, were there room; nothing is changed."""

        async def work(tx: Tx) -> list[Refused]:
            room = self._room(caller.scope)
            return [
                found
                for one in await tx.observations.learned((Status.ACTIVE,))
                if isinstance(found := await procedures.wanting(tx, one, self._rules, room), Refused)
            ]

        return await self._desk(caller.scope).of(caller).read(work)

    def _set(self, scope: Scope, night: Night, before: Night | None) -> "_Setting":
        return _Setting(
            scope=scope,
            night=night,
            before=before,
            zone=self._zone(scope.tenant),
            room=self._room(scope),
            keeping=self._keeping,
        )


class _Asked:
    """The models that are asked in a night, on behalf of its scope; without them counting and the words are enough."""

    def __init__(self, models: Models, scope: Scope, *, zone: tzinfo, seconds: float) -> None:
        self._models = models
        self._scope = scope
        self._zone = zone
        self._seconds = seconds

    @property
    def tells(self) -> bool:
        """Whether one is asked what episodes came to."""
        return self._models.available(CallPurpose.SUMMARISE)

    async def tell(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """What one says that each of some groups of raw episodes came to; nothing where it fails."""
        ask = ScopedModels(self._models, self._scope, None, CallPurpose.SUMMARISE, max_tokens=ANSWER_TOKENS)
        try:
            with anyio.fail_after(self._seconds):
                texts = await compact_asking(groups, ask=ask, zone=self._zone)
        except (BadModelOutput, ProviderUnavailable, BudgetExceeded, TimeoutError):
            return [None] * len(groups)
        return [Story(text=text, model=ask.model, prompt=ask.version) if text else None for text in texts]

    async def propose(self, deeds: Sequence[Deed], known: Sequence[str], room: int) -> Proposed:
        """What one proposes, recounted; nothing where none is there, or it fails."""
        if not self._models.available(CallPurpose.DETECT):
            return Proposed()
        ask = ScopedModels(self._models, self._scope, None, CallPurpose.DETECT, max_tokens=ANSWER_TOKENS)
        try:
            with anyio.fail_after(self._seconds):
                patterns, refusals = await detect_asking(deeds, ask, known=known, limit=room)
        except (ProviderUnavailable, BudgetExceeded, TimeoutError) as error:
            return Proposed(refusals=[Refusal(quote="", reason=f"no model was asked: {error or 'it took too long'}")])
        except BadModelOutput as error:
            return Proposed(refusals=[Refusal(quote="", reason=str(error))])
        return Proposed(patterns=patterns, refusals=refusals, engine=f"{ASKING} {ask.version}".strip(), model=ask.model)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setting:
    """Which night of which scope, by which measures."""

    scope: Scope
    night: Night
    before: Night | None
    zone: tzinfo
    room: Room
    keeping: Keeping


class _ElsewhereError(Conflict):
    """Another process has come further with a night; any other conflict is a failure of its step."""


_ENDING = (_ElsewhereError, StoreUnavailable)
"""What ends a night: all that would follow fails, too."""


class _RehearsedError(Exception):
    """Ends a transaction in which something was tried, so that nothing of it is kept."""

    def __init__(self, rehearsal: "_Rehearsal") -> None:
        super().__init__()
        self.rehearsal = rehearsal


class _OnStage(Stage):
    """What both ways of doing a night have in common: a step that fails, or a part of one, stops nothing else."""

    may_halve = True

    def __init__(self, setting: _Setting) -> None:
        self.scope = setting.scope
        self.night = setting.night
        self.before = setting.before
        self.zone = setting.zone
        self.room = setting.room
        self.keeping = setting.keeping
        self._step = Step.RETAIN
        self._causes: list[str] = []

    async def do(self, step: Step) -> None:
        """One step, once more where it failed before; what fails of it is noted by the kind of its error.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
            StoreError: the store is away.
        """
        self._step, self._causes = step, []
        await self._try(partial(STEPS[step], self))
        if self._causes or step in self.night.failed:
            # A message might quote what is stored.
            cause = f"{', '.join(sorted(set(self._causes)))}"
            cause += f", {len(self._causes)} times" if len(self._causes) > 1 else ""
            await self.write(_ended(failed(step, cause) if self._causes else ""))

    async def each(self, items: Sequence[T], work: Callable[[Writing, Sequence[T]], Awaitable[Counted]]) -> None:
        """See `Stage.each`."""
        waiting = [items]
        while waiting:
            some = waiting.pop()

            async def part(writing: Writing, some: Sequence[T] = some, is_last: bool = not waiting) -> Counted:
                counted = await work(writing, some)
                return replace(counted, done=counted.done and is_last)

            if self._may_halve(some):
                try:
                    await self.write(part)
                except _ENDING:
                    raise
                except Exception:
                    middle = len(some) // 2
                    waiting += [some[middle:], some[:middle]]
            else:
                await self._try(partial(self.write, part))

    def _may_halve(self, some: Sequence[object]) -> bool:
        """Whether what fails is looked for: where everything fails, that is known after some."""
        return self.may_halve and len(some) > 1 and len(self._causes) < MOST_CAUSES

    async def _try(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do some work; where it fails, that is noted, unless nothing more can be done of this night."""
        try:
            await work()
        except _ENDING:
            raise
        except Exception as error:
            _LOG.warning("the nightly run of %s: %s failed: %s", self.scope, self._step, type(error).__name__)
            _LOG.debug("a part of a nightly run failed", exc_info=error)
            self._causes.append(type(error).__name__)


class _InEarnest(_OnStage):
    """See `Stage`: each write is a transaction of its own, and is done where the night still stands at that step."""

    def __init__(
        self,
        setting: _Setting,
        desk: Desk,
        asked: _Asked,
        told: Told,
    ) -> None:
        super().__init__(setting)
        self._desk = desk
        self._told = told
        self._asked = asked
        self.tells = asked.tells
        # As the store has it: the steps after its last one, up to the night's own, had nothing to do.
        self._stored = setting.night

    async def do(self, step: Step) -> None:
        """See `_OnStage.do`; a step that had nothing more to write is done, and the next one that writes says so."""
        await super().do(step)
        for cause in self._causes:
            self._desk.rules.meter.failed(step, cause)
        if self.night.step is not _later(self.night.step, step):
            self.night = replace(self.night, step=step)
            self._told(self.scope, step, 0)

    async def end(self) -> None:
        """Nothing is left of the night, unless something failed and may be tried again.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
        """
        self._step = tuple(Step)[-1]
        async with self._writing() as (writing, found):
            is_over = not found.failures or found.tries >= MOST_TRIES
            night = replace(found, step=self._step, ended_at=writing.now if is_over else None)
            if is_over:
                await writing.note(night, action="nightly", kind="night", count=sum(night.counts.values()))
            else:
                await writing.note(night)
        self.night = night

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """See `Stage.read`."""
        return await self._desk.read(work)

    async def write(self, work: Work) -> Counted:
        """See `Stage.write`.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
        """
        step = self._step
        async with self._writing() as (writing, found):
            counted = await work(writing)
            night = self._after(found, counted)
            await writing.note(night)
        self.night = self._stored = night
        self._told(self.scope, step, sum(counted.counts.values()))
        return counted

    @asynccontextmanager
    async def _writing(self) -> AsyncGenerator[tuple[Writing, Night], None]:
        """A transaction, and the night as it is stored.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
        """
        stored = self._stored
        async with self._desk.write() as writing:
            found = await writing.tx.nights.find(self.night.day)
            if found is None or found.step is not stored.step or found.failures != stored.failures or found.ended_at:
                raise _ElsewhereError(f"the nightly run for {self.night.day} is under way in another process")
            yield writing, found

    async def propose(self, deeds: Sequence[Deed], known: Sequence[str], room: int) -> Proposed:
        """See `Stage.propose`."""
        return await self._asked.propose(deeds, known, room)

    async def tell(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """See `Stage.tell`."""
        return await self._asked.tell(groups)

    def _after(self, found: Night, counted: Counted) -> Night:
        notes = [note for note in found.notes if not is_failed(note, self._step)]
        notes = (*counted.failures, *notes, *counted.notes)[:MOST_NOTES]
        night = replace(
            found,
            step=_later(self.night.step, self._step if counted.done else None),
            notes=notes,
            tries=self.night.tries,
        )
        counts = Counter({name: count for name, count in found.counts.items() if name != FAILED_STEPS})
        counts += Counter(counted.counts) + Counter({FAILED_STEPS: len(night.failed)})
        return replace(night, counts=dict(sorted(counts.items())))


class _Rehearsal(_OnStage):
    """See `Stage`: everything is done in one transaction, and no model is asked."""

    tells = False
    # What was done of the whole is not taken back here.
    may_halve = False

    def __init__(self, setting: _Setting, writing: Writing) -> None:
        super().__init__(setting)
        self._writing = writing
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """See `Stage.read`."""
        return await work(self._writing.tx)

    async def write(self, work: Work) -> Counted:
        """See `Stage.write`."""
        counted = await work(self._writing)
        self.counts.update(counted.counts)
        self.counts[FAILED_STEPS] += len(counted.failures)
        self.notes += [*counted.failures, *(f"would be observed: {text}" for text in counted.observed), *counted.notes]
        return counted

    async def propose(self, deeds: Sequence[Deed], known: Sequence[str], room: int) -> Proposed:
        """See `Stage.propose`."""
        return Proposed()

    async def tell(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """See `Stage.tell`."""
        return [None] * len(groups)


def _ended(failure: str) -> Work:
    """What tells that a step is done, and what failed of it."""

    async def work(_: Writing) -> Counted:
        return Counted(failures=[failure] if failure else ())

    return work


def _later(one: Step | None, other: Step | None) -> Step | None:
    """The later of two steps."""
    steps = (None, *Step)
    return max(one, other, key=steps.index)


async def _nights(tx: Tx, day: date) -> tuple[Night | None, Night | None]:
    """The run for a day, and the one before it, where that did all that it had to."""
    before = await tx.nights.latest(before=day)
    whole = before is not None and before.ended_at is not None and FAILED_STEPS not in before.counts
    return await tx.nights.find(day), before if whole else None
