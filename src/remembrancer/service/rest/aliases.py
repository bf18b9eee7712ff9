"""The routes of RAE under their own names and fields, for programs that were written for it."""

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Query, Request, Response
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue

from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.service.rest.routes import Narrowing, entered, problems
from remembrancer.types.access import Right
from remembrancer.types.filter import Filter
from remembrancer.types.new import NewMessage, NewObservation
from remembrancer.types.record import Layer, Record, layer_of, type_of
from remembrancer.types.scope import Scope

_ALIKE = {"stm": "episodic", "em": "episodic", "ltm": "semantic", "sm": "semantic", "rm": "reflective"}
OnceKey = Annotated[str | None, Header(description="the same key again stores nothing", max_length=200)]
LayerName = Literal["episodic", "semantic", "reflective", "stm", "em", "ltm", "sm", "rm"]


class StoreRequest(BaseModel):
    """A memory to store."""

    model_config = ConfigDict(extra="forbid")

    content: str = Field(min_length=1, description="what is to be remembered")
    layer: LayerName = Field(
        "semantic", description="episodic: as it was said; reflective: as an insight; else as a claim"
    )
    type: str | None = Field(None, description="a type of observation, or one of your own")
    source: str = Field("", description="who says so")
    tags: list[str] = Field(default=[], description="labels to filter by")
    project: str | None = Field(None, description="within the scope of the access key")
    importance: float | None = Field(None, ge=0, le=1)
    timestamp: AwareDatetime | None = Field(None, description="when it was said; ISO with its zone")


class QueryRequest(BaseModel):
    """A question to memory."""

    model_config = ConfigDict(extra="forbid")

    query_text: str = Field(description="what is asked")
    k: int = Field(10, ge=1, le=100, description="how many at most")
    layers: list[LayerName] = Field(default=[], description="only of these layers")
    types: list[str] = Field(default=[], description="only of these types")
    tags: list[str] = Field(default=[], description="all of them must be on a hit")
    project: str | None = Field(None, description="within the scope of the access key")
    use_graph: bool = Field(default=False, description="there is no graph yet: said in `notes`, and nothing else")


class TaskRequest(BaseModel):
    """A task to be done with what memory holds."""

    model_config = ConfigDict(extra="forbid")

    prompt: str = Field(min_length=1, description="what is to be done")
    session: str | None = None
    project: str | None = Field(None, description="within the scope of the access key")
    reflect: bool = Field(default=False, description="keep what the task has taught")


class DeleteQuery(Narrowing):
    """Which memory."""

    memory_id: str


class Stored(BaseModel):
    """A memory that was stored."""

    id: str
    outcome: str


class Result(BaseModel):
    """A memory that was found."""

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
    """What a question has found."""

    results: list[Result]
    abstained: bool
    notes: list[str]


class Done(BaseModel):
    """What a task came to."""

    answer: str
    used_memories: list[str]
    tokens: int
    cost: float | None = Field(description="US dollars; null where it is not known")
    reflection: str | None


class ReflectionStats(BaseModel):
    """How many reflections there are, by status."""

    reflections: dict[str, int]
    observations: dict[str, int]


