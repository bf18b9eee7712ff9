"""What every kind of memory has in common, and the two kinds that are said and claimed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from remembrancer.model.classification import Classification, Trust
from remembrancer.model.lifecycle import Status
from remembrancer.model.scope import Scope

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Metadata: TypeAlias = Mapping[str, Json]


class Kind(StrEnum):
    """The kinds of memory that are searched."""

    MESSAGE = "message"
    OBSERVATION = "observation"


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
        hash: SHA-256 hex of `text`.
        author: which agent, tool or engine wrote it, apart from the scope's agent.
        occurred_at: when it was said or done (aware, UTC).
        recorded_at: when the store first knew it (aware, UTC).
        updated_at: when its wording or status last changed (aware, UTC).
        revision: 1 at first, one more for every change of its wording.
        importance: in [0, 1].
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
    importance: float = 0.5
    echo: bool = False
    usage_count: int = 0
    last_accessed_at: datetime | None = None
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Record):
    """What was said, in order; its wording never changes.

    Args:
        number: its place in its session, from 1, without gaps.
        speaker: the name of who spoke, or `""`.
        tokens: an estimate of its length for a language model.
    """

    number: int
    role: Role
    speaker: str = ""
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(Record):
    """A claim in words, with its evidence.

    Args:
        type: one of the deployment's observation types, or the reserved `summary`.
        topic_key: a stable name under which a later save replaces this one, or `None`.
    """

    type: str
    title: str
    topic_key: str | None = None


def kind_of(record: Record) -> Kind:
    """Which kind of memory a record is."""
    return Kind.MESSAGE if isinstance(record, Message) else Kind.OBSERVATION


def title_of(record: Record) -> str:
    """An observation's title; a message has none."""
    return record.title if isinstance(record, Observation) else ""


def speaker_of(record: Record) -> str:
    """Who said it: the name, else the role; `""` for what nobody said."""
    return (record.speaker or record.role.value) if isinstance(record, Message) else ""
