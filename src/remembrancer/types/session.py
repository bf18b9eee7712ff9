"""Sessions, and what was shown to an agent in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from remembrancer.types.scope import Scope

STALE_AFTER = timedelta(hours=24)


class SessionStatus(StrEnum):
    """Whether a session goes on."""

    ACTIVE = "active"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation or run of one scope.

    Args:
        id: the caller's name for it, or the engine's; unique within its scope.
        named: whether the caller named it; a scope has one unnamed active session at most.
        messages: how many were ever recorded in it; a deleted one keeps its number.
        tokens: how many those had together when they were recorded.
        observed: up to which of them an observer has come, without gaps from the first; 0 for none.
        observed_tokens: how many of the tokens that covers.
        record: whether what is said in it is stored at all.
    """

    id: str
    scope: Scope
    status: SessionStatus
    named: bool
    record: bool
    messages: int
    tokens: int = 0
    observed: int = 0
    observed_tokens: int = 0
    started_at: datetime
    last_activity_at: datetime
    ended_at: datetime | None = None

    def abandoned(self, now: datetime) -> bool:
        """Whether the session was closed because nobody used it, and not ended by a caller."""
        over = self.status is SessionStatus.COMPLETED and self.ended_at == self.last_activity_at
        return over and now - self.last_activity_at > STALE_AFTER


START_TOKENS = 1_500
"""What is told at the start of a session has so many tokens at most."""


class InjectionMode(StrEnum):
    """How memories come before an agent; each can be switched off."""

    BRIEF = "brief"
    PROMPT = "prompt"
    RECALL = "recall"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSettings:
    """Which ways of injecting memories into a prompt are on.

    Args:
        prompt_seconds: how long looking for what a prompt recalls may take.
        weighting: whether the weights that outcomes of sessions have moved count in ranking; they are learnt anyway.
    """

    brief: bool = True
    prompt: bool = True
    recall: bool = True
    prompt_seconds: float = 0.1
    weighting: bool = True

    def allows(self, way: InjectionMode) -> bool:
        """Whether a way is on; what a context holds is asked for by name."""
        on = {
            InjectionMode.BRIEF: self.brief,
            InjectionMode.PROMPT: self.prompt,
            InjectionMode.RECALL: self.recall,
            InjectionMode.CONTEXT: True,
        }
        return on[way]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The places of a memory among what a question found, from 1: by its weight from feedback, and without it."""

    weighted: int
    unweighted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """Memories that were put before an agent at one time, or would have been.

    Args:
        session: in which; `""` for none.
        shown: `False` where the way is switched off: so feedback can still learn from it.
        records: their ids, best first.
        ranks: by id, of those that a question found.
    """

    id: str
    session: str
    way: InjectionMode
    shown: bool
    at: datetime
    records: tuple[str, ...]
    ranks: Mapping[str, Ranks] = field(default_factory=dict[str, Ranks])
