"""What stands in the audit log."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.arguments import check_fields, within
from remembrancer.types.scope import Scope
from remembrancer.types.times import optional_utc

_LAST = 2**63 - 1


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
    """Conditions on entries of the audit log; all that are set must match.

    Args:
        since, until: bounds of the time of the entry, inclusive.
        action: such as `created`, `erased` or `read`.
        kind: of the object, such as `observation`; for a `read` the name of the operation, such as `recall`.
        origin: the entry point, such as `library`, `rest` or `cli`.
        memory: the id of a memory that the entry concerns; entries that disclosed several count, too.
        before: the number of an entry; only earlier ones match.

    Raises:
        InvalidInput: a value is not of its type, or out of its range.
    """

    since: datetime | None = None
    until: datetime | None = None
    action: str | None = None
    kind: str | None = None
    origin: str | None = None
    actor: str | None = None
    memory: str | None = None
    before: int | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "since", optional_utc(self.since, what="since"))
        object.__setattr__(self, "until", optional_utc(self.until, what="until"))
        if self.before is not None:
            within(self.before, 0, _LAST, what="before")

    def passes(self, row: AuditRow) -> bool:
        """Return True if an entry matches the conditions that need the key of its scope."""
        named = self.memory is None or self.memory == row.record or self.memory in row.records
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
