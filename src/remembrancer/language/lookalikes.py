"""Texts as a reader sees them: plain letters for wide, decorated and look-alike ones, without invisible ones.

Searches in text that may be disguised use the plain text, and report places of the original.
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
# Invisible characters, and marks on the letter before them.
_INVISIBLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
# Tag characters, which are invisible to people and visible to models.
_TAGS: Final = range(0xE0020, 0xE007F)
_SELECTORS: Final = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0001-\U000e01ef]+"
)
_OTHER: Final = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A plain text with the places of its parts in the original.

    Args:
        removed: for each removed character its place in the plain text, in order.
    """

    text: str
    removed: tuple[int, ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the position in the original of a part of the plain text, which is not empty."""
        return self._place(start), self._place(end - 1) + 1

    def _place(self, at: int) -> int:
        return at + bisect_right(self.removed, at)


def lowered(text: str) -> str:
    """Return a text in small letters of the same length; if a letter would become longer, only ASCII is lowered."""
    low = text.lower()
    return low if len(low) == len(text) else text.translate(_ASCII_LOWER)


_ASCII_LOWER: Final = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def plain(text: str) -> Plain:
    """Return the text as it looks: each character one or none."""
    if text.isascii():
        return Plain(text=text)
    pieces: list[str] = []
    removed: list[int] = []
    shown = 0
    for run in _OTHER.finditer(text):
        looks = run[0].translate(_LOOKS)
        pieces += (text[shown : run.start()], looks)
        shown = run.end()
        if len(looks) < len(run[0]):
            unseen = (at for at, character in enumerate(run[0], run.start()) if _LOOKS[ord(character)] == "")
            removed += (at - before for before, at in enumerate(unseen, len(removed)))
    return Plain(text="".join((*pieces, text[shown:])), removed=tuple(removed))


def visible(text: str) -> str:
    """Return a text without what no reader sees and a model may read."""
    return text if text.isascii() else _UNSEEN.sub("", text)


def legible(text: str) -> str:
    """Return a text in its own script: plain letters for wide and decorated ones, without invisible ones."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))


def _seen(code: int) -> str | None:
    """Return the visible form of a character, `""` for an invisible one; `None` if it is unchanged."""
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
    """A table of the Latin look-alike or visible form of each character."""

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
