"""A route for each operation; parameters, answers and descriptions come from the method."""

import inspect
import json
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Literal, cast

import anyio
from fastapi import APIRouter, Body, Header, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, Json, create_model

from remembrancer.docstrings import body as description_of
from remembrancer.docstrings import raised_errors, summary
from remembrancer.errors import Conflict, InvalidInput
from remembrancer.memory import Memory
from remembrancer.operations import (
    CREATED_RESPONSES,
    LONG,
    OPERATIONS,
    RIGHT_FOR,
    SECRET_RESPONSES,
    Argument,
    Operation,
    nested_class,
)
from remembrancer.problems import ERRORS, MEDIA_TYPE, problems_by_status
from remembrancer.resources.json_values import dump, dump_compact, load
from remembrancer.service.examples import EXAMPLES
from remembrancer.service.rest.gate import SLASH
from remembrancer.service.rest.idempotency import answer_once
from remembrancer.service.rest.options import ServiceOptions
from remembrancer.service.rest.problem_responses import RequestRefused
from remembrancer.service.rest.streams import CONTENT, EventStream
from remembrancer.service.schemas import COMPACT, IN, OUT, form, is_mapping
from remembrancer.types.access import Right
from remembrancer.types.record import Record
from remembrancer.types.results import Saved

# In a path, in place of an id, where a topic key names the memory.
BY_TOPIC = "-"
# A cancelled request needs a moment to end.
_GRACE_SECONDS = 5.0
_TAGS: Mapping[str, str] = {"memory": "memories", "observations": "memories", "scores": "memories"}


class Narrowing(BaseModel):
    """Parameters that narrow the scope of the access key."""

    model_config = ConfigDict(extra="forbid")

    project: str | None = Field(None, description="only memories of this project, and shared ones")
    agent: str | None = Field(None, description="only memories of this agent, and shared ones")
    user: str | None = Field(None, description="only memories of this user, and shared ones")
    clearance: str | None = Field(None, description="only memories of this classification or a lower one")
    reveal: bool = Field(default=False, description="show personal data instead of marks; needs the right reveal")


class Sized(Narrowing):
    """The scope of a request that lists memories, and the size of each."""

    size: Literal["public", "compact"] = Field(
        "public", description="public: all but the hash; compact: about 100 tokens, `get` returns the rest"
    )


class Problem(BaseModel):
    """The reason why a request failed (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="the code as a URN")
    title: str = Field(description="the same for all problems of the code")
    status: int
    code: str = Field(description="stable, for programs")
    detail: str = Field(description="the fault of this request, and what to change; without content of memories")
    request_id: str | None = Field(None, description="the id of the request in the log of the service")
    retryable: bool | None = Field(None, description="whether the same request may succeed later")


# The statuses of any request of a tenant, and of one with a body.
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
            "description": " ".join(f"`{one.code}`: {one.title}." for one in problems),
            "content": content,
        }
        for status, problems in problems_by_status().items()
        # The document contains no wrong methods.
        if status != HTTPStatus.METHOD_NOT_ALLOWED
    }


def add_routes(router: APIRouter, options: ServiceOptions) -> None:
    """Add a route for each operation."""
    # A path without parameters comes before one that would match it as an id.
    for operation in sorted(OPERATIONS.values(), key=lambda one: one.path.count("{")):
        router.add_api_route(
            operation.path,
            _endpoint(operation, options),
            methods=[operation.verb],
            operation_id=operation.name,
            summary=summary(operation.method).rstrip("."),
            description=_description(operation),
            tags=[_TAGS.get(operation.resource, operation.resource.partition(".")[0])],
            status_code=_status(operation),
            response_class=Response,
            responses=_answers(operation),
            openapi_extra={**_extra(operation), **_problems(operation)},
        )


def entered(request: Request, route: str, right: Right) -> Memory:
    """Return the memory of a request, after a check of the right that its route needs.

    Raises:
        NotAllowed: the caller lacks the right.
    """
    memory: Memory = request.state.memory
    request.scope["state"]["route"] = route
    memory.caller.need(right)
    return memory


def arguments_of(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of the method for the values of a request.

    Raises:
        InvalidInput: a value is not of its type.
    """
    return operation.call_arguments(
        {name: value for part, data in values.items() for name, value in _loaded(operation, part, data)}
    )


