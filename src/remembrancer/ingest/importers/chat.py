"""Chats in JSON: a message a line (JSONL), an array of messages, objects that hold messages, exports of assistants.

A message says who spoke and what; a time, a session and an id are read where they stand. Messages that stand by
themselves are one conversation, or as many as they name sessions; each list of messages is one.
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
    "occurred_at", "timestamp", "created_at", "create_time", "createdAt", "created", "sent_at", "time", "date", "ts",
)  # fmt: skip
_NAMED = ("title", "name", "summary", "description", "system", "system_prompt", "instructions")
_HELD = ("messages", "traj", "chat_messages", "conversations", "contents", "history", "turns")
# A UUID, or so many letters and digits mixed that nobody gives them twice.
_UNIQUE = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{20,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A value that stands by itself in a file, with its place, such as `line 3`."""

    where: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialogue:
    """Messages that stand together, with what is said of them all."""

    where: str
    fields: JsonObject
    messages: list[Any]


def turns(entries: Iterable[Entry], reader: Reader) -> Iterator[Turn]:
    """The turns of messages and dialogues, in the order in which they stand.

    Raises:
        InvalidInput: one cannot be read, and nothing is to be left out.
    """
    position = 0
    for index, entry in enumerate(entries):
        single = messages.as_message(entry.value)
        dialogues = [] if single else _dialogues(entry.where, entry.value)
        if single:
            found = _turns(single, {}, "1", entry.where, position, reader)
            position += len(found)
            yield from found
        elif dialogues is None:
            _no_message(entry, reader)
        for number, dialogue in enumerate(dialogues or (), 1):
            named = f"dialogue_{index + 1}" + (f".{number}" if number > 1 else "")
            for turn in _held(dialogue, named, position, reader):
                yield turn
                position += 1


def holds_chat(entry: Entry) -> bool:
    """Whether there is a message in a value."""
    return bool(messages.as_message(entry.value) or _dialogues(entry.where, entry.value))


def _no_message(entry: Entry, reader: Reader) -> None:
    if messages.is_wordless(entry.value):
        reader.no_message(entry.where)
    elif messages.has_role(entry.value):
        reader.leave_out(entry.where, "it says who spoke and not what")
    else:
        reader.leave_out(entry.where, "it holds no message in a shape that is known")


def _held(dialogue: _Dialogue, named: str, position: int, reader: Reader) -> Iterator[Turn]:
    for name in _unread_fields(dialogue.fields):
        reader.note(Gap.FIELD, name)
    for number, value in enumerate(dialogue.messages, 1):
        where = ", ".join(filter(None, (dialogue.where, f"message {number}")))
        message = messages.as_message(value)
        if message is None:
            _no_message(Entry(where=where, value=value), reader)
        else:
            found = _turns(message, dialogue.fields, named, where, position, reader)
            yield from found
            position += len(found)


def _unread_fields(fields: JsonObject) -> Iterator[str]:
    """The fields of an object that holds messages which say more of them: its title, and what holds texts."""
    for name, value in fields.items():
        is_named = name in _NAMED and as_text(value).strip()
        if is_named or (name not in (*_HELD, "mapping") and _holds_text(value)):
            yield name


def _holds_text(value: Any) -> bool:
    items = [*as_object(value).values(), *as_list(value)]
    return any(_holds_text(item) if isinstance(item, dict | list) else isinstance(item, str) for item in items)


def _turns(message: JsonObject, of: JsonObject, named: str, where: str, position: int, reader: Reader) -> list[Turn]:
    """The turns that a message is: what tools gave stands apart from what was said around it."""
    found: list[Turn] = []
    for part in messages.by_voice(message):
        if turn := _turn(part, of, named, where, position + len(found), reader):
            if found and turn.reference:
                turn = replace(turn, reference=f"{turn.reference}.{len(found) + 1}")
            found.append(turn)
    return found


def _turn(message: JsonObject, of: JsonObject, named: str, where: str, position: int, reader: Reader) -> Turn | None:
    """The turn that a message is; `None` where it is left out.

    Args:
        of: what is said of its dialogue.
        named: the dialogue, where nothing else names it.
    """
    text = messages.words(message)
    if text is None:
        reader.leave_out(where, "its content is in no shape that is known")
        return None
    if not text and messages.is_empty(message):
        reader.without_content(where)
    for gap, example in messages.gaps(message):
        reader.note(gap, example)
    mark = messages.harness(message)
    named_role = messages.role(message)
    role = "system" if mark and named_role != "tool" else reader.role(named_role)
    if role == "user" and (own_words := without_harness(text).strip()) and own_words != text.strip():
        reader.note(Gap.HARNESS, where)
        text = own_words
    session = first_text(message, *_SESSION) or first_text(of, *_SESSION)
    own = _unique(session) or _unique(first_text(of, "uuid", "id"))
    return Turn(
        conversation=f"chat/{own}" if own else "",
        session="" if own else session or named,
        position=position,
        role=role,
        text=text,
        speaker=messages.speaker(message),
        occurred_at=reader.moment(*(message.get(key) for key in _TIME)),
        written_at=reader.moment(*(of.get(key) for key in _TIME)),
        reference=first_text(message, "id", "message_id", "uuid"),
        metadata={HARNESS: mark} if mark else {},
        where=where,
    )


def _unique(id: str) -> str:
    """An id if no other conversation anywhere has it, else `""`."""
    return id if _UNIQUE.search(id) else ""


def _dialogues(where: str, value: Any) -> list[_Dialogue] | None:
    """The dialogues in a value; `None` if it holds none."""
    fields = as_object(value)
    if isinstance(fields.get("mapping"), dict):
        return [_Dialogue(where=where, fields=fields, messages=_tree(as_object(fields["mapping"])))]
    items = next((held for held in (as_list(value), *(as_list(fields.get(name)) for name in _HELD)) if held), None)
    if not items:
        # Exports hold conversations in which nothing was said.
        return [] if any(fields.get(name) == [] for name in _HELD) else None
    if any(messages.as_message(item) for item in items):
        return [_Dialogue(where=where, fields=fields, messages=items)]
    inner = [_dialogues(", ".join(filter(None, (where, f"item {place}"))), item) for place, item in enumerate(items, 1)]
    return None if None in inner else [one for some in inner for one in some or ()]


def _tree(nodes: JsonObject) -> list[Any]:
    """The messages of a conversation that has branches: each before what was said upon it."""
    begun = [name for name, node in nodes.items() if as_text(as_object(node).get("parent")) not in nodes]
    waiting, found, seen = begun[::-1], list[Any](), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        node = as_object(nodes.get(name))
        if not _is_hidden(node.get("message")):
            found.append(node.get("message"))
        waiting += [as_text(child) for child in as_list(node.get("children"))[::-1]]
    return found


def _is_hidden(value: Any) -> bool:
    """Whether a node is a root without a message, or what the program put there without words."""
    message = messages.as_message(value)
    return value is None or (message is not None and messages.role(message) == "system" and not messages.words(message))
