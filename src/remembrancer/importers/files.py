"""From a path or a stream to turns: which files hold chats, and in which shape."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import IO, Any

from remembrancer.errors import InvalidInput
from remembrancer.importers import beam, chat, locomo, longmemeval, realmem
from remembrancer.importers.json_values import as_object
from remembrancer.importers.turns import Turn

_SUFFIXES = {".json", ".jsonl", ".ndjson"}
_SHAPES = (locomo, longmemeval, beam, realmem)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that was passed over, and why."""

    path: Path
    reason: str


def chat_files(path: Path) -> list[Path]:
    """The files under a path that may hold chats, in the order of their names.

    Raises:
        InvalidInput: there is no such path.
    """
    if not path.exists():
        raise InvalidInput(f"no such file or folder: {str(path)!r}")
    if path.is_file():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file())


def read_file(path: Path) -> Iterator[Turn]:
    """The turns in one file.

    Raises:
        InvalidInput: the file is no text, no JSON, or of no shape that is known; nothing was read from it.
    """
    try:
        with path.open(encoding="utf-8-sig") as stream:
            written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            for turn in read_stream(stream, name=path.name):
                yield turn if turn.occurred_at else replace(turn, written_at=written_at)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path.name}: is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise InvalidInput(f"{path.name}: cannot be read: {error.strerror}") from error


def read_stream(stream: IO[str], *, name: str) -> Iterator[Turn]:
    """The turns in a stream of JSON or JSONL; a JSONL stream is read line by line.

    Raises:
        InvalidInput: it is no JSON, or of no shape that is known.
    """
    number, first = next(((number, line) for number, line in enumerate(stream, 1) if line.strip()), (0, ""))
    if not first:
        return
    if (opening := _parsed(first)) is not None and not isinstance(opening, list):
        yield from _lines(opening, enumerate(stream, number + 1), name=name)
        return
    yield from _document(first + stream.read(), name=name)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _lines(opening: Any, following: Iterable[tuple[int, str]], *, name: str) -> Iterator[Turn]:
    """A file whose first line is a whole object: JSONL, or a document written on one line."""
    for shape in _SHAPES:
        if shape.matches(opening):
            yield from shape.turns(opening)
            return
    if not chat.matches(opening):
        raise InvalidInput(f"{name}: holds no chat in a shape that is known")
    rest = (as_object(_line(text, number, name)) for number, text in following if text.strip())
    yield from chat.from_objects(chain([as_object(opening)], rest), name=name)


def _line(text: str, number: int, name: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name}, line {number}: is not JSON: {error}") from error


def _document(text: str, *, name: str) -> Iterator[Turn]:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name}: is not JSON: {error}") from error
    for shape in _SHAPES:
        if shape.matches(document):
            yield from shape.turns(document)
            return
    if not chat.matches(document):
        raise InvalidInput(f"{name}: holds no chat in a shape that is known")
    yield from chat.turns(document, name=name)
