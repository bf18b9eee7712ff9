"""From a path or a stream to turns: which files hold chats, and whether they are documents or lines."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from remembrancer.errors import InvalidInput
from remembrancer.importers import chat
from remembrancer.importers.reader import Reader
from remembrancer.importers.turns import Turn

_SUFFIXES = {".json", ".jsonl", ".ndjson"}


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


def read_file(path: Path, *, reader: Reader | None = None) -> Iterator[Turn]:
    """The turns in one file.

    Args:
        reader: keeps count of what could not be read as it stands.

    Raises:
        InvalidInput: the file is no text, no JSON, or of no shape that is known; what stands before a bad line of
            JSONL was read.
    """
    try:
        # What is not UTF-8 is told with its line once it is parsed.
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as stream:
            written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            for turn in read_stream(stream, name=path.name, reader=reader):
                yield turn if turn.occurred_at else replace(turn, written_at=written_at)
    except OSError as error:
        raise InvalidInput(f"{path.name}: cannot be read: {error.strerror}") from error


def read_stream(stream: IO[str], *, name: str, reader: Reader | None = None) -> Iterator[Turn]:
    """The turns in a stream of JSON or JSONL; a JSONL stream is read line by line.

    Raises:
        InvalidInput: it is no JSON, or of no shape that is known.
    """
    reader = reader or Reader()
    lines = _filled(enumerate(stream, 1))
    number, first = next(lines, (0, ""))
    if not first:
        return
    opening = _parsed(first)
    if opening is not None and not isinstance(opening, list):
        # JSONL, or a document written on one line.
        yield from _turns(opening, _values(lines, name, reader), reader, name=name)
        return
    text = first + stream.read()
    try:
        document, following = _json(text, number, name), iter(())
    except InvalidInput:
        if not _has_lines(text, name):
            raise
        # JSONL whose first line is bad.
        following = _values(_filled(enumerate(text.split("\n"), number)), name, reader)
        document = next(value for value in following if value is not None)
    yield from _turns(document, following, reader, name=name)


def _filled(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line.strip())


def _parsed(line: str) -> Any:
    try:
        return _json(line, 1, "")
    except InvalidInput:
        return None


def _has_lines(text: str, name: str) -> bool:
    """Whether a text that is no document is JSONL: no file says it is one document, and a line is a whole object."""
    return not name.endswith(".json") and any(isinstance(_parsed(line), dict) for line in text.split("\n"))


def _values(lines: Iterable[tuple[int, str]], name: str, reader: Reader) -> Iterator[Any]:
    """What lines of JSON stand for; `None` for one that is left out."""
    for number, line in lines:
        try:
            value = _json(line.rstrip("\n"), number, name)
        except InvalidInput as error:
            value = reader.bad_line(number, error)
        yield value


def _json(text: str, number: int, name: str) -> Any:
    """What a text of JSON stands for.

    Args:
        number: of its first line.

    Raises:
        InvalidInput: it is none; the message names the file and the line.
    """
    try:
        text.encode()
        return json.loads(text)
    except UnicodeEncodeError as error:
        line, why = number + text.count("\n", 0, error.start), "is not UTF-8 text"
    except json.JSONDecodeError as error:
        line, why = number + error.lineno - 1, f"is not JSON: {error.msg} (column {error.colno})"
    except (ValueError, RecursionError) as error:
        line, why = number, f"is not JSON that can be read: {error}"
    raise InvalidInput(f"{name}, line {line}: {why}")


def _turns(opening: Any, following: Iterator[Any], reader: Reader, *, name: str) -> Iterator[Turn]:
    if not chat.matches(opening):
        raise InvalidInput(f"{name}: holds no chat in a shape that is known")
    yield from chat.turns(opening, following, reader, name=name)
