"""Values that change: where somebody lives, when a meeting is, what something costs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final

from remembrancer.language.dates.questions import spans
from remembrancer.language.tables import Patterns
from remembrancer.language.terms import terms
from remembrancer.learn.reflect.statements import Statement

_CUES: Final = Patterns("values")
_CASED: Final = Patterns("values", flags=re.NOFLAG)
_ATTRIBUTES: Final = ("home", "work", "one")
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
    if _CUES["unreal"].search(text):
        return
    tongue = statement.tongue
    if not _CUES["planned"].search(text):
        yield from _attributes(statement, tongue)
    if _CUES["states"].search(text):
        yield from _stated(statement, tongue)


def _attributes(statement: Statement, tongue: str) -> Iterator[Assignment]:
    for name in _ATTRIBUTES:
        if found := _CASED[name].search(statement.text):
            head = _CUES["changed"].sub(" ", statement.text[: found.start()])
            subject = _stems(head, tongue)
            if not subject or _CUES["first_person"].search(head):
                subject |= _stems(statement.speaker, tongue, whole=True)
            what = _stems(found["what"], tongue) if name == "one" else frozenset[str]()
            yield Assignment(key=(name, *sorted(what), "of", *sorted(subject)), value=found["value"].strip().casefold())


def _stated(statement: Statement, tongue: str) -> Iterator[Assignment]:
    """The one day, and the one amount, that a statement gives to what it speaks of."""
    said = datetime.fromisoformat(statement.until).replace(tzinfo=UTC)
    found = spans(statement.text, now=said)
    rest = _CUES["changed"].sub(" ", statement.text)
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
