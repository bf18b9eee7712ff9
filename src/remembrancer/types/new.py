"""Values that callers pass in to write memories; the engine adds ids and recording times."""

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
        session: the session by name, opened or resumed; by default the scope's active session.
        occurred_at: the time of the message or action, with its zone; by default the current time.
        tags: by default none for a new record, and unchanged for an existing one.
        importance: from 0 to 1; by default 0.5 for a new record, and unchanged for an existing one.
        metadata: merged into the stored metadata; a name with the value `None` is removed.
        author: the author: an agent, a tool or a person.
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
        text: the text; it may be empty if the message has content or tool calls.
        role: `user`, `assistant`, `system` or `tool`.
        speaker: the name of the speaker.
        content: further parts as in chat APIs: `{"type": "text", "text": "…"}`. Of parts without text, the type, the
            name and the address are stored.
        tool_calls: calls of tools: `{"name": "…", "arguments": {…}}`, also nested under `function`.
        trust: `trusted` or `untrusted`; by default messages of tools are untrusted, and all others trusted.
        classification: the minimum classification; the detected one is used if it is higher.
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
    """A claim to save as an observation.

    A session without activity for 24 hours is closed with a summary, and a new one is opened.

    Args:
        type: `profile`, `preference`, `decision`, `pattern`, `discovery`, or a type of the deployment; by default
            `discovery`.
        title: by default the first line of the text.
        topic_key: a stable name. A later save with it replaces the text and keeps the earlier one as a version; unset
            fields are unchanged.
        layer: `semantic` by default; `reflective` saves a reflection.
        custom_type: a type of the caller's own, instead of `type`.
        evidence: ids of the memories that support it; it inherits their lowest trust and highest classification.
        valid_until: the end of its validity, exclusive, with a time zone. It is then archived, and only reads of the
            past return it. Saving it again makes it valid again.
        trust: `trusted` or `untrusted`; by default that of the evidence.
        classification: the minimum classification; by default that of the evidence, at least `internal`.
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
        summary: the action without content, such as `removed semicolon from third paragraph`; 1 to 100 characters.
        event: `action_completed`, `approval_approved`, `approval_rejected`, `approval_modified`, `exception_raised` or
            `user_correction`.
        outcome: `done`, `approved`, `rejected`, `modified` or `exception`; by default that of the event.
        contact: the person concerned; a shorthand for a first entity of the type `contact`.
        entities: the people and things concerned.
        attributes: values to count, by name: strings, numbers and booleans.
        classification: the minimum classification; the detected one is used if it is higher.
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
    """Feedback or behaviour to record without an episode. The detector counts it.

    Args:
        type: `draft_modified` (attribute `part`), `approval_rejected` (`reason`), `routed_differently` (`from`,
            `to`), `exception_surfaced` or `correction` (`did`, `changed_to`).
        contact: the person concerned; a shorthand for a first entity of the type `contact`.
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
    """Changes of an observation. Fields that are `None` stay unchanged.

    Args:
        title: `""` resets it to the first line of the text.
        tags: replaces all tags; an empty list removes them.
        metadata: merged into the stored metadata; a name with the value `None` is removed.
        importance: from 0 to 1.
        classification: a higher classification; it cannot be lowered.
        author: the author of the change; by default the caller.
        source: `tool`, `auto-capture`, `user` or `import`.
        occurred_at: by default the current time if the text changes.
        valid_until: the end of its validity, exclusive, with a time zone.
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
        project, agent, user: restrict the key to a scope within the caller's.
        clearance: at most the caller's, which is the default.
        rights: some of `read`, `write`, `learn`, `govern`, `operate` and `reveal`; the caller must have them.
        days: the number of days until it expires; by default it does not expire.
        tenant: the tenant of the key, for a caller who operates the whole store; by default the caller's.
        tenants: at most 100 further tenants that it opens, for a caller who operates the whole store.
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
_DEFAULT_TYPE = "discovery"


def with_types(others: Mapping[str, float]) -> Mapping[str, float]:
    """Return the observation types of a deployment: the built-in ones with additions and other priorities.

    Raises:
        InvalidInput: a name is invalid or reserved, or a priority is not in [0, 1].
    """
    for name, value in others.items():
        check_name(name, what="an observation type")
        if name == SUMMARY:
            raise InvalidInput(f"the type {SUMMARY!r} is reserved")
        within(value, 0, 1, what=f"the priority of {quoted(name)}")
    return MappingProxyType({**OBSERVATION_TYPES, **others})


def check_type(name: str, allowed: Mapping[str, float]) -> str:
    """Return the name of a type that a caller may save.

    Raises:
        InvalidInput: it is reserved, or not allowed; the message lists the allowed ones.
    """
    if name == SUMMARY:
        raise InvalidInput("the type 'summary' is reserved; write one with summarise()")
    return _one_of(name, tuple(allowed))


def check_custom_type(name: str) -> str:
    """Return the name of a custom type.

    Raises:
        InvalidInput: it is reserved, or not a valid name.
    """
    if name == SUMMARY:
        raise InvalidInput("custom_type 'summary' is reserved; write one with summarise()")
    return check_name(name, what="custom_type")


def check_stored_type(name: str, allowed: Mapping[str, float]) -> str:
    """Return the name of a type that a stored observation may have: an allowed one, or `summary`.

    Raises:
        InvalidInput: it is unknown; the message lists the known ones.
    """
    return _one_of(name, (*allowed, SUMMARY))


def default_type(allowed: Mapping[str, float]) -> str:
    """Return the default type: `discovery`, or the type with the lowest priority."""
    return _DEFAULT_TYPE if _DEFAULT_TYPE in allowed else min(allowed, key=lambda name: allowed[name])


def priority(name: str, allowed: Mapping[str, float]) -> float:
    """Return the priority of an observation type, in [0, 1]."""
    return allowed.get(name, SUMMARY_PRIORITY)


def _one_of(name: str, allowed: tuple[str, ...]) -> str:
    if name not in allowed:
        raise InvalidInput(f"unknown observation type {quoted(name)}; use one of {', '.join(allowed)}")
    return name
