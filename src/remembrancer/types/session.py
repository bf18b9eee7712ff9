"""Sessions, and the injections of memories into their prompts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from remembrancer.types.scope import Scope

STALE_AFTER = timedelta(hours=24)


class SessionStatus(StrEnum):
    """Statuses of a session."""

    ACTIVE = "active"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A conversation or run in one scope.

    Args:
        id: chosen by the caller or the engine; unique within its scope.
        named: whether the caller chose the id; a scope has at most one active session without a chosen id.
        record: whether messages are stored.
        messages: the number of messages ever recorded; the numbers of deleted messages are not reused.
        tokens: the tokens of all recorded messages.
        observed: the number of the last message that was observed without a gap; 0 for none.
        observed_tokens: the tokens of the messages up to that one.
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
        """Return True if the session was closed after 24 hours without activity, and not by a caller."""
        timed_out = self.status is SessionStatus.COMPLETED and self.ended_at == self.last_activity_at
        return timed_out and now - self.last_activity_at > STALE_AFTER


START_TOKENS = 1_500
"""The default limit of the session brief, in tokens."""


class InjectionMode(StrEnum):
    """The ways of injecting memories into a prompt. Each can be switched off."""

    BRIEF = "brief"
    PROMPT = "prompt"
    RECALL = "recall"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionSettings:
    """Settings of the injection of memories into prompts.

    Args:
        prompt_seconds: the time limit of the search for a prompt.
        weighting: whether feedback weights count in ranking; they are updated in any case.
    """

    brief: bool = True
    prompt: bool = True
    recall: bool = True
    prompt_seconds: float = 0.1
    weighting: bool = True

    def allows(self, mode: InjectionMode) -> bool:
        """Return True if a mode is switched on; `context` always is, as callers request it."""
        enabled = {
            InjectionMode.BRIEF: self.brief,
            InjectionMode.PROMPT: self.prompt,
            InjectionMode.RECALL: self.recall,
            InjectionMode.CONTEXT: True,
        }
        return enabled[mode]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranks:
    """The ranks of a hit, from 1: with and without its feedback weight."""

    weighted: int
    unweighted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """An injection of memories into a prompt.

    Args:
        session: `""` for none.
        shown: `False` if the mode is switched off; the injection is recorded for comparison.
        records: ids of the memories, best first.
        ranks: by id, for memories that a question recalled.
    """

    id: str
    session: str
    mode: InjectionMode
    shown: bool
    at: datetime
    records: tuple[str, ...]
    ranks: Mapping[str, Ranks] = field(default_factory=dict[str, Ranks])
