"""Checks of the form of a model's answer: small slips are corrected, faults and endless repetition refused."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from remembrancer.errors import BadModelOutput
from remembrancer.types.new import default_type
from remembrancer.types.notes import HIGHEST_PRIORITY, LOWEST_PRIORITY

_FAULTS_SHOWN: Final = 5


def faulty(faults: Mapping[int, str], what: str) -> BadModelOutput:
    """Return the error for the faulty parts of an answer, by their places from 0; the first few of many."""
    parts = [f"{what} {at + 1} {fault}" for at, fault in faults.items()]
    more = f"; and {len(parts) - _FAULTS_SHOWN} more" if len(parts) > _FAULTS_SHOWN else ""
    return BadModelOutput("; ".join(parts[:_FAULTS_SHOWN]) + more)


def refuse_faulty(faults: Mapping[int, str], what: str, *, of: int) -> None:
    """Refuse an answer with more than half of its parts invalid.

    Args:
        of: the number of parts.

    Raises:
        BadModelOutput: the message has the faults of the first of them.
    """
    if len(faults) * 2 > of:
        raise faulty(faults, what)


def type_meant(written: str, types: Mapping[str, float]) -> str:
    """Return the observation type in any case; the default one if the deployment lacks it."""
    name = written.strip().lower()
    return name if name in types else default_type(types)


def priority_meant(number: int) -> int:
    """Return the priority, within its bounds."""
    return min(max(number, LOWEST_PRIORITY), HIGHEST_PRIORITY)


WINDOW: Final = 200
# A shorter text cannot repeat much.
LEAST_CHARACTERS: Final = 1_000
MOST_REPEATED: Final = 0.4
# Shorter lines come again in lists, tables and code, and mean nothing.
LEAST_LINE: Final = 20
LEAST_LINES: Final = 20
MOST_EQUAL: Final = 0.5
MOST_CHARACTERS: Final = 30_000


def repeats_endlessly(text: str) -> bool:
    """Return True if a text repeats its windows or its lines endlessly.

    A list, a table or code may repeat its frame, so 200 equal characters are required.
    """
    return _repeated_windows(text) > MOST_REPEATED or _equal_lines(text) > MOST_EQUAL


def _repeated_windows(text: str) -> float:
    """Return the share of the windows at a text's end that occur earlier."""
    if len(text) < LEAST_CHARACTERS:
        return 0.0
    # A loop lasts to the end. Each place is checked, since the length of the repeated part is not known.
    end = text[-MOST_CHARACTERS:]
    windows = [end[start : start + WINDOW] for start in range(len(end) - WINDOW + 1)]
    return 1 - len(set(windows)) / len(windows)


def _equal_lines(text: str) -> float:
    """Return the share of the lines that are one and the same."""
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST_LINE]
    if len(lines) < LEAST_LINES:
        return 0.0
    return max(Counter(lines).values()) / len(lines)
