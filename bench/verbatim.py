"""Fidelity: whether a note keeps the words that bound what was said, and adds none but a resolved date.

    python -m bench.verbatim DATA [--draw N] [--seed N] [--reflections]

DATA is the folder of the development sets. Every sentence of their English chats and of XQuAD's German and Spanish
paragraphs is noted by itself, and compared with its note: which words are gone, and which stand there that were not
said and are no date. `--draw` prints so many notes of chats, drawn by a seed, each beside the messages that it rests
on, for a person to judge; with `--reflections` what a reflector left of such notes.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

from bench.sets import Dialogue, load
from remembrancer.language.sentences import blocks, paragraphs, sentences
from remembrancer.learn.observe.observe import observe
from remembrancer.learn.reflect.reflect import reflect
from remembrancer.types.record import Message, Observation, Role, Source
from remembrancer.types.scope import Scope
from remembrancer.types.text import estimate

SAID = datetime(2026, 5, 6, 10, tzinfo=UTC)
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
# What a resolved date is written with.
_DATING = frozenset(
    """
    around january february march april may june july august september october november december januar februar märz
    april mai juni juli august september oktober november dezember enero febrero marzo abril mayo junio julio agosto
    septiembre octubre noviembre diciembre from ab de desde um den von bis to hacia week of spring summer autumn winter
    fall the end
    """.split()  # noqa: SIM905 -- a table
)
_RUN = 40


def said_in(text: str) -> Iterator[str]:
    """The sentences of a message."""
    for block in paragraphs(blocks(text)):
        for line in block.text.splitlines():
            yield from sentences(line)


def noted(sentence: str) -> str:
    """The note of a sentence that is said by itself, without who said it; `""` where none is made."""
    notes = observe([message(sentence, 1, SAID)], zone=UTC).notes
    return notes[0].text.partition(": ")[2] if notes else ""


def faults(sentence: str, note: str) -> list[str]:
    """What a note lost of a sentence, and what it says that was not said and is no date."""
    before, after = (_WORD.findall(text.casefold()) for text in (sentence, note))
    found: list[str] = []
    for kind, first, last, start, end in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes():
        if kind in ("delete", "replace"):
            # The number of an item of a list is no part of what it says.
            found += (f"lost {word}" for word in before[first:last] if first or not word.isdigit())
        if kind in ("insert", "replace"):
            found += (f"added {word}" for word in after[start:end] if not (word.isdigit() or word in _DATING))
    return found


def message(text: str, number: int, at: datetime, *, speaker: str = "", role: Role = Role.USER) -> Message:
    """A message of a run."""
    return Message(
        id=str(number),
        scope=Scope(),
        session="s",
        text=text,
        hash="",
        author="",
        source=Source.USER,
        occurred_at=at,
        recorded_at=at,
        updated_at=at,
        number=number,
        role=role,
        speaker=speaker,
    )


def _runs(dialogue: Dialogue) -> Iterator[list[Message]]:
    """The turns of a dialogue as runs of messages."""
    for start in range(0, len(dialogue.turns), _RUN):
        turns = dialogue.turns[start : start + _RUN]
        yield [
            message(
                turn.text,
                start + place,
                turn.occurred_at or SAID + timedelta(minutes=place),
                speaker=turn.speaker if turn.role == Role.USER else "",
                role=Role(turn.role),
            )
            for place, turn in enumerate(turns, 1)
            if turn.text.strip()
        ]


def _chats(data: Path) -> list[Dialogue]:
    names = ("locomo", "longmemeval", "realmem")
    return [dialogue for name in names for dialogue in load(name, data / name)]


def _sentences(data: Path) -> Iterator[tuple[str, str]]:
    for dialogue in _chats(data):
        for turn in dialogue.turns:
            yield from (("en", sentence) for sentence in said_in(turn.text))
    for tongue in ("de", "es"):
        for article in json.loads((data / "xquad" / f"xquad.{tongue}.json").read_text())["data"]:
            for paragraph in article["paragraphs"]:
                yield from ((tongue, sentence) for sentence in said_in(paragraph["context"]))


def _compared(data: Path) -> None:
    """Print what the notes of all sentences lost and added."""
    counts: Counter[str] = Counter()
    shown = 0
    for tongue, sentence in _sentences(data):
        counts[f"{tongue} sentences"] += 1
        note = noted(sentence)
        counts[f"{tongue} noted"] += bool(note)
        if note and (found := faults(sentence, note)):
            counts[f"{tongue} at fault"] += 1
            shown += 1
            if shown <= 50:
                print(f"{found}\n  said: {sentence}\n  note: {note}")
        if sum(counts.values()) % 500 == 0:
            print(f"\r{sum(counts.values())} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(dict(counts))


def _drawn(data: Path, count: int, seed: int) -> None:
    """Print notes drawn at random beside the messages that they rest on."""
    runs = [run for dialogue in _chats(data) for run in _runs(dialogue) if run]
    random = Random(seed)
    for number in range(1, count + 1):
        run = random.choice(runs)
        notes = observe(run, zone=UTC).notes
        note = random.choice(notes)
        rests_on = [one for one in run if one.number in note.messages or note.first <= one.number <= note.last]
        print(f"## {number}\nNOTE: {note.text}")
        for one in rests_on:
            print(f"SAID {one.occurred_at:%Y-%m-%d %a} {one.speaker or one.role}: {one.text}")


def _reflections(data: Path, count: int, seed: int) -> None:
    """Print what a reflector left of notes, beside these."""
    runs = [run for dialogue in _chats(data) for run in _runs(dialogue) if run]
    random = Random(seed)
    printed = 0
    while printed < count:
        log = _log(random.choice(runs))
        left = reflect(log, level=2, count=estimate)
        if not left.insights:
            continue
        insight = random.choice(left.insights)
        printed += 1
        print(f"## {printed}\nREFLECTION: {insight.text}")
        for one in log:
            if one.id in insight.sources:
                print(f"NOTED {one.occurred_at:%Y-%m-%d}: {one.text}")


def _log(run: Sequence[Message]) -> list[Observation]:
    return [
        Observation(
            id=str(place),
            scope=Scope(),
            session="s",
            text=note.text,
            hash="",
            author="",
            source=Source.OBSERVER,
            occurred_at=note.observed_at,
            recorded_at=note.observed_at,
            updated_at=note.observed_at,
            type=note.type,
            title="",
            priority=note.priority,
            refers_to=note.refers_to,
        )
        for place, note in enumerate(observe(run, zone=UTC).notes)
    ]


def main() -> int:
    """Compare all sentences, or draw some notes."""
    parser = argparse.ArgumentParser(prog="bench.verbatim", description="Whether notes keep what bounds a statement.")
    parser.add_argument("data", type=Path)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reflections", action="store_true")
    given = parser.parse_args()
    if given.reflections:
        _reflections(given.data, given.draw or 1, given.seed)
    elif given.draw:
        _drawn(given.data, given.draw, given.seed)
    else:
        _compared(given.data)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
