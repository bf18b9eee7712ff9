"""A run of messages that was observed, or could not be; and the log that is made of what was noted."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.classification import Classification


class ChunkState(StrEnum):
    """Whether an agent reads a run of messages raw, or what was noted of it.

    Raw: `buffered` until it is activated with others, `held` until a person has approved of it, `dead` where the model
    could not observe it. Noted: `active`.
    """

    BUFFERED = "buffered"
    HELD = "held"
    ACTIVE = "active"
    DEAD = "dead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive messages of one session, which an observer came by. Those of a session follow without gaps.

    Args:
        first, last: numbers of its messages, both inclusive.
        tokens: how many its messages had.
        noted: how many the observations of it have together.
        place: its place in the order of activation in its scope, from 1; `None` while it is served raw.
        classification: the highest of its messages when they were observed.
        task: what was being worked on at its end, or `""`.
        suggestion: what the agent should keep in mind, or `""`.
        engine: which observer took it, with its version.
        model: the language model that was asked, or `""`.
        failure: why a model could not observe it, or `""`; it stays when the deterministic observer takes it.
        tries: how often it was observed.
        observed_at: when its notes were written.
        activated_at: when it was activated; `None` while it is served raw.
    """

    session: str
    first: int
    last: int
    state: ChunkState
    tokens: int
    noted: int
    place: int | None = None
    classification: Classification = Classification.INTERNAL
    task: str = ""
    suggestion: str = ""
    engine: str
    model: str = ""
    failure: str = ""
    tries: int = 1
    observed_at: datetime
    activated_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What an agent reads of its past, in one session or, under `""`, in a whole scope; in numbers.

    Args:
        places: the last place that was given away; a new observation gets the next.
        tokens: of the active observations and reflections in it.
        fresh: how many of the tokens came since it was last reflected on.
    """

    session: str
    places: int = 0
    tokens: int = 0
    fresh: int = 0
