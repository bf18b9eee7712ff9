"""Jobs of tenants and circuit breakers of models: rows of the whole store, without anything of a memory."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, LiteralString

from remembrancer.storage.scoped_connection import PortableConnection
from remembrancer.storage.tables import columns, names
from remembrancer.storage.values import scope_columns, undamaged
from remembrancer.types.calls import Breaker, CallPurpose, FailureKind
from remembrancer.types.jobs import Job, JobState, JobWork
from remembrancer.types.scope import Scope

_JOB = columns(
    'id tenant project agent "user" work state done counts:json failure message cancelled:truth started_at:moment',
    "heartbeat_at:moment ended_at:moment",
)
_JOBS: LiteralString = f"SELECT {names(_JOB)} FROM jobs WHERE tenant = :tenant"
_LATEST: LiteralString = f"{_JOBS} ORDER BY started_at DESC, id DESC LIMIT :limit"
_JOB_OF_ID: LiteralString = f"{_JOBS} AND id = :id"
_PUT_JOB: LiteralString = (
    f"INSERT INTO jobs ({names(_JOB)}) VALUES (:id, :tenant, :project, :agent, :user, :work, :state, :done, :counts,"
    " :failure, :message, :cancelled, :started_at, :heartbeat_at, :ended_at)"
    " ON CONFLICT (id) DO UPDATE SET state = excluded.state, done = excluded.done, counts = excluded.counts,"
    " failure = excluded.failure, message = excluded.message,"
    " heartbeat_at = excluded.heartbeat_at, ended_at = excluded.ended_at"
    " WHERE jobs.state = 'running'"
)
_CANCEL: LiteralString = "UPDATE jobs SET cancelled = :cancelled WHERE tenant = :tenant AND id = :id"
_FORGET: LiteralString = "DELETE FROM jobs WHERE tenant = :tenant AND started_at < :before"


def jobs(connection: PortableConnection, tenant: str, limit: int) -> list[Job]:
    """Return the jobs of a tenant, the latest begun first. Blocking."""
    read = connection.dialect.reader(_JOB)
    rows = connection.rows(_LATEST, {"tenant": tenant, "limit": limit})
    return undamaged(rows, lambda row: _job(read(row)))


def job(connection: PortableConnection, tenant: str, id: str) -> Job | None:
    """Return a job of a tenant, or `None`. Blocking."""
    read = connection.dialect.reader(_JOB)
    rows = connection.rows(_JOB_OF_ID, {"tenant": tenant, "id": id})
    return next(iter(undamaged(rows, lambda row: _job(read(row)))), None)


def put_job(connection: PortableConnection, job: Job) -> None:
    """Store the state of a job; one that has ended stays unchanged. Blocking."""
    values = {
        **scope_columns(job.scope),
        "id": job.id,
        "work": job.work.value,
        "state": job.state.value,
        "done": job.done,
        "counts": dict(job.counts),
        "failure": job.failure,
        "message": job.message,
        "cancelled": job.cancelled,
        "started_at": job.started_at,
        "heartbeat_at": job.heartbeat_at,
        "ended_at": job.ended_at,
    }
    connection.run(_PUT_JOB, values)


def cancel_job(connection: PortableConnection, tenant: str, id: str) -> None:
    """Request the end of a job. Blocking."""
    connection.run(_CANCEL, {"tenant": tenant, "id": id, "cancelled": True})


def forget_jobs(connection: PortableConnection, tenant: str, before: object) -> None:
    """Delete a tenant's jobs that were begun before a time. Blocking."""
    connection.run(_FORGET, {"tenant": tenant, "before": before})


def _job(row: Sequence[Any]) -> Job:
    return Job(
        id=row[0],
        scope=Scope(tenant=row[1], project=row[2], agent=row[3], user=row[4]),
        work=JobWork(row[5]),
        state=JobState(row[6]),
        done=row[7],
        counts=row[8],
        failure=row[9],
        message=row[10],
        cancelled=row[11],
        started_at=row[12],
        heartbeat_at=row[13],
        ended_at=row[14],
    )


_BREAKER = columns("model purpose failures opened failing since:moment until:moment change")
_WRITTEN = columns("failures opened failing since until change")
_BREAKERS: LiteralString = f"SELECT {names(_BREAKER)} FROM breakers ORDER BY model, purpose"
_SET: LiteralString = ", ".join(f"{column.name} = excluded.{column.name}" for column in _WRITTEN)
_PUT_BREAKER: LiteralString = (
    f"INSERT INTO breakers ({names(_BREAKER)}) VALUES ({names(_BREAKER, before=':')})"
    f" ON CONFLICT (model, purpose) DO UPDATE SET {_SET} WHERE breakers.change = excluded.change - 1"
)
_DROP_BREAKER: LiteralString = "DELETE FROM breakers WHERE model = :model AND purpose = :purpose"


def breakers(connection: PortableConnection) -> list[Breaker]:
    """Return every breaker, by model and purpose. Blocking."""
    read = connection.dialect.reader(_BREAKER)
    return [_breaker(read(row)) for row in connection.rows(_BREAKERS)]


def put_breaker(connection: PortableConnection, breaker: Breaker) -> bool:
    """Store a breaker; return False if it was changed since it was read. Blocking."""
    values = asdict(breaker) | {"purpose": breaker.purpose.value, "failing": breaker.failing.name}
    return connection.run(_PUT_BREAKER, values) > 0


def drop_breaker(connection: PortableConnection, model: str, purpose: CallPurpose) -> None:
    """Delete a breaker. Blocking."""
    connection.run(_DROP_BREAKER, {"model": model, "purpose": purpose.value})


def _breaker(row: Sequence[Any]) -> Breaker:
    return Breaker(
        model=row[0],
        purpose=CallPurpose(row[1]),
        failures=row[2],
        opened=row[3],
        failing=FailureKind[row[4]],
        since=row[5],
        until=row[6],
        change=row[7],
    )
