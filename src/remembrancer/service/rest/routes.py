"""A route for each operation: its parameters and its answer are those of the method, and so is what is said of them."""

import inspect
import json
from collections.abc import Awaitable, Callable, Collection, Mapping
from http import HTTPStatus
from operator import attrgetter
from typing import Annotated, Any, Literal, cast

import anyio
from fastapi import APIRouter, Body, Header, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, Json, create_model

from remembrancer.errors import Conflict, InvalidInput
from remembrancer.memory import Memory
from remembrancer.operations import LONG, MADE, OPERATIONS, RIGHT_FOR, TOLD_ONCE, Operation
from remembrancer.problems import MEDIA_TYPE, PROBLEMS, by_status
from remembrancer.resources.json_values import dump, dump_compact, load
from remembrancer.service.examples import EXAMPLES
from remembrancer.service.rest.gate import SLASH
from remembrancer.service.rest.once import once
from remembrancer.service.rest.refusals import Refusal
from remembrancer.service.rest.serving import Serving
from remembrancer.service.rest.streams import CONTENT, Stream
from remembrancer.service.schemas import COMPACT, IN, OUT, described, form, is_mapping, raised, summary, told_beside
from remembrancer.types.access import Right
from remembrancer.types.record import Record
from remembrancer.types.saved import Saved

# In a path, in place of an id, where a topic key names what is meant.
BY_TOPIC = "-"
# A request that is cancelled takes a moment to end.
_GRACE_SECONDS = 5.0
_TAGS: Mapping[str, str] = {
    "memory": "memories",
    "observations": "memories",
    "contexts": "context",
    "learning": "learning",
}


class Narrowing(BaseModel):
    """What a request sees of the scope of its access key: what is not named stays as the key has it."""

    model_config = ConfigDict(extra="forbid")

    project: str | None = Field(None, description="see only this project, and what is shared by all")
    agent: str | None = Field(None, description="see only this agent, and what is shared by all")
    user: str | None = Field(None, description="see only this user, and what is shared by all")
    clearance: str | None = Field(None, description="see nothing that is classified higher than this")
    reveal: bool = Field(
        default=False, description="show personal data as it is, in place of marks; takes the right reveal"
    )


class Sized(Narrowing):
    """What a request that lists memories sees, and how much of each."""

    size: Literal["public", "compact"] = Field(
        "public", description="public: all but the hash; compact: about 100 tokens, and `get` has the rest"
    )


class Problem(BaseModel):
    """Why a request was not done (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="the code as a URN")
    title: str = Field(description="the same for all problems of the code")
    status: int
    code: str = Field(description="stable, for programs")
    detail: str = Field(description="what was wrong with this request, and what to change; never a text of memory")
    request_id: str | None = Field(None, description="stands in the log of the service, too")
    retryable: bool | None = Field(None, description="whether the same request may go well later")


# What any request of a tenant may be answered, and one with a body beside.
_ANY_REQUEST = frozenset({401, 403, 404, 421, 422, 429, 500, 503})
_WITH_BODY = frozenset({400, 408, 413})


def problems(*statuses: int, has_body: bool = False) -> dict[str, Any]:
    """Return the problems of a route for the document: those of any request, and those of `statuses`."""
    return problems_of({*_ANY_REQUEST, *statuses, *(_WITH_BODY if has_body else ())})


def problems_of(statuses: Collection[int]) -> dict[str, Any]:
    """Return the problems of `statuses` for the document, each a reference to where it is described."""
    return {
        "responses": {str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in sorted(statuses)}
    }


def described_problems() -> dict[str, Any]:
    """Return the description of each problem by the name that `problems_of` refers to."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        f"Problem{status}": {
            "description": " ".join(f"`{one.code}`: {one.title}." for one in found),
            "content": content,
        }
        for status, found in by_status().items()
        # No document has a method that a route does not have.
        if status != HTTPStatus.METHOD_NOT_ALLOWED
    }


def routes(serving: Serving) -> APIRouter:
    """A route for each operation."""
    router = APIRouter()
    # A path without parameters comes before one that would take it for an id.
    for operation in sorted(OPERATIONS.values(), key=lambda one: one.path.count("{")):
        router.add_api_route(
            operation.path,
            _endpoint(operation, serving),
            methods=[operation.verb],
            operation_id=operation.name,
            summary=summary(operation.method).rstrip("."),
            description=_description(operation),
            tags=[_TAGS.get(operation.door, operation.door)],
            status_code=_status(operation),
            response_class=Response,
            responses=_answers(operation),
            openapi_extra={**_extra(operation), **_problems(operation)},
        )
    return router


