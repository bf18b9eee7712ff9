"""The routes of RAE with their own names and fields, for programs written for it."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.search.query import RecallRequest, Retriever
from remembrancer.service.rest.graph_aliases import add_graph_routes
from remembrancer.service.rest.routes import Narrowing, entered, problems
from remembrancer.types.access import Right
from remembrancer.types.filter import Filter
from remembrancer.types.new import NewMessage, NewObservation
from remembrancer.types.record import Layer, Record, layer_of, type_of
from remembrancer.types.scope import Scope

_LAYERS = {"stm": "episodic", "em": "episodic", "ltm": "semantic", "sm": "semantic", "rm": "reflective"}
OnceKey = Annotated[str | None, Header(description="the same key again stores nothing", max_length=200)]
LayerName = Literal["episodic", "semantic", "reflective", "stm", "em", "ltm", "sm", "rm"]


class StoreRequest(BaseModel):
    """A memory to store."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(min_length=1, description="the text to remember")
    layer: LayerName = Field("semantic", description="episodic: a message; reflective: an insight; otherwise a claim")
    type: str | None = Field(None, description="an observation type, or a custom one")
    source: str = Field("", description="the author")
    tags: list[str] = Field(default=[], description="tags to filter by")
    project: str | None = Field(None, description="within the scope of the access key")
    importance: float | None = Field(None, ge=0, le=1)
    timestamp: AwareDatetime | None = Field(None, description="the time of the message; ISO with a time zone")


class QueryRequest(BaseModel):
    """A question to memory."""

    model_config = ConfigDict(extra="forbid")

    query_text: str = Field(description="the question")
    k: int = Field(10, ge=1, le=100, description="the maximum of results")
    layers: list[LayerName] = Field(default=[], description="only these layers")
    types: list[str] = Field(default=[], description="only these types")
    tags: list[str] = Field(default=[], description="a result must have all of them")
    project: str | None = Field(None, description="within the scope of the access key")
    use_graph: bool = Field(default=False, description="add memories that names link to the best ones")


class TaskRequest(BaseModel):
    """A task to execute with memory."""

    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(min_length=1, description="the task")
    session: str | None = None
    project: str | None = Field(None, description="within the scope of the access key")
    reflect: bool = Field(default=False, description="store a reflection on the task")


class DeleteQuery(Narrowing):
    """The memory to delete."""

    memory_id: str


class Stored(BaseModel):
    """A stored memory."""

    id: str
    outcome: str


class Result(BaseModel):
    """A result of a query."""

    id: str
    content: str
    score: float
    layer: str
    type: str | None
    tags: list[str]
    importance: float
    source: str
    timestamp: str
    metadata: dict[str, JsonValue]


class Results(BaseModel):
    """The results of a query."""

    results: list[Result]
    abstained: bool
    notes: list[str]


class Done(BaseModel):
    """The result of a task."""

    answer: str
    used_memories: list[str]
    tokens: int
    cost: float | None = Field(description="US dollars; null if unknown")
    reflection: str | None


class ReflectionStats(BaseModel):
    """The numbers of reflections and observations by status."""

    reflections: dict[str, int]
    observations: dict[str, int]


