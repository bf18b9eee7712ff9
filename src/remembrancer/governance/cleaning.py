"""What is private or secret taken out of what one kind of memory has beyond the others."""

from collections.abc import Callable, Sequence
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
from remembrancer.model.record import Json

Clean = Callable[[str], str]
CleanValue = Callable[[Json], Json]


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
