"""One connection to a SQLite file, its settings, and its errors in our words."""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import random
from time import monotonic, sleep
from typing import Any, LiteralString
from weakref import WeakSet

import apsw

from remembrancer.errors import StoreError, StoreUnavailable
from remembrancer.storage.connection import Arguments, SqlConnection
from remembrancer.storage.sqlite.damaged import Cursor, Damage, damaged, is_repairable, readable, repair
from remembrancer.storage.threads import unwanted
from remembrancer.types.text import same_name

PATIENCE_SECONDS = 30.0
# Who waits looks again after a part of this, by chance: the sooner, the longer it has waited.
_STEP_SECONDS = 0.02
CLOSED = "this memory is closed; open it again"
Row = tuple[Any, ...]

_SETTINGS: tuple[LiteralString, ...] = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA cache_size = -65536",
    "PRAGMA temp_store = MEMORY",
)


class _Inherited:
    """The connections that a forked process inherits.

    They are closed at once: SQLite would mistake their locks for those of connections opened here, and a journal could
    be
    removed under a writer.
    """

    def __init__(self) -> None:
        self._open = WeakSet["SQLiteConnection"]()
        self._in_use = False

    def add(self, connection: "SQLiteConnection") -> None:
        """Register a connection.

        Raises:
            StoreError: this process was forked amid a statement or a transaction, which cannot be closed here.
        """
        if self._in_use:
            raise StoreError("this process was forked while a memory was at work; start it by spawning instead")
        self._open.add(connection)

    def forget(self, connection: "SQLiteConnection") -> None:
        """Unregister a connection whose file did not open."""
        self._open.discard(connection)

    def close(self) -> None:
        """Close all connections of the process before."""
        connections = list(self._open)
        self._in_use = self._in_use or any(one.at_work or one.in_transaction for one in connections)
        if not self._in_use:
            for one in connections:
                one.close()
        self._open.clear()


_inherited = _Inherited()
os.register_at_fork(after_in_child=_inherited.close)


