"""The file of a store in SQLite: its path, its tables, and the file of its key next to it."""

import json
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from time import monotonic, sleep
from typing import Any, LiteralString

import apsw

from remembrancer.errors import InvalidInput, SchemaMismatch, StoreError, StoreUnavailable
from remembrancer.storage.maintenance import COUNTED_TABLES
from remembrancer.storage.migrations import WORDS, Migration, migrations, pending, unwritten
from remembrancer.storage.secret import (
    adopt_secret,
    foreign_key,
    keep_secret,
    known_by,
    load_secret,
    of_key,
    own_key,
    stage_secret,
    staged_secret,
)
from remembrancer.storage.sqlite.connection import PATIENCE_SECONDS, SQLiteConnection
from remembrancer.storage.values import DAMAGED

IN_MEMORY = ":memory:"
_JOURNAL_SECONDS = 1.0
_FINGERPRINT: LiteralString = "SELECT fingerprint FROM store"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """Options for opening a file; see `SQLiteStore.open`."""

    secret: str | None = None
    durable: bool = False
    create: bool = True
    keep_key: bool = False
    known: str | None = None
    patience: float = PATIENCE_SECONDS


def open_file(path: str, options: FileOptions) -> tuple[SQLiteConnection, bytes]:
    """Open or create a file and bring it up to date; return its writer and the store's own key. Blocking."""
    if path != IN_MEMORY:
        _check_path(Path(path), create=options.create)
        if _lacks_journal(path):
            raise _without_tables(path)
        _make_private(path)
    connection = SQLiteConnection(path, durable=options.durable, patience=options.patience)
    try:
        if path != IN_MEMORY and not options.create and connection.value("SELECT COUNT(*) FROM sqlite_schema") == 0:
            raise _without_tables(path)
        is_upgraded = _migrate(connection)
        _write_words(connection)
        if is_upgraded:
            # Else a new store is a bare header for as long as its journal is small.
            connection.checkpoint()
        count_rows(connection)
        return connection, _own_key(connection, path, options)
    except BaseException:
        connection.close()
        raise


def key_file(path: str) -> Path:
    """Return the file of a store's key: next to the database itself, or next to a link to it."""
    next_to_link = Path(f"{path}.key")
    return next_to_link if next_to_link.exists() else Path(f"{os.path.realpath(path)}.key")


def rotate_key(path: str, *, opening: str | None, new: bytes | None) -> None:
    """Replace the key that opens a file; the store goes on to sign by its own key.

    Args:
        opening: the key that opens it now; by default that of the file `PATH.key`, which then contains the new one.
        new: a random one by default.

    Raises:
        InvalidInput: there is no such file, it contains no memories, or the key is not the one that opens it.
        StoreUnavailable: the key file cannot be written.
    """
    file, fresh = key_file(path), new or secrets.token_bytes(32)
    _check_path(Path(path), create=False)
    connection = SQLiteConnection(path)
    try:
        if connection.value("SELECT 1 FROM sqlite_schema WHERE name = 'store'") is None:
            raise InvalidInput(f"the database {path!r} contains no memories; name another one")
        connection.run("BEGIN IMMEDIATE")
        own = _own_key(connection, path, FileOptions(secret=opening))
        if opening is None:
            stage_secret(fresh, file)
        connection.run("UPDATE store SET fingerprint = ?", (known_by(fresh, own),))
        connection.run("COMMIT")
    finally:
        connection.close()
    if opening is None:
        adopt_secret(file)


def bytes_on_disk(path: str) -> int:
    """Return the size of a database with its journal."""
    return sum(file.stat().st_size for suffix in ("", "-wal") if (file := Path(path + suffix)).exists())


def _own_key(connection: SQLiteConnection, path: str, options: FileOptions) -> bytes:
    """Return the store's own key; a new store is created with the key that it is opened with."""
    file = None if path == IN_MEMORY else key_file(path)
    known: str | None = connection.value(_FINGERPRINT)
    key = load_secret(options.secret, file, make=known is None)
    if known is None:
        if options.keep_key and file is not None:
            keep_secret(key, file)
        fingerprint = options.known or of_key(key)
        connection.run("INSERT OR IGNORE INTO store (only, fingerprint) VALUES (1, ?)", (fingerprint,))
        # Of two processes that create the store at once, the other one may have written its key.
        known = connection.value(_FINGERPRINT)
    if own := own_key(key, known or ""):
        return own
    if (
        options.secret is None
        and file is not None
        and (staged := staged_secret(file))
        and (own := own_key(staged, known or ""))
    ):
        adopt_secret(file)
        return own
    raise foreign_key(options.secret, file)


def _without_tables(path: str) -> StoreError:
    return StoreError(
        f"the database {path!r} contains no tables: it was probably copied while it was open, without its journal"
        f" ({path}-wal); copy both, or make a copy with `remembrancer backup make`"
    )


def _lacks_journal(path: str) -> bool:
    """Return True if a file is the header of a database alone, and its journal does not appear."""
    # Another process may be creating the store: its journal follows at once.
    until = monotonic() + _JOURNAL_SECONDS
    while _is_bare_header(Path(path)):
        if monotonic() >= until:
            return True
        sleep(_JOURNAL_SECONDS / 50)
    return False


def _is_bare_header(path: Path) -> bool:
    """Return True if a file has one page, no schema, and the write-ahead mode without a journal."""
    if os.path.exists(f"{path}-wal") or not path.is_file():
        return False
    with path.open("rb") as file:
        header = file.read(100)
    return (
        len(header) == 100
        and header.startswith(b"SQLite format 3\0")
        and header[18:20] == b"\x02\x02"
        and header[40:44] == bytes(4)
    )


