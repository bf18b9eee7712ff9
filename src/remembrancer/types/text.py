"""Text as the stores keep it: characters, names that compare equal, tokens, JSON."""

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


Tokens = NewType("Tokens", int)
ESTIMATOR = "estimate-1"
_LATIN_CHARACTERS_A_TOKEN = 3.6


class Estimate:
    """A count by length alone; see `ports.tokens`."""

    name = ESTIMATOR
    exact = False
    margin = 1.0

    def count(self, text: str) -> Tokens:
        """How many tokens a text may have."""
        return estimate(text)

    def counts(self, texts: Sequence[str]) -> list[Tokens]:
        """How many tokens each of some texts may have."""
        return [estimate(text) for text in texts]


def estimate(text: str) -> Tokens:
    """An estimate of a text's tokens: a little over the truth for English, one a character for scripts like Chinese."""
    wide = sum(character > "\u2e80" for character in text)
    return Tokens(wide + math.ceil((len(text) - wide) / _LATIN_CHARACTERS_A_TOKEN))


ESTIMATE = Estimate()


MAX_METADATA_BYTES = 16 * 1024


def check_json(value: object, *, what: str, most: int) -> None:
    """Check that a value can be written as JSON within a number of bytes.

    Raises:
        InvalidInput: it cannot; the message names what to change.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        named = _named_by_texts(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} cannot be written as JSON: {error}") from error
    if not named:
        raise InvalidInput(f"every name in {what} must be a str")
    size = len(check_characters(text.replace("\\u0000", "\0"), what=what).encode())
    if size > most:
        raise InvalidInput(f"{what} has {size} bytes as JSON; at most {most} are allowed")


def _named_by_texts(value: object) -> bool:
    """Return True if every name of every mapping in a JSON value is a text; JSON would convert any other name."""
    match value:
        case Mapping():
            items = cast(Mapping[object, object], value)
            return all(isinstance(name, str) and _named_by_texts(item) for name, item in items.items())
        case list() | tuple():
            return all(map(_named_by_texts, cast(Sequence[object], value)))
        case _:
            return True
