"""The graph: entities, one entity with its relations, and a picture of what is around it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import Response

from remembrancer.errors import InvalidInput, NotFound
from remembrancer.language.names import named
from remembrancer.service.console.request import ConsoleRequest
from remembrancer.types.graph import EntityRelation, EntityType, Neighbourhood

MOST_NODES = 200
_MOST_AT_FIRST = 60
_MOST_LISTED = 100
_DEPTHS = (1, 2, 3)
_RINGS = (0, 150, 270, 370)
_MIDDLE = (480, 400)
# Without it, entities of two rings are on one line with the middle.
_TURN = 0.35


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """An entity in the picture, at a place."""

    name: str
    type: str
    x: float
    y: float
    distance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Relations between two entities of the picture."""

    start: Node
    end: Node
    predicates: Sequence[str]


async def graph(page: ConsoleRequest) -> Response:
    """Return the list of entities, or one entity with what is around it.

    Raises:
        NotFound: no memory names it.
    """
    name, part, kind, type = (page.query(field) for field in ("name", "part", "predicate", "type"))
    if not name.strip():
        return page.page(
            "graph.html",
            entity=None,
            part=part,
            elsewhere=await page.other_scopes(),
            entities=await page.memory.graph.entities(part, limit=_MOST_LISTED),
            most=_MOST_LISTED,
        )
    depth = page.whole("depth", 2, high=_DEPTHS[-1])
    most = page.whole("most", _MOST_AT_FIRST, high=MOST_NODES)
    valid_at = page.time("valid_at")
    entity = await page.memory.graph.entity(name, as_of=page.as_of)
    try:
        around = await page.memory.graph.neighbours(name, depth=depth, limit=most, as_of=page.as_of, valid_at=valid_at)
    except NotFound:
        around = Neighbourhood(distances={entity.name: 0}, types={entity.name: entity.type}, relations=(), is_cut=False)
    types = {**around.types, entity.name: entity.type}
    shown = {name: far for name, far in around.distances.items() if not far or type in ("", types[name])}
    relations = [one for one in around.relations if kind in ("", one.predicate) and _is_among(one, shown)]
    nodes = _placed(shown, types, relations)
    return page.page(
        "graph.html",
        entity=entity,
        depth=depth,
        depths=_DEPTHS,
        kinds=sorted({one.predicate for one in around.relations}),
        kind=kind,
        types=sorted(set(around.types.values())),
        type=type,
        most=most,
        most_drawn=MOST_NODES,
        valid_at=page.query("valid_at"),
        nodes=nodes.values(),
        edges=_edges(relations, nodes),
        around=sorted(relations, key=lambda one: (named(one.subject), one.predicate, one.object)),
        is_cut=around.is_cut,
        elsewhere=await page.other_scopes(),
    )


async def change_names(page: ConsoleRequest) -> Response:
    """Merge another name with an entity's, or split it off.

    Raises:
        InvalidInput: the form names no known action, or both names are the same.
        NotFound: no memory has one of the names.
    """
    name, other, action = page.field("name"), page.field("other"), page.field("action")
    graph, back = page.memory.graph, page.url("/graph", name=name)
    fields = {"name": name, "other": other}
    match action:
        case "merge":
            await graph.merge(name, other, reason=page.field("reason"))
            undo = {"action": page.url("/graph"), "fields": {**fields, "action": "split"}}
            return page.redirect(back, "Merged: both names are of one entity.", undo=undo)
        case "split":
            await graph.split(name, other, reason=page.field("reason"))
            undo = {"action": page.url("/graph"), "fields": {**fields, "action": "merge"}}
            return page.redirect(back, "Split: the names are of two entities.", undo=undo)
        case _:
            raise InvalidInput(f"no action {action!r}; load the page again")


def _is_among(relation: EntityRelation, names: Collection[str]) -> bool:
    """Return whether both ends of a relation are among some names; a value is not asked for."""
    return named(relation.subject) in names and (relation.is_value or named(relation.object) in names)


def _placed(
    distances: Mapping[str, int], types: Mapping[str, EntityType], relations: Sequence[EntityRelation]
) -> dict[str, Node]:
    """Return the entities on rings around the first one, each near those that it is related to."""
    angles: dict[str, float] = {}
    nodes: dict[str, Node] = {}
    for ring in range(max(distances.values(), default=0) + 1):
        names = [name for name, distance in distances.items() if distance == ring]
        # Those of one neighbour are next to each other.
        names.sort(key=lambda name: (min(_angles_of(name, relations, angles), default=0.0), name))
        for place, name in enumerate(names):
            angle = 2 * math.pi * place / len(names) - math.pi / 2 + _TURN * ring
            angles[name] = angle
            nodes[name] = Node(
                name=name,
                type=types[name],
                x=round(_MIDDLE[0] + 1.25 * _RINGS[ring] * math.cos(angle), 1),
                y=round(_MIDDLE[1] + _RINGS[ring] * math.sin(angle), 1),
                distance=ring,
            )
    return nodes


def _angles_of(name: str, relations: Sequence[EntityRelation], angles: Mapping[str, float]) -> list[float]:
    ends = [(named(one.subject), named(one.object)) for one in relations if not one.is_value]
    others = [end if start == name else start for start, end in ends if name in (start, end)]
    return [angles[other] for other in others if other in angles]


def _edges(relations: Sequence[EntityRelation], nodes: Mapping[str, Node]) -> list[Edge]:
    found: dict[tuple[str, str], list[str]] = {}
    for one in relations:
        start, end = named(one.subject), named(one.object)
        if not one.is_value and start in nodes and end in nodes:
            found.setdefault((start, end), []).append(one.predicate.replace("_", " "))
    return [Edge(start=nodes[start], end=nodes[end], predicates=kinds) for (start, end), kinds in found.items()]
