"""Plain chats: a message a line (JSONL), an array of messages, an object with `messages`, or agent trajectories.

A message is an object with `role` and `content` (or `text`); `speaker` or `name`, a time stamp, a session and an
id are read where they stand. Content in parts keeps its text parts; other parts are named in brackets.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from remembrancer.importers.json_values import JsonObject, as_list, as_object, as_objects, as_text, first_text
from remembrancer.importers.reader import Reader
from remembrancer.importers.turns import Turn, fingerprint

_SESSION = ("session", "session_id", "thread_id", "conversation_id", "thread")
_TIME = ("occurred_at", "timestamp", "created_at", "time", "date", "ts")


def matches(document: Any) -> bool:
    """Whether a parsed file, or the first line of a JSONL file, has one of these shapes."""
    if isinstance(document, list):
        return any(_is_message(item) or _is_dialogue(item) for item in as_objects(document)[:1])
    return _is_message(as_object(document)) or _is_dialogue(as_object(document))


def turns(document: Any, following: Iterable[Any], reader: Reader, *, name: str) -> Iterator[Turn]:
    """The turns of messages and dialogues, in the order in which they stand.

    Args:
        document: a parsed file, or the first line of a JSONL file.
        following: the lines after it, `None` for one that was left out; what is no message is passed over.
        name: the file's own, without its folder.
    """
    items: list[Any] = as_objects(document) if isinstance(document, list) else [as_object(document)]
    conversation, position = "", 0
    for index, value in enumerate(chain(items, following)):
        # A line that was left out keeps its place: mended and imported again, it comes alone.
        position += value is None
        item = as_object(value)
        session = first_text(item, *_SESSION)
        for message in _messages(item):
            text = _text(message) or reader.content(_content(message), message=position + 1)
            conversation = conversation or f"chat/{name}-{fingerprint(text)}"
            yield Turn(
                conversation=conversation,
                session=first_text(message, *_SESSION) or session or _fallback_session(item, index),
                position=position,
                role=reader.role(message.get("role", "user")),
                text=text,
                speaker=first_text(message, "speaker", "name"),
                occurred_at=reader.moment(*(message.get(key) for key in _TIME)),
                reference=first_text(message, "id", "message_id"),
            )
            position += 1


def _is_message(item: JsonObject) -> bool:
    named = "role" in item or "speaker" in item
    return named and any(key in item for key in ("content", "text", "tool_calls"))


def _is_dialogue(item: JsonObject) -> bool:
    inner = as_objects(item.get("messages")) or as_objects(item.get("traj"))
    return bool(inner) and _is_message(inner[0])


def _messages(item: JsonObject) -> list[JsonObject]:
    return as_objects(item.get("messages")) or as_objects(item.get("traj")) or ([item] if _is_message(item) else [])


def _fallback_session(item: JsonObject, index: int) -> str:
    """Messages on lines of their own are one session; each dialogue of a file is a session."""
    return f"dialogue_{index + 1}" if _is_dialogue(item) else "1"


def _text(message: JsonObject) -> str:
    content = _content(message)
    parts = [as_text(content)] if not isinstance(content, list) else [_part(part) for part in as_list(content)]
    parts += [_call(call) for call in as_objects(message.get("tool_calls"))]
    return "\n".join(part for part in parts if part)


def _content(message: JsonObject) -> Any:
    return message.get("content", message.get("text"))


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    fields = as_object(part)
    return first_text(fields, "text") or f"[{first_text(fields, 'type') or 'attachment'}]"


def _call(call: JsonObject) -> str:
    function = as_object(call.get("function")) or call
    arguments = function.get("arguments", "")
    shown = arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True)
    return f"[calls {first_text(function, 'name')}({shown})]"
