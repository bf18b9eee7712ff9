"""Our own exports in JSON lines, JSON-LD and CSV."""

import csv
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import IO, Any, Final

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.files import ChatFile, json_lines
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_text
from remembrancer.types.archive import COMES_BACK, LINKED, SHIELDED, TABLE, ExportFormat
from remembrancer.types.record import Kind

# If the first line is damaged, a later one may identify an export.
_INSPECTED_LINES: Final = 5
_INSPECTED_CHARACTERS: Final = 2_000
_PAGE: Final = "# Memories of "
_SCOPE: Final = ("project", "agent", "user")
_NONE_IF_BLANK: Final = ("session", "project", "agent", "user", "type", "title")


def export_form(file: ChatFile) -> ExportFormat | None:
    """Return the form of an export of ours; `None` for another file.

    Raises:
        InvalidInput: it is an export in Markdown, or cannot be opened.
    """
    try:
        with file.text() as stream:
            head = stream.read(_INSPECTED_CHARACTERS)
            if head.startswith(_PAGE):
                raise InvalidInput(
                    f"{file.title} is an export in Markdown, which contains only a part of each memory;"
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
    values = (_parsed(line) for line in islice(lines, _INSPECTED_LINES))
    return ExportFormat.JSONL if any(_is_memory(one) for one in values) else None


def read_memories(file: ChatFile, form: ExportFormat, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the memories of an export, as JSON lines contain them.

    Raises:
        InvalidInput: the file cannot be read, or an entry is no memory and must not be skipped.
    """
    try:
        with file.text(newline="") as stream:
            for entry in _READ[form](stream, reader):
                if _is_memory(entry.value):
                    yield entry
                else:
                    reader.skip(entry.where, "it is no memory of an export")
    except OSError as error:
        raise InvalidInput(f"{file.title}: cannot be read: {error.strerror}") from error


def _of_lines(stream: IO[str], reader: Reader) -> Iterator[JsonEntry]:
    return json_lines(((number, line) for number, line in enumerate(stream, 1) if line.strip()), reader)


def _of_links(stream: IO[str], reader: Reader) -> Iterator[JsonEntry]:
    try:
        document = json.load(stream)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{reader.name}: is not readable JSON: {error}") from error
    for place, node in enumerate(as_list(as_object(document).get("@graph")), 1):
        linked = as_object(node)
        memory: JsonObject = {
            **{name: value for name, value in linked.items() if not name.startswith("@")},
            "id": _id_of(linked.get("@id")),
            "tags": linked.get("keywords", []),
            "evidence": [_id_of(one) for one in as_list(linked.get("evidence"))],
        }
        yield JsonEntry(where=f"item {place}", value=memory)


def _id_of(address: Any) -> str:
    return as_text(address).removeprefix("memory:")


def _of_table(stream: IO[str], reader: Reader) -> Iterator[JsonEntry]:
    # The default limit of `csv` is below the length of some texts.
    csv.field_size_limit(2**31 - 1)
    rows = csv.reader(stream, strict=True)
    try:
        for row in islice(rows, 1, None):
            where = f"line {rows.line_num}"
            if len(row) != len(TABLE):
                reader.skip(where, f"it has {len(row)} cells, not {len(TABLE)}")
                continue
            yield JsonEntry(where=where, value=_of_row(dict(zip(TABLE, map(_unshielded, row), strict=True))))
    except csv.Error as error:
        raise InvalidInput(f"{reader.name}, line {rows.line_num}: is not CSV: {error}") from error


def _of_row(cells: Mapping[str, str]) -> JsonObject:
    memory: JsonObject = {name: value or None if name in _NONE_IF_BLANK else value for name, value in cells.items()}
    details = "learned" if cells["kind"] in (Kind.OBSERVATION, Kind.REFLECTION) else "details"
    return {
        **memory,
        "revision": int(cells["revision"]) if cells["revision"].isdecimal() else None,
        "tags": cells["tags"].split("\n") if cells["tags"] else [],
        "evidence": cells["evidence"].split(),
        "metadata": as_object(_parsed(cells["metadata"])),
        "scope": {name: memory.pop(name) for name in _SCOPE},
        details: as_object(_parsed(cells["details"])) or None,
        **as_object(_parsed(cells["more"])),
    }


def _unshielded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(SHIELDED) else cell


def _is_memory(value: Any) -> bool:
    fields = as_object(value)
    return fields.get("kind") in frozenset(Kind) and {"id", "revision", "recorded_at", "scope"} <= fields.keys()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_READ: Final = {ExportFormat.JSONL: _of_lines, ExportFormat.JSONLD: _of_links, ExportFormat.CSV: _of_table}
