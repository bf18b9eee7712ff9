"""What is known of one deed: its kind, how it ended, whom it concerned, its values, numbers, times and words."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from remembrancer.learn.detect.wordings import Reading, language, wording
from remembrancer.types.episode import EpisodeOutcome, Event, SignalType, folded_name
from remembrancer.types.pattern import BehaviourEvent

# Attributes that say what came of a deed; they explain nothing. The first are the plainest.
RESULTS: Final = ("to", "changed_to", "change", "reason")
# Of these, what was chosen instead of what was there.
CHOSEN: Final = frozenset(RESULTS[:2])
# And the attribute that says what was there.
REPLACED: Final = {"to": "from", "changed_to": "did"}
# Attributes that say what a deed was about; nothing is concluded of them but when they come.
SUBJECTS: Final = frozenset({"topic", "from", "did", "contact", "subject", "project", "count", "times"})
# Of these, what names a thing to be done rather than what became of it.
TOPICS: Final = frozenset({"topic", "contact", "subject", "project"})
# What an attribute of a correction says was put right, or how.
PUT_RIGHT: Final = frozenset({*RESULTS, "part"})
TOOLS: Final = frozenset({"tool", "app", "application", "program", "format"})
# Attributes in whose words somebody says what was done.
_WORDED: Final = ("change", "changed_to", "reason")
_SITTING: Final = timedelta(hours=1)
_MOST_WORDS_OF_A_VALUE: Final = 6
_IGNORED: Final = frozenset({SignalType.OBSERVATION_REJECTED.value, Event.COMPACT.value})
_ENDS: Final = {
    SignalType.DRAFT_MODIFIED.value: "modified",
    SignalType.APPROVAL_REJECTED.value: "rejected",
    SignalType.EXCEPTION_SURFACED.value: "exception",
    SignalType.CORRECTION.value: "modified",
    SignalType.ROUTED_DIFFERENTLY.value: "rerouted",
}
JUDGED: Final = frozenset({"approved", "modified", "rejected"})
CORRECTED: Final = frozenset(
    {
        Event.APPROVAL_MODIFIED.value,
        Event.APPROVAL_REJECTED.value,
        Event.USER_CORRECTION.value,
        SignalType.DRAFT_MODIFIED.value,
        SignalType.CORRECTION.value,
        SignalType.ROUTED_DIFFERENTLY.value,
    }
)
DRAFTS: Final = frozenset({Event.APPROVAL_MODIFIED.value, SignalType.DRAFT_MODIFIED.value})
# What was put before a person as a draft; all else was simply done.
_DRAFTED: Final = DRAFTS | {Event.APPROVAL_APPROVED.value, Event.APPROVAL_REJECTED.value}
# Which episodes a signal may be another report of, and how long before or after.
_REPORTED: Final = {
    SignalType.EXCEPTION_SURFACED.value: (Event.EXCEPTION_RAISED.value,),
    SignalType.DRAFT_MODIFIED.value: (Event.APPROVAL_MODIFIED.value,),
    SignalType.APPROVAL_REJECTED.value: (Event.APPROVAL_REJECTED.value,),
    SignalType.CORRECTION.value: (Event.USER_CORRECTION.value,),
}
_MOMENT: Final = timedelta(minutes=10)
# What the detector calls its own columns.
_COLUMNS: Final = frozenset({"event", "says", "when"})
# What a wording merely says of how it ended is told by that already.
_TOLD_BY_END: Final = {"rejected": "reject", "approved": "approve"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One deed, taken apart.

    Args:
        end: how it ended, for a signal too.
        names: entities by their type.
        values: text values, by attribute, as compared.
        numbers: by attribute.
        times: by attribute.
        said: what its text and its attributes say.
        words: what of that its text says.
    """

    deed: BehaviourEvent
    end: str
    names: tuple[tuple[str, str], ...]
    values: dict[str, str]
    numbers: dict[str, float]
    times: dict[str, datetime]
    said: Reading
    words: frozenset[str]

    @property
    def drafted(self) -> bool:
        """Whether it was a draft that a person judged."""
        return self.deed.event in _DRAFTED

    @property
    def plain(self) -> bool:
        """Whether it was simply done."""
        return self.end == EpisodeOutcome.DONE.value and not self.drafted and not self.corrected

    @property
    def corrected(self) -> bool:
        """Whether a person put something right."""
        return self.deed.event in CORRECTED


def taken_apart(deeds: Iterable[BehaviourEvent]) -> tuple[list[Known], str]:
    """Every deed once, oldest first, and the language of their words; counter-signals and compact records are none."""
    once: dict[str, BehaviourEvent] = {}
    for deed in sorted(deeds, key=_order):
        if deed.event not in _IGNORED:
            once.setdefault(deed.id, _renamed(deed))
    kept = _once_each(list(once.values()))
    tongue = language(deed.text for deed in kept)
    return [_known(deed, tongue) for deed in kept], tongue