def aliases() -> APIRouter:
    """The routes of RAE."""
    router = APIRouter(tags=["rae"])

    def told(
        name: str, right: Right, example: dict[str, Any], model: Any, *errors: int, status: int = 200
    ) -> dict[str, Any]:
        return {
            "operation_id": f"rae.{name}",
            "status_code": status,
            "response_class": Response,
            "responses": {status: {"description": "Done.", "model": model}},
            "openapi_extra": {
                "x-right": right.value,
                "x-example": example,
                **problems(*errors, has_body="body" in example),
            },
        }

    @router.post("/v1/memory/store", **told("store", Right.WRITE, _STORE, Stored, 409, status=201))
    async def store(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[Narrowing, Query()],
        body: Annotated[StoreRequest, Body()],
        idempotency_key: OnceKey = None,
    ) -> Response:
        """Store a memory: said (episodic), or claimed."""
        memory = _entered(request, "rae.store", Right.WRITE, body.project)
        layer = _ALIKE.get(body.layer, body.layer)
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

    @router.post("/v1/memory/query", **told("query", Right.READ, _QUERY, Results))
    async def query_(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request, query: Annotated[Narrowing, Query()], body: Annotated[QueryRequest, Body()]
    ) -> Response:
        """Find the memories that answer a question."""
        memory = _entered(request, "rae.query", Right.READ, body.project)
        layers = sorted({_ALIKE.get(layer, layer) for layer in body.layers})
        conditions = Filter(layers=layers, types=body.types, tags=body.tags)
        found = await memory.recall(body.query_text, limit=body.k, filter=conditions)
        notes = [*found.notes, *(["there is no graph yet; asked without it"] if body.use_graph else [])]
        results = [_result(hit.record, hit.score) for hit in found.hits]
        return _json(Results(results=results, abstained=found.abstained, notes=notes))

    @router.delete("/v1/memory/delete", **told("delete", Right.WRITE, {}, Stored))
    async def delete(request: Request, query: Annotated[DeleteQuery, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Take a memory out of every read; `restore` brings it back for 30 days."""
        memory = _entered(request, "rae.delete", Right.WRITE, None)
        await memory.delete(query.memory_id)
        return _json(Stored(id=query.memory_id, outcome="deleted"))

    @router.post("/v1/memory/rebuild-reflections", **told("rebuild_reflections", Right.LEARN, {}, dict[str, int]))
    async def rebuild(request: Request, query: Annotated[Narrowing, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Reflect now on what was observed, whatever its length."""
        memory = _entered(request, "rae.rebuild_reflections", Right.LEARN, None)
        return Response(json.dumps({"tokens_spared": await memory.notes.reflect()}), media_type="application/json")

    @router.get("/v1/memory/reflection-stats", **told("reflection_stats", Right.READ, {}, ReflectionStats))
    async def stats(request: Request, query: Annotated[Narrowing, Query()]) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """How many reflections and observations there are."""
        memory = _entered(request, "rae.reflection_stats", Right.READ, None)
        counts = (await memory.admin.stats()).records

        def of(kind: str) -> dict[str, int]:
            return {name.partition("/")[2]: count for name, count in counts.items() if name.startswith(f"{kind}/")}

        return _json(ReflectionStats(reflections=of("reflection"), observations=of("observation")))

    @router.post("/v1/agent/execute", **told("execute", Right.WRITE, _EXECUTE, Done, 402, 409, 502))
    async def execute(  # pyright: ignore[reportUnusedFunction] -- a route
        request: Request,
        query: Annotated[Narrowing, Query()],
        body: Annotated[TaskRequest, Body()],
        idempotency_key: OnceKey = None,
    ) -> Response:
        """Do a task with the configured model and what memory holds."""
        memory = _entered(request, "rae.execute", Right.WRITE, body.project)
        done = await memory.sessions.execute(
            body.prompt, session=body.session, reflect=body.reflect, key=idempotency_key
        )
        return _json(
            Done(
                answer=done.text,
                used_memories=list(done.memories),
                tokens=done.tokens,
                cost=None if done.cost is None else done.cost / 1e6,
                reflection=done.reflection.text if done.reflection else None,
            )
        )

    return router


_STORE = {"body": {"content": "Ana prefers window seats", "layer": "semantic", "tags": ["travel"]}}
_QUERY = {"body": {"query_text": "Which seat does Ana like?", "k": 3}}
_EXECUTE = {"body": {"prompt": "Write to Ana about her flight"}, "needs": "model"}


def _entered(request: Request, route: str, right: Right, project: str | None) -> Memory:
    """The memory that a request may reach, in a project of it where one is named."""
    memory = entered(request, route, right)
    if project is None:
        return memory
    if not project.strip():
        raise InvalidInput("project must not be empty")
    named = Scope(tenant=memory.scope.tenant, project=project)
    return memory.authenticator.memory_of(memory.authenticator.narrowed(memory.caller, named))


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
