"""What an episode, a signal, a fact or a procedure may be, what is taken out of it, and the words it is found by."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from remembrancer.errors import InvalidInput, quoted
from remembrancer.types.arguments import check_characters
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
from remembrancer.types.pattern import MAX_EVIDENCE_WORDS, MAX_QUOTE_WORDS, MAX_RULE_WORDS
from remembrancer.types.record import Json
from remembrancer.types.scope import check_name
from remembrancer.types.text import check_json, is_blank

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
        case RuleDetails():
            check_rule(text)
        case PatternDetails():
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
        case PatternDetails():
            return replace(details, key=clean(details.key), evidence=clean(details.evidence), rule=clean(details.rule))
        case RuleDetails():
            return details


def _entities(entities: Sequence[Entity], clean: Clean) -> tuple[Entity, ...]:
    return tuple(Entity(type=clean(entity.type), name=clean(entity.name)) for entity in entities)
