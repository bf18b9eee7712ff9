"""Recall on sets that nothing was fitted on, as served, beside plain searches.

    python -m bench.transfer FOLDER [--sets A,B] [--embedder auto|wordllama|none] [--only NAMES] [--retrievers A,B]
        [--json FILE]

FOLDER holds the development sets. What is computed from texts, the constants of the default embedder, is computed for
each set without its family (see `bench.families`), and so is the curve of confidence, by which recall abstains: it is
learnt from the questions of the other families, and from questions of facts that their dialogues do not hold. The
ranking itself has no learnt number. Arms and product get the same vectors.

any@k is of k = 10, of 5 for LongMemEval and RealMem; *served* counts an abstention as a miss, *ranked* looks at the
ranking whatever the confidence. The difference is of *served* and the best plain arm on the set, with its 95 %
interval by a paired bootstrap over clusters. `foreign` is the share of questions of facts from another set on which
recall abstains, `withheld` that of the set's own.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.abstaining import Seen, curves_of, gathering, seen_in
from bench.asking import ask_all, asked_at, filled, references
from bench.directions import default_without
from bench.families import CUT, SETS, dialogues_of, family_of
from bench.nonsense import question as nonsense
from bench.plain import PLAIN, reference, scored
from bench.retrieval import embedder_named
from bench.sets import Dialogue
from remembrancer import RecallRequest
from remembrancer.errors import RemembrancerError
from remembrancer.language.smalltalk import Talk, small_talk
from remembrancer.llm.embedder import Embedder
from remembrancer.search.confidence import ABSTAIN_BELOW, Curves, discount_small_talk

Values: TypeAlias = NDArray[Any]
RESAMPLES: Final = 2_000
FOREIGN: Final = 40
DEFAULT: Final = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One of a set's own questions.

    Args:
        ranks: of the gold references that were ranked, from 1, by arm; `ours` among the arms.
        gold: how many there are.
        seen: what the curves of confidence look at.
    """

    set: str
    cluster: str
    question: str
    ranks: Mapping[str, tuple[int, ...]]
    gold: int
    seen: Seen

    def any(self, arm: str, k: int) -> bool:
        """Whether a gold reference is among the first k of an arm."""
        return any(rank <= k for rank in self.ranks[arm])

    def all(self, arm: str, k: int) -> bool:
        """Whether every gold reference is."""
        return sum(rank <= k for rank in self.ranks[arm]) == self.gold


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All questions of some sets, with what was put to them that they do not hold."""

    answered: Sequence[Answered]
    others: Sequence[Seen]


async def run(
    folder: Path, names: Sequence[str], embedder: str, only: Sequence[str], retrievers: Sequence[str] = ()
) -> Run:
    """Put every question to the product and to the plain arms."""
    answered, others = list[Answered](), list[Seen]()
    strangers = foreign_to(folder)
    for name in names:
        made = _embedder(embedder, folder, family_of(name))
        for dialogue in dialogues_of(name, folder):
            if only and name in {"beam", "realmem"} and not dialogue.name.endswith(tuple(only)):
                continue
            print(f"{dialogue.name}: {len(dialogue.turns)} texts, {len(dialogue.questions)} questions", file=sys.stderr)
            answered += await _asked(name, dialogue, made, retrievers)
            others += await _strange(name, dialogue, made, strangers)
    return Run(answered=answered, others=others)


def _embedder(name: str, folder: Path, family: str) -> Embedder | None:
    return default_without(folder, family) if name == DEFAULT else embedder_named(name)


async def _asked(name: str, dialogue: Dialogue, embedder: Embedder | None, retrievers: Sequence[str]) -> list[Answered]:
    plain = [{arm: _ranked(dialogue, one.arms[arm]) for arm in one.arms} for one in scored(dialogue, embedder)]
    found: list[Answered] = []
    with gathering() as gathered:
        number = 0
        async for question, recalled in ask_all(dialogue, embedder, retrievers=retrievers):
            ours = references(dialogue, [hit.record for hit in recalled.hits])
            arms = {"ours": ours, **plain[number]}
            seen = seen_in(gathered.pop(), embedder, set=name, kind="own", question=question.text)
            found.append(
                Answered(
                    set=name,
                    cluster=dialogue.cluster(number),
                    question=question.text,
                    ranks={
                        arm: tuple(order.index(gold) + 1 for gold in question.gold if gold in order)
                        for arm, order in arms.items()
                    },
                    gold=len(question.gold),
                    seen=seen,
                )
            )
            number += 1
    return found


def _ranked(dialogue: Dialogue, scores: Values) -> list[str]:
    order = np.argsort(-scores, kind="stable").tolist()
    return list(dict.fromkeys(reference(dialogue, place) for place in order))


def foreign_to(folder: Path) -> dict[str, list[str]]:
    """Questions of facts by where they are from: 40 of XQuAD's English ones, 40 of LoCoMo's."""
    chance = random.Random(5)
    found: dict[str, list[str]] = {}
    for name in ("xquad", "locomo"):
        source = "german-english" if name == "xquad" else "locomo"
        every = [one.text for dialogue in dialogues_of(source, folder) for one in dialogue.questions]
        found[name] = chance.sample(every, FOREIGN)
    found["nonsense"] = [nonsense(chance) for _ in range(FOREIGN)]
    lines = Path(__file__).with_name("small_talk.txt").read_text(encoding="utf-8").splitlines()
    found["small talk"] = [line.partition("\t")[2] for line in lines[:: len(lines) // FOREIGN]]
    return found


async def _strange(
    name: str, dialogue: Dialogue, embedder: Embedder | None, strangers: Mapping[str, Sequence[str]]
) -> list[Seen]:
    """What a dialogue finds for questions that it has no answer to."""
    facts = strangers["locomo" if family_of(name) == "xquad" else "xquad"]
    put = {"foreign": facts, "nonsense": strangers["nonsense"], "small talk": strangers["small talk"]}
    found: list[Seen] = []
    with gathering() as gathered:
        async with filled(dialogue, embedder) as memory:
            when = asked_at(dialogue, len(dialogue.turns))
            for kind, texts in put.items():
                for text in texts:
                    await memory.recall(RecallRequest(question=text, now=when, record_access=False, abstain=False))
                    found.append(seen_in(gathered.pop(), embedder, set=name, kind=kind, question=text))
    return found


def withheld(seen: Seen, curves: Mapping[str, Curves]) -> bool:
    """Whether recall abstains by the curves that were learnt without the set's family."""
    talk = small_talk(seen.question)
    if talk is Talk.ALL:
        return True
    chance = seen.chance(curves[family_of(seen.set)])
    return (discount_small_talk(chance) if talk is Talk.PARTLY else chance) < ABSTAIN_BELOW


