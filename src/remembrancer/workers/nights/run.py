"""Running the nights of one open store, and rehearsing them."""

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, tzinfo
from functools import partial
from typing import Any

import anyio

from remembrancer.engines.asking.compactor import compact_asking
from remembrancer.engines.asking.detector import detect_asking
from remembrancer.errors import (
    BadModelOutput,
    BudgetExceeded,
    Conflict,
    ProviderUnavailable,
    StoreError,
)
from remembrancer.governance import procedures
from remembrancer.governance.compacting import Story
from remembrancer.governance.desk import Desk, Desks
from remembrancer.governance.procedures import Refused, Room
from remembrancer.governance.rules import Rules
from remembrancer.governance.writing import Writing
from remembrancer.model.call import CallPurpose
from remembrancer.model.caller import Caller
from remembrancer.model.episode import Tier
from remembrancer.model.lifecycle import Status
from remembrancer.model.night import FAILED_STEPS, Night, Preview, Step, failed, night_of
from remembrancer.model.pattern import Deed, Refusal
from remembrancer.model.record import Episode
from remembrancer.model.scope import Scope
from remembrancer.ports.tx import Tx
from remembrancer.workers.asking import Asker, Models
from remembrancer.workers.lending import lend
from remembrancer.workers.nights.compacting import compact
from remembrancer.workers.nights.learning import consolidate, observe, promote
from remembrancer.workers.nights.retaining import retain
from remembrancer.workers.nights.stage import Counted, Keeping, Proposed, Stage, Work
from remembrancer.workers.nights.standing import stand

ASKING = "asking-detector"
ANSWER_TOKENS = 4_000
MOST_NOTES = 20
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

        After an outage of days this is the one that catches up. A step that fails stops none of the others: it is
        noted, and the next night does it again.

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
        asked = _Asked(self._models, scope, zone=self._zone(scope.tenant), seconds=self._seconds)
        stage = _InEarnest(self._set(scope, night, before), desk, asked, told)
        for step in night.left:
            await stage.do(step)
        if scope == Scope(tenant=scope.tenant, project=scope.project):
            await lend(desk)
        return stage.night

    async def due(self, scope: Scope) -> bool:
        """Whether the run of a scope for its last local day is not done yet."""
        night = await self._desk(scope).read(lambda tx: tx.nights.find(self.day(scope.tenant)))
        return night is None or night.ended_at is None

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
            left=rehearsal.night.left,
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
        ask = Asker(self._models, self._scope, None, CallPurpose.SUMMARISE, max_tokens=ANSWER_TOKENS)
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
        ask = Asker(self._models, self._scope, None, CallPurpose.DETECT, max_tokens=ANSWER_TOKENS)
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


class _RehearsedError(Exception):
    """Ends a transaction in which something was tried, so that nothing of it is kept."""

    def __init__(self, rehearsal: "_Rehearsal") -> None:
        super().__init__()
        self.rehearsal = rehearsal


class _OnStage:
    """What both ways of doing a night have in common."""

    def __init__(self, setting: _Setting) -> None:
        self.scope = setting.scope
        self.night = setting.night
        self.before = setting.before
        self.zone = setting.zone
        self.room = setting.room
        self.keeping = setting.keeping


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
        # The last step that the store knows to be done: those after it, up to the night's own, had nothing to do.
        self._stored = setting.night.step
        self._step = Step.RETAIN

    async def do(self, step: Step) -> None:
        """One step; one that had nothing more to write is done, and the next one that writes says so.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
            StoreError: the store is away.
        """
        self._step = step
        try:
            await STEPS[step](self)
        except (_ElsewhereError, StoreError):
            raise
        except Exception as error:
            _LOG.warning("the nightly run of %s: %s failed: %s", self.scope, step, type(error).__name__)
            _LOG.debug("a step of a nightly run failed", exc_info=error)
            await self.write(_failing(step, error))
        if self.night.step is not step:
            self.night = replace(self.night, step=step)
            self._told(self.scope, step, 0)

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """See `Stage.read`."""
        return await self._desk.read(work)

    async def write(self, work: Work) -> Counted:
        """See `Stage.write`.

        Raises:
            Conflict: somebody else has come further with this night meanwhile.
        """
        step = self._step
        async with self._desk.write() as writing:
            found = await writing.tx.nights.find(self.night.day)
            if found is None or found.step is not self._stored or found.ended_at is not None:
                raise _ElsewhereError(f"the nightly run for {self.night.day} is under way in another process")
            counted = await work(writing)
            night = self._after(found, counted, writing)
            if night.ended_at is None:
                await writing.note(night)
            else:
                await writing.note(night, action="nightly", kind="night", count=sum(night.counts.values()))
        self.night, self._stored = night, night.step
        self._told(self.scope, step, sum(counted.counts.values()))
        return counted

    async def propose(self, deeds: Sequence[Deed], known: Sequence[str], room: int) -> Proposed:
        """See `Stage.propose`."""
        return await self._asked.propose(deeds, known, room)

    async def tell(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """See `Stage.tell`."""
        return await self._asked.tell(groups)

    def _after(self, found: Night, counted: Counted, writing: Writing) -> Night:
        counts = Counter(found.counts) + Counter(counted.counts)
        return replace(
            found,
            step=self._step if counted.done else self.night.step,
            counts=dict(sorted(counts.items())),
            notes=(*counted.failures, *found.notes, *counted.notes)[:MOST_NOTES],
            ended_at=writing.now if counted.done and self._step is tuple(Step)[-1] else None,
        )


class _Rehearsal(_OnStage):
    """See `Stage`: everything is done in one transaction, and no model is asked."""

    tells = False

    def __init__(self, setting: _Setting, writing: Writing) -> None:
        super().__init__(setting)
        self._writing = writing
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    async def do(self, step: Step) -> None:
        """One step; what would fail is noted.

        Raises:
            StoreError: the store is away.
        """
        try:
            await STEPS[step](self)
        except StoreError:
            raise
        except Exception as error:
            await self.write(_failing(step, error))

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """See `Stage.read`."""
        return await work(self._writing.tx)

    async def write(self, work: Work) -> Counted:
        """See `Stage.write`."""
        counted = await work(self._writing)
        self.counts.update(counted.counts)
        self.notes += [*counted.failures, *(f"would be observed: {text}" for text in counted.observed), *counted.notes]
        return counted

    async def propose(self, deeds: Sequence[Deed], known: Sequence[str], room: int) -> Proposed:
        """See `Stage.propose`."""
        return Proposed()

    async def tell(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """See `Stage.tell`."""
        return [None] * len(groups)


def _failing(step: Step, error: Exception) -> Work:
    """What tells of a step that failed, by the kind of its error: a message might quote what is stored."""

    async def work(_: Writing) -> Counted:
        return Counted(counts={FAILED_STEPS: 1}, failures=[failed(step, type(error).__name__)])

    return work


async def _nights(tx: Tx, day: date) -> tuple[Night | None, Night | None]:
    """The run for a day, and the one before it, where that did all that it had to."""
    before = await tx.nights.latest(before=day)
    whole = before is not None and before.ended_at is not None and FAILED_STEPS not in before.counts
    return await tx.nights.find(day), before if whole else None
