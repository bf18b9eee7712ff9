"""The type of an entity, from what is stated of it."""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

from remembrancer.language.names import IDENTIFIER, named
from remembrancer.language.relations import Predicate
from remembrancer.language.tables import table
from remembrancer.types.graph import EntityRelation, EntityType
from remembrancer.types.record import Episode, Message, Record

_MOST_TEXTS: Final = 50
# A relation counts more for a type than the words around a name.
_OF_RELATION: Final = 3
_TYPE_PREDICATE: Final = "is_a"
_PLACES: Final = frozenset((Predicate.LIVES_IN, Predicate.BORN_IN, Predicate.LOCATED_IN))
_OF_PEOPLE: Final = frozenset(
    (Predicate.WORKS_AT, Predicate.LIVES_IN, Predicate.BORN_IN, Predicate.MARRIED_TO, Predicate.REPORTS_TO)
)
_DECLARED: Final = {
    **{one.value: one for one in EntityType},
    "contact": EntityType.PERSON,
    "human": EntityType.PERSON,
    "user": EntityType.PERSON,
    "company": EntityType.ORGANISATION,
    "organization": EntityType.ORGANISATION,
    "team": EntityType.ORGANISATION,
    "location": EntityType.PLACE,
    "city": EntityType.PLACE,
    "module": EntityType.FILE,
    "tool": EntityType.PRODUCT,
    "technology": EntityType.PRODUCT,
    "library": EntityType.PRODUCT,
}
_TICKET: Final = re.compile(r"[a-z][a-z0-9]{1,9} \d{1,6}")


def entity_type(names: Collection[str], relations: Iterable[EntityRelation], records: Sequence[Record]) -> EntityType:
    """Return the type that most statements about an entity imply.

    Args:
        names: the names of the entity, as they are compared.
    """
    votes = dict.fromkeys(EntityType, 0)
    for one in relations:
        if (type := _implied(one, names)) is not EntityType.OTHER:
            votes[type] += _OF_RELATION
    for record in records[:_MOST_TEXTS]:
        for entity in record.details.entities if isinstance(record, Episode) else ():
            if named(entity.name) in names and entity.type in _DECLARED:
                votes[_DECLARED[entity.type]] += _OF_RELATION
        if isinstance(record, Message) and named(record.speaker) in names:
            votes[EntityType.PERSON] += _OF_RELATION
        text = record.text.casefold()
        for name in names:
            for type, pattern in _cues(name):
                votes[type] += pattern.search(text) is not None
    addresses = [name for name in names if "@" in name]
    for name in names:
        # With a name besides it is of a person.
        votes[EntityType.PERSON if name in addresses and len(addresses) < len(names) else _written(name)] += 1
    votes[EntityType.OTHER] = 0
    best = max(votes, key=lambda type: votes[type])
    return best if votes[best] else EntityType.OTHER


def _implied(relation: EntityRelation, names: Collection[str]) -> EntityType:
    is_subject = named(relation.subject) in names
    predicate = relation.predicate
    if predicate == _TYPE_PREDICATE:
        return _DECLARED.get(relation.object.casefold(), EntityType.OTHER) if is_subject else EntityType.OTHER
    if relation.is_of_kin or (is_subject and predicate in _OF_PEOPLE):
        return EntityType.PERSON
    if predicate == Predicate.WORKS_AT:
        return EntityType.ORGANISATION
    if predicate in _PLACES and not is_subject:
        return EntityType.PLACE
    return EntityType.OTHER


def _written(name: str) -> EntityType:
    """Return the type that the writing of a name shows."""
    if "@" in name:
        return EntityType.ADDRESS
    if IDENTIFIER.fullmatch(name):
        is_site = "." in name.partition("/")[0] and "/" in name and not name.startswith(("/", "~", "."))
        return EntityType.ADDRESS if is_site else EntityType.FILE
    return EntityType.TICKET if _TICKET.fullmatch(name) and len(name.split()[0]) <= 5 else EntityType.OTHER


@lru_cache(maxsize=1_024)
def _cues(name: str) -> Sequence[tuple[EntityType, re.Pattern[str]]]:
    """Return the patterns of texts about an entity of each type, for a name."""
    written = r"[\W_]{1,2}".join(map(re.escape, name.split()))
    return [
        (EntityType(type), re.compile("|".join(cues).replace("{E}", written)))
        for type, languages in table("relations")["types"].items()
        for cues in languages.values()
    ]
