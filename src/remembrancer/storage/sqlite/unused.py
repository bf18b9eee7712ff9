"""Taking away a store that was made for work which then wrote nothing: a mistyped import leaves no database."""

from pathlib import Path
from typing import Any

import apsw

# What a store has rows in before anybody has written to it.
_BUILT_IN = ("migrations", "store", "kinds", "statuses")


def discard_unused(path: str, key: Path | None) -> bool:
    """Remove a store in which nothing is, unless anybody else has it open; return whether it is gone. Blocking.

    Args:
        key: the file of its key, where that is to go with it.
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
