"""RealMem: a persona's dated sessions of user and assistant, each with a short id."""

from collections.abc import Iterator
from typing import Any

from remembrancer.importers.json_values import as_object, as_objects, first_text
from remembrancer.importers.reader import Reader
from remembrancer.importers.turns import Turn, fingerprint


def matches(document: Any) -> bool:
    """Whether a parsed file has this shape."""
    dialogues = as_objects(as_object(document).get("dialogues"))
    return bool(dialogues) and "dialogue_turns" in dialogues[0]


def turns(document: Any, reader: Reader) -> Iterator[Turn]:
    """The turns of the persona's sessions in a parsed file."""
    name, position = "", 0
    for session in as_objects(as_object(document).get("dialogues")):
        when = reader.moment(session.get("current_time"))
        uuid = first_text(session, "session_uuid")
        for number, said in enumerate(as_objects(session.get("dialogue_turns"))):
            text = reader.content(said.get("content"), message=position + 1)
            name = name or f"realmem/{fingerprint(text)}-{uuid}"
            yield Turn(
                conversation=name,
                session=f"{first_text(session, 'session_identifier')}/{uuid}",
                position=position,
                role=reader.role(said.get("speaker")),
                text=text,
                occurred_at=when,
                reference=f"{uuid}:{number}",
            )
            position += 1
