"""Regions that a person has marked private, however the marks are spelt.

They are looked for in the text as it looks to a reader: wide letters, letters of other scripts that look alike,
invisible characters within and the escapes of HTML, JSON and addresses make no difference.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from remembrancer.language.lookalikes import Plain, plain

REDACTED: Final = "[REDACTED]"


def strip_private(text: str) -> str:
    """`text` with `[REDACTED]` in place of each outermost `<private>` region.

    An opening tag that is never closed, or never finished, hides the rest of the text.
    """
    return stripped(text)


def stripped(text: str, *, depth: int = 0) -> str:
    """Return the same for a text that begins within so many regions."""
    if depth == 0 and not _may_hold(text):
        return text
    shown = _without_private(text, stray="", depth=depth)
    if _TAG.search(plain(shown).text) is None:
        return shown
    # Removing a stray tag could join its neighbours into a new one, so a mark replaces it.
    return _without_private(shown, stray=REDACTED, depth=0)


class Regions:
    """The regions of texts that follow each other, which may go on from one to the next."""

    def __init__(self) -> None:
        self._open: list[int] = []
        self._steps: Counter[int] = Counter()
        self._taken = 0

    def take(self, text: str) -> None:
        """Add the next text."""
        closed, opened = _unmatched(text)
        for _ in range(min(closed, len(self._open))):
            self._hide(self._open.pop(), self._taken)
        self._open += [self._taken] * opened
        self._taken += 1

    def hide_on(self, by: Sequence[str]) -> None:
        """Hide all that follows an unclosed region without a break by the same speaker.

        Args:
            by: the speaker of each text.
        """
        ends = list(range(len(by)))
        for place in reversed(range(len(by) - 1)):
            if by[place] == by[place + 1]:
                ends[place] = ends[place + 1]
        for place in self._open:
            self._hide(place, ends[place])

    def depths(self) -> Iterator[int]:
        """Within how many regions each text begins."""
        depth = 0
        for place in range(self._taken):
            depth += self._steps[place]
            yield depth

    def _hide(self, first: int, last: int) -> None:
        self._steps[first + 1] += 1
        self._steps[last + 1] -= 1


def stripped_together(texts: Sequence[str], *, by: Sequence[str]) -> list[str]:
    """Return consecutive texts without their private regions, which may span texts.

    An unclosed region hides all that follows without a break by the same speaker.

    Args:
        by: the speaker of each text.
    """
    regions = Regions()
    for text in texts:
        regions.take(text)
    regions.hide_on(by)
    return [stripped(text, depth=depth) for text, depth in zip(texts, regions.depths(), strict=True)]


def leaves_open(text: str) -> bool:
    """Return True if a text leaves a region open."""
    return _unmatched(text)[1] > 0


def _unmatched(text: str) -> tuple[int, int]:
    """Return how many closing tags of a text have no opening one, and how many regions remain open."""
    if not _may_hold(text):
        return 0, 0
    found = _scanned(plain(text), 0)
    return len(found.strays), found.depth


def _spelt(character: str, *more: str) -> str:
    """Return a character as it is, in the escapes of HTML and JSON, and in that of an address."""
    codes = sorted({ord(character.lower()), ord(character.upper())})
    decimal, hexadecimal = "|".join(f"{code}" for code in codes), "|".join(f"{code:x}" for code in codes)
    entity = rf"&(?:amp;){{0,3}}(?:\#0{{0,6}}(?:{decimal})|\#x0{{0,6}}(?:{hexadecimal}){''.join(more)})(?![0-9a-f]);?"
    return rf"(?:{re.escape(character)}|\\{{1,3}}(?:u00|x)(?:{hexadecimal})|%(?:{hexadecimal})|{entity})"


_LT: Final = _spelt("<", "|lt(?![a-oq-z])")
_GT: Final = _spelt(">", "|gt(?![a-z])")
_SLASH: Final = _spelt("/", "|sol(?![a-z])")
_BLANK: Final = r"(?:[\s\x00]|%20|%0a|\\[nrt]|&nbsp;)*+"
_NAME: Final = "".join(_spelt(letter) for letter in "private") + r"(?![\w-])"
_TAG: Final = re.compile(
    rf"{_LT}{_BLANK}(?:(?P<close>{_SLASH}{_BLANK}{_NAME}{_BLANK}(?:{_SLASH})?{_BLANK}{_GT})|{_NAME})", re.IGNORECASE
)
# A `<` outside quotes means the tag was never finished, as does a quotation that does not end.
_REST_OF_TAG: Final = re.compile(
    rf"(?:[^<>&%\\\"']++|\"[^\"]*+\"|'[^']*+'|&quot;(?s:.)*?&quot;|(?!{_LT}|{_GT}|&quot;)[&%\\])*+{_GT}",
    re.IGNORECASE,
)
# What any spelling has in common; looking for it costs little.
_HINTS: Final = ("private", "&#", "\\u00", "\\x", "%")


def _may_hold(text: str) -> bool:
    looks = plain(text).text
    if not ("<" in looks or "&" in looks or "\\" in looks or "%" in looks):
        return False
    lowered = looks.lower()
    return any(hint in lowered for hint in _HINTS)


@dataclass(frozen=True, slots=True)
class _Scanned:
    """The regions and stray closing tags of a plain text, in order, and the number of open regions at its end."""

    regions: tuple[tuple[int, int], ...]
    strays: tuple[tuple[int, int], ...]
    depth: int


def _scanned(looks: Plain, depth: int) -> _Scanned:
    text = looks.text
    regions: list[tuple[int, int]] = []
    strays: list[tuple[int, int]] = []
    position = begun = 0
    while tag := _TAG.search(text, position):
        position = tag.end()
        if tag["close"] is None:
            begun = tag.start() if depth == 0 else begun
            depth += 1
            rest = _REST_OF_TAG.match(text, position)
            if rest is None:
                break
            position = rest.end()
        elif depth == 0:
            strays.append(tag.span())
        else:
            depth -= 1
            if depth == 0:
                regions.append((begun, position))
    if depth:
        regions.append((begun, len(text)))
    return _Scanned(tuple(regions), tuple(strays), depth)


def _without_private(text: str, *, stray: str, depth: int) -> str:
    looks = plain(text)
    found = _scanned(looks, depth)
    cuts = [(span, REDACTED) for span in found.regions] + [(span, stray) for span in found.strays]
    kept: list[str] = []
    shown = 0
    for (begin, end), mark in sorted(cuts):
        start, past = looks.span(begin, end) if end > begin else (len(text), len(text))
        kept += (text[shown:start], mark)
        shown = len(text) if end == len(looks.text) and mark is REDACTED and found.depth else past
    return "".join((*kept, text[shown:]))
