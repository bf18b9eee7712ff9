"""Months, weekdays and lengths of time, as they are written."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal, TypeAlias

from remembrancer.language.spelling import spellings
from remembrancer.language.tables import LANGUAGES, table

Unit: TypeAlias = Literal["day", "week", "weekend", "month", "quarter", "year"]


@cache
def month_names() -> Mapping[str, Sequence[str]]:
    """Return the names of months by language, January first, with the capitals of the language."""
    return {language: names.split() for language, names in table("calendar")["months"].items()}


@cache
def weekday_names() -> Mapping[str, Sequence[str]]:
    """Return the names of weekdays by language, Monday first, with the capitals of the language."""
    return {language: names.split() for language, names in table("calendar")["weekdays"].items()}


@cache
def months() -> Mapping[str, Mapping[str, int]]:
    """Return the number of each month by language and by every spelling in lower case; January is 1."""
    return {language: _numbered(month_names()[language], "other_months", language, 1) for language in LANGUAGES}


@cache
def month_numbers() -> Mapping[str, int]:
    """Return the number of each month by every spelling of its name in any language."""
    return {name: number for names in months().values() for name, number in names.items()}


def short_months() -> Mapping[str, int]:
    """Return the number of each month by its short forms in English and German, in lower case."""
    return table("calendar")["short_months"]


@cache
def any_month() -> str:
    """Return a pattern of the names of months in all languages, in lower case, the longest first."""
    return "|".join(sorted((name for name in month_numbers() if len(name) > 2), key=len, reverse=True))


@cache
def weekdays() -> Mapping[str, int]:
    """Return the number of each weekday of any language by every spelling in lower case; Monday is 0."""
    return {
        name: number
        for language in LANGUAGES
        for name, number in _numbered(weekday_names()[language], "other_weekdays", language, 0).items()
    }


@cache
def any_weekday() -> str:
    """Return a pattern of the names of weekdays in all languages, in lower case, the longest first."""
    return "|".join(sorted(weekdays(), key=len, reverse=True))


@cache
def units() -> Mapping[str, Unit]:
    """Return the lengths of time by their names in the singular, in lower case."""
    return _lengths(0)


@cache
def counted_units() -> Mapping[str, Unit]:
    """Return the lengths of time by their names in the singular and in the plural, in lower case."""
    return {**units(), **_lengths(1)}


def _numbered(names: Sequence[str], others: str, language: str, first: int) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(names, first)} | table("calendar")[others].get(language, {})
    return {spelt: number for name, number in numbers.items() for spelt in spellings(name)}


def _lengths(form: int) -> dict[str, Unit]:
    names: Mapping[Unit, Sequence[str]] = table("calendar")["units"]
    return {spelt: unit for unit, forms in names.items() for word in forms[form].split() for spelt in spellings(word)}
