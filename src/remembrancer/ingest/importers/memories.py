"""Memories of other programs: claims, entities and notes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from remembrancer.ingest.importers.chat import CONVERSATION, JsonEntry
from remembrancer.ingest.importers.documents import document_key, document_metadata, words_of
from remembrancer.ingest.importers.foreign import TABLE, ForeignFile, ForeignMemory, lists_of, parsed_object
from remembrancer.ingest.importers.reader import Gap, Reader
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_objects, as_text, first_text

# Theirs, as far as they name what ours mean.
_TYPES: Final[Mapping[str, str]] = {
    "preference": "preference",
    "preferences": "preference",
    "user": "profile",
    "profile": "profile",
    "person": "profile",
    "human": "profile",
    "decision": "decision",
    "architecture": "decision",
    "pattern": "pattern",
    "convention": "pattern",
    "feedback": "preference",
    "rule": "preference",
}
# The fields of a memory of Mem0, whose other fields are metadata; `text_lemmatized` is for its own search.
_MEM0_IDS: Final = ("user_id", "agent_id", "run_id", "actor_id", "role")
_MEM0_FIELDS: Final = frozenset(
    {*_MEM0_IDS, "id", "memory", "data", "text", "hash", "metadata", "categories", "created_at", "updated_at"}
    | {"expiration_date", "score", "payload", "vector", "text_lemmatized", "structured_attributes", TABLE}
)
# The kind of an entity in our own exports in this form.
_NO_KIND: Final = "entity"
_SPOKEN: Final = re.compile(r"(?P<speaker>[^:\n]{1,60}):(?P<text>.*)", re.DOTALL)
LANGGRAPH: Final = "langgraph"
# The time of an item whose store has no times.
_NEVER_KNOWN: Final = datetime(1970, 1, 1, tzinfo=UTC)
# An observation has at most 32 KiB; a longer text is divided at its headings.
_MAX_CHARACTERS: Final = 6_000


def claude_memories(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the memories of an export of Claude: one text by headings, those of projects, and files."""
    for account in lists_of(file.document(reader), "memories") or [as_object(file.document(reader))]:
        owner = first_text(account, "account_uuid")
        texts: dict[str, Any] = {"conversations": account.get("conversations_memory")}
        texts |= {f"project {id}": text for id, text in as_object(account.get("project_memories")).items()}
        for name, text in texts.items():
            words = text if isinstance(text, str) else first_text(as_object(text), "content", "memory", "text")
            yield from _sections(f"{owner}/{name}", words, title=name, type="profile")
        for one in as_objects(account.get("memory_files")):
            path, when = first_text(one, "path", "name"), reader.time(one.get("updated_at"), one.get("created_at"))
            for memory in _sections(f"{owner}/{path}", first_text(one, "content"), title=path, type="profile"):
                yield _at(memory, when, when)
        if first_text(account, "content"):
            when = reader.time(account.get("updated_at"), account.get("created_at"))
            id = first_text(account, "uuid", "id", "title")
            for memory in _sections(
                id, first_text(account, "content"), title=first_text(account, "title"), type="profile"
            ):
                yield _at(memory, when, when)


