"""Feedback: verdicts of people, rejections, weights and scores."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum
from math import log10

from remembrancer.types.record import Kind


class Verdict(StrEnum):
    """Verdicts of people on an observation."""

    RIGHT = "right"
    WRONG = "wrong"
    DISMISSED = "dismissed"


class Feedback(StrEnum):
    """Feedback on an observation; `undo` withdraws a verdict."""

    RIGHT = "right"
    WRONG = "wrong"
    DISMISS = "dismiss"
    UNDO = "undo"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonVerdict:
    """The latest verdict of a person on a memory."""

    record: str
    person: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnVerdicts:
    """Verdicts on a memory that were withdrawn."""

    record: str
    verdicts: tuple[Verdict, ...]


class SessionOutcome(StrEnum):
    """Outcomes of the work of a session."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REWORK = "rework"


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightChange:
    """A change of a memory's feedback weight by the outcome of a session that used it.

    Args:
        alpha: the step towards the signal, in (0, 1).
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
    """The initial feedback weight of a memory of the exact scope, in [0, 1]."""

    record: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A rejected text, which the engine does not derive again.

    Args:
        words: a keyed hash of the text without differences of space, case and final punctuation.
        record: the id of the rejected memory; a hash of the id after an erasure.
    """

    words: str
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokedRejections:
    """Revoked rejections.

    Args:
        words: hashes of the texts.
        record: only rejections of this memory; by default of any.
    """

    words: tuple[str, ...]
    record: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlinkedRejections:
    """The rejections of an erased memory, which keep a hash instead of its id.

    Args:
        name: the hash of the id.
    """

    record: str
    name: str


LEAST_IMPORTANCE = 0.01
RECENT_DAYS = 7
MONTH_DAYS = 30
RECENCY_HALF_LIFE_DAYS = 7
RELEVANCE_HALF_LIFE_DAYS = 7
# The share of the distance to 1 that a recall adds to relevance.
RELEVANCE_GAIN = 0.2
ACCESSES_THAT_COUNT = 100
ABSENT_RATING = 0.5
# Kinds whose importance decays; those that are read in full or by key do not.
DECAYING = (Kind.MESSAGE, Kind.OBSERVATION, Kind.REFLECTION, Kind.EPISODE)
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreParts:
    """The score of a memory and its parts.

    Args:
        importance: in [0, 1]; it decays over time.
        uses: the number of recalls.
        accessed: the time of the last recall, or `None`.
        rating: in [0, 1], or `None`.
        boost: in [0, 1].
        pinned: whether the importance does not decay.
        relevance: the relevance to recent questions, in [0, 1].
        decayed_on: the local day of the last decay, or `None`.
        score: the score at the last nightly run, in [0, 1], or `None`.
        weight: the feedback weight from outcomes of sessions, in [0, 1]; not part of the score.
        changes: the changes of the weight, earliest first.
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
    score: float | None
    weight: float = 1.0
    changes: tuple[WeightChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The rating, boost and pin of a memory."""

    rating: float | None = None
    boost: float = 0.0
    pinned: bool = False

    @property
    def values(self) -> Mapping[str, float | bool]:
        """The values that are set, by name."""
        return {one.name: value for one in fields(self) if (value := getattr(self, one.name)) != one.default}


def decayed_importance(importance: float, *, rate: float, days_unread: float, by_access: bool = True) -> float:
    """Return an importance after one more day; at least .01.

    The rate is halved for a memory read in the last 7 days, and grows with the time for one not read in 30 days.

    Args:
        rate: the share lost in a day, in [0, 1].
        by_access: whether the time of the last read changes the rate.
    """
    if importance <= LEAST_IMPORTANCE:
        return importance
    factor = 1.0
    if by_access and days_unread <= RECENT_DAYS:
        factor = 0.5
    elif by_access and days_unread > MONTH_DAYS:
        factor = 1 + days_unread / MONTH_DAYS
    return max(LEAST_IMPORTANCE, importance * max(0.0, 1 - rate * factor))


def score_of(of: ScoreParts, now: datetime, *, relevance: float, centrality: float = 0.0) -> float:
    """Return the score of a memory, in [0, 1]: a weighted sum of its parts.

    Weights: recency .15 (half-life 7 days), access .20, centrality in the graph .15, relevance to recent questions
    .15, rating .10, consolidated .10, boost .15. A missing rating counts as .5.

    Args:
        relevance: the current relevance, in [0, 1].
        centrality: in [0, 1]; see `graph.centrality`.
    """
    age = days_between(of.recorded_at, now)
    recency = 0.5 ** (age / RECENCY_HALF_LIFE_DAYS)
    rating = ABSENT_RATING if of.rating is None else of.rating
    consolidated = 1.0 if of.kind is Kind.REFLECTION else 0.0
    return (
        0.15 * recency
        + 0.20 * _access(of, now)
        + 0.15 * centrality
        + 0.15 * relevance
        + 0.10 * rating
        + 0.10 * consolidated
        + 0.15 * of.boost
    )


def days_unread(of: ScoreParts, now: datetime) -> float:
    """Return the days since a memory was last read or, without a read, recorded."""
    return days_between(of.accessed or of.recorded_at, now)


def days_between(earlier: datetime, later: datetime) -> float:
    """Return the days from one time to a later one; at least 0."""
    return max(0.0, (later - earlier).total_seconds() / _SECONDS_A_DAY)


def _access(of: ScoreParts, now: datetime) -> float:
    if of.accessed is None:
        return 0.0
    often = min(log10(of.uses + 1) / log10(ACCESSES_THAT_COUNT), 1.0)
    lately = max(0.0, 1 - days_between(of.accessed, now) / MONTH_DAYS)
    return 0.7 * often + 0.3 * lately
