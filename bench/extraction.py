"""The entities and relations that the graph finds in sentences of the development sets, for a person to mark.

`python -m bench.extraction SHARED_DATA/dev --sheet sheet.jsonl` writes one sentence a line with what was found in it.
A person adds `wrong_entities`, `missing_entities` and `wrong_relations` to each line, and
`python -m bench.extraction --marked sheet.jsonl` counts. Another `--seed` draws others.
"""

import argparse
import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bench.asking import filled
from bench.families import dialogues_of
from bench.sets import Dialogue
from remembrancer.language.names import names_of
from remembrancer.language.relations import relations_of
from remembrancer.language.sentences import sentences
from remembrancer.memory import Memory

_SENTENCES: Final = {
    "locomo": 40, "longmemeval": 40, "beam": 30, "realmem": 30, "qmsum": 25, "irc": 15, "hotpotqa": 25, "musique": 25,
    "2wiki": 20, "xquadnotes": 15, "german": 35,
}  # fmt: skip
_DIALOGUES: Final = 3
_TURNS: Final = 1_500
_LENGTH: Final = range(20, 300)
# Relations are rare, so that this share of the sentences has one.
_WITH_RELATION: Final = 0.35


async def sheet(folder: Path, *, seed: int) -> list[dict[str, Any]]:
    """Return sentences with the entities and the relations that the graph has of them."""
    chance = random.Random(seed)
    lines: list[dict[str, Any]] = []
    for name, wanted in _SENTENCES.items():
        dialogues = dialogues_of(name, folder)
        chosen = chance.sample(dialogues, min(_DIALOGUES, len(dialogues)))
        for place, dialogue in enumerate(chosen):
            share = wanted // len(chosen) + (place < wanted % len(chosen))
            short = replace(dialogue, turns=dialogue.turns[:_TURNS])
            async with filled(short, None) as memory:
                lines += [{"set": name, **await _found(memory, one)} for one in _drawn(short, share, chance)]
        print(f"{name}: {len(lines)} sentences", flush=True)
    return lines


def _drawn(dialogue: Dialogue, wanted: int, chance: random.Random) -> Sequence[tuple[str, str]]:
    every = [
        (sentence, turn.speaker)
        for turn in dialogue.turns
        if turn.role in ("user", "note")
        for sentence in sentences(turn.text)
        if len(sentence) in _LENGTH
    ]
    chance.shuffle(every)
    related = [one for one in every if relations_of(one[0], speaker=one[1] or "the user")]
    first = related[: round(wanted * _WITH_RELATION)]
    return [*first, *[one for one in every if one not in first][: wanted - len(first)]]


async def _found(memory: Memory, drawn: tuple[str, str]) -> dict[str, Any]:
    sentence, speaker = drawn
    stated = relations_of(sentence, speaker=speaker)
    names = dict.fromkeys(
        [*names_of(sentence), *(end.casefold() for one in stated for end in (one.subject, one.object))]
    )
    entities = [one for one in names if any(found.name == one for found in await memory.graph.entities(one, limit=500))]
    return {
        "sentence": sentence,
        "speaker": speaker,
        "entities": entities,
        "relations": [f"{one.subject} | {one.predicate} | {one.object}{' | ended' * one.ended}" for one in stated],
    }


def count(lines: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Return precision and recall of marked lines, in percent."""
    found = sum(len(one["entities"]) for one in lines)
    wrong = sum(len(one["wrong_entities"]) for one in lines)
    missing = sum(len(one["missing_entities"]) for one in lines)
    related = sum(len(one["relations"]) for one in lines)
    wrongly = sum(len(one["wrong_relations"]) for one in lines)
    return {
        "sentences": len(lines),
        "entities": found,
        "entity precision": round(100 * (found - wrong) / found, 1),
        "entity recall": round(100 * (found - wrong) / (found - wrong + missing), 1),
        "relations": related,
        "relation precision": round(100 * (related - wrongly) / related, 1),
    }


def main() -> None:
    """Write a sheet, or count a marked one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="with the development sets")
    parser.add_argument("--sheet", type=Path, help="the file to write")
    parser.add_argument("--marked", type=Path, help="a marked sheet to count")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.marked:
        lines = [json.loads(line) for line in arguments.marked.read_text("utf-8").splitlines()]
        print(json.dumps(count(lines), indent=1))
        return
    if not arguments.folder or not arguments.sheet:
        parser.error("name the folder of the development sets and --sheet, or --marked")
    lines = asyncio.run(sheet(arguments.folder, seed=arguments.seed))
    arguments.sheet.write_text("".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines), "utf-8")


if __name__ == "__main__":
    main()
