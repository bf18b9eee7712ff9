"""Databases of other programs, as files that an import reads."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Final, LiteralString

from remembrancer.assembly.stores import import_extra
from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import TABLE
from remembrancer.storage.sqlite.foreign import is_sqlite, tables_of, write_rows

# By program, the tables that it has, and the rows that are read of each.
_PROGRAMS: Final[Mapping[str, Mapping[str, LiteralString]]] = {
    "Mem0": {
        "history": "SELECT * FROM history ORDER BY rowid",
        "messages": "SELECT * FROM messages ORDER BY rowid",
    },
    "OpenCode": {
        "session": "SELECT * FROM session",
        "message": "SELECT * FROM message ORDER BY id",
        "part": "SELECT * FROM part ORDER BY id",
    },
    "Cursor": {
        "cursorDiskKV": "SELECT key, value FROM cursorDiskKV WHERE key LIKE 'composerData:%' OR key LIKE 'bubbleId:%'",
        "ItemTable": (
            "SELECT key, value FROM ItemTable"
            " WHERE key IN ('composer.composerData', 'workbench.panel.aichat.view.aichat.chatdata')"
        ),
    },
    "LangGraph": {"store": "SELECT * FROM store ORDER BY prefix, key"},
}
_HEAD_BYTES: Final = 16
_OURS: Final = {"records", "documents"}


def foreign_database(place: str) -> ChatFile | None:
    """Return a database of another program as a file of its rows; `None` for a path to anything else.

    Args:
        place: a path, or `postgresql://…`.

    Raises:
        InvalidInput: it is a database of no known program.
        StoreUnavailable: the server cannot be reached.
        StoreError: the extra `postgres` is not installed.
    """
    if place.startswith(("postgresql://", "postgres://")):
        postgres = import_extra("postgres", "remembrancer.storage.postgres.foreign")
        return _file("the database", lambda stream: postgres.write_tables(place, stream, table=TABLE))
    path = Path(place)
    try:
        with path.open("rb") as stream:
            if not is_sqlite(stream.read(_HEAD_BYTES)):
                return None
    except OSError:
        # The import reports it.
        return None
    tables = tables_of(place)
    if tables >= _OURS:
        raise InvalidInput(f"{path.name} is a database of Remembrancer; import an `export` of it, or an archive")
    queries: dict[str, LiteralString] = {
        name: query for known in _PROGRAMS.values() for name, query in known.items() if name in tables
    }
    if not queries:
        known = ", ".join(_PROGRAMS)
        named = ", ".join(sorted(tables)[:5]) or "none"
        raise InvalidInput(
            f"{path.name} is a SQLite database of none of these programs: {known}; its tables are {named}"
        )
    return _file(place, lambda stream: write_rows(place, queries, stream, table=TABLE), place=str(path.resolve()))


def _file(name: str, write: Callable[[IO[bytes]], object], *, place: str = "") -> ChatFile:
    """Return the rows as a file, which exists as long as it is used."""
    rows = tempfile.NamedTemporaryFile(prefix="remembrancer-rows-", suffix=".jsonl")  # noqa: SIM115 -- it is used later
    write(rows)
    rows.flush()
    return ChatFile(name=name, place=place, size=rows.tell(), open=lambda: Path(rows.name).open("rb"), path=name)
