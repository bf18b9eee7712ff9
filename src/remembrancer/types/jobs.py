"""Background work: jobs, due work, maintenance runs, idempotent requests, and faults of a store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from remembrancer.types.scope import Scope
from remembrancer.types.times import backoff

HEARTBEAT_TIMEOUT = timedelta(minutes=2)


class JobWork(StrEnum):
    """Kinds of jobs."""

    IMPORT = "import"
    NIGHTLY = "nightly"
    EMBED = "embed"
    REEMBED = "reembed"
    REINDEX = "reindex"


class JobState(StrEnum):
    """States of a job; the process of a `lost` job has ended."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A long task that runs after the request that started it.

    Args:
        done: the progress, in units of the work.
        counts: the result in numbers.
        failure: the code of the error that ended it, or `""`.
        message: the message of that error, without texts of memories.
        cancelled: whether its cancellation was requested.
        heartbeat_at: the last time that its process reported progress.
    """

    id: str
    scope: Scope
    work: JobWork
    state: JobState = JobState.RUNNING
    done: int = 0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    failure: str = ""
    message: str = ""
    cancelled: bool = False
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None = None

    def state_at(self, now: datetime) -> JobState:
        """Return the state at a time: a job without progress for two minutes is lost."""
        is_silent = self.state is JobState.RUNNING and now > self.heartbeat_at + HEARTBEAT_TIMEOUT
        return JobState.LOST if is_silent else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Work that a process does at present.

    Args:
        name: a keyed hash of the work.
        holder: the process.
        until: the end of the lease, unless the process renews it.
    """

    name: str
    holder: str
    until: datetime


# More tokens than any store has, within the integers of both databases.
NEVER = 2**62


class Purpose(StrEnum):
    """Purposes of background work."""

    EMBED = "embed"
    STALE_SESSIONS = "stale-sessions"
    REEMBED = "reembed"
    OBSERVE = "observe"
    REFLECT = "reflect"
    NIGHTLY = "nightly"