def claude_projects(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the projects of an export of Claude: their instructions and their documents."""
    document = file.document(reader)
    for project in lists_of(document, "projects") or [as_object(document)]:
        name, id = first_text(project, "name"), first_text(project, "uuid")
        when = reader.time(project.get("updated_at"), project.get("created_at"))
        for field, type in (("description", "discovery"), ("prompt_template", "preference")):
            for memory in _sections(f"{id}/{field}", first_text(project, field), title=name, type=type, tags=(name,)):
                yield _at(memory, when, when)
        for doc in as_objects(project.get("docs")):
            title, created = first_text(doc, "filename"), reader.time(doc.get("created_at"))
            text = first_text(doc, "content")
            for memory in _sections(f"{id}/{first_text(doc, 'uuid')}", text, title=title, tags=(name,)):
                yield _at(memory, created, created)


def mcp_memory(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the entities and relations of the MCP reference server for memory, and of its variants."""
    for where, one in _graph_items(file, reader):
        name = first_text(one, "name", "entityName", "id")
        properties = as_object(one.get("properties"))
        kind = first_text(one, "entityType", "_type") or ", ".join(map(as_text, as_list(one.get("labels"))))
        observations = [*as_list(one.get("observations")), *as_list(one.get("contents"))]
        if one.get("observation"):
            observations.append(one["observation"])
        source, target = (first_text(one, name, f"{name}_id", f"{name}Name") for name in ("from", "to"))
        if source and target:
            predicate = first_text(one, "relationType", "relation_type", "type").lower()
            text = f"{source} {predicate.replace('_', ' ')} {target}"
            claim = _claim(f"relation {text}", text, reader, one, tags=("relation",), where=where)
            yield replace(claim, relations=((source, "_".join(predicate.split()), target),))
            continue
        if not name or not (observations or properties or kind):
            reader.no_message(f"fields {', '.join(sorted(one)[:5])}")
            continue
        label = first_text(properties, "name", "title") or name
        lines = [as_text(line) or first_text(as_object(line), "text", "content", "value") for line in observations]
        lines += [f"{field}: {as_text(value)}" for field, value in properties.items() if as_text(value)]
        kind = "" if kind.lower() == _NO_KIND else kind
        if not any(lines) and not kind:
            # An entity of which only relations are known.
            continue
        relations = ((label, "is_a", kind.lower()),) if kind else ()
        if not any(lines):
            claim = _claim(f"{name}", f"{label} is a {kind}" if kind else label, reader, one, tags=(kind,), where=where)
            yield replace(claim, relations=relations)
        for line, observation in zip(lines, [*observations, *[one] * len(properties)], strict=False):
            if line.strip():
                text = line if label.lower() in line.lower() else f"{label}: {line}"
                type = _TYPES.get(kind.lower(), "discovery")
                claim = _claim(
                    f"{name}/{text}", text, reader, as_object(observation) or one, tags=(kind,), where=where, type=type
                )
                yield replace(claim, relations=relations)
                relations = ()


def _graph_items(file: ForeignFile, reader: Reader) -> Iterator[tuple[str, JsonObject]]:
    if file.has("entities") and not file.head.lstrip().startswith("["):
        document = as_object(file.document(reader))
        for name in ("entities", "relations"):
            values = document.get(name)
            items = as_objects(values) or [
                {"name": key, **as_object(value)} for key, value in as_object(values).items()
            ]
            yield from ((f"{name} {place}", one) for place, one in enumerate(items, 1))
        return
    for where, line in file.objects(reader):
        wrapped = as_object(line.get("entity")) or as_object(line.get("relation"))
        yield where, wrapped or line


def mem0(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the memories of Mem0: answers of `get_all`, payloads of a vector store, rows of a table of pgvector."""
    document = file.document(reader) if not file.has(TABLE) else [row for _, row in file.objects(reader)]
    found = lists_of(document, "results", "memories", "points", "relations") or [as_object(document)]
    for place, one in enumerate(found, 1):
        fields = {**one, **parsed_object(one.get("payload"))}
        text = first_text(fields, "memory", "data", "text")
        if not text:
            reader.no_message(f"fields {', '.join(sorted(one)[:5])}")
            continue
        # A payload has the metadata of its memory among its own fields.
        others = {name: value for name, value in fields.items() if name not in _MEM0_FIELDS and value is not None}
        metadata = {**as_object(fields.get("metadata")), **(others if "data" in fields else {})}
        for name in () if "data" in fields else sorted(others):
            reader.count(Gap.FIELD, name)
        categories = [as_text(one) for one in as_list(fields.get("categories"))] or [first_text(metadata, "category")]
        owners = {name: fields[name] for name in _MEM0_IDS if fields.get(name)}
        yield ForeignMemory(
            key=first_text(fields, "id") or text,
            text=text,
            user=first_text(fields, "user_id"),
            agent=first_text(fields, "agent_id"),
            type=next((_TYPES[one] for one in categories if one in _TYPES), "discovery"),
            tags=tuple(filter(None, categories)),
            metadata={"mem0": {"ids": owners, "metadata": metadata}},
            occurred_at=reader.time(fields.get("created_at")),
            updated_at=reader.time(fields.get("updated_at"), fields.get("created_at")),
            replaces=bool(first_text(fields, "id")),
            valid_until=_end_of_day(fields.get("expiration_date"), reader),
            where=f"item {place}",
        )


def _end_of_day(value: Any, reader: Reader) -> datetime | None:
    day = reader.time(as_text(value)[:10] + "T00:00:00Z") if as_text(value) else None
    return day and day + timedelta(days=1)


def mem0_history(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the memories that the history of Mem0 ends with; deleted ones are left out and counted."""
    last: dict[str, tuple[str, JsonObject]] = {}
    first: dict[str, JsonObject] = {}
    for where, row in file.objects(reader):
        if row.get(TABLE) == "history":
            id = first_text(row, "memory_id")
            first.setdefault(id, row)
            last[id] = where, row
    for id, (where, row) in last.items():
        text = first_text(row, "new_memory")
        if row.get("event") == "DELETE" or row.get("is_deleted") in (1, True) or not text:
            reader.no_message("deleted memory")
            continue
        began = first[id]
        yield ForeignMemory(
            key=id,
            text=text,
            metadata={"mem0": {"ids": {name: row[name] for name in ("actor_id", "role") if row.get(name)}}},
            occurred_at=reader.time(began.get("created_at"), began.get("updated_at")),
            updated_at=reader.time(row.get("updated_at"), row.get("created_at")),
            replaces=True,
            where=where,
        )


def mem0_messages(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the messages that the history of Mem0 keeps."""
    sessions: dict[str, list[JsonObject]] = {}
    for row in file.rows("messages", reader):
        message = {
            "role": row.get("role"),
            "content": row.get("content"),
            "timestamp": row.get("created_at"),
            "id": row.get("id"),
        }
        sessions.setdefault(first_text(row, "session_scope"), []).append(message)
    for name, messages in sessions.items():
        yield JsonEntry(where=name, value={"session": name, "messages": messages})


def engram(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the observations of an export or a chunk of engram; deleted ones are left out and counted."""
    document = as_object(file.document(reader))
    for place, one in enumerate(as_objects(document.get("observations")), 1):
        if one.get("deleted_at"):
            reader.no_message("deleted observation")
            continue
        kind, project = first_text(one, "type"), first_text(one, "project")
        yield ForeignMemory(
            # A topic is one of its project.
            key=first_text(one, "sync_id") or "/".join(filter(None, (project, first_text(one, "topic_key", "id")))),
            text=first_text(one, "content") or first_text(one, "title"),
            type=_TYPES.get(kind, "discovery"),
            title=first_text(one, "title"),
            tags=tuple(filter(None, (kind, project))),
            metadata={name: one[name] for name in ("project", "scope", "topic_key", "tool_name") if one.get(name)},
            occurred_at=reader.time(one.get("created_at")),
            updated_at=reader.time(one.get("updated_at"), one.get("created_at")),
            replaces=True,
            where=f"observation {place}",
        )
    for place, session in enumerate(as_objects(document.get("sessions")), 1):
        if summary := first_text(session, "summary"):
            yield ForeignMemory(
                key=f"session {first_text(session, 'id')}",
                text=summary,
                tags=("session",),
                occurred_at=reader.time(session.get("ended_at"), session.get("started_at")),
                where=f"session {place}",
            )
    for one in as_objects(document.get("mutations")):
        reader.no_message(f"mutation of {first_text(one, 'entity') or 'a memory'}")


def engram_prompts(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the prompts of engram as messages of the user."""
    sessions: dict[str, list[JsonObject]] = {}
    for one in as_objects(as_object(file.document(reader)).get("prompts")):
        message = {
            "role": "user",
            "content": one.get("content"),
            "timestamp": one.get("created_at"),
            "id": first_text(one, "sync_id", "id"),
        }
        sessions.setdefault(first_text(one, "session_id"), []).append(message)
    for name, messages in sessions.items():
        yield JsonEntry(where=name, value={CONVERSATION: f"engram/{name}", "messages": messages})


def graphiti(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the facts and episodes of Graphiti and Zep, from any nesting. A fact ends when it became invalid."""
    every = list(_dug(file.document(reader), ""))
    names = {first_text(one, "uuid"): first_text(one, "name") for _, one in every if "fact" not in one}
    for where, one in every:
        if fact := first_text(one, "fact"):
            ends = [names.get(first_text(one, f"{end}_node_uuid"), "") for end in ("source", "target")]
            predicate = first_text(one, "name").lower()
            yield ForeignMemory(
                key=first_text(one, "uuid") or fact,
                text=fact,
                tags=tuple(filter(None, (first_text(one, "name").lower(),))),
                metadata=_present_fields(one, "group_id", "valid_at", "invalid_at", "expired_at", "attributes"),
                occurred_at=reader.time(one.get("valid_at"), one.get("created_at")),
                updated_at=reader.time(one.get("expired_at"), one.get("created_at")),
                valid_until=reader.time(one.get("invalid_at"), one.get("expired_at")),
                replaces=bool(first_text(one, "uuid")),
                relations=((ends[0], predicate, ends[1]),) if predicate and all(ends) else (),
                where=where,
            )
        elif (body := first_text(one, "episode_body", "content")) and one.get("source") != "message":
            yield ForeignMemory(
                key=first_text(one, "uuid") or body,
                text=body,
                title=first_text(one, "name"),
                metadata=_present_fields(one, "group_id", "source_description"),
                occurred_at=reader.time(one.get("valid_at"), one.get("created_at")),
                where=where,
            )
        elif summary := first_text(one, "summary"):
            name = first_text(one, "name")
            yield ForeignMemory(
                key=first_text(one, "uuid") or name,
                text=f"{name}: {summary}",
                tags=("entity",),
                metadata=_present_fields(one, "group_id", "labels", "attributes"),
                occurred_at=reader.time(one.get("created_at")),
                where=where,
            )
        elif one.get("source") != "message":
            reader.no_message("entity without a summary")


def _present_fields(fields: JsonObject, *names: str) -> JsonObject:
    return {name: fields[name] for name in names if fields.get(name)}


def graphiti_messages(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the episodes of Graphiti that are messages: `speaker: text`, by group."""
    groups: dict[str, list[JsonObject]] = {}
    for _, one in _dug(file.document(reader), ""):
        if one.get("source") != "message" or not (content := first_text(one, "content", "episode_body")):
            continue
        lines = content.splitlines()
        # An episode may have a line for each speaker.
        is_dialogue = len(lines) > 1 and all(_SPOKEN.match(line) for line in lines)
        for place, line in enumerate(lines if is_dialogue else [content]):
            match = _SPOKEN.match(line)
            speaker, text = (match["speaker"].strip(), match["text"].strip()) if match else ("", line)
            role = speaker.lower()
            is_role = role in ("user", "assistant", "system")
            message = {
                "role": role if is_role else "user",
                "name": "" if is_role else speaker,
                "content": text,
                "timestamp": one.get("valid_at") or one.get("created_at"),
                "id": f"{first_text(one, 'uuid')}/{place}" if place else first_text(one, "uuid"),
            }
            groups.setdefault(first_text(one, "group_id"), []).append(message)
    for name, messages in groups.items():
        yield JsonEntry(where=name, value={"session": name, "messages": messages})


def _dug(value: Any, where: str) -> Iterator[tuple[str, JsonObject]]:
    """Yield the episodes, nodes and edges in a document."""
    fields = as_object(value)
    if fields and any(name in fields for name in ("fact", "episode_body", "uuid")):
        yield where or "item 1", fields
        return
    for name, inner in fields.items():
        yield from _dug(inner, f"{where}, {name}" if where else name)
    for place, inner in enumerate(as_list(value), 1):
        yield from _dug(inner, f"{where}, item {place}" if where else f"item {place}")


def langgraph_rows(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the items of a store of LangGraph, as our own store of LangGraph has them."""
    for where, row in file.objects(reader):
        prefix, key, value = first_text(row, "prefix"), first_text(row, "key"), row.get("value")
        item = as_object(value) or parsed_object(value)
        if not prefix or not key or not item:
            reader.no_message("item without words" if prefix else f"fields {', '.join(sorted(row)[:5])}")
            continue
        path = (*prefix.split("."), key)
        kept = {"item": item, "ttl": row.get("ttl_minutes"), "is_indexed": True, "fields": ["$"]}
        updated = reader.time(row.get("updated_at"), row.get("created_at"))
        stored_at = (updated or file.file.written_at or _NEVER_KNOWN).isoformat()
        yield ForeignMemory(
            key=f"{prefix}/{key}",
            text=words_of(item) or " ".join(path),
            tags=(LANGGRAPH,),
            metadata=document_metadata(LANGGRAPH, path, kept, stored_at),
            occurred_at=reader.time(row.get("created_at")),
            updated_at=updated,
            valid_until=reader.time(row.get("expires_at")),
            replaces=True,
            topic_key=document_key(LANGGRAPH, path),
            where=where,
        )


# Notes in Markdown

_FRONT: Final = re.compile(r"\A---\r?\n(.*?)\r?\n---\s*(?:\r?\n|\Z)", re.DOTALL)
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_OBSERVATION: Final = re.compile(r"^\s*[-*]\s+\[(?![ xX-]\])(?P<category>[^\]\[()]{1,40})\]\s+(?P<text>(?!\().+)$")
_RELATION: Final = re.compile(
    r"^\s*[-*]\s+(?P<kind>[\w -]{1,60}?)\s+\[\[(?P<target>[^\]]+)\]\]\s*(?:\((?P<context>[^)]*)\))?\s*$"
)
_TAG: Final = re.compile(r"(?<!\S)#([\w/-]+)")
_FENCE: Final = re.compile(r"^\s*(```|~~~)")


def is_markdown(file: ForeignFile) -> bool:
    """Return True for a text with headings, lists or front matter, and no JSON."""
    head = file.head.lstrip("\ufeff").lstrip()
    is_named = file.file.title.lower().endswith((".md", ".markdown", ".mdc"))
    looks = bool(_FRONT.match(head)) or bool(re.search(r"(?m)^#{1,6}\s+\S", head))
    return bool(head) and head[:1] not in ("{", "[") and "\0" not in head and (is_named or looks)


def markdown(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield a note: its observations and relations, as basic-memory writes them, and the rest by its headings."""
    text = file.text.lstrip("\ufeff")
    front = _front_matter(text)
    body = _FRONT.sub("", text, count=1)
    title = as_text(front.get("title")) or as_text(front.get("name")) or file.file.title.rsplit(".", 1)[0]
    own = as_text(front.get("permalink")) or file.file.relative
    tags = tuple(_names(front.get("tags")))
    when = reader.time(front.get("created"), front.get("created_at"), front.get("date")) if front else None
    later = reader.time(front.get("modified"), front.get("updated"), front.get("updated_at")) if front else None
    kind = _TYPES.get(as_text(front.get("type")).lower(), _type_of_file(file.file.title))
    rest = list[str]()
    is_code = False
    for line in body.splitlines():
        is_code ^= _FENCE.match(line) is not None
        observation, relation = (None, None) if is_code else (_OBSERVATION.match(line), _RELATION.match(line))
        if observation:
            words = " ".join(_TAG.sub("", observation["text"]).split())
            category = observation["category"].strip().lower()
            memory = ForeignMemory(
                key=f"{own}/{category}/{words}",
                text=words if title.lower() in words.lower() else f"{title}: {words}",
                type=_TYPES.get(category, "discovery"),
                tags=(category, *_TAG.findall(observation["text"]), *tags),
                where=line.strip()[:60],
            )
            yield _at(memory, when, later)
        elif relation:
            words = f"{title} {relation['kind'].strip().replace('_', ' ')} {relation['target']}"
            context = f" ({relation['context']})" if relation["context"] else ""
            memory = ForeignMemory(
                key=f"{own}/{words}", text=f"{words}{context}", tags=("relation", *tags), where=line.strip()[:60]
            )
            yield _at(memory, when, later)
        else:
            rest.append(line)
    for memory in _sections(own, "\n".join(rest), title=title, type=kind, tags=tags):
        yield _at(memory, when, later)


def _type_of_file(name: str) -> str:
    """Return the type of the sections of a file: those with instructions for an agent are preferences."""
    return (
        "preference"
        if name.lower().split(".")[0] in ("claude", "agents", "gemini", "copilot-instructions")
        else "discovery"
    )


def _front_matter(text: str) -> dict[str, Any]:
    """Return the fields of a front matter; only plain values and lists, as notes have them."""
    found = _FRONT.match(text)
    fields: dict[str, Any] = {}
    name = ""
    for line in found[1].splitlines() if found else []:
        if (item := re.match(r"\s*-\s+(.*)", line)) and name:
            fields[name] = [*as_list(fields.get(name)), item[1].strip("\"' ")]
        elif pair := re.match(r"([\w-]+):\s*(.*)", line):
            name, fields[pair[1]] = pair[1], pair[2].strip("\"' ")
    return fields


def _names(value: Any) -> Iterator[str]:
    items = as_list(value) or as_text(value).strip("[]").split(",")
    yield from (name for one in items if (name := as_text(one).strip("\"' #")))


def _sections(
    key: str, text: str, *, title: str, type: str = "discovery", tags: tuple[str, ...] = ()
) -> Iterator[ForeignMemory]:
    """Yield a text as one memory, or by its headings if it is long."""
    if not text.strip():
        return
    parts = [("", text)] if len(text) <= _MAX_CHARACTERS // 4 else list(_by_headings(text))
    seen: dict[str, int] = {}
    for heading, body in parts:
        for number, part in enumerate(_cut(body), 1):
            place = f"{key}#{heading}" if heading else key
            seen[place] = seen.get(place, 0) + 1
            own = place if seen[place] == 1 else f"{place} {seen[place]}"
            shown = " / ".join(dict.fromkeys(filter(None, (title, heading))))
            first = f"{heading}\n" if heading and number == 1 else ""
            yield ForeignMemory(
                key=own, text=f"{first}{part}".strip(), type=type, title=shown, tags=tags, replaces=True, where=shown
            )


def _by_headings(text: str) -> Iterator[tuple[str, str]]:
    heading, lines, is_code = "", list[str](), False
    for line in text.splitlines():
        is_code ^= _FENCE.match(line) is not None
        found = None if is_code else _HEADING.match(line) or re.match(r"^\*\*(.{1,80})\*\*\s*$", line)
        if found:
            if any(one.strip() for one in lines):
                yield heading, "\n".join(lines)
            heading, lines = found[1], []
        else:
            lines.append(line)
    if any(one.strip() for one in lines):
        yield heading, "\n".join(lines)


def _cut(text: str) -> Iterator[str]:
    """Yield a text in parts of a limited length, cut between its paragraphs, or its lines."""
    part = ""
    for paragraph in re.split(r"(\n\s*\n)", text.strip()):
        for piece in [paragraph] if len(paragraph) <= _MAX_CHARACTERS else _pieces(paragraph):
            if part.strip() and len(part) + len(piece) > _MAX_CHARACTERS:
                yield part.strip()
                part = ""
            part += piece
    if part.strip():
        yield part.strip()


def _pieces(text: str) -> Iterator[str]:
    for line in text.splitlines(keepends=True):
        yield from (line[start : start + _MAX_CHARACTERS] for start in range(0, len(line), _MAX_CHARACTERS))


def _claim(
    key: str,
    text: str,
    reader: Reader,
    fields: JsonObject,
    *,
    tags: tuple[str, ...],
    where: str,
    type: str = "discovery",
) -> ForeignMemory:
    when = reader.time(*(fields.get(name) for name in ("timestamp", "createdAt", "created_at", "_savedAt")))
    later = reader.time(*(fields.get(name) for name in ("updatedAt", "updated_at")))
    return ForeignMemory(
        key=key, text=text, type=type, tags=tuple(filter(None, tags)), occurred_at=when, updated_at=later, where=where
    )


def _at(memory: ForeignMemory, when: Any, later: Any) -> ForeignMemory:
    return replace(memory, occurred_at=when or memory.occurred_at, updated_at=later or memory.updated_at)
