"""Erasures, their receipts, and the overview for operators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.policy import LegalHold
from remembrancer.types.scope import Classification, Scope


class Subject(StrEnum):
    """Kinds of subjects of an erasure."""

    USER = "user"
    AGENT = "agent"
    PROJECT = "project"
    TENANT = "tenant"
    SESSION = "session"
    MEMORIES = "memories"


NOT_ERASED = (
    "backups of the database, and copies of its file: delete them, or erase again after a restore",
    "replicas, archived journals of the database server, and disk snapshots: wait for their expiry",
    "archives, exports and reports: ask their recipients to delete them",
    "texts sent to a provider of language models: see its terms for how long it stores them",
    "with PostgreSQL, pages of deleted rows, until an administrator runs `remembrancer governance erasure compact`",
)
"""Copies that an erasure does not reach, with the action for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalCopy:
    """A copy of memories outside the store, from the audit log.

    Args:
        at: the time, to the minute.
        what: `archive`, `backup`, `export` or `report`.
        scope: the scope that was copied.
        actor: the caller; `""` if unknown.
        origin: the entry point, such as `cli`.
    """

    at: datetime
    what: str
    scope: Scope
    actor: str
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePlan:
    """The plan of an erasure.

    Args:
        subject, name: the subject, such as user `ana`; for memories, their number.
        scopes: the exact scopes to empty; for a session or memories, the scope that contains them.
        rows: the number of rows by table.
        kinds: the number of memories by kind.
        begun_at: the start of an unfinished erasure of this subject; the same call continues it.
        drawn: ids of memories that were derived from the session or memories, and are erased too; of those that the
            caller may see.
        elsewhere: ids of memories of wider scopes that were derived from them. They are erased too; those with
            other evidence are derived again from it.
        legal_holds: names of legal holds that forbid the erasure.
        handed_out: exports, reports, archives and backups that contain the subject, latest first. They are not erased.
        beyond: other copies that are not erased, with the action for each.
    """

    subject: Subject
    name: str
    scopes: Sequence[Scope]
    rows: Mapping[str, int]
    kinds: Mapping[str, int]
    begun_at: datetime | None = None
    drawn: Sequence[str] = ()
    elsewhere: Sequence[str] = ()
    legal_holds: Sequence[str] = ()
    handed_out: Sequence[ExternalCopy] = ()
    beyond: Sequence[str] = NOT_ERASED


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A signed receipt of an erasure, with the result of the search afterwards. It contains no names and no content.

    Args:
        id: the id of the erasure.
        subject: the kind of the subject.
        name: the subject, as a keyed hash that only the store can compute.
        store: the store, as a hash.
        rows: the number of deleted rows by table.
        scopes: the number of emptied scopes.
        looked: the number of rows searched afterwards.
        found: the number of texts with an id of an erased memory, and of derived rows with eight consecutive words
            that only erased memories had; 0 if nothing is left.
        beyond: copies that were not erased.
        hash: SHA-256 over the fields above, hex.
        key: the public key of the signature, hex.
        signature: Ed25519 over the hash, hex.
    """

    id: str
    subject: Subject
    name: str
    store: str
    rows: Mapping[str, int]
    scopes: int
    looked: int
    found: int
    started_at: datetime
    finished_at: datetime
    beyond: Sequence[str] = NOT_ERASED
    hash: str = ""
    key: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A memory that mentions a person, for review before an erasure.

    Args:
        where: the fields that contain the name, such as `text`, `speaker` or `details`.
        text: the text of the memory.
        drawn: the number of memories derived from it; those without other evidence are erased with it.
    """

    id: str
    scope: Scope
    kind: str
    where: Sequence[str]
    text: str
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectUsage:
    """The memories of a project in numbers.

    Args:
        project: `None` for memories without a project.
        kinds: the number of memories by kind.
        classifications: the number of memories by classification.
        users: the number of users with memories.
    """

    project: str | None
    kinds: Mapping[str, int]
    classifications: Mapping[Classification, int]
    users: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MostRead:
    """A memory with its number of reads.

    Args:
        uses: the number of recalls and injections.
    """

    id: str
    scope: Scope
    kind: str
    uses: int
    last_accessed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetForecast:
    """A budget with the projected spending at the end of its period.

    Args:
        project: `None` for the budget of the whole tenant.
        limit, spent, projected: tokens, or millionths of a US dollar.
        state: `ok`, `warning`, `critical` or `exceeded`, by the amount spent.
        until: the end of the period.
    """

    project: str | None
    period: str
    unit: str
    limit: int
    spent: int
    projected: int
    state: str
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureSummary:
    """An erasure without its subject.

    Args:
        id: the id of the erasure and of its receipt.
        rows: the number of deleted rows.
        finished_at: `None` if it is unfinished; the same call continues it.
    """

    id: str
    subject: Subject
    rows: int
    begun_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The state of a scope and of the scopes under it.

    Args:
        usage: by project.
        most_read: the most read memories, in descending order.
        budgets: budgets with projections; empty for callers without the right `govern`.
        due: the number of memories that the next nightly run deletes; 1,000 means 1,000 or more.
        deleted: the number of deleted memories that can be restored; 1,000 means 1,000 or more.
        legal_holds: legal holds on the scope or on scopes under it.
        erasures: erasures requested in the scope, latest first; `None` for callers with a lower clearance.
        audit_entries: the number of entries in the tenant's audit log; `None` unless the caller operates the whole
            tenant with the highest clearance.
        audit_is_whole: whether the audit log passed its verification.
    """

    at: datetime
    usage: Sequence[ProjectUsage]
    most_read: Sequence[MostRead]
    budgets: Sequence[BudgetForecast]
    due: int
    deleted: int
    legal_holds: Sequence[LegalHold]
    erasures: Sequence[ErasureSummary] | None
    audit_entries: int | None
    audit_is_whole: bool
