"""Records: every kind of memory, and the layers they belong to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import member
from remembrancer.types.details import (
    Details,
    EpisodeDetails,
    FactDetails,
    PatternDetails,
    RuleDetails,
    SignalDetails,
    episode_from,
    fact_from,
    rule_from,
    signal_from,
)
from remembrancer.types.lifecycle import Status
from remembrancer.types.scope import Classification, Scope, Trust

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]
Scalar: TypeAlias = str | int | float | bool


class Kind(StrEnum):
    """The kinds of memory; facts, procedures and signals are read by key and in full, and not searched."""

    MESSAGE = "message"
    OBSERVATION = "observation"
    REFLECTION = "reflection"
    EPISODE = "episode"
    SIGNAL = "signal"
    FACT = "fact"
    PROCEDURE = "procedure"


DEFAULT_IMPORTANCE = 0.5
HARNESS = "harness"
"""The metadata entry of a message that the program around an agent wrote: the mark by which that is known."""
REFERENCE = "reference"
"""The metadata entry of an imported message that has its id in the chat it came from."""
TITLE_CHARACTERS = 80
SEARCHED = (Kind.MESSAGE, Kind.OBSERVATION, Kind.REFLECTION, Kind.EPISODE)


class Role(StrEnum):
    """Who spoke a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Source(StrEnum):
    """What brought a memory in."""

    TOOL = "tool"
    AUTO_CAPTURE = "auto-capture"
    USER = "user"
    IMPORT = "import"
    OBSERVER = "observer"
    DETECTOR = "detector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every memory has.

    Args:
        session: the conversation or run it belongs to, or `None`.
        text: as stored: private regions stripped, secrets masked.
        hash: SHA-256 hex of `text`; `""` where a list or a search hands the record over.
        author: which agent, tool or engine said what it says now, apart from the scope's agent.
        source: what brought that in.
        occurred_at: when that was said or done (aware, UTC).
        recorded_at: when the store first knew it (aware, UTC).
        updated_at: when its wording or status last changed (aware, UTC).
        revision: 1 at first, one more for every change of its wording.
        importance: in [0, 1].
        weight: what outcomes of sessions have made of it for the scope that reads it, in [0, 1]; 1 at first.
        echo: whether it only repeats what recall had put into a prompt; such text is kept but not indexed.
        evidence: ids of what it was concluded from.
    """

    id: str
    scope: Scope
    session: str | None
    text: str
    hash: str
    author: str
    source: Source
    tags: tuple[str, ...] = ()
    metadata: Metadata = field(default_factory=dict[str, Json])
    occurred_at: datetime
    recorded_at: datetime
    updated_at: datetime
    revision: int = 1
    status: Status = Status.ACTIVE
    classification: Classification = Classification.INTERNAL
    trust: Trust = Trust.TRUSTED
    importance: float = DEFAULT_IMPORTANCE
    echo: bool = False
    usage_count: int = 0
    last_accessed_at: datetime | None = None
    weight: float = 1.0
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Record):
    """What was said, in order; its wording never changes.

    Args:
        number: its place in its session, from 1, without gaps.
        speaker: the name of who spoke, or `""`.
        tokens: its length for a language model, as `tokenizer` counts.
    """

    number: int
    role: Role
    speaker: str = ""
    tokens: int = 0
    tokenizer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Record):
    """A claim in words, with its evidence.

    Args:
        type: one of the deployment's observation types, or the reserved `summary`.
        topic_key: a stable name under which a later save replaces this one, or `None`.
        priority: 1 to 5 where an engine has judged it, 5 for what must not be forgotten; else 0.
        refers_to: the day, month or year that it speaks of, as ISO text, or `""`.
        first, last: numbers of the messages in its session that an observer drew it from, both inclusive; else 0.
        place: its place in the log that an agent reads, in the order of activation; `None` where it stands in none.
        tokens: its length for a language model, as `tokenizer` counts; 0 where nobody has counted.
        engine: what concluded it, with its version, or `""` for what was saved by hand.
        model: the language model that the engine asked, or `""`.
        learned: what the detector counted, where it made this one.
        valid_until: until when it is valid, exclusive; then it is archived. `None` while no end is known.
    """

    type: str
    title: str
    topic_key: str | None = None
    priority: int = 0
    refers_to: str = ""
    first: int = 0
    last: int = 0
    place: int | None = None
    tokens: int = 0
    tokenizer: str = ""
    engine: str = ""
    model: str = ""
    learned: PatternDetails | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection(Observation):
    """An insight over observations, which are its evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode(Record):
    """What was done; a compact one stands for those that are its evidence."""

    details: EpisodeDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal(Record):
    """Raw feedback or behaviour, which waits for the detector."""

    details: SignalDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Record):
    """A structured statement, read by its key; `text` says it in words."""

    details: FactDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Record):
    """A rule of behaviour, put before an agent word for word; its evidence is the observation it came from."""

    details: RuleDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailedKind:
    """A record of a kind that has details of its own.

    Args:
        record: the class of its records, which take `details`.
        details: the class of these.
        told: makes them of what a store kept.
    """

    record: Callable[..., Record]
    details: type[Details]
    told: Callable[[Mapping[str, Any]], Details]


