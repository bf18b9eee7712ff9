"""Whether a query is in another language than the memories: its words then say nothing of what they hold."""

from enum import StrEnum
from typing import Final

from remembrancer.language.analysis import is_unspaced, stem_of, words_of
from remembrancer.language.words import language_of, stop_words
from remembrancer.storage.tx import Tx

# Common words that no other of our languages has.
_TYPICAL: Final = {
    "english": ("the", "and", "of", "to", "you", "with"),
    "german": ("der", "und", "ich", "nicht", "das", "mit"),
    "spanish": ("los", "y", "el", "por", "las", "con"),
    "french": ("les", "et", "dans", "pour", "vous", "est"),
    "italian": ("di", "il", "che", "per", "della", "sono"),
}
# So many memories hold one of them, where any are in that language.
_LEAST_SHARE: Final = 0.05


class Language(StrEnum):
    """How the language of a query is to that of the memories."""

    SAME = "same"
    OTHER = "other"
    OTHER_SCRIPT = "other_script"


async def language_of_query(tx: Tx, text: str) -> Language:
    """Return how the language of a query is to that of the memories that the transaction sees.

    A query that is none of our languages, or not telling, is taken for one of the memories' own where these are not in
    ours either.
    """
    documents = sum(shard.documents for shard in await tx.text_index.statistics())
    terms = {stem_of(word, language): language for language, words in _TYPICAL.items() for word in words}
    shares = dict.fromkeys(_TYPICAL, 0.0)
    for (_, term), count in (await tx.text_index.frequencies(sorted(terms))).items():
        shares[terms[term]] += count / max(1, documents) / len(_TYPICAL["english"])
    most = max(shares.values())
    if is_unspaced(text):
        return Language.OTHER_SCRIPT if most >= _LEAST_SHARE else Language.SAME
    words = words_of(text)
    language = language_of(words)
    if most < _LEAST_SHARE:
        return Language.SAME if stop_words()[language].isdisjoint(words) else Language.OTHER_SCRIPT
    return Language.SAME if 2 * shares[language] >= most else Language.OTHER
