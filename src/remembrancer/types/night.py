"""The nightly run of a scope: which steps it has, how far one day's has come, and when it is due."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from remembrancer.types.backoff import backoff

NIGHTLY_AT = time(2, 14)
FAILED_STEPS = "failed steps"
MOST_TRIES = 6
"""A night is begun so often at most by the background; the next one does what is left."""
FAILED = "failed: "
"""How a note of a night on a step that failed begins."""
# Seconds after the first try and, at most, after any later one: the six are within half a day.
_FIRST_SECONDS, _LONGEST_SECONDS = 60.0, 4 * 3_600.0


class Step(StrEnum):
    """What is done at night, in this order."""

    RETAIN = "retain"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CONSOLIDATE = "consolidate"
    DETECT = "detect"
    PROMOTE = "promote"
    STANDING = "standing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One scope's run for one local day of its tenant.

    Args:
        step: the last one that is done, or `None` before the first.
        counts: what was done, by name.
        notes: what a person should know of it, such as rules for which there is no room; the first twenty.
        tries: how often it was begun.
        ended_at: `None` while it is under way, or waits to be tried again.
    """

    day: date
    step: Step | None
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
    def failed(self) -> tuple[Step, ...]:
        """The steps of the night that failed."""
        return tuple(Step(failure.partition(":")[0]) for failure in self.failures)

    @property
    def left(self) -> tuple[Step, ...]:
        """The steps of the night still to be done, in their order; those that failed are done again."""
        if self.ended_at is not None:
            return ()
        steps = tuple(Step)
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
class Preview:
    """What a night would do, were it run now.

    Args:
        left: the steps of it that are not done yet.
        counts: what they would do, by name, as the counts of a night.
        notes: what a person should know of it.
    """

    day: date
    left: tuple[Step, ...]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()


def failed(step: Step, cause: str) -> str:
    """The note of a night on a step that failed, or of which a part did."""
    return f"{FAILED}{step}: {cause}"


def is_failed(note: str, step: Step) -> bool:
    """Return True if a note of a night says that a step failed."""
    return note.startswith(f"{FAILED}{step}: ")


def night_of(now: datetime, zone: tzinfo) -> date:
    """The local day whose night is the last that is due: it begins at 02:14 of that day.

    Where 02:14 does not exist, the run begins with the next minute that does; where it comes twice, with the first.
    """
    local = now.astimezone(zone)
    return local.date() if now >= begins(local.date(), zone) else local.date() - timedelta(days=1)


def begins(day: date, zone: tzinfo) -> datetime:
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
