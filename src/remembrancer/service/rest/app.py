"""The REST service as an ASGI app: health, metrics, and the routes of all operations behind the gate."""

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
from remembrancer.service.rest.aliases import add_alias_routes
from remembrancer.service.rest.events import add_event_routes
from remembrancer.service.rest.files import add_file_routes
from remembrancer.service.rest.gate import OPEN_TO_ALL, Gate, access_token
from remembrancer.service.rest.options import ServiceOptions
from remembrancer.service.rest.problem_responses import RequestRefused, answer_with_problems
from remembrancer.service.rest.routes import Problem, add_routes, described_problems, problems_of

_ABOUT = """The memory of AI agents, over HTTP.

Each request has the scope of its access key (`Authorization: Bearer rmb_…` or `X-API-Key`). The header `X-Tenant-ID`
and the parameters `project`, `agent`, `user` and `clearance` narrow it. Memories outside of the scope return 404. In a
body, a `filter` or a `budget` is an object; in a query string its fields are parameters. Lists continue with their
`cursor`. Send an `Idempotency-Key` with a write that may be repeated. Errors are problems (RFC 9457) with a stable
`code`.
"""
_PROMETHEUS = "text/plain"
_TENANT = {
    "name": "X-Tenant-ID",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 200, "title": "X-Tenant-ID"},
    "description": "the tenant; by default that of the access key; 404 if the key does not open it",
}
# The names of pydantic for a class with different input and output schemas.
_DIRECTION = re.compile(r"(#/components/schemas/\w+)-(Input|Output)\b")
_TAGS = [
    {"name": "memories", "description": "Memories of all kinds: save, read, search, change, delete, and feedback."},
    {"name": "messages", "description": "Messages of conversations."},
    {"name": "sessions", "description": "Conversations and runs, and the events of a scope."},
    {"name": "notes", "description": "Notes and reflections on sessions."},
    {"name": "episodes", "description": "Episodes: actions and their outcomes."},
    {"name": "facts", "description": "Facts by key."},
    {"name": "rules", "description": "Rules for agents."},
    {"name": "patterns", "description": "Patterns detected in episodes and signals."},
    {"name": "timeline", "description": "Memories along time, and changes between two times."},
    {"name": "governance", "description": "Classification, redaction, retention, erasure, audit, archives, transfers."},
    {"name": "admin", "description": "Statistics, costs, access keys, jobs, maintenance and the search index."},
    {"name": "service", "description": "Health, readiness and metrics; they need no access key."},
    {"name": "rae", "description": "Routes with the names of RAE."},
]


def make_app(
    memory: Memory,
    options: ServiceOptions,
    *,
    mcp: ASGIApp | None = None,
) -> ASGIApp:
    """Return the service of an open memory.

    Args:
        mcp: the app at `/mcp`.
    """
    app = FastAPI(
        title="Remembrancer",
        version="1",
        description=_ABOUT,
        openapi_tags=_TAGS,
        redoc_url=None,
        docs_url=None,
        # The framework's spans and logs contain paths, questions and error messages.
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
            "operation_spans": False,
            "auto_configure": False,
        },
    )
    answer_with_problems(app)
    _add_health(app, memory, options)
    # Routers that are included would build each route once more.
    add_file_routes(app.router)
    add_event_routes(app.router, options)
    add_alias_routes(app.router)
    add_routes(app.router, options)
    app.openapi = lambda: _document(app)
    gate: ASGIApp = Gate(app if mcp is None else _with_mcp(app, mcp), memory, options)
    if options.origins:
        gate = CORSMiddleware(
            gate,
            allow_origins=options.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["ETag", "X-Request-ID", "Retry-After", "Idempotency-Replayed"],
        )
    return gate


def _with_mcp(app: ASGIApp, mcp: ASGIApp) -> ASGIApp:
    """Return an app with another app at `/mcp`."""

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        is_mcp = scope["type"] == "http" and scope["path"].rstrip("/") == "/mcp"
        await (mcp if is_mcp else app)(scope, receive, send)

    return dispatch


_NIGHTS = "whether the last maintenance run of every scope in this process succeeded"


