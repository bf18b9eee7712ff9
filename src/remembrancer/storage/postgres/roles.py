"""Preparing a database: roles, extension, schemas, tables. Run as an administrator, again for each new version."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import LiteralString, TypeVar

import psycopg
from procrastinate.schema import SchemaManager
from psycopg import sql

from remembrancer.errors import InvalidInput, NotAllowed, StoreError
from remembrancer.storage.migrations import WORDS, migrations, pending, unwritten
from remembrancer.storage.postgres.connection import Raw, check_address, translated
from remembrancer.storage.postgres.partitions import PARTITION_SCHEMAS, locks_for, partition, partition_count
from remembrancer.storage.postgres.primary import connected
from remembrancer.storage.secret import foreign_key, known_by, own_key

OWNING = "remembrancer_owner"
SERVING = "remembrancer_serving"
SWEEPING = "remembrancer_sweeping"
QUEUE = "remembrancer_queue"
SCHEMAS = ("remembrancer", "remembrancer_ops", QUEUE)
OLDEST_SERVER = 15
_LOCK = 0x52454D42
# "tuple concurrently updated" is an internal error of the server; a role that two create is a duplicate key.
_CONCURRENT = (psycopg.errors.InternalError_, psycopg.errors.UniqueViolation, psycopg.errors.DuplicateObject)
_ATTEMPTS = 10
_STATISTICS: LiteralString = "SELECT pg_relation_filenode('pg_catalog.pg_statistic')"
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The result of `prepare`.

    Args:
        applied: names of the migrations that were applied now.
        made_role: whether the serving role is new.
        partitions: of each table; 0 if they are not partitioned.
    """

    applied: tuple[str, ...]
    made_role: bool
    partitions: int


def prepare(
    url: str, *, role: str, password: str = "", fresh_password: str = "", partitions: int | None = None
) -> Prepared:
    """Create or update all that the store needs in one database.

    Args:
        url: of an administrator: a superuser, or a role that may create roles and the extension.
        role: the serving role, created if it is missing; row-level security binds it.
        password: of that role; if empty, an existing role keeps its own.
        fresh_password: of a role that is created now, if `password` is empty.
        partitions: of each table, by tenant, 1 to 256; tables with another number are written again. By default they
            stay as they are, and new ones are not partitioned.

    Raises:
        InvalidInput: the address is malformed, the role is one of ours, or the number of partitions is not possible.
        StoreUnavailable: the server cannot be reached.
        StoreError: the server is too old, has too few locks, or pgvector is not installed on it.
        NotAllowed: the role may not do this, or row-level security does not bind the serving role.
        SchemaMismatch: the database is newer than this version.
    """
    check_address(url)
    with translated(), connected(url) as raw:
        _check_server(raw)
        try:
            # Of two that prepare one database at once, one waits.
            raw.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            _change_roles(raw, partial(_make_roles, raw))
            with raw.transaction():
                _make_schemas(raw)
                applied = _migrate(raw)
                count = partition_count(raw)
                if partitions not in (None, count):
                    partition(raw, partitions, owner=OWNING)
                    count = partitions
            with raw.transaction():
                _make_queue(raw)
            made_role = _change_roles(raw, partial(_make_serving, raw, role, password, fresh_password))
        except psycopg.errors.InsufficientPrivilege as error:
            raise NotAllowed(
                f"this role may not prepare the database ({error.diag.message_primary}); connect as an administrator"
            ) from error
        except psycopg.errors.OutOfMemory as error:
            raise StoreError(
                "the server has too few locks for so many partitions; set max_locks_per_transaction to"
                f" {locks_for(partitions or 0)} and restart it, or choose fewer partitions"
            ) from error
    return Prepared(applied=applied, made_role=made_role, partitions=count)


