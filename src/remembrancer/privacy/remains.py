"""Looking for what is left of what was erased: by the ids that it had, and by its words in what others are told.

What people said is told again by runs of eight words. What was concluded after they were said, and tells a run that
nobody else has said, tells of what was erased. Runs are kept until the look is done, as numbers that are made with the
store's key.
"""

import base64
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.spelling import UNSPACED
from remembrancer.storage.erasure import ScannedRow
from remembrancer.transactions.echo import Sign
from remembrancer.transactions.write import mark_of

# What may be an id within a text.
_ID: Final = re.compile(r"[\w.:@/+-]{6,200}")
_WORD: Final = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
# As texts stand in JSON.
_ESCAPED: Final = re.compile(r"\\[nrt]")
_LONG: Final = 8
# Each place in a run counts by a factor of its own: odd, so that no number is lost.
_FACTORS: Final = tuple(np.uint64(0x9E3779B97F4A7C15 * (2 * place + 1) & 0xFFFFFFFFFFFFFFFF) for place in range(_LONG))
_KEPT_TOGETHER: Final = 200_000
_MOST_RUNS: Final = 4_000_000
_MOST_WORDS: Final = 200_000
_NO_RUNS: Final = np.empty(0, dtype=np.uint64)
_NO_TIMES: Final = np.empty(0, dtype=np.int64)
_KEPT: Final = np.dtype([("run", "<u8"), ("since", "<i8")])
_EVER: Final = np.iinfo(np.int64).max


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
            return _NO_RUNS, _NO_TIMES
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


def kept_runs(told: Sequence[tuple[str, int]], *, sign: Sign) -> list[str]:
    """The runs of texts, as they are kept until a look is done, so many together; of many millions only some.

    Args:
        told: texts, each with the time since when it was there (microseconds).
    """
    runs, owners = Runs(sign=sign).of([text for text, _ in told])
    since = np.array([at for _, at in told], dtype=np.int64)[owners] if len(runs) else _NO_TIMES
    runs, since = _earliest(runs, since)
    kept = np.empty(len(runs), dtype=_KEPT)
    kept["run"], kept["since"] = runs, since
    kept = kept[runs % np.uint64(-(-len(runs) // _MOST_RUNS) or 1) == 0]
    parts = [kept[start : start + _KEPT_TOGETHER] for start in range(0, len(kept), _KEPT_TOGETHER)]
    return [base64.b64encode(part.tobytes()).decode() for part in parts]


def _earliest(runs: NDArray[np.uint64], since: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Each run once, ascending, with the first time at which it was there."""
    order = np.lexsort((since, runs))
    runs, since = runs[order], since[order]
    first = np.ones(len(runs), dtype=bool)
    first[1:] = runs[1:] != runs[:-1]
    return runs[first], since[first]


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
        told = [np.frombuffer(base64.b64decode(one), dtype=_KEPT) for one in kept]
        both = np.concatenate(told) if told else np.empty(0, dtype=_KEPT)
        self._erased, self._since = _earliest(both["run"].astype(np.uint64), both["since"].astype(np.int64))
        self._rows = 0
        self._left = 0
        self._said = list[NDArray[np.uint64]]()
        self._told = list[tuple[NDArray[np.uint64], NDArray[np.int64]]]()

    def see(self, rows: Sequence[ScannedRow]) -> None:
        """Look at rows."""
        unnamed: list[ScannedRow] = []
        for row in rows:
            named = sum(self._names_erased(text) for text in row.texts)
            self._left += named
            if not named:
                unnamed.append(row)
        if len(self._erased):
            runs, _, _ = self._met([text for row in unnamed if row.is_written for text in row.texts])
            self._said.append(np.unique(runs))
            derived = [row for row in unnamed if not row.is_written]
            runs, owners, since = self._met(["\n".join(row.texts) for row in derived])
            times = np.array([_EVER if row.at is None else row.at for row in derived], dtype=np.int64)
            later = times[owners] >= since
            self._told.append((runs[later], owners[later] + self._rows))
            self._rows += len(derived)

    def found(self) -> int:
        """In how many texts an id of what was erased stands, and how many other rows tell words that it alone had."""
        said = np.concatenate([_NO_RUNS, *self._said])
        runs = np.concatenate([_NO_RUNS, *(runs for runs, _ in self._told)])
        owners = np.concatenate([_NO_TIMES, *(owners for _, owners in self._told)])
        return self._left + len(np.unique(owners[~np.isin(runs, said)]))

    def _met(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """The runs in texts that were erased, which text each one is of, and since when it had been said."""
        runs, owners = self._runs.of(texts)
        place = np.minimum(np.searchsorted(self._erased, runs), len(self._erased) - 1)
        met = self._erased[place] == runs
        return runs[met], owners[met], self._since[place[met]]

    def _names_erased(self, text: str) -> bool:
        return self._is_erased(text) or any(self._is_erased(id) for id in _ID.findall(text))

    def _is_erased(self, id: str) -> bool:
        known = self._known.get(id)
        if known is None:
            known = self._known[id] = mark_of(id, sign=self._sign) in self._marks
        return known
