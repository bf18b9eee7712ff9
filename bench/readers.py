"""The files of the development sets as turns; and as plain chats, which the product can import.

    python -m bench.readers SET PATH FOLDER

writes a JSONL chat a dialogue into FOLDER. A file of another shape than its publishers gave
it is a fault.
"""

import argparse
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from remembrancer.ingest.importers.turns import Turn

_LOCOMO_TIME: Final = "%I:%M %p on %d %B, %Y"
_LONGMEMEVAL_TIME: Final = "%Y/%m/%d (%a) %H:%M"
_BEAM_TIME: Final = "%B-%d-%Y"
_REALMEM_TIME: Final = "%Y-%m-%d (%A)"
_LOCOMO_SESSION = re.compile(r"session_(\d+)")
# What BEAM ends some messages with: the numbers of what it was made from.
_BEAM_MARKER = re.compile(r"\s*->->\s*[\d,.\s]*$")


def locomo(path: Path) -> Iterator[Turn]:
    """Long dialogues of two people: sessions `session_N` with a date each, turns with a `dia_id`."""
    for index, dialogue in enumerate(_json(path)):
        talk, position = dialogue["conversation"], 0
        for number in sorted(int(found[1]) for key in talk if (found := _LOCOMO_SESSION.fullmatch(key))):
            for said in talk[f"session_{number}"]:
                caption = said.get("blip_caption")
                yield Turn(
                    conversation=f"locomo/{dialogue.get('sample_id') or index}",
                    session=f"session_{number}",
                    position=position,
                    role="user",
                    text=said["text"],
                    speaker=said["speaker"],
                    occurred_at=_moment(talk[f"session_{number}_date_time"], _LOCOMO_TIME),
                    reference=said["dia_id"],
                    metadata={"image": caption} if caption else {},
                )
                position += 1


def longmemeval(path: Path) -> Iterator[Turn]:
    """Questions, each with the dated sessions of its history, or only those that hold the evidence."""
    for question in _json(path):
        position = 0
        for session, when, talk in _histories(question):
            for number, said in enumerate(talk):
                yield Turn(
                    conversation=f"longmemeval/{question['question_id']}",
                    session=session,
                    position=position,
                    role=said["role"],
                    text=said["content"],
                    occurred_at=when,
                    reference=f"{session}:{number}",
                )
                position += 1


def _histories(question: dict[str, Any]) -> Iterator[tuple[str, datetime, list[dict[str, Any]]]]:
    """Name, date and turns of each session; the same session may stand in a history twice."""
    if "haystack_sessions" in question:
        found = zip(
            question["haystack_session_ids"], question["haystack_dates"], question["haystack_sessions"], strict=True
        )
        for number, (name, date, talk) in enumerate(found, 1):
            yield f"{number}/{name}", _moment(date, _LONGMEMEVAL_TIME), talk
        return
    for number, session in enumerate(question["evidence_sessions"], 1):
        yield f"evidence_{number}", _moment(session["date"], _LONGMEMEVAL_TIME), session["turns"]


def beam(path: Path) -> Iterator[Turn]:
    """One chat in batches of turns; only some messages carry a time anchor, which holds for those after it."""
    name, when, position = "", None, 0
    for batch in _json(path):
        when = _anchor(batch) or when
        for said in (message for group in batch["turns"] for message in group):
            text = _BEAM_MARKER.sub("", said["content"])
            name = name or f"beam/{_digest(text)}"
            when = _anchor(said) or when
            yield Turn(
                conversation=name,
                session=f"batch_{batch['batch_number']}",
                position=position,
                role=said["role"],
                text=text,
                occurred_at=when,
                reference=str(said["id"]),
            )
            position += 1


def _anchor(fields: dict[str, Any]) -> datetime | None:
    anchor = fields.get("time_anchor")
    return None if anchor in (None, "None") else _moment(anchor, _BEAM_TIME)


def realmem(path: Path) -> Iterator[Turn]:
    """A persona's dated sessions of user and assistant, each with a short id."""
    name, position = "", 0
    for session in _json(path)["dialogues"]:
        uuid = session["session_uuid"]
        for number, said in enumerate(session["dialogue_turns"]):
            name = name or f"realmem/{_digest(said['content'])}-{uuid}"
            yield Turn(
                conversation=name,
                session=f"{session['session_identifier']}/{uuid}",
                position=position,
                role=said["speaker"].lower(),
                text=said["content"],
                occurred_at=_moment(session["current_time"], _REALMEM_TIME),
                reference=f"{uuid}:{number}",
            )
            position += 1


READERS: Final[dict[str, tuple[Callable[[Path], Iterator[Turn]], str]]] = {
    "locomo": (locomo, "*.json"),
    "longmemeval": (longmemeval, "evidence.json"),
    "beam": (beam, "**/chat.json"),
    "realmem": (realmem, "*_dialogues_*.json"),
}
"""By set: what reads a file of it, and which files of its folder hold dialogues."""


def files(name: str, path: Path) -> list[Path]:
    """The files of a set under a folder, or the one that is named."""
    return [path] if path.is_file() else sorted(path.glob(READERS[name][1]))


def write_chats(name: str, path: Path, folder: Path) -> int:
    """Write the dialogues of a set as chats that the product imports, a JSONL file each; how many turns they have."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for file in files(name, path):
        for conversation, turns in groupby(READERS[name][0](file), key=lambda turn: turn.conversation):
            lines = [json.dumps(_message(turn)) for turn in turns]
            (folder / f"{conversation.replace('/', '-')}.jsonl").write_text("\n".join(lines) + "\n")
            count += len(lines)
    return count


def _message(turn: Turn) -> dict[str, Any]:
    when = turn.occurred_at.isoformat() if turn.occurred_at else None
    return {
        "role": turn.role,
        "content": turn.text,
        "speaker": turn.speaker,
        "timestamp": when,
        "session": turn.session,
        "id": turn.reference,
    }


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _moment(text: str, form: str) -> datetime:
    return datetime.strptime(text, form).replace(tzinfo=UTC)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def main() -> None:
    """Write a set as plain chats."""
    parser = argparse.ArgumentParser(prog="python -m bench.readers", description=__doc__)
    parser.add_argument("set", choices=sorted(READERS))
    parser.add_argument("path", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    print(f"{write_chats(given.set, given.path, given.folder)} turns")


if __name__ == "__main__":
    main()