def _make_private(path: str) -> None:
    """Make a new database file readable by its owner alone; its journals get the same mode."""
    with suppress(FileExistsError, OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _check_path(path: Path, *, create: bool) -> None:
    if "\0" in str(path):
        raise InvalidInput("the name of a database contains a NUL character; remove it")
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except PermissionError as error:
        raise StoreUnavailable(f"the database {str(path)!r} cannot be reached: {error.strerror}") from error
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} is no file's name: {error.strerror}; name another one") from error
    if path.is_dir():
        raise InvalidInput(f"{str(path)!r} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise InvalidInput(f"{str(path)!r} is no file; name one")
    if not create and not (path.exists() and path.stat().st_size):
        raise InvalidInput(f"there is no database {str(path)!r}; correct its name, or make it by saving something")
    if not path.parent.is_dir():
        raise StoreUnavailable(f"the folder {str(path.parent)!r} does not exist; make it first")


def _migrate(connection: SQLiteConnection) -> bool:
    """Apply the missing migrations, under the write lock so that no two processes do; return True if any were."""
    known = migrations(__package__ or "")
    if not pending(known, _applied(connection, known)):
        return False
    connection.run("BEGIN IMMEDIATE")
    try:
        connection.run(
            """
            CREATE TABLE IF NOT EXISTS migrations (
                number INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL
            ) STRICT
            """
        )
        missing = pending(known, _applied(connection, known))
        for step in _new_schema(known) if missing == known else missing:
            _apply(connection, step)
        for migration in missing:
            connection.run(
                "INSERT INTO migrations VALUES (?, ?, ?)",
                (migration.number, migration.name, migration.sha256),
            )
        connection.run("COMMIT")
    except BaseException:
        connection.roll_back()
        raise
    return True


def _new_schema(known: list[Migration]) -> list[Migration]:
    """Return the tables of a new file in one step, in a tenth of the time of all migrations."""
    sql = files(__package__ or "").joinpath("schema.sql").read_text(encoding="utf-8")
    last = known[-1]
    is_current = sql.startswith(f"-- The tables after {last.name};")
    return [Migration(number=last.number, name="schema.sql", sql=sql)] if is_current else known


def _apply(connection: SQLiteConnection, migration: Migration) -> None:
    """Run the statements of a migration.

    Raises:
        SchemaMismatch: the tables differ from those that the migration before it creates.
    """
    try:
        connection.script(migration.sql)
    except StoreUnavailable:
        raise
    except StoreError as error:
        raise SchemaMismatch(
            f"migration {migration.name} cannot be applied ({error}): the note that it was may have been removed by"
            " another program; restore a backup"
        ) from error


def _write_words(connection: SQLiteConnection) -> None:
    """Fill the tables of words with those that this version knows."""
    for table in WORDS:
        stored = [row[0] for row in connection.rows("SELECT name FROM " + table)]
        missing = unwritten(table, [word for word in stored if DAMAGED not in word])
        if missing:
            # In one statement, which is one commit.
            connection.run("INSERT OR IGNORE INTO " + table + " SELECT value FROM json_each(?)", (json.dumps(missing),))


def _applied(connection: SQLiteConnection, known: Sequence[Migration]) -> dict[int, str]:
    # In one statement: between two of them another process may create the tables.
    names = {row[0] for row in connection.rows("SELECT name FROM sqlite_master")}
    if "migrations" not in names:
        if names:
            raise StoreError("the file is another program's SQLite database; name another one")
        return {}
    # A hash that the disk has damaged is the doctor's: the migration was not altered.
    rows = connection.rows("SELECT number, sha256 FROM migrations")
    expected = {migration.number: migration.sha256 for migration in known}
    return {row[0]: expected.get(row[0]) or row[1] if DAMAGED in row[1] else row[1] for row in rows}


def count_rows(connection: SQLiteConnection) -> None:
    """Count the rows that a connection adds and removes, from now on.

    The triggers are the connection's own: those of the file would count rows that another program deletes as ours.
    """
    for name in COUNTED_TABLES:
        connection.run(_on_insert(name))
        connection.run(_on_delete(name))


def _on_insert(name: LiteralString) -> LiteralString:
    return f"""
        CREATE TEMP TRIGGER IF NOT EXISTS {name}_on_insert AFTER INSERT ON main.{name} BEGIN
            INSERT INTO counters (scope, tenant, name, count) VALUES (NEW.scope, NEW.tenant, '{name}', 1)
            ON CONFLICT (scope, name) DO UPDATE SET count = count + 1;
        END
    """


def _on_delete(name: LiteralString) -> LiteralString:
    return f"""
        CREATE TEMP TRIGGER IF NOT EXISTS {name}_on_delete AFTER DELETE ON main.{name} BEGIN
            UPDATE counters SET count = count - 1 WHERE scope = OLD.scope AND name = '{name}';
        END
    """


# What a store has rows in before anybody has written to it.
_BUILT_IN = ("migrations", "store", "kinds", "statuses")


def discard_unused(path: str, key: Path | None) -> bool:
    """Delete a store without content, unless another process has it open; return True if it was deleted. Blocking.

    Args:
        key: the file of its key, to be deleted with it.
    """
    try:
        connection: Any = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    except apsw.Error:
        return False
    try:
        # SQLite leaves its journal for another kind only where this is the one connection.
        if connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
            return False
        connection.execute("BEGIN EXCLUSIVE")
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        if any(
            connection.execute(f'SELECT 1 FROM "{table}" LIMIT 1').fetchone()
            for table in tables
            if table not in _BUILT_IN
        ):
            return False
        Path(path).unlink()
        if key is not None:
            key.unlink(missing_ok=True)
        return True
    except (apsw.Error, OSError):
        return False
    finally:
        connection.close()