def entered(request: Request, route: str, right: Right) -> Memory:
    """The memory that a request has come to, by a route that is told of and takes a right.

    Raises:
        NotAllowed: the caller lacks the right.
    """
    memory: Memory = request.state.memory
    request.scope["state"]["route"] = route
    memory.caller.need(right)
    return memory


def method_of(memory: Memory, operation: Operation) -> Callable[..., Any]:
    """The method of a memory that an operation is."""
    return attrgetter(operation.name)(memory)


def arguments_of(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a request gives, as the method takes it.

    Raises:
        InvalidInput: a value tells nothing of its type.
    """
    found: dict[str, Any] = {}
    for name, data in given.items():
        try:
            found[name] = load(operation.hints[name], data)
        except InvalidInput as error:
            raise InvalidInput(f"{name}: {error}") from error
    return found


def _endpoint(operation: Operation, serving: Serving) -> Callable[..., Awaitable[Response]]:
    """What answers the requests to one route."""

    async def endpoint(request: Request, **given: Any) -> Response:
        memory = entered(request, operation.name, operation.right)
        named = _named(operation, given)
        if operation.name in RIGHT_FOR and named.get(RIGHT_FOR[operation.name][0]):
            memory.caller.need(RIGHT_FOR[operation.name][1])
        if "revision" in operation.parameters and (tag := request.headers.get("if-match")):
            named["revision"] = _revision(tag)
        key = request.headers.get("idempotency-key") if operation.writes else None
        if key and "key" in operation.parameters and operation.name not in _KEYED_OTHERWISE:
            # Kept with the record itself, in its own transaction.
            named.setdefault("key", key)
            key = None
        is_compact = getattr(given.get("query"), "size", "public") == "compact"
        arguments = arguments_of(operation, named)
        if operation.streams:
            return await Stream.of(method_of(memory, operation)(**arguments), seconds=serving.body_seconds)

        async def work() -> Response:
            result = await _in_time(method_of(memory, operation)(**arguments), operation, serving)
            return _answer(operation, result, request, is_compact=is_compact)

        # Long work changes nothing when it is done again.
        if not key or operation.name in LONG:
            return await work()
        asked = json.dumps([operation.name, named, *(["compact"] if is_compact else [])], sort_keys=True)
        secret = operation.name in TOLD_ONCE
        return await once(memory, key, asked, work, seconds=serving.seconds + _GRACE_SECONDS, secret=secret)

    setattr(endpoint, "__signature__", _signature(operation))  # noqa: B010 -- what FastAPI reads
    endpoint.__name__ = operation.name.replace(".", "_")
    return endpoint


# There `key` is that of a fact.
_KEYED_OTHERWISE = frozenset({"facts.set"})


async def _in_time(result: Any, operation: Operation, serving: Serving) -> Any:
    if not inspect.isawaitable(result):
        return result
    if operation.name in LONG:
        return await result
    with anyio.move_on_after(serving.seconds):
        return await result
    raise Refusal("too-slow", f"it took longer than {serving.seconds:g} seconds; ask for less, or begin a job")


def _answer(operation: Operation, result: Any, request: Request, *, is_compact: bool = False) -> Response:
    if result is None and operation.returns is type(None):
        return Response(status_code=204)
    record: object = cast(Saved[Record], result).record if isinstance(result, Saved) else result
    headers = {"ETag": f'"{record.revision}"'} if isinstance(record, Record) else {}
    if operation.verb == "GET" and headers and request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    told = dump_compact(result) if is_compact else dump(result)
    return Response(json.dumps(told, ensure_ascii=False), _status(operation), headers, "application/json")


def _revision(tag: str) -> int:
    """The revision that a tag names, as ETag gave it.

    Raises:
        InvalidInput: it names none.
    """
    number = tag.strip().removeprefix("W/").strip('"')
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise InvalidInput('If-Match must be a tag as ETag gives it, such as "3"')
    return int(number)


def _named(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """What a request says of each parameter, as JSON has it, wherever it says it."""
    found: dict[str, Any] = {name: _unslashed(given[name]) for name in operation.in_path}
    if found.get("id") == BY_TOPIC and "topic_key" in operation.parameters:
        del found["id"]
    beside_path = operation.beside_path
    for part in (given.get("query"), given.get("body")):
        if isinstance(part, BaseModel):
            said = part.model_dump(mode="json", exclude_unset=True)
            found |= {name: value for name, value in said.items() if name in beside_path}
    return found


def _unslashed(part: Any) -> Any:
    """A part of a path as it was meant: what the gate has put for a slash within it is one again."""
    return part.replace(SLASH, "/") if isinstance(part, str) else part


def _signature(operation: Operation) -> inspect.Signature:
    told, hints = described(operation.method), operation.hints

    def named(name: str, hint: Any) -> inspect.Parameter:
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint)

    own = [inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)]
    own += [
        named(name, Annotated[_path_type(hints[name]), Path(description=told.get(name))]) for name in operation.in_path
    ]
    fields: dict[str, Any] = {name: _field(operation, name, told) for name in operation.beside_path}
    title = "".join(part.capitalize() for part in operation.name.replace("_", ".").split("."))
    base = Sized if operation.lists else Narrowing
    if operation.has_body:
        own.append(named("query", Annotated[base, Query()]))
        if fields:
            model: type[BaseModel] = create_model(f"{title}Request", __config__=ConfigDict(extra="forbid"), **fields)
            is_needed = any(field.is_required() for field in model.model_fields.values())
            body = inspect.Parameter(
                "body",
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[model if is_needed else model | None, Body()],
                default=inspect.Parameter.empty if is_needed else None,
            )
            own.append(body)
    else:
        own.append(named("query", Annotated[create_model(f"{title}Query", __base__=base, **fields), Query()]))
    if operation.writes:
        own.append(_header("idempotency_key", "done once for one key within a day, however often it is sent"))
    if "revision" in operation.parameters:
        own.append(_header("if_match", "the ETag of what was read: done only where it has not changed since"))
    return inspect.Signature(own)


def _header(name: str, told: str) -> inspect.Parameter:
    hint = Annotated[str | None, Header(description=told, max_length=200)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=None)


def _path_type(hint: Any) -> Any:
    return int if hint is int else str


def _field(operation: Operation, name: str, told: Mapping[str, str]) -> tuple[Any, Any]:
    parameter = operation.parameters[name]
    made = form(operation.hints[name], IN)
    if not operation.has_body and is_mapping(operation.hints[name]):
        made = Json[made]
    if parameter.default is inspect.Parameter.empty:
        return made, Field(description=told.get(name))
    default: Any = parameter.default
    if isinstance(default, tuple):
        default = list(cast(tuple[Any, ...], default))
    return made, Field(default, description=told.get(name))


def _description(operation: Operation) -> str:
    right = f"Takes the right `{operation.right.value}`."
    more = told_beside(operation.method).partition("\n\n")[2]
    apart = RIGHT_FOR.get(operation.name)
    if apart:
        right += f" With `{apart[0]}`, `{apart[1].value}` too."
    return "\n\n".join(filter(None, (more, right)))


def _status(operation: Operation) -> int:
    if operation.returns is type(None):
        return 204
    return 201 if operation.name in MADE else 200


def _answers(operation: Operation) -> dict[int | str, dict[str, Any]]:
    if operation.streams:
        return {
            200: {
                "description": "Pieces of text as events `piece`; last an event `done` with the whole, or `problem`.",
                "content": CONTENT,
            }
        }
    if operation.returns is type(None):
        return {204: {"description": "Done."}}
    made = {_status(operation): {"description": "What came of it.", "model": _form(operation)}}
    is_tagged = (
        isinstance(operation.returns, type) and issubclass(operation.returns, Record) and operation.verb == "GET"
    )
    return {**made, **({304: {"description": "It is still as `If-None-Match` has it."}} if is_tagged else {})}


def _form(operation: Operation) -> Any:
    public = form(operation.returns, OUT)
    return public | form(operation.returns, COMPACT) if operation.lists else public


def _problems(operation: Operation) -> dict[str, Any]:
    """Return the problems of an operation: those of any request, of its headers, and of what its method raises."""
    codes = {kind.__name__: told.status for kind, told in PROBLEMS.items()}
    found = {codes[name] for name in raised(operation.method)}
    if operation.writes:
        # An idempotency key that came with another request.
        found.add(PROBLEMS[Conflict].status)
    return problems(*found, has_body=operation.has_body and bool(operation.beside_path))


def _extra(operation: Operation) -> dict[str, Any]:
    """What the document says beside: the right, and an example that a test runs."""
    example = EXAMPLES.get(operation.name, {})
    extra: dict[str, Any] = {"x-right": operation.right.value, "x-example": example}
    if "body" in example and operation.beside_path:
        extra["requestBody"] = {"content": {"application/json": {"example": example["body"]}}}
    return extra
