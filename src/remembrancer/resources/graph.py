"""The knowledge graph: entities, their relations, and ways between them."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.graph import view
from remembrancer.resources.resource import Resource
from remembrancer.types.arguments import within
from remembrancer.types.graph import EntityPage, EntityRelation, NamedEntity, Neighbourhood
from remembrancer.types.scope import check_name
from remembrancer.types.times import optional_utc

MAX_DEPTH = 5
MAX_ENTITIES = 1_000


class Graph(Resource, path="graph"):
    """The knowledge graph of one scope, read from the memories that name its entities. Reached as `memory.graph`."""

    async def entities(self, part: str = "", *, limit: int = 50) -> Sequence[NamedEntity]:
        """Return the entities whose name contains a text, those of the most memories first.

        Args:
            part: a part of the name; all by default.
            limit: 1 to 1,000.
        """
        within(limit, 1, MAX_ENTITIES, what="limit")
        return await self._unit.read(lambda tx: view.entities(tx, part, limit=limit))

    async def entity(self, name: str, *, as_of: datetime | None = None) -> EntityPage:
        """Return the relations of an entity, its other names, and the newest memories that name it.

        Args:
            name: its name, a part of it that no other has, or an e-mail address.
            as_of: what was known then.

        Raises:
            NotFound: no memory of this scope names it.
        """
        entity, when = check_name(name, what="name"), optional_utc(as_of, what="as_of")
        return await self._unit.read(lambda tx: view.entity(tx, entity, as_of=when))

    async def neighbours(
        self, name: str, *, depth: int = 2, limit: int = 50, as_of: datetime | None = None
    ) -> Neighbourhood:
        """Return the entities around one, by valid relations.

        Args:
            depth: the most relations between them, 1 to 5.
            limit: the maximum of entities, 1 to 1,000.
            as_of: what was known then.

        Raises:
            NotFound: no memory of this scope names it.
        """
        within(depth, 1, MAX_DEPTH, what="depth")
        within(limit, 1, MAX_ENTITIES, what="limit")
        entity, when = check_name(name, what="name"), optional_utc(as_of, what="as_of")
        return await self._unit.read(lambda tx: view.neighbours(tx, entity, depth=depth, limit=limit, as_of=when))

    async def shortest_path(
        self, start: str, end: str, *, depth: int = 3, as_of: datetime | None = None
    ) -> Sequence[EntityRelation]:
        """Return the valid relations of a shortest way between two entities; empty if there is none.

        Args:
            start, end: names of the entities.
            depth: the most relations of the way, 1 to 5.
            as_of: what was known then.

        Raises:
            NotFound: no memory of this scope names one of them.
        """
        within(depth, 1, MAX_DEPTH, what="depth")
        first, last = check_name(start, what="start"), check_name(end, what="end")
        when = optional_utc(as_of, what="as_of")
        return await self._unit.read(lambda tx: view.path(tx, first, last, depth=depth, as_of=when))
