"""Chats in JSON.

Messages are in lines (JSONL), in an array, or in objects with a list, such as exports of assistants. A message has a
speaker and a text; its time, session and id are optional. Messages outside of a list are one conversation for each
session; each list of messages is one conversation.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from remembrancer.ingest.importers import message as messages
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_text, first_text
from remembrancer.language.quoting import without_harness
from remembrancer.types.record import HARNESS

_SESSION = (
    "session", "session_id", "sessionId", "thread_id", "threadId", "conversation_id", "conversationId", "thread",
    "chat_id",
)  # fmt: skip
_TIME = (
    "occurred_at", "timestamp", "created_at", "create_time", "createdAt", "createTime", "created", "sent_at", "sentAt",
    "date_unixtime", "timestamp_ms", "timestampMs", "datetime", "date_time", "time", "date", "ts", "sent", "when", "at",
    "published_at", "inserted_at", "recorded_at", "start_time", "startTime",
)  # fmt: skip
TITLE = "title"
"""The name in the metadata of the first message of a conversation, for its title."""
_TITLES = ("title", "name")
_MAX_TITLE = 200
_HEADINGS = ("summary", "description", "system", "system_prompt", "instructions")
_LISTS = ("messages", "traj", "chat_messages", "conversations", "contents", "history", "turns")
CONVERSATION = "$conversation"
"""The field of a dialogue with an id that is the same in every file; readers of forms set it."""
# A UUID, or a long mixture of letters and digits.
_UNIQUE = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{20,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonEntry:
    """A top-level value of a file, with its place, such as `line 3`."""

    where: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialogue:
    """A list of messages, with the fields of the object that contains it."""

    where: str
    fields: JsonObject
    messages: list[Any]


def read_turns(entries: Iterable[JsonEntry], reader: Reader) -> Iterator[Turn]:
    """Yield the turns of messages and dialogues, in their order.

    Raises:
        InvalidInput: one cannot be read, and must not be skipped.
    """
    position = 0
    for index, entry in enumerate(entries):
        single = messages.as_message(entry.value)
        dialogues = [] if single else _dialogues(entry.where, entry.value)
        if single:
            turns = _turns(single, {}, "1", entry.where, position, reader)
            position += len(turns)
            yield from turns
        elif dialogues is None:
            _skip_no_message(entry, reader)
        for number, dialogue in enumerate(dialogues or (), 1):
            name = f"dialogue_{index + 1}" + (f".{number}" if number > 1 else "")
            for turn in _turns_of_dialogue(dialogue, name, position, reader):
                yield turn
                position += 1


def contains_chat(entry: JsonEntry) -> bool:
    """Return True if a value contains a message."""
    return bool(messages.as_message(entry.value) or _dialogues(entry.where, entry.value))


def _skip_no_message(entry: JsonEntry, reader: Reader) -> None:
    if fields := as_object(entry.value):
        reader.no_message(messages.kind_of_entry(fields))
    else:
        reader.skip(entry.where, "it contains no message in a known form")


def _turns_of_dialogue(dialogue: _Dialogue, name: str, position: int, reader: Reader) -> Iterator[Turn]:
    for unread in _unread_fields(dialogue.fields):
        reader.count(Gap.FIELD, unread)
    title = first_text(dialogue.fields, *_TITLES).strip()[:_MAX_TITLE]
    for number, value in enumerate(dialogue.messages, 1):
        where = ", ".join(filter(None, (dialogue.where, f"message {number}")))
        message = messages.as_message(value)
        if message is None:
            _skip_no_message(JsonEntry(where=where, value=value), reader)
        else:
            turns = _turns(message, dialogue.fields, name, where, position, reader, title)
            yield from turns
            position += len(turns)
            title = ""


def _unread_fields(fields: JsonObject) -> Iterator[str]:
    """Yield the fields next to messages that contain further text."""
    for name, value in fields.items():
        is_heading = name in _HEADINGS and as_text(value).strip()
        if is_heading or (name not in (*_LISTS, *_TITLES, "mapping") and _contains_text(value)):
            yield name


def _contains_text(value: Any) -> bool:
    items = [*as_object(value).values(), *as_list(value)]
    return any(_contains_text(item) if isinstance(item, dict | list) else isinstance(item, str) for item in items)


def _turns(
    message: JsonObject, dialogue: JsonObject, name: str, where: str, position: int, reader: Reader, title: str = ""
) -> list[Turn]:
    """Return the turns of a message: results of tools are turns of their own."""
    turns: list[Turn] = []
    for part in messages.split_tool_results(message):
        turn = _turn(part, dialogue, name, where, position + len(turns), reader, "" if turns else title)
        if turns and turn.reference:
            turn = replace(turn, reference=f"{turn.reference}.{len(turns) + 1}")
        turns.append(turn)
    return turns


def _turn(
    message: JsonObject, dialogue: JsonObject, name: str, where: str, position: int, reader: Reader, title: str
) -> Turn:
    """Return the turn of a message.

    Args:
        dialogue: the fields of its dialogue.
        name: the name of the dialogue if its fields have none.
        title: the title of the dialogue, for its first turn.
    """
    text = messages.text_of(message)
    if text is None:
        text = messages.unknown_content(message)
        reader.count(Gap.ATTACHED, text)
    if not text and messages.is_empty(message):
        reader.without_content(where)
    for gap, example in messages.gaps(message):
        reader.count(gap, example)
    mark = messages.harness_mark(message)
    own_role = messages.role_in(message)
    role = "system" if mark and own_role != "tool" else reader.role(own_role)
    if role == "user" and (own_words := without_harness(text).strip()) and own_words != text.strip():
        reader.count(Gap.HARNESS, where)
        text = own_words
    session = first_text(message, *_SESSION) or first_text(dialogue, *_SESSION)
    own = (
        first_text(message, CONVERSATION)
        or first_text(dialogue, CONVERSATION)
        or _unique(session)
        or _unique(first_text(dialogue, "uuid", "id"))
    )
    when, chat_when = (reader.time(*(fields.get(key) for key in _TIME)) for fields in (message, dialogue))
    if not any(fields.get(key) not in (None, "") for fields in (message, dialogue) for key in _TIME):
        reader.count(Gap.NO_TIME, where)
    return Turn(
        conversation=f"chat/{own}" if own else "",
        session="" if own else session or name,
        position=position,
        role=role,
        text=text,
        speaker=messages.speaker_of(message),
        occurred_at=when,
        written_at=chat_when,
        reference=first_text(message, "id", "message_id", "uuid"),
        metadata={**({HARNESS: mark} if mark else {}), **({TITLE: title} if title else {})},
        where=where,
    )


def _unique(id: str) -> str:
    """Return an id if it is globally unique, else `""`."""
    return id if _UNIQUE.search(id) else ""


def _dialogues(where: str, value: Any) -> list[_Dialogue] | None:
    """Return the dialogues in a value; `None` without one."""
    fields = as_object(value)
    if isinstance(fields.get("mapping"), dict):
        return [_Dialogue(where=where, fields=fields, messages=_tree(as_object(fields["mapping"])))]
    items = next((one for one in (as_list(value), *(as_list(fields.get(name)) for name in _LISTS)) if one), None)
    if not items:
        # Exports contain empty conversations.
        return [] if any(fields.get(name) == [] for name in _LISTS) else None
    if any(messages.as_message(item) for item in items):
        return [_Dialogue(where=where, fields=fields, messages=items)]
    inner = [_dialogues(", ".join(filter(None, (where, f"item {place}"))), item) for place, item in enumerate(items, 1)]
    return None if None in inner else [one for some in inner for one in some or ()]


def _tree(nodes: JsonObject) -> list[Any]:
    """Return the messages of a tree, each before its replies.

    A reply names its message, and some trees only do that; a message that no root leads to begins a tree of its own.
    """
    parents = {name: as_text(as_object(node).get("parent")) for name, node in nodes.items()}
    replies: dict[str, dict[str, None]] = {
        name: dict.fromkeys(map(as_text, as_list(as_object(node).get("children")))) for name, node in nodes.items()
    }
    for name, parent in parents.items():
        replies.get(parent, {})[name] = None
    roots = [name for name, parent in parents.items() if parent not in nodes]
    pending, in_order, visited = (
        [*[name for name in nodes if name not in roots][::-1], *roots[::-1]],
        list[Any](),
        set[str](),
    )
    while pending:
        name = pending.pop()
        if name in visited:
            continue
        visited.add(name)
        node = as_object(nodes.get(name))
        if not _is_hidden(node.get("message")):
            in_order.append(node.get("message"))
        pending += [reply for reply in list(replies[name])[::-1] if reply in nodes]
    return in_order


def _is_hidden(value: Any) -> bool:
    """Return True for a node without text: a root or a system message."""
    message = messages.as_message(value)
    return value is None or (
        message is not None and messages.role_in(message) == "system" and not messages.text_of(message)
    )
