"""Long work that somebody asked for: how far it is, for whoever looks, from any process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from remembrancer.types.scope import Scope

SILENT_FOR = timedelta(minutes=2)


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
        is_silent = self.state is JobState.RUNNING and now > self.beat_at + SILENT_FOR
        return JobState.LOST if is_silent else self.state
