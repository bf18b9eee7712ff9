"""Each database's own catalogue: what holds text is erased, exported and classified, or stands here with a reason.

What is there is asked of the database, and what erasure and archives do with it is tried, so that a new table or column
fails until somebody has thought of it.
"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import apsw
import psycopg
import pytest
from psycopg import sql

from remembrancer import open_memory
from remembrancer.assembly.administration import copy_store
from remembrancer.storage.archives import ARCHIVED
from tests.copying.filling import SCOPES, drop_invented, fill
from tests.databases import SECRET, Database

TENANT = SCOPES[0].tenant
Columns = dict[str, set[str]]
Held = dict[tuple[str, str], set[str]]

# Tables that hold nothing of anybody.
OF_NOBODY: Mapping[str, str] = {
    "breakers": "names models and purposes, of the whole store",
    "generations": "names encoders, of the whole store",
    "kinds": "words of ours",
    "statuses": "words of ours",
    "migrations": "names of our files",
    "store": "a fingerprint of the key, and the analyser's name",
    "leases": "fingerprints of work, for as long as it lasts",
}
# What stays of a tenant that was erased.
STAYS: Mapping[str, str] = {
    "audit": "is append-only: it names the tenant, and nobody else once the keys of its scopes are gone",
}
# What no archive and no export holds, by table or column.
NOT_EXPORTED: Mapping[str, str] = {
    **OF_NOBODY,
    "access_keys": "opens this store, and no other",
    "audit": "says what was done in this store; `audit list` and the report tell it",
    "blocks": "numbers of what was served here; no text",
    "calls": "the ledger of this store's money",
    "jobs": "work of this store that goes on or has ended",
    "idempotency_keys": "idempotency keys: what was asked of this store, as fingerprints",
    "maintenance_runs": "how far this store's nights have come, in counts",
    "policies": "what this store's operator has said; `holds`, `retention policies` and `redactions` tell it",
    "postings": "the text index: made anew from the texts",
    "document_terms": "the text index: made anew from the texts",
    "vectors": "made anew from the texts",
    "imports": "fingerprints of files that were imported here",
    "rejections": "fingerprints under this store's key; made anew from what was called wrong",
    "requests": "answers of a day that are given again by idempotency key",
    "tombstones": "fingerprints under this store's key",
    "counters": "counts rows of this store",
    "placements": "says in which database of this store a tenant is",
    "logged_changes": "is empty when no tenant moves to another database",
    "scopes.tenant": "an archive comes to the tenant of whoever takes it",
    "scopes.audit_key": "the key of this store's log",
    "*.tenant": "an archive comes to the tenant of whoever takes it",
}
# How each column whose text could tell of a memory is kept from whom its class is closed to.
OWN_CLASS = {"records", "versions", "chunks"}
CLASSED_OTHERWISE: Mapping[str, str] = {
    **OF_NOBODY,
    "evidence": "ids: a source that is closed is not named (`_BASIS`)",
    "injections": "ids: told where the record is open (`{record_open}`)",
    "verdicts": "told of a record that is open",
    "weights": "told of a record that is open",
    "idempotency_keys": "fingerprints; ids of what the same caller wrote",
    "postings": "searched without what is hidden (`Shard.hidden`)",
    "document_terms": "searched without what is hidden (`Shard.hidden`)",
    "vectors": "searched without what is hidden (`Shard.hidden`)",
    "imports": "fingerprints, and the name of a file or place that its importer gave",
    "tombstones": "fingerprints",
    "rejections": "fingerprints",
    "requests": "sealed for a caller of the same clearance and rights",
    "audit": "ids are told to whom nothing is closed",
    "access_keys": "an operator's",
    "policies": "what binds everybody: reasons and names that an operator wrote for all to read",
    "jobs": "counts, and failures in words of ours",
    "maintenance_runs": "counts, and what was refused in words of ours",
    "calls": "names of models, and costs",
    "blocks": "names of sessions, and counts",
    "sessions": "names of sessions, which whoever is in the scope gives and sees",
    "logs": "names of sessions",
    "scopes": "names of scopes: the wall itself",
    "counters": "counts",
}
CLASSED_ON_A_SERVER: Mapping[str, str] = {
    **CLASSED_OTHERWISE,
    "placements": "names of tenants and databases",
    "logged_changes": "keys of rows, which no operation reads",
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with something in every table, its key known."""
    path = tmp_path_factory.mktemp("filled") / "m.db"

    async def make() -> None:
        await fill(path, steps=40)
        drop_invented(path)

    anyio.run(make)
    return path


