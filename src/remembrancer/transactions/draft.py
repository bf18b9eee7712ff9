"""Drafts: memories as a caller passes them in, and their checks."""

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
    PatternDetails,
    RuleDetails,
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
# Beyond these, floating point no longer distinguishes neighbouring integers.
MAX_NUMBER = 2**53
Clean = Callable[[str], str]
CleanValue = Callable[[Json], Json]


def check_details(text: str, details: Details) -> None:
    """Check that a text with these details may be recorded.

    Raises:
        InvalidInput: it may not; the message names the change to make.
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
        case RuleDetails():
            check_rule(text)
        case PatternDetails():
            check_words(text, MAX_QUOTE_WORDS, what="an observation of the detector")
            check_words(details.evidence, MAX_EVIDENCE_WORDS, what="evidence")
            check_words(details.rule, MAX_RULE_WORDS, what="a rule")


def check_rule(text: str) -> str:
    """Return the text of a rule, if it is valid.

    Raises:
        InvalidInput: it is empty or too long.
    """
    if is_blank(text):
        raise InvalidInput("a rule must not be empty")
    check_words(text, MAX_RULE_WORDS, what="a rule")
    return text


def check_words(text: str, most: int, *, what: str) -> None:
    """Check that a text has at most `most` words.

    Raises:
        InvalidInput: it has more.
    """
    count = len(text.split())
    if count > most:
        raise InvalidInput(f"{what} has {count} words; at most {most} are allowed, so shorten it")


def _check_length(text: str, most: int, *, least: int = 1) -> None:
    if least and is_blank(text):
        raise InvalidInput("a summary must not be empty; describe in a few words what was done")
    if len(text) > most:
        raise InvalidInput(
            f"a summary has {len(text)} characters; at most {most} are allowed: describe what was done, not the content"
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
        if abs(value) > MAX_NUMBER:
            raise InvalidInput(f"attribute {quoted(name)} is beyond {MAX_NUMBER:,}; write such a number as text")
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"attribute {quoted(name)} is {value}, which is not a finite number")
        return
    if not isinstance(value, str):
        raise InvalidInput(f"attribute {quoted(name)} must be text, a number or a boolean; use metadata for the rest")
    check_characters(value, what=f"attribute {quoted(name)}")
    if len(value) > MAX_ATTRIBUTE_CHARACTERS:
        raise InvalidInput(
            f"attribute {quoted(name)} has {len(value)} characters; at most {MAX_ATTRIBUTE_CHARACTERS} are allowed"
        )


def check_fact(details: FactDetails) -> None:
    """Check that a fact may be recorded.

    Raises:
        InvalidInput: it may not; the message names the change to make.
    """
    check_name(details.key, what="the key of a fact")
    if not all(not is_blank(part) for part in details.key.split("/")):
        raise InvalidInput(
            f"the key of a fact, {quoted(details.key)}, has an empty part; use a key such as contact/tone"
        )
    check_json(details.value, what="the value of a fact", most=MAX_VALUE_BYTES)
    if details.valid_to is not None and details.valid_to <= details.valid_from:
        raise InvalidInput("a fact ends after it begins: valid_to must be later than valid_from")


def fact_text(key: str, value: Value) -> str:
    """Return the text of a fact: its key and its value in words."""
    return f"{fact_key_text(key)}: {_value_in_words(value)}"


def fact_key_text(key: str) -> str:
    """Return the parts of the key of a fact in words."""
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
            items = cast(Mapping[str, Value], value).items()
            return "; ".join(f"{name.replace('_', ' ')} {_value_in_words(one)}" for name, one in items)
        case _:
            return ", ".join(_value_in_words(one) for one in value)


def cleaned_details(details: Details, clean: Clean, clean_name: Clean, clean_value: CleanValue) -> Details:
    """Return details with all their strings cleaned.

    Args:
        clean_name: cleans keys; two keys that differ only in what is removed stay different.
        clean_value: cleans JSON values, whose field names classify their texts.
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
        case PatternDetails():
            return replace(details, key=clean(details.key), evidence=clean(details.evidence), rule=clean(details.rule))
        case RuleDetails():
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
    """The provenance of a memory that an engine derived.

    Args:
        engine: the engine with its version.
        model: the language model that it called, or `""`.
        first, last: numbers of the messages that it derives from, both inclusive; 0 for none.
        place: in the log, for a note that is shown at once.
        shown: `False` for a note that is shown later, with others.
        insight: it is a reflection.
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
    """A memory as a caller passes it in.

    A message has a `role`, an observation a `type`.

    Args:
        type, title, tags, importance, trust, classification: `None` leaves the stored value; an empty title or empty
            tags remove it.
        custom_type: `type` need not be one of the deployment's.
        insight: it is a reflection that a caller wrote.
        metadata: a name with the value `None` is removed from the stored metadata.
        text_class: the class that its texts require by their content.
        id: only for imports, whose ids are derived from source and position.
        key: an idempotency key.
        derived: only for a memory that an engine derived.
        valid_until: the end of validity of an observation, exclusive.
        details: of an episode, a signal, a fact, a rule, or an observation of the detector.
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
    text_class: Classification = Classification.PUBLIC
    evidence: Sequence[str] = ()
    id: str | None = None
    key: str | None = None
    derived: Derived | None = None
    details: Details | None = None
    valid_until: datetime | None = None