def report(found: Run, *, words_alone: bool) -> dict[str, dict[str, object]]:
    """The figures of each set, in percent."""
    seen = [*(one.seen for one in found.answered), *found.others]
    curves = {
        family: curves_of(seen, leave_out=family, words_alone=words_alone)
        for family in {family_of(one.set) for one in seen}
    }
    table: dict[str, dict[str, object]] = {}
    for name in dict.fromkeys(one.set for one in found.answered):
        own = [one for one in found.answered if one.set == name]
        cut = CUT.get(name, 10)
        kept = [not withheld(one.seen, curves) for one in own]
        served = np.array([one.any("ours", cut) and keep for one, keep in zip(own, kept, strict=True)])
        arms = {arm: np.array([one.any(arm, cut) for one in own]) for arm in PLAIN if arm in own[0].ranks}
        best = max(arms, key=lambda arm: arms[arm].mean())
        low, high = paired([one.cluster for one in own], served, arms[best])
        strange = defaultdict[str, list[bool]](list)
        for other in found.others:
            if other.set == name:
                strange[other.kind].append(withheld(other, curves))
        table[name] = {
            "n": len(own),
            "served": _percent(served),
            "ranked": _percent([one.any("ours", cut) for one in own]),
            **{arm: _percent(hits) for arm, hits in arms.items()},
            "best": best,
            "difference": round(_percent(served) - _percent(arms[best]), 1),
            "interval": (low, high),
            "any@5": _percent([one.any("ours", 5) and keep for one, keep in zip(own, kept, strict=True)]),
            "all@10": _percent([one.all("ours", 10) and keep for one, keep in zip(own, kept, strict=True)]),
            "MRR": _percent(
                [
                    (1 / min(one.ranks["ours"]) if one.ranks["ours"] else 0) * keep
                    for one, keep in zip(own, kept, strict=True)
                ]
            ),
            "withheld": _percent([not keep for keep in kept]),
            **{kind: _percent(flags) for kind, flags in strange.items()},
        }
    return table


def _percent(values: Sequence[float] | Values) -> float:
    return round(100 * float(np.mean(values)), 1) if len(values) else 0.0


def paired(clusters: Sequence[str], ours: Values, other: Values) -> tuple[float, float]:
    """95 % of the difference of two shares, by bootstrap over clusters."""
    names = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    of = np.array([names[name] for name in clusters])
    sums = np.bincount(of, weights=ours.astype(float) - other.astype(float))
    sizes = np.bincount(of)
    drawn = np.random.default_rng(0).integers(0, len(sums), (RESAMPLES, len(sums)))
    low, high = np.percentile(100 * sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [2.5, 97.5])
    return round(float(low), 1), round(float(high), 1)


def _print(table: Mapping[str, Mapping[str, object]]) -> None:
    columns = list(dict.fromkeys(key for row in table.values() for key in row))
    print(" | ".join(["set", *columns]))
    for name, row in table.items():
        print(" | ".join([name, *(str(row.get(column, "")) for column in columns)]))
    for column in ("served", "ranked", *PLAIN, "withheld", "foreign", "nonsense", "small talk"):
        values = [float(str(row[column])) for row in table.values() if column in row]
        if values:
            print(f"mean {column}: {sum(values) / len(values):.2f}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.transfer", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--embedder", default=DEFAULT, help="auto (the default one), wordllama or none")
    parser.add_argument("--only", default="", help="of BEAM and RealMem only the dialogues whose names end so")
    parser.add_argument("--retrievers", default="", help="some of the retrievers of the product; all by default")
    parser.add_argument("--json", type=Path, help="write the table there, too")
    return parser.parse_args()


def main() -> int:
    """Run and print; 2 for wrong input."""
    arguments = _arguments()
    names = [name for name in arguments.sets.split(",") if name]
    only = [name for name in arguments.only.split(",") if name]
    try:
        retrievers = [name for name in arguments.retrievers.split(",") if name]
        found = anyio.run(run, arguments.folder, names, arguments.embedder, only, retrievers)
    except RemembrancerError as error:
        print(f"bench.transfer: {error}", file=sys.stderr)
        return 2
    table = report(found, words_alone=arguments.embedder == "none")
    _print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(table, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
