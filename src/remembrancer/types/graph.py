"""Entities and relations of the knowledge graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from remembrancer.types.results import Compact

RELATIONS: Final = "relations"
"""The entry of an observation's metadata with the relations that it declares: a list of objects.

Each has `subject`, `predicate` and `object`, and may have `is_value` and `ended` (booleans) and `since` (a date).
"""


def declared_relations(relations: Sequence[tuple[str, str, str]]) -> Mapping[str, Any]:
    """Return the metadata that declare relations, each with a subject, a predicate and an object; empty for none."""
    names = ("subject", "predicate", "object")
    return {RELATIONS: [dict(zip(names, one, strict=True)) for one in relations]} if relations else {}


class EntityType(StrEnum):
    """The types of entity."""

    PERSON = "person"
    ORGANISATION = "organisation"
    PLACE = "place"
    PROJECT = "project"
    PRODUCT = "product"
    FILE = "file"
    ADDRESS = "address"
    TICKET = "ticket"
    OTHER = "other"


class AliasReason(StrEnum):
    """Why two names are of one entity."""

    DECLARED = "declared"
    PART_OF_NAME = "part-of-name"
    ADDRESS = "address"
    LEGAL_FORM = "legal-form"
    SPELLING = "spelling"
    INITIALS = "initials"


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
class Alias:
    """Another name of an entity.

    Args:
        name: in small letters with single spaces, as names are compared.
        reason: a memory declares it, or it is a part of the full name that no other name has, the address, the name
            without its legal form, with initials, or in another spelling.
        evidence: the id of the memory that declares it; `""` for other reasons.
    """

    name: str
    reason: AliasReason
    evidence: str = ""


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
        confidence: in (0, 1]: 1 if a caller declared it, otherwise 1 - 0.1ⁿ for n memories; of sentences that were
            marked, nine in ten relations are right.
        evidence: ids of the memories, oldest first.
    """

    subject: str
    predicate: str
    object: str
    is_value: bool
    since: datetime
    until: datetime | None
    learnt_at: datetime
    confidence: float
    evidence: tuple[str, ...]

    @property
    def is_of_kin(self) -> bool:
        """True for a relation of kin or company, such as `sister_of` or `boss_of`."""
        return self.predicate.endswith("_of") and self.predicate != "member_of"

    def is_valid(self, at: datetime | None) -> bool:
        """Return whether it is valid at a time; `None` for now. Birth and kin are valid before they are stated."""
        if at is None:
            return self.until is None
        is_lasting = self.predicate == "born_in" or self.is_of_kin
        return (is_lasting or self.since <= at) and (self.until is None or at < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityPage:
    """The relations and the memories of one entity.

    Args:
        aliases: other names for it, each with its reason.
        relations: those that are valid first, then the former ones; each the latest first.
        mentions: the newest memories that name it.
    """

    name: str
    type: EntityType
    aliases: tuple[Alias, ...]
    memories: int
    relations: tuple[EntityRelation, ...]
    mentions: tuple[Compact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The entities around one, and the relations between them.

    Args:
        distances: the number of relations from the entity, by name.
        types: the type of each entity, as far as its relations and its name show.
        is_cut: whether more entities were found than the limit.
    """

    distances: dict[str, int]
    types: dict[str, EntityType]
    relations: tuple[EntityRelation, ...]
    is_cut: bool
