"""Months, weekdays and lengths of time, as they are written."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from remembrancer.language.spelling import spellings

Unit: TypeAlias = Literal["day", "week", "weekend", "month", "quarter", "year"]


def _names(rows: dict[str, str]) -> dict[str, tuple[str, ...]]:
    return {language: tuple(row.split()) for language, row in rows.items()}


MONTH_NAMES: Final = _names(
    {
        "english": "January February March April May June July August September October November December",
        "german": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "french": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "italian": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    }
)
"""By language, January first, with the capitals that the language gives them."""

WEEKDAY_NAMES: Final = _names(
    {
        "english": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "german": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "spanish": "lunes martes miércoles jueves viernes sábado domingo",
        "french": "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "italian": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    }
)
"""By language, Monday first, with the capitals that the language gives them."""

_OTHER_MONTHS: Final = {"german": {"jänner": 1, "feber": 2}, "spanish": {"setiembre": 9}}
_OTHER_WEEKDAYS: Final = {"german": {"sonnabend": 5}}


def _numbered(names: Sequence[str], others: dict[str, int], first: int) -> dict[str, int]:
    numbers = {name: number for number, name in enumerate(names, first)} | others
    return {spelt: number for name, number in numbers.items() for spelt in spellings(name)}


MONTHS: Final = {
    language: _numbered(names, _OTHER_MONTHS.get(language, {}), 1) for language, names in MONTH_NAMES.items()
}
"""By language: the number of each month, January is 1, by every spelling of its name in lower case."""

MONTH_NUMBERS: Final = {name: number for names in MONTHS.values() for name, number in names.items()}
"""The number of each month by every spelling of its name in any of the languages."""

SHORT_MONTHS: Final = {
    "jan": 1, "feb": 2, "mar": 3, "mär": 3, "mrz": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9,
    "okt": 10, "oct": 10, "nov": 11, "dez": 12, "dec": 12,
}  # fmt: skip
"""The number of each month by what it is shortened to in English and German, in lower case."""

ANY_MONTH: Final = "|".join(sorted((name for name in MONTH_NUMBERS if len(name) > 2), key=len, reverse=True))
"""A pattern of the names of months in all the languages, in lower case, the longest first."""

WEEKDAYS: Final = {
    name: number
    for language, names in WEEKDAY_NAMES.items()
    for name, number in _numbered(names, _OTHER_WEEKDAYS.get(language, {}), 0).items()
}
"""The number of each weekday of any language, Monday is 0, by every spelling of its name in lower case."""

_UNITS: Final[dict[Unit, tuple[str, str]]] = {
    "day": ("day tag día jour giorno", "days tage tagen días jours giorni"),
    "week": ("week woche semana semaine settimana", "weeks wochen semanas semaines settimane"),
    "weekend": ("weekend wochenende", ""),
    "month": ("month monat mes mois mese", "months monate monaten monats meses mesi"),
    "quarter": ("quarter quartal trimestre", ""),
    "year": ("year jahr año an année anno", "years jahre jahren años ans années anni"),
}


def _lengths(at: int) -> dict[str, Unit]:
    return {spelt: unit for unit, forms in _UNITS.items() for word in forms[at].split() for spelt in spellings(word)}


UNITS: Final = _lengths(0)
"""The lengths of time that are named of any language, in lower case and one of each."""

COUNTED_UNITS: Final = UNITS | _lengths(1)
"""`UNITS`, and what several of them are called."""
