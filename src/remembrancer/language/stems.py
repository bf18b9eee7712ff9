"""Stems of words. A stemmer keeps the word it works on, so that two threads with one would mix their words up."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from threading import local

from remembrancer.language.tables import LANGUAGES


class _Stemmers(local):
    """A thread's own, one for each language."""

    def __init__(self) -> None:
        self.by_language = {language: _stemmer(language) for language in LANGUAGES}


def _stemmer(language: str) -> Callable[[str], str]:
    if _is_compiled():
        return import_module("Stemmer").Stemmer(language).stemWord
    # Not `snowballstemmer.stemmer`, which prefers a compiled stemmer of any installed release.
    module = import_module(f"snowballstemmer.{language}_stemmer")
    return getattr(module, f"{language.capitalize()}Stemmer")().stemWord


@cache
def _is_compiled() -> bool:
    """Return True if PyStemmer is installed in the same release: equal stems, thirty times as fast."""
    try:
        return version("PyStemmer").split(".")[:2] == version("snowballstemmer").split(".")[:2]
    except PackageNotFoundError:
        return False


_stemmers = _Stemmers()


def stem(word: str, language: str) -> str:
    """Return a word without its ending, in one of the languages of `LANGUAGES`."""
    return _stemmers.by_language[language](word)
