"""Names in a text: runs of capitalised words, and the title before a colon, without a model.

The text alone decides. Whether a single capitalised word is a name, or only began a sentence, is left to the reader of
the index, who knows how often the scope writes it in small letters.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from remembrancer.language.calendar import month_numbers, short_months, weekdays
from remembrancer.language.tables import word_list
from remembrancer.language.words import ENGLISH, common_words, language_of, stop_words

LONGEST_NAME: Final = 8
"""Words of the longest name."""
_MOST_NAMES: Final = 200
_LONGEST_TEXT: Final = 20_000
_MOST_WORDS: Final = 100
_TITLE: Final = re.compile(r"\s*(?=\w)([^:\n.!?]{2,80}?)\s*(?:\(([^()\n]{1,40})\)\s*)?:\s")
SHORT_FORM: Final = re.compile(r"['’](?:m|s|t|d|ll|re|ve)$", re.IGNORECASE)
"""A short form of a verb, or a possessive, at the end of a word."""
_WORDS: Final = re.compile(r"[^\W_]+")
_INNER: Final = word_list("words", "inside_names")
_MAYBE_GERMAN: Final = re.compile(r"\b(?:der|die|das|und|ist|nicht|ich)\b")
_ADJECTIVE_ENDINGS: Final = ("e", "en", "er", "es", "em")
_BEFORE_NAMES: Final = word_list("words", "before_names")
_AND: Final = word_list("words", "between_names")
_CAPITALS: Final = "".join(chr(code) for code in range(0x530) if chr(code).isupper())
# A full stop ends a name, unless it is behind an initial or a title.
_CAPITALISED: Final = rf"(?:[{_CAPITALS}]\.|(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr)\.|[{_CAPITALS}][^\W_]*(?:['’-][^\W_]+)*)"
_NEXT: Final = rf"(?:{_CAPITALISED}|\d[^\W_]*)"
NAME_PATTERN: Final = rf"(?<![\w'’-]){_CAPITALISED}(?:[ ](?:(?:{'|'.join(sorted(_INNER))})[ ]){{0,3}}{_NEXT})*"
"""The expression of one name."""
_RUN: Final = re.compile(
    rf"(?<![\w'’-]){_CAPITALISED}(?:[ ](?:(?:{'|'.join(sorted(_INNER | _AND))})[ ]){{0,3}}{_NEXT})*"
)


def names_of(text: str) -> list[str]:
    """Return the names in a text as they are compared, each once: words in small letters with single spaces.

    Of `Chow Yun-fat and Cora Miao` both names and the whole are returned, since a title may be written so.
    """
    found = dict.fromkeys(_named(text[:_LONGEST_TEXT]))
    return list(found)[:_MOST_NAMES]


def named(words: str) -> str:
    """Return a name as it is compared."""
    return " ".join(_WORDS.findall(words.casefold()))


def runs_of(question: str) -> list[list[str]]:
    """Return every run of words of a question that may be a name, by its first word, the longest first.

    Of a long question the first hundred words are read.
    """
    words = _WORDS.findall(question.casefold())[:_MOST_WORDS]
    return [
        [" ".join(words[start:end]) for end in range(min(len(words), start + LONGEST_NAME), start, -1)]
        for start in range(len(words))
    ]


def _named(text: str) -> Iterator[str]:
    yield from _titles(text)
    is_german = _MAYBE_GERMAN.search(text) is not None and language_of(_WORDS.findall(text.casefold())) == "german"
    for found in _RUN.finditer(text):
        run = found[0].split(" ")
        while run and is_common(run[0]):
            run.pop(0)
        # Miami and I.
        while run[-2:-1] and run[-1] == "I" and run[-2] in _AND:
            del run[-2:]
        if is_german and len(run) == 1 and _is_noun(run[0], found[0], text[: found.start()]):
            continue
        yield from _checked(run)
        for place, word in enumerate(run):
            if word in _AND:
                yield from _checked(run[:place])
                yield from _checked(run[place + 1 :])


def _is_noun(word: str, run: str, before: str) -> bool:
    """Return whether a capitalised German word is a noun and no name: behind an article or an adjective."""
    last = before[-30:].rstrip(" ").rpartition(" ")[2]
    return run != word or (
        last.islower() and last not in _BEFORE_NAMES and (last in _no_names() or last.endswith(_ADJECTIVE_ENDINGS))
    )


def _titles(text: str) -> Iterator[str]:
    """Yield the title of a note, as written, and without what follows a comma or is in brackets."""
    if title := _TITLE.match(text):
        for part in (f"{title[1]} {title[2] or ''}", title[1], title[1].partition(",")[0]):
            words = _WORDS.findall(part)
            if words and len(words) <= LONGEST_NAME and words[0][0].isupper():
                yield from _checked(words)


def _checked(words: Sequence[str]) -> Iterator[str]:
    name = named(" ".join(SHORT_FORM.sub("", word) for word in words[:LONGEST_NAME]))
    parts = name.split()
    if len(name) > 1 and not all(part.isdigit() or part in _no_parts() for part in parts):
        yield name


def is_common(word: str) -> bool:
    """Return whether a word is too common to begin a name."""
    small = word.casefold()
    return small in _no_names() or SHORT_FORM.sub("", small) in _no_names()


@cache
def _no_parts() -> frozenset[str]:
    """Return the words of which alone no name consists."""
    return _no_names() | _INNER | _AND


@cache
def _no_names() -> frozenset[str]:
    """Return the words that are no name by themselves: the commonest ones, articles, months and weekdays.

    The commonest words of other languages are names in English: Ed, Al, Di.
    """
    common = stop_words()[ENGLISH] | stop_words()["german"] | word_list("words", "articles")
    talk = common_words()[ENGLISH] | common_words()["german"]
    dates = frozenset(month_numbers()) | frozenset(short_months()) | frozenset(weekdays())
    return common | talk | dates | {f"{day}s" for day in weekdays()}
