"""Messages of foreign chats: their roles, texts and times.

Most write `role` and `content`; others `sender` and `text`, `from` and `value`, or `author` and `parts`. A message may
be in an envelope, under `message`, `payload` or `data`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from remembrancer.ingest.importers.reader import Gap, known_role
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_objects, as_text, first_text
from remembrancer.types.record import Kind

_ROLE = ("role", "sender", "from", "speaker", "author")
_CONTENT = ("content", "text", "parts", "value", "message", "output")
_ATTACHED = ("attachments", "files")
_INSTRUCTIONS = ("user_profile", "user_instructions", "model_set_context", "repo_summary")
_ENVELOPES = ("message", "payload", "data")
_CALLS = ("tool_use", "function_call", "tool_call", "functionCall")
_OF_HARNESS = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isSidechain", "isApiErrorMessage")
_DERIVED_KINDS = frozenset(Kind) - {Kind.MESSAGE}
_THINKING = ("thinking", "redacted_thinking", "reasoning", "reasoning_content", "thoughts")
_NAMES = ("name", "filename", "file_name", "displayName", "title")
_ADDRESSES = (
    "url", "uri", "fileUri", "file_uri", "file_url", "image_url", "asset_pointer", "path", "file_path", "file_id",
    "media_type", "mime_type", "mimeType", "format",
)  # fmt: skip
# The depth of the address of a file in a part: `{"image_url": {"url": …}}`, `{"source": {"url": …}}`.
_MAX_DEPTH = 3
_MAX_ADDRESS = 500
_SHOWN_FIELDS = 5
_RESULTS = ("tool_result", "function_call_output", "tool_output", "functionResponse")


def as_message(value: Any) -> JsonObject | None:
    """Return the fields of a message without its envelope, or `None`.

    Fields of the envelope, such as the time, are the defaults of those of the message.
    """
    item = as_object(value)
    if not item or _is_derived(item):
        return None
    for name in _ENVELOPES:
        inner = as_message(item.get(name)) or _with_role(as_object(item.get(name)), item.get("type"))
        if inner:
            envelope = {key: field for key, field in item.items() if key not in (name, *_CONTENT)}
            return {**envelope, **{key: field for key, field in inner.items() if field is not None}}
    if _kind(item) in (*_CALLS, *_RESULTS):
        return item
    if not any(name in item for name in (*_CONTENT, "tool_calls")):
        return None
    return item if any(name in item for name in _ROLE) or known_role(item.get("type")) else None


def _with_role(fields: JsonObject, role: Any) -> JsonObject | None:
    """Return content with the role of its envelope, or `None`."""
    is_message = known_role(role) and any(name in fields for name in ("content", "text"))
    return {**fields, "role": role} if is_message else None


def _is_derived(item: JsonObject) -> bool:
    """Return True for a memory of our own exports that is no message."""
    return as_text(item.get("kind")) in _DERIVED_KINDS and "revision" in item and "recorded_at" in item


def kind_of_entry(item: JsonObject) -> str:
    """Return the kind of an object that is no message: its type, its subtype, or the names of its fields."""
    kinds = [one for one in (_kind(item), first_text(item, "subtype")) if one]
    return " ".join(kinds) or f"fields {', '.join(sorted(item)[:_SHOWN_FIELDS])}"


def role_in(message: JsonObject) -> Any:
    """Return the role field of a message; the role of a tool result is `tool`."""
    kind = _kind(message)
    parts = as_objects(_content(message))
    if kind in _RESULTS or (parts and all(_kind(part) in _RESULTS for part in parts)):
        return "tool"
    if kind in _CALLS:
        return "assistant"
    author = message.get("author")
    for role in (message.get("role"), as_object(author).get("role")):
        if role is not None:
            return role
    if "role" in message:
        return None
    others = (message.get("sender"), message.get("from"), message.get("type"), author)
    return next((one for one in others if known_role(one)), "user")


def harness_mark(message: JsonObject) -> str:
    """Return the mark of a message of the harness, or `""`.

    The harness is the program around the agent. A side chain is the conversation of an agent with another one; a
    subtype is that of an event of the program.
    """
    flag = next((name for name in _OF_HARNESS if message.get(name) is True), "")
    return flag or ("subtype" if message.get("type") == "system" and as_text(message.get("subtype")) else "")


def split_tool_results(message: JsonObject) -> list[JsonObject]:
    """Split a message so that results of tools are messages of their own."""
    content = _content(message)
    parts = as_list(content)
    runs = [list(run) for _, run in groupby(parts, lambda part: _kind(as_object(part)) in _RESULTS)]
    if len(runs) < 2:
        return [message]
    rest = {name: value for name, value in message.items() if name not in (*_CONTENT, *_ATTACHED, "tool_calls")}
    first = {**message, **{name: None for name in _CONTENT if name in message}, "content": runs[0]}
    return [first, *({**rest, "content": run} for run in runs[1:])]


def speaker_of(message: JsonObject) -> str:
    """Return the name of the speaker, or `""`."""
    name = first_text(message, "speaker", "name") or first_text(as_object(message.get("author")), "name")
    others = (message.get("sender"), message.get("from"), message.get("author"))
    return name or next((one for other in others if (one := as_text(other)) and not known_role(other)), "")


def text_of(message: JsonObject) -> str | None:
    """Return the text of a message.

    Tool calls, attachments and other parts are in brackets. `None` for unreadable content. An attachment has its
    extracted text, or its name alone.
    """
    if _kind(message) in _CALLS:
        return _call(message)
    text = _words(message)
    calls = [_call(call) for call in as_objects(message.get("tool_calls"))]
    others = [*calls, first_text(message, "refusal"), *_attached(message)]
    if text is None and not any(others):
        return None
    return "\n".join(part for part in (text, *others) if part)


def unknown_content(message: JsonObject) -> str:
    """Return the names in content of an unknown form, in brackets."""
    names = sorted(as_object(_content(message)))[:_SHOWN_FIELDS]
    return f"[{', '.join(names) or 'content'}]"


def _words(message: JsonObject) -> str | None:
    """Return the text of the first content field with words; of others if that has none."""
    text = _text(_content(message))
    others = (_text(message[name]) for name in _CONTENT if name in message)
    return text or next((one for one in others if one and one.strip()), text)


def text_with_parts(text: str, content: Sequence[JsonObject], tool_calls: Sequence[JsonObject]) -> str:
    """Return a text with content parts and tool calls after it."""
    parts = [{"type": "text", "text": text}, *content] if text else [*content]
    return text_of({"content": parts, "tool_calls": [*tool_calls]}) or ""


def has_tool_results(content: Sequence[JsonObject]) -> bool:
    """Return True if a content part is the result of a tool."""
    return any(_kind(part) in _RESULTS for part in content)


def _attached(message: JsonObject) -> list[str]:
    """Return each attached file once: its name and its extracted text."""
    return ["\n".join(filter(None, file)) for file in _files(message)]


def _files(message: JsonObject) -> list[tuple[str, str]]:
    listed = [*(message.get(name) for name in _ATTACHED), as_object(message.get("metadata")).get("attachments")]
    files = [_file(value) for values in listed for value in as_list(values)]
    with_text = {name for name, text in files if text}
    return list(dict.fromkeys(file for file in files if file[1] or file[0] not in with_text))


def _file(value: Any) -> tuple[str, str]:
    fields = as_object(value) or {"name": as_text(value)}
    return _other(fields, "attachment"), first_text(fields, "extracted_content", "text", "content")


def is_empty(message: JsonObject) -> bool:
    """Return True if a message has no content."""
    return _content(message) in (None, [], {}) and not message.get("tool_calls") and _kind(message) not in _CALLS


def _content(message: JsonObject) -> Any:
    """Return the first non-empty content field."""
    contents = [message[name] for name in _CONTENT if name in message]
    return next((one for one in contents if one not in (None, [], "")), contents[0] if contents else None)


def _text(content: Any) -> str | None:
    if content in (None, {}):
        return ""
    if isinstance(content, list):
        parts = as_list(content)
        # Pieces of one text: strings, and formatted ones between them.
        texts = [part if isinstance(part, str) else as_object(part).get("text") for part in parts]
        is_one_text = any(isinstance(part, str) for part in parts) and all(isinstance(one, str) for one in texts)
        between = "" if is_one_text else "\n"
        return between.join(part for part in map(_part, parts) if part)
    if isinstance(content, Mapping):
        return _fields(as_object(content))
    return as_text(content) if isinstance(content, str | int | float) and not isinstance(content, bool) else None


def _fields(content: JsonObject) -> str | None:
    """Return the text of a content object."""
    for name in ("parts", "text", "content", "result", "output"):
        if name in content and (text := _text(content[name])) is not None:
            return text
    # What ChatGPT shows the model in each conversation.
    if shown := [text for name in _INSTRUCTIONS if (text := first_text(content, name))]:
        return "\n".join(shown)
    return f"[{kind}]" if (kind := _kind(content)) else None


def _part(part: Any) -> str:
    if not isinstance(part, Mapping):
        return as_text(part)
    fields = as_object(part)
    kind = _kind(fields) or next((name for name in (*_CALLS, *_RESULTS) if name in fields), "")
    if kind in _CALLS:
        return _call(as_object(fields.get(kind)) or fields)
    if kind in _RESULTS:
        return _text(fields.get("content", fields.get("output"))) or f"[{kind}]"
    text = first_text(fields, "text", "refusal")
    return text if text or fields.get("text") == "" else _other(fields, kind or "attachment")


def _other(fields: JsonObject, kind: str) -> str:
    """Return the kind, the name and the address of a part that is no text.

    Embedded data is left out.
    """
    address = _within(fields, _ADDRESSES)
    if address.startswith("data:"):
        address = address.partition(",")[0]
    return f"[{' '.join(filter(None, (kind, _within(fields, _NAMES), address[:_MAX_ADDRESS])))}]"


def _within(fields: JsonObject, names: tuple[str, ...], depth: int = _MAX_DEPTH) -> str:
    """Return the first text under some names, also in nested objects."""
    text = first_text(fields, *names)
    if text or not depth:
        return text
    return next((text for inner in map(as_object, fields.values()) if (text := _within(inner, names, depth - 1))), "")


def gaps(message: JsonObject) -> Iterator[tuple[Gap, str]]:
    """Yield the parts of a message that its text leaves out."""
    for name in _THINKING:
        if isinstance(message.get(name), str) and message[name].strip():
            yield Gap.THINKING, name
    for part in as_objects(_content(message)):
        kind = _kind(part) or next((name for name in (*_CALLS, *_RESULTS) if name in part), "")
        if kind in _THINKING:
            yield Gap.THINKING, kind
        elif kind in _RESULTS:
            yield from gaps({"content": part.get("content", part.get("output"))})
        elif kind not in _CALLS and not first_text(part, "text", "refusal") and part.get("text") != "":
            yield Gap.ATTACHED, _part(part)
    yield from ((Gap.ATTACHED, shown) for shown, text in _files(message) if not text)


def _call(call: JsonObject) -> str:
    function = as_object(call.get("function")) or call
    arguments = next((function[name] for name in ("arguments", "input", "args") if name in function), "")
    shown = arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True)
    return f"[calls {first_text(function, 'name')}({shown})]"


def _kind(item: JsonObject) -> str:
    return first_text(item, "type", "content_type")
