"""The tables of words: every language has all of them, and finds each however it is typed."""

import pytest

from remembrancer.language.calendar import counted_units, month_names, months, units, weekday_names, weekdays
from remembrancer.language.numbers import counts, number_words
from remembrancer.language.spelling import bare, folded
from remembrancer.language.tables import LANGUAGES as TABLES
from remembrancer.language.words import language_of
from tests.rows import each_row

LANGUAGES = sorted(TABLES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_a_whole_calendar(language: str) -> None:
    assert sorted(set(months()[language].values())) == list(range(1, 13))
    assert len(month_names()[language]) == 12
    assert [weekdays()[name.lower()] for name in weekday_names()[language]] == list(range(7))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_month_is_found_however_it_is_typed(language: str) -> None:
    for number, name in enumerate(month_names()[language], 1):
        assert months()[language][name.lower()] == months()[language][folded(name)] == number


def test_a_unit_is_known_in_one_and_in_several() -> None:
    assert set(units()) < set(counted_units())
    assert {counted_units()[word] for word in ["days", "tagen", "dias", "jours", "giorni"]} == {"day"}


@each_row(
    "language, word, number",
    [
        ("english", "twelve", 12),
        ("german", "zwoelf", 12),
        ("german", "zweiundvierzig", 42),
        ("spanish", "veintitres", 23),
        ("french", "quatre", 4),
        ("italian", "ventuno", 21),
    ],
)
def test_a_word_counts_what_it_says(language: str, word: str, number: int) -> None:
    assert number_words()[language][word] == number


def test_what_stands_before_a_noun_counts_up_to_twelve() -> None:
    assert set(counts().values()) == set(range(1, 13))
    assert counts()["zwölf"] == counts()["zwoelf"] == counts()["doce"] == 12
    assert counts()["una"] == counts()["an"] == 1


def test_a_word_is_folded_as_a_keyboard_without_accents_writes_it() -> None:
    assert folded("Übermüdung") == "uebermuedung"
    assert folded("déjà") == bare("déjà") == "deja"
    assert bare("größe") == "große"


def test_a_language_shows_by_its_common_words_and_is_else_what_is_around() -> None:
    assert language_of(["das", "ist", "nicht", "der", "weg"]) == "german"
    assert language_of(["pizza"]) == "english"
    assert language_of(["pizza"], otherwise="italian") == "italian"
    assert language_of(["der"], beyond=1) == "english"
