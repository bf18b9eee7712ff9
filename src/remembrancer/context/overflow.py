"""What is too long to be told: the last exchanges whole, the older ones, or the task, in short and by reference."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

KEPT_EXCHANGES = 3
Short = Callable[[Sequence[str]], str]
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+|[^.!?\n]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Exchanges as a block tells them.

    Args:
        told: each a whole item, oldest first.
        names: what the report calls them where none of them is told.
        left_out: what it calls those that are not told.
    """

    told: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def fits(history: Sequence[str], room: int, count: Callable[[str], int]) -> bool:
    """Whether exchanges can be told whole, all of them."""
    return sum(map(count, history)) <= room


def whole(history: Sequence[str]) -> History:
    """Exchanges of which each is told."""
    return History(told=tuple(history), names=_numbered(0, len(history)))


def shortened(
    history: Sequence[str], room: int, count: Callable[[str], int], *, id: str | None, short: Short
) -> History:
    """Exchanges of which the older ones are told in short, and those of the last three that fit, whole.

    Args:
        room: tokens that they may take; where not even the short form fits, nothing is told.
        count: the tokens of a text.
        id: of the message that has all of them, word for word; `None` where nothing keeps them.
        short: tells of texts in short.
    """
    first = max(0, len(history) - KEPT_EXCHANGES)
    names = (id,) if id else _numbered(0, len(history))
    older = _older(history[:first], id, short)
    left = room - (count(older) if older else 0)
    if left < 0:
        return History(names=names, left_out=names)
    chosen: list[int] = []
    for place in reversed(range(first, len(history))):
        if (size := count(history[place])) <= left:
            chosen.insert(0, place)
            left -= size
    missing = [place for place in range(first if id else 0, len(history)) if place not in chosen]
    told = [older] * bool(older) + [history[place] for place in chosen]
    untold = tuple(name for place in missing for name in _numbered(place, place + 1))
    return History(told=tuple(told), names=names, left_out=names if id and missing else untold)


def _numbered(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"exchange {place + 1}" for place in range(first, last))


def task_in_short(task: str, id: str | None, short: Short) -> str:
    """What a task comes to that is too long to be told, with the id to ask for where there is one."""
    return " ".join(filter(None, (short([task]), _kept_in(id, "All of it"))))


def _older(older: Sequence[str], id: str | None, short: Short) -> str:
    """What is told of exchanges in their place, with the id to ask for where there is one."""
    said = [summary(older, short)] if older else []
    return " ".join(filter(None, (*said, _kept_in(id, "The rest of this" if older else "All of it"))))


def _kept_in(id: str | None, what: str) -> str:
    return f"({what} stands in memory {id}.)" if id else ""


def summary(texts: Sequence[str], short: Short) -> str:
    """How many exchanges there were, and what is worth a note in them."""
    count = f"{len(texts)} earlier exchange{'' if len(texts) == 1 else 's'} came before."
    return f"{count} {short(texts)}".strip()


def opening(text: str) -> str:
    """The first sentence of a text, at most 200 characters of it, ended."""
    found = _SENTENCE.search(text.strip())
    sentence = " ".join((found[0] if found else "").split())
    clipped = sentence if len(sentence) <= 200 else sentence[:200].rsplit(" ", 1)[0] + " …"
    return clipped if clipped.endswith((".", "!", "?", "…")) else clipped + "."
