"""Access keys and jobs, alike in every store: they belong to the whole of it, and hold nothing of any memory."""

from collections.abc import Sequence
from typing import Any, LiteralString

from remembrancer.storage.columns import COLUMNS, columns, names
from remembrancer.storage.scoped_connection import PortableConnection
from remembrancer.storage.tables import Table
from remembrancer.storage.values import scope_columns, undamaged
from remembrancer.types.access import AccessKey, Right
from remembrancer.types.classification import Classification
from remembrancer.types.job import Job, JobState, JobWork
from remembrancer.types.scope import Scope

_KEY = COLUMNS[Table.ACCESS_KEYS]
_KEYS: LiteralString = f"SELECT {names(_KEY)} FROM access_keys"
# Names hold no control characters: a line break before and after each separates those of further tenants.
_BREAK: LiteralString = "\n"
_OF_TENANT: LiteralString = (
    f"{_KEYS} WHERE tenant = :tenant OR REPLACE(tenants, :line, '') <> tenants ORDER BY made_at, id LIMIT 10000"
)
_OF_ID: LiteralString = f"{_KEYS} WHERE id = :id"
_ANY: LiteralString = "SELECT 1 FROM access_keys LIMIT 1"
_PUT_KEY: LiteralString = (
    f"INSERT INTO access_keys ({names(_KEY)}) VALUES (:id, :tenant, :project, :agent, :user, :name, :clearance,"
    " :rights, :digest, :made_at, :expires_at, :revoked_at, :last_seen_at, :tenants)"
    " ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, name = excluded.name,"
    " expires_at = excluded.expires_at, revoked_at = COALESCE(access_keys.revoked_at, excluded.revoked_at)"
)
_SEEN: LiteralString = "UPDATE access_keys SET last_seen_at = :at WHERE id = :id"
_JOB = columns(
    'id tenant project agent "user" work state done counts:json failure told cancelled:truth started_at:moment',
    "beat_at:moment ended_at:moment",
)
_JOBS: LiteralString = f"SELECT {names(_JOB)} FROM jobs WHERE tenant = :tenant"
_LATEST: LiteralString = f"{_JOBS} ORDER BY started_at DESC, id DESC LIMIT :limit"
_JOB_OF_ID: LiteralString = f"{_JOBS} AND id = :id"
_PUT_JOB: LiteralString = (
    f"INSERT INTO jobs ({names(_JOB)}) VALUES (:id, :tenant, :project, :agent, :user, :work, :state, :done, :counts,"
    " :failure, :told, :cancelled, :started_at, :beat_at, :ended_at)"
    " ON CONFLICT (id) DO UPDATE SET state = excluded.state, done = excluded.done, counts = excluded.counts,"
    " failure = excluded.failure, told = excluded.told, beat_at = excluded.beat_at, ended_at = excluded.ended_at"
    " WHERE jobs.state = 'running'"
)
_CANCEL: LiteralString = "UPDATE jobs SET cancelled = :cancelled WHERE tenant = :tenant AND id = :id"
_FORGET: LiteralString = "DELETE FROM jobs WHERE tenant = :tenant AND started_at < :before"

_SAME_SCOPE: LiteralString = (
    ' project IS NOT DISTINCT FROM :project AND agent IS NOT DISTINCT FROM :agent AND "user" IS NOT DISTINCT FROM :user'
)
_EXACTLY: LiteralString = f" WHERE tenant = :tenant AND{_SAME_SCOPE}"
_FORGET_JOBS: LiteralString = "DELETE FROM jobs" + _EXACTLY
# Where a key was ever made nobody comes in without one: it stays, revoked, and names nobody.
_BLANK_KEYS: LiteralString = (
    "UPDATE access_keys SET name = '', tenant = :heir, project = NULL, agent = NULL, \"user\" = NULL, tenants = '',"
    " revoked_at = COALESCE(revoked_at, :at)" + _EXACTLY
)
# Of a key of several tenants an erased one is removed; it opens the others as before.
_CLOSE: LiteralString = "UPDATE access_keys SET tenants = REPLACE(tenants, :line, :break)"
_CLOSE_TENANT: LiteralString = f"{_CLOSE} WHERE REPLACE(tenants, :line, '') <> tenants"
_CLOSE_SCOPE: LiteralString = f"{_CLOSE_TENANT} AND{_SAME_SCOPE}"
_NOBODY: LiteralString = "erased"


def keys(connection: PortableConnection, tenant: str) -> list[AccessKey]:
    """A tenant's access keys, the oldest first. Blocking."""
    read = connection.dialect.reader(_KEY)
    given = {"tenant": tenant, "line": _line(tenant)}
    return [_key(read(row)) for row in connection.rows(_OF_TENANT, given)]


