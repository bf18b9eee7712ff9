"""Entities and relations of the knowledge graph."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from remembrancer.types.results import Compact


class EntityType(StrEnum):
    """The types of entity."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedEntity:
    """An entity that memories name.

    Args:
        name: in small letters with single spaces, as names are compared.
        memories: the number of visible memories that name it.
    """

    name: str
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRelation:
    """A relation of two entities, or of an entity and a value, with the memories that state it.

    Args:
        subject: the name of its subject, as it was written.
        predicate: such as `works_at`, `lives_in`, `sister_of` or `depends_on`.
        object: the name of its object, or a value, as it was written.
        is_value: whether the object is a value and no entity.
        since: the time of the first statement.
        until: when a newer statement replaced or ended it; `None` while it is valid.
        learnt_at: when the first of the memories was recorded.
        evidence: ids of the memories, oldest first.
    """

    subject: str
    predicate: str
    object: str
    is_value: bool
    since: datetime
    until: datetime | None
    learnt_at: datetime
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPage:
    """The relations and the memories of one entity.

    Args:
        aliases: other names for it.
        relations: those that are valid first, then the former ones; each the latest first.
        mentions: the newest memories that name it.
    """

    name: str
    type: EntityType
    aliases: tuple[str, ...]
    memories: int
    relations: tuple[EntityRelation, ...]
    mentions: tuple[Compact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The entities around one, and the valid relations between them.

    Args:
        distances: the number of relations from the entity, by name.
        is_cut: whether more entities were found than the limit.
    """

    distances: dict[str, int]
    relations: tuple[EntityRelation, ...]
    is_cut: bool
