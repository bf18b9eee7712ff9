"""Erasures with their receipts, and the overview for operators."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.policy import LegalHold
from remembrancer.types.scope import Classification, Scope


class Subject(StrEnum):
    """Whose memory an erasure takes: all of a user, an agent, a project or a tenant; of a session; or some memories."""

    USER = "user"
    AGENT = "agent"
    PROJECT = "project"
    TENANT = "tenant"
    SESSION = "session"
    MEMORIES = "memories"


NOT_ERASED = (
    "backups of the database, and files that were copied from it: erase them, or restore them only to erase again",
    "replicas, the journals that a database server archives, and snapshots of disks: let them expire",
    "archives, exports and reports that were handed out: ask who has them to delete them",
    "what was sent to a provider of language models: its own terms say how long it is kept",
    "with PostgreSQL, pages of deleted rows until an administrator runs `remembrancer governance erasure compact`",
)
"""What no erasure reaches, and what to do about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExternalCopy:
    """An export, a report, an archive or a backup that left the store, as its audit log tells.

    Args:
        at: when, to the minute.
        what: `archive`, `backup`, `export` or `report`.
        scope: of which.
        actor: by whom; `""` where nobody said.
    """

    at: datetime
    what: str
    scope: Scope
    actor: str
    door: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasurePlan:
    """What an erasure would take; nothing is done yet.

    Args:
        subject, name: whose memory: such as user `ana`; of memories the number of them.
        scopes: the exact scopes that it empties; of a session and of memories the one that they are in.
        rows: how many rows of each table.
        kinds: how many memories of each kind.
        begun_at: when it was begun, where that was broken off, or goes on: the same call goes on with it.
        drawn: ids of what was drawn from a session or from memories, and goes with them; of a whole scope all goes.
        elsewhere: ids of memories of wider scopes that rest on them; they go too, and what others' evidence bears is
            concluded anew.
        holds: the names of legal holds that forbid it.
        handed_out: what left the store of it, the latest first: exports, reports, archives and backups, that it does
            not reach.
        beyond: what else it does not reach, and what to do about that.
    """

    subject: Subject
    name: str
    scopes: Sequence[Scope]
    rows: Mapping[str, int]
    kinds: Mapping[str, int]
    begun_at: datetime | None = None
    drawn: Sequence[str] = ()
    elsewhere: Sequence[str] = ()
    holds: Sequence[str] = ()
    handed_out: Sequence[ExternalCopy] = ()
    beyond: Sequence[str] = NOT_ERASED


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What an erasure took, and what a look for what is left has found; it names nobody and holds no content.

    Args:
        id: of the erasure.
        subject: what kind.
        name: whose memory, as a fingerprint that only the store can make.
        store: the store, by a fingerprint.
        rows: how many rows were removed from each table.
        scopes: how many exact scopes were emptied.
        looked: how many rows were looked through afterwards.
        found: in how many texts an id of what was erased still stood, and how many other rows that nobody brought in
            told eight words in a row that it alone had; 0 where nothing is left.
        beyond: what it does not reach.
        hash: SHA-256 over all of that, hex.
        key: the public key that signs, hex.
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
    """A memory that names a person: to be looked at before it is erased.

    Args:
        id, scope: of the memory.
        where: in what of it the name stands, such as `text`, `speaker` or `details`.
        text: what it says.
        drawn: how many memories rest on it; erased with it, where they rest on nothing else.
    """

    id: str
    scope: Scope
    kind: str
    where: Sequence[str]
    text: str
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectUsage:
    """How many memories there are of one project.

    Args:
        project: `None` for what is of none.
        kinds: how many, by kind.
        classifications: how many, by class.
        users: how many users have any.
    """

    project: str | None
    kinds: Mapping[str, int]
    classifications: Mapping[Classification, int]
    users: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MostRead:
    """A memory that was read often.

    Args:
        uses: how often it was recalled or put before an agent.
    """

    id: str
    scope: Scope
    kind: str
    uses: int
    last_accessed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetForecast:
    """A budget of an overview, and what it will have come to at its end if all goes on as it has.

    Args:
        project: whose it is; `None` for the whole tenant's.
        limit, spent, projected: tokens, or millionths of a US dollar.
        state: `ok`, `warning`, `critical` or `exceeded`, of what is spent.
        until: when it ends.
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
    """An erasure of an overview; whose it was, nobody can tell any more.

    Args:
        id: of the erasure, and of its receipt.
        rows: how many rows are gone.
        finished_at: `None` where it was broken off, or goes on: the same call goes on with it.
    """

    id: str
    subject: Subject
    rows: int
    begun_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """How memories stand under a scope.

    Args:
        usage: by project.
        most_read: the most first.
        due: how many memories the next night deletes; 1,000 stands for that many or more.
        deleted: how many are deleted and can be restored, likewise.
        holds: the legal holds that are on the scope, or on any under it.
        erasures: those that were asked for in it, the latest first; `None` for a caller to whom anything is closed.
        audit_entries: of the tenant's log; `None` for who is no operator of all of it, or to whom anything is closed.
        audit_is_whole: whether that log holds against itself.
    """

    at: datetime
    usage: Sequence[ProjectUsage]
    most_read: Sequence[MostRead]
    budgets: Sequence[BudgetForecast]
    due: int
    deleted: int
    holds: Sequence[LegalHold]
    erasures: Sequence[ErasureSummary] | None
    audit_entries: int | None
    audit_is_whole: bool
