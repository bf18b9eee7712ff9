"""Lists of words, by language."""

from collections.abc import Mapping

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
