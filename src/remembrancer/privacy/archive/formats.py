"""The formats in which memories are exported for people and programs: JSON lines, JSON-LD, CSV and Markdown."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final, Protocol

from remembrancer.types.archive import LINKED, SHIELDED, TABLE, ExportFormat
from remembrancer.types.record import Record, kind_of, speaker_of, title_of, type_of
from remembrancer.types.scope import Scope
from remembrancer.types.times import zoned_minute

JsonObject = Mapping[str, Any]

# Public vocabularies: PROV-O for provenance, schema.org for the rest.
_CONTEXT: Final[JsonObject] = {
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "https://schema.org/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "memory": LINKED,
    "kind": "schema:additionalType",
    "text": "schema:text",
    "title": "schema:name",
    "keywords": "schema:keywords",
    "author": "schema:author",
    "occurred_at": {"@id": "schema:startDate", "@type": "xsd:dateTime"},
    "recorded_at": {"@id": "prov:generatedAtTime", "@type": "xsd:dateTime"},
    "updated_at": {"@id": "schema:dateModified", "@type": "xsd:dateTime"},
    "evidence": {"@id": "prov:wasDerivedFrom", "@type": "@id"},
    "@vocab": "urn:remembrancer:term:",
}
# The speaker column of a message without a name has its role; except for the tenant, a scope has columns of its own.
_IN_COLUMNS: Final = frozenset(TABLE) - {"speaker"} | {"scope", "learned"}


class ExportFormatter(Protocol):
    """A formatter of memories in one format."""

    def begin(self) -> str:
        """Return the text before the first memory."""
        ...

    def add(self, record: Record, values: JsonObject) -> str:
        """Return the text of a memory.

        Args:
            values: the memory as JSON values.
        """
        ...

    def end(self) -> str:
        """Return the text after the last memory."""
        ...


def formatter(form: ExportFormat, *, scope: Scope, at: datetime, zone: tzinfo) -> ExportFormatter:
    """Return the formatter of a format.

    Args:
        scope: the exported scope, for a heading.
        at: time of the export.
        zone: time zone for people; the formats for machines have UTC offsets.
    """
    match form:
        case ExportFormat.JSONL:
            return _JsonLines()
        case ExportFormat.JSONLD:
            return _JsonLd()
        case ExportFormat.CSV:
            return _Csv()
        case ExportFormat.MARKDOWN:
            return _Markdown(scope, at, zone)


class _JsonLines:
    def begin(self) -> str:
        return ""

    def add(self, record: Record, values: JsonObject) -> str:
        return _json(values) + "\n"

    def end(self) -> str:
        return ""


class _JsonLd:
    def __init__(self) -> None:
        self._separator = ""

    def begin(self) -> str:
        return '{"@context": ' + _json(_CONTEXT) + ',\n"@graph": [\n'

    def add(self, record: Record, values: JsonObject) -> str:
        node = {
            "@id": f"memory:{record.id}",
            "@type": "prov:Entity",
            **{name: value for name, value in values.items() if name not in ("id", "tags", "evidence")},
            "keywords": list(record.tags),
            "evidence": [f"memory:{id}" for id in record.evidence],
        }
        line, self._separator = self._separator + _json(node), ",\n"
        return line

    def end(self) -> str:
        return "\n]}\n"


class _Csv:
    def begin(self) -> str:
        return _csv_row(TABLE)

    def add(self, record: Record, values: JsonObject) -> str:
        scope = record.scope
        columns = {
            "type": type_of(record),
            "project": scope.project,
            "agent": scope.agent,
            "user": scope.user,
            "speaker": speaker_of(record),
            "title": title_of(record),
            # Tags have no line breaks.
            "tags": "\n".join(record.tags),
            "evidence": " ".join(record.evidence),
            "metadata": _json(values["metadata"]) if record.metadata else "",
            "details": _json(values.get("details") or values.get("learned") or {}),
            "more": _json({name: value for name, value in values.items() if name not in _IN_COLUMNS}),
        }
        return _csv_row([_cell({**values, **columns}.get(name)) for name in TABLE])

    def end(self) -> str:
        return ""


class _Markdown:
    def __init__(self, scope: Scope, at: datetime, zone: tzinfo) -> None:
        self._scope, self._at, self._zone = scope, at, zone
        self._is_empty = True

    def begin(self) -> str:
        at = zoned_minute(self._at, self._zone)
        return f"# Memories of {scope_title(self._scope)}\n\nExported on {at}, newest first.\n"

    def add(self, record: Record, values: JsonObject) -> str:
        self._is_empty = False
        return "\n" + "\n".join(markdown_lines(record, self._zone, scope=self._scope))

    def end(self) -> str:
        return "\nThere are none.\n" if self._is_empty else ""


def markdown_lines(record: Record, zone: tzinfo, *, scope: Scope | None = None) -> Iterator[str]:
    """Yield the lines of a memory in Markdown.

    Args:
        scope: the scope of the heading; a memory of another scope names its own.
    """
    heading = [zoned_minute(record.occurred_at, zone), kind_of(record).value]
    type = type_of(record)
    heading += [type.replace("_", " ")] if type and type != kind_of(record) else []
    heading += [f"by {one}"] if (one := speaker_of(record) or record.author) else []
    yield f"## {' · '.join(heading)}"
    yield ""
    if (title := title_of(record).strip()) and not record.text.startswith(title.removesuffix(" …")):
        yield f"**{_one_line(title)}**"
        yield ""
    yield from quote(record.text)
    yield ""
    footer = [f"`{record.id}`", f"session {_one_line(record.session)}" if record.session else "", record.status.value]
    footer += [record.classification.value, "untrusted" if record.trust == "untrusted" else ""]
    footer += [f"tags: {_one_line(', '.join(record.tags))}" if record.tags else ""]
    footer += [f"evidence: {', '.join(f'`{id}`' for id in record.evidence)}" if record.evidence else ""]
    footer += [scope_title(record.scope)] if scope not in (None, record.scope) else []
    yield " · ".join(filter(None, footer))
    yield ""


def quote(text: str) -> Iterator[str]:
    """Yield the lines of a text as a quotation in Markdown."""
    yield from (f"> {line}".rstrip() for line in text.splitlines() or [""])


def scope_title(scope: Scope) -> str:
    """Return a scope as text for people."""
    parts = (("tenant", scope.tenant), ("project", scope.project), ("agent", scope.agent), ("user", scope.user))
    return ", ".join(f"{part} {_one_line(name)}" for part, name in parts if name is not None)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cell(value: Any) -> Any:
    """Return a value so that a spreadsheet shows it and does not evaluate it."""
    if isinstance(value, str) and value.startswith(SHIELDED):
        return "'" + value
    return value


def _csv_row(cells: Sequence[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()


_json: Final = json.JSONEncoder(ensure_ascii=False).encode
