"""Sessions of agents: Codex, OpenCode, Cursor and Letta."""

import re
from collections.abc import Iterator
from typing import Any, Final

from remembrancer.ingest.importers.chat import CONVERSATION, JsonEntry
from remembrancer.ingest.importers.foreign import ForeignFile, ForeignMemory, lists_of, parsed_object
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_objects, as_text, first_text

# Text that a program has added to the message of a user.
_OF_PROGRAM: Final = re.compile(
    r"\s*<(?:environment_context|user_instructions|ENVIRONMENT_CONTEXT|turn_aborted|INSTRUCTIONS)\b"
)
_INSTRUCTIONS: Final = "# AGENTS.md instructions"
_EVENTS: Final = {"user_message": "user", "agent_message": "assistant"}
_CALLS: Final = {
    "custom_tool_call": "function_call",
    "local_shell_call": "function_call",
    "web_search_call": "function_call",
}
_OUTPUTS: Final = {"custom_tool_call_output": "function_call_output", "local_shell_call_output": "function_call_output"}


def codex(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the session of a log of Codex; a turn that it has twice, as an event and as a response, once."""
    lines = list(_codex_lines(file, reader))
    id = next(
        (found for _, kind, payload in lines if kind == "session_meta" and (found := first_text(payload, "id"))), ""
    )
    items = [
        _codex_item(payload, "message", None, reader)
        for _, kind, payload in lines
        if kind == "response_item" and payload.get("type") == "message"
    ]
    # A turn is an event, a response, or both.
    in_responses = {first_text(one, "role") for one in items if one and not one.get("isMeta")}
    messages: list[JsonObject] = []
    for time, kind, payload in lines:
        name = first_text(payload, "type")
        if kind == "event_msg" and name in _EVENTS and _EVENTS[name] not in in_responses:
            messages.append({"role": _EVENTS[name], "content": first_text(payload, "message"), "timestamp": time})
        elif kind == "event_msg" and name in _EVENTS:
            continue
        elif kind in ("response_item", ""):
            message = _codex_item(payload, name, time, reader)
            if message is not None:
                messages.append(message)
        elif kind == "session_meta" or (kind, name) == ("event_msg", "token_count"):
            continue
        else:
            reader.no_message(" ".join(filter(None, (kind, name))))
    yield JsonEntry(where="", value={CONVERSATION: id, "title": "", "messages": messages})


def _codex_lines(file: ForeignFile, reader: Reader) -> Iterator[tuple[Any, str, JsonObject]]:
    """Yield the time, the kind and the content of each line; the older form has a document with items."""
    if file.has("items") and not file.has("payload"):
        document = as_object(file.document(reader))
        session = as_object(document.get("session"))
        yield session.get("timestamp"), "session_meta", session
        for item in as_objects(document.get("items")):
            yield item.get("timestamp") or session.get("timestamp"), "response_item", item
        return
    for _, line in file.objects(reader):
        if "payload" in line:
            kind = first_text(line, "type")
            yield line.get("timestamp"), "response_item" if kind == "request_item" else kind, as_object(line["payload"])
        elif "type" in line or "role" in line:
            yield line.get("timestamp"), "", line
        elif "id" in line and "timestamp" in line:
            yield line.get("timestamp"), "session_meta", line
        else:
            reader.no_message(f"fields {', '.join(sorted(line)[:5])}")


def _codex_item(payload: JsonObject, name: str, time: Any, reader: Reader) -> JsonObject | None:
    if name in ("reasoning", "compaction"):
        reader.count(Gap.THINKING, name)
        return None
    item = {**payload, "timestamp": payload.get("timestamp") or time}
    if name in _CALLS:
        return {**item, "type": _CALLS[name], "arguments": payload.get("input") or payload.get("action") or ""}
    if name in _OUTPUTS:
        return {**item, "type": _OUTPUTS[name]}
    if name not in ("message", "function_call", "function_call_output", ""):
        reader.no_message(name)
        return None
    content = payload.get("content")
    first = next((first_text(as_object(part), "text") for part in as_list(content)), "") or as_text(content)
    if payload.get("role") == "user" and (_OF_PROGRAM.match(first) or first.startswith(_INSTRUCTIONS)):
        return {**item, "isMeta": True}
    return item


# OpenCode


def opencode_export(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the session of `opencode export`."""
    document = as_object(file.document(reader))
    info = as_object(document.get("info"))
    messages = [
        (as_object(one.get("info")), as_objects(one.get("parts"))) for one in as_objects(document.get("messages"))
    ]
    yield _opencode_session(info, messages, reader)


def opencode_session_file(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the session of a folder `storage`, whose messages and parts are files of their own."""
    info = as_object(file.document(reader))
    id = first_text(info, "id")
    messages = list[tuple[JsonObject, list[JsonObject]]]()
    for one in file.file.neighbours(f"../../message/{id}", "*.json"):
        message = as_object(ForeignFile(one).document(reader))
        own = first_text(message, "id")
        parts = [
            as_object(ForeignFile(part).document(reader))
            for place in (f"../../part/{own}", f"../../part/{id}/{own}")
            for part in file.file.neighbours(place, "*.json")
        ]
        if not parts:
            flat = (
                as_object(ForeignFile(part).document(reader)) for part in file.file.neighbours("../../part", "*.json")
            )
            parts = [part for part in flat if part.get("messageID") == own]
        messages.append((message, parts))
    yield _opencode_session(info, messages, reader)


def opencode_rows(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the sessions of a database of OpenCode."""
    parts: dict[str, list[JsonObject]] = {}
    for row in file.rows("part", reader):
        parts.setdefault(first_text(row, "message_id"), []).append(
            {"id": row.get("id"), **parsed_object(row.get("data"))}
        )
    sessions = {first_text(row, "id"): row for row in file.rows("session", reader)}
    messages: dict[str, list[tuple[JsonObject, list[JsonObject]]]] = {}
    for row in file.rows("message", reader):
        id = first_text(row, "id")
        info = {"id": id, "time": {"created": row.get("time_created")}, **parsed_object(row.get("data"))}
        messages.setdefault(first_text(row, "session_id"), []).append((info, parts.get(id, [])))
    for id, of_session in messages.items():
        yield _opencode_session({**sessions.get(id, {}), "id": id}, of_session, reader)


def _opencode_session(
    info: JsonObject, messages: list[tuple[JsonObject, list[JsonObject]]], reader: Reader
) -> JsonEntry:
    id = first_text(info, "id")
    turns = list[JsonObject]()
    for message, parts in sorted(messages, key=lambda one: (_opencode_time(one[0]) or 0, first_text(one[0], "id"))):
        turns += _opencode_turns(message, sorted(parts, key=lambda part: first_text(part, "id")), reader)
    value = {CONVERSATION: id, "title": info.get("title"), "messages": turns}
    return JsonEntry(where=f"session {id}" if id else "", value=value)


def _opencode_time(message: JsonObject) -> float | None:
    created = as_object(message.get("time")).get("created")
    return created if isinstance(created, int | float) else None


def _opencode_turns(message: JsonObject, parts: list[JsonObject], reader: Reader) -> Iterator[JsonObject]:
    role, time = first_text(message, "role") or "user", _opencode_time(message)
    id = first_text(message, "id")
    if not parts and not as_text(message.get("content")):
        reader.no_message(f"{role} without parts")
        return
    texts = [as_text(message.get("content"))]
    results = list[JsonObject]()
    calls = list[JsonObject]()
    attached = list[JsonObject]()
    for part in parts:
        match part.get("type"):
            case "text" if part.get("synthetic") or part.get("ignored"):
                reader.count(Gap.HARNESS, first_text(part, "id"))
            case "text":
                texts.append(first_text(part, "text"))
            case "tool":
                state = as_object(part.get("state"))
                calls.append({"name": part.get("tool"), "arguments": state.get("input", {})})
                output = first_text(state, "output", "error")
                if output:
                    results.append({"role": "tool", "content": output, "name": part.get("tool"), "timestamp": time})
            case "reasoning":
                reader.count(Gap.THINKING, "reasoning")
            case "file":
                attached.append({"name": first_text(part, "filename", "url"), "type": first_text(part, "mime")})
            case kind:
                reader.no_message(f"part {as_text(kind)}")
    text = "\n".join(filter(None, texts))
    if not (text or calls or attached):
        reader.no_message(f"{role} without words")
    else:
        is_summary = message.get("summary") is True and role == "assistant"
        yield {
            "role": role,
            "content": text,
            "tool_calls": calls,
            "attachments": attached,
            "timestamp": time,
            "id": id,
            **({"isCompactSummary": True} if is_summary else {}),
        }
    yield from results


# Cursor


def cursor_rows(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the conversations of a `state.vscdb`: of its composers, and of its older chats."""
    values = {
        first_text(row, "key"): row.get("value")
        for table in ("cursorDiskKV", "ItemTable")
        for row in file.rows(table, reader)
    }
    for key, value in values.items():
        if key.startswith("composerData:"):
            composer = parsed_object(value)
            yield from _cursor_composer(composer, values, reader)
        elif key == "workbench.panel.aichat.view.aichat.chatdata":
            for tab in as_objects(parsed_object(value).get("tabs")):
                yield from _cursor_chat(first_text(tab, "tabId"), tab, as_objects(tab.get("bubbles")), reader)
        elif key == "composer.composerData":
            for composer in as_objects(parsed_object(value).get("allComposers")):
                yield from _cursor_composer(composer, values, reader)
        elif not key.startswith("bubbleId:"):
            reader.no_message(key.partition(":")[0])


def _cursor_composer(composer: JsonObject, values: dict[str, Any], reader: Reader) -> Iterator[JsonEntry]:
    id = first_text(composer, "composerId")
    bubbles = as_objects(composer.get("conversation")) or [
        parsed_object(values.get(f"bubbleId:{id}:{first_text(header, 'bubbleId')}"))
        for header in as_objects(composer.get("fullConversationHeadersOnly"))
    ]
    yield from _cursor_chat(id, composer, bubbles, reader)


def _cursor_chat(id: str, fields: JsonObject, bubbles: list[JsonObject], reader: Reader) -> Iterator[JsonEntry]:
    messages = list[JsonObject]()
    for bubble in bubbles:
        text = first_text(bubble, "text", "rawText", "initText")
        kind = bubble.get("type")
        role = "user" if kind in (1, "user") else "assistant"
        if not text:
            reader.no_message("message without words")
            continue
        timing = as_object(bubble.get("timingInfo"))
        time = bubble.get("createdAt") or timing.get("clientStartTime") or bubble.get("timestamp")
        messages.append({"role": role, "content": text, "timestamp": time, "id": first_text(bubble, "bubbleId", "id")})
    if messages:
        title = first_text(fields, "name", "chatTitle")
        created = fields.get("createdAt") or fields.get("lastSendTime")
        yield JsonEntry(
            where=title, value={CONVERSATION: id, "title": title, "created_at": created, "messages": messages}
        )


# Letta


def letta(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the conversations of the agents of an agent file."""
    for agent in _letta_agents(file, reader):
        name = first_text(agent, "name")
        messages = [_letta_message(one) for one in as_objects(agent.get("messages"))]
        if messages:
            yield JsonEntry(where=name, value={"session": name, "title": name, "messages": messages})


def _letta_message(message: JsonObject) -> JsonObject:
    content = message.get("content", message.get("text"))
    calls = [as_object(one.get("function")) or one for one in as_objects(message.get("tool_calls"))]
    returned = as_objects(message.get("tool_returns"))
    if not content and returned:
        content = "\n".join(first_text(one, "func_response", "tool_return") for one in returned)
    # The words of an agent to a person are the argument of a call.
    spoken = [
        first_text(parsed_object(call.get("arguments")), "message")
        for call in calls
        if call.get("name") == "send_message"
    ]
    rest = [call for call in calls if call.get("name") != "send_message"]
    if isinstance(content, str) and (inner := parsed_object(content)):
        content = first_text(inner, "message") or content
    parts = [content] if isinstance(content, str) else as_list(content)
    words = [*parts, *({"type": "text", "text": one} for one in spoken if one)] if spoken else content
    role = first_text(message, "role")
    is_of_program = (
        role == "user"
        and isinstance(message.get("content"), str)
        and '"type": "heartbeat"' in as_text(message["content"])
    )
    return {
        "role": "assistant" if role == "approval" else role,
        "content": words,
        "tool_calls": rest,
        "timestamp": message.get("created_at"),
        "id": first_text(message, "id"),
        **({"isMeta": True} if is_of_program else {}),
    }


def letta_memories(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the blocks and the passages of an agent file."""
    document = as_object(file.document(reader))
    agents = _letta_agents(file, reader)
    owner = first_text(agents[0], "name") if agents else ""
    blocks = [
        *as_objects(document.get("blocks")),
        *(one for agent in agents for one in as_objects(agent.get("core_memory"))),
    ]
    for block in blocks:
        text, label = first_text(block, "value"), first_text(block, "label")
        if text.strip():
            yield ForeignMemory(
                key=f"{owner}/{label}",
                text=text,
                type="profile" if label == "human" else "discovery",
                title=label,
                tags=("block",),
                replaces=True,
                where=f"block {label}",
            )
    for place, passage in enumerate(lists_of(document, "passages"), 1):
        if passage.get("is_deleted") is not True and (text := first_text(passage, "text")):
            yield ForeignMemory(
                key=first_text(passage, "id") or text,
                text=text,
                occurred_at=reader.time(passage.get("created_at")),
                updated_at=reader.time(passage.get("updated_at"), passage.get("created_at")),
                where=f"passage {place}",
            )
    for name in ("files", "sources", "tools", "groups"):
        if as_list(document.get(name)):
            reader.count(Gap.FIELD, name)
    for agent in agents:
        if first_text(agent, "system"):
            reader.count(Gap.FIELD, "system")


def _letta_agents(file: ForeignFile, reader: Reader) -> list[JsonObject]:
    document = as_object(file.document(reader))
    return as_objects(document.get("agents")) or (
        [document] if "messages" in document or "core_memory" in document else []
    )
