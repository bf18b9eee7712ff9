"""The runner of the nightly maintenance of an open store, live and as a dry run."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import date, tzinfo
from functools import partial

from remembrancer.jobs.maintenance.aging import retain, update_scores
from remembrancer.jobs.maintenance.compaction import compact
from remembrancer.jobs.maintenance.context import (
    MAX_NOTES,
    AgingPolicy,
    DryRunContext,
    LiveContext,
    ProgressCallback,
    RunSettings,
    StepContext,
)
from remembrancer.jobs.maintenance.models import MaintenanceModels
from remembrancer.jobs.maintenance.patterns import consolidate, detect, promote
from remembrancer.learn import rules as learned_rules
from remembrancer.learn.rules import Refused, Room
from remembrancer.llm.models import Models
from remembrancer.privacy.transfers import update_copies
from remembrancer.storage.tx import Tx
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.episode import Tier
from remembrancer.types.jobs import FAILED_STEPS, MaintenancePreview, MaintenanceRun, MaintenanceStep, due_day
from remembrancer.types.lifecycle import Status
from remembrancer.types.scope import Scope

STEPS: Mapping[MaintenanceStep, Callable[[StepContext], Awaitable[None]]] = {
    MaintenanceStep.RETAIN: retain,
    MaintenanceStep.WEEKLY: partial(compact, tier=Tier.WEEKLY),
    MaintenanceStep.MONTHLY: partial(compact, tier=Tier.MONTHLY),
    MaintenanceStep.CONSOLIDATE: consolidate,
    MaintenanceStep.DETECT: detect,
    MaintenanceStep.PROMOTE: promote,
    MaintenanceStep.SCORES: update_scores,
}
_MODEL_NOTES = (
    (MaintenanceStep.WEEKLY, CallPurpose.SUMMARISE, "a model may summarise weeks and months; it was not called"),
    (MaintenanceStep.DETECT, CallPurpose.DETECT, "a model may propose more patterns; it was not called"),
)


def no_progress(_scope: Scope, _step: MaintenanceStep, _done: int) -> None:
    """Ignore progress."""


class MaintenanceRunner:
    """The nightly maintenance runs of one open store.

    Args:
        zone: time zone of all tenants except those in `zones`; it defines their days, weekdays and hours.
        room: returns the limits of number and length for the rules of an agent.
        models: propose patterns and summarise episodes, if configured.
        seconds: maximum time of a model call for one scope.

    Attributes:
        failing_scopes: the scopes whose last run in this process had a failed step.
    """

    def __init__(
        self,
        units: UnitsOfWork,
        rules: Dependencies,
        *,
        zone: tzinfo,
        zones: Mapping[str, tzinfo] | None = None,
        room: Callable[[Scope], Room] = lambda _: Room(),
        aging: AgingPolicy | None = None,
        models: Models | None = None,
        seconds: float = 300.0,
    ) -> None:
        self._units = units
        self._rules = rules
        self._zones = zones or {}
        self._default_zone = zone
        self._room = room
        self._aging = aging or AgingPolicy()
        self._models = models or Models(units, {}, rules)
        self._seconds = seconds
        self.failing_scopes = set[Scope]()

    def zone(self, tenant: str) -> tzinfo:
        """Return the time zone of a tenant."""
        return self._zones.get(tenant, self._default_zone)

    def due_day(self, tenant: str) -> date:
        """Return the latest local day of a tenant whose run is due."""
        return due_day(self._rules.clock.now(), self.zone(tenant))

    def latest_due_day(self) -> date:
        """Return the latest local day of any tenant whose run is due."""
        return max(due_day(self._rules.clock.now(), zone) for zone in (self._default_zone, *self._zones.values()))

    async def run(
        self, scope: Scope, *, by: Caller | None = None, progress: ProgressCallback = no_progress
    ) -> MaintenanceRun:
        """Run the steps that are left of a scope's run for the latest due day.

        After an outage of days one run catches up. A step that fails, or a part of one, stops no other: it is noted,
        and done again later that day and in the next run.

        Args:
            by: the caller for the audit log; `None` for the engine.

        Raises:
            Conflict: another process is doing this run.
        """
        unit, day = self._units(scope).on_behalf(by), self.due_day(scope.tenant)
        async with unit.write() as writer:
            night, before = await _stored_runs(writer.tx, day)
            if night is None:
                night = MaintenanceRun(day=day, step=None, started_at=writer.now)
                await writer.put(night)
            elif night.ended_at is None:
                night = replace(night, tries=night.tries + 1)
                await writer.put(night)
        models = MaintenanceModels(self._models, scope, zone=self.zone(scope.tenant), seconds=self._seconds)
        context = LiveContext(self._settings(scope, night, before), unit, models, progress)
        if night.ended_at is None:
            for step in night.left:
                await context.run_step(step, STEPS[step])
            await context.finish()
        self.failing_scopes.discard(scope)
        if context.night.failures:
            self.failing_scopes.add(scope)
        if scope == Scope(tenant=scope.tenant, project=scope.project):
            await update_copies(unit)
        return context.night

    async def is_due(self, scope: Scope) -> bool:
        """Return True if the run of a scope is to be started now, or started again."""
        night = await self._units(scope).read(lambda tx: tx.maintenance_runs.find(self.due_day(scope.tenant)))
        return night is None or night.is_due(self._rules.clock.now())

    async def preview(self, caller: Caller) -> MaintenancePreview:
        """Return what the remaining steps of a run would do now; no model is called.

        The steps run in one transaction that is rolled back, and that blocks other writers while it lasts.
        """
        day = self.due_day(caller.scope.tenant)
        dry_run = await self._dry_run(caller, day)
        left = dry_run.night.left
        notes = [note for step, purpose, note in _MODEL_NOTES if step in left and self._models.available(purpose)]
        return MaintenancePreview(
            day=day,
            left=left,
            counts={name: count for name, count in sorted(dry_run.counts.items()) if count},
            notes=(*dry_run.notes, *notes)[:MAX_NOTES],
        )

    async def _dry_run(self, caller: Caller, day: date) -> DryRunContext:
        try:
            async with self._units(caller.scope).of(caller).write() as writer:
                night, before = await _stored_runs(writer.tx, day)
                night = night or MaintenanceRun(day=day, step=None, started_at=writer.now)
                context = DryRunContext(self._settings(caller.scope, night, before), writer)
                for step in night.left:
                    await context.run_step(step, STEPS[step])
                raise _DryRunEndError(context)
        except _DryRunEndError as end:
            return end.context

    async def refused_rules(self, caller: Caller) -> list[Refused]:
        """Return the observations that would be rules if there were room; nothing is changed."""

        async def work(tx: Tx) -> list[Refused]:
            room = self._room(caller.scope)
            return [
                refused
                for one in await tx.observations.patterns((Status.ACTIVE,))
                if isinstance(refused := await learned_rules.wanting(tx, one, self._rules, room), Refused)
            ]

        return await self._units(caller.scope).of(caller).read(work)

    def _settings(self, scope: Scope, night: MaintenanceRun, before: MaintenanceRun | None) -> RunSettings:
        return RunSettings(
            scope=scope,
            night=night,
            before=before,
            zone=self.zone(scope.tenant),
            room=self._room(scope),
            aging=self._aging,
        )


class _DryRunEndError(Exception):
    """A signal that rolls back the transaction of a dry run."""

    def __init__(self, context: DryRunContext) -> None:
        super().__init__()
        self.context = context


async def _stored_runs(tx: Tx, day: date) -> tuple[MaintenanceRun | None, MaintenanceRun | None]:
    """Return the stored run of a day, and the one before it if that was complete."""
    before = await tx.maintenance_runs.latest(before=day)
    complete = before is not None and before.ended_at is not None and FAILED_STEPS not in before.counts
    return await tx.maintenance_runs.find(day), before if complete else None