class SQLiteConnection(SqlConnection):
    """Statements on one SQLite connection. Blocking; used by one thread at a time."""

    def __init__(
        self,
        path: str,
        *,
        durable: bool = False,
        read_only: bool = False,
        streaming: bool = False,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._patience = patience
        self._waited_since = 0.0
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        self.at_work = False
        with self._working():
            _inherited.add(self)
            try:
                self._connection = _opened(path, flags)
            except BaseException:
                _inherited.forget(self)
                raise
            # apsw lists each type that SQLite can bind and return; here every value comes from a typed caller.
            loosely: Any = self._connection
            self._execute: Any = loosely.execute
            self._execute_many: Any = loosely.executemany
            self._cursor: Callable[[], Cursor] = loosely.cursor
            self._connection.set_busy_handler(self._wait)
            loosely.create_scalar_function("nfc", _composed, 1, deterministic=True)
            # A statement that returns a row stops an `execute` of several: so one at a time, each read to its end.
            for setting in _SETTINGS:
                self.rows(setting)
            if streaming:
                self.keep_little()
            elif read_only:
                # Scattered reads of vectors are a fifth faster without being copied (25 to 20 ms a question at 100k).
                self.rows("PRAGMA mmap_size = 1073741824")
            else:
                if not self._connection.readonly("main"):
                    self._write_ahead()
                self.rows("PRAGMA synchronous = FULL" if durable else "PRAGMA synchronous = NORMAL")

    def keep_little(self) -> None:
        """Keep few pages in memory from now on: each is needed once."""
        self.rows("PRAGMA cache_size = -4096")

    def keep_usual(self) -> None:
        """Keep the usual number of pages in memory."""
        self.rows("PRAGMA cache_size = -65536")

    def rows(self, statement: LiteralString, values: Arguments = (), *, replan: bool = False) -> list[Row]:
        """Return every row of a statement; if a text is not UTF-8, the legible rows."""
        with self._working():
            try:
                found: list[Row] = self._execute(statement, values).fetchall()
            except UnicodeDecodeError:
                return readable(self._cursor(), statement, values)
            return found

    def damaged(self) -> list[Damage]:
        """Return every text of the file that is not UTF-8."""
        with self._working():
            return list(damaged(self._cursor()))

    def repair_text(self, damage: Damage) -> bool:
        """Replace the damaged bytes of a text by U+FFFD; return False if that would make another word of it."""
        if not is_repairable(damage):
            return False
        with self._working():
            try:
                repair(self._cursor(), damage)
            except apsw.ConstraintError:
                return False
            return True

    def _write_ahead(self) -> None:
        """Set the write-ahead mode; when many set it at once, SQLite refuses some instead of waiting."""
        until = monotonic() + self._patience
        while True:
            try:
                self._execute("PRAGMA journal_mode = WAL").fetchall()
            except apsw.BusyError:
                if monotonic() > until or unwanted():
                    raise
                sleep(_STEP_SECONDS * random())  # noqa: S311 -- no secret
            else:
                return

    def run(self, statement: LiteralString, values: Arguments = ()) -> int:
        """Run a statement; return the number of rows that it changed."""
        self.rows(statement, values)
        return self._connection.changes()

    def run_many(self, statement: LiteralString, values: Sequence[Arguments]) -> None:
        """Run a statement once for each set of values."""
        with self._working():
            for _ in self._execute_many(statement, values):
                pass

    def set_each(
        self,
        table: LiteralString,
        columns: Mapping[LiteralString, LiteralString],
        scope: int,
        rows: Sequence[Sequence[object]],
    ) -> None:
        """Set some columns in many rows of a scope; each row begins with its id."""
        changes = ", ".join(f"{column} = ?" for column in columns)
        sql: LiteralString = f"UPDATE {table} SET {changes} WHERE +scope = ? AND id = ?"
        self.run_many(sql, [(*values, scope, id) for id, *values in rows])

    def insert_each(
        self, table: LiteralString, columns: Mapping[LiteralString, LiteralString], rows: Sequence[Sequence[object]]
    ) -> None:
        """Insert many rows; an existing one stays."""
        marks = ", ".join("?" for _ in columns)
        sql: LiteralString = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
        self.run_many(sql, rows)

    def script(self, sql: str) -> None:
        """Run the statements of a migration file, each to its end."""
        with self._working():
            for _ in self._execute(sql):
                pass

    @contextmanager
    def _working(self) -> Generator[None, None, None]:
        """Mark the connection as at work within SQLite, and translate its errors."""
        before, self.at_work = self.at_work, True
        try:
            with translated():
                yield
        finally:
            self.at_work = before

    @contextmanager
    def patience(self, seconds: float) -> Generator[None, None, None]:
        """Limit the time to wait for other processes."""
        before, self._patience = self._patience, min(seconds, self._patience)
        try:
            yield
        finally:
            self._patience = before

    def _wait(self, times: int) -> bool:
        """Wait a little for another process's lock; return False to stop waiting."""
        now = monotonic()
        if times == 0:
            self._waited_since = now
        if now - self._waited_since >= self._patience or unwanted():
            return False
        sleep(_STEP_SECONDS * random() / (1 + now - self._waited_since))  # noqa: S311 -- no secret
        return True

    @property
    def in_transaction(self) -> bool:
        """True while a transaction is open; False for a closed connection."""
        with suppress(apsw.ConnectionClosedError):
            return self._connection.in_transaction
        return False

    def roll_back(self) -> None:
        """End a transaction without its changes; harmless where an error has ended it already."""
        if self.in_transaction:
            self.run("ROLLBACK")

    def checkpoint(self) -> bool:
        """Copy the journal to the main file without waiting for other connections; return True if all was copied."""
        # While another connection makes a checkpoint the counts are -1.
        is_busy, pages, copied = self.only("PRAGMA wal_checkpoint(PASSIVE)")
        return not is_busy and pages == copied

    def truncate_journal(self, seconds: float) -> bool:
        """Empty the journal; return False if another process still reads it after some seconds."""
        with self.patience(seconds):
            row = self.row("PRAGMA wal_checkpoint(TRUNCATE)")
        return row is None or row[0] == 0

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._connection.close()


def _composed(name: str | None) -> str | None:
    """Return a name in the form in which names are compared, for migrations."""
    return None if name is None else same_name(name)


def _opened(path: str, flags: int) -> apsw.Connection:
    """Return a connection to a file; read-only if neither the file nor its folder is writable.

    Raises:
        StoreError: there is a journal as well, which cannot be read there.
    """
    connection = apsw.Connection(path, flags=flags, statementcachesize=200)
    try:
        with suppress(apsw.BusyError, apsw.LockedError):
            loosely: Any = connection
            loosely.execute("PRAGMA schema_version").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # It may not make the file for the locks of its journal.
        connection.close()
    except apsw.Error:
        connection.close()
        raise
    else:
        return connection
    file, journal = Path(path), Path(f"{path}-wal")
    if journal.exists() and journal.stat().st_size:
        raise StoreError(f"the database has a journal, which cannot be read while the folder of {path!r} is read-only")
    # No process can write to it here, and it needs no file for locks.
    address = f"{file.absolute().as_uri()}?immutable=1"
    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI, statementcachesize=200)


@contextmanager
def translated() -> Generator[None, None, None]:
    """Translate SQLite's errors."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreUnavailable(
            "the database is busy: other processes have it to themselves; nothing of this was written, try again"
        ) from error
    except (apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreUnavailable(f"the database cannot be opened: {error}") from error
    except (apsw.FullError, apsw.IOError) as error:
        raise StoreUnavailable(f"the database cannot be read or written: {error}") from error
    except apsw.ReadOnlyError as error:
        raise StoreError("the database may only be read; check the file's permissions") from error
    except apsw.ConnectionClosedError as error:
        raise StoreError(CLOSED) from error
    except apsw.NotADBError as error:
        raise StoreError("the file is not a SQLite database; name another one") from error
    except apsw.CorruptError as error:
        raise StoreError(f"the database file is damaged ({error}); restore a backup") from error
    except apsw.Error as error:
        raise StoreError(f"the database refused a statement: {error}") from error
