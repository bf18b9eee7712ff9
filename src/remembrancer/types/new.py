"""Records and keys as a caller passes them in; ids and the times of recording are the engine's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from remembrancer.types.access import USUAL_RIGHTS
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSignal:
    """Feedback or behaviour that is no episode of its own; the detector counts it.

    Args:
        type: `draft_modified` (attribute `part`), `approval_rejected` (`reason`), `routed_differently` (`from`,
            `to`), `exception_surfaced` or `correction` (`did`, `changed_to`).
        contact: the person it concerns; the same as a first entity of the type `contact`.
        key: an idempotency key: the same key again returns the first result and writes nothing.
    """

    type: str
    summary: str = ""
    contact: str = ""
    entities: Sequence[Entity] = ()
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])
    session: str | None = None
    occurred_at: datetime | None = None
    author: str = ""
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Changes of an observation; fields that are `None` stay as they are.

    Args:
        title: `""` resets it to the first line of the text.
        tags: all tags of the observation; an empty list removes them.
        metadata: is merged into the stored metadata; a name with `None` is removed.
        classification: raises the class, and never lowers it.
        author: the author of the change; by default the caller.
        occurred_at: by default the current time if the text changes.
        valid_until: exclusive, with its zone.
    """

    text: str | None = None
    title: str | None = None
    type: str | None = None
    tags: Sequence[str] | None = None
    metadata: Metadata | None = None
    importance: float | None = None
    classification: str | None = None
    author: str = ""
    source: str = "tool"
    occurred_at: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """An access key to create.

    Args:
        name: a label; the audit log names the holder by it.
        project, agent, user: narrow the key to a scope within the caller's.
        clearance: the caller's by default, and never above it.
        rights: some of `read`, `write`, `learn`, `govern`, `operate` and `reveal` that the caller has.
        days: after which it expires; by default it does not expire.
        tenant: the tenant of the key, for a caller who keeps the whole store; by default the caller's.
        tenants: at most 100 further tenants that it opens, for a caller who keeps the whole store.
    """

    name: str
    project: str | None = None
    agent: str | None = None
    user: str | None = None
    clearance: str | None = None
    rights: Sequence[str] = USUAL_RIGHTS
    days: float | None = None
    tenant: str | None = None
    tenants: Sequence[str] = ()