def draft_from(new: NewRecord, text: str, *, trust: str | None = None, classification: str | None = None) -> Draft:
    """Return a draft with the shared fields of a new record.

    The caller adds those of its kind.

    Raises:
        InvalidInput: a field is not of its type, or not one of its values.
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


def checked_draft(draft: Draft, types: Mapping[str, float] = OBSERVATION_TYPES) -> Draft:
    """Return a valid draft, classified at least as its metadata states.

    Raises:
        InvalidInput: a field is not allowed; the message names it and the change to make.
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
    # The metadata of a message may contain files.
    check_json(draft.metadata, what="metadata", most=MAX_CONTENT_BYTES if draft.role else MAX_METADATA_BYTES)
    return _with_named_class(draft)


def _with_named_class(draft: Draft) -> Draft:
    """Apply a class that the metadata names, in any letter case.

    Other words have no meaning here.
    """
    value = draft.metadata.get("classification")
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in list(Classification):
        return draft
    classes = [Classification(word)] if draft.classification is None else [Classification(word), draft.classification]
    return replace(draft, classification=most_restrictive(classes))


def check_text(text: str, limit: int) -> None:
    """Check that a text can be stored.

    Args:
        limit: the most bytes.

    Raises:
        InvalidInput: it is longer, or has a character that cannot be stored.
    """
    size = len(check_characters(text, what="text").encode())
    if size > limit:
        raise InvalidInput(f"text has {size} bytes; at most {limit} are allowed, so split it")


def _check_text(draft: Draft) -> None:
    check_text(draft.text, MAX_MESSAGE_BYTES if draft.role else MAX_OBSERVATION_BYTES)
    # The content of a signal is in its attributes.
    if not draft.role and not isinstance(draft.details, SignalDetails) and is_blank(draft.text):
        raise InvalidInput("text must not be empty")
    if len(check_characters(draft.title or "", what="title")) > MAX_TITLE_CHARACTERS:
        raise InvalidInput(f"title has {len(draft.title or '')} characters; at most {MAX_TITLE_CHARACTERS} are allowed")
    check_characters(draft.speaker + draft.author, what="speaker or author")
    if not (printable(draft.speaker) and printable(draft.author)):
        raise InvalidInput("speaker or author contains control characters; remove them")


def _check_tags(tags: Sequence[str]) -> None:
    if len(tags) > MAX_TAGS:
        raise InvalidInput(f"{len(tags)} tags; at most {MAX_TAGS} are allowed")
    for tag in tags:
        check_name(tag, what="a tag")
