"""A text as it looks to a reader: wide and decorated letters plain, look-alikes Latin, what is invisible gone.

Whoever looks for something in a text that may be disguised looks at the plain one, and takes the place in the original.
"""

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final

_ALIKE: Final = (
    ("аеорсухіјѕԁԛԝһѵткмгӏ", "aeopcyxijsdqwhvtkmrl"),
    ("АВЕКМНОРСТУХІЅЈԌ", "ABEKMHOPCTYXISJG"),
    ("αονρτεικυχγηςω", "aovpteikuxyncw"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC"),
    ("ոսօհցԍոզ", "nuohgGnq"),
    ("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnoprstuvwyz"),
    ("ıɑɡɩłøđħŧ", "iagilodht"),
    ("‹〈⟨❮˂ᐸ❬〈﹤≺", "<<<<<<<<<<"),
    ("›〉⟩❯˃ᐳ❭〉﹥≻", ">>>>>>>>>>"),
    ("∕⁄⧸╱", "////"),
    ("∶꞉ː︰", "::::"),
    ("‐‑−﹣", "----"),
    ("‘’‚‛′“”„‟″", "'''''\"\"\"\"\""),
)
# What a reader does not see, and marks that stand upon the letter before them.
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
# Letters for tagging, which nobody sees and models read.
_TAGS: Final = range(0xE0020, 0xE007F)
_SELECTORS: Final = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0001-\U000e01ef]+"
)
_OTHER: Final = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A plain text, and where each part of it stands in the original.

    Args:
        gone: for each character that was taken out, where it would stand in the plain text; in order.
    """

    text: str
    gone: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the position in the original of a part of the plain text, which is not empty."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        return at + bisect_right(self.gone, at)


def lowered(text: str) -> str:
    """Return a text in small letters, each at its place: a few letters grow when lowered, and then only ASCII is."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_LOWER)


_ASCII_LOWER: Final = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def plain(text: str) -> Plain:
    """Return the text as it looks: each character one or none."""
    if text.isascii():
        return Plain(text=text)
    pieces: list[str] = []
    gone: list[int] = []
    shown = 0
    for run in _OTHER.finditer(text):
        looks = run[0].translate(_LOOKS)
        pieces += (text[shown : run.start()], looks)
        shown = run.end()
        if len(looks) < len(run[0]):
            unseen = (at for at, character in enumerate(run[0], run.start()) if _LOOKS[ord(character)] == "")
            gone += (at - before for before, at in enumerate(unseen, len(gone)))
    return Plain(text="".join((*pieces, text[shown:])), gone=tuple(gone))


def visible(text: str) -> str:
    """Return a text without what no reader sees and a model may read."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def legible(text: str) -> str:
    """Return a text in its own script: wide and decorated letters plain, the invisible gone."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def _seen(code: int) -> str | None:
    """Return the visible form of a character, `""` for an invisible one; `None` if that is the character."""
    character = chr(code)
    if code in _TAGS:
        return chr(code - 0xE0000)
    if code in _SELECTORS or character in _INVISIBLE or unicodedata.category(character) == "Cf":
        return ""
    digit = unicodedata.decimal(character, None)
    if digit is not None and code > 0x7F:
        return str(digit)
    compatible = unicodedata.normalize("NFKC", character)
    return compatible if len(compatible) == 1 and compatible != character else None


class _Looks(dict[int, str]):
    """Of each character the Latin letter that it looks like, or what a reader sees."""

    def __missing__(self, code: int) -> str:
        known = _seen(code)
        seen = chr(code) if known is None else known
        self[code] = "" if 0x300 <= code <= 0x36F else _bare(_ALIKE_OF.get(seen, seen))
        return self[code]


def _bare(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[:1]
    return base if base.isascii() else character


_ALIKE_OF: Final = {character: letter for odd, even in _ALIKE for character, letter in zip(odd, even, strict=True)}
_LOOKS: Final = _Looks()
