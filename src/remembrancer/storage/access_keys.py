"""Access keys of the whole store."""

from collections.abc import Sequence
from typing import Any, LiteralString

from remembrancer.storage.scoped_connection import PortableConnection
from remembrancer.storage.tables import COLUMNS, StoreTable, names
from remembrancer.storage.values import scope_columns
from remembrancer.types.access import AccessKey, Right
from remembrancer.types.scope import Classification, Scope

_KEY = COLUMNS[StoreTable.ACCESS_KEYS]
_KEYS: LiteralString = f"SELECT {names(_KEY)} FROM access_keys"
# Names contain no control characters: a line break before and after each separates those of further tenants.
_BREAK: LiteralString = "\n"
_OF_TENANT: LiteralString = (
    f"{_KEYS} WHERE tenant = :tenant OR REPLACE(tenants, :line, '') <> tenants ORDER BY created_at, id LIMIT 10000"
)
_OF_ID: LiteralString = f"{_KEYS} WHERE id = :id"
_ANY: LiteralString = "SELECT 1 FROM access_keys LIMIT 1"
_PUT_KEY: LiteralString = (
    f"INSERT INTO access_keys ({names(_KEY)}) VALUES (:id, :tenant, :project, :agent, :user, :name, :clearance,"
    " :rights, :digest, :created_at, :expires_at, :revoked_at, :last_seen_at, :tenants)"
    " ON CONFLICT (id) DO UPDATE SET digest = excluded.digest, name = excluded.name,"
    " expires_at = excluded.expires_at, revoked_at = COALESCE(access_keys.revoked_at, excluded.revoked_at)"
)
_SEEN: LiteralString = "UPDATE access_keys SET last_seen_at = :at WHERE id = :id"
_SAME_SCOPE: LiteralString = (
    ' project IS NOT DISTINCT FROM :project AND agent IS NOT DISTINCT FROM :agent AND "user" IS NOT DISTINCT FROM :user'
)
_EXACTLY: LiteralString = f" WHERE tenant = :tenant AND{_SAME_SCOPE}"
_FORGET_JOBS: LiteralString = "DELETE FROM jobs" + _EXACTLY
# A store with any key is never open to anonymous callers: erased keys stay, revoked and without names.
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
    """Return the access keys of a tenant, the oldest first. Blocking."""
    read = connection.dialect.reader(_KEY)
    values = {"tenant": tenant, "line": _line(tenant)}
    return [_key(read(row)) for row in connection.rows(_OF_TENANT, values)]


def key(connection: PortableConnection, id: str) -> AccessKey | None:
    """Return the access key of an id, of any tenant. Blocking."""
    read = connection.dialect.reader(_KEY)
    return next((_key(read(row)) for row in connection.rows(_OF_ID, {"id": id})), None)


def has_keys(connection: PortableConnection) -> bool:
    """Return True if any access key was ever created. Blocking."""
    return bool(connection.rows(_ANY))


def put_key(connection: PortableConnection, key: AccessKey) -> None:
    """Store an access key, new or changed. Blocking."""
    values = {
        **scope_columns(key.scope),
        "id": key.id,
        "name": key.name,
        "clearance": key.clearance.value,
        "rights": " ".join(key.rights),
        "digest": key.digest,
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_seen_at": key.last_seen_at,
        "tenants": _line(*key.tenants) if key.tenants else "",
    }
    connection.run(_PUT_KEY, values)


def touch_key(connection: PortableConnection, id: str, at: object) -> None:
    """Record the last use of an access key. Blocking."""
    connection.run(_SEEN, {"id": id, "at": at})


def forget(connection: PortableConnection, scope: Scope, at: object) -> None:
    """Delete the jobs of an exact scope; revoke its access keys and clear their names. Blocking."""
    connection.run(_FORGET_JOBS, scope_columns(scope))
    is_tenant = scope == Scope(tenant=scope.tenant)
    heir = _NOBODY if is_tenant else scope.tenant
    connection.run(_BLANK_KEYS, {**scope_columns(scope), "heir": heir, "at": at})
    values: dict[str, object] = {"line": _line(scope.tenant), "break": _BREAK}
    if is_tenant:
        connection.run(_CLOSE_TENANT, values)
    else:
        connection.run(_CLOSE_SCOPE, {**values, **scope_columns(scope)})


def _key(row: Sequence[Any]) -> AccessKey:
    return AccessKey(
        id=row[0],
        scope=Scope(tenant=row[1], project=row[2], agent=row[3], user=row[4]),
        name=row[5],
        clearance=Classification(row[6]),
        rights=tuple(Right(right) for right in row[7].split()),
        digest=row[8],
        created_at=row[9],
        expires_at=row[10],
        revoked_at=row[11],
        last_seen_at=row[12],
        tenants=tuple(filter(None, row[13].split(_BREAK))),
    )


def _line(*tenants: str) -> str:
    """Return names of further tenants in the form of the column."""
    return _BREAK + _BREAK.join(tenants) + _BREAK
