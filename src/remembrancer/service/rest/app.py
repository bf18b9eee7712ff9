"""The service as an ASGI app: health, metrics, the routes of every operation, and what stands before them."""

import hmac
import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from remembrancer.memory import Memory
from remembrancer.service.rest.aliases import aliases
from remembrancer.service.rest.events import event_routes
from remembrancer.service.rest.files import file_routes
from remembrancer.service.rest.gate import OPEN_TO_ALL, Gate, shown
from remembrancer.service.rest.options import ServiceOptions
from remembrancer.service.rest.problem_responses import RequestRefused, answer_with_problems
from remembrancer.service.rest.routes import Problem, described_problems, problems_of, routes

_ABOUT = """The memory of AI agents, over HTTP.

Every request is of one scope: that of its access key (`Authorization: Bearer rmb_…` or `X-API-Key`), which the headers
and parameters `X-Tenant-ID`, `project`, `agent`, `user` and `clearance` narrow and never widen. Memories outside of it
read as absent. In a body, a `filter` or a `budget` is an object; in a query string its fields are parameters. Lists
continue at their `cursor`. A write that may be sent twice has an `Idempotency-Key`. Errors are problems (RFC 9457) with
a stable `code`.
"""
_PROMETHEUS = "text/plain"
_TENANT = {
    "name": "X-Tenant-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 200, "title": "X-Tenant-ID"},
    "description": "the tenant whose memory is meant, the key's own without it; 404 for one that the key does not open",
}
# What pydantic calls the two forms of a class that goes in otherwise than it comes out.
_WAY = re.compile(r"(#/components/schemas/\w+)-(Input|Output)\b")
_TAGS = [
    {"name": "memories", "description": "Memories of every kind: save, read, search, change and judge them."},
    {"name": "messages", "description": "Messages of conversations."},
    {"name": "sessions", "description": "Conversations and runs, and the events of a scope."},
    {"name": "notes", "description": "Notes and reflections that the engine makes of sessions."},
    {"name": "episodes", "description": "Episodes: actions and their outcomes."},
    {"name": "facts", "description": "Valid facts, by key."},
    {"name": "rules", "description": "Rules for an agent."},
    {"name": "patterns", "description": "Patterns that were detected in episodes and signals."},
    {"name": "timeline", "description": "Memories along time, and changes between two times."},
    {"name": "governance", "description": "Classification, redaction, retention, erasure, audit, archives, transfers."},
    {"name": "admin", "description": "Statistics, costs, access keys, jobs, maintenance and the search index."},
    {"name": "service", "description": "Health, readiness and metrics; they need no access key."},
    {"name": "rae", "description": "Routes under the names of RAE."},
]


