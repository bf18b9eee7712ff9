"""The match of a query's language with the memories' language.

In another language the words of a query do not occur in the memories.
"""

from enum import StrEnum
from typing import Final

from remembrancer.language.analysis import is_unspaced, stem_of, words_of
from remembrancer.language.words import language_of, stop_words
from remembrancer.storage.tx import Tx

# Common words that occur in one of the supported languages only.
_TYPICAL: Final = {
    "english": ("the", "and", "of", "to", "you", "with"),
    "german": ("der", "und", "ich", "nicht", "das", "mit"),
    "spanish": ("los", "y", "el", "por", "las", "con"),
    "french": ("les", "et", "dans", "pour", "vous", "est"),
    "italian": ("di", "il", "che", "per", "della", "sono"),
}
# The share of memories with one of these words, if any memory is in the language.
_LEAST_SHARE: Final = 0.05


class LanguageMatch(StrEnum):
    """The match of a query's language with the memories' language."""

    SAME = "same"
    OTHER = "other"
    OTHER_SCRIPT = "other_script"


async def match_language(tx: Tx, text: str) -> LanguageMatch:
    """Return the match of a query's language with the visible memories'.

    A query in an unknown language, or too short to detect it, matches if the memories are not in a supported language
    either.
    """
    documents = sum(one.documents for one in await tx.text_index.statistics())
    terms = {stem_of(word, language): language for language, words in _TYPICAL.items() for word in words}
    shares = dict.fromkeys(_TYPICAL, 0.0)
    for (_, term), count in (await tx.text_index.frequencies(sorted(terms))).items():
        shares[terms[term]] += count / max(1, documents) / len(_TYPICAL["english"])
    largest = max(shares.values())
    if is_unspaced(text):
        return LanguageMatch.OTHER_SCRIPT if largest >= _LEAST_SHARE else LanguageMatch.SAME
    words = words_of(text)
    language = language_of(words)
    if largest < _LEAST_SHARE:
        return LanguageMatch.SAME if stop_words()[language].isdisjoint(words) else LanguageMatch.OTHER_SCRIPT
    return LanguageMatch.SAME if 2 * shares[language] >= largest else LanguageMatch.OTHER
