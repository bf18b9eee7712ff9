"""The context in which the steps of a maintenance run work, either live or as a dry run."""

import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from functools import partial
from typing import Any, TypeAlias, TypeVar

from remembrancer.errors import Conflict, StoreUnavailable
from remembrancer.jobs.maintenance.models import MaintenanceModels, Proposals
from remembrancer.learn.compact.records import Story
from remembrancer.learn.rules import Room
from remembrancer.storage.tx import Tx
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.jobs import (
    FAILED_STEPS,
    MOST_TRIES,
    MaintenanceRun,
    MaintenanceStep,
    failure_note,
    is_failure_note,
)
from remembrancer.types.pattern import BehaviourEvent
from remembrancer.types.record import Episode
from remembrancer.types.scope import Scope

MAX_NOTES = 20
# After so many failures in one step, the remaining items are written together or not at all.
MAX_FAILURES = 20
T = TypeVar("T")
_LOG = logging.getLogger(__name__)

ProgressCallback = Callable[[Scope, MaintenanceStep, int], None]
"""A callback that receives a scope, a step, and the number of items done since the last call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgingPolicy:
    """The rules by which memories lose importance and are archived.

    Args:
        decay: importance lost per day, in [0, 1]; 0 turns decay off.
        by_access: whether decay counts from the last read.
        observations, reflections: maximum number of active derived ones in a scope; the lowest scores are archived.
        unread_days: days without a read after which a memory is archived.
        faded: importance below which observations older than `faded_days` are archived.
    """

    decay: float = 0.01
    by_access: bool = True
    observations: int = 1_000
    reflections: int = 100
    unread_days: int = 90
    faded: float = 0.1
    faded_days: int = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """The result of some work of a step.

    Args:
        counts: by name.
        notes: for a person to read.
        observed: the texts of new observations.
        failures: listed before all notes.
        done: whether the step is complete.
    """

    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: Sequence[str] = ()
    observed: Sequence[str] = ()
    failures: Sequence[str] = ()
    done: bool = True


StepWork: TypeAlias = Callable[[WriteTransaction], Awaitable[StepResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """One run of one scope and the rules that apply to it.

    Args:
        before: the previous run, if it was complete.
    """

    scope: Scope
    night: MaintenanceRun
    before: MaintenanceRun | None
    zone: tzinfo
    room: Room
    aging: AgingPolicy


class RunningElsewhereError(Conflict):
    """Another process has advanced the same run; any other conflict is a failure of a step."""


_FATAL = (RunningElsewhereError, StoreUnavailable)
"""Errors that end a run, since all later steps would fail, too."""


class StepContext(ABC):
    """The context of one maintenance run of one scope.

    A failure of a step, or of some of its items, is noted and stops nothing else.

    Attributes:
        before: the previous run, if it was complete.
        can_summarise: whether a model summarises groups of episodes.
    """

    can_summarise = False
    isolates_failures = True

    def __init__(self, settings: RunSettings) -> None:
        self.scope = settings.scope
        self.night = settings.night
        self.before = settings.before
        self.zone = settings.zone
        self.room = settings.room
        self.aging = settings.aging
        self._step = MaintenanceStep.RETAIN
        self._causes: list[str] = []

    @abstractmethod
    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """Return the result of a read, which may await methods of its transaction only."""

    @abstractmethod
    async def write(self, work: StepWork) -> StepResult:
        """Write some work of a step and the record of the run in one transaction.

        Raises:
            Conflict: another process has advanced the same run.
        """

    @abstractmethod
    async def propose(self, deeds: Sequence[BehaviourEvent], known: Sequence[str], limit: int) -> Proposals:
        """Return a model's proposals of patterns in some events, empty without a model.

        Args:
            known: quotes of the patterns that are known.
            limit: maximum number of proposals.
        """

    @abstractmethod
    async def summarise(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """Return a model's summary of each group of raw episodes, `None` without one."""

    async def run_step(self, step: MaintenanceStep, function: Callable[["StepContext"], Awaitable[None]]) -> None:
        """Run a step, again if it failed before; failures are noted by the class of the error.

        Raises:
            Conflict: another process has advanced the same run.
            StoreError: the store is unavailable.
        """
        self._step, self._causes = step, []
        await self._attempt(partial(function, self))
        if self._causes or step in self.night.failed:
            # A message might quote stored text.
            cause = f"{', '.join(sorted(set(self._causes)))}"
            cause += f", {len(self._causes)} times" if len(self._causes) > 1 else ""
            await self.write(_step_end(failure_note(step, cause) if self._causes else ""))

    async def for_each(
        self, items: Sequence[T], work: Callable[[WriteTransaction, Sequence[T]], Awaitable[StepResult]]
    ) -> None:
        """Process items in one transaction; if it fails, process each half in its own, down to the single item.

        So an item that fails stops no other. `work` is called once, with no items, if there are none.
        """
        pending = [items]
        while pending:
            some = pending.pop()

            async def part(
                writer: WriteTransaction, some: Sequence[T] = some, is_last: bool = not pending
            ) -> StepResult:
                result = await work(writer, some)
                return replace(result, done=result.done and is_last)

            if self._may_halve(some):
                try:
                    await self.write(part)
                except _FATAL:
                    raise
                except Exception:
                    middle = len(some) // 2
                    pending += [some[middle:], some[:middle]]
            else:
                await self._attempt(partial(self.write, part))

    def _may_halve(self, some: Sequence[object]) -> bool:
        """Return True if failing items are to be isolated, which is pointless when everything fails."""
        return self.isolates_failures and len(some) > 1 and len(self._causes) < MAX_FAILURES

    async def _attempt(self, work: Callable[[], Awaitable[object]]) -> None:
        """Do some work and note its failure, unless the failure ends the run."""
        try:
            await work()
        except _FATAL:
            raise
        except Exception as error:
            _LOG.warning("the nightly run of %s: %s failed: %s", self.scope, self._step, type(error).__name__)
            _LOG.debug("a part of a nightly run failed", exc_info=error)
            self._causes.append(type(error).__name__)


