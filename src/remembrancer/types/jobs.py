"""Background work: jobs, due work, nightly runs, requests that run once, faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from remembrancer.types.scope import Scope
from remembrancer.types.times import backoff

HEARTBEAT_TIMEOUT = timedelta(minutes=2)


class JobWork(StrEnum):
    """What a job does."""

    IMPORT = "import"
    NIGHTLY = "nightly"
    EMBED = "embed"
    REEMBED = "reembed"
    REINDEX = "reindex"


class JobState(StrEnum):
    """How a job stands; `lost` is one whose process has died."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job: long work, begun by a request that did not wait for its end.

    Args:
        done: how much of it is done, in pieces of its own kind.
        counts: what came of it, in numbers.
        failure: the code of the error that ended it, or `""`.
        told: the same in words, without the text of any memory.
        cancelled: whether somebody has asked for its end.
        beat_at: when its process last said how far it is.
    """

    id: str
    scope: Scope
    work: JobWork
    state: JobState = JobState.RUNNING
    done: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    failure: str = ""
    told: str = ""
    cancelled: bool = False
    started_at: datetime
    beat_at: datetime
    ended_at: datetime | None = None

    def state_at(self, now: datetime) -> JobState:
        """How the job stands: one that has long been silent is lost."""
        is_silent = self.state is JobState.RUNNING and now > self.beat_at + HEARTBEAT_TIMEOUT
        return JobState.LOST if is_silent else self.state


# More tokens than there will ever be, in what every database takes for a whole number.
NEVER = 2**62


class Purpose(StrEnum):
    """What a worker's work is for."""

    EMBED = "embed"
    STALE_SESSIONS = "stale-sessions"
    REEMBED = "reembed"
    OBSERVE = "observe"
    REFLECT = "reflect"
    NIGHTLY = "nightly"


@dataclass(frozen=True, slots=True, kw_only=True)
class DueWork:
    """Work that a tenant has waiting, or the whole store (tenant `""`), derived from what is stored."""

    tenant: str
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """From when on a sweep finds something due.

    Args:
        stale_before: sessions without activity since then are over.
        chunk_tokens: so many tokens of messages wait to be observed.
        by_scope: whether they count over all sessions of an exact scope, or in one.
        log_tokens: so many tokens stand in a log, and it is reflected on,
        fresh_tokens: where so many of them came since the last time.
        night: the local day, as ISO text, whose nightly run is to be done; `""` for none.
    """

    stale_before: datetime
    chunk_tokens: int = NEVER
    by_scope: bool = False
    log_tokens: int = NEVER
    fresh_tokens: int = NEVER
    night: str = ""


NIGHTLY_AT = time(2, 14)
FAILED_STEPS = "failed steps"
MOST_TRIES = 6
"""A night is begun so often at most by the background; the next one does what is left."""
FAILED = "failed: "
"""How a note of a night on a step that failed begins."""
# Seconds after the first try and, at most, after any later one: the six are within half a day.
_FIRST_SECONDS, _LONGEST_SECONDS = 60.0, 4 * 3_600.0


