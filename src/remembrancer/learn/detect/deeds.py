"""One event of behaviour, parsed: its kind, its end, whom it concerned, its values, numbers, times and words."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from remembrancer.learn.detect.wording import ParsedWording, language, wording
from remembrancer.types.episode import EpisodeOutcome, Event, SignalType, folded_name
from remembrancer.types.pattern import BehaviourEvent

# Attributes of results, which explain nothing. The first are the plainest.
RESULTS: Final = ("to", "changed_to", "change", "reason")
# Of these, what was chosen instead of what was there.
CHOSEN: Final = frozenset(RESULTS[:2])
# And the attribute of the earlier value.
REPLACED: Final = {"to": "from", "changed_to": "did"}
# Attributes of topics, of which only the time is concluded.
SUBJECTS: Final = frozenset({"topic", "from", "did", "contact", "subject", "project", "count", "times"})
# Of these, what names a thing to be done rather than what became of it.
TOPICS: Final = frozenset({"topic", "contact", "subject", "project"})
# Attributes of a correction with its object or kind.
PUT_RIGHT: Final = frozenset({*RESULTS, "part"})
TOOLS: Final = frozenset({"tool", "app", "application", "program", "format"})
# Attributes whose words describe the action.
_WORDED: Final = ("change", "changed_to", "reason")
_PAUSE: Final = timedelta(hours=1)
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
# Actions that a person reviews as a draft; all others are done directly.
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
# The outcome covers these words already.
_ACT_OF_END: Final = {"rejected": "reject", "approved": "approve"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDeed:
    """One parsed deed.

    Args:
        end: the outcome, for a signal too.
        names: entities by their type.
        values: text values in normal form, by attribute.
        numbers: by attribute.
        times: by attribute.
        parsed: its text with the words of its attributes.
        words: those of its text.
    """

    deed: BehaviourEvent
    end: str
    names: tuple[tuple[str, str], ...]
    values: dict[str, str]
    numbers: dict[str, float]
    times: dict[str, datetime]
    parsed: ParsedWording
    words: frozenset[str]

    @property
    def drafted(self) -> bool:
        """True if it was a draft that a person judged."""
        return self.deed.event in _DRAFTED

    @property
    def plain(self) -> bool:
        """True if it was simply done."""
        return self.end == EpisodeOutcome.DONE.value and not self.drafted and not self.corrected

    @property
    def corrected(self) -> bool:
        """True if a person corrected it."""
        return self.deed.event in CORRECTED


def parse_deeds(deeds: Iterable[BehaviourEvent]) -> tuple[list[ParsedDeed], str]:
    """Return every deed once, oldest first, and their language; without counter-signals and compact records."""
    once: dict[str, BehaviourEvent] = {}
    for deed in sorted(deeds, key=_order):
        if deed.event not in _IGNORED:
            once.setdefault(deed.id, _renamed(deed))
    kept = _once_each(list(once.values()))
    tongue = language(deed.text for deed in kept)
    return [_known(deed, tongue) for deed in kept], tongue


def _renamed(deed: BehaviourEvent) -> BehaviourEvent:
    """Return a deed of which no attribute and no entity is called as a column of the detector."""
    if _COLUMNS.isdisjoint((*deed.attributes, *(entity.type for entity in deed.entities))):
        return deed
    attributes = {_own_name(name): value for name, value in deed.attributes.items()}
    entities = tuple(replace(entity, type=_own_name(entity.type)) for entity in deed.entities)
    return replace(deed, attributes=attributes, entities=entities)


def _own_name(name: str) -> str:
    return f"{name}_" if name in _COLUMNS else name


def _once_each(deeds: Sequence[BehaviourEvent]) -> list[BehaviourEvent]:
    """Return deeds without signals that only report a present episode, so that it counts once."""
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


def sittings(apart: Sequence[ParsedDeed]) -> list[bool]:
    """Return which deeds are separate occasions: not those soon after one of the same kind and contact."""
    last: dict[tuple[object, ...], datetime] = {}
    found: list[bool] = []
    for known in apart:
        about = known.names or tuple(known.values.get(name, "") for name in sorted(TOPICS))
        key = (about, known.drafted, known.corrected)
        found.append(key not in last or known.deed.at - last[key] >= _PAUSE)
        if found[-1]:
            last[key] = known.deed.at
    return found


def _order(deed: BehaviourEvent) -> tuple[float, str, str]:
    attributes = sorted((name, str(value)) for name, value in deed.attributes.items())
    return (deed.at.timestamp(), deed.id, f"{deed.event} {deed.outcome} {deed.text} {deed.entities} {attributes}")


def _known(deed: BehaviourEvent, tongue: str) -> ParsedDeed:
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
    parsed = wording(" . ".join([deed.text, *more]), tongue, leave=leave) if more else text
    return ParsedDeed(
        deed=deed,
        end=end,
        names=names,
        values=values,
        numbers=numbers,
        times=times,
        parsed=parsed.without(_ACT_OF_END.get(end)),
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
    """Return True if the values of an attribute are sentences rather than names."""
    return name in _WORDED and any(len(value.split()) > _MOST_WORDS_OF_A_VALUE for value in values)


def shown(deeds: Sequence[ParsedDeed], name: str, value: str) -> str:
    """Return a value or a name as its deeds write it, oldest first."""
    for known in deeds:
        for entity in known.deed.entities:
            if name == entity.type and folded_name(entity.name) == value:
                return " ".join(entity.name.split())
        written = known.deed.attributes.get(name)
        if isinstance(written, str) and folded_name(written) == value:
            return " ".join(written.split())
    return value
