"""Memories as texts for people and their programs: JSON lines, JSON-LD, CSV, Markdown; piece by piece."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, Final, Protocol

from remembrancer.types.archive import LINKED, SHIELDED, TABLE, Form
from remembrancer.types.local_time import zoned_minute
from remembrancer.types.record import Record, kind_of, speaker_of, title_of, type_of
from remembrancer.types.scope import Scope

Told = Mapping[str, Any]

# Vocabularies that others know: PROV-O for where a memory came from, schema.org for the rest.
_CONTEXT: Final[Mapping[str, Any]] = {
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
# Of a message the column has the role, where no name is known; and a scope has columns of its own, but for its tenant.
_APART: Final = frozenset(TABLE) - {"speaker"} | {"scope", "learned"}


class Writer(Protocol):
    """Makes the text of one form."""

    def begin(self) -> str:
        """What stands before the first memory."""
        ...

    def add(self, record: Record, told: Told) -> str:
        """One more memory.

        Args:
            told: the memory as JSON has it.
        """
        ...

    def end(self) -> str:
        """What stands behind the last one."""
        ...


def writer(form: Form, *, of: Scope, at: datetime, zone: tzinfo) -> Writer:
    """What makes the text of a form.

    Args:
        of: whose memories they are, for a heading.
        at: when they are exported.
        zone: of the times that people read; those for machines name their own.
    """
    match form:
        case Form.JSONL:
            return _Lines()
        case Form.JSONLD:
            return _Linked()
        case Form.CSV:
            return _Table()
        case Form.MARKDOWN:
            return _Page(of, at, zone)


class _Lines:
    def begin(self) -> str:
        return ""

    def add(self, record: Record, told: Told) -> str:
        return _json(told) + "\n"

    def end(self) -> str:
        return ""


class _Linked:
    def __init__(self) -> None:
        self._between = ""

    def begin(self) -> str:
        return '{"@context": ' + _json(_CONTEXT) + ',\n"@graph": [\n'

    def add(self, record: Record, told: Told) -> str:
        node = {
            "@id": f"memory:{record.id}",
            "@type": "prov:Entity",
            **{name: value for name, value in told.items() if name not in ("id", "tags", "evidence")},
            "keywords": list(record.tags),
            "evidence": [f"memory:{id}" for id in record.evidence],
        }
        line, self._between = self._between + _json(node), ",\n"
        return line

    def end(self) -> str:
        return "\n]}\n"


class _Table:
    def begin(self) -> str:
        return _row(TABLE)

    def add(self, record: Record, told: Told) -> str:
        scope = record.scope
        beside = {
            "type": type_of(record),
            "project": scope.project,
            "agent": scope.agent,
            "user": scope.user,
            "speaker": speaker_of(record),
            "title": title_of(record),
            # No tag holds a line break.
            "tags": "\n".join(record.tags),
            "evidence": " ".join(record.evidence),
            "metadata": _json(told["metadata"]) if record.metadata else "",
            "details": _json(told.get("details") or told.get("learned") or {}),
            "more": _json({name: value for name, value in told.items() if name not in _APART}),
        }
        return _row([_cell({**told, **beside}.get(name)) for name in TABLE])

    def end(self) -> str:
        return ""


class _Page:
    def __init__(self, of: Scope, at: datetime, zone: tzinfo) -> None:
        self._of, self._at, self._zone = of, at, zone
        self._some = False

    def begin(self) -> str:
        at = zoned_minute(self._at, self._zone)
        return f"# Memories of {named(self._of)}\n\nExported on {at}, the newest first.\n"

    def add(self, record: Record, told: Told) -> str:
        self._some = True
        return "\n" + "\n".join(paragraphs(record, self._zone, of=self._of))

    def end(self) -> str:
        return "" if self._some else "\nThere are none.\n"


def paragraphs(record: Record, zone: tzinfo, *, of: Scope | None = None) -> Iterator[str]:
    """The lines that tell a person of a memory.

    Args:
        of: the scope of the heading; that of a memory of another scope is named.
    """
    said = [zoned_minute(record.occurred_at, zone), kind_of(record).value]
    type = type_of(record)
    said += [type.replace("_", " ")] if type and type != kind_of(record) else []
    said += [f"by {one}"] if (one := speaker_of(record) or record.author) else []
    yield f"## {' · '.join(said)}"
    yield ""
    if (title := title_of(record).strip()) and not record.text.startswith(title.removesuffix(" …")):
        yield f"**{_plain(title)}**"
        yield ""
    yield from quote(record.text)
    yield ""
    about = [f"`{record.id}`", f"session {_plain(record.session)}" if record.session else "", record.status.value]
    about += [record.classification.value, "untrusted" if record.trust == "untrusted" else ""]
    about += [f"tags: {_plain(', '.join(record.tags))}" if record.tags else ""]
    about += [f"rests on {', '.join(f'`{id}`' for id in record.evidence)}" if record.evidence else ""]
    about += [named(record.scope)] if of not in (None, record.scope) else []
    yield " · ".join(filter(None, about))
    yield ""


def quote(text: str) -> Iterator[str]:
    """The lines of a text, as Markdown quotes what somebody else has written."""
    yield from (f"> {line}".rstrip() for line in text.splitlines() or [""])


def named(scope: Scope) -> str:
    """A scope, for people."""
    parts = (("tenant", scope.tenant), ("project", scope.project), ("agent", scope.agent), ("user", scope.user))
    return ", ".join(f"{part} {_plain(name)}" for part, name in parts if name is not None)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _cell(value: Any) -> Any:
    """A value as a spreadsheet shows it, and does not run it."""
    if isinstance(value, str) and value.startswith(SHIELDED):
        return "'" + value
    return value


def _row(cells: Sequence[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue()


_json: Final = json.JSONEncoder(ensure_ascii=False).encode
