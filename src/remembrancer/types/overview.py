"""An overview: how memories stand under a scope, for whoever answers for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from remembrancer.types.classification import Classification
from remembrancer.types.erasure import Subject
from remembrancer.types.policy import LegalHold
from remembrancer.types.scope import Scope


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
class Projection:
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
class Erased:
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
    budgets: Sequence[Projection]
    due: int
    deleted: int
    holds: Sequence[LegalHold]
    erasures: Sequence[Erased] | None
    audit_entries: int | None
    audit_is_whole: bool
