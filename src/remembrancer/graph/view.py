"""Queries of the graph, answered from the memories themselves.

No table of edges exists: each query finds the memories that name an entity by the text index, and reads the relations
that their texts state. So an edge has evidence, is visible to whom a memory of it is visible, and ends with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np

from remembrancer.errors import NotFound
from remembrancer.graph.counted import counted_names
from remembrancer.language.analysis import name_term
from remembrancer.language.dates.questions import spans
from remembrancer.language.names import named, names_of
from remembrancer.language.relations import ONE_AT_A_TIME, Predicate, Relation
from remembrancer.storage.tx import Tx
from remembrancer.transactions.relations import relations_in
from remembrancer.types.filter import Filter
from remembrancer.types.graph import EntityPage, EntityRelation, EntityType, NamedEntity, Neighbourhood
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import Record
from remembrancer.types.results import to_compact

# The newest memories of an entity that are read.
MOST_READ: Final = 500
MOST_MENTIONS: Final = 20
_MOST_NAMES: Final = 200
_PLACES: Final = frozenset((Predicate.LIVES_IN, Predicate.BORN_IN, Predicate.LOCATED_IN))
_OF_PEOPLE: Final = frozenset(
    (Predicate.WORKS_AT, Predicate.LIVES_IN, Predicate.BORN_IN, Predicate.MARRIED_TO, Predicate.REPORTS_TO)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statement:
    """A relation with the memory that states it, and its beginning."""

    relation: Relation
    record: Record
    began: datetime

    @property
    def subject(self) -> str:
        """The subject, as names are compared."""
        return named(self.relation.subject)

    @property
    def ends(self) -> set[str]:
        """Its subject and its object, as names are compared."""
        return {self.subject, named(self.relation.object)}


async def entities(tx: Tx, part: str, *, limit: int) -> list[NamedEntity]:
    """Return the entities whose name contains a text, those of the most memories first."""
    wanted = named(part)
    if part.strip() and not wanted:
        return []
    found = await tx.text_index.names_with(wanted, limit=2 * limit)
    used = await counted_names(tx, [name for name, _ in found])
    return [NamedEntity(name=name, memories=count) for name, count in found if name in used][:limit]


async def entity(tx: Tx, name: str, *, as_of: datetime | None) -> EntityPage:
    """Return what memory has on an entity.

    Args:
        as_of: what was known then.

    Raises:
        NotFound: no visible memory names it.
    """
    names = await _names(tx, name)
    records = await _naming(tx, names, as_of)
    if not records:
        raise NotFound("entity", name)
    relations = await _relations(tx, names, records, as_of)
    return EntityPage(
        name=_full(names),
        type=_type(relations, names),
        aliases=tuple(one for one in names if one != _full(names)),
        memories=len(records),
        relations=tuple(sorted(relations, key=lambda one: (one.until is not None, -one.since.timestamp()))),
        mentions=tuple(map(to_compact, records[:MOST_MENTIONS])),
    )


async def neighbours(tx: Tx, name: str, *, depth: int, limit: int, as_of: datetime | None) -> Neighbourhood:
    """Return the entities within some valid relations of one, the nearest first.

    Raises:
        NotFound: no visible memory names it.
    """
    names = await _names(tx, name)
    distances: dict[str, int] = {_full(names): 0}
    relations: dict[tuple[str, str, str], EntityRelation] = {}
    edge, is_cut = [names], False
    for distance in range(1, depth + 1):
        found = dict[str, None]()
        for around in edge:
            records = await _naming(tx, around, as_of)
            if not records and distance == 1:
                raise NotFound("entity", name)
            for one in await _relations(tx, around, records, as_of):
                if one.until is None:
                    relations.setdefault((named(one.subject), one.predicate, named(one.object)), one)
                    ends = [one.subject] if one.is_value else [one.subject, one.object]
                    found |= dict.fromkeys(named(end) for end in ends)
        known = {alias for names_of_one in edge for alias in names_of_one}
        new = [one for one in found if one not in distances and one not in known]
        is_cut = is_cut or len(distances) + len(new) > limit
        new = new[: limit - len(distances)]
        distances |= dict.fromkeys(new, distance)
        edge = [await _names(tx, one) for one in new]
    return Neighbourhood(distances=distances, relations=tuple(relations.values()), is_cut=is_cut)


async def path(tx: Tx, start: str, end: str, *, depth: int, as_of: datetime | None) -> Sequence[EntityRelation]:
    """Return the valid relations of a shortest way from one entity to another; empty if there is none.

    Raises:
        NotFound: no visible memory names one of them.
    """
    goal = set(await _names(tx, end))
    if not await _naming(tx, list(goal), as_of):
        raise NotFound("entity", end)
    ways: dict[str, tuple[EntityRelation, ...]] = {named(start): ()}
    edge = [await _names(tx, start)]
    for distance in range(depth):
        following: list[Sequence[str]] = []
        for around in edge:
            records = await _naming(tx, around, as_of)
            if not records and distance == 0:
                raise NotFound("entity", start)
            way = next(ways[one] for one in around if one in ways)
            for one in await _relations(tx, around, records, as_of):
                if one.until is not None or one.is_value:
                    continue
                other = next((key for key in (named(one.subject), named(one.object)) if key not in around), "")
                if other in goal:
                    return (*way, one)
                if other and other not in ways and len(ways) < _MOST_NAMES:
                    ways[other] = (*way, one)
                    following.append(await _names(tx, other))
        edge = following
    return ()


async def _names(tx: Tx, name: str) -> list[str]:
    """Return the names of an entity: its own, then its full name or its parts, where no other entity has them.

    `Bertelli` and `Marco` mean `Marco Bertelli` if no other full name contains them; so does an address.
    """
    key = named(name.partition("@")[0])
    full = await _full_names(tx, key) if key and " " not in key else [key]
    if len(full) != 1 or not key:
        return [key]
    words = [word for word in dict.fromkeys(full[0].split()) if len(word) > 1]
    ends = [word for word in (words[0], words[-1]) if await _full_names(tx, word) in (full, [])] if words[1:] else []
    return list(dict.fromkeys((key, *full, *ends)))


async def _full_names(tx: Tx, word: str) -> list[str]:
    """Return the names of two or three words that begin or end with a word."""
    found = await tx.text_index.names_with(word, limit=_MOST_NAMES)
    names = [name.split() for name, _ in found]
    return [" ".join(parts) for parts in names if 2 <= len(parts) <= 3 and word in (parts[0], parts[-1])]


async def _naming(tx: Tx, names: Iterable[str], as_of: datetime | None) -> list[Record]:
    """Return the newest memories that have one of some names, the newest first."""
    wanted = set(names)
    statistics = await tx.text_index.statistics()
    places = [(one.scope, name_term(name)) for one in statistics for name in wanted]
    postings = await tx.text_index.postings(places)
    documents = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *(one.documents for one in postings.values())]))
    records = list((await tx.documents.records(documents[-MOST_READ:].tolist())).values())
    if as_of is not None:
        records = [one for one in records if one.updated_at <= as_of]
        former = await tx.versions.past(Filter(statuses=LIVE, known_by=as_of), at=as_of)
        records += [one for one in former if wanted & {named(name) for name in _named_in(one)}]
    return sorted(records, key=lambda one: (one.occurred_at, one.id), reverse=True)


def _named_in(record: Record) -> Iterable[str]:
    yield from names_of(record.text)
    for one in relations_in(record):
        yield from (one.subject, one.object)


async def _relations(
    tx: Tx, names: Sequence[str], records: Sequence[Record], as_of: datetime | None
) -> list[EntityRelation]:
    """Return the relations of an entity that memories state.

    What ends a relation may name its subject alone, so memories of the subjects are read as well.
    """
    wanted = set(names)
    stated = [one for one in _statements(records) if wanted & one.ends]
    others = {one.subject for one in stated if one.relation.predicate in ONE_AT_A_TIME} - wanted
    if others:
        further = await _naming(tx, others, as_of)
        known = {record.id for record in records}
        stated += [one for one in _statements([one for one in further if one.id not in known]) if one.subject in others]
        stated.sort(key=_order)
    return [one for one in _merged(stated) if wanted & {named(one.subject), named(one.object)}]


def _statements(records: Sequence[Record]) -> list[_Statement]:
    """Return the relations that memories state, those that began first before others."""
    found = [
        _Statement(relation=one, record=record, began=_beginning(one, record))
        for record in records
        for one in relations_in(record)
    ]
    return sorted(found, key=_order)


def _order(statement: _Statement) -> tuple[datetime, datetime, str]:
    return statement.began, statement.record.occurred_at, statement.record.id


def _merged(statements: Sequence[_Statement]) -> list[EntityRelation]:
    """Return each relation once, with all its evidence; one that a newer statement replaces or ends has an end."""
    relations: dict[tuple[str, str, str], EntityRelation] = {}
    current: dict[tuple[str, str], tuple[str, str, str]] = {}
    for one in statements:
        relation = one.relation
        key = (one.subject, relation.predicate, named(relation.object))
        about = key[:2]
        if relation.ended:
            _end(relations, key, one.began)
            continue
        if relation.predicate in ONE_AT_A_TIME:
            if current.get(about, key) != key:
                _end(relations, current[about], one.began)
            current[about] = key
        known = relations.get(key)
        if known is None or known.until is not None:
            relations[key] = _first(one)
        else:
            relations[key] = replace(known, evidence=(*known.evidence, one.record.id))
    return list(relations.values())


def _end(relations: dict[tuple[str, str, str], EntityRelation], key: tuple[str, str, str], at: datetime) -> None:
    if key in relations and relations[key].until is None:
        relations[key] = replace(relations[key], until=at)


def _first(statement: _Statement) -> EntityRelation:
    relation, record = statement.relation, statement.record
    return EntityRelation(
        subject=relation.subject,
        predicate=relation.predicate,
        object=relation.object,
        is_value=not relation.is_name,
        since=statement.began,
        until=None,
        learnt_at=record.recorded_at,
        evidence=(record.id,),
    )


def _beginning(relation: Relation, record: Record) -> datetime:
    """Return the beginning of a relation: the date that its text names, or the time of the text."""
    dates = [span.start for span in spans(relation.since, now=record.occurred_at)] if relation.since else []
    return min([record.occurred_at, *dates])


def _full(names: Sequence[str]) -> str:
    """Return the fullest name."""
    return max(names, key=lambda name: (len(name.split()), len(name)))


def _type(relations: Sequence[EntityRelation], names: Sequence[str]) -> EntityType:
    """Return the type that most relations of an entity imply."""
    wanted, votes = set(names), dict.fromkeys(EntityType, 0)
    for one in relations:
        is_subject, is_kin = (
            named(one.subject) in wanted,
            one.predicate.endswith("_of") and one.predicate != "member_of",
        )
        if is_kin or (is_subject and one.predicate in _OF_PEOPLE):
            votes[EntityType.PERSON] += 1
        elif one.predicate == Predicate.WORKS_AT:
            votes[EntityType.ORGANISATION] += 1
        elif one.predicate in _PLACES and not is_subject:
            votes[EntityType.PLACE] += 1
    best = max(votes, key=lambda type: votes[type])
    return best if votes[best] else EntityType.OTHER
