"""A conversation or run: what groups the messages said and the observations made in it."""

from dataclasses import dataclass
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
