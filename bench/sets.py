"""The development sets as dialogues with questions: what is asked, when, and which turns or sessions answer it.

The protocols are those of the baselines: LoCoMo and BEAM turns within their dialogue, LongMemEval
turns in one pool of all evidence, RealMem sessions that lie before the question.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench.readers import beam, files, locomo, longmemeval, realmem
from remembrancer.errors import InvalidInput
from remembrancer.ingest.importers.turns import Turn

# What the abilities of BEAM call their answer, or what an answer must follow.
_BEAM_ANSWERS = (
    "answer",
    "ideal_answer",
    "ideal_summary",
    "ideal_response",
    "instruction_being_tested",
    "preference_being_tested",
)
_TURN_ID = re.compile(r"D:?(\d+):0*(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question and the references of what answers it: turns, or sessions where the set counts those.

    Args:
        answer: the gold answer in words, or what the set says that it must follow; `""` where it has none.
        after: how many turns of the dialogue stand before it; `None` where all of them do.
    """

    text: str
    type: str
    gold: frozenset[str]
    answer: str = ""
    after: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """Turns that are searched together, and what is asked of them.

    Args:
        clusters: which questions belong together for the bootstrap; one entry a question.
    """

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    by_session: bool = False
    clusters: tuple[str, ...] = field(default=())

    def cluster(self, number: int) -> str:
        """With what the bootstrap draws the question of that number as one."""
        return self.clusters[number] if self.clusters else self.name


def load(name: str, path: Path) -> list[Dialogue]:
    """The dialogues of a set.

    Raises:
        InvalidInput: no set of that name, or nothing of it at that path.
    """
    if name not in LOADERS:
        raise InvalidInput(f"no set {name!r}; there are {', '.join(LOADERS)}")
    dialogues = [dialogue for dialogue in LOADERS[name](path) if dialogue.questions]
    if not dialogues:
        raise InvalidInput(f"{str(path)!r} holds nothing of the set {name!r}")
    return dialogues


def _locomo(path: Path) -> Iterator[Dialogue]:
    for file in files("locomo", path):
        turns = list(locomo(file))
        for index, item in enumerate(json.loads(file.read_text())):
            name = f"locomo/{item.get('sample_id') or index}"
            own = tuple(turn for turn in turns if turn.conversation == name)
            known = {turn.reference for turn in own}
            questions = [
                Question(
                    text=str(entry["question"]),
                    type=str(entry["category"]),
                    gold=frozenset(gold),
                    answer=str(entry.get("answer", "")),
                )
                for entry in item["qa"]
                if (gold := _turn_ids(entry.get("evidence") or []) & known)
            ]
            yield Dialogue(name=name, turns=own, questions=tuple(questions))


def _turn_ids(evidence: list[Any]) -> set[str]:
    """LoCoMo writes ids in several ways: `D8:6; D9:17`, `D:11:26`, `D30:05`."""
    return {f"D{session}:{turn}" for entry in evidence for session, turn in _TURN_ID.findall(str(entry))}


def _longmemeval(path: Path) -> Iterator[Dialogue]:
    for file in files("longmemeval", path):
        turns = tuple(longmemeval(file))
        own: dict[str, set[str]] = {}
        for turn in turns:
            own.setdefault(turn.conversation, set()).add(f"{turn.conversation}#{turn.reference}")
        questions = [
            Question(
                text=item["question"],
                type=item["question_type"],
                gold=frozenset(gold),
                answer=str(next(iter(item["answer"]), "")),
            )
            for item in json.loads(file.read_text())
            if not item["abstention"] and (gold := own.get(f"longmemeval/{item['question_id']}"))
        ]
        clusters = tuple(str(index) for index in range(len(questions)))
        yield Dialogue(name="longmemeval", turns=turns, questions=tuple(questions), clusters=clusters)


def _beam(path: Path) -> Iterator[Dialogue]:
    for file in files("beam", path):
        probes = json.loads((file.parent / "probing_questions.json").read_text())
        questions = [
            Question(text=item["question"], type=ability, gold=frozenset(gold), answer=_beam_answer(item))
            for ability, items in probes.items()
            for item in items
            if (gold := set(_message_ids(item.get("source_chat_ids"))))
        ]
        yield Dialogue(name=f"beam/{file.parent.name}", turns=tuple(beam(file)), questions=tuple(questions))


def _beam_answer(item: dict[str, Any]) -> str:
    return str(next((item[name] for name in _BEAM_ANSWERS if item.get(name)), ""))


def _message_ids(value: Any) -> Iterator[str]:
    """Message ids in lists, or in lists under names."""
    if isinstance(value, dict):
        value = list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- JSON
    if isinstance(value, list):
        for item in value:  # pyright: ignore[reportUnknownVariableType] -- JSON
            yield from _message_ids(item)
    elif value is not None:
        yield str(value)


def _realmem(path: Path) -> Iterator[Dialogue]:
    for file in files("realmem", path):
        turns = tuple(realmem(file))
        yield Dialogue(
            name=f"realmem/{file.stem.split('_dialogues')[0]}",
            turns=turns,
            questions=tuple(_persona(json.loads(file.read_text())["dialogues"])),
            by_session=True,
        )


def _persona(dialogues: list[dict[str, Any]]) -> Iterator[Question]:
    """A query is asked before anything of its own session is known; its answer names the sessions it needed."""
    before = 0
    past: set[str] = set()
    for session in dialogues:
        said = session["dialogue_turns"]
        for turn, answer in pairwise(said):
            gold = set(answer.get("memory_session_uuids") or []) & past
            if turn.get("is_query") and gold:
                kind = turn.get("category_name") or "query"
                yield Question(
                    text=turn["content"],
                    type=kind,
                    gold=frozenset(gold),
                    answer=_needed(answer.get("memory_used") or [], gold),
                    after=before,
                )
        before += len(said)
        past.add(session["session_uuid"])


def _needed(memories: list[dict[str, Any]], gold: set[str]) -> str:
    """What the reference answer used of the sessions that lie before it, as the set words it."""
    return " ".join(str(memory["content"]) for memory in memories if memory["session_uuid"] in gold)


LOADERS: dict[str, Callable[[Path], Iterator[Dialogue]]] = {
    "locomo": _locomo,
    "longmemeval": _longmemeval,
    "beam": _beam,
    "realmem": _realmem,
}
