"""A scan for remains of erased memories: by their ids, and by their words in derived texts.

A text is compared by its runs of eight words. A derived text remains if it is not older than an erased text, and has a
run of it that no other message has. Runs are stored until the scan is done, as keyed hashes.
"""

import base64
import re
from collections.abc import Sequence, Set
from typing import Final

import numpy as np
from numpy.typing import NDArray

from remembrancer.language.spelling import UNSPACED
from remembrancer.storage.erasure import ScannedRow
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.transactions.tombstones import tombstone_of_id

# A string that may be an id within a text.
_ID: Final = re.compile(r"[\w.:@/+-]{6,200}")
_LONGEST_ID: Final = 200
_WORD: Final = re.compile(rf"[{UNSPACED}]|[^\W_{UNSPACED}]+")
# Escaped whitespace of JSON texts.
_ESCAPE: Final = re.compile(r"\\[nrt]")
_RUN_LENGTH: Final = 8
# Each place in a run has a factor of its own; it is odd, so that multiplication loses no hash.
_FACTORS: Final = tuple(
    np.uint64(0x9E3779B97F4A7C15 * (2 * place + 1) & 0xFFFFFFFFFFFFFFFF) for place in range(_RUN_LENGTH)
)
_RUNS_PER_PART: Final = 200_000
_MAX_RUNS: Final = 4_000_000
# The words and ids that are kept with what was found of them.
_MAX_KNOWN: Final = 200_000
_NO_RUNS: Final = np.empty(0, dtype=np.uint64)
_NO_TIMES: Final = np.empty(0, dtype=np.int64)
_STORED: Final = np.dtype([("run", "<u8"), ("since", "<i8")])
_ANY_TIME: Final = np.iinfo(np.int64).max