def rewrite(url: str) -> int:
    """Rewrite every table and index, so that no page keeps a byte of what was erased; return the number of tables.

    Each is locked meanwhile. The server's own journal is closed and a new one begun, if the role may do that; the old
    one is
    overwritten in time.

    Args:
        url: of an administrator.

    Raises:
        InvalidInput: the address is malformed, or the database was not prepared.
        StoreUnavailable: the server cannot be reached.
        NotAllowed: the role may not do this.
    """
    with _administering(url, "write the tables anew", lacks="nothing to write anew") as raw:
        raw.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(OWNING)))
        tables = raw.execute(
            "SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace"
            " WHERE relkind = 'r' AND (nspname = ANY(%s) OR nspname ~ %s) ORDER BY 1, 2",
            (list(SCHEMAS), PARTITION_SCHEMAS),
        ).fetchall()
        for schema, table in tables:
            raw.execute(sql.SQL("VACUUM (FULL, ANALYZE) {}").format(sql.Identifier(schema, table)))
        raw.execute("RESET ROLE")
        # It contains frequent values and bounds of columns, and its old rows as well.
        before = raw.execute(_STATISTICS).fetchone()
        raw.execute("VACUUM FULL pg_catalog.pg_statistic")
        # Without the right the server only warns.
        if raw.execute(_STATISTICS).fetchone() == before:
            raise NotAllowed(
                "this role may not rewrite pg_statistic, which contains values of columns; connect as the owner of"
                " the database, or as a superuser"
            )
        for statement in ("SELECT pg_switch_wal()", "CHECKPOINT"):
            with suppress(psycopg.errors.InsufficientPrivilege):
                raw.execute(statement)
    return len(tables)


def rotate_key(url: str, *, opening: bytes, new: bytes) -> None:
    """Replace the key that opens a database; the store continues to sign by its own key.

    Args:
        url: of an administrator.
        opening: the key that opens it now.

    Raises:
        InvalidInput: the address is malformed, the database was not prepared, or another key opens it.
        StoreUnavailable: the server cannot be reached.
        NotAllowed: the role may not do this.
    """
    with _administering(url, "replace the key", lacks="no key to be replaced") as raw, raw.transaction():
        raw.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(OWNING)))
        row = raw.execute("SELECT fingerprint FROM remembrancer_ops.store FOR UPDATE").fetchone()
        own = own_key(opening, row[0]) if row else None
        if own is None:
            raise foreign_key("", None)
        raw.execute("UPDATE remembrancer_ops.store SET fingerprint = %s", (known_by(new, own),))


@contextmanager
def _administering(url: str, what: str, *, lacks: str) -> Generator[Raw]:
    """Open a connection to a prepared database for work as its owner.

    Args:
        url: of an administrator.
        what: the work, for the message if the role may not do it.
        lacks: what is missing, for the message if the database was not prepared.

    Raises:
        InvalidInput: the address is malformed, or the database was not prepared.
        StoreUnavailable: the server cannot be reached.
        NotAllowed: the role may not do this.
    """
    check_address(url)
    with translated(), connected(url) as raw:
        if not _has_role(raw, OWNING) or not _holds(raw, "SELECT 1 FROM pg_namespace WHERE nspname = %s", SCHEMAS[0]):
            raise InvalidInput(f"this database was not prepared by remembrancer init-db; there is {lacks}")
        try:
            yield raw
        except psycopg.errors.InsufficientPrivilege as error:
            raise NotAllowed(
                f"this role may not {what} ({error.diag.message_primary}); connect as an administrator"
            ) from error


def _check_server(raw: Raw) -> None:
    if raw.info.server_version < OLDEST_SERVER * 10_000:
        raise StoreError(f"the server is PostgreSQL {raw.info.server_version // 10_000}; {OLDEST_SERVER} is the oldest")
    if not _holds(raw, "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"):
        raise StoreError("the server lacks the extension pgvector; install it there, then run this again")


def _change_roles(raw: Raw, change: Callable[[], Result]) -> Result:
    """Run a change of roles in a transaction.

    Roles belong to the server, and an advisory lock to one database. So the change runs again if `prepare` changed the
    same roles at the same moment in another database.
    """
    for _ in range(_ATTEMPTS):
        with suppress(*_CONCURRENT), raw.transaction():
            return change()
    with raw.transaction():
        return change()


def _make_roles(raw: Raw) -> None:
    for name in (OWNING, SERVING, SWEEPING):
        if not _has_role(raw, name):
            raw.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(sql.Identifier(name)))
    # The owner hands functions over to the sweeping role, for which it must be a member of it.
    raw.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(SWEEPING), sql.Identifier(OWNING)))
    # Who makes a role may hand it out, since PostgreSQL 16, and yet not act as it: MEMBER would be true of that.
    if not _holds(raw, "SELECT 1 WHERE pg_has_role(current_user, %s, 'USAGE')", OWNING):
        raw.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(OWNING)))


