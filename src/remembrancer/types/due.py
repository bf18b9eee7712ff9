"""What background work is for, and from when on it is due."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

# More tokens than there will ever be, in what every database takes for a whole number.
NEVER = 2**62


class Purpose(StrEnum):
    """What a worker's work is for."""

    EMBED = "embed"
    STALE_SESSIONS = "stale-sessions"
    REEMBED = "reembed"
    OBSERVE = "observe"
    REFLECT = "reflect"
    NIGHTLY = "nightly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """Work that a tenant has waiting, or the whole store (tenant `""`), derived from what is stored."""

    tenant: str
    purpose: Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """From when on a sweep finds something due.

    Args:
        stale_before: sessions without activity since then are over.
        chunk_tokens: so many tokens of messages wait to be observed.
        by_scope: whether they count over all sessions of an exact scope, or in one.
        log_tokens: so many tokens stand in a log, and it is reflected on,
        fresh_tokens: where so many of them came since the last time.
        night: the local day, as ISO text, whose nightly run is to be done; `""` for none.
    """

    stale_before: datetime
    chunk_tokens: int = NEVER
    by_scope: bool = False
    log_tokens: int = NEVER
    fresh_tokens: int = NEVER
    night: str = ""
