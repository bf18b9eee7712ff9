"""Import of memories of other programs, as an export of ours is imported."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from remembrancer.ingest.importers.chat import JsonEntry
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.foreign import ForeignMemory, Form
from remembrancer.ingest.importers.forms import memories_of
from remembrancer.ingest.importers.reader import Reader
from remembrancer.ingest.turn_import import derived_id, id_time, storable_text
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.notes import MAX_OBSERVATION_BYTES
from remembrancer.types.record import Source
from remembrancer.types.scope import MAX_NAME_CHARACTERS

_MAX_TAGS = 20
_MAX_TITLE = 200


def records_of(unit: UnitOfWork, file: ChatFile, reader: Reader, form: Form) -> Iterator[JsonEntry]:
    """Yield the memories of a file in the JSON of an export, each with an id of its form, key, text and scope.

    A memory whose text changes has a new id and the same topic key, so that it replaces the earlier one.

    Raises:
        InvalidInput: the file cannot be read, or a memory is too long and must not be skipped.
    """
    scope, now = unit.scope, unit.rules.clock.now()
    parts = (scope.tenant, scope.project, scope.agent, scope.user, form.name)
    for memory in memories_of(file, reader, form):
        text = storable_text(memory.text).strip()
        if len(text.encode()) > MAX_OBSERVATION_BYTES:
            reader.skip(memory.where, f"it has more than {MAX_OBSERVATION_BYTES // 1024} KiB")
            continue
        when = memory.occurred_at or memory.updated_at or file.written_at or now
        print = unit.rules.sign(f"foreign {parts!r} {memory.key} {text}")
        yield JsonEntry(
            where=memory.where,
            value=_record(unit, memory, form.name, text, derived_id(id_time(when), print), when, file),
        )


def _record(
    unit: UnitOfWork, memory: ForeignMemory, form: str, text: str, id: str, when: datetime, file: ChatFile
) -> dict[str, Any]:
    now, scope = unit.rules.clock.now(), unit.scope
    changed = memory.updated_at or file.written_at or now
    until = memory.valid_until
    tags = [storable_text(tag).strip()[:MAX_NAME_CHARACTERS] for tag in memory.tags]
    return {
        "kind": "observation",
        "layer": "semantic",
        "id": id,
        "scope": {
            "tenant": scope.tenant,
            "project": scope.project,
            "agent": scope.agent,
            "user": scope.user,
        },
        "session": None,
        "text": text,
        "author": form,
        "source": Source.IMPORT.value,
        "tags": list(dict.fromkeys(tag for tag in tags if tag and tag.isprintable()))[:_MAX_TAGS],
        "metadata": dict(memory.metadata),
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
        "topic_key": _topic(unit, form, memory) if memory.replaces else None,
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
