"""Archives of Cognee: a folder with lines of documents, episodes, entities, facts and memories."""

from collections.abc import Iterator, Mapping
from typing import Final

from remembrancer.ingest.importers.chat import CONVERSATION, JsonEntry
from remembrancer.ingest.importers.foreign import ForeignFile, ForeignMemory
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.importers.values import JsonObject, as_list, as_object, as_objects, as_text, first_text

KINDS: Final = ("document", "episode", "entity", "fact", "memory", "memory_block", "raw_node")


def cogx(file: ForeignFile, reader: Reader) -> Iterator[ForeignMemory]:
    """Yield the documents, entities, facts and memories. A fact relates entities, and ends when it became invalid."""
    names = _names(file, reader)
    for where, one in file.objects(reader):
        kind, id = first_text(one, "kind"), first_text(one, "external_id")
        text, type, relations = "", "discovery", list[tuple[str, str, str]]()
        match kind:
            case "document" | "memory":
                text = first_text(one, "content")
            case "memory_block":
                text = first_text(one, "value")
                type = "profile" if first_text(one, "label") == "human" else type
            case "entity":
                text, relations = _entity(one)
            case "fact":
                ends = [names.get(end, end) for end in (first_text(one, "subject_ref"), first_text(one, "object_ref"))]
                predicate = first_text(one, "predicate")
                text = first_text(one, "fact_text") or f"{ends[0]} {predicate.replace('_', ' ')} {ends[1]}"
                relations = [(ends[0], predicate.lower(), ends[1])] if all(ends) else []
            case "episode":
                continue
            case _:
                pass
        if not text.strip():
            reader.no_message(kind or f"fields {', '.join(sorted(one)[:5])}")
            continue
        scope = as_object(one.get("scope"))
        yield ForeignMemory(
            key=id or text,
            text=text,
            type=type,
            title=first_text(one, "title", "label"),
            tags=(kind, *map(as_text, as_list(one.get("categories")))),
            user=first_text(scope, "user_id"),
            agent=first_text(scope, "agent_id"),
            occurred_at=reader.time(one.get("valid_at"), one.get("created_at")),
            updated_at=reader.time(one.get("updated_at"), one.get("created_at")),
            valid_until=reader.time(one.get("invalid_at")),
            replaces=bool(id),
            relations=tuple(relations),
            where=where,
        )


def cogx_episodes(file: ForeignFile, reader: Reader) -> Iterator[JsonEntry]:
    """Yield the episodes as conversations."""
    for where, one in file.objects(reader):
        if one.get("kind") == "episode":
            turns = [
                {
                    "role": first_text(turn, "role"),
                    "content": first_text(turn, "content"),
                    "timestamp": turn.get("occurred_at") or one.get("created_at"),
                }
                for turn in as_objects(one.get("turns"))
            ]
            conversation = f"cogx/{first_text(one, 'external_id') or where}"
            yield JsonEntry(
                where=where, value={CONVERSATION: conversation, "title": one.get("title"), "messages": turns}
            )


def _names(file: ForeignFile, reader: Reader) -> Mapping[str, str]:
    """Return the names of the entities in the same folder as a file of facts, by id."""
    if not file.has("subject_ref"):
        return {}
    lines = (
        one for other in file.file.neighbours(".", "entities.jsonl") for _, one in ForeignFile(other).objects(reader)
    )
    return {first_text(one, "external_id"): first_text(one, "name") for one in lines}


def _entity(one: JsonObject) -> tuple[str, list[tuple[str, str, str]]]:
    name, kind = first_text(one, "name"), first_text(one, "entity_type")
    described = first_text(one, "description") or (f"is a {kind.lower()}" if kind else "")
    relations = [(name, "is_a", kind.lower())] if name and kind else []
    relations += [(name, "same_as", alias) for alias in map(as_text, as_list(one.get("aliases"))) if name and alias]
    return f"{name}: {described}" if described else name, relations
