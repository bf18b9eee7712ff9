"""Which characters can be seen, and which texts and names are the same: emoji of several signs hold hidden ones."""

import hashlib
import re
import unicodedata
from typing import TypeVar

T = TypeVar("T")

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]?"
)
# Signs that are joined to one, such as a family, and the flags of regions, which are spelt in invisible letters.
_JOINED = re.compile(f"(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f|{_PICTURE}(?:\u200d{_PICTURE})*)")
# Letters and marks that have no ink of their own: fillers, the blank of Braille, joiners and variation selectors.
_INKLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
_LINE_END = re.compile("\r\n?|[\u2028\u2029\u0085]")


def same_name(name: str) -> str:
    """The one form of a name, a key or a tag under which it is stored and compared: composed Unicode (NFC)."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def same_value(value: T) -> T | str:
    """A value in the one form in which it is compared, where it is a text."""
    return same_name(value) if isinstance(value, str) else value


def same_text(text: str) -> str:
    """The one form in which two texts are compared: composed, its lines ended by line feeds, no white space around."""
    return same_name(_LINE_END.sub("\n", text)).strip()


def hash_of(text: str) -> str:
    """SHA-256 hex of a text as stored."""
    return hashlib.sha256(text.encode()).hexdigest()


def hashes_of(text: str) -> tuple[str, str]:
    """The hashes by which a text is found again: of its form for comparison, and of the text itself.

    A row that was stored before texts were compared in one form has the second alone.
    """
    return hash_of(same_text(text)), hash_of(text)


def is_blank(text: str) -> bool:
    """Whether a text shows nothing to a reader: no character of it has ink."""
    return all(unicodedata.category(one) in _UNSEEN or _INKLESS.match(one) for one in text)


def printable(name: str) -> bool:
    """Whether the name of a scope or an actor shows all that it holds: nothing hidden, but within an emoji."""
    return _JOINED.sub("", name).isprintable()


def shown(text: str) -> str:
    """A text as it may stand on a terminal: what would steer the terminal, or cannot be seen, is replaced."""
    parts = _JOINED.split(text)
    return "".join(part if place % 2 else _replaced(part) for place, part in enumerate(parts))


def _replaced(text: str) -> str:
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
