"""Looking for what is left of what was erased: by the ids that it had, and by its words in what others are told.

What people said is told again by runs of six words. Whoever is told a run that nobody else has said is told of what was
erased. Runs are kept until the look is done, as numbers that are made with the store's key.
"""

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.governance.echo import Sign
from remembrancer.governance.writing import mark_of
from remembrancer.language.spelling import UNSPACED
from remembrancer.ports.erasing import Row

# What may be an id within a text.
_ID: Final = re.compile(r"[\w.:@/+-]{6,200}")
_WORD: Final = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
# As texts stand in JSON.
_ESCAPED: Final = re.compile(r"\\[nrt]")
_LONG: Final = 6
# Each place in a run counts by a factor of its own: odd, so that no number is lost.
_FACTORS: Final = tuple(np.uint64(0x9E3779B97F4A7C15 * (2 * place + 1) & 0xFFFFFFFFFFFFFFFF) for place in range(_LONG))
_MOST_RUNS: Final = 200_000
_MOST_WORDS: Final = 200_000
_NO_RUNS: Final = np.empty(0, dtype=np.uint64)


class Runs:
    """Numbers that stand for runs of words, and tell them to nobody who has not the store's key."""

    def __init__(self, *, sign: Sign) -> None:
        self._sign = sign
        self._numbers = dict[str, int]()

    def of(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The runs in texts, each `(n,)` uint64, and which text each one is of, `(n,)` int64."""
        words = [_WORD.findall(_ESCAPED.sub(" ", text).casefold()) for text in texts]
        long = [place for place, found in enumerate(words) if len(found) >= _LONG]
        if not long:
            return _NO_RUNS, np.empty(0, dtype=np.int64)
        numbers = np.array([self._number(word) for place in long for word in words[place]], dtype=np.uint64)
        owners = np.repeat(np.array(long, dtype=np.int64), [len(words[place]) for place in long])
        count = len(numbers) - _LONG + 1
        runs = np.zeros(count, dtype=np.uint64)
        for place, factor in enumerate(_FACTORS):
            runs += numbers[place : place + count] * factor
        whole = owners[:count] == owners[_LONG - 1 :]
        return runs[whole], owners[:count][whole]

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            if len(self._numbers) >= _MOST_WORDS:
                self._numbers.clear()
            number = self._numbers[word] = int(self._sign(f"word that is erased {word}")[:16], 16)
        return number


def kept_runs(texts: Iterable[Sequence[str]], *, sign: Sign) -> str:
    """The runs of texts, as they are kept until a look is done; of very many those that a number divides.

    Args:
        texts: some at a time.
    """
    runs, found = Runs(sign=sign), _NO_RUNS
    for some in texts:
        found = np.union1d(found, runs.of(some)[0])
    step = np.uint64(-(-len(found) // _MOST_RUNS) or 1)
    return base64.b64encode(found[found % step == 0].astype("<u8").tobytes()).decode()


class Looker:
    """What is left of what was erased, in the rows that it is shown.

    Args:
        marks: what stands for each id that was erased.
        kept: runs of what was erased, as `kept_runs` tells them.
    """

    def __init__(self, marks: set[str], kept: Sequence[str] = (), *, sign: Sign) -> None:
        self._marks = marks
        self._sign = sign
        self._known = dict[str, bool]()
        self._runs = Runs(sign=sign)
        told = [np.frombuffer(base64.b64decode(one), dtype="<u8").astype(np.uint64) for one in kept]
        self._erased = np.unique(np.concatenate(told)) if told else _NO_RUNS
        self._said = _NO_RUNS
        self._left = 0
        self._told = list[NDArray[np.uint64]]()

    def see(self, rows: Sequence[Row]) -> None:
        """Look at rows."""
        unnamed: list[Row] = []
        for row in rows:
            named = sum(self._names_erased(text) for text in row[0])
            self._left += named
            if not named:
                unnamed.append(row)
        if len(self._erased):
            said = [text for texts, is_said in unnamed if is_said for text in texts]
            self._said = np.union1d(self._said, self._met(said)[0])
            derived = ["\n".join(texts) for texts, is_said in unnamed if not is_said]
            runs, owners = self._met(derived)
            self._told += [runs[owners == owner] for owner in np.unique(owners)]

    @property
    def found(self) -> int:
        """In how many texts an id of what was erased stands, and how many other rows tell words that it alone had."""
        return self._left + sum(not np.isin(runs, self._said).all() for runs in self._told)

    def _met(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        runs, owners = self._runs.of(texts)
        met = np.isin(runs, self._erased)
        return runs[met], owners[met]

    def _names_erased(self, text: str) -> bool:
        return self._is_erased(text) or any(self._is_erased(id) for id in _ID.findall(text))

    def _is_erased(self, id: str) -> bool:
        known = self._known.get(id)
        if known is None:
            known = self._known[id] = mark_of(id, sign=self._sign) in self._marks
        return known
