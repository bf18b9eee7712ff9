"""Exchanges and tasks that are too long: shortened, with a reference."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

RECENT_EXCHANGES = 3
Shorten = Callable[[Sequence[str]], str]
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]+|[^.!?\n]+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Exchanges as a block shows them.

    Args:
        shown: the texts, each a whole item, oldest first.
        names: the names in the report, if none of them is shown.
        left_out: the names of those that are not shown.
    """

    shown: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def fits(history: Sequence[str], room: int, count: Callable[[str], int]) -> bool:
    """Return True if all exchanges fit whole."""
    return sum(map(count, history)) <= room


def whole_history(history: Sequence[str]) -> History:
    """Return exchanges that are all shown."""
    return History(shown=tuple(history), names=_exchange_names(0, len(history)))


def shorten_history(
    history: Sequence[str], room: int, count: Callable[[str], int], *, id: str | None, shorten: Shorten
) -> History:
    """Return exchanges with the older ones shortened.

    Of the last three, those that fit are shown whole.

    Args:
        room: the tokens for all exchanges; if not even the short form fits, nothing is shown.
        count: counts the tokens of a text.
        id: the id of the message that contains all of them verbatim; `None` if there is none.
        shorten: shortens texts.
    """
    first = max(0, len(history) - RECENT_EXCHANGES)
    names = (id,) if id else _exchange_names(0, len(history))
    older = _older_in_short(history[:first], id, shorten)
    tokens_left = room - (count(older) if older else 0)
    if tokens_left < 0:
        return History(names=names, left_out=names)
    selected: list[int] = []
    for place in reversed(range(first, len(history))):
        if (size := count(history[place])) <= tokens_left:
            selected.insert(0, place)
            tokens_left -= size
    left_out = [place for place in range(first if id else 0, len(history)) if place not in selected]
    shown = [older] * bool(older) + [history[place] for place in selected]
    left_out_names = tuple(name for place in left_out for name in _exchange_names(place, place + 1))
    return History(shown=tuple(shown), names=names, left_out=names if id and left_out else left_out_names)


def _exchange_names(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"exchange {place + 1}" for place in range(first, last))


def short_task(task: str, id: str | None, shorten: Shorten) -> str:
    """Return a shortened task, with the id of the whole text if there is one."""
    return " ".join(filter(None, (shorten([task]), _reference(id, "All of it"))))


def _older_in_short(older: Sequence[str], id: str | None, shorten: Shorten) -> str:
    """Return the short form of exchanges, with the id of the whole text."""
    parts = [summary(older, shorten)] if older else []
    return " ".join(filter(None, (*parts, _reference(id, "The rest of this" if older else "All of it"))))


def _reference(id: str | None, what: str) -> str:
    return f"({what} stands in memory {id}.)" if id else ""


def summary(texts: Sequence[str], shorten: Shorten) -> str:
    """Return the number of exchanges, and what is worth a note in them."""
    count = f"{len(texts)} earlier exchange{'' if len(texts) == 1 else 's'} came before."
    return f"{count} {shorten(texts)}".strip()


def opening(text: str) -> str:
    """Return the first sentence of a text, at most 200 characters."""
    match = _SENTENCE.search(text.strip())
    sentence = " ".join((match[0] if match else "").split())
    clipped = sentence if len(sentence) <= 200 else sentence[:200].rsplit(" ", 1)[0] + " …"
    return clipped if clipped.endswith((".", "!", "?", "…")) else clipped + "."
