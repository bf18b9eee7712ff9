"""Files of chats: JSON documents and JSON lines."""

import gzip
import io
import json
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import IO, Any, Self, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers import chat
from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object
from remembrancer.types.arguments import path_of

# `false` without its last letter.
_LONGEST_WORD = 5
FIELDS = ("text", "role", "speaker", "time", "session", "id")
"""The fields of a message that a mapping names."""
TEXTS = (".csv", ".txt", ".mbox")
SUFFIXES = (".json", ".jsonl", ".ndjson", ".jsonld", *TEXTS, ".af", ".gz", ".zip")
DATABASES = (".db", ".sqlite", ".vscdb", ".mv2")
NOTES = (".md", ".markdown", ".mdc")
"""The suffixes of notes, which are read in a folder without a file of `SUFFIXES`."""
_PACKED = b"PK\x03\x04"
_COMPRESSED = b"\x1f\x8b"
_BROKEN = (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError)
# Unpacked, a member of an archive may have as much.
_MAX_MEMBER_BYTES = 2**31
# What ZIP has for no time.
_FIRST_YEAR = 1980


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFile:
    """A file of chats, or the content of a stream.

    It can be read several times.

    Args:
        name: the name in messages.
        place: the absolute path, or `""` for a stream.
        size: in bytes.
        form: its form, or `auto` to recognise it; see `forms.NAMES`.
        zone: the time zone of times without one.
        mapping: the name in the file of each field of a message, for CSV and JSON lines: of `text`, `role`, `speaker`,
            `time`, `session` and `id`.
        path: the path below the folder or the archive that is imported, with `/`.
        neighbours: returns the files that match a pattern in a folder relative to that of the file.
    """

    name: str
    place: str
    size: int
    open: Callable[[], IO[bytes]]
    written_at: datetime | None = None
    form: str = "auto"
    zone: tzinfo | None = None
    mapping: Mapping[str, str] = field(default_factory=dict[str, str])
    path: str = ""
    neighbours: Callable[[str, str], "list[ChatFile]"] = field(default=lambda _folder, _pattern: [], compare=False)

    @classmethod
    def at(cls, path: str | Path, *, base: Path | None = None, form: str = "auto", zone: tzinfo | None = None) -> Self:
        """Return the file of a path; the content of a pipe is read at once.

        A compressed file (gzip) is unpacked when it is read.

        Args:
            base: the folder that is imported.
            form: its form, or `auto` to recognise it.
            zone: the time zone of times without one, such as `ZoneInfo("Europe/Berlin")`.

        Raises:
            InvalidInput: it cannot be opened.
        """
        path = path_of(path)
        try:
            if not path.is_file():
                with path.open("rb") as stream:
                    return replace(cls.of(stream, name=str(path)), form=form, zone=zone)
            about = path.stat()
            with path.open("rb") as stream:
                is_compressed = stream.read(2) == _COMPRESSED
        except OSError as error:
            raise InvalidInput(f"{path.name}: cannot be read: {error.strerror}") from error

        def neighbours(folder: str, pattern: str) -> list[ChatFile]:
            place = path.parent / folder
            return (
                [cls.at(one, base=base) for one in sorted(place.glob(pattern)) if one.is_file()]
                if place.is_dir()
                else []
            )

        return cls(
            name=str(path),
            place=str(path.resolve()),
            size=about.st_size,
            open=(lambda: _unpacked(path)) if is_compressed else (lambda: path.open("rb")),
            written_at=datetime.fromtimestamp(about.st_mtime, UTC),
            form=form,
            zone=zone,
            path=(path.relative_to(base) if base else path).as_posix(),
            neighbours=neighbours,
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

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return PurePosixPath(self.path).parent.name

    @property
    def relative(self) -> str:
        """The path below the folder or the archive that is imported; the name alone for a single file."""
        return self.title if not self.path or PurePosixPath(self.path).is_absolute() else self.path

    def sibling(self, name: str) -> "ChatFile | None":
        """Return the file of a path relative to its folder, or `None`."""
        folder, _, own = name.rpartition("/")
        return next(iter(self.neighbours(folder, own)), None)

    def is_packed(self) -> bool:
        """Return True for a ZIP archive."""
        try:
            with self.open() as stream:
                return stream.read(len(_PACKED)) == _PACKED
        except OSError as error:
            raise InvalidInput(f"{self.title}: cannot be read: {error.strerror or error}") from error

    def members(self) -> "list[ChatFile]":
        """Return the files in a ZIP archive that an import reads, by name.

        Raises:
            InvalidInput: it is broken, has a password, or a member is larger than 2 GiB.
        """
        try:
            with self.open() as stream, zipfile.ZipFile(stream) as archive:
                entries = {entry.filename: entry for entry in archive.infolist() if not entry.is_dir()}
        except (OSError, zipfile.BadZipFile) as error:
            raise InvalidInput(f"{self.title}: is a broken ZIP archive: {error}") from error
        suffixes = SUFFIXES if any(name.lower().endswith(SUFFIXES) for name in entries) else NOTES
        wanted = [
            name for name in sorted(entries) if name.lower().endswith(suffixes) and not name.startswith("__MACOSX/")
        ]
        if not wanted:
            raise InvalidInput(f"{self.title}: contains no file named {', '.join((*SUFFIXES, *NOTES))}")
        return [
            replace(self._member(entries, name), form=self.form, zone=self.zone, mapping=self.mapping)
            for name in wanted
        ]

    def _member(self, entries: Mapping[str, zipfile.ZipInfo], name: str) -> "ChatFile":
        about = entries[name]
        if about.flag_bits & 1:
            raise InvalidInput(f"{self.title}: has a password; unpack it, and import the folder")
        if about.file_size > _MAX_MEMBER_BYTES:
            raise InvalidInput(f"{self.title}: {name} is larger than 2 GiB; unpack it, and import the folder")

        def opened() -> IO[bytes]:
            try:
                with self.open() as stream, zipfile.ZipFile(stream) as archive:
                    return io.BytesIO(archive.read(name))
            except _BROKEN as error:
                raise InvalidInput(f"{self.title}: is a broken ZIP archive: {name}: {error}") from error

        def neighbours(folder: str, pattern: str) -> list[ChatFile]:
            place = PurePosixPath(normalised(f"{PurePosixPath(name).parent}/{folder}/x")).parent
            paths = [one for one in sorted(entries) if PurePosixPath(one).parent == place]
            return [self._member(entries, one) for one in paths if PurePosixPath(one).match(pattern)]

        return ChatFile(
            name=f"{self.name}/{name}",
            place=f"{self.place}/{name}" if self.place else "",
            size=about.file_size,
            open=opened,
            written_at=datetime(*about.date_time, tzinfo=UTC) if about.date_time[0] > _FIRST_YEAR else self.written_at,
            path=name,
            neighbours=neighbours,
        )

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


def _unpacked(path: Path) -> IO[bytes]:
    """Return the content of a compressed file.

    Raises:
        InvalidInput: it is broken, or ends in the middle.
    """
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115 -- the caller closes it
    try:
        with gzip.open(path, "rb") as stream:
            shutil.copyfileobj(stream, unpacked)
    except _BROKEN as error:
        unpacked.close()
        raise InvalidInput(f"{path.name}: is a broken gzip file: {error}") from error
    unpacked.seek(0)
    return cast("IO[bytes]", unpacked)


def zone_named(name: str) -> ZoneInfo:
    """Return the time zone of a name such as `Europe/Berlin`.

    Raises:
        InvalidInput: there is no such time zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidInput(f"unknown time zone {name!r}; use a name such as Europe/Berlin") from None


def normalised(path: str) -> str:
    """Return a path with `/` without `.` and `..`."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def chat_files(path: Path) -> list[Path]:
    """Return the files below a folder that may contain chats, by name; notes, if there is no other.

    A path to a file is returned as it is.

    Raises:
        InvalidInput: there is no such path, or no such file below it.
    """
    if not path.exists():
        raise InvalidInput(f"no such file or folder: {str(path)!r}")
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*") if file.is_file())
    has_chats = any(file.suffix.lower() in SUFFIXES for file in found)
    wanted = (*(SUFFIXES if has_chats else NOTES), *DATABASES)
    if files := [file for file in found if file.suffix.lower() in wanted]:
        return files
    named = ", ".join((*SUFFIXES, *DATABASES, *NOTES))
    raise InvalidInput(f"no chats in folder {str(path)!r}: files named {named} are read in folders")


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
    opening = _parsed(first)
    second = next(lines, None) if opening is not None else None
    if second is not None:
        yield from json_lines(chain([(number, first), second], lines), reader)
        return
    text = first if opening is not None else first + stream.read()
    try:
        document = parsed_json(text, number, reader.name)
    except InvalidInput:
        if values := _values(text):
            # Documents one after the other, each on several lines.
            yield from (JsonEntry(where=f"value {place}", value=value) for place, value in enumerate(values, 1))
            return
        if not _has_lines(text, reader.name):
            if not reader.name.lower().endswith(TEXTS):
                raise
            raise InvalidInput(
                f"{reader.name}: is neither JSON nor in another form that is recognised; name its form, such as"
                " --from markdown for a note, or --map text=NAME for a table"
            ) from None
        # JSONL with an invalid first line.
        yield from json_lines(_non_blank(enumerate(text.split("\n"), number)), reader)
        return
    yield from _items(document, reader)


def _values(text: str) -> list[Any]:
    """Return the values of a text of several JSON documents; an empty list for another text."""
    decoder, values, at = json.JSONDecoder(), list[Any](), 0
    text = text.strip()
    try:
        text.encode()
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            values.append(value)
            while at < len(text) and (text[at].isspace() or text[at] == ","):
                at += 1
    except (ValueError, RecursionError):
        return []
    return values if all(isinstance(value, dict) for value in values) else []


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
        return parsed_json(line, 1, "")
    except InvalidInput:
        return None


def _has_lines(text: str, name: str) -> bool:
    """Return True if an invalid document is JSONL.

    Its name is not that of a document, and a line is an object.
    """
    return not name.lower().endswith(".json") and any(isinstance(_parsed(line), dict) for line in text.split("\n"))


def json_lines(lines: Iterable[tuple[int, str]], reader: Reader) -> Iterator[JsonEntry]:
    """Yield the values of lines of JSON.

    Invalid ones are skipped if the reader allows it. A line that is cut off is counted: so ends the log of a session
    that still runs, or was killed; a later one may have continued on the same line, which is read.

    Args:
        lines: with their numbers.

    Raises:
        InvalidInput: one is no JSON, and must not be skipped.
    """
    for count, (number, line) in enumerate(lines, 1):
        where = f"line {number}"
        try:
            value = parsed_json(line.rstrip("\n"), number, "")
        except InvalidInput as error:
            continued = _continued(line)
            if continued is not None or (count > 1 and _is_cut_off(line)):
                reader.count(Gap.CUT, where)
            else:
                reader.skip(where, str(error).partition(": ")[2])
            if continued is not None:
                yield JsonEntry(where=where, value=continued)
        else:
            yield JsonEntry(where=where, value=value)


def _continued(line: str) -> JsonObject | None:
    """Return the object after an object that is cut off, on the same line, or `None`."""
    for found in re.finditer(r'(?<!^)\{"', line):
        try:
            value = json.loads(line[found.start() :])
        except (ValueError, RecursionError):
            continue
        # The inner end of an object that is cut off itself is none.
        return None if _is_cut_off(line) else as_object(value)
    return None


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


def parsed_json(text: str, number: int, name: str) -> Any:
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
