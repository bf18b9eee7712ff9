"""BEAM: one chat in batches of turns; only some messages carry a time anchor, which holds for those after it."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from remembrancer.importers.json_values import JsonObject, as_list, as_object, as_objects, first_text
from remembrancer.importers.reader import Reader
from remembrancer.importers.turns import Turn, fingerprint

_MARKER = re.compile(r"\s*->->\s*[\d,.\s]*$")


def matches(document: Any) -> bool:
    """Whether a parsed file has this shape."""
    batches = as_list(document)
    return bool(batches) and {"batch_number", "turns"} <= as_object(batches[0]).keys()


def turns(document: Any, reader: Reader) -> Iterator[Turn]:
    """The turns of the chat in a parsed file."""
    name, when, position = "", None, 0
    for batch in as_objects(document):
        session = f"batch_{first_text(batch, 'batch_number')}"
        when = _anchor(batch, reader) or when
        for said in (message for group in as_list(batch.get("turns")) for message in as_objects(group)):
            text = _MARKER.sub("", reader.content(said.get("content"), message=position + 1))
            name = name or f"beam/{fingerprint(text)}"
            when = _anchor(said, reader) or when
            yield Turn(
                conversation=name,
                session=session,
                position=position,
                role=reader.role(said.get("role")),
                text=text,
                occurred_at=when,
                reference=first_text(said, "id"),
            )
            position += 1


def _anchor(fields: JsonObject, reader: Reader) -> datetime | None:
    value = fields.get("time_anchor")
    return reader.moment(value) if value != "None" else None
