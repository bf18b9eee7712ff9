"""Partitioning of the tables by tenant, of a new database and of one in use.

Each partition of all tables has a schema of its own, in which the tables have their usual names. `path_of` returns a
search path that begins with the schema of a tenant, so that each statement of the tenant names one partition: pruning
the others from a statement on a whole table needs more time than most of our statements. What belongs to no tenant
reads the whole tables.

Each table is written again in one transaction. If it is killed, nothing has changed.
"""

from dataclasses import dataclass
from typing import Any, LiteralString, cast

from psycopg import sql

from remembrancer.errors import InvalidInput, StoreError
from remembrancer.storage.postgres.connection import Raw

MOST_PARTITIONS = 256
PARTITION_SCHEMAS = "^remembrancer_p[0-9]+$"
"""The regular expression of the names of the schemas."""
# Measured: 20,177 for 32 partitions that are written from none.
_LOCKS_EACH = 650
_CONNECTIONS = 100
# Before it, a partition has no identity columns of its own.
_OLDEST_SERVER = 17
_OLD = "remembrancer_old"
_TABLES: LiteralString = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'remembrancer'::regnamespace AND relkind IN ('r', 'p') ORDER BY 1
"""
_COUNT: LiteralString = "SELECT COUNT(*) FROM pg_inherits WHERE inhparent = 'remembrancer.records'::regclass"
# Of a partitioned table each partition has them.
_OPTIONS: LiteralString = """
    SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = %s::regclass AND reloptions IS NOT NULL
"""
_KEYS: LiteralString = """
    SELECT format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint
    WHERE conrelid = %s::regclass AND contype IN ('p', 'u') ORDER BY conname
"""
_REFERENCES: LiteralString = """
    SELECT format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    FROM pg_constraint
    WHERE conrelid = %s::regclass AND contype = 'f' ORDER BY conname
"""
_INDEXES: LiteralString = """
    SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index
    WHERE indrelid = %s::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
    ORDER BY indexrelid::regclass::text
"""
# Those of rows are inherited, those of statements are not: with `{}` for the name of the table.
_TRIGGERS: LiteralString = """
    SELECT replace(pg_get_triggerdef(oid), ' ON remembrancer.' || quote_ident(%(name)s) || ' ', ' ON {} ')
    FROM pg_trigger
    WHERE tgrelid = %(table)s::regclass AND NOT tgisinternal AND (tgtype & 1)::boolean = %(rows)s ORDER BY tgname
"""
_GRANTS: LiteralString = """
    SELECT format('GRANT %%s ON {} TO %%s', privilege_type, grantee::regrole)
    FROM (SELECT oid AS of, relowner, (aclexplode(relacl)).* FROM pg_class) AS of_tables
    WHERE of = %(table)s::regclass AND grantee <> relowner
    UNION ALL
    SELECT format('GRANT %%s (%%I) ON {} TO %%s', privilege_type, attname, grantee::regrole)
    FROM (SELECT attrelid, attname, (aclexplode(attacl)).* FROM pg_attribute) AS of_columns
    WHERE attrelid = %(table)s::regclass
    ORDER BY 1
"""
_POLICIES: LiteralString = """
    SELECT format(
            'CREATE POLICY %%I ON {} AS %%s FOR %%s TO %%s', policyname, permissive, cmd, array_to_string(roles, ', ')
        )
        || COALESCE(' USING (' || qual || ')', '') || COALESCE(' WITH CHECK (' || with_check || ')', '')
    FROM pg_policies WHERE schemaname = 'remembrancer' AND tablename = %s ORDER BY policyname
"""
_NUMBERED: LiteralString = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attidentity <> ''"
_SCHEMA_GRANTS: LiteralString = """
    SELECT format('GRANT %%s ON SCHEMA {} TO %%s', privilege_type, grantee::regrole)
    FROM (SELECT nspname, nspowner, (aclexplode(nspacl)).* FROM pg_namespace) AS grants
    WHERE nspname = %s AND grantee <> nspowner ORDER BY 1
