"""The knowledge graph: entities, their relations, and ways between them."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.errors import NotFound
from remembrancer.graph import declared, view
from remembrancer.graph.export import GraphForm, exported
from remembrancer.language.relations import DIFFERENT_FROM, MEANT_BY, Predicate
from remembrancer.resources.observations import Observations
from remembrancer.resources.resource import Resource
from remembrancer.storage.tx import Tx
from remembrancer.types.arguments import member, within
from remembrancer.types.graph import EntityPage, EntityRelation, NamedEntity, Neighbourhood
from remembrancer.types.new import NewObservation
from remembrancer.types.record import Observation
from remembrancer.types.results import Saved
from remembrancer.types.scope import check_name
from remembrancer.types.times import optional_utc, utc

MAX_DEPTH = 5
MAX_ENTITIES = 1_000
MAX_RELATIONS = 10_000


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

    async def entity(self, name: str, *, as_of: datetime | None = None, valid_at: datetime | None = None) -> EntityPage:
        """Return the relations of an entity, its other names, and the newest memories that name it.

        Args:
            name: its name, another name, a part of it that no other has, or an e-mail address.
            as_of: what was known then.
            valid_at: only relations that are valid then; by default also former ones.

        Raises:
            NotFound: no memory of this scope names it.
        """
        entity, (known, valid) = check_name(name, what="name"), _times(as_of, valid_at)
        return await self._unit.read(lambda tx: view.entity(tx, entity, as_of=known, valid_at=valid))

    async def changes(self, name: str, since: datetime, *, until: datetime | None = None) -> Sequence[EntityRelation]:
        """Return the relations of an entity that began, ended or became known in a period, the latest change first.

        Args:
            since: the beginning of the period, inclusive.
            until: its end, exclusive; by default the current time.

        Raises:
            NotFound: no memory of this scope names it.
        """
        entity, start = check_name(name, what="name"), utc(since, what="since")
        end = optional_utc(until, what="until")
        return await self._unit.read(lambda tx: view.changes(tx, entity, since=start, until=end))

    async def relations(
        self, *, limit: int = 1_000, as_of: datetime | None = None, valid_at: datetime | None = None
    ) -> Sequence[EntityRelation]:
        """Return the relations that memories state, the latest first. Of many memories the newest 20,000 are read.

        Args:
            limit: 1 to 10,000.
            as_of: what was known then.
            valid_at: only relations that are valid then; by default also former ones.
        """
        within(limit, 1, MAX_RELATIONS, what="limit")
        known, valid = _times(as_of, valid_at)
        return await self._unit.read(lambda tx: view.relations(tx, limit=limit, as_of=known, valid_at=valid))

    async def neighbours(
        self,
        name: str,
        *,
        depth: int = 2,
        limit: int = 50,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Neighbourhood:
        """Return the entities around one, by valid relations.

        Args:
            depth: the most relations between them, 1 to 5.
            limit: the maximum of entities, 1 to 1,000.
            as_of: what was known then.
            valid_at: by the relations that are valid then; by default now.

        Raises:
            NotFound: no memory of this scope names it.
        """
        within(depth, 1, MAX_DEPTH, what="depth")
        within(limit, 1, MAX_ENTITIES, what="limit")
        entity, (known, valid) = check_name(name, what="name"), _times(as_of, valid_at)
        return await self._unit.read(
            lambda tx: view.neighbours(tx, entity, depth=depth, limit=limit, as_of=known, valid_at=valid)
        )

    async def shortest_path(
        self,
        start: str,
        end: str,
        *,
        depth: int = 3,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
    ) -> Sequence[EntityRelation]:
        """Return the valid relations of a shortest way between two entities; empty if there is none.

        Args:
            start, end: names of the entities.
            depth: the most relations of the way, 1 to 5.
            as_of: what was known then.
            valid_at: by the relations that are valid then; by default now.

        Raises:
            NotFound: no memory of this scope names one of them.
        """
        within(depth, 1, MAX_DEPTH, what="depth")
        first, last = check_name(start, what="start"), check_name(end, what="end")
        known, valid = _times(as_of, valid_at)
        return await self._unit.read(lambda tx: view.path(tx, first, last, depth=depth, as_of=known, valid_at=valid))

    async def export(self, form: str = GraphForm.GRAPHML) -> str:
        """Return the newest 10,000 relations and their entities as a text for other programs.

        Args:
            form: `graphml`, `json-ld`, or `mcp-memory` for the `memory.jsonl` of the MCP reference server, which has
                valid relations only.

        Raises:
            InvalidInput: the form is unknown.
        """
        chosen = member(GraphForm, form, "form")
        return exported(await self.relations(limit=MAX_RELATIONS), chosen)

    async def relate(
        self,
        subject: str,
        predicate: str,
        object: str,
        *,
        is_value: bool = False,
        ended: bool = False,
        since: datetime | None = None,
        text: str = "",
        evidence: Sequence[str] = (),
    ) -> Saved[Observation]:
        """Save an observation that declares a relation.

        Deleting or rejecting the observation removes the relation, unless another memory states it.

        Args:
            subject: the name of an entity.
            predicate: such as `works_at`, `lives_in`, `depends_on` or one of your own, in small letters.
            object: the name of an entity, or a value.
            is_value: whether the object is a value.
            ended: whether the relation has ended, at `since` or now.
            since: the beginning, or the end; by default the current time.
            text: the observation; by default the relation in words.
            evidence: ids of the memories that support it.

        Raises:
            InvalidInput: a name or the predicate is blank or too long.
        """
        relation = declared.relation(subject, predicate, object, is_value=is_value, ended=ended)
        new = declared.observation(relation, text=text, at=optional_utc(since, what="since"), evidence=evidence)
        return await self._saved(new)

    async def merge(self, name: str, other: str, *, reason: str = "") -> Saved[Observation]:
        """Declare that two names are of one entity. `split` of the same names undoes it.

        Args:
            name, other: the names.
            reason: is saved with it.

        Raises:
            InvalidInput: the names are the same.
            NotFound: no memory of this scope has one of them.
        """
        return await self._declare(name, Predicate.SAME_AS, other, reason)

    async def split(
        self, name: str, other: str, *, memories: Sequence[str] = (), reason: str = ""
    ) -> Saved[Observation]:
        """Declare that two names are of different entities. `merge` of the same names undoes it.

        Args:
            name: a name.
            other: another name; with `memories`, the new name of what they mean by the first.
            memories: ids of the memories that mean another entity by the same name; by default none.
            reason: is saved with it.

        Raises:
            InvalidInput: the names are the same.
            NotFound: no memory of this scope has the name, or there is no such memory.
        """
        if not memories:
            return await self._declare(name, DIFFERENT_FROM, other, reason)
        check_name(name, what="name")
        return await self._declare(other, MEANT_BY, name, reason, memories=memories)

    async def _declare(
        self, name: str, predicate: str, other: str, reason: str, *, memories: Sequence[str] = ()
    ) -> Saved[Observation]:
        relation = declared.relation(
            check_name(name, what="name"), predicate, check_name(other, what="other"), memories=memories
        )

        async def known(tx: Tx) -> None:
            for one in (other,) if memories else (name, other):
                await view.check_known(tx, one)
            for id in memories:
                if await tx.records.find(id) is None:
                    raise NotFound("memory", id)

        await self._unit.read(known)
        return await self._saved(declared.observation(relation, reason=reason))

    async def _saved(self, new: NewObservation) -> Saved[Observation]:
        (saved,) = await Observations(self._engine, self._caller).save_many([new])
        return saved


def _times(as_of: datetime | None, valid_at: datetime | None) -> tuple[datetime | None, datetime | None]:
    return optional_utc(as_of, what="as_of"), optional_utc(valid_at, what="valid_at")