DETAILED: Mapping[Kind, DetailedKind] = {
    Kind.EPISODE: DetailedKind(record=Episode, details=EpisodeDetails, told=episode_from),
    Kind.SIGNAL: DetailedKind(record=Signal, details=SignalDetails, told=signal_from),
    Kind.FACT: DetailedKind(record=Fact, details=FactDetails, told=fact_from),
    Kind.PROCEDURE: DetailedKind(record=Rule, details=RuleDetails, told=rule_from),
}
_KINDS: Mapping[object, Kind] = {
    Message: Kind.MESSAGE,
    Observation: Kind.OBSERVATION,
    Reflection: Kind.REFLECTION,
    **{form.record: kind for kind, form in DETAILED.items()},
}
_OF_DETAILS: Mapping[type[Details], DetailedKind] = {form.details: form for form in DETAILED.values()}


def with_details(details: Details, **shared: Any) -> Record:
    """A record of the kind that has such details."""
    return _OF_DETAILS[type(details)].record(**shared, details=details)


def kind_of(record: Record) -> Kind:
    """Which kind of memory a record is."""
    return _KINDS[type(record)]


def type_of(record: Record) -> str | None:
    """Return the type of a memory: of an observation, an event, feedback or a fact; `None` for most messages.

    That of a message is what its metadata names as `type`.
    """
    match record:
        case Observation():
            return record.type
        case Episode():
            return record.details.event
        case Signal():
            return record.details.signal
        case Fact():
            return record.details.category
        case Message():
            named = record.metadata.get("type")
            return named if isinstance(named, str) else None
        case _:
            return kind_of(record)


def details_of(record: Record) -> Details | None:
    """What the kind of a record has beyond the others, or `None`."""
    match record:
        case Observation():
            return record.learned
        case Episode() | Signal() | Fact() | Rule():
            return record.details
        case _:
            return None


def title_for(text: str) -> str:
    """A title made from a text: its first line, cut at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[:TITLE_CHARACTERS].rsplit(" ", 1)[0] + " …"


def title_of(record: Record) -> str:
    """An observation's title; a message has none."""
    return record.title if isinstance(record, Observation) else ""


def speaker_of(record: Record) -> str:
    """Who said a message: the name, else the role; `""` for what nobody said."""
    return (record.speaker or record.role.value) if isinstance(record, Message) else ""


class Layer(StrEnum):
    """The layers of memory: what was said and done, what is claimed and valid, and insights over these."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    REFLECTIVE = "reflective"


_LAYER: Mapping[Kind, Layer] = {
    Kind.MESSAGE: Layer.EPISODIC,
    Kind.EPISODE: Layer.EPISODIC,
    Kind.SIGNAL: Layer.EPISODIC,
    Kind.OBSERVATION: Layer.SEMANTIC,
    Kind.FACT: Layer.SEMANTIC,
    Kind.PROCEDURE: Layer.SEMANTIC,
    Kind.REFLECTION: Layer.REFLECTIVE,
}


def layer_of(record: Record) -> Layer:
    """Return the layer of a memory."""
    return _LAYER[kind_of(record)]


def kinds_within(kinds: Sequence[str], layers: Sequence[str]) -> tuple[Kind, ...]:
    """Return the kinds of memory that are asked for by kind, by layer, or by both; none where all are.

    Raises:
        InvalidInput: there is no such kind or layer, or no kind is in both.
    """
    named = tuple(member(Kind, kind, "kind") for kind in kinds)
    if not layers:
        return named
    asked = {member(Layer, layer, "layer") for layer in layers}
    found = tuple(kind for kind, layer in _LAYER.items() if layer in asked and (not named or kind in named))
    if not found:
        raise InvalidInput(f"no kind of {', '.join(kinds)} is in the layers {', '.join(layers)}")
    return found
