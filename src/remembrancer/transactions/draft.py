"""Drafts: memories as a caller passes them in, and the checks that they must pass."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import cast

from remembrancer.errors import InvalidInput, quoted
from remembrancer.types.arguments import check_characters, check_fields, member, within
from remembrancer.types.details import (
    Details,
    EpisodeDetails,
    FactDetails,
    Learned,
    ProcedureDetails,
    SignalDetails,
    Value,
)
from remembrancer.types.episode import MAX_COMPACT_CHARACTERS, MAX_SUMMARY_CHARACTERS, Attributes, Entity, Event
from remembrancer.types.new import OBSERVATION_TYPES, SUMMARY, NewRecord, check_custom_type, check_type
from remembrancer.types.notes import MAX_OBSERVATION_BYTES
from remembrancer.types.pattern import MAX_EVIDENCE_WORDS, MAX_QUOTE_WORDS, MAX_RULE_WORDS
from remembrancer.types.record import Json, Metadata, Role, Source
from remembrancer.types.scope import Classification, Trust, check_name, most_restrictive
from remembrancer.types.text import MAX_METADATA_BYTES, check_json, is_blank, printable

MAX_ENTITIES = 32
MAX_ATTRIBUTES = 64
MAX_ATTRIBUTE_CHARACTERS = 400
MAX_VALUE_BYTES = 4 * 1024
# Beyond these, numbers that lie apart are no longer told apart when they are counted.
MOST_COUNTED = 2**53
Clean = Callable[[str], str]
CleanValue = Callable[[Json], Json]


def check_details(text: str, details: Details) -> None:
    """Nothing, where a text with these details may be recorded.

    Raises:
        InvalidInput: it may not; the message says what to change.
    """
    match details:
        case EpisodeDetails():
            compact = details.event is Event.COMPACT
            _check_length(text, MAX_COMPACT_CHARACTERS if compact else MAX_SUMMARY_CHARACTERS)
            _check_concerned(details.entities, details.attributes)
        case SignalDetails():
            _check_length(text, MAX_SUMMARY_CHARACTERS, least=0)
            _check_concerned(details.entities, details.attributes)
        case FactDetails():
            check_fact(details)
        case ProcedureDetails():
            check_rule(text)
        case Learned():
            check_words(text, MAX_QUOTE_WORDS, what="an observation of the detector")
            check_words(details.evidence, MAX_EVIDENCE_WORDS, what="evidence")
            check_words(details.rule, MAX_RULE_WORDS, what="a rule")


def check_rule(text: str) -> str:
    """The rule, if a procedure may have it.

    Raises:
        InvalidInput: it is empty or too long.
    """
    if is_blank(text):
        raise InvalidInput("a rule must not be empty")
    check_words(text, MAX_RULE_WORDS, what="a rule")
    return text


def check_words(text: str, most: int, *, what: str) -> None:
    """Nothing, where a text has so many words at most.

    Raises:
        InvalidInput: it has more.
    """
    count = len(text.split())
    if count > most:
        raise InvalidInput(f"{what} has {count} words; at most {most} are allowed, so say it shorter")


def _check_length(text: str, most: int, *, least: int = 1) -> None:
    if least and is_blank(text):
        raise InvalidInput("a summary must not be empty; say in a few words what was done")
    if len(text) > most:
        raise InvalidInput(
            f"a summary has {len(text)} characters; at most {most} are allowed: say what was done, not the content"
        )


def _check_concerned(entities: Sequence[Entity], attributes: Attributes) -> None:
    if len(entities) > MAX_ENTITIES:
        raise InvalidInput(f"{len(entities)} entities; at most {MAX_ENTITIES} are allowed")
    for entity in entities:
        check_name(entity.type, what="the type of an entity")
        check_name(entity.name, what="the name of an entity")
        if entity.type != entity.type.lower():
            raise InvalidInput(f"the type of an entity is lower case: {quoted(entity.type.lower())}")
    if len(attributes) > MAX_ATTRIBUTES:
        raise InvalidInput(f"{len(attributes)} attributes; at most {MAX_ATTRIBUTES} are allowed")
    for name, value in attributes.items():
        check_name(name, what="the name of an attribute")
        _check_attribute(name, value)


def _check_attribute(name: str, value: object) -> None:
    if isinstance(value, int):
        if abs(value) > MOST_COUNTED:
            raise InvalidInput(f"attribute {quoted(name)} is beyond {MOST_COUNTED:,}; write such a number as text")
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"attribute {quoted(name)} is {value}, which is no number")
        return
    if not isinstance(value, str):
        raise InvalidInput(f"attribute {quoted(name)} must be text, a number or a truth; the rest is metadata")
    check_characters(value, what=f"attribute {quoted(name)}")
    if len(value) > MAX_ATTRIBUTE_CHARACTERS:
        raise InvalidInput(
            f"attribute {quoted(name)} has {len(value)} characters; at most {MAX_ATTRIBUTE_CHARACTERS} are allowed"
        )


def check_fact(details: FactDetails) -> None:
    """Nothing, where a fact may be recorded.

    Raises:
        InvalidInput: it may not; the message says what to change.
    """
    check_name(details.key, what="the key of a fact")
    if not all(not is_blank(part) for part in details.key.split("/")):
        raise InvalidInput(
            f"the key of a fact, {quoted(details.key)}, has an empty part; write it such as contact/tone"
        )
    check_json(details.value, what="the value of a fact", most=MAX_VALUE_BYTES)
    if details.valid_to is not None and details.valid_to <= details.valid_from:
        raise InvalidInput("a fact ends after it begins: valid_to must be later than valid_from")


def fact_in_words(key: str, value: Value) -> str:
    """How a fact reads: the last part of its key, and its value."""
    return f"{key_in_words(key)}: {_value_in_words(value)}"


def key_in_words(key: str) -> str:
    """What a fact is about: the parts of its key."""
    *path, name = key.split("/")
    about = f"{' / '.join(path)}: " if path else ""
    return f"{about}{name.replace('_', ' ')}"


def _value_in_words(value: Value) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case str() | int() | float():
            return str(value)
        case Mapping():
            held = cast(Mapping[str, Value], value)
            return "; ".join(f"{name.replace('_', ' ')} {_value_in_words(one)}" for name, one in held.items())
        case _:
            return ", ".join(_value_in_words(one) for one in value)


def cleaned_details(details: Details, clean: Clean, clean_name: Clean, clean_value: CleanValue) -> Details:
    """The details with every string of theirs cleaned.

    Args:
        clean_name: for what names something: two names that differ in what is taken out stay two.
        clean_value: for values in which a name says what a text is.
    """
    match details:
        case EpisodeDetails() | SignalDetails():
            return replace(
                details,
                entities=_entities(details.entities, clean),
                attributes=cast(Attributes, clean_value(dict(sorted(details.attributes.items())))),
            )
        case FactDetails():
            return replace(
                details, key=clean_name(details.key), value=cast(Value, clean_value(cast(Json, details.value)))
            )
        case Learned():
            return replace(details, key=clean(details.key), evidence=clean(details.evidence), rule=clean(details.rule))
        case ProcedureDetails():
            return details


def _entities(entities: Sequence[Entity], clean: Clean) -> tuple[Entity, ...]:
    return tuple(Entity(type=clean(entity.type), name=clean(entity.name)) for entity in entities)


_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_EXAMPLE = "019cadcb-2e60-8331-b061-787f6a94bf24"
MAX_MESSAGE_BYTES = 1024 * 1024
MAX_CONTENT_BYTES = 16 * 1024 * 1024
MAX_TITLE_CHARACTERS = 200
MAX_TAGS = 64
MAX_KEY_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """What an engine says of what it concluded.

    Args:
        engine: which one, with its version.
        model: the language model that it asked, or `""`.
        first, last: numbers of the messages that it was drawn from, both inclusive; 0 for none.
        place: in the log, for what is shown at once.
        shown: `False` where it waits to be shown with others.
        insight: whether it is a reflection.
    """

    engine: str
    model: str = ""
    priority: int
    refers_to: str = ""
    first: int = 0
    last: int = 0
    place: int | None = None
    shown: bool = True
    insight: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory as a caller hands it over. A message has a `role`, an observation a `type`.

    Args:
        type, title, tags, importance, trust, classification: `None` says nothing of it; an empty title or no tags are
            that there is none.
        custom_type: whether `type` is none that the deployment has to allow.
        insight: whether it is a reflection that a caller wrote.
        metadata: a name with `None` is taken away from what stands under it.
        asks: which class its texts ask for by what they hold and name.
        id: only for imports, whose ids are derived from source and position.
        key: an idempotency key.
        derived: only for what an engine of ours concluded.
        valid_until: until when an observation is valid, exclusive.
        details: of an episode, a signal, a fact, a procedure, or of what the detector observed.
    """

    text: str
    session: str | None = None
    role: Role | None = None
    speaker: str = ""
    type: str | None = None
    custom_type: bool = False
    insight: bool = False
    title: str | None = None
    topic_key: str | None = None
    tags: Sequence[str] | None = None
    metadata: Metadata = field(default_factory=dict[str, Json])
    author: str = ""
    source: Source = Source.TOOL
    occurred_at: datetime | None = None
    importance: float | None = None
    trust: Trust | None = None
    classification: Classification | None = None
    asks: Classification = Classification.PUBLIC
    evidence: Sequence[str] = ()
    id: str | None = None
    key: str | None = None
    derived: Derived | None = None
    details: Details | None = None
    valid_until: datetime | None = None