class Health(BaseModel):
    """The response of a running process."""

    status: Literal["ok"]
    nights: bool = Field(description=_NIGHTS)


class Ready(BaseModel):
    """The availability of the parts of the service."""

    ready: bool = Field(description="whether the service can answer requests")
    store: bool = Field(description="whether the database is available")
    databases: bool = Field(description="whether all of several databases answer")
    replicas: bool = Field(description="whether all read replicas are in use")
    models: bool = Field(description="whether all models, embedders and rerankers are available")
    nights: bool = Field(description=_NIGHTS)


def _description(
    description: str, model: type[BaseModel] | None, *problems: int, also: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Return the description of a route without an access key, for the OpenAPI document."""
    content: dict[str, Any] = {"model": model} if model else {"content": {_PROMETHEUS: {"schema": {"type": "string"}}}}
    answers = {200: description, **(also or {})}
    return {
        "tags": ["service"],
        "response_class": Response,
        "responses": {status: {"description": text, **content} for status, text in answers.items()},
        "openapi_extra": {"security": [], **problems_of(problems)},
    }


def _add_health(app: FastAPI, memory: Memory, options: ServiceOptions) -> None:
    @app.get("/health", operation_id="health", **_description("The process runs.", Health, 403, 429))
    async def health() -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Return the health of the process, without a query to the store."""
        return JSONResponse({"status": "ok", "nights": memory.authenticator.maintenance_is_healthy})

    @app.get(
        "/ready",
        operation_id="ready",
        **_description(
            "Requests can be answered.", Ready, 403, 421, 429, 500, also={503: "The database is unavailable."}
        ),
    )
    async def ready() -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Return the readiness of the service. If models fail, it answers without them."""
        parts = await memory.authenticator.ready()
        return JSONResponse({"ready": parts["store"], **parts}, 200 if parts["store"] else 503)

    @app.get(
        "/metrics", operation_id="metrics", **_description("Metrics for Prometheus.", None, 403, 404, 421, 429, 500)
    )
    async def metrics(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction] -- a route
        """Return the metrics of all tenants for Prometheus."""
        token = options.metrics_token
        is_valid = bool(token) and hmac.compare_digest(access_token(request.headers).encode(), token.encode())
        if not (request.state.open or is_valid):
            raise RequestRefused("no-such-route", "metrics are closed here; set `service_metrics_token`")
        return PlainTextResponse(await options.metrics(), media_type=f"{_PROMETHEUS}; version=0.0.4; charset=utf-8")


def _document(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document, with shared parts as components."""
    if app.openapi_schema is None:
        document = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=app.openapi_tags,
            openapi_version="3.1.0",
        )
        parts = document.setdefault("components", {})
        parts["responses"] = described_problems()
        problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
        parts.setdefault("schemas", {})["Problem"] = problem
        for unused in ("HTTPValidationError", "ValidationError"):
            parts["schemas"].pop(unused, None)
        parts["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer", "description": "An access key, `rmb_…`."},
            "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        document["security"] = [{"bearer": []}, {"key": []}]
        for path, operations in document["paths"].items():
            for operation in operations.values():
                _complete(operation, has_tenant=path not in OPEN_TO_ALL)
        app.openapi_schema = _titled(document)
    return app.openapi_schema


def _complete(operation: dict[str, Any], *, has_tenant: bool) -> None:
    """Add the header of the tenant to an operation of the document, and reduce its problems to references."""
    if has_tenant:
        operation.setdefault("parameters", []).append(_TENANT)
    for status, answer in operation["responses"].items():
        if "$ref" in answer:
            operation["responses"][status] = {"$ref": answer["$ref"]}


def _titled(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with one name and title for each schema, such as `Hit` and `HitInput`."""
    text = json.dumps(document)
    text = _DIRECTION.sub(lambda found: found[1] + found[2].replace("Output", ""), text)
    renamed: dict[str, Any] = json.loads(text)
    schemas = renamed["components"]["schemas"]
    renamed["components"]["schemas"] = {
        (name := old.removesuffix("-Output").replace("-", "")): {**schema, "title": name}
        for old, schema in schemas.items()
    }
    return renamed
