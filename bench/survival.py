"""What of a gold answer still stands in a text: its key terms, matched by stem and by number."""

import re
import unicodedata
from functools import lru_cache

from remembrancer.language.stems import stem
from remembrancer.language.words import stop_words

_STOP = stop_words()["english"]
_TERM = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
}


def terms(text: str) -> frozenset[str]:
    """The content words of a text as stems, and its numbers as digits; a date as its day, month and year."""
    text = _ISO.sub(_spelt, unicodedata.normalize("NFKC", text).casefold())
    return frozenset(_term(word) for word in _TERM.findall(text) if word not in _STOP and _term(word))


def _spelt(date: re.Match[str]) -> str:
    month = int(date[2])
    return f"{int(date[3])} {_MONTHS[month - 1]} {date[1]}" if 1 <= month <= 12 else date[0]


@lru_cache(maxsize=200_000)
def _term(word: str) -> str:
    if word[0].isdigit():
        number = word.replace(",", "")
        return number.lstrip("0") or "0"
    if word in _NUMBERS:
        return _NUMBERS[word]
    return stem(word, "english") if len(word) > 1 else ""
