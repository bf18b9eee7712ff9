"""What is private or secret taken out of what one kind of memory has beyond the others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from remembrancer.model.details import (
    Details,
    EpisodeDetails,
    FactDetails,
    Learned,
    ProcedureDetails,
    SignalDetails,
    Value,
)
from remembrancer.model.episode import Attributes, Entity

Clean = Callable[[str], str]


def cleaned_details(details: Details, clean: Clean, clean_name: Clean) -> Details:
    """The details with every string of theirs cleaned.

    Args:
        clean_name: for what names something: two names that differ in what is taken out stay two.
    """
    match details:
        case EpisodeDetails() | SignalDetails():
            return replace(
                details,
                entities=_entities(details.entities, clean),
                attributes=_attributes(details.attributes, clean),
            )
        case FactDetails():
            return replace(details, key=clean_name(details.key), value=_value(details.value, clean))
        case Learned():
            return replace(details, key=clean(details.key), evidence=clean(details.evidence), rule=clean(details.rule))
        case ProcedureDetails():
            return details


def _entities(entities: Sequence[Entity], clean: Clean) -> tuple[Entity, ...]:
    return tuple(Entity(type=clean(entity.type), name=clean(entity.name)) for entity in entities)


def _attributes(attributes: Attributes, clean: Clean) -> Attributes:
    return {
        clean(name): clean(value) if isinstance(value, str) else value for name, value in sorted(attributes.items())
    }


def _value(value: Value, clean: Clean) -> Value:
    match value:
        case str():
            return clean(value)
        case None | bool() | int() | float():
            return value
        case Mapping():
            held = cast(Mapping[str, Value], value)
            return {clean(name): _value(one, clean) for name, one in held.items()}
        case _:
            return [_value(one, clean) for one in value]
