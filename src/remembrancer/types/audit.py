"""What stands in the audit log."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """Something that was done; it never holds text, nor a name in clear but the tenant's, the wall it stands behind.

    Who did it and through which door is the transaction's to say.

    Args:
        record: the id concerned, or `None` for something done to many; stored as an HMAC.
        count: how many records it concerned.
        records: ids of those that were read, as many as are kept.
        reason: why it was done, as who did it said; `""` where nobody asked for one.
    """

    action: str
    kind: str
    record: str | None
    count: int
    at: datetime
    records: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """What stands in the audit log, as it is read: names stand there as long as the key of their scope does.

    Args:
        sequence: the entry's number, ascending in the order of what was done.
        subject: whose memory it was, as a pseudonym that tells nothing without the scope's key.
        scope: whose memory it was; `None` where the key is gone, as it is after an erasure.
        actor: who did it; `""` where nobody said, or the key is gone.
        record, records: ids of what it concerned, where they are kept.
    """

    sequence: int
    at: datetime
    door: str
    action: str
    kind: str
    count: int
    subject: str
    scope: Scope | None = None
    actor: str = ""
    record: str | None = None
    records: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which entries of the audit log are asked for; whatever is not said lets all through.

    Args:
        since, until: when it was done, both inclusive.
        record: of which memory by its id; one of several that were read counts, too.
        before: the number of the entry before which to go on, exclusive.
    """

    since: datetime | None = None
    until: datetime | None = None
    action: str | None = None
    kind: str | None = None
    door: str | None = None
    actor: str | None = None
    record: str | None = None
    before: int | None = None

    def passes(self, row: AuditRow) -> bool:
        """Whether an entry is one of those asked for, by what only its scope's key tells."""
        named = self.record is None or self.record == row.record or self.record in row.records
        return named and self.actor in (None, row.actor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """How far the audit log of a tenant had come at some time: what is missing from its end later is told by it.

    Args:
        sequence: the number of its last entry; 0 for none.
        hash: of that entry, on which all before it bear.
        count: how many entries it had.
        key: the public key that signs, hex.
        signature: Ed25519 over the rest, hex.
    """

    tenant: str
    sequence: int
    hash: str
    count: int
    at: datetime
    key: str = ""
    signature: str = ""