def _loaded(operation: Operation, name: str, data: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value of a request by its name; of a filter or a budget each field."""
    argument = operation.values.get(name) or operation.options[name]
    if nested_class(argument.hint) is not None:
        # Loaded field by field, so that an error has the full path of the field.
        for part, value in cast(Mapping[str, Any], data or {}).items():
            yield part, _value_of(operation.options[part], value, f"{name}.{part}")
    else:
        yield name, _value_of(argument, data, name)


def _value_of(argument: Argument, data: Any, name: str) -> Any:
    try:
        return load(argument.hint, data)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from error


def _endpoint(operation: Operation, options: ServiceOptions) -> Callable[..., Awaitable[Response]]:
    """Return the function that answers the requests to one route."""

    async def endpoint(request: Request, **parts: Any) -> Response:
        memory = entered(request, operation.name, operation.right)
        values = _values(operation, parts)
        if operation.name in RIGHT_FOR and values.get(RIGHT_FOR[operation.name][0]):
            memory.caller.need(RIGHT_FOR[operation.name][1])
        if "revision" in operation.values and (tag := request.headers.get("if-match")):
            values["revision"] = _revision(tag)
        key = request.headers.get("idempotency-key") if operation.writes else None
        if key and "key" in operation.values and operation.name not in _NO_IDEMPOTENCY_KEY:
            # Stored with the record itself, in its own transaction.
            values.setdefault("key", key)
            key = None
        is_compact = getattr(parts.get("query"), "size", "public") == "compact"
        arguments = arguments_of(operation, values)
        if operation.streams:
            return await EventStream.of(operation.bound(memory)(**arguments), seconds=options.body_seconds)

        async def work() -> Response:
            result = await _in_time(operation.bound(memory)(**arguments), operation, options)
            return _answer(operation, result, request, is_compact=is_compact)

        # Long work changes nothing when it is repeated.
        if not key or operation.name in LONG:
            return await work()
        identity = json.dumps([operation.name, values, *(["compact"] if is_compact else [])], sort_keys=True)
        secret = operation.name in SECRET_RESPONSES
        return await answer_once(memory, key, identity, work, seconds=options.seconds + _GRACE_SECONDS, secret=secret)

    setattr(endpoint, "__signature__", _signature(operation))  # noqa: B010 -- what FastAPI reads
    endpoint.__name__ = operation.name.replace(".", "_")
    return endpoint


# There `key` is the key of the fact.
_NO_IDEMPOTENCY_KEY = frozenset({"facts.set"})


async def _in_time(result: Any, operation: Operation, options: ServiceOptions) -> Any:
    if not inspect.isawaitable(result):
        return result
    if operation.name in LONG:
        return await result
    with anyio.move_on_after(options.seconds):
        return await result
    raise RequestRefused("too-slow", f"the request exceeded {options.seconds:g} seconds; request less, or start a job")


def _answer(operation: Operation, result: Any, request: Request, *, is_compact: bool = False) -> Response:
    if result is None and operation.returns is type(None):
        return Response(status_code=204)
    record: object = cast(Saved[Record], result).record if isinstance(result, Saved) else result
    headers = {"ETag": f'"{record.revision}"'} if isinstance(record, Record) else {}
    if operation.verb == "GET" and headers and request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    answer = dump_compact(result) if is_compact else dump(result)
    return Response(json.dumps(answer, ensure_ascii=False), _status(operation), headers, "application/json")


def _revision(tag: str) -> int:
    """Return the revision of a tag, as an answer had it in ETag.

    Raises:
        InvalidInput: it is not such a tag.
    """
    number = tag.strip().removeprefix("W/").strip('"')
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise InvalidInput('If-Match must be a tag as in ETag, such as "3"')
    return int(number)


def _values(operation: Operation, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a request by name, as JSON has them, from its path, query string and body."""
    values: dict[str, Any] = {name: _unslashed(parts[name]) for name in operation.in_path}
    if values.get("id") == BY_TOPIC and "topic_key" in operation.values:
        del values["id"]
    # With a body, the query string only narrows the scope: an erasure has a `project` of its own.
    part = parts.get("body" if operation.has_body else "query")
    if isinstance(part, BaseModel):
        fields = part.model_dump(mode="json", exclude_unset=True)
        values |= {name: value for name, value in fields.items() if name in operation.outside_path}
    return values


def _unslashed(part: Any) -> Any:
    """Return a part of a path with its slashes, which the gate has replaced."""
    return part.replace(SLASH, "/") if isinstance(part, str) else part


def _signature(operation: Operation) -> inspect.Signature:
    def named(name: str, hint: Any) -> inspect.Parameter:
        return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint)

    own = [inspect.Parameter("request", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Request)]
    for name in operation.in_path:
        argument = operation.values[name]
        hint = Annotated[int if argument.hint is int else str, Path(description=argument.description or None)]
        own.append(named(name, hint))
    fields: dict[str, Any] = {
        name: _field(one, in_query=not operation.has_body) for name, one in operation.outside_path.items()
    }
    title = "".join(part.capitalize() for part in operation.name.replace("_", ".").split("."))
    base = Sized if operation.lists else Narrowing
    if operation.has_body:
        own.append(named("query", Annotated[base, Query()]))
        if fields:
            model: type[BaseModel] = create_model(f"{title}Request", __config__=ConfigDict(extra="forbid"), **fields)
            is_needed = any(field.is_required() for field in model.model_fields.values())
            own.append(
                inspect.Parameter(
                    "body",
                    inspect.Parameter.KEYWORD_ONLY,
                    annotation=Annotated[model if is_needed else model | None, Body()],
                    default=inspect.Parameter.empty if is_needed else None,
                )
            )
    else:
        own.append(named("query", Annotated[create_model(f"{title}Query", __base__=base, **fields), Query()]))
    if operation.writes:
        own.append(_header("idempotency_key", "the same key again within a day returns the first answer"))
    if "revision" in operation.values:
        own.append(_header("if_match", "the ETag that was read; the request fails if the revision has changed since"))
    return inspect.Signature(own)


