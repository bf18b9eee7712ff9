"""What of a log still stands: of a repeated statement one, of a changed value the newest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from remembrancer.learn.agreement import Relation, agreement, denies
from remembrancer.learn.reflect.statements import Statement, finished
from remembrancer.learn.reflect.values import Assignment, slots
from remembrancer.learn.reflect.wording import Phrases

# How many different statements of the same words are told apart before the rest are left alone.
_MOST_ALIKE: Final = 3
# So often at most are two texts compared word by word, for a whole log; beyond only equal ones are one.
_MOST_COMPARED: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingStatement:
    """A statement that stands, for itself and for those that say the same or said otherwise before.

    Args:
        sources: places in the log of all the observations that it stands for, in order.
    """

    statement: Statement
    sources: tuple[int, ...]

    def without_before(self) -> Self:
        """The same, without what a changed value was."""
        return replace(self, statement=replace(self.statement, before="")) if self.statement.before else self


def standing(statements: Sequence[Statement], wording: Phrases) -> list[StandingStatement]:
    """What stands, in the order in which it was last said."""
    ordered = sorted(statements, key=lambda statement: (statement.until, statement.place))
    return _newest(_counted(ordered, wording), wording)


def _counted(statements: Sequence[Statement], wording: Phrases) -> list[StandingStatement]:
    """Each statement once, with how often it was said; of two that contradict each other the newer."""
    alike: dict[tuple[str, frozenset[str]], list[int]] = {}
    found: list[StandingStatement | None] = []
    relations = _Relations()
    for statement in statements:
        new = StandingStatement(statement=statement, sources=(statement.place,))
        stems = frozenset(term.stem for term in statement.terms)
        known = alike.setdefault((statement.speaker.casefold(), stems), [])
        for at in known[:_MOST_ALIKE] if not statement.hollow else ():
            old = found[at]
            relation = relations.of(old.statement.text, statement.text) if old else Relation.DIFFERENT
            if old and relation is not Relation.DIFFERENT:
                new = _repeated(old, new) if relation is Relation.SAME else superseding(old, new, wording)
                found[at] = None
                known.remove(at)
                break
        known.append(len(found))
        found.append(new)
    return [entry for entry in found if entry]


class _Relations:
    """How texts stand to each other, as long as there is time to compare them."""

    def __init__(self) -> None:
        self._left = _MOST_COMPARED

    def of(self, old: str, new: str) -> Relation:
        """Whether two texts say the same, and `DIFFERENT` where that is not known."""
        if old == new:
            return Relation.SAME
        self._left -= 1
        return agreement(old, new) if self._left >= 0 else Relation.DIFFERENT


def _newest(entries: Sequence[StandingStatement], wording: Phrases) -> list[StandingStatement]:
    """Of each value that changed the newest."""
    holder: dict[tuple[str, ...], tuple[int, Assignment]] = {}
    found: list[StandingStatement | None] = list(entries)
    for at, entry in enumerate(entries):
        new = entry
        for slot in slots(entry.statement):
            held = holder.get(slot.key)
            old = found[held[0]] if held else None
            if held and old and _changes(old.statement, held[1], entry.statement, slot):
                new = superseding(old, new, wording)
                found[held[0]] = None
            holder[slot.key] = (at, slot)
        found[at] = new
    return [entry for entry in found if entry]


def _changes(old: Statement, before: Assignment, new: Statement, after: Assignment) -> bool:
    """Whether a new value takes the place of an old one, rather than standing beside it."""
    if before.value == after.value or (before.holds_until and new.until > before.holds_until):
        return False
    return denies(old.text) == denies(new.text)


def _repeated(old: StandingStatement, new: StandingStatement) -> StandingStatement:
    one, other = old.statement, new.statement
    since, until = min(one.since, other.since), max(one.until, other.until)
    times = one.times + other.times
    statement = replace(other, since=since, until=until, times=times, before=other.before or one.before)
    return StandingStatement(statement=statement, sources=_both(old, new))


def superseding(old: StandingStatement, new: StandingStatement, wording: Phrases) -> StandingStatement:
    """The new statement, which tells what the old one said."""
    before = f"{wording.before.format(day=old.statement.until)}: {finished(old.statement.text)}"
    return StandingStatement(statement=replace(new.statement, before=before), sources=_both(old, new))


def _both(old: StandingStatement, new: StandingStatement) -> tuple[int, ...]:
    return tuple(sorted({*old.sources, *new.sources}))