"""
_PATH_OF: LiteralString = """
    CREATE OR REPLACE FUNCTION remembrancer_ops.path_of(tenant text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
        SELECT COALESCE((
            SELECT 'remembrancer_p' || remainder || ', ' FROM generate_series(0, {count} - 1) AS remainder
            WHERE tenant <> ''
                AND satisfies_hash_partition('remembrancer.records'::regclass, {count}, remainder, tenant)
        ), '') || 'remembrancer, remembrancer_ops, public'
    $$
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Definition:
    """The parts of a table besides its columns, as statements.

    Args:
        options: of the storage of each partition.
        keys, indexes, row_triggers: of the whole table; partitions inherit them.
        references: of each partition, to tables of the same partition.
        own: of the whole table and of each partition, with `{}` for the name of the table: triggers of statements,
            row-level security and grants.
        numbered: the column that the database numbers, and its next number.
    """

    name: str
    options: str
    keys: list[str]
    indexes: list[str]
    row_triggers: list[str]
    references: list[str]
    own: list[str]
    numbered: tuple[str, int] | None


def partition_count(raw: Raw) -> int:
    """Return the number of partitions of each table; 0 if they are not partitioned."""
    return int(_texts(raw, _COUNT)[0])


def locks_for(count: int) -> int:
    """Return the `max_locks_per_transaction` for a number of partitions on a server with 100 connections."""
    return max(64, -(-count * _LOCKS_EACH // _CONNECTIONS))


def partition(raw: Raw, count: int, *, owner: str) -> None:
    """Partition every table by a hash of the tenant, with its rows, in the transaction of the caller.

    Args:
        raw: of an administrator.
        count: of the partitions of each table.
        owner: the role that owns the tables.

    Raises:
        InvalidInput: the number is not possible.
        StoreError: the server is too old.
    """
    if not 1 <= count <= MOST_PARTITIONS:
        raise InvalidInput(f"partitions must be 1 to {MOST_PARTITIONS}, not {count}")
    if raw.info.server_version < _OLDEST_SERVER * 10_000:
        raise StoreError(
            f"partitions need PostgreSQL {_OLDEST_SERVER} or newer; this server is {raw.info.server_version // 10_000}"
        )
    names = _texts(raw, _TABLES)
    # Of a table in use, rows and numbers that came after a first look would be missing. Every transaction reads its
    # scopes first: with those locked, the others end, and none waits for us with locks of its own.
    for name in sorted(names, key=lambda one: one != "scopes"):
        _run(raw, f"LOCK TABLE {_in('remembrancer', name)} IN ACCESS EXCLUSIVE MODE")
    former = partition_count(raw)
    # One partition of a table that is partitioned; its names are those of the whole table.
    part = _schema(0) if former else "remembrancer"
    _run(raw, f"SET LOCAL search_path TO {part}, remembrancer_ops, public")
    found = [_definition(raw, name, part) for name in names]
    grants = _texts(raw, _SCHEMA_GRANTS, "remembrancer")
    _run(raw, "RESET ROLE")
    _run(raw, f"ALTER SCHEMA remembrancer RENAME TO {_OLD}")
    for number in range(former):
        _run(raw, f"ALTER SCHEMA {_schema(number)} RENAME TO {_OLD}_{number}")
    for schema in ("remembrancer", *map(_schema, range(count))):
        _run(raw, f"CREATE SCHEMA {schema} AUTHORIZATION {owner}")
        for grant in grants:
            _run(raw, grant.format(schema))
    _run(raw, f"SET LOCAL ROLE {owner}")
    for one in found:
        _create(raw, one, count)
    for number in range(count):
        _run(raw, f"SET LOCAL search_path TO {_schema(number)}, remembrancer_ops, public")
        for one in found:
            for statement in one.references:
                _run(raw, statement)
    raw.execute(sql.SQL(_PATH_OF).format(count=sql.Literal(count)))
    _run(raw, "RESET ROLE")
    for schema in (_OLD, *(f"{_OLD}_{number}" for number in range(former))):
        _run(raw, f"DROP SCHEMA {schema} CASCADE")
    for one in found:
        _run(raw, f"ANALYZE {_in('remembrancer', one.name)}")


def _definition(raw: Raw, name: str, part: str) -> _Definition:
    """Return the parts of a table besides its columns.

    Args:
        part: the schema of one of its partitions.
    """
    named, of_part = _in("remembrancer", name), _in(part, name)
    numbered = _texts(raw, _NUMBERED, named)
    return _Definition(
        name=name,
        options=next(iter(_texts(raw, _OPTIONS, of_part)), ""),
        keys=_texts(raw, _KEYS, named),
        indexes=_texts(raw, _INDEXES, named),
        row_triggers=_texts(raw, _TRIGGERS, table=named, name=name, rows=True),
        references=_texts(raw, _REFERENCES, of_part),
        own=[
            *_texts(raw, _TRIGGERS, table=named, name=name, rows=False),
            "ALTER TABLE {} ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE {} FORCE ROW LEVEL SECURITY",
            *_texts(raw, _POLICIES, name),
            *_texts(raw, _GRANTS, table=named),
        ],
        numbered=(numbered[0], _next_number(raw, named, numbered[0])) if numbered else None,
    )


def _create(raw: Raw, one: _Definition, count: int) -> None:
    """Create a partitioned table with the rows of the old one, without its references."""
    named, old = _in("remembrancer", one.name), _in(_OLD, one.name)
    properties = ("DEFAULTS", "CONSTRAINTS", "IDENTITY", "STORAGE", "COMPRESSION", "COMMENTS")
    included = " ".join(f"INCLUDING {one}" for one in properties)
    _run(raw, f"CREATE TABLE {named} (LIKE {old} {included}) PARTITION BY HASH (tenant)")
    options = f" WITH ({one.options})" if one.options else ""
    parts = [_in(_schema(number), one.name) for number in range(count)]
    for number, part in enumerate(parts):
        _run(
            raw,
            f"CREATE TABLE {part} PARTITION OF {named} FOR VALUES WITH (MODULUS {count}, REMAINDER {number}){options}",
        )
    # The owner reads the rows of all tenants.
    _run(raw, f"ALTER TABLE {old} NO FORCE ROW LEVEL SECURITY")
    _run(raw, f"INSERT INTO {named} OVERRIDING SYSTEM VALUE SELECT * FROM {old}")
    if one.numbered is not None:
        column, number = one.numbered
        raw.execute("SELECT setval(pg_get_serial_sequence(%s, %s), %s, false)", (named, column, number))
    _run(raw, "SET LOCAL search_path TO remembrancer, remembrancer_ops, public")
    for statement in (*one.keys, *one.indexes, *(trigger.format(named) for trigger in one.row_triggers)):
        _run(raw, statement)
    for statement in one.own:
        for name in (named, *parts):
            _run(raw, statement.format(name))


def _schema(number: int) -> str:
    return f"remembrancer_p{number}"


def _in(schema: str, name: str) -> str:
    return sql.Identifier(schema, name).as_string(None)


def _next_number(raw: Raw, named: str, column: str) -> int:
    (sequence,) = _texts(raw, "SELECT pg_get_serial_sequence(%s, %s)", named, column)
    return int(_texts(raw, cast(LiteralString, f"SELECT last_value + is_called::int FROM {sequence}"))[0])


def _texts(raw: Raw, statement: LiteralString, *values: object, **named: object) -> list[str]:
    return [str(row[0]) for row in raw.execute(statement, cast(Any, named or values or None)).fetchall()]


def _run(raw: Raw, statement: str) -> None:
    raw.execute(statement.encode())
