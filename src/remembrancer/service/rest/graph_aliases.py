"""The routes of RAE for its knowledge graph, with their own names and fields."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from remembrancer.errors import NotFound
from remembrancer.language.names import named, names_of
from remembrancer.memory import Memory
from remembrancer.search.query import RecallRequest
from remembrancer.service.rest.routes import Narrowing
from remembrancer.types.access import Right
from remembrancer.types.graph import EntityRelation, NamedEntity, Neighbourhood

_MOST_COUNTED = 1_000
Route = Callable[..., dict[str, Any]]
Entered = Callable[[Request, str, Right, str | None], Memory]


class ExtractRequest(BaseModel):
    """The relations to read from the memories."""

    model_config = ConfigDict(extra="forbid")

    project: str | None = Field(None, description="within the scope of the access key")
    limit: int = Field(50, ge=1, le=1_000, description="the maximum of relations")
    min_confidence: float = Field(0.5, ge=0, le=1, description="only relations of at least this confidence")


class GraphRequest(BaseModel):
    """A question to memory and to the graph around the entities that it names."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=1, description="the question")
    project: str | None = Field(None, description="within the scope of the access key")
    top_k: int = Field(10, ge=1, le=100, description="the maximum of memories")
    graph_depth: int = Field(2, ge=1, le=5, description="the maximum of relations from an entity of the question")


class PageQuery(Narrowing):
    """A page of a list."""

    limit: int = Field(100, ge=1, le=1_000)


class NodesQuery(PageQuery):
    """The entities to list."""

    part: str = Field("", description="a part of the name", max_length=200)


class SubgraphQuery(Narrowing):
    """The part of the graph to return."""

    node_ids: str = Field(description="names of entities, separated by commas", min_length=1, max_length=2_000)
    depth: int = Field(1, ge=1, le=5)


class Triple(BaseModel):
    """A relation that memories state."""

    source: str
    relation: str
    target: str
    confidence: float
    metadata: dict[str, Any]


class Extraction(BaseModel):
    """Relations and the entities between which they are."""

    triples: list[Triple]
    extracted_entities: list[str]
    statistics: dict[str, int]


class GraphStats(BaseModel):
    """The size of the graph, at most 1,000 entities and 10,000 relations."""

    total_nodes: int
    total_edges: int
    unique_relations: list[str]


class GraphNode(BaseModel):
    """An entity."""

    id: str
    label: str
    memories: int | None = None
    depth: int | None = None


class GraphEdge(BaseModel):
    """A relation of two entities."""

    source_id: str
    target_id: str
    relation: str
    properties: dict[str, Any]


class Subgraph(BaseModel):
    """Entities and the relations between them."""

    nodes: list[GraphNode]
    edges: list[GraphEdge]


class GraphAnswer(Subgraph):
    """The memories for a question, and the graph around its entities."""

    results: list[dict[str, Any]]