def _make_schemas(raw: Raw) -> None:
    raw.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    if not _holds(
        raw,
        "SELECT 1 FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
        " WHERE extname = 'vector' AND nspname = 'public'",
    ):
        raise StoreError(
            "the extension vector is in another schema; ALTER EXTENSION vector SET SCHEMA public, if it may"
        )
    for schema in SCHEMAS:
        raw.execute(
            sql.SQL("CREATE SCHEMA IF NOT EXISTS {} AUTHORIZATION {}").format(
                sql.Identifier(schema), sql.Identifier(OWNING)
            )
        )
    raw.execute(sql.SQL("GRANT CREATE ON SCHEMA remembrancer_ops TO {}").format(sql.Identifier(SWEEPING)))


def _migrate(raw: Raw) -> tuple[str, ...]:
    """Apply the missing migrations, as the owner."""
    raw.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(OWNING)))
    raw.execute("SET LOCAL search_path TO remembrancer, remembrancer_ops, public")
    raw.execute(
        "CREATE TABLE IF NOT EXISTS remembrancer_ops.migrations"
        " (number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL)"
    )
    applied: Mapping[int, str] = dict(raw.execute("SELECT number, sha256 FROM migrations").fetchall())
    missing = pending(migrations(__package__ or ""), applied)
    for migration in missing:
        raw.execute(migration.sql.encode())
        raw.execute(
            "INSERT INTO migrations (number, name, sha256) VALUES (%s, %s, %s)",
            (migration.number, migration.name, migration.sha256),
        )
    for table in WORDS:
        name = sql.Identifier(table)
        stored = [row[0] for row in raw.execute(sql.SQL("SELECT name FROM {}").format(name)).fetchall()]
        for word in unwritten(table, stored):
            raw.execute(sql.SQL("INSERT INTO {} (name) VALUES (%s) ON CONFLICT DO NOTHING").format(name), (word,))
    return tuple(migration.name for migration in missing)


def _make_queue(raw: Raw) -> None:
    """Create the queue's tables, of the installed version; replace those of another, which can be lost."""
    made_by = f"procrastinate {version('procrastinate')}"
    schema = sql.Identifier(QUEUE)
    if _holds(raw, "SELECT 1 WHERE obj_description(%s::regnamespace, 'pg_namespace') = %s", QUEUE, made_by):
        return
    raw.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(schema))
    raw.execute(sql.SQL("CREATE SCHEMA {} AUTHORIZATION {}").format(schema, sql.Identifier(OWNING)))
    raw.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(OWNING)))
    raw.execute(sql.SQL("SET LOCAL search_path TO {}").format(schema))
    raw.execute(SchemaManager.get_schema().encode())
    raw.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, sql.Literal(made_by)))
    serving = sql.Identifier(SERVING)
    raw.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(schema, serving))
    raw.execute(
        sql.SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(schema, serving)
    )
    raw.execute(sql.SQL("GRANT USAGE ON ALL SEQUENCES IN SCHEMA {} TO {}").format(schema, serving))


def _make_serving(raw: Raw, role: str, password: str, fresh_password: str) -> bool:
    """Create the serving role; return True if it is new."""
    if role in (OWNING, SERVING, SWEEPING) or not role:
        raise InvalidInput(f"{role!r} cannot be the role to serve as; name another")
    name, is_new = sql.Identifier(role), not _has_role(raw, role)
    if is_new:
        raw.execute(sql.SQL("CREATE ROLE {} LOGIN").format(name))
    if _holds(raw, "SELECT 1 FROM pg_roles WHERE rolname = %s AND (rolsuper OR rolbypassrls)", role):
        raise NotAllowed(f"the role {role!r} is a superuser or has BYPASSRLS; name one that row-level security binds")
    if chosen := password or (fresh_password if is_new else ""):
        raw.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(chosen)))
    raw.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(SERVING), name))
    # The queue has no other way through a pooler; the store sets its path in each transaction.
    database = sql.Identifier(raw.info.dbname)
    raw.execute(
        sql.SQL("ALTER ROLE {} IN DATABASE {} SET search_path TO {}").format(name, database, sql.Identifier(QUEUE))
    )
    return is_new


def _has_role(raw: Raw, name: str) -> bool:
    return _holds(raw, "SELECT 1 FROM pg_roles WHERE rolname = %s", name)


def _holds(raw: Raw, statement: LiteralString, *values: str) -> bool:
    return raw.execute(statement, values).fetchone() is not None
