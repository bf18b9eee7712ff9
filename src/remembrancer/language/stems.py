"""Stems of words. A stemmer keeps the word it works on, so that two threads with one would mix their words up."""

from collections.abc import Callable
from threading import local
from typing import Any, cast

from snowballstemmer import stemmer as _untyped_stemmer  # pyright: ignore[reportUnknownVariableType]

from remembrancer.language.stopwords import STOP_WORDS

_stemmer = cast(Callable[[str], Any], _untyped_stemmer)


class _Stemmers(local):
    """A thread's own, one for each language."""

    def __init__(self) -> None:
        self.by_language = {language: _stemmer(language) for language in STOP_WORDS}


_stemmers = _Stemmers()


def stem(word: str, language: str) -> str:
    """A word without its ending, in one of the languages of `STOP_WORDS`."""
    return str(_stemmers.by_language[language].stemWord(word))
