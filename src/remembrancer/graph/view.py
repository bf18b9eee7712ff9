"""Queries of the graph: lists, one entity, what is around it, and ways between two."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from remembrancer.errors import NotFound
from remembrancer.graph.aliases import EntityNames, names_of_entity
from remembrancer.graph.counted import shown_names
from remembrancer.graph.reader import GraphReader, shown
from remembrancer.graph.types import entity_type
from remembrancer.language.names import named
from remembrancer.storage.tx import Tx
from remembrancer.types.graph import EntityPage, EntityRelation, EntityType, NamedEntity, Neighbourhood
from remembrancer.types.results import to_compact

MOST_MENTIONS: Final = 20
# The newest memories of each entity that are read on the way to others.
_MOST_ON_THE_WAY: Final = 100
# The newest memories with relations that are read for a list of all.
MOST_OF_ALL: Final = 20_000
_MOST_TEXTS: Final = 50
_MOST_NEAR: Final = 3
_MOST_ENTITIES: Final = 200


async def entities(tx: Tx, part: str, *, limit: int) -> list[NamedEntity]:
    """Return the entities whose name contains a text, those of the most memories first."""
    wanted = named(part)
    if part.strip() and not wanted:
        return []
    found = await tx.text_index.names_with(wanted, limit=2 * limit + 50)
    counts = await shown_names(tx, [name for name, _ in found])
    return [NamedEntity(name=name, memories=count) for name, count in found if name in counts][:limit]


async def entity(tx: Tx, name: str, *, as_of: datetime | None, valid_at: datetime | None) -> EntityPage:
    """Return what memory has on an entity.

    Args:
        as_of: what was known then.
        valid_at: only relations that are valid then.

    Raises:
        NotFound: no visible memory names it.
    """
    reader = GraphReader(tx, as_of=as_of)
    names = await _names(reader, name)
    relations = await reader.relations(names.every, await reader.stating(names.every))
    mentions = await reader.naming(names.every, most=_MOST_TEXTS)
    valid = [one for one in relations if valid_at is None or one.is_valid(valid_at)]
    return EntityPage(
        name=names.full,
        type=entity_type(names.every, relations, mentions),
        aliases=names.aliases,
        memories=await reader.count(names.every),
        relations=tuple(sorted(valid, key=lambda one: (one.until is not None, -one.since.timestamp()))),
        mentions=tuple(map(to_compact, mentions[:MOST_MENTIONS])),
    )


async def check_known(tx: Tx, name: str) -> None:
    """Check that a visible memory names an entity.

    Raises:
        NotFound: none does.
    """
    await _names(GraphReader(tx), name)


async def _names(reader: GraphReader, name: str) -> EntityNames:
    """Return the names of the entity that a name means.

    Raises:
        NotFound: no visible memory names it.
    """
    names = await names_of_entity(reader, name)
    if not await reader.count(names.every):
        near = await reader.names_with_word(named(name)) if " " not in named(name) else []
        raise NotFound("entity", name, near=[one for one in near if one != named(name)][:_MOST_NEAR])
    return names


async def changes(tx: Tx, name: str, *, since: datetime, until: datetime | None) -> list[EntityRelation]:
    """Return the relations of an entity that began, ended or were learnt in a period, the latest change first.

    Raises:
        NotFound: no visible memory names it.
    """
    page = await entity(tx, name, as_of=None, valid_at=None)

    def changed(one: EntityRelation) -> list[datetime]:
        times = (one.since, one.learnt_at, *([one.until] if one.until else []))
        return [time for time in times if since <= time and (until is None or time < until)]

    return sorted((one for one in page.relations if changed(one)), key=lambda one: max(changed(one)), reverse=True)


async def neighbours(
    tx: Tx, name: str, *, depth: int, limit: int, as_of: datetime | None, valid_at: datetime | None
) -> Neighbourhood:
    """Return the entities within some relations of one, the nearest first.

    Raises:
        NotFound: no visible memory names it.
    """
    walk = _Walk(GraphReader(tx, as_of=as_of), valid_at, limit)
    await walk.begin(name)
    for _ in range(depth):
        await walk.step()
    relations = tuple(walk.between())
    return Neighbourhood(distances=walk.distances, types=walk.types, relations=relations, is_cut=walk.is_cut)


async def path(
    tx: Tx, start: str, end: str, *, depth: int, as_of: datetime | None, valid_at: datetime | None
) -> Sequence[EntityRelation]:
    """Return the relations of a shortest way from one entity to another; empty if there is none.

    Raises:
        NotFound: no visible memory names one of them.
    """
    reader = GraphReader(tx, as_of=as_of)
    goal = await _names(reader, end)
    walk = _Walk(reader, valid_at, _MOST_ENTITIES)
    await walk.begin(start)
    for _ in range(depth):
        if goal.full in walk.ways:
            break
        await walk.step()
    return walk.ways.get(goal.full, ())


async def relations(tx: Tx, *, limit: int, as_of: datetime | None, valid_at: datetime | None) -> list[EntityRelation]:
    """Return the relations that memories state, the latest first."""
    found = await GraphReader(tx, as_of=as_of).all_relations(most=MOST_OF_ALL)
    valid = [one for one in found if valid_at is None or one.is_valid(valid_at)]
    return sorted(valid, key=lambda one: one.since, reverse=True)[:limit]


@dataclass(slots=True)
class _Step:
    names: EntityNames
    relations: list[EntityRelation]


class _Walk:
    """A walk along valid relations, by distance.

    Attributes:
        distances: of each entity that was reached, by its fullest name.
        types: of each, as far as its relations and its name show.
        ways: the relations that lead to each.
    """

    def __init__(self, reader: GraphReader, valid_at: datetime | None, limit: int) -> None:
        self._reader = reader
        self._valid_at = valid_at
        self._limit = limit
        self._edge: list[_Step] = []
        self._full: dict[str, str] = {}
        self._relations: list[EntityRelation] = []
        self.distances: dict[str, int] = {}
        self.types: dict[str, EntityType] = {}
        self.ways: dict[str, tuple[EntityRelation, ...]] = {}
        self.is_cut = False

    async def begin(self, name: str) -> None:
        """Begin at an entity.

        Raises:
            NotFound: no visible memory names it.
        """
        await self._reach(await _names(self._reader, name), ())

    async def step(self) -> None:
        """Reach the entities that are one relation further away."""
        edge, self._edge = self._edge, []
        for around in edge:
            way = self.ways[around.names.full]
            for one in around.relations:
                ends = {named(one.subject)} if one.is_value else {named(one.subject), named(one.object)}
                for end in sorted(ends - set(around.names.every)):
                    await self._go(end, one, way)

    def between(self) -> Iterable[EntityRelation]:
        """Return the relations between the entities that were reached, each once, with their fullest names."""
        texts = shown(self._full, (text for one in self._relations for text in (one.subject, one.object)))
        found: dict[tuple[str, str, str], EntityRelation] = {}
        for one in self._relations:
            subject, object = named(one.subject), named(one.object)
            if subject in texts and (one.is_value or object in texts):
                end = one.object if one.is_value else texts[object]
                relation = replace(one, subject=texts[subject], object=end)
                found.setdefault((texts[subject], one.predicate, end), relation)
        return found.values()

    async def _go(self, name: str, relation: EntityRelation, way: tuple[EntityRelation, ...]) -> None:
        if name in self._full:
            return
        if len(self.distances) >= self._limit:
            self.is_cut = True
            return
        names = await names_of_entity(self._reader, name)
        if names.full in self.distances:
            self._full[name] = names.full
        else:
            await self._reach(names, (*way, relation))

    async def _reach(self, names: EntityNames, way: tuple[EntityRelation, ...]) -> None:
        records = await self._reader.stating(names.every, most=_MOST_ON_THE_WAY)
        relations = await self._reader.relations(names.every, records)
        valid = [one for one in relations if one.is_valid(self._valid_at)]
        self.distances[names.full] = len(way)
        self.types[names.full] = entity_type(names.every, relations, ())
        self.ways[names.full] = way
        self._full |= names.every
        self._relations += valid
        self._edge.append(_Step(names, valid))
