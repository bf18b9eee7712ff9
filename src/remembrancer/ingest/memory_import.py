"""Import of memories of other programs, as an export of ours is imported."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import ForeignMemory, Form
from remembrancer.ingest.importers.forms import memories_of
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.turn_import import derived_id, id_time, storable_text
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.graph import declared_relations
from remembrancer.types.notes import MAX_OBSERVATION_BYTES
from remembrancer.types.record import Source
from remembrancer.types.scope import DIMENSIONS, MAX_NAME_CHARACTERS, Scope

_MAX_TAGS = 20
_MAX_TITLE = 200


def records_of(unit: UnitOfWork, file: ChatFile, reader: Reader, form: Form) -> Iterator[JsonEntry]:
    """Yield the memories of a file in the JSON of an export, each with an id of its form, key, text and scope.

    The scope is that of the import, or that of the memory's own user or agent under it.

    A memory whose text changes has a new id and the same topic key, so that it replaces the earlier one.

    Raises:
        InvalidInput: the file cannot be read, or a memory is too long and must not be skipped.
    """
    now = unit.rules.clock.now()
    for memory in memories_of(file, reader, form):
        try:
            scope = _scope_of(unit.scope, memory)
        except InvalidInput as error:
            reader.skip(memory.where, str(error))
            continue
        parts = (scope.tenant, scope.project, scope.agent, scope.user, form.name)
        text = storable_text(memory.text).strip()
        if len(text.encode()) > MAX_OBSERVATION_BYTES:
            reader.skip(memory.where, f"it has more than {MAX_OBSERVATION_BYTES // 1024} KiB")
            continue
        when = memory.occurred_at or memory.updated_at or file.written_at or now
        print = unit.rules.sign(f"foreign {parts!r} {memory.key} {text}")
        yield JsonEntry(
            where=memory.where,
            value={
                **_record(unit, memory, form.name, text, when, file),
                "id": derived_id(id_time(when), print),
                "scope": {"tenant": scope.tenant, **{name: getattr(scope, name) for name in DIMENSIONS}},
            },
        )


def _scope_of(scope: Scope, memory: ForeignMemory) -> Scope:
    """Return the scope of a memory: that of its user, or else of its agent, where the import names none.

    Raises:
        InvalidInput: the name is not possible.
    """
    if memory.user:
        return scope if scope.user else replace(scope, user=memory.user)
    return replace(scope, agent=memory.agent) if memory.agent and not scope.agent else scope


def _record(
    unit: UnitOfWork, memory: ForeignMemory, form: str, text: str, when: datetime, file: ChatFile
) -> dict[str, Any]:
    now = unit.rules.clock.now()
    changed = memory.updated_at or file.written_at or now
    until = memory.valid_until
    tags = [storable_text(tag).strip()[:MAX_NAME_CHARACTERS] for tag in memory.tags]
    return {
        "kind": "observation",
        "layer": "semantic",
        "session": None,
        "text": text,
        "author": form,
        "source": Source.IMPORT.value,
        "tags": list(dict.fromkeys(tag for tag in tags if tag and tag.isprintable()))[:_MAX_TAGS],
        "metadata": {**memory.metadata, **declared_relations(memory.relations)},
        "occurred_at": when.isoformat(),
        "recorded_at": now.isoformat(),
        "updated_at": max(changed, when).isoformat(),
        "revision": 1,
        "status": "active",
        "classification": "internal",
        "trust": "trusted",
        "importance": 0.5,
        "echo": False,
        "usage_count": 0,
        "last_accessed_at": None,
        "weight": 1.0,
        "evidence": [],
        "type": memory.type,
        "title": " ".join(storable_text(memory.title).split())[:_MAX_TITLE],
        "topic_key": (memory.topic_key or _topic(unit, form, memory)) if memory.replaces else None,
        "priority": 0,
        "refers_to": "",
        "first": 0,
        "last": 0,
        "place": None,
        "tokens": 0,
        "tokenizer": "",
        "engine": "",
        "model": "",
        "learned": None,
        "valid_until": None if until is None else until.isoformat(),
    }


def _topic(unit: UnitOfWork, form: str, memory: ForeignMemory) -> str:
    key = "".join(sign if sign.isprintable() else " " for sign in storable_text(memory.key))
    topic = f"{form}/{key}"
    if len(topic) <= MAX_NAME_CHARACTERS:
        return topic
    digest = unit.rules.sign(f"topic {key}")[:16]
    return f"{topic[: MAX_NAME_CHARACTERS - 1 - len(digest)]}-{digest}"
