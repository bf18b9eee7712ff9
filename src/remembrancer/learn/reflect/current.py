"""The current statements of a log: one of a repeated statement, and of a value that changes the newest."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final, Self

from remembrancer.language.dates.questions import spans
from remembrancer.language.tables import PatternTable
from remembrancer.language.terms import terms
from remembrancer.learn.agreement import TextRelation, agreement, denies
from remembrancer.learn.reflect.statements import Phrases, Statement, finished

_CUES: Final = PatternTable("values")
_CASED: Final = PatternTable("values", flags=re.NOFLAG)
_ATTRIBUTES: Final = ("home", "work", "one")
_AMOUNT: Final = re.compile(r"(?<![\w.,/:-])\d+(?:[.,]\d+)*(?![\w/:-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """The assignment of a value in a statement.

    Args:
        holds_until: the day after which another value is another event and no change; `""` without one.
    """

    key: tuple[str, ...]
    value: str
    holds_until: str = ""


def slots(statement: Statement) -> Iterator[Assignment]:
    """Yield the values in a statement, of properties with one value at a time."""
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
    """Yield the only day, and the only amount, that a statement assigns to its subject."""
    until = datetime.fromisoformat(statement.until).replace(tzinfo=UTC)
    found = spans(statement.text, now=until)
    rest = _CUES["changed"].sub(" ", statement.text)
    for span in found:
        rest = rest.replace(span.phrase, " ")
    days = tuple(span.start.date().isoformat() for span in found)
    amounts = tuple(_AMOUNT.findall(rest))
    about = _stems(_AMOUNT.sub(" ", rest), tongue)
    if not about:
        return
    topic = (statement.speaker.casefold(), *sorted(about))
    if len(days) == 1 and date.fromisoformat(days[0]) >= until.date():
        yield Assignment(key=("day", *topic, *amounts), value=days[0], holds_until=days[0])
    if len(amounts) == 1:
        yield Assignment(key=("amount", *topic, *days), value=amounts[0])


def _stems(text: str, tongue: str, *, whole: bool = False) -> frozenset[str]:
    return frozenset(_stemmed(text, tongue, whole=whole))


@lru_cache(maxsize=20_000)
def _stemmed(text: str, tongue: str, *, whole: bool) -> tuple[str, ...]:
    """Return the significant stems; with `whole` the stop words as well, since a name may look like one."""
    return tuple(term.stem for term in terms(text, tongue) if whole or term.kind not in ("stop", "common"))


# The number of different statements with the same words that are compared; the rest are skipped.
_MOST_ALIKE: Final = 3
# So often at most are two texts compared word by word, for a whole log; beyond only equal ones are one.
_MOST_COMPARED: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentStatement:
    """A current statement, with its repetitions and earlier versions.

    Args:
        sources: places in the log of all its observations, in order.
    """

    statement: Statement
    sources: tuple[int, ...]

    def without_before(self) -> Self:
        """Return the same, without what a changed value was."""
        return replace(self, statement=replace(self.statement, before="")) if self.statement.before else self


def current_statements(statements: Sequence[Statement], wording: Phrases) -> list[CurrentStatement]:
    """Return the current statements, ordered by their last mention."""
    ordered = sorted(statements, key=lambda statement: (statement.until, statement.place))
    return _newest(_counted(ordered, wording), wording)


def _counted(statements: Sequence[Statement], wording: Phrases) -> list[CurrentStatement]:
    """Return each statement once, with its number of repetitions; of two contradictory ones the newer."""
    alike: dict[tuple[str, frozenset[str]], list[int]] = {}
    found: list[CurrentStatement | None] = []
    relations = _Relations()
    for statement in statements:
        new = CurrentStatement(statement=statement, sources=(statement.place,))
        stems = frozenset(term.stem for term in statement.terms)
        known = alike.setdefault((statement.speaker.casefold(), stems), [])
        for at in known[:_MOST_ALIKE] if not statement.hollow else ():
            old = found[at]
            relation = relations.of(old.statement.text, statement.text) if old else TextRelation.DIFFERENT
            if old and relation is not TextRelation.DIFFERENT:
                new = _repeated(old, new) if relation is TextRelation.SAME else superseding(old, new, wording)
                found[at] = None
                known.remove(at)
                break
        known.append(len(found))
        found.append(new)
    return [entry for entry in found if entry]


class _Relations:
    """The relations of texts, until the limit of comparisons is reached."""

    def __init__(self) -> None:
        self._left = _MOST_COMPARED

    def of(self, old: str, new: str) -> TextRelation:
        """Return the relation of two texts; `DIFFERENT` if it is unknown."""
        if old == new:
            return TextRelation.SAME
        self._left -= 1
        return agreement(old, new) if self._left >= 0 else TextRelation.DIFFERENT


def _newest(entries: Sequence[CurrentStatement], wording: Phrases) -> list[CurrentStatement]:
    """Return the entries with the newest of each value that changed."""
    holder: dict[tuple[str, ...], tuple[int, Assignment]] = {}
    found: list[CurrentStatement | None] = list(entries)
    for at, entry in enumerate(entries):
        new = entry
        for slot in slots(entry.statement):
            earlier = holder.get(slot.key)
            old = found[earlier[0]] if earlier else None
            if earlier and old and _replaces(old.statement, earlier[1], entry.statement, slot):
                new = superseding(old, new, wording)
                found[earlier[0]] = None
            holder[slot.key] = (at, slot)
        found[at] = new
    return [entry for entry in found if entry]


def _replaces(old: Statement, before: Assignment, new: Statement, after: Assignment) -> bool:
    """Return True if a new value replaces an old one."""
    if before.value == after.value or (before.holds_until and new.until > before.holds_until):
        return False
    return denies(old.text) == denies(new.text)


def _repeated(old: CurrentStatement, new: CurrentStatement) -> CurrentStatement:
    one, other = old.statement, new.statement
    since, until = min(one.since, other.since), max(one.until, other.until)
    times = one.times + other.times
    statement = replace(other, since=since, until=until, times=times, before=other.before or one.before)
    return CurrentStatement(statement=statement, sources=_both(old, new))


def superseding(old: CurrentStatement, new: CurrentStatement, wording: Phrases) -> CurrentStatement:
    """Return the new statement, which includes the earlier value."""
    before = f"{wording.before.format(day=old.statement.until)}: {finished(old.statement.text)}"
    return CurrentStatement(statement=replace(new.statement, before=before), sources=_both(old, new))


def _both(old: CurrentStatement, new: CurrentStatement) -> tuple[int, ...]:
    return tuple(sorted({*old.sources, *new.sources}))
