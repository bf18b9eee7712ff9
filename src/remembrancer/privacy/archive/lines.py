"""The decrypted text of an archive: a heading, a line for each memory and each related row, and an end.

Each line is a JSON object in UTF-8. All lines of a scope are consecutive, memories before the rows that refer to them.
"""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias, cast

from remembrancer.errors import InvalidInput
from remembrancer.types.archive import ArchivedLog, RecordBundle, SessionBundle, SideRows
from remembrancer.types.scope import DIMENSIONS, Scope

FORMAT: Final = "remembrancer archive"
_MAX_LINE_BYTES: Final = 33_554_432
_INVALID: Final = "the archive was decrypted, but its content is invalid: "

ArchiveItem: TypeAlias = RecordBundle | SessionBundle | ArchivedLog | SideRows
"""The content of a line between heading and end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveHeading:
    """The first line of an archive.

    Args:
        created_at: time of the snapshot.
        scopes: of a tenant that is not named, in the order of `Scope.visible`.
    """

    created_at: datetime
    scopes: Sequence[Scope]


class ArchiveCounts:
    """The counts of an archive in its last line."""

    def __init__(self) -> None:
        self.memories: dict[str, int] = {}
        self.sessions = 0

    def add(self, item: ArchiveItem) -> None:
        """Count an item."""
        match item:
            case RecordBundle():
                kind = str(item.record.get("kind"))
                self.memories[kind] = self.memories.get(kind, 0) + 1
            case SessionBundle():
                self.sessions += 1
            case ArchivedLog() | SideRows():
                pass

    def as_json(self) -> dict[str, object]:
        """Return the counts as JSON values."""
        return {"memories": self.memories, "sessions": self.sessions}


def heading_line(heading: ArchiveHeading) -> bytes:
    """Return the first line."""
    return _encode(
        {
            "format": FORMAT,
            "version": 1,
            "created_at": heading.created_at.isoformat(),
            "scopes": [{name: getattr(scope, name) for name in DIMENSIONS} for scope in heading.scopes],
        }
    )


def item_line(scope_index: int, item: ArchiveItem) -> bytes:
    """Return the line of an item of the scope with an index in the heading."""
    match item:
        case RecordBundle():
            values = {
                "memory": item.record,
                "evidence": item.evidence,
                "versions": item.versions,
                "verdicts": item.verdicts,
            }
            return _encode({"scope": scope_index, **{name: value for name, value in values.items() if value}})
        case SessionBundle():
            return _encode({"scope": scope_index, "session": item.session, "chunks": item.chunks})
        case ArchivedLog():
            return _encode({"scope": scope_index, "log": item.log})
        case SideRows():
            return _encode({"scope": scope_index, "table": item.table, "rows": item.rows})


def end_line(counts: ArchiveCounts) -> bytes:
    """Return the last line."""
    return _encode({"end": counts.as_json()})


def read_lines(
    chunks: Iterable[bytes], *, tenant: str
) -> Generator[ArchiveHeading | tuple[int, ArchiveItem] | ArchiveCounts]:
    """Yield the heading of an archive, each item with the index of its scope, and the counts.

    Args:
        tenant: the tenant of the scopes.

    Raises:
        InvalidInput: the content is invalid.
    """
    lines = _split(chunks)
    heading = _heading(_parse(next(lines, b"")), tenant)
    yield heading
    counts, scope_index = ArchiveCounts(), 0
    for line in lines:
        values = _parse(line)
        if "end" in values:
            if values["end"] != counts.as_json() or next(lines, None) is not None:
                raise InvalidInput(f"{_INVALID}the counts at its end differ from its content")
            yield counts
            return
        index = values.get("scope")
        if type(index) is not int or not scope_index <= index < len(heading.scopes):
            raise InvalidInput(f"{_INVALID}the scope of a line is not in the heading, or out of order")
        scope_index = index
        item = _item(values)
        counts.add(item)
        yield scope_index, item
    raise InvalidInput(f"{_INVALID}the end is missing")


def _item(values: Mapping[str, Any]) -> ArchiveItem:
    match values:
        case {"memory": {"id": str(), "kind": str()} as record}:
            return RecordBundle(
                record=cast("Mapping[str, Any]", record),
                evidence=_texts(values.get("evidence", [])),
                versions=_rows(values.get("versions", [])),
                verdicts=_rows(values.get("verdicts", [])),
            )
        case {"session": {"id": str()} as session}:
            return SessionBundle(session=cast("Mapping[str, Any]", session), chunks=_rows(values.get("chunks", [])))
        case {"log": {"session": str()} as log}:
            return ArchivedLog(log=cast("Mapping[str, Any]", log))
        case {"table": "injections" | "weights" as table, "rows": _}:
            return SideRows(table=table, rows=_rows(values["rows"]))
        case _:
            raise InvalidInput(f"{_INVALID}a line has no known content")


def _rows(value: object) -> list[Mapping[str, Any]]:
    if isinstance(value, list) and all(isinstance(one, dict) for one in cast("list[object]", value)):
        return cast("list[Mapping[str, Any]]", value)
    raise InvalidInput(f"{_INVALID}rows must be a list of objects")


def _texts(value: object) -> list[str]:
    if isinstance(value, list) and all(isinstance(one, str) for one in cast("list[object]", value)):
        return cast("list[str]", value)
    raise InvalidInput(f"{_INVALID}evidence must be a list of texts")


def _heading(values: Mapping[str, Any], tenant: str) -> ArchiveHeading:
    match values:
        case {"format": "remembrancer archive", "version": 1, "created_at": str(created_at), "scopes": _}:
            rows = _rows(values["scopes"])
        case {"format": "remembrancer archive", "version": int(version)}:
            raise InvalidInput(f"the content of the archive has version {version}, which this release does not read")
        case _:
            raise InvalidInput(f"{_INVALID}the first line is not a heading")
    try:
        scopes = [Scope(tenant=tenant, **{name: one.get(name) for name in DIMENSIONS}) for one in rows]
        at = datetime.fromisoformat(created_at)
    except ValueError as error:
        raise InvalidInput(f"{_INVALID}{error}") from error
    if not scopes:
        raise InvalidInput(f"{_INVALID}the heading has no scopes")
    if len(set(scopes)) < len(scopes):
        raise InvalidInput(f"{_INVALID}the heading has a scope twice")
    if at.tzinfo is None:
        raise InvalidInput(f"{_INVALID}the time in the heading has no time zone")
    return ArchiveHeading(created_at=at, scopes=scopes)


def _split(chunks: Iterable[bytes]) -> Generator[bytes]:
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        *lines, rest = buffer.split(b"\n")
        yield from (bytes(line) for line in lines)
        buffer = bytearray(rest)
        if len(buffer) > _MAX_LINE_BYTES:
            raise InvalidInput(f"{_INVALID}a line is longer than 32 MiB")
    if buffer:
        yield bytes(buffer)


def _parse(line: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(f"{_INVALID}a line is not a JSON object")
    return cast("Mapping[str, Any]", value)


def _encode(values: Mapping[str, object]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
