"""How an insight is worded in each language, and how such wording is read again when it is reflected on once more."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from remembrancer.language.tables import LANGUAGES, table

_DAY: Final = r"\d{4}-\d\d-\d\d"
# Who spoke, as observers write it before what they said.
SPEAKER: Final = r"[^\s:.!?()][^:.!?()\n]{0,39}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The few words that a reflector adds to what was said."""

    on: str
    said: str
    said_in_a_day: str
    before: str
    also: str
    also_in_a_day: str


@cache
def phrases_of(language: str) -> Phrases:
    """Return the phrases of a language."""
    return Phrases(**table("reflections")[language])


def _any(*names: str) -> str:
    """What matches one of these phrases in any of the languages."""
    phrases = (re.escape(getattr(wording, name)) for wording in map(phrases_of, LANGUAGES) for name in names)
    return (
        "|".join(phrases)
        .replace(r"\{times\}", r"\d{1,9}")
        .replace(r"\{since\}", _DAY)
        .replace(r"\{until\}", _DAY)
        .replace(r"\{day\}", _DAY)
    )


@cache
def date_pattern() -> re.Pattern[str]:
    """Return the pattern of the day that a sentence of a reflection may begin with, in any language."""
    return re.compile(rf"(?:^|(?<=[.!?…)]\s))(?P<on>{_any('on')})(?: (?P<speaker>{SPEAKER}))?: ")


@cache
def repetition_pattern() -> re.Pattern[str]:
    """Return the pattern of the number of times that something was repeated, in any language."""
    return re.compile(rf"(?P<said>{_any('said', 'said_in_a_day')}): (?:(?P<speaker>{SPEAKER}): )?")


@cache
def previous_value_pattern() -> re.Pattern[str]:
    """Return the pattern of the older value at the end of a reflection, in any language."""
    return re.compile(rf"\s*\((?P<before>(?:{_any('before')}): [^()]*)\)$")


DAYS: Final = re.compile(_DAY)
NUMBER: Final = re.compile(r"(?<![\d-])\d{1,9}(?![\d-])")


def between(phrase: str, phrase_in_a_day: str, since: str, until: str, times: int = 0) -> str:
    """A phrase about a stretch of days, or about the one day that it is."""
    return (phrase if since != until else phrase_in_a_day).format(times=times, since=since, until=until)
