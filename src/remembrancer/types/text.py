"""Stored text: characters, normalised names, token counts and JSON."""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NewType, TypeVar, cast

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_characters

T = TypeVar("T")

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u231a-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]?"
)
# Joined signs, such as a family, and the flags of regions, which consist of invisible letters.
_JOINED = re.compile(f"(\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f|{_PICTURE}(?:\u200d{_PICTURE})*)")
# Invisible letters and marks: fillers, the blank of Braille, joiners and variation selectors.
_INKLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
_LINE_END = re.compile("\r\n?|[\u2028\u2029\u0085]")


def same_name(name: str) -> str:
    """Return the normalised form of a name, key or tag: composed Unicode (NFC)."""
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def same_value(value: T) -> T | str:
    """Return a value for comparison: a string is normalised, other values are unchanged."""
    return same_name(value) if isinstance(value, str) else value


def same_text(text: str) -> str:
    """Return a text for comparison: composed Unicode, line feeds, no surrounding white space."""
    return same_name(_LINE_END.sub("\n", text)).strip()


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text, hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def hashes_of(text: str) -> tuple[str, str]:
    """Return the hashes of a text for deduplication: of its normalised form, and of the text itself.

    Old rows have only the second one.
    """
    return hash_of(same_text(text)), hash_of(text)


def is_blank(text: str) -> bool:
    """Return True if a text has no visible character."""
    return all(unicodedata.category(one) in _UNSEEN or _INKLESS.match(one) for one in text)


def printable(name: str) -> bool:
    """Return True if a name has no invisible characters, except within an emoji."""
    return _JOINED.sub("", name).isprintable()


def shown(text: str) -> str:
    """Return a text for a terminal: control and invisible characters are replaced by U+FFFD."""
    parts = _JOINED.split(text)
    return "".join(part if place % 2 else _replaced(part) for place, part in enumerate(parts))


def _replaced(text: str) -> str:
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)


Tokens = NewType("Tokens", int)
ESTIMATOR = "estimate-1"
_LATIN_CHARACTERS_A_TOKEN = 3.6


class Estimate:
    """A token counter that estimates by length."""

    name = ESTIMATOR
    exact = False
    margin = 1.0

    def count(self, text: str) -> Tokens:
        """Return the estimated tokens of a text."""
        return estimate(text)

    def counts(self, texts: Sequence[str]) -> list[Tokens]:
        """Return the estimated tokens of each text, in order."""
        return [estimate(text) for text in texts]


def estimate(text: str) -> Tokens:
    """Return the estimated tokens of a text: slightly too many for English, one per character for CJK scripts."""
    wide = sum(character > "\u2e80" for character in text)
    return Tokens(wide + math.ceil((len(text) - wide) / _LATIN_CHARACTERS_A_TOKEN))


ESTIMATE = Estimate()


MAX_METADATA_BYTES = 1024 * 1024


def check_json(value: object, *, what: str, most: int) -> None:
    """Check that a value can be written as JSON within a number of bytes.

    Raises:
        InvalidInput: it cannot.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        is_valid = _has_string_names(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} cannot be written as JSON: {error}") from error
    if not is_valid:
        raise InvalidInput(f"every name in {what} must be a str")
    size = len(check_characters(text.replace("\\u0000", "\0"), what=what).encode())
    if size > most:
        raise InvalidInput(f"{what} has {size} bytes as JSON; at most {most} are allowed")


def _has_string_names(value: object) -> bool:
    """Return True if all names in a JSON value are strings; JSON would convert other names."""
    match value:
        case Mapping():
            items = cast(Mapping[object, object], value)
            return all(isinstance(name, str) and _has_string_names(item) for name, item in items.items())
        case list() | tuple():
            return all(map(_has_string_names, cast(Sequence[object], value)))
        case _:
            return True
