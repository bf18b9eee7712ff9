"""Exports of our own read back: from JSON lines, JSON-LD or CSV to the fields of each memory."""

import csv
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import IO, Any, Final

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.chat import Entry
from remembrancer.ingest.importers.files import ChatFile, json_lines
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_text
from remembrancer.types.archive import COMES_BACK, LINKED, SHIELDED, TABLE, ExportFormat
from remembrancer.types.record import Kind

# Of a file whose first line is damaged a later one tells whose it is.
_LINES_LOOKED_AT: Final = 5
_CHARACTERS_LOOKED_AT: Final = 2_000
_PAGE: Final = "# Memories of "
_SCOPE: Final = ("project", "agent", "user")
_BLANK_IS_NONE: Final = ("session", "project", "agent", "user", "type", "title")


def form_of(file: ChatFile) -> ExportFormat | None:
    """The form in which a file is an export of ours, or `None`.

    Raises:
        InvalidInput: it is one in Markdown, or cannot be opened.
    """
    try:
        with file.text() as stream:
            head = stream.read(_CHARACTERS_LOOKED_AT)
            if head.startswith(_PAGE):
                raise InvalidInput(
                    f"{file.title} is an export in Markdown, which is for reading and holds a part of each memory;"
                    f" export as {', '.join(COMES_BACK[:-1])} or {COMES_BACK[-1]}"
                )
            if head.startswith('{"@context"') and LINKED in head:
                return ExportFormat.JSONLD
            if head.startswith(",".join(TABLE)):
                return ExportFormat.CSV
            if not head.lstrip().startswith("{"):
                return None
            lines = (head + stream.readline()).splitlines()
    except OSError as error:
        raise InvalidInput(f"{file.title}: cannot be read: {error.strerror}") from error
    told = (_parsed(line) for line in islice(lines, _LINES_LOOKED_AT))
    return ExportFormat.JSONL if any(_is_memory(one) for one in told) else None


def memories(file: ChatFile, form: ExportFormat, reader: Reader) -> Iterator[Entry]:
    """The memories of an export, each as JSON lines have it.

    Raises:
        InvalidInput: something in it is no memory, and nothing is to be left out; or the file cannot be read.
    """
    try:
        with file.text(newline="") as stream:
            for entry in _READ[form](stream, reader):
                if _is_memory(entry.value):
                    yield entry
                else:
                    reader.leave_out(entry.where, "it is no memory of an export")
    except OSError as error:
        raise InvalidInput(f"{file.title}: cannot be read: {error.strerror}") from error


def _of_lines(stream: IO[str], reader: Reader) -> Iterator[Entry]:
    return json_lines(((number, line) for number, line in enumerate(stream, 1) if line.strip()), reader)


def _of_links(stream: IO[str], reader: Reader) -> Iterator[Entry]:
    try:
        document = json.load(stream)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{reader.name}: is not JSON that can be read: {error}") from error
    for place, node in enumerate(as_list(as_object(document).get("@graph")), 1):
        told = as_object(node)
        plain: JsonObject = {
            **{name: value for name, value in told.items() if not name.startswith("@")},
            "id": _without_address(told.get("@id")),
            "tags": told.get("keywords", []),
            "evidence": [_without_address(one) for one in as_list(told.get("evidence"))],
        }
        yield Entry(where=f"item {place}", value=plain)


def _without_address(address: Any) -> str:
    return as_text(address).removeprefix("memory:")


def _of_table(stream: IO[str], reader: Reader) -> Iterator[Entry]:
    # A text may be longer than what `csv` lets pass by itself.
    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(stream, strict=True)
    try:
        for row in islice(rows, 1, None):
            where = f"line {rows.line_num}"
            if len(row) != len(TABLE):
                reader.leave_out(where, f"it has {len(row)} cells, and not {len(TABLE)}")
                continue
            yield Entry(where=where, value=_of_row(dict(zip(TABLE, map(_unshielded, row), strict=True))))
    except csv.Error as error:
        raise InvalidInput(f"{reader.name}, line {rows.line_num}: is no CSV: {error}") from error


def _of_row(cells: Mapping[str, str]) -> JsonObject:
    told: JsonObject = {name: value or None if name in _BLANK_IS_NONE else value for name, value in cells.items()}
    details = "learned" if cells["kind"] in (Kind.OBSERVATION, Kind.REFLECTION) else "details"
    return {
        **told,
        "revision": int(cells["revision"]) if cells["revision"].isdecimal() else None,
        "tags": cells["tags"].split("\n") if cells["tags"] else [],
        "evidence": cells["evidence"].split(),
        "metadata": as_object(_parsed(cells["metadata"])),
        "scope": {name: told.pop(name) for name in _SCOPE},
        details: as_object(_parsed(cells["details"])) or None,
        **as_object(_parsed(cells["more"])),
    }


def _unshielded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(SHIELDED) else cell


def _is_memory(told: Any) -> bool:
    fields = as_object(told)
    return fields.get("kind") in frozenset(Kind) and {"id", "revision", "recorded_at", "scope"} <= fields.keys()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_READ: Final = {ExportFormat.JSONL: _of_lines, ExportFormat.JSONLD: _of_links, ExportFormat.CSV: _of_table}
