"""The sets that the ranking is judged on, as dialogues, and the families that are left out together.

What is learnt or computed from texts, and then judged on a set, is learnt without the set's whole family: sets that
share their texts or their authors.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from bench.asking import NOTE
from bench.sets import LOADERS, Dialogue, Question, load
from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.turns import Turn

FOLDERS: Final[Mapping[str, str]] = {
    "locomo": "locomo",
    "longmemeval": "longmemeval",
    "beam": "beam-100k",
    "realmem": "realmem",
}
TRANSFER: Final = ("prefnote", "prefsaid", "qmsum", "irc", "xquadnotes", "locomoplus")
MULTIHOP: Final = ("hotpotqa", "musique", "2wiki")
# The language of the notes, and the one in which they are asked for.
XQUAD: Final[dict[str, tuple[str, str]]] = {
    "german": ("de", "de"),
    "german-english": ("de", "en"),
    "chinese": ("zh", "zh"),
    "chinese-english": ("zh", "en"),
}
# Not measured; texts of theirs are among those from which the default embedder's constants are computed.
OTHER_LANGUAGES: Final[dict[str, tuple[str, str]]] = {
    "spanish": ("es", "es"),
    "russian": ("ru", "ru"),
    "arabic": ("ar", "ar"),
}
SETS: Final = (*TRANSFER, *XQUAD, *LOADERS)
# Every set by itself, but for these.
_FAMILIES: Final[Mapping[str, str]] = {
    "locomoplus": "locomo",
    "prefnote": "preferences",
    "prefsaid": "preferences",
    "xquadnotes": "xquad",
    **dict.fromkeys((*XQUAD, *OTHER_LANGUAGES), "xquad"),
}
# any@k is of these k.
CUT: Final[Mapping[str, int]] = {"longmemeval": 5, "realmem": 5}
# LoCoMo's fifth type names what was never said.
_NEVER_SAID: Final = {"locomo": "5"}


def family_of(name: str) -> str:
    """The family of a set: what is left out when it is judged."""
    return _FAMILIES.get(name, name)


def dialogues_of(name: str, folder: Path) -> list[Dialogue]:
    """The dialogues of one of the sets.

    Args:
        folder: holds `transfer`, `multihop`, `xquad` and the folders of `FOLDERS`.

    Raises:
        InvalidInput: there is no such set, or nothing of it in that folder.
    """
    if languages := (XQUAD | OTHER_LANGUAGES).get(name):
        return [_paragraphs(name, folder / "xquad", *languages)]
    if name in LOADERS:
        return [_asked(name, dialogue) for dialogue in load(name, folder / FOLDERS[name])]
    if name in TRANSFER or name in MULTIHOP:
        path = folder / ("multihop" if name in MULTIHOP else "transfer") / f"{name}.json"
        return list(_scopes(name, path))
    raise InvalidInput(f"no set {name!r}; there are {', '.join((*SETS, *MULTIHOP))}")


def _asked(name: str, dialogue: Dialogue) -> Dialogue:
    """A dialogue without the questions about what was never said."""
    kept = [place for place, one in enumerate(dialogue.questions) if one.type != _NEVER_SAID.get(name)]
    return Dialogue(
        name=dialogue.name,
        turns=dialogue.turns,
        questions=tuple(dialogue.questions[place] for place in kept),
        by_session=dialogue.by_session,
        clusters=tuple(dialogue.cluster(place) for place in kept),
    )


def _scopes(name: str, path: Path) -> Iterator[Dialogue]:
    if not path.exists():
        raise InvalidInput(f"no file {str(path)!r}")
    for number, scope in enumerate(json.loads(path.read_text(encoding="utf-8"))["scopes"]):
        asked = scope["questions"]
        yield Dialogue(
            name=f"{name}/{scope.get('id', number)}",
            turns=tuple(_turn(name, number, place, one) for place, one in enumerate(scope["messages"])),
            questions=tuple(
                Question(text=one["q"], type=str(one.get("type", "")), gold=frozenset(map(str, one["gold"])))
                for one in asked
            ),
            # The questions of one scope of notes share nothing but their notes.
            clusters=tuple(f"{name}/{number}/{place}" for place in range(len(asked))) if len(asked) > 1 else (),
        )


def _turn(name: str, scope: int, place: int, one: Mapping[str, Any]) -> Turn:
    return Turn(
        conversation=f"{name}/{scope}",
        session=one["session"],
        position=place,
        role=one["role"],
        text=one["text"],
        speaker="" if one["speaker"] == one["role"] else one["speaker"],
        occurred_at=datetime.fromisoformat(one["date"]) if one.get("date") else None,
        reference=str(one["id"]),
    )


def _paragraphs(name: str, folder: Path, language: str, asked_in: str) -> Dialogue:
    """XQuAD's paragraphs as notes, each asked for by its first question."""
    texts, asked = (
        [part for text in json.loads((folder / f"xquad.{one}.json").read_text())["data"] for part in text["paragraphs"]]
        for one in (language, asked_in)
    )
    return Dialogue(
        name=name,
        turns=tuple(
            Turn(conversation=name, session="", position=place, role=NOTE, text=one["context"], reference=str(place))
            for place, one in enumerate(texts)
        ),
        questions=tuple(
            Question(text=one["qas"][0]["question"], type=asked_in, gold=frozenset({str(place)}))
            for place, one in enumerate(asked)
        ),
        clusters=tuple(f"{name}/{place}" for place in range(len(asked))),
    )