def drafted(new: NewRecord, text: str, *, trust: str | None = None, classification: str | None = None) -> Draft:
    """What a caller said of a record, with its text; what its kind has beside is to be added.

    Raises:
        InvalidInput: a field is not of its type, or names nothing that there is.
    """
    check_fields(new)
    return Draft(
        text=text,
        session=new.session,
        occurred_at=new.occurred_at,
        tags=new.tags,
        metadata=new.metadata,
        author=new.author,
        source=member(Source, new.source, "source"),
        trust=None if trust is None else member(Trust, trust, "trust"),
        classification=None if classification is None else member(Classification, classification, "classification"),
        importance=new.importance,
        key=new.key,
    )


def check(draft: Draft, types: Mapping[str, float] = OBSERVATION_TYPES) -> Draft:
    """The draft, with its times in UTC, if it may be recorded.

    Raises:
        InvalidInput: something in it is not allowed; the message says what and what to change.
    """
    check_fields(draft)
    _check_text(draft)
    if draft.id is not None and not _UUID.fullmatch(draft.id):
        raise InvalidInput(f"an id must be a UUID in lower case, such as {_EXAMPLE}")
    if draft.importance is not None:
        within(draft.importance, 0, 1, what="importance")
    if draft.details is not None:
        check_details(draft.text, draft.details)
    if draft.type and draft.custom_type:
        check_custom_type(draft.type)
    elif draft.type and draft.type != SUMMARY:
        check_type(draft.type, types)
    for name, what in ((draft.session, "session"), (draft.topic_key, "topic_key"), (draft.key, "idempotency key")):
        if name is not None:
            check_name(name, what=what)
    if len(draft.speaker) > MAX_KEY_CHARACTERS or len(draft.author) > MAX_KEY_CHARACTERS:
        raise InvalidInput(f"speaker and author may have {MAX_KEY_CHARACTERS} characters at most")
    _check_tags(draft.tags or ())
    check_json(draft.metadata, what="metadata", most=MAX_METADATA_BYTES)
    return _with_named_class(draft)


