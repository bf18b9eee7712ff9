"""How an insight is worded in each language, and how such wording is read again when it is reflected on once more."""

import re
from dataclasses import dataclass
from typing import Final

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


WORDINGS: Final = {
    "english": Phrases(
        on="On {day}",
        said="Said {times} times between {since} and {until}",
        said_in_a_day="Said {times} times on {until}",
        before="Before, on {day}",
        also="Also spoken of between {since} and {until}",
        also_in_a_day="Also spoken of on {until}",
    ),
    "german": Phrases(
        on="Am {day}",
        said="{times} Mal gesagt zwischen {since} und {until}",
        said_in_a_day="{times} Mal gesagt am {until}",
        before="Davor, am {day}",
        also="Auch erwähnt zwischen {since} und {until}",
        also_in_a_day="Auch erwähnt am {until}",
    ),
    "spanish": Phrases(
        on="El {day}",
        said="Dicho {times} veces entre {since} y {until}",
        said_in_a_day="Dicho {times} veces el {until}",
        before="Antes, el {day}",
        also="También mencionado entre {since} y {until}",
        also_in_a_day="También mencionado el {until}",
    ),
    "french": Phrases(
        on="Le {day}",
        said="Dit {times} fois entre {since} et {until}",
        said_in_a_day="Dit {times} fois le {until}",
        before="Avant, le {day}",
        also="Mentionné aussi entre {since} et {until}",
        also_in_a_day="Mentionné aussi le {until}",
    ),
    "italian": Phrases(
        on="Il {day}",
        said="Detto {times} volte tra {since} e {until}",
        said_in_a_day="Detto {times} volte il {until}",
        before="Prima, il {day}",
        also="Menzionato anche tra {since} e {until}",
        also_in_a_day="Menzionato anche il {until}",
    ),
}


def _any(*names: str) -> str:
    """What matches one of these phrases in any of the languages."""
    phrases = (re.escape(getattr(wording, name)) for wording in WORDINGS.values() for name in names)
    return (
        "|".join(phrases)
        .replace(r"\{times\}", r"\d{1,9}")
        .replace(r"\{since\}", _DAY)
        .replace(r"\{until\}", _DAY)
        .replace(r"\{day\}", _DAY)
    )


# The phrases that a reflection may begin with or hold, in any of the languages.
DATED: Final = re.compile(rf"(?:^|(?<=[.!?…)]\s))(?P<on>{_any('on')})(?: (?P<speaker>{SPEAKER}))?: ")
COUNTED: Final = re.compile(rf"(?P<said>{_any('said', 'said_in_a_day')}): (?:(?P<speaker>{SPEAKER}): )?")
BEFORE: Final = re.compile(rf"\s*\((?P<before>(?:{_any('before')}): [^()]*)\)$")
DAYS: Final = re.compile(_DAY)
NUMBER: Final = re.compile(r"(?<![\d-])\d{1,9}(?![\d-])")


def between(phrase: str, phrase_in_a_day: str, since: str, until: str, times: int = 0) -> str:
    """A phrase about a stretch of days, or about the one day that it is."""
    return (phrase if since != until else phrase_in_a_day).format(times=times, since=since, until=until)
