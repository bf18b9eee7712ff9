"""Lists of words by language, and the language of a text, recognised by its commonest words."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from remembrancer.language.tables import word_list, words_by_language


def stop_words() -> Mapping[str, frozenset[str]]:
    """Return the words of each language that are too common to ask for."""
    return words_by_language("words", "stop")


def common_words() -> Mapping[str, frozenset[str]]:
    """Return the words of each language that carry little in any talk."""
    return words_by_language("words", "common")


def abbreviations() -> frozenset[str]:
    """Return the words behind which a full stop ends no sentence."""
    return word_list("words", "abbreviations")


ENGLISH: Final = "english"


def language_of(words: Iterable[str], *, otherwise: str = ENGLISH, beyond: int = 0) -> str:
    """Return the language in which most of a text's words are stop words.

    Args:
        words: in lower case.
        otherwise: the result if no language has more than the others.
        beyond: the number of stop words that are not enough.
    """
    occurrences = Counter(words)
    shared = _all_stop_words().intersection(occurrences)
    counts = {language: sum(map(occurrences.__getitem__, shared & common)) for language, common in stop_words().items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > max(beyond, counts[otherwise]) else otherwise


@cache
def _all_stop_words() -> frozenset[str]:
    return frozenset[str]().union(*stop_words().values())
