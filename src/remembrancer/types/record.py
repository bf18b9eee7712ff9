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
    """Kinds of memory. Facts, rules and signals are not searched. The kind of a rule is `procedure`."""

    MESSAGE = "message"
    OBSERVATION = "observation"
    REFLECTION = "reflection"
    EPISODE = "episode"
    SIGNAL = "signal"
    FACT = "fact"
    PROCEDURE = "procedure"


DEFAULT_IMPORTANCE = 0.5
HARNESS = "harness"
"""The metadata entry of a message that the program around an agent wrote."""
REFERENCE = "reference"
"""The metadata entry with the id of an imported message in its chat."""
TITLE_CHARACTERS = 80
SEARCHED = (Kind.MESSAGE, Kind.OBSERVATION, Kind.REFLECTION, Kind.EPISODE)


class Role(StrEnum):
    """Roles of the speaker of a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Source(StrEnum):
    """Sources of a memory."""

    TOOL = "tool"
    AUTO_CAPTURE = "auto-capture"
    USER = "user"
    IMPORT = "import"
    OBSERVER = "observer"
    DETECTOR = "detector"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The fields of every memory.

    Args:
        session: the session, or `None`.
        text: the stored text, without private regions, and with masked secrets.
        hash: the SHA-256 of `text`, hex; `""` in lists and searches.
        author: the agent, tool or engine that wrote the current text.
        source: the source of the current text.
        occurred_at: the time of the message or action (aware, UTC).
        recorded_at: the time of the first recording (aware, UTC).
        updated_at: the time of the last change of text or status (aware, UTC).
        revision: 1 at first, and one more after each change of the text.
        importance: in [0, 1].
        echo: whether it only repeats recalled memories; it is stored but not indexed.
        usage_count: the number of recalls.
        last_accessed_at: the time of the last recall, or `None`.
        weight: the feedback weight in the reading scope, in [0, 1]; 1 at first.
        evidence: ids of the memories that it was derived from.
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
    """A message of a conversation. Its text never changes.

    Args:
        number: the position in its session, from 1, without gaps.
        speaker: the name of the speaker, or `""`.
        tokens: the length in tokens.
        tokenizer: the name of the tokenizer that counted them.
    """

    number: int
    role: Role
    speaker: str = ""
    tokens: int = 0
    tokenizer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Record):
    """A claim with its evidence.

    Args:
        type: an observation type of the deployment, a custom type, or `summary`.
        topic_key: a stable name, under which a later save replaces the text, or `None`.
        priority: 1 to 5 from an engine, 5 for claims that must not be forgotten; otherwise 0.
        refers_to: the day, month or year that the claim is about, as an ISO string, or `""`.
        first, last: numbers of the messages of its session that it was derived from, inclusive; otherwise 0.
        place: the position in the log of notes, in the order of activation, or `None`.
        tokens: the length in tokens; 0 if not counted.
        tokenizer: the name of the tokenizer that counted them.
        engine: the engine that derived it, with its version; `""` if it was saved by a caller.
        model: the language model of the engine, or `""`.
        learned: the counts of the detector, or `None`.
        valid_until: the end of its validity, exclusive, or `None`; it is then archived.
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
    """An insight over several observations, which are its evidence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode(Record):
    """An action and its outcome. A compact episode summarises the episodes in its evidence."""

    details: EpisodeDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal(Record):
    """Feedback or behaviour for the detector."""

    details: SignalDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact(Record):
    """A key and a value with a validity. `text` is the fact in words."""

    details: FactDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Record):
    """An instruction that an agent reads verbatim. Its evidence is the observation that it was derived from."""

    details: RuleDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailedKind:
    """A kind of memory with details.

    Args:
        record: the class of its records.
        details: the class of its details.
        load: returns the details for their stored JSON.
    """

    record: Callable[..., Record]
    details: type[Details]
    load: Callable[[Mapping[str, Any]], Details]


DETAILED: Mapping[Kind, DetailedKind] = {
    Kind.EPISODE: DetailedKind(record=Episode, details=EpisodeDetails, load=episode_from),
    Kind.SIGNAL: DetailedKind(record=Signal, details=SignalDetails, load=signal_from),
    Kind.FACT: DetailedKind(record=Fact, details=FactDetails, load=fact_from),
    Kind.PROCEDURE: DetailedKind(record=Rule, details=RuleDetails, load=rule_from),
}
_KINDS: Mapping[object, Kind] = {
    Message: Kind.MESSAGE,
    Observation: Kind.OBSERVATION,
    Reflection: Kind.REFLECTION,
    **{entry.record: kind for kind, entry in DETAILED.items()},
}
_OF_DETAILS: Mapping[type[Details], DetailedKind] = {entry.details: entry for entry in DETAILED.values()}


def with_details(details: Details, **shared: Any) -> Record:
    """Return a record of the kind that has such details."""
    return _OF_DETAILS[type(details)].record(**shared, details=details)


def kind_of(record: Record) -> Kind:
    """Return the kind of a record."""
    return _KINDS[type(record)]


def type_of(record: Record) -> str | None:
    """Return the type of an observation, the event of an episode, or the category of a fact; `None` for most messages.

    The type of a message is the entry `type` of its metadata.
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
            name = record.metadata.get("type")
            return name if isinstance(name, str) else None
        case _:
            return kind_of(record)


def details_of(record: Record) -> Details | None:
    """Return the details of a record, or `None`."""
    match record:
        case Observation():
            return record.learned
        case Episode() | Signal() | Fact() | Rule():
            return record.details
        case _:
            return None


def title_for(text: str) -> str:
    """Return a title for a text: its first line, cut at a word."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if len(line) <= TITLE_CHARACTERS:
        return line
    return line[:TITLE_CHARACTERS].rsplit(" ", 1)[0] + " …"


def title_of(record: Record) -> str:
    """Return the title of an observation; `""` for other kinds."""
    return record.title if isinstance(record, Observation) else ""


def speaker_of(record: Record) -> str:
    """Return the speaker or role of a message; `""` for other kinds."""
    return (record.speaker or record.role.value) if isinstance(record, Message) else ""


class Layer(StrEnum):
    """Layers of memory: messages and actions, claims and facts, and insights over these."""

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
    """Return the kinds selected by kind, by layer, or by both; an empty tuple for all.

    Raises:
        InvalidInput: a kind or layer is unknown, or no kind matches both.
    """
    chosen = tuple(member(Kind, kind, "kind") for kind in kinds)
    if not layers:
        return chosen
    chosen_layers = {member(Layer, layer, "layer") for layer in layers}
    matches = tuple(kind for kind, layer in _LAYER.items() if layer in chosen_layers and (not chosen or kind in chosen))
    if not matches:
        raise InvalidInput(f"no kind of {', '.join(kinds)} is in the layers {', '.join(layers)}")
    return matches
