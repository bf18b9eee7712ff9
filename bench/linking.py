"""Recall with and without linked memories, as served, beside plain searches: any@10 and all@10 of each set.

    python -m bench.linking FOLDER [--sets A,B] [--embedder none|wordllama|NAME] [--only NAMES]

An abstention is a miss. all@10 counts the questions of which every piece of evidence is among the first ten; the
difference is that of all@10 with and without links, with its 95 % interval by a paired bootstrap over clusters.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import anyio
import numpy as np

from bench.asking import add, asked_at, filled, references
from bench.families import MULTIHOP, SETS, dialogues_of
from bench.plain import PLAIN, ranked
from bench.retrieval import embedder_named
from bench.sets import Dialogue
from bench.transfer import paired
from remembrancer import RecallRequest
from remembrancer.llm.embedder import Embedder
from remembrancer.search.query import Retriever

_CUT: Final = 10
_WITHOUT: Final = tuple(one.value for one in Retriever if one is not Retriever.LINKED)
_ARMS: Final = {"without": _WITHOUT, "with": ()}
Found = Mapping[str, Sequence[tuple[bool, bool]]]
"""Of each arm, whether any and whether all of the evidence of each question is among the first."""


async def found_in(dialogue: Dialogue, embedder: Embedder | None) -> Found:
    """Return what each arm finds for the questions of a dialogue."""
    found: dict[str, list[tuple[bool, bool]]] = {arm: [] for arm in _ARMS}
    questions = sorted(dialogue.questions, key=lambda one: one.after or len(dialogue.turns))
    async with filled(dialogue, embedder, turns=0) as memory:
        known = 0
        for question in questions:
            end = question.after or len(dialogue.turns)
            if end > known:
                await add(memory, dialogue, known, end, embedder)
                known = end
            for arm, retrievers in _ARMS.items():
                request = RecallRequest(
                    question=question.text,
                    now=asked_at(dialogue, end),
                    limit=_CUT,
                    retrievers=retrievers,
                    record_access=False,
                )
                hits = (await memory.recall(request)).hits
                found[arm].append(_both(references(dialogue, [hit.record for hit in hits]), question.gold))
    for arm in PLAIN:
        if embedder is not None or arm == "bm25":
            found[arm] = [_both(order, question.gold) for question, order in ranked(dialogue, embedder, arm)]
    return found


def _both(order: Sequence[str], gold: frozenset[str]) -> tuple[bool, bool]:
    first = set(order[:_CUT])
    return bool(gold & first), gold <= first


async def run(folder: Path, names: Sequence[str], embedder: Embedder | None, only: Sequence[str]) -> None:
    """Print a line for each set."""
    for name in names:
        found: dict[str, list[tuple[bool, bool]]] = {}
        clusters: list[str] = []
        for dialogue in dialogues_of(name, folder):
            if only and name in {"beam", "realmem"} and not dialogue.name.endswith(tuple(only)):
                continue
            for arm, ones in (await found_in(dialogue, embedder)).items():
                found.setdefault(arm, []).extend(ones)
            clusters += [dialogue.cluster(number) for number in range(len(dialogue.questions))]
        shares = {arm: 100 * np.mean(np.array(ones, dtype=float), axis=0) for arm, ones in found.items()}
        text = "  ".join(f"{arm} {any_of:.1f} / {all_of:.1f}" for arm, (any_of, all_of) in shares.items())
        both = [np.array([one[1] for one in found[arm]], dtype=float) for arm in ("with", "without")]
        low, high = paired(clusters, *both)
        print(f"{name} ({len(clusters)}): {text}  difference of all@10 {low:+.1f} to {high:+.1f}", flush=True)


def main() -> None:
    """Measure the sets that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default=",".join(MULTIHOP), help=f"of {', '.join((*MULTIHOP, *SETS))}")
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--only", default="", help="of BEAM and RealMem only the dialogues whose names end so")
    arguments = parser.parse_args()
    embedder = None if arguments.embedder == "none" else embedder_named(arguments.embedder)
    only = [one for one in arguments.only.split(",") if one]
    anyio.run(run, arguments.folder, arguments.sets.split(","), embedder, only)


if __name__ == "__main__":
    main()
