"""The compiled stemmer and the one in Python come to the same stems."""

from importlib import import_module

import pytest

from remembrancer.language import stems
from remembrancer.language.tables import LANGUAGES
from remembrancer.language.words import stop_words

WORDS = ("running", "nationally", "häuser", "größte", "corriendo", "canción", "nationalité", "andavano", "x", "2026")


def test_the_compiled_stemmer_stems_as_the_one_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("Stemmer")
    for language in LANGUAGES:
        compiled = import_module("Stemmer").Stemmer(language).stemWord
        monkeypatch.setattr(stems, "_is_compiled", lambda: False)
        words = [*WORDS, *sorted(stop_words()[language])]
        in_python = stems._stemmer(language)  # pyright: ignore[reportPrivateUsage]
        assert [compiled(word) for word in words] == [in_python(word) for word in words]


def test_a_compiled_stemmer_of_another_release_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    releases = {"PyStemmer": "2.2.0.3", "snowballstemmer": "3.1.1"}
    monkeypatch.setattr(stems, "version", releases.__getitem__)
    stems._is_compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
    try:
        assert not stems._is_compiled()  # pyright: ignore[reportPrivateUsage]
    finally:
        stems._is_compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
        # An event loop that stems later may not wait for files.
        monkeypatch.undo()
        stems._is_compiled()  # pyright: ignore[reportPrivateUsage]
