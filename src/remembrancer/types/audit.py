"""Entries, filters and checkpoints of the audit log."""

from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.arguments import check_fields, within
from remembrancer.types.scope import Scope
from remembrancer.types.times import optional_utc

_LAST = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """An entry to write to the audit log. It contains no text and no names; the transaction adds actor and origin.

    Args:
        record: the id of the record; `None` for an action on several. It is stored as an HMAC.
        count: the number of records concerned.
        records: ids of the records that were read; the list may be cut off.
        reason: the caller's reason, or `""`.
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
    """An entry of the audit log. Names are readable as long as the key of their scope exists.

    Args:
        sequence: the number of the entry, ascending in time.
        origin: the entry point, such as `library`, `rest` or `cli`.
        subject: a pseudonym of the scope, unreadable without the scope's key.
        scope: the scope of the memory; `None` if its key was deleted by an erasure.
        actor: the caller; `""` if unknown, or if the key was deleted.
        record, records: ids of the records concerned.
    """

    sequence: int
    at: datetime
    origin: str
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
        memory: the id of a memory; also matches entries that disclosed several memories.
        before: the number of an entry; only earlier ones match.
        without_reads: leave out the entries of reads.

    Raises:
        InvalidInput: a value has the wrong type, or is out of range.
    """

    since: datetime | None = None
    until: datetime | None = None
    action: str | None = None
    kind: str | None = None
    origin: str | None = None
    actor: str | None = None
    memory: str | None = None
    before: int | None = None
    without_reads: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "since", optional_utc(self.since, what="since"))
        object.__setattr__(self, "until", optional_utc(self.until, what="until"))
        if self.before is not None:
            within(self.before, 0, _LAST, what="before")

    def passes(self, row: AuditRow) -> bool:
        """Return True if an entry matches the conditions that need the key of its scope."""
        has_memory = self.memory is None or self.memory == row.record or self.memory in row.records
        return has_memory and self.actor in (None, row.actor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """A signed state of a tenant's audit log. Entries removed from the end later are detected by it.

    Args:
        sequence: the number of the last entry; 0 for none.
        hash: the hash of that entry, which depends on all earlier ones.
        count: the number of entries.
        key: the public key of the signature, hex.
        signature: Ed25519 over the other fields, hex.
    """

    tenant: str
    sequence: int
    hash: str
    count: int
    at: datetime
    key: str = ""
    signature: str = ""