class LiveContext(StepContext):
    """The context of a live run: each write is a transaction, made only if the stored run is at the same step."""

    def __init__(
        self, settings: RunSettings, unit: UnitOfWork, models: MaintenanceModels, progress: ProgressCallback
    ) -> None:
        super().__init__(settings)
        self._unit = unit
        self._progress = progress
        self._models = models
        self.can_summarise = models.can_summarise
        # The stored run may be behind `night`: steps without work are not written.
        self._stored = settings.night

    async def run_step(self, step: MaintenanceStep, function: Callable[[StepContext], Awaitable[None]]) -> None:
        """Run a step; one without work is recorded with the next write of a later step.

        Raises:
            Conflict: another process has advanced the same run.
            StoreError: the store is unavailable.
        """
        await super().run_step(step, function)
        for cause in self._causes:
            self._unit.rules.meter.failed(step, cause)
        if self.night.step is not _later(self.night.step, step):
            self.night = replace(self.night, step=step)
            self._progress(self.scope, step, 0)

    async def finish(self) -> None:
        """Record the end of the run, or leave it open if a failed step is to be retried.

        Raises:
            Conflict: another process has advanced the same run.
        """
        self._step = tuple(MaintenanceStep)[-1]
        async with self._transaction() as (writer, stored):
            is_over = not stored.failures or stored.tries >= MOST_TRIES
            night = replace(stored, step=self._step, ended_at=writer.now if is_over else None)
            if is_over:
                await writer.put(night, action="nightly", kind="night", count=sum(night.counts.values()))
            else:
                await writer.put(night)
        self.night = night

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """See `StepContext.read`."""
        return await self._unit.read(work)

    async def write(self, work: StepWork) -> StepResult:
        """See `StepContext.write`."""
        step = self._step
        async with self._transaction() as (writer, stored):
            result = await work(writer)
            night = self._advance(stored, result)
            await writer.put(night)
        self.night = self._stored = night
        self._progress(self.scope, step, sum(result.counts.values()))
        return result

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[tuple[WriteTransaction, MaintenanceRun], None]:
        """Open a write transaction and yield it with the stored run.

        Raises:
            Conflict: another process has advanced the same run.
        """
        expected = self._stored
        async with self._unit.write() as writer:
            stored = await writer.tx.maintenance_runs.find(self.night.day)
            if (
                stored is None
                or stored.step is not expected.step
                or stored.failures != expected.failures
                or stored.ended_at
            ):
                raise RunningElsewhereError(f"another process is doing the nightly run for {self.night.day}")
            yield writer, stored

    async def propose(self, deeds: Sequence[BehaviourEvent], known: Sequence[str], limit: int) -> Proposals:
        """See `StepContext.propose`."""
        return await self._models.propose(deeds, known, limit)

    async def summarise(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """See `StepContext.summarise`."""
        return await self._models.summarise(groups)

    def _advance(self, stored: MaintenanceRun, result: StepResult) -> MaintenanceRun:
        notes = [note for note in stored.notes if not is_failure_note(note, self._step)]
        notes = (*result.failures, *notes, *result.notes)[:MAX_NOTES]
        night = replace(
            stored,
            step=_later(self.night.step, self._step if result.done else None),
            notes=notes,
            tries=self.night.tries,
        )
        counts = Counter({name: count for name, count in stored.counts.items() if name != FAILED_STEPS})
        counts += Counter(result.counts) + Counter({FAILED_STEPS: len(night.failed)})
        return replace(night, counts=dict(sorted(counts.items())))


class DryRunContext(StepContext):
    """The context of a dry run: all steps share one transaction, and no model is called."""

    # A failed part cannot be rolled back on its own.
    isolates_failures = False

    def __init__(self, settings: RunSettings, writer: WriteTransaction) -> None:
        super().__init__(settings)
        self._writer = writer
        self.counts: Counter[str] = Counter()
        self.notes: list[str] = []

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """See `StepContext.read`."""
        return await work(self._writer.tx)

    async def write(self, work: StepWork) -> StepResult:
        """See `StepContext.write`."""
        result = await work(self._writer)
        self.counts.update(result.counts)
        self.counts[FAILED_STEPS] += len(result.failures)
        self.notes += [*result.failures, *(f"would be observed: {text}" for text in result.observed), *result.notes]
        return result

    async def propose(self, deeds: Sequence[BehaviourEvent], known: Sequence[str], limit: int) -> Proposals:
        """See `StepContext.propose`."""
        return Proposals()

    async def summarise(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """See `StepContext.summarise`."""
        return [None] * len(groups)


def _step_end(failure: str) -> StepWork:
    """Return work that records the end of a step with its failure."""

    async def work(_: WriteTransaction) -> StepResult:
        return StepResult(failures=[failure] if failure else ())

    return work


def _later(one: MaintenanceStep | None, other: MaintenanceStep | None) -> MaintenanceStep | None:
    """Return the later of two steps."""
    steps = (None, *MaintenanceStep)
    return max(one, other, key=steps.index)
