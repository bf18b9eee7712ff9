"""How words are written: folded for comparing, and in scripts that part no words."""

import unicodedata
from functools import lru_cache
from typing import Final

UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
)
"""Scripts without spaces between words, as the inside of a character class."""

_SPELT_OUT: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "ı": "i", "đ": "d"}
)


@lru_cache(maxsize=50_000)
def bare(word: str) -> str:
    """Return a word without accents, which people omit when they type; umlauts lose their dots."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(part for part in parts if not unicodedata.combining(part))) or word


@lru_cache(maxsize=50_000)
def folded(word: str) -> str:
    """Return a word as typed without accents: lower case, umlauts spelt out ("ae"), no accents."""
    spelt = unicodedata.normalize("NFC", word.casefold()).translate(_SPELT_OUT)
    return "".join(letter for letter in unicodedata.normalize("NFD", spelt) if not "\u0300" <= letter <= "\u036f")


def spellings(word: str) -> tuple[str, ...]:
    """Return a word of a list in lower case, as it should be written and folded."""
    return tuple(dict.fromkeys((word.lower(), folded(word))))