@dataclass(frozen=True, slots=True, kw_only=True)
class DueWork:
    """Work that is due for a tenant, or for the whole store (tenant `""`); derived from the store."""

    tenant: str
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """Thresholds from which work is due.

    Args:
        stale_before: sessions without activity since then are closed.
        chunk_tokens: the number of unobserved tokens from which messages are observed.
        by_scope: whether tokens are counted over all sessions of an exact scope, or in one session.
        log_tokens: the number of tokens from which a log is reflected on.
        fresh_tokens: the number of tokens that must be new since the last reflection.
        night: the local day of the maintenance run that is due, as an ISO string; `""` for none.
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
"""The maximum of attempts of a run in the background; the next run does the remaining steps."""
FAILED = "failed: "
"""The prefix of notes on failed steps."""
# Seconds after the first attempt, and the maximum after a later one: six attempts fit in half a day.
_FIRST_SECONDS, _LONGEST_SECONDS = 60.0, 4 * 3_600.0


class MaintenanceStep(StrEnum):
    """Steps of a maintenance run, in order."""

    RETAIN = "retain"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CONSOLIDATE = "consolidate"
    DETECT = "detect"
    PROMOTE = "promote"
    SCORES = "scores"


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceRun:
    """The maintenance run of a scope for one local day.

    Args:
        step: the last finished step, or `None`.
        counts: the results in numbers, by name.
        notes: notes for a person, such as rules that do not fit; the first twenty.
        tries: the number of attempts.
        ended_at: `None` while it runs or waits for the next attempt.
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
        """The failed steps, each with its cause."""
        return tuple(note.removeprefix(FAILED) for note in self.notes if note.startswith(FAILED))

    @property
    def failed(self) -> tuple[MaintenanceStep, ...]:
        """The failed steps."""
        return tuple(MaintenanceStep(failure.partition(":")[0]) for failure in self.failures)

    @property
    def left(self) -> tuple[MaintenanceStep, ...]:
        """The remaining steps in order, with the failed ones."""
        if self.ended_at is not None:
            return ()
        steps = tuple(MaintenanceStep)
        done = 0 if self.step is None else steps.index(self.step) + 1
        return tuple(step for at, step in enumerate(steps) if at >= done or step in self.failed)

    @property
    def next_try_at(self) -> datetime | None:
        """The time of the next attempt in the background, or `None`."""
        if self.ended_at is not None or self.tries >= MOST_TRIES:
            return None
        delay = backoff(self.tries, first=_FIRST_SECONDS, longest=_LONGEST_SECONDS)
        return self.started_at + timedelta(seconds=delay)

    def is_due(self, now: datetime) -> bool:
        """Return True if the next attempt in the background is due; at most six."""
        return self.next_try_at is not None and now >= self.next_try_at


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenancePreview:
    """The result of a dry run of the maintenance.

    Args:
        left: the remaining steps.
        counts: their results in numbers, by name, as of a run.
        notes: notes for a person.
    """

    day: date
    left: tuple[MaintenanceStep, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def failure_note(step: MaintenanceStep, cause: str) -> str:
    """Return the note on a step that failed, wholly or in part."""
    return f"{FAILED}{step}: {cause}"


def is_failure_note(note: str, step: MaintenanceStep) -> bool:
    """Return True if a note is on the failure of a step."""
    return note.startswith(f"{FAILED}{step}: ")


def due_day(now: datetime, zone: tzinfo) -> date:
    """Return the local day of the latest due run, which starts at 02:14.

    If 02:14 does not exist on that day, it starts at the next existing minute; if it occurs twice, at the first.
    """
    local = now.astimezone(zone)
    return local.date() if now >= maintenance_start(local.date(), zone) else local.date() - timedelta(days=1)


def maintenance_start(day: date, zone: tzinfo) -> datetime:
    """Return the start of the run of a local day."""
    wall = datetime.combine(day, NIGHTLY_AT, zone)
    # A local time skipped by a clock change differs after a conversion to UTC and back.
    converted = wall.astimezone(UTC).astimezone(zone)
    if converted.replace(tzinfo=None) == wall.replace(tzinfo=None):
        return wall
    return _first_after(wall, zone)


def _first_after(wall: datetime, zone: tzinfo) -> datetime:
    """Return the first existing minute after a local time."""
    while True:
        wall += timedelta(minutes=1)
        converted = wall.astimezone(UTC).astimezone(zone)
        if converted.replace(tzinfo=None) == wall.replace(tzinfo=None):
            return wall


RESPONSE_LIFETIME = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """A request with an idempotency key, and its response.

    Args:
        key: a keyed hash of the idempotency key.
        request: a keyed hash of the request.
        status: the HTTP status; 0 while it runs.
        body: the body of the response.
        at: the time of its start or response.
    """

    key: str
    request: str
    status: int = 0
    body: str = ""
    at: datetime

    def runs(self, now: datetime, runs_for: timedelta) -> bool:
        """Return True if the request still runs; after `runs_for` its process is assumed to have ended."""
        return not self.status and now < self.at + runs_for


class StoreFault(StrEnum):
    """Faults of a store."""

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
    REPLICA_NOT_USED = "replica-not-used"
    DATABASE_AWAY = "database-away"
    UNFINISHED_MOVE = "unfinished-move"
    DAMAGED_TEXT = "damaged-text"
    LOST_ROWS = "lost-rows"
    FOREIGN_ROWS = "foreign-rows"
    ORPHAN_ROWS = "orphan-rows"
    BROKEN_CHAIN = "broken-chain"
    UNFINISHED_ERASURE = "unfinished-erasure"


REPAIRABLE = frozenset(
    {StoreFault.ORPHAN_VECTOR, StoreFault.ORPHAN_INDEX_ROW, StoreFault.MISSING_VECTOR, StoreFault.FUTURE_NIGHT}
)
"""Faults that are repaired automatically."""
ACCEPTABLE = frozenset({StoreFault.LOST_ROWS, StoreFault.FOREIGN_ROWS, StoreFault.NUMBER_GAP})
"""Faults that a person may accept, so that they are not reported again."""


MOST_LISTED = 1_000
"""The maximum of places in a finding; the others are reported after these are repaired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A fault with its places: ids of records, numbers of documents, or names of models; never content."""

    fault: StoreFault
    where: tuple[str, ...]
