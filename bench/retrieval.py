"""Retrieval on real dialogues: how often what answers a question is among the first k.

    python -m bench.retrieval SET PATH [--embedder NAME] [--profile NAME] [--arms A,B] [--types 1,2]
        [--store memory|sqlite|postgres] [--json]

any@k: at least one gold reference among the first k; all@k: every one; MRR: the mean of 1 / rank of the first.
Intervals are 95 % by bootstrap over dialogues, since the questions of one dialogue are not independent.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import anyio
import numpy as np

from bench.asking import ask_all, references
from bench.places import IN_MEMORY, STORES, Place, places
from bench.plain import PLAIN, ranked
from bench.sets import LOADERS, Dialogue, Question, load
from bench.vectors import VectorCache
from remembrancer.assembly.models import make_embedder
from remembrancer.errors import InvalidInput, RemembrancerError
from remembrancer.llm.embedder import Embedder
from remembrancer.search.confidence import ABSTAIN_BELOW
from remembrancer.settings import load_settings

CUTS = (5, 10, 20)
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One question's outcome.

    Args:
        cluster: what the bootstrap draws as one.
        ranks: ranks of the gold references that were found, from 1.
        gold: how many there are.
    """

    cluster: str
    type: str
    ranks: tuple[int, ...]
    gold: int
    abstained: bool

    def any(self, k: int) -> bool:
        """Whether a gold reference is among the first k."""
        return any(rank <= k for rank in self.ranks)

    def all(self, k: int) -> bool:
        """Whether every gold reference is among the first k."""
        return sum(rank <= k for rank in self.ranks) == self.gold


async def measure(
    dialogues: Sequence[Dialogue],
    embedder: Embedder | None,
    *,
    stores: Iterable[Place] = repeat(IN_MEMORY),
    **options: Any,
) -> list[Result]:
    """Ask every question; whether recall would abstain is noted, and the ranking judged all the same.

    Args:
        stores: a fresh one for each dialogue.
    """
    results: list[Result] = []
    for dialogue, place in zip(dialogues, stores, strict=False):
        print(f"{dialogue.name}: {len(dialogue.turns)} turns, {len(dialogue.questions)} questions", file=sys.stderr)
        number = 0
        async for question, recalled in ask_all(dialogue, embedder, place=place, **options):
            found = references(dialogue, [hit.record for hit in recalled.hits])
            abstained = recalled.confidence < ABSTAIN_BELOW
            results.append(_result(question, found, cluster=dialogue.cluster(number), abstained=abstained))
            number += 1
    return results


def measure_plain(dialogues: Sequence[Dialogue], embedder: Embedder, arm: str) -> list[Result]:
    """The same of a plain search (see `bench.plain`), which never abstains."""
    return [
        _result(question, found, cluster=dialogue.cluster(number), abstained=False)
        for dialogue in dialogues
        for number, (question, found) in enumerate(ranked(dialogue, embedder, arm))
    ]


def _result(question: Question, found: Sequence[str], *, cluster: str, abstained: bool) -> Result:
    """What became of a question of which these references were found, best first."""
    return Result(
        cluster=cluster,
        type=question.type,
        ranks=tuple(sorted(found.index(gold) + 1 for gold in question.gold if gold in found)),
        gold=len(question.gold),
        abstained=abstained,
    )


def summary(results: Sequence[Result]) -> dict[str, object]:
    """The figures of a run, in percent."""
    figures: dict[str, object] = {"n": len(results)}
    for k in CUTS:
        figures[f"any@{k}"] = _percent([result.any(k) for result in results])
    figures["all@10"] = _percent([result.all(10) for result in results])
    figures["MRR"] = _percent([1 / result.ranks[0] if result.ranks else 0.0 for result in results])
    figures["abstained"] = _percent([result.abstained for result in results])
    figures["any@10_interval"] = interval(results)
    return figures


def per_type(results: Sequence[Result]) -> dict[str, dict[str, object]]:
    """The figures of each type of question."""
    groups: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        groups[result.type].append(result)
    return {
        kind: {
            "n": len(group),
            "any@5": _percent([r.any(5) for r in group]),
            "any@10": _percent([r.any(10) for r in group]),
        }
        for kind, group in sorted(groups.items())
    }


def interval(results: Sequence[Result], k: int = 10) -> tuple[float, float]:
    """95 % of any@k by bootstrap over clusters."""
    return interval_of([(result.cluster, result.any(k)) for result in results])


def interval_of(outcomes: Sequence[tuple[str, bool]]) -> tuple[float, float]:
    """95 % of a share by bootstrap over the clusters that its outcomes are of."""
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for cluster, outcome in outcomes:
        groups[cluster].append(outcome)
    sums = np.array([sum(group) for group in groups.values()])
    sizes = np.array([len(group) for group in groups.values()])
    drawn = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = 100 * sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return round(float(low), 1), round(float(high), 1)


def embedder_named(name: str) -> Embedder | None:
    """An embedder whose vectors are kept between runs."""
    made = make_embedder(load_settings(embedder=name))
    return None if made is None else VectorCache(made)


def _percent(values: Sequence[float]) -> float:
    return round(100 * sum(values) / len(values), 1) if values else 0.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.retrieval", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("set", choices=sorted(LOADERS))
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--profile", default="default")
    parser.add_argument("--arms", default="", help=f"some of lexical,semantic,temporal; or {' or '.join(PLAIN)}")
    parser.add_argument("--types", default="", help="only questions of these types")
    parser.add_argument("--only", default="", help="only dialogues whose name ends in one of these")
    parser.add_argument("--store", choices=STORES, default="memory")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Run and print; 2 for wrong input."""
    arguments = _arguments()
    try:
        dialogues = load(arguments.set, arguments.path)
        if arguments.only:
            dialogues = [found for found in dialogues if found.name.endswith(tuple(arguments.only.split(",")))]
        options = {"profile": arguments.profile, "retrievers": [arm for arm in arguments.arms.split(",") if arm]}
        embedder = embedder_named(arguments.embedder)
        if arguments.arms in PLAIN:
            return _print(arguments, measure_plain(dialogues, _needed(embedder), arguments.arms))
        with places(arguments.store) as stores:
            results = anyio.run(lambda: measure(dialogues, embedder, stores=stores, **options))
    except RemembrancerError as error:
        print(f"bench.retrieval: {error}", file=sys.stderr)
        return 2
    return _print(arguments, results)


def _needed(embedder: Embedder | None) -> Embedder:
    if embedder is None:
        raise InvalidInput("a plain search needs an embedder; name one with --embedder")
    return embedder


def _print(arguments: argparse.Namespace, results: list[Result]) -> int:
    if arguments.types:
        results = [result for result in results if result.type in arguments.types.split(",")]
    ranking = arguments.arms if arguments.arms in PLAIN else arguments.profile
    report = {"set": arguments.set, "embedder": arguments.embedder, "profile": ranking, **summary(results)}
    report["per_type"] = per_type(results)
    if arguments.json:
        print(json.dumps(report))
        return 0
    for name, value in report.items():
        print(f"{name:>16}  {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
