"""Values that a caller passes in for writing; ids and times of knowing are the engine's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from remembrancer.errors import InvalidInput, quoted
from remembrancer.types.access import USUAL_RIGHTS
from remembrancer.types.arguments import within
from remembrancer.types.episode import Entity
from remembrancer.types.record import Json, Metadata
from remembrancer.types.scope import check_name

Attribute = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRecord:
    """The fields of a new record of any kind.

    Args:
        session: opened, or resumed, by its name; by default the scope's active session.
        occurred_at: the time of the message or action, with its zone; by default the current time.
        tags, importance: no tags and .5 by default; those of an existing record stay as they are.
        metadata: is merged into the stored metadata; a name with `None` is removed.
        source: `tool`, `auto-capture`, `user` or `import`.
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
    """A message to record.

    Args:
        text: may be empty where the message has content or tool calls.
        role: `user`, `assistant`, `system` or `tool`.
        content: further parts, as chats have them: `{"type": "text", "text": "…"}`; of parts that are not text the
            kind, the name and the address are kept.
        tool_calls: calls of tools: `{"name": "…", "arguments": {…}}`, or such under `function`.
        trust: `trusted` or `untrusted`; messages of tools are untrusted by default, all others trusted.
        classification: raises the class that the text has, and never lowers it.
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
    """An observation to save: a claim.

    A session that was not used for 24 hours is closed with a summary, and the next one is opened.

    Args:
        type: `profile`, `preference`, `decision`, `pattern` or `discovery`, or another of the deployment; `discovery`
            by default.
        topic_key: a stable name; a later save under it replaces the wording and keeps the earlier one as a revision.
            Fields that are left out stay as they are.
        layer: `semantic` by default; `reflective` saves a reflection.
        custom_type: a type of the caller's own in place of `type`, which the deployment does not have to allow.
        evidence: ids of the memories that support it; it inherits their least trust and highest classification.
        valid_until: with its zone, exclusive: then it is archived, and only reads of the past find it. Saved again
            after that, it is valid again.
        classification: raises the class of its evidence, `internal` at least, and never lowers it.
    """

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
    """An episode to record: an action.

    Args:
        summary: the action without its content, such as `removed semicolon from third paragraph`; 1 to 100 characters.
        event: `action_completed`, `approval_approved`, `approval_rejected`, `approval_modified`, `exception_raised` or
            `user_correction`.
        outcome: `done`, `approved`, `rejected`, `modified` or `exception`; by default that of the event.
        contact: the person concerned; the same as a first entity of the type `contact`.
        attributes: values to count: names to text, numbers and truth values.
    """

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


SUMMARY = "summary"
OBSERVATION_TYPES: Mapping[str, float] = MappingProxyType(
    {"profile": 1.0, "preference": 0.9, "decision": 0.7, "pattern": 0.6, "discovery": 0.5}
)
SUMMARY_PRIORITY = 0.5
_UNSAID = "discovery"


def with_types(others: Mapping[str, float]) -> Mapping[str, float]:
    """The observation types of a deployment: those there always are, with others or other priorities.

    Raises:
        InvalidInput: one is no name, or reserved, or its priority is not in [0, 1].
    """
    for name, value in others.items():
        check_name(name, what="an observation type")
        if name == SUMMARY:
            raise InvalidInput(f"the type {SUMMARY!r} is reserved")
        within(value, 0, 1, what=f"the priority of {quoted(name)}")
    return MappingProxyType({**OBSERVATION_TYPES, **others})


def check_type(name: str, allowed: Mapping[str, float]) -> str:
    """The name, if a caller may save an observation of that type.

    Raises:
        InvalidInput: it is reserved, or none of the allowed ones, which the message lists.
    """
    if name == SUMMARY:
        raise InvalidInput("the type 'summary' is reserved; write one with summarise()")
    return _one_of(name, tuple(allowed))


def check_custom_type(name: str) -> str:
    """The name, if an observation may be of that custom type, which no deployment has to allow.

    Raises:
        InvalidInput: it is reserved, or no name.
    """
    if name == SUMMARY:
        raise InvalidInput("custom_type 'summary' is reserved; write one with summarise()")
    return check_name(name, what="custom_type")


def check_stored_type(name: str, allowed: Mapping[str, float]) -> str:
    """The name, if an observation may be of that type: one that can be saved, or a summary.

    Raises:
        InvalidInput: it is none of them; the message lists them.
    """
    return _one_of(name, (*allowed, SUMMARY))


def default_type(allowed: Mapping[str, float]) -> str:
    """The type of an observation of which nobody said one: a discovery, or what has the least priority."""
    return _UNSAID if _UNSAID in allowed else min(allowed, key=lambda name: allowed[name])


def priority(name: str, allowed: Mapping[str, float]) -> float:
    """The priority of a type of observation, in [0, 1]."""
    return allowed.get(name, SUMMARY_PRIORITY)


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    if name not in allowed:
        raise InvalidInput(f"no observation type {quoted(name)}; allowed are {', '.join(allowed)}")
    return name
