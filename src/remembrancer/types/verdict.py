"""What people say of an observation, and what the outcome of a session says of what was put before the agent in it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


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
class Said:
    """The last word of one person on one memory."""

    record: str
    person: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """What was said of a memory in these words is said no more."""

    record: str
    verdicts: tuple[Verdict, ...]


class SessionOutcome(StrEnum):
    """How the work of a session was taken."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    REWORK = "rework"


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
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