def key(connection: PortableConnection, id: str) -> AccessKey | None:
    """The access key of an id, whoever's it is. Blocking."""
    read = connection.dialect.reader(_KEY)
    return next((_key(read(row)) for row in connection.rows(_OF_ID, {"id": id})), None)


def has_keys(connection: PortableConnection) -> bool:
    """Whether any access key was ever made. Blocking."""
    return bool(connection.rows(_ANY))


def put_key(connection: PortableConnection, key: AccessKey) -> None:
    """Store an access key, or what has changed of it. Blocking."""
    values = {
        **scope_columns(key.scope),
        "id": key.id,
        "name": key.name,
        "clearance": key.clearance.value,
        "rights": " ".join(key.rights),
        "digest": key.digest,
        "made_at": key.made_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_seen_at": key.last_seen_at,
        "tenants": _line(*key.tenants) if key.tenants else "",
    }
    connection.run(_PUT_KEY, values)


def seen(connection: PortableConnection, id: str, at: object) -> None:
    """Say when an access key was last used. Blocking."""
    connection.run(_SEEN, {"id": id, "at": at})


def forget(connection: PortableConnection, scope: Scope, at: object) -> None:
    """Remove the jobs of an exact scope, and revoke its access keys, which name nobody from then on. Blocking."""
    connection.run(_FORGET_JOBS, scope_columns(scope))
    is_tenant = scope == Scope(tenant=scope.tenant)
    heir = _NOBODY if is_tenant else scope.tenant
    connection.run(_BLANK_KEYS, {**scope_columns(scope), "heir": heir, "at": at})
    given: dict[str, object] = {"line": _line(scope.tenant), "break": _BREAK}
    if is_tenant:
        connection.run(_CLOSE_TENANT, given)
    else:
        connection.run(_CLOSE_SCOPE, {**given, **scope_columns(scope)})


def jobs(connection: PortableConnection, tenant: str, limit: int) -> list[Job]:
    """A tenant's jobs, the latest begun first. Blocking."""
    read = connection.dialect.reader(_JOB)
    rows = connection.rows(_LATEST, {"tenant": tenant, "limit": limit})
    return undamaged(rows, lambda row: _job(read(row)))


def job(connection: PortableConnection, tenant: str, id: str) -> Job | None:
    """A tenant's job, or `None`. Blocking."""
    read = connection.dialect.reader(_JOB)
    rows = connection.rows(_JOB_OF_ID, {"tenant": tenant, "id": id})
    return next(iter(undamaged(rows, lambda row: _job(read(row)))), None)


def put_job(connection: PortableConnection, job: Job) -> None:
    """Store how a job stands; one that has ended stays as it ended. Blocking."""
    values = {
        **scope_columns(job.scope),
        "id": job.id,
        "work": job.work.value,
        "state": job.state.value,
        "done": job.done,
        "counts": dict(job.counts),
        "failure": job.failure,
        "told": job.told,
        "cancelled": job.cancelled,
        "started_at": job.started_at,
        "beat_at": job.beat_at,
        "ended_at": job.ended_at,
    }
    connection.run(_PUT_JOB, values)


def cancel_job(connection: PortableConnection, tenant: str, id: str) -> None:
    """Ask for the end of a job. Blocking."""
    connection.run(_CANCEL, {"tenant": tenant, "id": id, "cancelled": True})


def forget_jobs(connection: PortableConnection, tenant: str, before: object) -> None:
    """Forget a tenant's jobs that were begun before a time. Blocking."""
    connection.run(_FORGET, {"tenant": tenant, "before": before})


def _key(row: Sequence[Any]) -> AccessKey:
    return AccessKey(
        id=row[0],
        scope=Scope(tenant=row[1], project=row[2], agent=row[3], user=row[4]),
        name=row[5],
        clearance=Classification(row[6]),
        rights=tuple(Right(right) for right in row[7].split()),
        digest=row[8],
        made_at=row[9],
        expires_at=row[10],
        revoked_at=row[11],
        last_seen_at=row[12],
        tenants=tuple(filter(None, row[13].split(_BREAK))),
    )


def _line(*tenants: str) -> str:
    """Return names of further tenants as the column has them."""
    return _BREAK + _BREAK.join(tenants) + _BREAK


def _job(row: Sequence[Any]) -> Job:
    return Job(
        id=row[0],
        scope=Scope(tenant=row[1], project=row[2], agent=row[3], user=row[4]),
        work=JobWork(row[5]),
        state=JobState(row[6]),
        done=row[7],
        counts=row[8],
        failure=row[9],
        told=row[10],
        cancelled=row[11],
        started_at=row[12],
        beat_at=row[13],
        ended_at=row[14],
    )
