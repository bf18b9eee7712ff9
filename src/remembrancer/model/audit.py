"""What stands in the audit log."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Something that was done; it never holds text, nor a name in clear but the tenant's, the wall it stands behind.

    Who did it and through which door is the transaction's to say.

    Args:
        record: the id concerned, or `None` for something done to many; stored as an HMAC.
        count: how many records it concerned.
    """

    action: str
    kind: str
    record: str | None
    count: int
    at: datetime
