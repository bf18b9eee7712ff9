"""Fresh databases on the tests' PostgreSQL: copies of one that was prepared once."""

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

from remembrancer.storage.postgres.roles import prepare

SECRET = "a key that only these tests have"
LOGIN = "tester"
_PASSWORD = "tester"
_TEMPLATE = "remembrancer_template"
_LOCK = 771
# Tables of a test have few rows: to delete them takes a third of the time that truncating all tables takes.
_EMPTY = """
DO $$
DECLARE one record;
BEGIN
    FOR one IN SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname LIKE 'remembrancer%' AND tablename NOT IN ('migrations', 'kinds', 'statuses') LOOP
        EXECUTE 'DELETE FROM ' || one.name;
    END LOOP;
    FOR one IN SELECT format('%I.%I', schemaname, sequencename) AS name, start_value FROM pg_sequences
        WHERE schemaname LIKE 'remembrancer%' AND last_value IS NOT NULL LOOP
        PERFORM setval(one.name, one.start_value, false);
    END LOOP;
END $$
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """One database and two roads to it."""

    admin_url: str
    serving_url: str


def at(url: str, *, database: str, user: str = "", password: str = "") -> str:
    """The same server's address of another database, as another role where one is given."""
    parts = urlsplit(url)
    role = f"{user}:{password}@" if user else f"{parts.netloc.rpartition('@')[0]}@"
    return urlunsplit((parts.scheme, role + parts.netloc.rpartition("@")[2], f"/{database}", parts.query, ""))


@contextmanager
def fresh(admin_url: str, *, partitions: int | None = None) -> Generator[Database]:
    """A prepared database of its own, dropped when the block ends.

    Args:
        partitions: of its tables.
    """
    name = f"test_{secrets.token_hex(6)}"
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        _make_template(admin, admin_url)
        admin.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), sql.Identifier(_TEMPLATE)))
        admin.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))
        try:
            if partitions is not None:
                prepare(at(admin_url, database=name), role=LOGIN, partitions=partitions)
            yield Database(
                admin_url=at(admin_url, database=name),
                serving_url=at(admin_url, database=name, user=LOGIN, password=_PASSWORD),
            )
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def as_admin(database: Database, statement: LiteralString, *values: object) -> list[tuple[Any, ...]]:
    """The rows of a statement of an administrator, whom no row-level security binds."""
    with psycopg.connect(database.admin_url) as raw:
        raw.execute("SET search_path TO remembrancer, remembrancer_ops, public")
        return raw.execute(statement, values).fetchall()


def emptied(database: Database) -> None:
    """Take everything out of a database, so that the next test finds it as if it were new."""
    with psycopg.connect(database.admin_url) as admin:
        # The audit log refuses to be emptied by anybody whom triggers bind.
        admin.execute("SET LOCAL session_replication_role = replica")
        admin.execute(_EMPTY)
        indexes = admin.execute("SELECT indexname FROM pg_indexes WHERE indexname LIKE 'vectors_near_%'").fetchall()
        for (name,) in indexes:
            admin.execute(sql.SQL("DROP INDEX remembrancer.{}").format(sql.Identifier(name)))


def _make_template(admin: psycopg.Connection, admin_url: str) -> None:
    """The prepared database, made and brought up to date."""
    if admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", (_TEMPLATE,)).fetchone() is None:
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_TEMPLATE)))
    prepare(at(admin_url, database=_TEMPLATE), role=LOGIN, password=_PASSWORD)
