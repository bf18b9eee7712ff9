"""What a caller hands over to be recorded: only what a caller may say; ids and times of knowing are the engine's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from remembrancer.types.episode import Entity
from remembrancer.types.record import Json, Metadata

Attribute = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """What a caller may say of a record of any kind.

    Args:
        occurred_at: when it was said or done, with its zone; now, if not given.
        tags, importance: no tags and .5 for a new record, if not given; of one that stands they stay.
        key: an idempotency key: the same key again returns the first result and writes nothing.
    """

    session: str | None = None
    occurred_at: datetime | None = None
    tags: Sequence[str] | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])
    author: str = ""
    source: str = "tool"
    importance: float | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage(NewRecord):
    """A message: what was said; see `Memory.record` for its parts.

    Args:
        content: more of it in parts, as chats have them: `{"type": "text", "text": "…"}`, an image with its address.
        tool_calls: the tools that it calls: `{"name": "…", "arguments": {…}}`, or such under `function`.
    """

    text: str
    role: str = "user"
    speaker: str = ""
    content: Sequence[Mapping[str, Json]] = ()
    tool_calls: Sequence[Mapping[str, Json]] = ()
    trust: str | None = None
    classification: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewObservation(NewRecord):
    """An observation: a claim; see `Memory.save` for its parts."""

    text: str
    type: str | None = None
    title: str | None = None
    topic_key: str | None = None
    layer: str | None = None
    custom_type: str | None = None
    evidence: Sequence[str] = ()
    valid_until: datetime | None = None
    trust: str | None = None
    classification: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode(NewRecord):
    """An episode: what was done; see `Episodes.record` for its parts."""

    summary: str
    event: str = "action_completed"
    outcome: str | None = None
    contact: str = ""
    entities: Sequence[Entity] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    classification: str | None = None
