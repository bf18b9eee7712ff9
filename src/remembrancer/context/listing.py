"""A selection of lines as one sealed block: whole lines, best first."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from remembrancer.context.lines import quoted_data_last
from remembrancer.language.quoting import QUOTED


@dataclass(frozen=True, slots=True, kw_only=True)
class LineSelection:
    """The lines of a block that fit.

    Args:
        text: the sealed block; `""` if no line fits.
        tokens: the tokens of the text.
        shown, left_out: indices of the lines in the block, and of those left out.
    """

    text: str
    tokens: int
    shown: tuple[int, ...]
    left_out: tuple[int, ...]


def select_lines(
    lines: Sequence[str],
    *,
    room: int | None,
    count: Callable[[str], int],
    seal: Callable[[str], str],
    by_priority: Sequence[int] | None = None,
    titles: Sequence[str] = (),
) -> LineSelection:
    """Return the block of the lines that fit, in their order.

    Quoted data comes last.

    Args:
        titles: the title above each line; a run of lines with the same title has it once. `""` for no title.
        room: the maximum number of tokens; `None` for no limit.
        count: counts the tokens of a text.
        seal: marks a text as memory.
        by_priority: indices of the lines, the best first; by default in their order.
    """
    order = list(range(len(lines)) if by_priority is None else by_priority)
    selected = order if room is None else _fitting(lines, order, room - count(seal("")), count)
    while True:
        shown = sorted(selected)
        text = seal("\n".join(quoted_data_last(list(_with_titles(lines, titles, shown))))) if shown else ""
        tokens = count(text)
        # Lines are counted one by one; only the whole text has the exact count.
        if room is None or tokens <= room or not selected:
            break
        selected = selected[:-1]
    return LineSelection(
        text=text,
        tokens=tokens,
        shown=tuple(shown),
        left_out=tuple(place for place in range(len(lines)) if place not in set(shown)),
    )


def _with_titles(lines: Sequence[str], titles: Sequence[str], shown: Sequence[int]) -> Iterator[str]:
    last = ""
    for place in shown:
        title = titles[place] if titles else ""
        # A title comes before the first line under it.
        if not lines[place].startswith(QUOTED):
            if title and title != last:
                yield title
            last = title
        yield lines[place]


def _fitting(lines: Sequence[str], order: Sequence[int], room: int, count: Callable[[str], int]) -> list[int]:
    """Return the best lines that fit whole.

    A shorter one further down may still fit.
    """
    selected: list[int] = []
    for place in order:
        size = count(lines[place] + "\n")
        if size <= room:
            selected.append(place)
            room -= size
    return selected