def _with_named_class(draft: Draft) -> Draft:
    """The draft; a class in its metadata, in any case, counts as the argument; another word is the caller's own."""
    named = draft.metadata.get("classification")
    word = named.strip().lower() if isinstance(named, str) else ""
    if word not in list(Classification):
        return draft
    said = [Classification(word)] if draft.classification is None else [Classification(word), draft.classification]
    return replace(draft, classification=most_restrictive(said))


def _check_text(draft: Draft) -> None:
    limit = MAX_MESSAGE_BYTES if draft.role else MAX_OBSERVATION_BYTES
    size = len(check_characters(draft.text, what="text").encode())
    if size > limit:
        raise InvalidInput(f"text has {size} bytes; at most {limit} are allowed, so split it")
    # A signal says what it says by its attributes.
    if not draft.role and not isinstance(draft.details, SignalDetails) and is_blank(draft.text):
        raise InvalidInput("text must not be empty")
    if len(check_characters(draft.title or "", what="title")) > MAX_TITLE_CHARACTERS:
        raise InvalidInput(f"title has {len(draft.title or '')} characters; at most {MAX_TITLE_CHARACTERS} are allowed")
    check_characters(draft.speaker + draft.author, what="speaker or author")
    if not (printable(draft.speaker) and printable(draft.author)):
        raise InvalidInput("speaker or author holds control characters; remove them")


def _check_tags(tags: Sequence[str]) -> None:
    if len(tags) > MAX_TAGS:
        raise InvalidInput(f"{len(tags)} tags; at most {MAX_TAGS} are allowed")
    for tag in tags:
        check_name(tag, what="a tag")
