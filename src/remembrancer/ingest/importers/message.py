"""One message of a foreign chat: where its role, its words and its time stand in the shapes that people have.

`role` and `content` are what most write; `sender` and `text`, `from` and `value`, `author` and `parts` stand for them,
and a message may lie in an envelope, under `message`, `payload` or `data`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from remembrancer.ingest.importers.reader import Gap, role_of
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_objects, as_text, first_text
from remembrancer.types.record import Kind

_ROLE = ("role", "sender", "from", "speaker", "author")
_CONTENT = ("content", "text", "parts", "value", "message", "output")
_ATTACHED = ("attachments", "files")
_ENVELOPES = ("message", "payload", "data")
_CALLS = ("tool_use", "function_call", "tool_call", "functionCall")
_OF_HARNESS = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage")
_CONCLUDED = frozenset(Kind) - {Kind.MESSAGE}
_THINKING = ("thinking", "redacted_thinking", "reasoning", "reasoning_content", "thoughts")
_NAMES = ("name", "filename", "file_name", "displayName", "title")
_ADDRESSES = (
    "url", "uri", "fileUri", "file_uri", "file_url", "image_url", "asset_pointer", "path", "file_path", "file_id",
    "media_type", "mime_type", "mimeType", "format",
)  # fmt: skip
# How deep a part says where its file is: `{"image_url": {"url": …}}`, `{"source": {"url": …}}`.
_DEEPEST = 3
_LONGEST_ADDRESS = 500
_RESULTS = ("tool_result", "function_call_output", "tool_output", "functionResponse")


def as_message(value: Any) -> JsonObject | None:
    """The fields of a message, taken out of its envelope, or `None` if it is none.

    What the envelope says beside, such as the time, stands behind what the message says itself.
    """
    item = as_object(value)
    if not item or _is_concluded(item):
        return None
    for name in _ENVELOPES:
        inner = as_message(item.get(name)) or _with_role(as_object(item.get(name)), item.get("type"))
        if inner:
            envelope = {key: held for key, held in item.items() if key not in (name, *_CONTENT)}
            return {**envelope, **{key: held for key, held in inner.items() if held is not None}}
    if _kind(item) in (*_CALLS, *_RESULTS):
        return item
    if not any(name in item for name in (*_CONTENT, "tool_calls")):
        return None
    return item if any(name in item for name in _ROLE) or role_of(item.get("type")) else None


def _with_role(fields: JsonObject, role: Any) -> JsonObject | None:
    """Words whose envelope alone says in its type who spoke."""
    said = role_of(role) and any(name in fields for name in ("content", "text"))
    return {**fields, "role": role} if said else None


def is_wordless(value: Any) -> bool:
    """Whether an object tells by its type that it is something else than a message, such as an event of a log."""
    item = as_object(value)
    if _is_concluded(item):
        return True
    named = _kind(item) and role_of(_kind(item)) is None and _kind(item) != "message"
    return bool(named) and not any(name in item for name in (*_ROLE, "content", "text", "parts"))


def _is_concluded(item: JsonObject) -> bool:
    """Whether an object is a memory of an export of ours that nobody said in a chat."""
    return as_text(item.get("kind")) in _CONCLUDED and "revision" in item and "recorded_at" in item


def has_role(value: Any) -> bool:
    """Whether an object says who spoke."""
    return any(name in as_object(value) for name in _ROLE)


def role(message: JsonObject) -> Any:
    """What a message says of the role of its speaker; results of tools are the tools'."""
    kind = _kind(message)
    parts = as_objects(_content(message))
    if kind in _RESULTS or (parts and all(_kind(part) in _RESULTS for part in parts)):
        return "tool"
    if kind in _CALLS:
        return "assistant"
    author = message.get("author")
    for stated in (message.get("role"), as_object(author).get("role")):
        if stated is not None:
            return stated
    if "role" in message:
        return None
    others = (message.get("sender"), message.get("from"), message.get("type"), author)
    return next((named for named in others if role_of(named)), "user")


def harness(message: JsonObject) -> str:
    """The mark by which a transcript says that the program around the agent wrote a message, or `""`.

    A side chain is what an agent asks of another one, and hears of it; a subtype is that of an event of the program.
    """
    marked = next((name for name in _OF_HARNESS if message.get(name) is True), "")
    return marked or ("subtype" if message.get("type") == "system" and as_text(message.get("subtype")) else "")


def by_voice(message: JsonObject) -> list[JsonObject]:
    """A message in parts: what tools gave, among what its speaker said, is a message of its own."""
    content = _content(message)
    parts = as_list(content)
    runs = [list(run) for _, run in groupby(parts, lambda part: _kind(as_object(part)) in _RESULTS)]
    if len(runs) < 2:
        return [message]
    rest = {name: value for name, value in message.items() if name not in (*_CONTENT, *_ATTACHED, "tool_calls")}
    first = {**message, **{name: None for name in _CONTENT if name in message}, "content": runs[0]}
    return [first, *({**rest, "content": run} for run in runs[1:])]


def speaker(message: JsonObject) -> str:
    """The name of who spoke, or `""`."""
    named = first_text(message, "speaker", "name") or first_text(as_object(message.get("author")), "name")
    others = (message.get("sender"), message.get("from"), message.get("author"))
    return named or next((name for other in others if (name := as_text(other)) and not role_of(other)), "")


