"""Some memories as one sealed block: whole ones, best first, within a number of tokens."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from remembrancer.context.lines import data_apart
from remembrancer.language.quoting import QUOTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The lines of a block that fit.

    Args:
        text: the sealed block; `""` where nothing fits.
        tokens: of the very text.
        told, left_out: places of the lines that it has, and of those that it has not, in their order.
    """

    text: str
    tokens: int
    told: tuple[int, ...]
    left_out: tuple[int, ...]


def listed(
    lines: Sequence[str],
    *,
    room: int | None,
    count: Callable[[str], int],
    seal: Callable[[str], str],
    by_worth: Sequence[int] | None = None,
    titles: Sequence[str] = (),
) -> Listing:
    """The block of these lines, in their order; those of quoted data behind the others.

    Args:
        titles: of each line, what stands above it and those that follow with the same; `""` or none for nothing.
        room: the most tokens that it may have; `None` for any number.
        count: the tokens of a text.
        seal: marks a text as coming from memory.
        by_worth: the places of the lines, the best first; as they stand, if not given.
    """
    order = list(range(len(lines)) if by_worth is None else by_worth)
    chosen = order if room is None else _fitting(lines, order, room - count(seal("")), count)
    while True:
        told = sorted(chosen)
        text = seal("\n".join(data_apart(list(_titled(lines, titles, told))))) if told else ""
        tokens = count(text)
        # Lines are counted one by one: what they have together is known of the text that they make.
        if room is None or tokens <= room or not chosen:
            break
        chosen = chosen[:-1]
    return Listing(
        text=text,
        tokens=tokens,
        told=tuple(told),
        left_out=tuple(place for place in range(len(lines)) if place not in set(told)),
    )


def _titled(lines: Sequence[str], titles: Sequence[str], told: Sequence[int]) -> Iterator[str]:
    last = ""
    for place in told:
        title = titles[place] if titles else ""
        # A title is told with the first line that stands under it.
        if not lines[place].startswith(QUOTED):
            if title and title != last:
                yield title
            last = title
        yield lines[place]


def _fitting(lines: Sequence[str], order: Sequence[int], room: int, count: Callable[[str], int]) -> list[int]:
    """The best lines that fit whole; a shorter one further down may still find room."""
    chosen: list[int] = []
    for place in order:
        size = count(lines[place] + "\n")
        if size <= room:
            chosen.append(place)
            room -= size
    return chosen