class MaintenanceStep(StrEnum):
    """What is done at night, in this order."""

    RETAIN = "retain"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CONSOLIDATE = "consolidate"
    DETECT = "detect"
    PROMOTE = "promote"
    STANDING = "standing"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceRun:
    """One scope's run for one local day of its tenant.

    Args:
        step: the last one that is done, or `None` before the first.
        counts: what was done, by name.
        notes: what a person should know of it, such as rules for which there is no room; the first twenty.
        tries: how often it was begun.
        ended_at: `None` while it is under way, or waits to be tried again.
    """

    day: date
    step: MaintenanceStep | None
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: tuple[str, ...] = ()
    tries: int = 1
    started_at: datetime
    ended_at: datetime | None = None

    @property
    def failures(self) -> tuple[str, ...]:
        """The steps of the night that failed, each with its cause."""
        return tuple(note.removeprefix(FAILED) for note in self.notes if note.startswith(FAILED))

    @property
    def failed(self) -> tuple[MaintenanceStep, ...]:
        """The steps of the night that failed."""
        return tuple(MaintenanceStep(failure.partition(":")[0]) for failure in self.failures)

    @property
    def left(self) -> tuple[MaintenanceStep, ...]:
        """The steps of the night still to be done, in their order; those that failed are done again."""
        if self.ended_at is not None:
            return ()
        steps = tuple(MaintenanceStep)
        done = 0 if self.step is None else steps.index(self.step) + 1
        return tuple(step for at, step in enumerate(steps) if at >= done or step in self.failed)

    @property
    def next_try_at(self) -> datetime | None:
        """When the background begins the night again, each time later; `None` where it does not."""
        if self.ended_at is not None or self.tries >= MOST_TRIES:
            return None
        waited = backoff(self.tries, first=_FIRST_SECONDS, longest=_LONGEST_SECONDS)
        return self.started_at + timedelta(seconds=waited)

    def is_due(self, now: datetime) -> bool:
        """Return True if the background is to begin the night again: six times at most."""
        return self.next_try_at is not None and now >= self.next_try_at


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenancePreview:
    """What a night would do, were it run now.

    Args:
        left: the steps of it that are not done yet.
        counts: what they would do, by name, as the counts of a night.
        notes: what a person should know of it.
    """

    day: date
    left: tuple[MaintenanceStep, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def failure_note(step: MaintenanceStep, cause: str) -> str:
    """The note of a night on a step that failed, or of which a part did."""
    return f"{FAILED}{step}: {cause}"


def is_failure_note(note: str, step: MaintenanceStep) -> bool:
    """Return True if a note of a night says that a step failed."""
    return note.startswith(f"{FAILED}{step}: ")


def due_day(now: datetime, zone: tzinfo) -> date:
    """The local day whose night is the last that is due: it begins at 02:14 of that day.

    Where 02:14 does not exist, the run begins with the next minute that does; where it comes twice, with the first.
    """
    local = now.astimezone(zone)
    return local.date() if now >= maintenance_start(local.date(), zone) else local.date() - timedelta(days=1)


def maintenance_start(day: date, zone: tzinfo) -> datetime:
    """When the night of a local day begins."""
    wall = datetime.combine(day, NIGHTLY_AT, zone)
    # A wall time that a change of the clock leaves out reads differently once it went to UTC and back.
    gap = wall.astimezone(UTC).astimezone(zone)
    if gap.replace(tzinfo=None) == wall.replace(tzinfo=None):
        return wall
    return _first_after(wall, zone)


def _first_after(wall: datetime, zone: tzinfo) -> datetime:
    """The next whole minute after a wall time that exists."""
    while True:
        wall += timedelta(minutes=1)
        there = wall.astimezone(UTC).astimezone(zone)
        if there.replace(tzinfo=None) == wall.replace(tzinfo=None):
            return wall


RESPONSE_LIFETIME = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """A request that came with an idempotency key, and what it was answered.

    Args:
        key: a fingerprint of the idempotency key.
        request: a fingerprint of what was asked.
        status: as HTTP numbers it; 0 while it runs.
        body: the answer as it was sent.
        at: when it began, or was answered.
    """

    key: str
    request: str
    status: int = 0
    body: str = ""
    at: datetime

    def runs(self, now: datetime, runs_for: timedelta) -> bool:
        """Whether the request is still at work, rather than left by a process that died."""
        return not self.status and now < self.at + runs_for


class StoreFault(StrEnum):
    """What may be wrong with a store."""

    ORPHAN_VECTOR = "orphan-vector"
    MISSING_INDEX_ROW = "missing-index-row"
    ORPHAN_INDEX_ROW = "orphan-index-row"
    WRONG_HASH = "wrong-hash"
    BROKEN_EVIDENCE = "broken-evidence"
    NUMBER_GAP = "number-gap"
    HALF_BUILT_GENERATION = "half-built-generation"
    MISSING_VECTOR = "missing-vector"
    DAMAGED_POSTINGS = "damaged-postings"
    DAMAGED_FILE = "damaged-file"
    LAGGING_VECTOR_INDEX = "lagging-vector-index"
    FOREIGN_ANALYSER = "foreign-analyser"
    FAILING_NIGHTS = "failing-nights"
    FUTURE_NIGHT = "future-night"
    FUTURE_TIME = "future-time"
    MODEL_LEFT_ALONE = "model-left-alone"
    DAMAGED_TEXT = "damaged-text"
    LOST_ROWS = "lost-rows"
    FOREIGN_ROWS = "foreign-rows"
    ORPHAN_ROWS = "orphan-rows"
    BROKEN_CHAIN = "broken-chain"
    UNFINISHED_ERASURE = "unfinished-erasure"


REPAIRABLE = frozenset(
    {StoreFault.ORPHAN_VECTOR, StoreFault.ORPHAN_INDEX_ROW, StoreFault.MISSING_VECTOR, StoreFault.FUTURE_NIGHT}
)
"""What a store mends by itself, row by row."""
ACCEPTABLE = frozenset({StoreFault.LOST_ROWS, StoreFault.FOREIGN_ROWS, StoreFault.NUMBER_GAP})
"""What a person may take as it is, so that it is told no more."""


MOST_LISTED = 1_000
"""A finding names so many places at most; those after them are found once these are mended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One fault and where it is: ids of records, document numbers as text, or names of models; never content."""

    fault: StoreFault
    where: tuple[str, ...]