class File:
    """A file, and what its catalogue says."""

    def __init__(self, path: Path) -> None:
        self.where: dict[str, Any] = {"db": str(path)}
        self._path = path

    def texts(self) -> Columns:
        """The columns of each table that may hold text."""
        with closing(apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            loosely: Any = connection
            names = [
                row[0]
                for row in loosely.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
                if not row[0].startswith("sqlite_")
            ]
            return {
                name: {
                    row[1]
                    for row in loosely.execute(f"PRAGMA table_info('{name}')")
                    if row[2] not in ("INTEGER", "REAL")
                }
                for name in names
            }

    def held(self) -> Held:
        """The rows of each table that names a tenant, by table and tenant."""
        found: Held = {}
        with closing(apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            loosely: Any = connection
            for name, columns in self.texts().items():
                if "tenant" in columns:
                    for tenant, *row in loosely.execute(f"SELECT tenant, * FROM {name}"):
                        found.setdefault((name, tenant), set()).add(repr(row))
        return found


class Server:
    """A database of a server, and what its catalogue says."""

    def __init__(self, database: Database) -> None:
        self.where: dict[str, Any] = {"db": database.serving_url, "secret_key": SECRET}
        self._url = database.admin_url

    def _columns(self) -> dict[tuple[str, str], set[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        with psycopg.connect(self._url) as connection:
            for schema, table, column in connection.execute(
                """
                SELECT table_schema, table_name, column_name FROM information_schema.columns
                JOIN information_schema.tables USING (table_schema, table_name)
                WHERE table_schema LIKE 'remembrancer%' AND table_type = 'BASE TABLE'
                    AND data_type NOT IN ('bigint', 'integer', 'smallint', 'boolean', 'real', 'double precision')
                    AND data_type NOT LIKE 'timestamp%' AND table_name NOT LIKE 'procrastinate%'
                """
            ):
                found.setdefault((schema, table), set()).add(column)
        return found

    def texts(self) -> Columns:
        """The columns of each table that may hold text."""
        return {table: columns for (_, table), columns in self._columns().items()}

    def held(self) -> Held:
        """The rows of each table that names a tenant, by table and tenant."""
        found: Held = {}
        with psycopg.connect(self._url) as connection:
            for (schema, table), columns in self._columns().items():
                if "tenant" in columns:
                    rows = connection.execute(
                        sql.SQL("SELECT tenant, whole::text FROM {}.{} AS whole").format(
                            sql.Identifier(schema), sql.Identifier(table)
                        )
                    )
                    for tenant, row in rows:
                        found.setdefault((table, tenant), set()).add(row)
        return found


@pytest.fixture(params=["file", "server"])
def store(request: pytest.FixtureRequest, filled: Path, tmp_path: Path) -> File | Server:
    """Either database, with something in every table of memories."""
    if request.param == "file":
        for end in ("", ".key"):
            (tmp_path / f"m.db{end}").write_bytes(Path(f"{filled}{end}").read_bytes())
        return File(tmp_path / "m.db")
    database: Database = request.getfixturevalue("database")
    secret = Path(f"{filled}.key").read_text(encoding="ascii").strip()
    anyio.run(lambda: copy_store(str(filled), database.serving_url))
    server = Server(database)
    server.where["secret_key"] = secret
    return server


def test_the_catalogue_is_erased_exported_and_classified_or_says_why_not(store: File | Server) -> None:
    texts, before = store.texts(), store.held()

    async def work() -> None:
        async with open_memory(**store.where, embedder="none", background=False, tenant=TENANT) as memory:
            await memory.governance.erasure.erase(tenant=TENANT, reason="the contract ended")

    anyio.run(work)
    # Classified: nothing is in a table that nobody has thought of.
    classed = CLASSED_ON_A_SERVER if isinstance(store, Server) else CLASSED_OTHERWISE
    assert {table for table in texts if table not in OWN_CLASS} == set(classed)
    assert all("classification" in texts[table] for table in OWN_CLASS)
    # Exported: each column stands in an archive, or here.
    exported = exported_columns()
    left_out = {
        f"{table}.{column}"
        for table, columns in texts.items()
        for column in columns
        if column not in exported.get(table, set())
        and not {table, f"{table}.{column}", f"*.{column}"} & set(NOT_EXPORTED)
    }
    assert left_out == set()
    assert {name for name in NOT_EXPORTED if "." not in name and exported.get(name)} == set()
    # Erased: of the tenant nothing is left, and of others everything.
    after = store.held()
    assert len({table for table, tenant in before if tenant == TENANT}) > 20
    assert {table for table, tenant in after if tenant == TENANT} == set(STAYS)
    assert {key for key in before if key[1] != TENANT and before[key] != after.get(key)} == set()
    # And no table escapes by naming no tenant.
    assert {table for table, columns in texts.items() if "tenant" not in columns} == set(OF_NOBODY)


def exported_columns() -> Columns:
    """The columns that an archive holds, by table."""
    found = {table.value: {column.name for column in of} for table, of in ARCHIVED.items()}
    return {**found, "scopes": {"project", "agent", "user"}}
