"""Exchanges that are too long to be told: the last ones whole, the others in three sentences and by reference."""

import re
from collections.abc import Callable, Sequence

KEPT_EXCHANGES = 3
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+|[^.!?\n]+$")


def parted(history: Sequence[str]) -> tuple[list[str], list[str]]:
    """The last exchanges, and the older ones."""
    return list(history[-KEPT_EXCHANGES:]), list(history[:-KEPT_EXCHANGES])


def told(kept: Sequence[str], older: Sequence[str], id: str, room: int, count: Callable[[str], int]) -> tuple[str, ...]:
    """What is told of exchanges: in short the older ones with the id to ask for, then those of the last that fit whole.

    Args:
        id: of the message that has what is left out, word for word.
        room: tokens that they may take; where not even the short form fits, nothing is told.
        count: the tokens of a text.
    """
    short = (
        f"{summary(older)} (The rest of this stands in memory {id}.)"
        if older
        else f"(All of it stands in memory {id}.)"
    )
    left = room - count(short)
    if left < 0:
        return ()
    chosen: list[str] = []
    for exchange in reversed(kept):
        if (size := count(exchange)) <= left:
            chosen.insert(0, exchange)
            left -= size
    return (short, *chosen)


def summary(texts: Sequence[str]) -> str:
    """Three sentences: how much there was, how it began, how it ended."""
    count = f"{len(texts)} earlier exchange{'' if len(texts) == 1 else 's'} came before."
    if not texts:
        return count
    first, last = opening(texts[0]), opening(texts[-1])
    return f"{count} The first said: {first} The last said: {last}"


def opening(text: str) -> str:
    """The first sentence of a text, at most 200 characters of it, ended."""
    found = _SENTENCE.search(text.strip())
    sentence = " ".join((found[0] if found else "").split())
    clipped = sentence if len(sentence) <= 200 else sentence[:200].rsplit(" ", 1)[0] + " …"
    return clipped if clipped.endswith((".", "!", "?", "…")) else clipped + "."