def _header(name: str, description: str) -> inspect.Parameter:
    hint = Annotated[str | None, Header(description=description, max_length=200)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=hint, default=None)


def _field(argument: Argument, *, in_query: bool) -> tuple[Any, Any]:
    hint, description = form(argument.hint, IN), argument.description or None
    if in_query and is_mapping(argument.hint):
        hint = Json[hint]
    if argument.is_required:
        return hint, Field(description=description)
    if nested_class(argument.hint) is not None:
        return hint | None, Field(None, description=description)
    default = dump(argument.default)
    # A mapping in a query string is read from JSON, an empty default like it.
    return hint, Field("{}" if in_query and default == {} else default, description=description)


def _description(operation: Operation) -> str:
    right = f"Needs the right `{operation.right.value}`."
    more = description_of(operation.method).partition("\n\n")[2]
    extra = RIGHT_FOR.get(operation.name)
    if extra:
        right += f" With `{extra[0]}`, `{extra[1].value}` too."
    return "\n\n".join(filter(None, (more, right)))


def _status(operation: Operation) -> int:
    if operation.returns is type(None):
        return 204
    return 201 if operation.name in CREATED_RESPONSES else 200


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
    answers = {_status(operation): {"description": "The result.", "model": _form(operation)}}
    is_tagged = (
        isinstance(operation.returns, type) and issubclass(operation.returns, Record) and operation.verb == "GET"
    )
    return {
        **answers,
        **({304: {"description": "The revision is still that of `If-None-Match`."}} if is_tagged else {}),
    }


def _form(operation: Operation) -> Any:
    public = form(operation.returns, OUT)
    return public | form(operation.returns, COMPACT) if operation.lists else public


def _problems(operation: Operation) -> dict[str, Any]:
    """Return the problems of an operation: those of any request, of its headers, and of the errors of its method."""
    statuses = {kind.__name__: row.status for kind, row in ERRORS.items()}
    # A stream raises the errors of the operation without streaming.
    whole = OPERATIONS[operation.name.removesuffix("_stream")]
    errors = {statuses[name] for name in (*raised_errors(operation.method), *raised_errors(whole.method))}
    if operation.writes:
        # An idempotency key that came with another request.
        errors.add(ERRORS[Conflict].status)
    return problems(*errors, has_body=operation.has_body and bool(operation.outside_path))


def _extra(operation: Operation) -> dict[str, Any]:
    """Return the extensions of the document: the right, and an example that a test runs."""
    example = EXAMPLES.get(operation.name, {})
    extra: dict[str, Any] = {"x-right": operation.right.value, "x-example": example}
    if "body" in example and operation.outside_path:
        extra["requestBody"] = {"content": {"application/json": {"example": example["body"]}}}
    return extra
