"""The text within an archive: a heading, a line for each memory and for what is kept beside them, and an end.

Each line is one JSON object in UTF-8. Every line of one scope stands together, memories before what counts them.
"""

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias, cast

from remembrancer.errors import InvalidInput
from remembrancer.types.archive import Beside, Bundle, Noticed, Sitting
from remembrancer.types.scope import DIMENSIONS, Scope

FORMAT: Final = "remembrancer archive"
_LONGEST_LINE: Final = 33_554_432
_BROKEN: Final = "the archive opens, and what is in it is no archive of memories: "

Held: TypeAlias = Bundle | Sitting | Noticed | Beside
"""What a line between heading and end holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The first line.

    Args:
        made_at: when what is in it was read.
        scopes: whose memories they are, of a tenant that is not named; in the order of `Scope.visible`.
    """

    made_at: datetime
    scopes: Sequence[Scope]


class Count:
    """What was in an archive, as its last line says it."""

    def __init__(self) -> None:
        self.memories: dict[str, int] = {}
        self.sessions = 0

    def add(self, held: Held) -> None:
        """One more line."""
        match held:
            case Bundle():
                kind = str(held.record.get("kind"))
                self.memories[kind] = self.memories.get(kind, 0) + 1
            case Sitting():
                self.sessions += 1
            case Noticed() | Beside():
                pass


def heading_line(heading: Heading) -> bytes:
    """The first line."""
    return _line(
        {
            "format": FORMAT,
            "version": 1,
            "made_at": heading.made_at.isoformat(),
            "scopes": [{name: getattr(scope, name) for name in DIMENSIONS} for scope in heading.scopes],
        }
    )


def line_of(place: int, held: Held) -> bytes:
    """A line between.

    Args:
        place: of the scope in the heading, from 0.
    """
    match held:
        case Bundle():
            told = {
                "memory": held.record,
                "evidence": held.evidence,
                "versions": held.versions,
                "verdicts": held.verdicts,
            }
            return _line({"scope": place, **{name: value for name, value in told.items() if value}})
        case Sitting():
            return _line({"scope": place, "session": held.session, "chunks": held.chunks})
        case Noticed():
            return _line({"scope": place, "log": held.log})
        case Beside():
            return _line({"scope": place, "table": held.table, "rows": held.rows})


def end_line(count: Count) -> bytes:
    """The last line."""
    return _line({"end": {"memories": count.memories, "sessions": count.sessions}})


def read_lines(pieces: Iterable[bytes], *, tenant: str) -> Generator[Heading | tuple[int, Held] | Count]:
    """What stands in an archive: its heading, each line with the place of its scope, and its end.

    Args:
        tenant: to whom the scopes are to belong.

    Raises:
        InvalidInput: something is not as it must be.
    """
    lines = _lines(pieces)
    heading = _heading(_parsed(next(lines, b"")), tenant)
    yield heading
    count, place = Count(), 0
    for line in lines:
        told = _parsed(line)
        if "end" in told:
            if told["end"] != {"memories": count.memories, "sessions": count.sessions} or next(lines, None) is not None:
                raise InvalidInput(f"{_BROKEN}what it says at its end is not what was in it")
            yield count
            return
        at = told.get("scope")
        if type(at) is not int or not place <= at < len(heading.scopes):
            raise InvalidInput(f"{_BROKEN}a line is of no scope that it names, or out of order")
        place = at
        held = _held(told)
        count.add(held)
        yield place, held
    raise InvalidInput(f"{_BROKEN}it has no end")


def _held(told: Mapping[str, Any]) -> Held:
    match told:
        case {"memory": {"id": str(), "kind": str()} as record}:
            return Bundle(
                record=cast("Mapping[str, Any]", record),
                evidence=_texts(told.get("evidence", [])),
                versions=_rows(told.get("versions", [])),
                verdicts=_rows(told.get("verdicts", [])),
            )
        case {"session": {"id": str()} as session}:
            return Sitting(session=cast("Mapping[str, Any]", session), chunks=_rows(told.get("chunks", [])))
        case {"log": {"session": str()} as log}:
            return Noticed(log=cast("Mapping[str, Any]", log))
        case {"table": "injections" | "weights" as table, "rows": _}:
            return Beside(table=table, rows=_rows(told["rows"]))
        case _:
            raise InvalidInput(f"{_BROKEN}a line says nothing that is known")


def _rows(told: object) -> list[Mapping[str, Any]]:
    if isinstance(told, list) and all(isinstance(one, dict) for one in cast("list[object]", told)):
        return cast("list[Mapping[str, Any]]", told)
    raise InvalidInput(f"{_BROKEN}rows are of another form")


def _texts(told: object) -> list[str]:
    if isinstance(told, list) and all(isinstance(one, str) for one in cast("list[object]", told)):
        return cast("list[str]", told)
    raise InvalidInput(f"{_BROKEN}evidence is of another form")


def _heading(told: Mapping[str, Any], tenant: str) -> Heading:
    match told:
        case {"format": "remembrancer archive", "version": 1, "made_at": str(made_at), "scopes": _}:
            scopes = _rows(told["scopes"])
        case {"format": "remembrancer archive", "version": int(version)}:
            raise InvalidInput(f"the text of the archive is of version {version}, which this release does not read")
        case _:
            raise InvalidInput(f"{_BROKEN}it begins otherwise")
    try:
        found = [Scope(tenant=tenant, **{name: one.get(name) for name in DIMENSIONS}) for one in scopes]
        at = datetime.fromisoformat(made_at)
    except ValueError as error:
        raise InvalidInput(f"{_BROKEN}{error}") from error
    if not found or len(set(found)) < len(found) or at.tzinfo is None:
        raise InvalidInput(f"{_BROKEN}its scopes are none, or some are there twice, or it says no time")
    return Heading(made_at=at, scopes=found)


def _lines(pieces: Iterable[bytes]) -> Generator[bytes]:
    waiting = bytearray()
    for piece in pieces:
        waiting += piece
        *whole, rest = waiting.split(b"\n")
        yield from (bytes(line) for line in whole)
        waiting = bytearray(rest)
        if len(waiting) > _LONGEST_LINE:
            raise InvalidInput(f"{_BROKEN}a line is longer than 32 MiB")
    if waiting:
        yield bytes(waiting)


def _parsed(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInput(f"{_BROKEN}a line is no JSON object")
    return cast("Mapping[str, Any]", found)


def _line(told: Mapping[str, object]) -> bytes:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