def add_graph_routes(router: APIRouter, route: Route, entered: Entered) -> None:
    """Add the routes to a router."""

    @router.post("/v1/graph/extract", **route("graph_extract", Right.READ, {"body": {"limit": 10}}, Extraction))
    async def extract(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[Narrowing, Query()], body: Annotated[ExtractRequest, Body()]
    ) -> Response:
        """Return the relations that memories state. Nothing is stored: the graph is always read from the memories."""
        memory = entered(request, "rae.graph_extract", Right.READ, body.project)
        found = await memory.graph.relations(limit=body.limit)
        triples = [_triple(one) for one in found if one.confidence >= body.min_confidence]
        names = dict.fromkeys(end for one in triples for end in (one.source, one.target))
        counts = {"triples": len(triples), "entities": len(names)}
        return _json(Extraction(triples=triples, extracted_entities=list(names), statistics=counts))

    @router.get("/v1/graph/stats", **route("graph_stats", Right.READ, {}, GraphStats))
    async def stats(request: Request, query: Annotated[Narrowing, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Count entities and relations."""
        memory = entered(request, "rae.graph_stats", Right.READ, None)
        entities = await memory.graph.entities(limit=_MOST_COUNTED)
        relations = await memory.graph.relations(limit=10 * _MOST_COUNTED)
        kinds = sorted({one.predicate for one in relations})
        return _json(GraphStats(total_nodes=len(entities), total_edges=len(relations), unique_relations=kinds))

    @router.get("/v1/graph/nodes", **route("graph_nodes", Right.READ, {"query": {"part": "ana"}}, list[GraphNode]))
    async def nodes(request: Request, query: Annotated[NodesQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """List the entities, those of the most memories first."""
        memory = entered(request, "rae.graph_nodes", Right.READ, None)
        return _json(*map(_node, await memory.graph.entities(query.part, limit=query.limit)), many=True)

    @router.get("/v1/graph/edges", **route("graph_edges", Right.READ, {}, list[GraphEdge]))
    async def edges(request: Request, query: Annotated[PageQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """List the relations, the latest first."""
        memory = entered(request, "rae.graph_edges", Right.READ, None)
        return _json(*map(_edge, await memory.graph.relations(limit=query.limit)), many=True)

    @router.post("/v1/graph/query", **route("graph_query", Right.READ, _QUERY, GraphAnswer))
    async def query_(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[Narrowing, Query()], body: Annotated[GraphRequest, Body()]
    ) -> Response:
        """Search memories by a question, and return the graph around the entities that it names."""
        memory = entered(request, "rae.graph_query", Right.READ, body.project)
        recalled = await memory.recall(RecallRequest(question=body.query, limit=body.top_k))
        results = [{"id": hit.record.id, "content": hit.record.text, "score": hit.score} for hit in recalled.hits]
        around = await _around(memory, names_of(body.query), body.graph_depth, is_strict=False)
        return _json(GraphAnswer(results=results, nodes=around.nodes, edges=around.edges))

    @router.get("/v1/graph/subgraph", **route("graph_subgraph", Right.READ, _SUBGRAPH, Subgraph))
    async def subgraph(request: Request, query: Annotated[SubgraphQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Return the entities around some, and the valid relations between them."""
        memory = entered(request, "rae.graph_subgraph", Right.READ, None)
        names = [one.strip() for one in query.node_ids.split(",") if one.strip()]
        return _json(await _around(memory, names, query.depth, is_strict=True))


_QUERY = {"body": {"query": "Where does Ana work?", "graph_depth": 1}}
_SUBGRAPH = {"query": {"node_ids": "Ana", "depth": 1}}


async def _around(memory: Memory, names: Sequence[str], depth: int, *, is_strict: bool) -> Subgraph:
    """Return the graph around some entities.

    Raises:
        NotFound: no memory names one of them, and it is strict.
    """
    distances: dict[str, int] = {}
    edges: dict[tuple[str, str, str], GraphEdge] = {}
    for name in names:
        try:
            found: Neighbourhood = await memory.graph.neighbours(name, depth=depth)
        except NotFound:
            if is_strict:
                raise
            continue
        for one, distance in found.distances.items():
            distances[one] = min(distance, distances.get(one, distance))
        edges |= {(named(one.subject), one.predicate, named(one.object)): _edge(one) for one in found.relations}
    nodes = [GraphNode(id=name, label=name, depth=distance) for name, distance in distances.items()]
    return Subgraph(nodes=nodes, edges=list(edges.values()))


def _triple(one: EntityRelation) -> Triple:
    return Triple(
        source=one.subject,
        relation=one.predicate,
        target=one.object,
        confidence=one.confidence,
        metadata=_properties(one),
    )


def _node(one: NamedEntity) -> GraphNode:
    return GraphNode(id=one.name, label=one.name, memories=one.memories)


def _edge(one: EntityRelation) -> GraphEdge:
    return GraphEdge(
        source_id=named(one.subject),
        target_id=one.object if one.is_value else named(one.object),
        relation=one.predicate,
        properties={**_properties(one), "confidence": one.confidence},
    )


def _properties(one: EntityRelation) -> dict[str, Any]:
    until = None if one.until is None else one.until.isoformat()
    return {"since": one.since.isoformat(), "until": until, "memories": list(one.evidence)}


def _json(*models: BaseModel, many: bool = False) -> Response:
    texts = [one.model_dump_json() for one in models]
    return Response(f"[{','.join(texts)}]" if many else texts[0], media_type="application/json")
