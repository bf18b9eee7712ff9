"""Forms of other programs: what a reader of a form has, and what it yields."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeAlias

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.files import ChatFile, json_lines, parsed_json
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_objects

_HEAD_CHARACTERS = 2_000_000
TABLE = "$table"
"""The field of a row of a foreign database with the name of its table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignMemory:
    """A memory of another program.

    Args:
        key: identifies it in its form, the same in every export.
        user, agent: whose it is; it is stored in the scope of that user or agent, unless the import names one.
        text: the claim.
        type: one of our types of observations.
        updated_at: when it was last changed; by default that of the file.
        replaces: whether a later text under the key replaces an earlier one.
        topic_key: the topic key of such a memory; by default it is made of the form and the key.
        valid_until: the end of its validity.
        relations: what it declares of entities, each as subject, predicate and object.
        where: the place in the file.
    """

    key: str
    text: str
    type: str = "discovery"
    title: str = ""
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    occurred_at: datetime | None = None
    updated_at: datetime | None = None
    replaces: bool = False
    topic_key: str = ""
    user: str = ""
    agent: str = ""
    valid_until: datetime | None = None
    relations: tuple[tuple[str, str, str], ...] = ()
    where: str = ""


class ForeignFile:
    """A file in the form of another program.

    Attributes:
        file: the file itself.
        head: the beginning of its text.
    """

    def __init__(self, file: ChatFile) -> None:
        self.file = file
        try:
            with file.text() as stream:
                self.head = stream.read(_HEAD_CHARACTERS)
        except OSError as error:
            raise InvalidInput(f"{file.title}: cannot be read: {error.strerror}") from error

    def has(self, *names: str) -> bool:
        """Return True if the beginning has all of these names of JSON fields."""
        return all(has_field(self.head, name) for name in names)

    def has_any(self, *names: str) -> bool:
        """Return True if the beginning has one of these names of JSON fields."""
        return any(has_field(self.head, name) for name in names)

    @cached_property
    def first(self) -> JsonObject:
        """The first object of JSON lines, or an empty one."""
        return parsed_object(self.head.lstrip().partition("\n")[0])

    @cached_property
    def text(self) -> str:
        """The whole text."""
        with self.file.text() as stream:
            return stream.read()

    def document(self, reader: Reader) -> Any:
        """Return the JSON document of the file.

        Text before it, as a program prints it, is passed over; a document in a string is unpacked.

        Raises:
            InvalidInput: it is no JSON.
        """
        text = self.text
        if text.lstrip()[:1] not in ("{", "[", '"'):
            text = text[min((place for sign in "{[" if (place := text.find(f"\n{sign}")) >= 0), default=0) :]
        value = parsed_json(text.strip(), 1, reader.name)
        return parsed_json(value, 1, reader.name) if isinstance(value, str) else value

    def objects(self, reader: Reader) -> Iterator[tuple[str, JsonObject]]:
        """Yield the objects of JSON lines, or of an array, with their places."""
        text = self.text.lstrip()
        if text.startswith("["):
            for place, one in enumerate(as_list(self.document(reader)), 1):
                yield f"item {place}", as_object(one)
            return
        lines = ((number, line) for number, line in enumerate(self.text.splitlines(keepends=True), 1) if line.strip())
        for entry in json_lines(lines, reader):
            yield entry.where, as_object(entry.value)

    def rows(self, table: str, reader: Reader) -> list[JsonObject]:
        """Return the rows of a table of a foreign database."""
        return [row for _, row in self.objects(reader) if row.get(TABLE) == table]


Entries: TypeAlias = Callable[[ForeignFile, Reader], Iterator[JsonEntry]]
Memories: TypeAlias = Callable[[ForeignFile, Reader], Iterator[ForeignMemory]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of another program.

    Args:
        name: for `--from`.
        title: in messages.
        matches: returns True for a file in this form.
        entries: yields dialogues with messages, as `chat.read_turns` reads them.
        memories: yields memories.
    """

    name: str
    title: str
    matches: Callable[[ForeignFile], bool]
    entries: Entries | None = None
    memories: Memories | None = None


def has_field(text: str, name: str) -> bool:
    """Return True if a JSON text has a field of a name. Quotes in its strings are escaped."""
    return re.search(rf'"{re.escape(name)}"\s*:', text) is not None


def parsed_object(value: Any) -> JsonObject:
    """Return the JSON object in a text or a value; an empty one for anything else."""
    if isinstance(value, dict):
        return as_object(value)
    try:
        return as_object(parsed_json(value, 1, "")) if isinstance(value, str) else {}
    except InvalidInput:
        return {}


def lists_of(document: Any, *names: str) -> list[JsonObject]:
    """Return the objects of a document that is a list, or of the first of its lists with one of these names."""
    if isinstance(document, list):
        return as_objects(document)
    fields = as_object(document)
    return next((found for name in names if (found := as_objects(fields.get(name)))), list[JsonObject]())
