"""Whether a model has run into a loop: the one fault of a text that can be seen without reading it."""

from collections import Counter
from typing import Final

WINDOW: Final = 200
# A text shorter than this cannot hold much twice.
LEAST_CHARACTERS: Final = 1_000
MOST_REPEATED: Final = 0.4
# Shorter lines come again in lists, tables and code, and mean nothing.
LEAST_LINE: Final = 20
LEAST_LINES: Final = 20
MOST_EQUAL: Final = 0.5
MOST_CHARACTERS: Final = 30_000


def repeats_endlessly(text: str) -> bool:
    """Whether a text says the same over and over: its windows, or its lines.

    A list, a table or code may well repeat its frame: what counts is 200 characters that are alike to the last.
    """
    return _repeated_windows(text) > MOST_REPEATED or _equal_lines(text) > MOST_EQUAL


def _repeated_windows(text: str) -> float:
    """The share of the windows at a text's end that stood in it before."""
    if len(text) < LEAST_CHARACTERS:
        return 0.0
    # A loop runs to the end. Each place is looked at, since nobody knows how long what is repeated is.
    end = text[-MOST_CHARACTERS:]
    windows = [end[start : start + WINDOW] for start in range(len(end) - WINDOW + 1)]
    return 1 - len(set(windows)) / len(windows)


def _equal_lines(text: str) -> float:
    """The share of the lines that are one and the same."""
    lines = [line.strip() for line in text.splitlines() if len(line.strip()) >= LEAST_LINE]
    if len(lines) < LEAST_LINES:
        return 0.0
    return max(Counter(lines).values()) / len(lines)
