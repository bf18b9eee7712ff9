"""A request that is done once, however often it is sent."""

from dataclasses import dataclass
from datetime import datetime, timedelta

KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A request that came with an idempotency key, and what it was answered.

    Args:
        key: a fingerprint of the idempotency key.
        request: a fingerprint of what was asked.
        status: as HTTP numbers it; 0 while it runs.
        body: the answer as it was sent.
        at: when it began, or was answered.
    """

    key: str
    request: str
    status: int = 0
    body: str = ""
    at: datetime

    def runs(self, now: datetime, runs_for: timedelta) -> bool:
        """Whether the request is still at work, rather than left by a process that died."""
        return not self.status and now < self.at + runs_for