class WordRuns:
    """Keyed hashes of runs of words."""

    def __init__(self, *, sign: Sign) -> None:
        self._sign = sign
        self._hashes = dict[str, int]()

    def of(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the runs of texts, `(n,)` uint64, and the index of the text of each run, `(n,)` int64."""
        words = [_WORD.findall(_ESCAPE.sub(" ", text).casefold()) for text in texts]
        long = [place for place, some in enumerate(words) if len(some) >= _RUN_LENGTH]
        if not long:
            return _NO_RUNS, _NO_TIMES
        hashes = np.array([self._hash(word) for place in long for word in words[place]], dtype=np.uint64)
        owners = np.repeat(np.array(long, dtype=np.int64), [len(words[place]) for place in long])
        count = len(hashes) - _RUN_LENGTH + 1
        runs = np.zeros(count, dtype=np.uint64)
        for place, factor in enumerate(_FACTORS):
            runs += hashes[place : place + count] * factor
        within_one_text = owners[:count] == owners[_RUN_LENGTH - 1 :]
        return runs[within_one_text], owners[:count][within_one_text]

    def _hash(self, word: str) -> int:
        value = self._hashes.get(word)
        if value is None:
            if len(self._hashes) >= _MAX_KNOWN:
                self._hashes.clear()
            value = self._hashes[word] = int(self._sign(f"word that is erased {word}")[:16], 16)
        return value


def encode_runs(texts: Sequence[tuple[str, int]], *, sign: Sign) -> list[str]:
    """Return the runs of texts, encoded in parts; beyond 4 million runs, a sample.

    Args:
        texts: each with its time in microseconds.
    """
    runs, owners = WordRuns(sign=sign).of([text for text, _ in texts])
    since = np.array([at for _, at in texts], dtype=np.int64)[owners] if len(runs) else _NO_TIMES
    runs, since = _earliest(runs, since)
    stored = np.empty(len(runs), dtype=_STORED)
    stored["run"], stored["since"] = runs, since
    stored = stored[runs % np.uint64(-(-len(runs) // _MAX_RUNS) or 1) == 0]
    parts = [stored[start : start + _RUNS_PER_PART] for start in range(0, len(stored), _RUNS_PER_PART)]
    return [base64.b64encode(part.tobytes()).decode() for part in parts]


def _earliest(runs: NDArray[np.uint64], since: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return each run once, ascending, with its earliest time."""
    order = np.lexsort((since, runs))
    runs, since = runs[order], since[order]
    first = np.ones(len(runs), dtype=bool)
    first[1:] = runs[1:] != runs[:-1]
    return runs[first], since[first]


class RemainsScanner:
    """A scan of rows for remains of erased memories.

    Each row is scanned for ids and, if it is derived, for erased words. Only where some were found are the rows read
    again, for the messages of others that have the same words.

    Args:
        marks: keyed hashes of the erased ids.
        runs: runs of the erased texts, as `encode_runs` returns them.
    """

    def __init__(self, marks: set[str], runs: Sequence[str] = (), *, sign: Sign) -> None:
        self._marks = marks
        self._sign = sign
        self._not_erased = set[str]()
        self._runs = WordRuns(sign=sign)
        parts = [np.frombuffer(base64.b64decode(one), dtype=_STORED) for one in runs]
        stored = np.concatenate(parts) if parts else np.empty(0, dtype=_STORED)
        self._erased, self._since = _earliest(stored["run"].astype(np.uint64), stored["since"].astype(np.int64))
        self._row_count = 0
        self._texts_with_ids = 0
        self._original_runs = list[NDArray[np.uint64]]()
        self._derived_runs = list[tuple[NDArray[np.uint64], NDArray[np.int64]]]()

    def scan(self, rows: Sequence[ScannedRow]) -> None:
        """Scan some rows for ids, and derived ones for erased words."""
        counts = self._ids_in(rows)
        self._texts_with_ids += sum(counts)
        derived = [row for row, count in zip(rows, counts, strict=True) if not count and not row.is_written]
        if len(self._erased):
            runs, owners, since = self._erased_runs(["\n".join(row.texts) for row in derived])
            times = np.array([_ANY_TIME if row.at is None else row.at for row in derived], dtype=np.int64)
            later = times[owners] >= since
            self._derived_runs.append((runs[later], owners[later] + self._row_count))
            self._row_count += len(derived)

    def has_found_words(self) -> bool:
        """Return whether derived rows have erased words, so that `scan_others` is needed."""
        return any(len(runs) for runs, _ in self._derived_runs)

    def scan_others(self, rows: Sequence[ScannedRow]) -> None:
        """Scan the messages among some rows for erased words that others have written as well."""
        written = [row for row in rows if row.is_written]
        counts = self._ids_in(written)
        texts = [text for row, count in zip(written, counts, strict=True) if not count for text in row.texts]
        self._original_runs.append(np.unique(self._erased_runs(texts)[0]))

    def count(self) -> int:
        """Return the number of texts with an erased id, plus that of other derived rows with erased words only."""
        original = np.concatenate([_NO_RUNS, *self._original_runs])
        runs = np.concatenate([_NO_RUNS, *(runs for runs, _ in self._derived_runs)])
        owners = np.concatenate([_NO_TIMES, *(owners for _, owners in self._derived_runs)])
        return self._texts_with_ids + len(np.unique(owners[~np.isin(runs, original)]))

    def _erased_runs(self, texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
        """Return the erased runs in texts, the index of the text of each, and the time of the erased text."""
        runs, owners = self._runs.of(texts)
        place = np.minimum(np.searchsorted(self._erased, runs), len(self._erased) - 1)
        erased = self._erased[place] == runs
        return runs[erased], owners[erased], self._since[place[erased]]

    def _ids_in(self, rows: Sequence[ScannedRow]) -> list[int]:
        """Return the number of texts with an erased id, of each row."""
        texts = [text for row in rows for text in row.texts]
        # No id has a line break.
        erased = self._erased_ids({*texts, *_ID.findall("\n".join(texts))})
        if not erased:
            return [0] * len(rows)
        return [sum(text in erased or not erased.isdisjoint(_ID.findall(text)) for text in row.texts) for row in rows]

    def _erased_ids(self, ids: Set[str]) -> set[str]:
        """Return those of some strings that are erased ids."""
        new = ids - self._not_erased
        erased = {id for id in new if tombstone_of_id(id, sign=self._sign) in self._marks}
        if len(self._not_erased) > _MAX_KNOWN:
            self._not_erased.clear()
        # A long text is no word that comes again.
        self._not_erased |= {id for id in new - erased if len(id) <= _LONGEST_ID}
        return erased
