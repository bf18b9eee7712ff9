"""Databases of other programs, as files that an import reads."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Final, LiteralString

from remembrancer.adapters import memvid
from remembrancer.adapters.qdrant_points import read_point
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
    "Qdrant": {"points": "SELECT point AS payload FROM points ORDER BY rowid"},
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


def foreign_tables(url: str) -> list[ChatFile]:
    """Return each table of LangGraph and Mem0 in PostgreSQL as a file of its rows.

    Args:
        url: `postgresql://…`.

    Raises:
        InvalidInput: it is no such address, or the database has no such table.
        StoreUnavailable: the server cannot be reached.
        StoreError: the extra `postgres` is not installed.
    """
    if not url.startswith(("postgresql://", "postgres://")):
        raise InvalidInput(f"{url.partition('://')[0]}:// cannot be imported; name a file, or postgresql://…")
    postgres = import_extra("postgres", "remembrancer.storage.postgres.foreign")
    return [
        _file(f"{schema}.{name}", partial(postgres.write_rows, url, schema, name, table=TABLE))
        for schema, name in postgres.tables_of(url)
    ]


def foreign_database(place: str) -> ChatFile | None:
    """Return a database of another program as a file of its rows; `None` for a path to anything else.

    Known are the SQLite files of Mem0, Qdrant, OpenCode, Cursor and LangGraph, and files of Memvid.

    Raises:
        InvalidInput: it is a database of no known program.
    """
    path = Path(place)
    if not path.is_file():
        # Reading would consume a pipe; the import reports a missing file.
        return None
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES)
    except OSError:
        # So is one that cannot be read.
        return None
    if memvid.is_memvid(head):
        return _file(place, lambda stream: _write_lines(memvid.read_file(path), stream), place=str(path.resolve()))
    if not is_sqlite(head):
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
    return _file(
        place,
        lambda stream: write_rows(place, queries, stream, table=TABLE, unpack=read_point),
        place=str(path.resolve()),
    )


def memvid_files(folder: Path, groups: Mapping[str, Sequence[str]], *, progress: Callable[[int], None]) -> list[Path]:
    """Write lines of an export into files of Memvid in a folder, in parts below the limit of a file; return them.

    Args:
        groups: the lines of each file, by its name.

    Raises:
        InvalidInput: a file exists.
        StoreError: the extra `memvid` is not installed, or a line did not come back.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, lines in groups.items():
        for number, part in enumerate(_parts(lines, memvid.MAX_BYTES), 1):
            path = folder / (f"{name}.mv2" if number == 1 else f"{name}-{number}.mv2")
            memvid.write_file(path, part, progress=progress)
            written.append(path)
    return written


def _parts(lines: Sequence[str], most: int) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for line in lines:
        if part and size + len(line) > most:
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line)
    if part:
        yield part


def _write_lines(lines: Iterable[str], stream: IO[bytes]) -> None:
    for line in lines:
        stream.write(f"{line}\n".encode())


def _file(name: str, write: Callable[[IO[bytes]], object], *, place: str = "") -> ChatFile:
    """Return the rows as a file, which exists as long as it is used."""
    rows = tempfile.NamedTemporaryFile(prefix="remembrancer-rows-", suffix=".jsonl")  # noqa: SIM115 -- it is used later
    write(rows)
    rows.flush()
    return ChatFile(name=name, place=place, size=rows.tell(), open=lambda: Path(rows.name).open("rb"), path=name)
