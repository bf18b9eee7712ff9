"""LoCoMo: long dialogues of two people, sessions `session_N` with a date each, turns with a `dia_id`."""

import re
from collections.abc import Iterator
from typing import Any

from remembrancer.importers.json_values import JsonObject, as_list, as_object, as_objects, first_text
from remembrancer.importers.reader import Reader
from remembrancer.importers.turns import Turn

_SESSION = re.compile(r"session_(\d+)")


def matches(document: Any) -> bool:
    """Whether a parsed file has this shape."""
    dialogues = as_list(document)
    return bool(dialogues) and "speaker_a" in as_object(as_object(dialogues[0]).get("conversation"))


def turns(document: Any, reader: Reader) -> Iterator[Turn]:
    """The turns of every dialogue in a parsed file."""
    for index, dialogue in enumerate(as_objects(document)):
        name = f"locomo/{first_text(dialogue, 'sample_id') or index}"
        yield from _dialogue(name, as_object(dialogue.get("conversation")), reader)


def _dialogue(name: str, conversation: JsonObject, reader: Reader) -> Iterator[Turn]:
    first_speaker = first_text(conversation, "speaker_a")
    position = 0
    for number in sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key))):
        when = reader.moment(conversation.get(f"session_{number}_date_time"))
        for said in as_objects(conversation[f"session_{number}"]):
            speaker = first_text(said, "speaker")
            yield Turn(
                conversation=name,
                session=f"session_{number}",
                position=position,
                role="user" if speaker == first_speaker else "assistant",
                text=reader.content(said.get("text"), message=position + 1),
                speaker=speaker,
                occurred_at=when,
                reference=first_text(said, "dia_id"),
                metadata={"image": caption} if (caption := first_text(said, "blip_caption")) else {},
            )
            position += 1