def words(message: JsonObject) -> str | None:
    """What was said: its texts, its calls of tools, what was attached, other parts named in brackets.

    `None` if it can't be read. Of what was attached it has the words that the file gives of it, else the name alone.
    """
    if _kind(message) in _CALLS:
        return _call(message)
    said = _said(_content(message))
    calls = [_call(call) for call in as_objects(message.get("tool_calls"))]
    beside = [*calls, first_text(message, "refusal"), *_attached(message)]
    if said is None and not any(beside):
        return None
    return "\n".join(part for part in (said, *beside) if part)


def composed(text: str, content: Sequence[JsonObject], tool_calls: Sequence[JsonObject]) -> str:
    """A text with content parts and calls of tools behind it, as `words` has them of a message that holds all three."""
    parts = [{"type": "text", "text": text}, *content] if text else [*content]
    return words({"content": parts, "tool_calls": [*tool_calls]}) or ""


def has_results(content: Sequence[JsonObject]) -> bool:
    """Whether any content part is what a tool gave."""
    return any(_kind(part) in _RESULTS for part in content)


def _attached(message: JsonObject) -> list[str]:
    """Each file that was sent along, by its name, with its words where they are given; the same file once."""
    return ["\n".join(filter(None, file)) for file in _files(message)]


def _files(message: JsonObject) -> list[tuple[str, str]]:
    files = [_file(value) for name in _ATTACHED for value in as_list(message.get(name))]
    with_words = {name for name, words in files if words}
    return list(dict.fromkeys(file for file in files if file[1] or file[0] not in with_words))


def _file(value: Any) -> tuple[str, str]:
    fields = as_object(value) or {"name": as_text(value)}
    return _other(fields, "attachment"), first_text(fields, "extracted_content", "text", "content")


def is_empty(message: JsonObject) -> bool:
    """Whether nothing stands where the words would be."""
    return _content(message) in (None, [], {}) and not message.get("tool_calls") and _kind(message) not in _CALLS


def _content(message: JsonObject) -> Any:
    """The first of the fields for words that holds anything."""
    held = [message[name] for name in _CONTENT if name in message]
    return next((content for content in held if content not in (None, [], "")), held[0] if held else None)


def _said(content: Any) -> str | None:
    if content in (None, {}):
        return ""
    if isinstance(content, list):
        return "\n".join(part for part in map(_part, as_list(content)) if part)
    if isinstance(content, Mapping):
        return _fields(as_object(content))
    return as_text(content) if isinstance(content, str | int | float) and not isinstance(content, bool) else None


def _fields(content: JsonObject) -> str | None:
    """The words in an object that stands for content."""
    for name in ("parts", "text", "content", "result", "output"):
        if name in content and (said := _said(content[name])) is not None:
            return said
    return f"[{kind}]" if (kind := _kind(content)) else None


def _part(part: Any) -> str:
    if not isinstance(part, Mapping):
        return as_text(part)
    fields = as_object(part)
    kind = _kind(fields) or next((name for name in (*_CALLS, *_RESULTS) if name in fields), "")
    if kind in _CALLS:
        return _call(as_object(fields.get(kind)) or fields)
    if kind in _RESULTS:
        return _said(fields.get("content", fields.get("output"))) or f"[{kind}]"
    return first_text(fields, "text", "refusal") or _other(fields, kind or "attachment")


def _other(fields: JsonObject, kind: str) -> str:
    """What is no text, by its kind, its name and its address; the content of an address that holds it is left out."""
    address = _within(fields, _ADDRESSES)
    if address.startswith("data:"):
        address = address.partition(",")[0]
    return f"[{' '.join(filter(None, (kind, _within(fields, _NAMES), address[:_LONGEST_ADDRESS])))}]"


def _within(fields: JsonObject, names: tuple[str, ...], depth: int = _DEEPEST) -> str:
    """The first text under one of some names, in an object or in those within it."""
    found = first_text(fields, *names)
    if found or not depth:
        return found
    return next((text for inner in map(as_object, fields.values()) if (text := _within(inner, names, depth - 1))), "")


def gaps(message: JsonObject) -> Iterator[tuple[Gap, str]]:
    """What a message has that its words do not hold: what was thought, and what is no text."""
    for name in _THINKING:
        if isinstance(message.get(name), str) and message[name].strip():
            yield Gap.THINKING, name
    for part in as_objects(_content(message)):
        kind = _kind(part) or next((name for name in (*_CALLS, *_RESULTS) if name in part), "")
        if kind in _THINKING:
            yield Gap.THINKING, kind
        elif kind in _RESULTS:
            yield from gaps({"content": part.get("content", part.get("output"))})
        elif kind not in _CALLS and not first_text(part, "text", "refusal"):
            yield Gap.ATTACHED, _part(part)
    yield from ((Gap.ATTACHED, shown) for shown, words in _files(message) if not words)


def _call(call: JsonObject) -> str:
    function = as_object(call.get("function")) or call
    arguments = next((function[name] for name in ("arguments", "input", "args") if name in function), "")
    shown = arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True)
    return f"[calls {first_text(function, 'name')}({shown})]"


def _kind(item: JsonObject) -> str:
    return first_text(item, "type", "content_type")