def add_alias_routes(router: APIRouter) -> None:
    """Add the routes of RAE."""

    def route(
        name: str, right: Right, example: dict[str, Any], model: Any, *errors: int, status: int = 200
    ) -> dict[str, Any]:
        return {
            "operation_id": f"rae.{name}",
            "tags": ["rae"],
            "status_code": status,
            "response_class": Response,
            "responses": {status: {"description": "Done.", "model": model}},
            "openapi_extra": {
                "x-right": right.value,
                "x-example": example,
                **problems(*errors, has_body="body" in example),
            },
        }

    @router.post("/v1/memory/store", **route("store", Right.WRITE, _STORE, Stored, 409, status=201))
    async def store(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[Narrowing, Query()],
        body: Annotated[StoreRequest, Body()],
        idempotency_key: OnceKey = None,
    ) -> Response:
        """Store a message (episodic) or an observation."""
        memory = _entered(request, "rae.store", Right.WRITE, body.project)
        layer = _LAYERS.get(body.layer, body.layer)
        if layer == Layer.EPISODIC:
            message = NewMessage(
                text=body.content,
                occurred_at=body.timestamp,
                tags=body.tags,
                author=body.source,
                importance=body.importance,
                metadata={"type": body.type} if body.type else {},
                key=idempotency_key,
            )
            recorded = await memory.record(message)
            return _json(Stored(id=recorded.id, outcome=recorded.outcome.value), 201)
        observation = NewObservation(
            text=body.content,
            layer=layer,
            custom_type=body.type,
            tags=body.tags,
            author=body.source,
            importance=body.importance,
            occurred_at=body.timestamp,
            key=idempotency_key,
        )
        saved = await memory.save(observation)
        return _json(Stored(id=saved.id, outcome=saved.outcome.value), 201)

    @router.post("/v1/memory/query", **route("query", Right.READ, _QUERY, Results))
    async def query_(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[Narrowing, Query()], body: Annotated[QueryRequest, Body()]
    ) -> Response:
        """Search memories by a question."""
        memory = _entered(request, "rae.query", Right.READ, body.project)
        layers = sorted({_LAYERS.get(layer, layer) for layer in body.layers})
        conditions = Filter(layers=layers, types=body.types, tags=body.tags)
        retrievers = [one.value for one in Retriever if body.use_graph or one is not Retriever.LINKED]
        asked = RecallRequest(question=body.query_text, limit=body.k, filter=conditions, retrievers=retrievers)
        recalled = await memory.recall(asked)
        results = [_result(hit.record, hit.score) for hit in recalled.hits]
        return _json(Results(results=results, abstained=recalled.abstained, notes=list(recalled.notes)))

    @router.delete("/v1/memory/delete", **route("delete", Right.WRITE, {}, Stored))
    async def delete(request: Request, query: Annotated[DeleteQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Delete a memory; `restore` restores it within 30 days."""
        memory = _entered(request, "rae.delete", Right.WRITE, None)
        await memory.delete(query.memory_id)
        return _json(Stored(id=query.memory_id, outcome="deleted"))

    @router.post("/v1/memory/rebuild-reflections", **route("rebuild_reflections", Right.LEARN, {}, dict[str, int]))
    async def rebuild(request: Request, query: Annotated[Narrowing, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Reflect on all observations now."""
        memory = _entered(request, "rae.rebuild_reflections", Right.LEARN, None)
        return Response(json.dumps({"tokens_spared": await memory.notes.reflect()}), media_type="application/json")

    @router.get("/v1/memory/reflection-stats", **route("reflection_stats", Right.READ, {}, ReflectionStats))
    async def stats(request: Request, query: Annotated[Narrowing, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Count reflections and observations by status."""
        memory = _entered(request, "rae.reflection_stats", Right.READ, None)
        counts = (await memory.admin.stats()).records

        def of(kind: str) -> dict[str, int]:
            return {name.partition("/")[2]: count for name, count in counts.items() if name.startswith(f"{kind}/")}

        return _json(ReflectionStats(reflections=of("reflection"), observations=of("observation")))

    @router.post("/v1/agent/execute", **route("execute", Right.WRITE, _EXECUTE, Done, 402, 409, 502))
    async def execute(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[Narrowing, Query()],
        body: Annotated[TaskRequest, Body()],
        idempotency_key: OnceKey = None,
    ) -> Response:
        """Execute a task with the configured model and memory."""
        memory = _entered(request, "rae.execute", Right.WRITE, body.project)
        executed = await memory.sessions.execute(
            body.prompt, session=body.session, reflect=body.reflect, key=idempotency_key
        )
        return _json(
            Done(
                answer=executed.text,
                used_memories=list(executed.memories),
                tokens=executed.tokens,
                cost=None if executed.cost is None else executed.cost / 1e6,
                reflection=executed.reflection.text if executed.reflection else None,
            )
        )

    add_graph_routes(router, route, _entered)


_STORE = {"body": {"content": "Ana prefers window seats", "layer": "semantic", "tags": ["travel"]}}
_QUERY = {"body": {"query_text": "Which seat does Ana like?", "k": 3}}
_EXECUTE = {"body": {"prompt": "Write to Ana about her flight"}, "needs": "model"}


def _entered(request: Request, route: str, right: Right, project: str | None) -> Memory:
    """Return the memory of a request, narrowed to a project if one is set."""
    memory = entered(request, route, right)
    if project is None:
        return memory
    if not project.strip():
        raise InvalidInput("project must not be empty")
    scope = Scope(tenant=memory.scope.tenant, project=project)
    return memory.authenticator.memory_of(memory.authenticator.narrow(memory.caller, scope))


def _result(record: Record, score: float) -> Result:
    return Result(
        id=record.id,
        content=record.text,
        score=score,
        layer=layer_of(record).value,
        type=type_of(record),
        tags=list(record.tags),
        importance=record.importance,
        source=record.author,
        timestamp=record.occurred_at.isoformat(),
        metadata=dict(record.metadata),  # pyright: ignore[reportArgumentType] -- it is JSON
    )


def _json(model: BaseModel, status: int = 200) -> Response:
    return Response(model.model_dump_json(), status, media_type="application/json")
