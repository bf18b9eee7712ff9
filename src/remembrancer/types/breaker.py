"""When a model that fails again and again is left alone, for how long, and when one call may try it.

A breaker is kept beside the store and shared by all who work on it: twenty workers do not find out twenty times that a
provider is away, and who begins anew does not begin to ask anew.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from remembrancer.types.backoff import backoff
from remembrancer.types.call import CallPurpose

FIRST_SECONDS = 60.0
LONGEST_SECONDS = 3_600.0


class Failing(StrEnum):
    """In which way a model fails, in words that a person reads."""

    REFUSED = "refused the request or the key"
    AWAY = "did not answer"
    UNUSABLE = "gave answers that cannot be used"


# So many questions in a row that came to nothing open a breaker. What cannot be used may be the fault of what was
# asked: a run of messages is asked about three times, and then its halves are.
OPENS = {Failing.REFUSED: 2, Failing.AWAY: 3, Failing.UNUSABLE: 8}


@dataclass(frozen=True, slots=True, kw_only=True)
class Breaker:
    """What is known of a model that has failed since it last answered well, for one purpose.

    Args:
        model: as `provider:name`.
        failures: questions in a row that came to nothing.
        opened: how often the breaker opened since the model last answered well.
        failing: how the model failed the last time.
        since: when it first failed.
        until: the model is left alone until then; `None` while the breaker has not opened.
        change: how often the breaker was written.
    """

    model: str
    purpose: CallPurpose
    failures: int
    opened: int
    failing: Failing
    since: datetime
    until: datetime | None
    change: int = 1

    def is_open(self, now: datetime) -> bool:
        """Whether the model is left alone. A time further away than any wait was written by a clock that ran ahead."""
        if self.until is None:
            return False
        return now < self.until <= now + timedelta(seconds=LONGEST_SECONDS)

    def __str__(self) -> str:
        """What a person is told of it."""
        times = "once" if self.failures == 1 else f"{self.failures} times in a row"
        waits = f", and is left alone until {self.until:%Y-%m-%d %H:%M:%S} UTC" if self.until else ""
        return f"{self.model} {self.failing} when asked to {self.purpose}, {times}{waits}"


def failed(
    known: Breaker | None,
    *,
    model: str,
    purpose: CallPurpose,
    failing: Failing,
    trial: bool,
    now: datetime,
    wait: float,
    chance: float,
) -> Breaker:
    """The breaker of a model after a question that came to nothing.

    Args:
        trial: whether it was the one question that tried the model again.
        wait: seconds that the provider asked to be left alone for.
        chance: in [0, 1), which keeps those who failed together from coming back together.
    """
    before = known or Breaker(
        model=model, purpose=purpose, failures=0, opened=0, failing=failing, since=now, until=None, change=0
    )
    after = replace(before, failures=before.failures + 1, failing=failing, change=before.change + 1)
    never = before.until is None and after.failures < OPENS[failing]
    # Who asked before it opened, and failed after that, has learnt nothing new.
    if never or (before.is_open(now) and not trial):
        return after
    seconds = backoff(after.opened + 1, wait=wait, chance=chance, first=FIRST_SECONDS, longest=LONGEST_SECONDS)
    return replace(after, opened=after.opened + 1, until=now + timedelta(seconds=seconds))


def tried(known: Breaker, *, now: datetime, seconds: float) -> Breaker:
    """A breaker whose time is over, while one question tries the model: the others go on leaving it alone.

    Args:
        seconds: how long that may take; whoever dies meanwhile holds nobody up for longer.
    """
    until = now + timedelta(seconds=min(seconds, LONGEST_SECONDS))
    return replace(known, until=until, change=known.change + 1)
