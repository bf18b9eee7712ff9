"""Files of chats: JSON documents and JSON lines."""

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import IO, Any, Self

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers import chat
from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.importers.values import as_list
from remembrancer.types.arguments import path_of

# `false` without its last letter.
_LONGEST_WORD = 5
SUFFIXES = (".json", ".jsonl", ".ndjson", ".jsonld")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """A file of chats, or the content of a stream.

    It can be read several times.

    Args:
        name: the name in messages.
        place: the absolute path, or `""` for a stream.
        size: in bytes.
    """

    name: str
    place: str
    size: int
    open: Callable[[], IO[bytes]]
    written_at: datetime | None = None

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """Return the file of a path; the content of a pipe is read at once.

        Raises:
            InvalidInput: it cannot be opened.
        """
        path = path_of(path)
        try:
            if not path.is_file():
                with path.open("rb") as stream:
                    return cls.of(stream, name=str(path))
            about = path.stat()
        except OSError as error:
            raise InvalidInput(f"{path.name}: cannot be read: {error.strerror}") from error
        return cls(
            name=str(path),
            place=str(path.resolve()),
            size=about.st_size,
            open=lambda: path.open("rb"),
            written_at=datetime.fromtimestamp(about.st_mtime, UTC),
        )

    @classmethod
    def of(cls, stream: IO[bytes], *, name: str, place: str = "") -> Self:
        """Return the content of a stream, read to its end."""
        content = stream.read()
        return cls(name=name, place=place, size=len(content), open=lambda: io.BytesIO(content))

    @property
    def title(self) -> str:
        """The name without its folder."""
        return Path(self.name).name

    def text(self, *, newline: str | None = None) -> IO[str]:
        """Open it as text; bytes that are not UTF-8 become lone surrogates.

        Args:
            newline: as for `open`.

        Raises:
            OSError: it cannot be opened.
        """
        # The parser reports invalid UTF-8 with its line.
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", errors="surrogateescape", newline=newline)

    def turns(self, reader: Reader) -> Iterator[Turn]:
        """Yield the turns of the file.

        Raises:
            InvalidInput: it cannot be opened, or is no JSON in a known form.
        """
        try:
            with self.text() as stream:
                for turn in read_stream(stream, reader):
                    yield turn if turn.occurred_at or turn.written_at else replace(turn, written_at=self.written_at)
        except OSError as error:
            raise InvalidInput(f"{self.title}: cannot be read: {error.strerror}") from error


def chat_files(path: Path) -> list[Path]:
    """Return the files below a folder that may contain chats, by name.

    A path to a file is returned as it is.

    Raises:
        InvalidInput: there is no such path, or no such file below it.
    """
    if not path.exists():
        raise InvalidInput(f"no such file or folder: {str(path)!r}")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
    if not files:
        raise InvalidInput(f"no chats in folder {str(path)!r}: files named {', '.join(SUFFIXES)} are read in folders")
    return files


def read_stream(stream: IO[str], reader: Reader) -> Iterator[Turn]:
    """Yield the turns of a stream of JSON or JSONL.

    A JSONL stream is read line by line.

    Raises:
        InvalidInput: it is no JSON in a known form.
    """
    try:
        yield from chat.read_turns(_entries(stream, reader), reader)
    except RecursionError as error:
        raise InvalidInput(f"{reader.name}: is nested too deeply") from error


def _entries(stream: IO[str], reader: Reader) -> Iterator[JsonEntry]:
    lines = _non_blank(enumerate(stream, 1))
    number, first = next(lines, (0, ""))
    if not first:
        return
    if first.startswith("PK\x03\x04"):
        raise InvalidInput(f"{reader.name}: is a ZIP archive; unpack it, and import the folder")
    opening = _parsed(first)
    second = next(lines, None) if opening is not None else None
    if second is not None:
        yield from json_lines(chain([(number, first), second], lines), reader)
        return
    text = first if opening is not None else first + stream.read()
    try:
        document = _json(text, number, reader.name)
    except InvalidInput:
        if not _has_lines(text, reader.name):
            raise
        # JSONL with an invalid first line.
        yield from json_lines(_non_blank(enumerate(text.split("\n"), number)), reader)
        return
    yield from _items(document, reader)


def _items(document: Any, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the items of an array, or the whole of another document.

    Raises:
        InvalidInput: it contains no chat.
    """
    items = [JsonEntry(where=f"item {place}", value=item) for place, item in enumerate(as_list(document), 1)]
    items = items or [JsonEntry(where="", value=document)]
    if not any(chat.contains_chat(item) for item in items):
        raise InvalidInput(f"{reader.name}: contains no chat in a known form")
    yield from items


def _non_blank(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line.strip())


def _parsed(line: str) -> Any:
    try:
        return _json(line, 1, "")
    except InvalidInput:
        return None


def _has_lines(text: str, name: str) -> bool:
    """Return True if an invalid document is JSONL.

    Its name is not that of a document, and a line is an object.
    """
    return not name.lower().endswith(".json") and any(isinstance(_parsed(line), dict) for line in text.split("\n"))


def json_lines(lines: Iterable[tuple[int, str]], reader: Reader) -> Iterator[JsonEntry]:
    """Yield the values of lines of JSON.

    Invalid ones are skipped if the reader allows it. A last line that is cut off is counted: so ends the log of a
    session that still runs, or was killed.

    Args:
        lines: with their numbers.

    Raises:
        InvalidInput: one is no JSON, and must not be skipped.
    """
    failed: tuple[str, str, str] | None = None
    count = 0
    for count, (number, line) in enumerate(lines, 1):  # noqa: B007 -- it is read after the loop
        if failed is not None:
            reader.skip(failed[0], failed[1])
            failed = None
        where = f"line {number}"
        try:
            value = _json(line.rstrip("\n"), number, "")
        except InvalidInput as error:
            failed = where, str(error).partition(": ")[2], line
        else:
            yield JsonEntry(where=where, value=value)
    if failed is not None:
        where, reason, line = failed
        if count > 1 and _is_cut_off(line):
            reader.count(Gap.CUT, where)
        else:
            reader.skip(where, reason)


def _is_cut_off(line: str) -> bool:
    """Return True for the beginning of an object or array in JSON."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        rest = line[error.pos :].strip()
        is_word = len(rest) < _LONGEST_WORD and not set(rest) & set("{}[]\"',:")
        return line[:1] in "{[" and (is_word or error.msg.startswith("Unterminated string"))
    except (ValueError, RecursionError):
        return False
    return False


def _json(text: str, number: int, name: str) -> Any:
    """Return the value of a JSON text.

    Args:
        number: the number of its first line.

    Raises:
        InvalidInput: it is invalid; the message names the file and the line.
    """
    try:
        text.encode()
        return json.loads(text)
    except UnicodeEncodeError as error:
        line, why = number + text.count("\n", 0, error.start), "is not UTF-8 text"
    except json.JSONDecodeError as error:
        line, why = number + error.lineno - 1, f"is not JSON: {error.msg} (column {error.colno})"
    except (ValueError, RecursionError) as error:
        line, why = number, f"is not readable JSON: {error}"
    raise InvalidInput(f"{name}, line {line}: {why}")