def make_app(
    memory: Memory,
    serving: ServiceOptions,
    *,
    mcp: ASGIApp | None = None,
) -> ASGIApp:
    """The service over an open memory.

    Args:
        mcp: answers at `/mcp`.
    """
    app = FastAPI(
        title="Remembrancer",
        version="1",
        description=_ABOUT,
        openapi_tags=_TAGS,
        redoc_url=None,
        docs_url=None,
        # Its own spans and logs would tell paths, questions and messages of errors.
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    answer_with_problems(app)
    _health(app, memory, serving)
    app.include_router(file_routes())
    app.include_router(event_routes(serving))
    app.include_router(aliases())
    app.include_router(routes(serving))
    app.openapi = lambda: _document(app)
    gate: ASGIApp = Gate(app if mcp is None else _beside(app, mcp), memory, serving)
    if serving.origins:
        gate = CORSMiddleware(
            gate,
            allow_origins=serving.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["ETag", "X-Request-ID", "Retry-After", "Idempotency-Replayed"],
        )
    return gate


def _beside(app: ASGIApp, mcp: ASGIApp) -> ASGIApp:
    """An app, and beside it another at `/mcp`."""

    async def chosen(scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = scope["type"] == "http" and scope["path"].rstrip("/") == "/mcp"
        await (mcp if is_mcp else app)(scope, receive, send)

    return chosen


_NIGHTS = "whether nothing failed in the last night of any scope that this process has run"


class Health(BaseModel):
    """The answer of a process that runs."""

    status: Literal["ok"]
    nights: bool = Field(description=_NIGHTS)


class Ready(BaseModel):
    """Which parts of the service can be used now."""

    ready: bool = Field(description="whether requests can be answered")
    store: bool = Field(description="whether the database can be reached")
    models: bool = Field(description="whether no model, embedder or reranker failed again and again of late")
    nights: bool = Field(description=_NIGHTS)


def _told(
    description: str, model: type[BaseModel] | None, *problems: int, also: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return what the document says of a route that takes no access key."""
    content: dict[str, Any] = {"model": model} if model else {"content": {_PROMETHEUS: {"schema": {"type": "string"}}}}
    answers = {200: description, **(also or {})}
    return {
        "tags": ["service"],
        "response_class": Response,
        "responses": {status: {"description": text, **content} for status, text in answers.items()},
        "openapi_extra": {"security": [], **problems_of(problems)},
    }


def _health(app: FastAPI, memory: Memory, serving: ServiceOptions) -> None:
    @app.get("/health", operation_id="health", **_told("The process answers.", Health, 403, 429))
    async def health() -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Whether the process answers; it asks no store."""
        return JSONResponse({"status": "ok", "nights": memory.authenticator.nights})

    @app.get(
        "/ready",
        operation_id="ready",
        **_told("Requests can be answered.", Ready, 403, 421, 429, 500, also={503: "The store is away."}),
    )
    async def ready() -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Whether requests can be answered now; models that fail leave the deterministic forms, which answer."""
        parts = await memory.authenticator.ready()
        return JSONResponse({"ready": parts["store"], **parts}, 200 if parts["store"] else 503)

    @app.get("/metrics", operation_id="metrics", **_told("Numbers for Prometheus.", None, 403, 404, 421, 429, 500))
    async def metrics(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Numbers for Prometheus, of all tenants."""
        token = serving.metrics_token
        is_known = bool(token) and hmac.compare_digest(shown(request.headers).encode(), token.encode())
        if not (request.state.open or is_known):
            raise RequestRefused("no-such-route", "metrics are closed here; set `service_metrics_token`")
        return PlainTextResponse(await serving.metrics(), media_type=f"{_PROMETHEUS}; version=0.0.4; charset=utf-8")


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, in which what every operation shares stands once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
            openapi_version="3.1.0",
        )
        parts = made.setdefault("components", {})
        parts["responses"] = described_problems()
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        parts.setdefault("schemas", {})["Problem"] = problem
        for unused in ("HTTPValidationError", "ValidationError"):
            parts["schemas"].pop(unused, None)
        parts["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer", "description": "An access key, `rmb_…`."},
            "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        made["security"] = [{"bearer": []}, {"key": []}]
        for path, operations in made["paths"].items():
            for operation in operations.values():
                _complete(operation, takes_tenant=path not in OPEN_TO_ALL)
        app.openapi_schema = _titled(made)
    return app.openapi_schema


def _complete(operation: dict[str, Any], *, takes_tenant: bool) -> None:
    """Add the tenant's header to an operation of the document, and leave of each problem its reference."""
    if takes_tenant:
        operation.setdefault("parameters", []).append(_TENANT)
    for status, answer in operation["responses"].items():
        if "$ref" in answer:
            operation["responses"][status] = {"$ref": answer["$ref"]}


def _titled(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with one name and title for each schema: `Hit` as it comes out, `HitInput` as it goes in."""
    text = json.dumps(document)
    text = _WAY.sub(lambda found: found[1] + found[2].replace("Output", ""), text)
    named: dict[str, Any] = json.loads(text)
    schemas = named["components"]["schemas"]
    named["components"]["schemas"] = {
        (name := old.removesuffix("-Output").replace("-", "")): {**schema, "title": name}
        for old, schema in schemas.items()
    }
    return named
