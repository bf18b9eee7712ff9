"""Values that change: where somebody lives, when a meeting is, what something costs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

from remembrancer.language.dates.questions import spans
from remembrancer.language.terms import terms
from remembrancer.learn.reflect.statements import Statement

_NAMED: Final = r"(?P<value>[A-ZÀ-ÖØ-Þ][\w'’.-]*(?: [A-ZÀ-ÖØ-Þ][\w'’.-]*)*)"
_REST: Final = r"(?P<value>[^,.;:!?()]{2,60})"
_NOW: Final = r"(?:now |jetzt |ahora |maintenant |ora )?"
# What one has one of at a time, in five languages; the value stands after it.
_HOME: Final = (
    f"lives? {_NOW}in|(?:am|is|are|'m|'s|now) living in|resides? in|based in|(?:moved|relocated) to",
    f"wohn(?:e|t|en) {_NOW}in|leb(?:e|t|en) {_NOW}in|(?:bin|ist|sind) {_NOW}nach",
    f"viv(?:o|e|imos|en) {_NOW}en|mud(?:é|ó|amos|aron) a",
    f"habit(?:e|ons|ent) {_NOW}(?:à|en)|vi[st] {_NOW}(?:à|en)|déménagée? à",
    f"abit(?:o|a|iamo|ano) {_NOW}a|viv(?:o|e) {_NOW}a|trasferit[oaie] a",
)
_WORK: Final = (
    f"work(?:s|ing)? {_NOW}(?:at|for)|joined|employed (?:at|by)|arbeite[tn]? {_NOW}(?:bei|für)",
    f"trabaj(?:o|a) {_NOW}(?:en|para)|travaill(?:e|ons) {_NOW}(?:chez|pour)|lavor(?:o|a) {_NOW}(?:per|presso|da)",
)
_ONE: Final = (
    r"favou?rite (?:\w+ )?\w+|phone number|e-?mail(?: address)?|address|boss|manager|landlord|husband|wife",
    r"lieblings\w+|telefonnummer|adresse|chefin|chef|vermieter(?:in)?",
    r"\w+ favorit[oa]|dirección|jef[ae]|\w+ préférée?|patron(?:ne)?|\w+ preferit[oa]|indirizzo|capo",
)
_ATTRIBUTES: Final = {
    "home": re.compile(rf"\b(?i:{'|'.join(_HOME)}) {_NAMED}"),
    "work": re.compile(rf"\b(?i:{'|'.join(_WORK)}) {_NAMED}"),
    "one": re.compile(rf"\b(?P<what>{'|'.join(_ONE)}) (?:is|ist|es|est|è) {_NOW}{_REST}", re.IGNORECASE),
}
# A value that is only wished for, thought of, or past.
_UNREAL: Final = re.compile(
    r"[?¿]|\b(?:would|might|could|if|maybe|perhaps|want(?:s|ed)?|wish|hop(?:e|es|ing)|used to|thinking"
    r"|würde\w*|vielleicht|wenn|falls|möchte\w*|quizás?|si|quisiera|peut-être|voudra\w+|forse|vorrei|se)\b",
    re.IGNORECASE,
)
_PLANNED: Final = re.compile(r"\b(?:plan\w*|going to|will|werde\w*|voy a|va a|vais|va)\b", re.IGNORECASE)
_STATES: Final = re.compile(
    r"\b(?:is|are|costs?|weighs?|has|have|will be|remains?|set to|moved|changed|rescheduled|postponed|raised|lowered"
    r"|ist|sind|wird|kostet|beträgt|liegt|hat|verschoben|verlegt|geändert|es|son|está|están|cuesta|tiene|será|est|sont"
    r"|coûte|sera|reste|è|sono|costa|sarà)\b|'s\b",
    re.IGNORECASE,
)
# Words that say that something changed, and not what.
_CHANGED: Final = re.compile(
    r"\b(?:moved|changed|rescheduled|postponed|delayed|shifted|pushed back|brought forward|raised|lowered|increased"
    r"|decreased|reduced|updated|now|instead|verschoben|verlegt|geändert|vertagt|erhöht|gesenkt|jetzt|nun|stattdessen"
    r"|aplazad[oa]|movid[oa]|cambiad[oa]|pospuest[oa]|ahora|reportée?|déplacée?|décalée?|changée?|maintenant|désormais"
    r"|spostat[oa]|rinviat[oa]|cambiat[oa]|ora|adesso)\b",
    re.IGNORECASE,
)
_FIRST_PERSON: Final = re.compile(r"\b(?:i|my|we|our|ich|mein\w*|wir|mi|je|mon|ma|mio|mia)\b", re.IGNORECASE)
_AMOUNT: Final = re.compile(r"(?<![\w.,/:-])\d+(?:[.,]\d+)*(?![\w/:-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What a statement gives a value to, and the value.

    Args:
        holds_until: the day after which another value is another event and no change; `""` where there is none.
    """

    key: tuple[str, ...]
    value: str
    holds_until: str = ""


def slots(statement: Statement) -> Iterator[Assignment]:
    """The values that a statement gives, of those that something has one of at a time."""
    text = statement.text
    if _UNREAL.search(text):
        return
    tongue = statement.tongue
    if not _PLANNED.search(text):
        yield from _attributes(statement, tongue)
    if _STATES.search(text):
        yield from _stated(statement, tongue)


def _attributes(statement: Statement, tongue: str) -> Iterator[Assignment]:
    for name, pattern in _ATTRIBUTES.items():
        if found := pattern.search(statement.text):
            head = _CHANGED.sub(" ", statement.text[: found.start()])
            subject = _stems(head, tongue)
            if not subject or _FIRST_PERSON.search(head):
                subject |= _stems(statement.speaker, tongue, whole=True)
            what = _stems(found["what"], tongue) if name == "one" else frozenset[str]()
            yield Assignment(key=(name, *sorted(what), "of", *sorted(subject)), value=found["value"].strip().casefold())


def _stated(statement: Statement, tongue: str) -> Iterator[Assignment]:
    """The one day, and the one amount, that a statement gives to what it speaks of."""
    said = datetime.fromisoformat(statement.until).replace(tzinfo=UTC)
    found = spans(statement.text, now=said)
    rest = _CHANGED.sub(" ", statement.text)
    for span in found:
        rest = rest.replace(span.phrase, " ")
    days = tuple(span.start.date().isoformat() for span in found)
    amounts = tuple(_AMOUNT.findall(rest))
    about = _stems(_AMOUNT.sub(" ", rest), tongue)
    if not about:
        return
    topic = (statement.speaker.casefold(), *sorted(about))
    if len(days) == 1 and date.fromisoformat(days[0]) >= said.date():
        yield Assignment(key=("day", *topic, *amounts), value=days[0], holds_until=days[0])
    if len(amounts) == 1:
        yield Assignment(key=("amount", *topic, *days), value=amounts[0])


def _stems(text: str, tongue: str, *, whole: bool = False) -> frozenset[str]:
    return frozenset(_stemmed(text, tongue, whole=whole))


@lru_cache(maxsize=20_000)
def _stemmed(text: str, tongue: str, *, whole: bool) -> tuple[str, ...]:
    """The stems that tell something; with `whole` the stop words as well, since a name may look like one."""
    return tuple(term.stem for term in terms(text, tongue) if whole or term.kind not in ("stop", "common"))
