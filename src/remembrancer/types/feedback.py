"""Feedback of people and of outcomes: verdicts, rejections, weights and scores."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from math import log10

from remembrancer.types.record import Kind


class Verdict(StrEnum):
    """What a person says of an observation."""

    RIGHT = "right"
    WRONG = "wrong"
    DISMISSED = "dismissed"


class Feedback(StrEnum):
    """The feedback of a person on an observation; `undo` withdraws an earlier verdict."""

    RIGHT = "right"
    WRONG = "wrong"
    DISMISS = "dismiss"
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonVerdict:
    """The last word of one person on one memory."""

    record: str
    person: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnVerdicts:
    """What was said of a memory in these words is said no more."""

    record: str
    verdicts: tuple[Verdict, ...]


class SessionOutcome(StrEnum):
    """How the work of a session was taken."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REWORK = "rework"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightChange:
    """A change of a memory's feedback weight by the outcome of a session in which it was put before the agent.

    Args:
        alpha: how far it moved towards the signal, in (0, 1).
        before, after: the weight, in [0, 1].
    """

    session: str
    record: str
    outcome: SessionOutcome
    alpha: float
    before: float
    after: float
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackWeight:
    """The feedback weight of a memory of the exact scope, in [0, 1], before any outcome has moved it."""

    record: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A rejection: what a memory said is not to be said again.

    Args:
        words: a fingerprint of what it said, however it is spaced, cased and ended.
        record: the id of that memory; a fingerprint of it, where it was erased.
    """

    words: str
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedRejections:
    """Rejections that stand no longer.

    Args:
        words: fingerprints of what may be said again.
        record: by which memory alone; whichever said it, if not given.
    """

    words: tuple[str, ...]
    record: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkedRejections:
    """The rejections of a memory that is erased: they stand, and name it no longer.

    Args:
        name: a fingerprint of its id.
    """

    record: str
    name: str


LEAST_IMPORTANCE = 0.01
RECENT_DAYS = 7
MONTH_DAYS = 30
RECENCY_HALF_LIFE_DAYS = 7
RELEVANCE_HALF_LIFE_DAYS = 7
# What one more recall makes of what relevance lacks to 1.
RELEVANCE_GAIN = 0.2
ACCESSES_THAT_COUNT = 100
ABSENT_RATING = 0.5
# Those whose importance decays: what is read in full and by key does not.
DECAYING = (Kind.MESSAGE, Kind.OBSERVATION, Kind.REFLECTION, Kind.EPISODE)
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreParts:
    """What a memory's standing is made of.

    Args:
        importance: in [0, 1].
        uses: how often it was recalled.
        accessed: when last, or `None`.
        rating, boost, relevance: in [0, 1]; a rating may be absent.
        decayed_on: the local day up to which its importance has decayed, or `None` before the first night.
        standing: as it was last worked out, in [0, 1].
        weight: what outcomes of sessions have made of it, in [0, 1]; no part of `standing`.
        moves: how they did, the earliest first.
    """

    id: str
    kind: Kind
    importance: float
    occurred_at: datetime
    recorded_at: datetime
    uses: int
    accessed: datetime | None
    rating: float | None
    boost: float
    pinned: bool
    relevance: float
    decayed_on: date | None
    standing: float | None
    weight: float = 1.0
    moves: tuple[WeightChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What people have set for a memory, apart from its words."""

    rating: float | None = None
    boost: float = 0.0
    pinned: bool = False

    @property
    def told(self) -> Mapping[str, float | bool]:
        """What is set for the memory, by name."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}


def decayed_importance(importance: float, *, rate: float, days_unread: float, by_access: bool = True) -> float:
    """What one day leaves of an importance; never less than .01.

    The rate is halved for what was read within 7 days, grows with the time for what was not within 30, and lies in
    [0, 1].

    Args:
        by_access: whether it matters when it was last read.
    """
    if importance <= LEAST_IMPORTANCE:
        return importance
    pace = 1.0
    if by_access and days_unread <= RECENT_DAYS:
        pace = 0.5
    elif by_access and days_unread > MONTH_DAYS:
        pace = 1 + days_unread / MONTH_DAYS
    return max(LEAST_IMPORTANCE, importance * max(0.0, 1 - rate * pace))


def score_of(of: ScoreParts, now: datetime, *, relevance: float) -> float:
    """The bounded sum of what speaks for a memory, in [0, 1]; what is missing counts 0, an absent rating .5.

    Weights: recency .15 (half-life 7 days), access .20, centrality .15, relevance to recent questions .15, rating .10,
    consolidated .10, boost .15.

    Args:
        relevance: as it is now, in [0, 1].
    """
    age = days_between(of.recorded_at, now)
    recency = 0.5 ** (age / RECENCY_HALF_LIFE_DAYS)
    rating = ABSENT_RATING if of.rating is None else of.rating
    consolidated = 1.0 if of.kind is Kind.REFLECTION else 0.0
    return (
        0.15 * recency
        + 0.20 * _access(of, now)
        + 0.15 * relevance
        + 0.10 * rating
        + 0.10 * consolidated
        + 0.15 * of.boost
    )


def days_unread(of: ScoreParts, now: datetime) -> float:
    """Days since a memory was last read or, where it never was, since it was recorded."""
    return days_between(of.accessed or of.recorded_at, now)


def days_between(earlier: datetime, later: datetime) -> float:
    """Days by which a memory ages from one time to another, 0 or more."""
    return max(0.0, (later - earlier).total_seconds() / _SECONDS_A_DAY)


def _access(of: ScoreParts, now: datetime) -> float:
    if of.accessed is None:
        return 0.0
    often = min(log10(of.uses + 1) / log10(ACCESSES_THAT_COUNT), 1.0)
    lately = max(0.0, 1 - days_between(of.accessed, now) / MONTH_DAYS)
    return 0.7 * often + 0.3 * lately
