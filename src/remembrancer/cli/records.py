"""Records as lines of text."""

import json
from collections.abc import Iterator, Mapping
from typing import cast

from remembrancer.cli import times
from remembrancer.cli.output import fields, numbered
from remembrancer.types.details import PatternDetails
from remembrancer.types.episode import Tier, contact_as_written
from remembrancer.types.policy import LegalHold, transferred_from
from remembrancer.types.record import Episode, Fact, Json, Kind, Observation, Record, Rule, Signal, speaker_of
from remembrancer.types.results import Size, full, record_json, snippet
from remembrancer.types.scope import Scope
from remembrancer.types.text import shown


def line(record: Record) -> str:
    """Return a record on one line: id, time, speaker or kind, and the beginning of its text."""
    source = transferred_from(record)
    label = ", ".join([*_labels(record), *([] if source is None else [f"from project {source}"])])
    return f"{record.id}  {times.minute(record.occurred_at)}  {shown(label)}: {shown(snippet(record.text))}"


def status_line(record: Record) -> str:
    """Return a record on one line behind its status."""
    return f"{record.status.value}  {line(record)}"


def fact_line(fact: Fact) -> str:
    """Return a fact on one line: its key, its value as JSON, its category and its validity."""
    details = fact.details
    value = shown(json.dumps(details.value, ensure_ascii=False))
    return f"{shown(details.key)} = {value}  ({', '.join((details.category.value, *_validity(fact)))})"


def pattern_lines(record: Record) -> Iterator[str]:
    """Yield the lines of a record that a person judges: of a pattern its evidence and its rule, too."""
    learned = record.learned if isinstance(record, Observation) else None
    if learned is None:
        yield status_line(record)
        return
    yield f"{record.id}  {record.status.value}  {learned.category.value}  {_sureness(learned)}"
    yield f"    {shown(record.text)}"
    yield f"    because: {shown(learned.evidence)}"
    if learned.rule:
        yield f"    rule: {shown(learned.rule)}"
    elif record.status.value == "active":
        yield '    rule: none follows from it; add one in your own words: remembrancer rules add "..."'


def note_lines(note: Observation) -> Iterator[str]:
    """Yield the lines of a note with the numbers of its messages."""
    mark = "!" if note.priority == 5 else "-"
    text = "\n    ".join(shown(one) for one in note.text.splitlines())
    numbers = f" [{number_range(note.first, note.last)}]" if note.first else ""
    yield f"  {mark} {times.day(note.occurred_at)} {text}{numbers}"


def record_fields(record: Record, *, size: str = Size.FULL) -> list[str]:
    """Return the fields of a record, one a line."""
    return fields(_flat(full(record) if size == Size.FULL else record_json(record, size)))


def number_range(first: int, last: int) -> str:
    """Return the numbers of a run of messages."""
    return str(first) if first == last else f"{first}–{last}"


def hold_line(hold: LegalHold) -> str:
    """Return a legal hold on one line: its name, its object, its time and its reason."""
    where = "" if hold.scope is None else f" of {scope_line(hold.scope)}"
    return f"{shown(hold.name)}  {shown(hold.on)}{where}  since {times.day(hold.set_at)}  {shown(hold.reason)}"


def scope_line(scope: Scope) -> str:
    """Return a scope by its names."""
    parts = (("tenant", scope.tenant), ("project", scope.project), ("agent", scope.agent), ("user", scope.user))
    return "  ".join(f"{part} {shown(name)}" for part, name in parts if name is not None)


def _labels(record: Record) -> list[str]:
    match record:
        case Episode(details=details):
            what = details.event.value if details.tier is Tier.RAW else f"{details.tier.value} record"
            many = [numbered(details.counts.interactions, "interaction")] if details.counts else []
            return [*filter(None, (what, contact_as_written(details.entities))), *many]
        case Signal(details=details):
            return list(filter(None, (details.signal.value, contact_as_written(details.entities))))
        case Fact(details=details):
            return [f"{details.category.value} fact", *_validity(record)]
        case Rule(details=details):
            count = details.confirmations
            return [
                Kind.PROCEDURE.value,
                *([numbered(count, "confirmation")] if count else []),
                *([f"demoted: {shown(details.reason)}"] if details.reason else []),
            ]
        case Observation(learned=learned) if learned is not None:
            return [learned.category.value, _sureness(learned)]
        case Observation():
            return [record.type]
        case _:
            return [speaker_of(record)]


def _sureness(learned: PatternDetails) -> str:
    return f"{learned.confidence.value} confidence, {numbered(learned.occurrences, 'case')} in all"


def _validity(fact: Fact) -> list[str]:
    until = fact.details.valid_to
    return [
        f"since {times.minute(fact.details.valid_from)}",
        *([f"until {times.minute(until)}"] if until else []),
    ]


def _flat(form: Mapping[str, Json]) -> dict[str, Json]:
    """Return a full form with the details of its kind in one row, each name and value once."""
    flat = {name: value for name, value in form.items() if name not in ("snippet", "details")}
    details = cast("Mapping[str, Json]", form.get("details", {}))
    others = {name: value for name, value in details.items() if flat.get(name) != value}
    return {**flat, **{f"its {name}" if name in flat else name: value for name, value in others.items()}}
