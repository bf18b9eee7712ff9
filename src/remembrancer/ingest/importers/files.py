"""From a path or a stream to turns: which files hold chats, and whether they are documents or lines."""

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
from remembrancer.ingest.importers.chat import Entry
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.importers.values import as_list
from remembrancer.types.arguments import path_of

SUFFIXES = (".json", ".jsonl", ".ndjson", ".jsonld")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """A file of chats, or what a stream held, which can be read as often as need be.

    Args:
        name: how it is told of.
        place: where it stands, the same from wherever it is looked at; `""` for a stream.
        size: in bytes.
    """

    name: str
    place: str
    size: int
    open: Callable[[], IO[bytes]]
    written_at: datetime | None = None

    @classmethod
    def at(cls, path: str | Path) -> Self:
        """A file of chats by its path; of a pipe, what came through it.

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
        """What a stream holds, read to its end."""
        held = stream.read()
        return cls(name=name, place=place, size=len(held), open=lambda: io.BytesIO(held))

    @property
    def title(self) -> str:
        """Its name without its folder."""
        return Path(self.name).name

    def text(self, *, newline: str | None = None) -> IO[str]:
        """Open it as text; what is not UTF-8 in it stands as lone surrogates.

        Args:
            newline: how line breaks are read, as `open` has it.

        Raises:
            OSError: it cannot be opened.
        """
        # What is not UTF-8 is told with its line once it is parsed.
        return io.TextIOWrapper(self.open(), encoding="utf-8-sig", errors="surrogateescape", newline=newline)

    def turns(self, reader: Reader) -> Iterator[Turn]:
        """The turns in it.

        Raises:
            InvalidInput: it is no text, no JSON, or of no shape that is known, or cannot be opened.
        """
        try:
            with self.text() as stream:
                for turn in read_stream(stream, reader):
                    yield turn if turn.occurred_at or turn.written_at else replace(turn, written_at=self.written_at)
        except OSError as error:
            raise InvalidInput(f"{self.title}: cannot be read: {error.strerror}") from error


def chat_files(path: Path) -> list[Path]:
    """The files under a path that may hold chats, in the order of their names; a path that is no folder is one.

    Raises:
        InvalidInput: there is no such path, or no such file under it.
    """
    if not path.exists():
        raise InvalidInput(f"no such file or folder: {str(path)!r}")
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES and file.is_file())
    if not found:
        raise InvalidInput(f"no chats in folder {str(path)!r}: files named {', '.join(SUFFIXES)} are read in folders")
    return found


def read_stream(stream: IO[str], reader: Reader) -> Iterator[Turn]:
    """The turns in a stream of JSON or JSONL; a JSONL stream is read line by line.

    Raises:
        InvalidInput: it is no JSON, or of no shape that is known.
    """
    try:
        yield from chat.turns(_entries(stream, reader), reader)
    except RecursionError as error:
        raise InvalidInput(f"{reader.name}: nests too deep to be read") from error


def _entries(stream: IO[str], reader: Reader) -> Iterator[Entry]:
    lines = _filled(enumerate(stream, 1))
    number, first = next(lines, (0, ""))
    if not first:
        return
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
        # JSONL whose first line is bad.
        yield from json_lines(_filled(enumerate(text.split("\n"), number)), reader)
        return
    yield from _items(document, reader)


def _items(document: Any, reader: Reader) -> Iterator[Entry]:
    """What stands by itself in a document: each item of an array, or all of it.

    Raises:
        InvalidInput: it holds no chat.
    """
    items = [Entry(where=f"item {place}", value=item) for place, item in enumerate(as_list(document), 1)]
    items = items or [Entry(where="", value=document)]
    if not any(chat.holds_chat(item) for item in items):
        raise InvalidInput(f"{reader.name}: holds no chat in a shape that is known")
    yield from items


def _filled(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in lines if line.strip())


def _parsed(line: str) -> Any:
    try:
        return _json(line, 1, "")
    except InvalidInput:
        return None


def _has_lines(text: str, name: str) -> bool:
    """Whether a text that is no document is JSONL: no file says it is one document, and a line is a whole object."""
    return not name.lower().endswith(".json") and any(isinstance(_parsed(line), dict) for line in text.split("\n"))


def json_lines(lines: Iterable[tuple[int, str]], reader: Reader) -> Iterator[Entry]:
    """What lines of JSON stand for, those apart that are left out.

    Args:
        lines: each with its number.

    Raises:
        InvalidInput: one is no JSON, and nothing is to be left out.
    """
    for number, line in lines:
        where = f"line {number}"
        try:
            value = _json(line.rstrip("\n"), number, "")
        except InvalidInput as error:
            reader.leave_out(where, str(error).partition(": ")[2])
        else:
            yield Entry(where=where, value=value)


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