def _renamed(deed: BehaviourEvent) -> BehaviourEvent:
    """A deed of which no attribute and no entity is called as a column of the detector."""
    if _COLUMNS.isdisjoint((*deed.attributes, *(entity.type for entity in deed.entities))):
        return deed
    attributes = {_own_name(name): value for name, value in deed.attributes.items()}
    entities = tuple(replace(entity, type=_own_name(entity.type)) for entity in deed.entities)
    return replace(deed, attributes=attributes, entities=entities)


def _own_name(name: str) -> str:
    return f"{name}_" if name in _COLUMNS else name


def _once_each(deeds: Sequence[BehaviourEvent]) -> list[BehaviourEvent]:
    """Deeds without the signals that only report an episode which is there as well: one thing is counted once."""
    episodes = [deed for deed in deeds if deed.outcome]
    times = [deed.at for deed in episodes]

    def near(signal: BehaviourEvent) -> list[BehaviourEvent]:
        return episodes[bisect_left(times, signal.at - _MOMENT) : bisect_right(times, signal.at + _MOMENT)]

    return [deed for deed in deeds if deed.outcome or not any(_reports(deed, other) for other in near(deed))]


def _reports(signal: BehaviourEvent, episode: BehaviourEvent) -> bool:
    same = {(entity.type, folded_name(entity.name)) for entity in signal.entities}
    return (
        episode.event in _REPORTED.get(signal.event, ())
        and same == {(entity.type, folded_name(entity.name)) for entity in episode.entities}
        and signal.attributes.items() <= episode.attributes.items()
    )


def sittings(apart: Sequence[Known]) -> list[bool]:
    """Which deeds are an occasion of their own: not those that follow another of the same kind for the same one."""
    last: dict[tuple[object, ...], datetime] = {}
    found: list[bool] = []
    for known in apart:
        about = known.names or tuple(known.values.get(name, "") for name in sorted(TOPICS))
        key = (about, known.drafted, known.corrected)
        found.append(key not in last or known.deed.at - last[key] >= _SITTING)
        if found[-1]:
            last[key] = known.deed.at
    return found


def _order(deed: BehaviourEvent) -> tuple[float, str, str]:
    attributes = sorted((name, str(value)) for name, value in deed.attributes.items())
    return (deed.at.timestamp(), deed.id, f"{deed.event} {deed.outcome} {deed.text} {deed.entities} {attributes}")


def _known(deed: BehaviourEvent, tongue: str) -> Known:
    values: dict[str, str] = {}
    numbers: dict[str, float] = {}
    times: dict[str, datetime] = {}
    for name, value in deed.attributes.items():
        if isinstance(value, bool):
            values[name] = "yes" if value else "no"
        elif isinstance(value, int | float):
            if value == value and abs(value) < 1e15:
                numbers[name] = float(value)
        elif (time := _time(value)) is not None:
            times[name] = time
        elif folded_name(value):
            values[name] = folded_name(value)
    names = tuple(dict.fromkeys((entity.type, folded_name(entity.name)) for entity in deed.entities))
    leave = frozenset(word for _, name in names for word in name.split())
    end = _ENDS.get(deed.event, deed.outcome or EpisodeOutcome.DONE.value)
    text = wording(deed.text, tongue, leave=leave)
    more = [values[name] for name in _WORDED if " " in values.get(name, "")]
    said = wording(" . ".join([deed.text, *more]), tongue, leave=leave) if more else text
    return Known(
        deed=deed,
        end=end,
        names=names,
        values=values,
        numbers=numbers,
        times=times,
        said=said.without(_TOLD_BY_END.get(end)),
        words=text.tokens,
    )


def _time(value: str) -> datetime | None:
    if len(value) < 10 or not value[:4].isdigit() or value[4] != "-":
        return None
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        return None


def worded(name: str, values: Collection[str]) -> bool:
    """Whether the values of an attribute are sentences rather than names."""
    return name in _WORDED and any(len(value.split()) > _MOST_WORDS_OF_A_VALUE for value in values)


def shown(deeds: Sequence[Known], name: str, value: str) -> str:
    """A value or a name as its deeds write it, oldest first."""
    for known in deeds:
        for entity in known.deed.entities:
            if name == entity.type and folded_name(entity.name) == value:
                return " ".join(entity.name.split())
        written = known.deed.attributes.get(name)
        if isinstance(written, str) and folded_name(written) == value:
            return " ".join(written.split())
    return value
