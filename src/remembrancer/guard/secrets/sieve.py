"""Which shapes are worth trying on a text: told by a few of its letters, since most hold nothing of most kinds."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from remembrancer.guard.prefilter import Needles
from remembrancer.guard.secrets.kinds import KINDS
from remembrancer.guard.secrets.kinds.connecting import KINDS as CONNECTING
from remembrancer.guard.secrets.kinds.connecting import PRIVATE_KEY
from remembrancer.guard.secrets.shape import Shape

_SHAPES: Final = tuple((kind.name, shape) for kind in KINDS for shape in kind.shapes)
# A token is no shorter, so that texts of short words hold none.
_LONG: Final = 15
_HEAD: Final = re.compile(r"(?<![a-z0-9])(?=([a-z0-9][^\n]{2}))")
_HEAD_LENGTH: Final = 3


def is_bare_word(text: str) -> bool:
    """Whether a text is one word of letters, too short for a token, which is no credential without a name before it."""
    return len(text) < _LONG and text.isalpha()


def worth_trying(lowered: str) -> Iterator[tuple[str, Shape]]:
    """The shapes of which a text may hold one, each with the name of its kind.

    Args:
        lowered: the text in lower case.
    """
    held = _NEEDLES.within(lowered)
    chosen = {place for needle in held for place in _WORDS.get(needle, ())}
    if long := [word for word in lowered.split() if len(word) >= _LONG]:
        chosen.update(place for needle in held for place in _BESIDE.get(needle, ()))
        for head in set(_HEAD.findall("\n".join(long))):
            chosen.update(_HEADS.get(head, ()))
    for place in sorted(chosen):
        yield _SHAPES[place]


def _by_needle(places: Iterable[int]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for place in places:
        for needle in _SHAPES[place][1].needles:
            found.setdefault(needle, []).append(place)
    return {needle: tuple(which) for needle, which in found.items()}


def _by_head(places: Iterable[int]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for place in places:
        for needle in _SHAPES[place][1].needles:
            found.setdefault(needle[:_HEAD_LENGTH], []).append(place)
    return {head: tuple(which) for head, which in found.items()}


def _is_headed(shape: Shape) -> bool:
    return shape.starts and all(len(needle) >= _HEAD_LENGTH and needle[0].isalnum() for needle in shape.needles)


_CONNECTING: Final = {id(shape) for kind in (PRIVATE_KEY, *CONNECTING) for shape in kind.shapes}
_PLACES: Final = range(len(_SHAPES))
_WORDS: Final = _by_needle(place for place in _PLACES if id(_SHAPES[place][1]) in _CONNECTING)
_TOKENS: Final = tuple(place for place in _PLACES if id(_SHAPES[place][1]) not in _CONNECTING)
_HEADS: Final = _by_head(place for place in _TOKENS if _is_headed(_SHAPES[place][1]))
_BESIDE: Final = _by_needle(place for place in _TOKENS if not _is_headed(_SHAPES[place][1]))
_NEEDLES: Final = Needles((*_WORDS, *_BESIDE))
