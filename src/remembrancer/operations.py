"""The table of operations: public methods, routes and rights.

The service, the clients and the command line are generated from it. Parameters, results and descriptions come from the
methods themselves. A method without a route is in `WITHOUT_ROUTE`, with the reason.
"""

import inspect
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin

from remembrancer.docstrings import argument_descriptions
from remembrancer.errors import InvalidInput
from remembrancer.memory import Memory
from remembrancer.resources.json_values import has_records, hints_of, names_of
from remembrancer.resources.requests import request_of
from remembrancer.resources.resource import SubResource
from remembrancer.types.access import Right
from remembrancer.types.audit import AuditFilter
from remembrancer.types.budget import Budget
from remembrancer.types.filter import Filter
from remembrancer.types.record import Record

_READ, _WRITE, _LEARN, _GOVERN, _OPERATE = Right.READ, Right.WRITE, Right.LEARN, Right.GOVERN, Right.OPERATE

_ROUTES: Mapping[str, tuple[str, Right]] = {
    "record": ("POST /v1/messages", _WRITE),
    "save": ("POST /v1/observations", _WRITE),
    "recall": ("POST /v1/recall", _READ),
    "explain": ("POST /v1/explain", _READ),
    "trace": ("POST /v1/trace", _READ),
    "context": ("POST /v1/context", _READ),
    "ask": ("POST /v1/ask", _READ),
    "ask_stream": ("POST /v1/ask/stream", _READ),
    "get": ("GET /v1/memories/{id}", _READ),
    "list": ("GET /v1/memories", _READ),
    "edit": ("PATCH /v1/observations/{id}", _WRITE),
    "delete": ("DELETE /v1/memories/{id}", _WRITE),
    "restore": ("POST /v1/memories/{id}/restore", _WRITE),
    "feedback": ("POST /v1/memories/{id}/feedback", _LEARN),
    "evidence": ("GET /v1/memories/{id}/evidence", _READ),
    "dependents": ("GET /v1/memories/{id}/dependents", _READ),
    "messages.record_many": ("POST /v1/messages/batch", _WRITE),
    "messages.import_turns": ("POST /v1/messages/turns", _WRITE),
    "observations.save_many": ("POST /v1/observations/batch", _WRITE),
    "observations.delete_many": ("POST /v1/memories/delete", _WRITE),
    "observations.restore_many": ("POST /v1/memories/restore", _WRITE),
    "sessions.start": ("POST /v1/sessions", _WRITE),
    "sessions.list": ("GET /v1/sessions", _READ),
    "sessions.end": ("POST /v1/sessions/{session}/end", _WRITE),
    "sessions.summarise": ("POST /v1/sessions/{session}/summary", _WRITE),
    "sessions.stats": ("GET /v1/sessions/{session}", _READ),
    "sessions.messages": ("GET /v1/sessions/{session}/messages", _READ),
    "sessions.set_outcome": ("POST /v1/sessions/{session}/outcome", _LEARN),
    "sessions.injections": ("GET /v1/sessions/{session}/injections", _READ),
    "sessions.reply": ("POST /v1/sessions/{session}/reply", _WRITE),
    "sessions.reply_stream": ("POST /v1/sessions/{session}/reply/stream", _WRITE),
    "sessions.execute": ("POST /v1/ask/execute", _WRITE),
    "sessions.execute_stream": ("POST /v1/ask/execute/stream", _WRITE),
    "notes.observe": ("POST /v1/sessions/{session}/observe", _LEARN),
    "notes.reflect": ("POST /v1/reflect", _LEARN),
    "notes.log": ("GET /v1/sessions/{session}/log", _READ),
    "notes.chunks": ("GET /v1/sessions/{session}/chunks", _READ),
    "notes.of_chunk": ("GET /v1/sessions/{session}/chunks/{first}", _READ),
    "notes.approve": ("POST /v1/sessions/{session}/chunks/{first}/approve", _LEARN),
    "notes.retry": ("POST /v1/sessions/{session}/chunks/{first}/retry", _LEARN),
    "notes.failed": ("GET /v1/notes/failed", _READ),
    "notes.drop": ("POST /v1/sessions/{session}/chunks/{first}/drop", _LEARN),
    "notes.in_review": ("GET /v1/notes/in-review", _READ),
    "episodes.record": ("POST /v1/episodes", _WRITE),
    "episodes.record_many": ("POST /v1/episodes/batch", _WRITE),
    "episodes.end_run": ("POST /v1/runs", _WRITE),
    "episodes.signal": ("POST /v1/signals", _WRITE),
    "episodes.restore": ("POST /v1/episodes/{id}/restore", _WRITE),
    "episodes.list": ("GET /v1/episodes", _READ),
    "facts.set": ("PUT /v1/facts/{key}", _WRITE),
    "facts.get": ("GET /v1/facts/{key}", _READ),
    "facts.end": ("DELETE /v1/facts/{key}", _WRITE),
    "facts.history": ("GET /v1/facts/{key}/history", _READ),
    "facts.list": ("GET /v1/facts", _READ),
    "rules.add": ("POST /v1/rules", _LEARN),
    "rules.list": ("GET /v1/rules", _READ),
    "rules.refused": ("GET /v1/rules/refused", _READ),
    "rules.edit": ("PATCH /v1/rules/{id}", _LEARN),
    "rules.pause": ("POST /v1/rules/{id}/pause", _LEARN),
    "rules.resume": ("POST /v1/rules/{id}/resume", _LEARN),
    "rules.retire": ("POST /v1/rules/{id}/retire", _LEARN),
    "patterns.list": ("GET /v1/patterns", _READ),
    "patterns.merge": ("POST /v1/patterns/{into}/merge", _LEARN),
    "patterns.pause": ("POST /v1/patterns/{id}/pause", _LEARN),
    "patterns.resume": ("POST /v1/patterns/{id}/resume", _LEARN),
    "patterns.retire": ("POST /v1/patterns/{id}/retire", _LEARN),
    "scores.get": ("GET /v1/memories/{id}/score", _READ),
    "scores.history": ("GET /v1/memories/{id}/score/history", _READ),
    "scores.rate": ("PUT /v1/memories/{id}/rating", _LEARN),
    "scores.boost": ("PUT /v1/memories/{id}/boost", _LEARN),
    "scores.pin": ("PUT /v1/memories/{id}/pin", _LEARN),
    "scores.unpin": ("DELETE /v1/memories/{id}/pin", _LEARN),
    "timeline.around": ("GET /v1/memories/{id}/around", _READ),
    "timeline.history": ("GET /v1/memories/{id}/history", _READ),
    "timeline.between": ("GET /v1/timeline", _READ),
    "timeline.diff": ("GET /v1/diff", _READ),
    "graph.entities": ("GET /v1/graph/entities", _READ),
    "graph.entity": ("GET /v1/graph/entities/{name}", _READ),
    "graph.changes": ("GET /v1/graph/entities/{name}/changes", _READ),
    "graph.merge": ("POST /v1/graph/entities/{name}/merge", _WRITE),
    "graph.split": ("POST /v1/graph/entities/{name}/split", _WRITE),
    "graph.relations": ("GET /v1/graph/relations", _READ),
    "graph.relate": ("POST /v1/graph/relations", _WRITE),
    "graph.export": ("GET /v1/graph/export", _READ),
    "graph.neighbours": ("GET /v1/graph/entities/{name}/neighbours", _READ),
    "graph.shortest_path": ("GET /v1/graph/shortest-path", _READ),
    "governance.classify": ("PUT /v1/memories/{id}/classification", _OPERATE),
    "governance.overview": ("GET /v1/governance/overview", _OPERATE),
    "governance.redactions.list": ("GET /v1/redactions", _READ),
    "governance.redactions.set": ("PUT /v1/redactions/{data_type}", _OPERATE),
    "governance.redactions.unset": ("DELETE /v1/redactions/{data_type}", _OPERATE),
    "governance.holds.list": ("GET /v1/holds", _OPERATE),
    "governance.holds.place": ("PUT /v1/holds/{name}", _OPERATE),
    "governance.holds.release": ("POST /v1/holds/{name}/release", _OPERATE),
    "governance.retention.set": ("PUT /v1/retention/{name}", _OPERATE),
    "governance.retention.unset": ("DELETE /v1/retention/{name}", _OPERATE),
    "governance.retention.list": ("GET /v1/retention", _READ),
    "governance.retention.find_expired": ("GET /v1/expired", _OPERATE),
    "governance.retention.list_soft_deleted": ("GET /v1/deleted", _OPERATE),
    "governance.retention.soft_delete": ("POST /v1/deleted", _OPERATE),
    "governance.retention.hard_delete": ("POST /v1/deleted/purge", _OPERATE),
    "governance.retention.is_accessible": ("GET /v1/memories/{id}/accessible", _READ),
    "governance.retention.run": ("POST /v1/retention/run", _OPERATE),
    "governance.erasure.plan": ("POST /v1/erasures/plan", _GOVERN),
    "governance.erasure.erase": ("POST /v1/erasures", _GOVERN),
    "governance.erasure.find_mentions": ("POST /v1/erasures/mentions", _GOVERN),
    "governance.erasure.receipts": ("GET /v1/erasures", _GOVERN),
    "governance.audit.list": ("GET /v1/audit", _OPERATE),
    "governance.audit.verify": ("POST /v1/audit/verify", _OPERATE),
    "governance.audit.checkpoint": ("GET /v1/audit/checkpoint", _OPERATE),
    "governance.transfers.list": ("GET /v1/transfers", _OPERATE),
    "governance.transfers.grant": ("PUT /v1/transfers/{lender}/{reader}", _OPERATE),
    "governance.transfers.revoke": ("POST /v1/transfers/{lender}/{reader}/revoke", _OPERATE),
    "admin.stats": ("GET /v1/stats", _READ),
    "admin.costs": ("GET /v1/costs", _GOVERN),
    "admin.scopes": ("GET /v1/scopes", _OPERATE),
    "admin.tenants": ("GET /v1/tenants", _OPERATE),
    "admin.background": ("GET /v1/background", _OPERATE),
    "admin.flush": ("POST /v1/flush", _WRITE),
    "admin.doctor": ("POST /v1/doctor", _OPERATE),
    "admin.keys.create": ("POST /v1/keys", _OPERATE),
    "admin.keys.list": ("GET /v1/keys", _OPERATE),
    "admin.keys.rotate": ("POST /v1/keys/{id}/rotate", _OPERATE),
    "admin.keys.revoke": ("DELETE /v1/keys/{id}", _OPERATE),
    "admin.jobs.start": ("POST /v1/jobs", _READ),
    "admin.jobs.list": ("GET /v1/jobs", _READ),
    "admin.jobs.get": ("GET /v1/jobs/{id}", _READ),
    "admin.jobs.cancel": ("DELETE /v1/jobs/{id}", _READ),
    "admin.maintenance.run": ("POST /v1/maintenance", _LEARN),
    "admin.maintenance.dry_run": ("GET /v1/maintenance/preview", _READ),
    "admin.maintenance.list": ("GET /v1/maintenance", _READ),
    "admin.maintenance.latest": ("GET /v1/maintenance/latest", _READ),
    "admin.index.embed": ("POST /v1/index/embed", _OPERATE),
    "admin.index.embed_soon": ("POST /v1/index/embed-soon", _WRITE),
    "admin.index.missing": ("GET /v1/index/missing", _OPERATE),
    "admin.index.reembed": ("POST /v1/index/reembed", _OPERATE),
    "admin.index.rebuild": ("POST /v1/index/rebuild", _OPERATE),
}
RIGHT_FOR: Mapping[str, tuple[str, Right]] = {
    "list": ("all_scopes", _OPERATE),
    "sessions.list": ("all_scopes", _OPERATE),
    "timeline.between": ("all_scopes", _OPERATE),
    "timeline.diff": ("all_scopes", _OPERATE),
}
"""For an operation, the argument that requires a further right, and that right."""
WITHOUT_ROUTE: Mapping[str, str] = {
    "within": "the query parameters project, agent, user and clearance narrow every request",
    "conversation": "a session with its name filled in; a client's own",
    "messages.import_file": "the file is the body of POST /v1/messages/import, or of POST /v1/jobs/import",
    "governance.archives.export": "streamed by GET /v1/export",
    "governance.archives.report": "streamed by GET /v1/users/{name}/report",
    "governance.archives.create": "the file is the answer to POST /v1/archives",
    "governance.archives.stream": "the answer to POST /v1/archives, piece by piece",
    "governance.archives.check": "the file is the body of POST /v1/archives/check",
    "governance.archives.import_archive": "the file is the body of POST /v1/archives/import",
}
LOCAL_ONLY_PARAMETERS = frozenset({"progress", "file", "skip_bad"})
"""Parameters that no request contains: a job reports its progress, and a file is a body of its own."""
LONG = frozenset(
    {
        "admin.maintenance.run", "admin.index.embed", "admin.index.reembed", "admin.index.rebuild", "admin.doctor",
        "notes.observe", "notes.reflect", "notes.retry", "governance.erasure.erase", "governance.retention.run",
    }
)  # fmt: skip
"""Operations that may take longer than the time limit of a request."""
SECRET_RESPONSES = frozenset({"admin.keys.create", "admin.keys.rotate"})
"""Operations whose answer contains a secret that is not stored."""
CREATED_RESPONSES = frozenset(
    {
        "record", "save", "messages.record_many", "observations.save_many", "episodes.record", "episodes.record_many",
        "episodes.signal", "rules.add", "admin.keys.create",
    }
)  # fmt: skip
"""Operations with the status 201."""
_NESTED: tuple[type, ...] = (Filter, Budget, AuditFilter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One value of an operation, as a request or a command names it.

    Args:
        default: `inspect.Parameter.empty` where it is required.
        source: the parameter and the field in it, such as `("question", "filter", "kinds")`.
        positional: the method accepts it by position, too.
    """

    name: str
    hint: Any
    default: Any
    description: str
    source: tuple[str, ...]
    positional: bool = False

    @property
    def is_required(self) -> bool:
        """Return True if there is no default."""
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Operation:
    """One method as the service offers it.

    A parameter of the type `str | X` is a short form of the dataclass X: a request names the fields of X in its place,
    the string as the first field that X declares. A filter or a budget is an object in a body; in a query string, and
    among the options of a command, its fields are spread.

    Args:
        name: such as `record` or `sessions.start`.
        path: with the names of parameters in braces.
    """

    name: str
    verb: str
    path: str
    right: Right
    method: Callable[..., Any]

    @property
    def resource(self) -> str:
        """Return the resource that the method belongs to.

        `memory` for a daily verb.
        """
        return self.name.rpartition(".")[0] or "memory"

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """Return the parameters that a request may contain, by name."""
        return _parameters(self.method)

    @property
    def request(self) -> tuple[str, type] | None:
        """Return the parameter for a request dataclass, and that class.

        The parameter accepts a string, too. `None` without one.
        """
        return _request(self.method)

    @property
    def values(self) -> Mapping[str, Argument]:
        """Return the arguments by name, filters and budgets as objects."""
        return _values(self.method)

    @property
    def options(self) -> Mapping[str, Argument]:
        """Return the arguments by name, filters and budgets as fields."""
        return _options(self.method)

    @property
    def in_path(self) -> tuple[str, ...]:
        """Return the names of the arguments that are in the path."""
        return tuple(name for name in self.values if f"{{{name}}}" in self.path)

    @property
    def has_body(self) -> bool:
        """Return True if the request has a body."""
        return self.verb in ("POST", "PUT", "PATCH")

    @property
    def outside_path(self) -> Mapping[str, Argument]:
        """Return the arguments of the body, or of the query string."""
        named = self.values if self.has_body else self.options
        return {name: one for name, one in named.items() if f"{{{name}}}" not in self.path}

    @property
    def returns(self) -> Any:
        """Return the annotation of the result.

        Of a stream, that of its last piece.
        """
        hint = hints_of(self.method)["return"]
        if get_origin(hint) is not AsyncGenerator:
            return hint
        return next(part for part in get_args(get_args(hint)[0]) if part is not str)

    @property
    def streams(self) -> bool:
        """Return True if the result comes piece by piece."""
        return get_origin(hints_of(self.method)["return"]) is AsyncGenerator

    @property
    def lists(self) -> bool:
        """Return True if the result contains several memories.

        A request may want them in compact form.
        """
        hint = self.returns
        is_one = isinstance(hint, type) and issubclass(cast(type[object], hint), Record)
        reads = self.right is Right.READ or self.name == "sessions.start"
        return reads and not is_one and not self.streams and has_records(hint)

    @property
    def writes(self) -> bool:
        """Return True if an idempotency key applies to it."""
        is_job = self.resource == "admin.jobs"
        only_reads = self.verb == "GET" or (self.verb == "POST" and self.right is Right.READ and not is_job)
        return not only_reads and not self.streams

    def bound(self, memory: Memory) -> Callable[..., Any]:
        """Return the method of a memory."""
        return attrgetter(self.name)(memory)

    def call_arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the method for values of a request.

        Raises:
            InvalidInput: a filter is there as a whole and by its fields.
        """
        arguments = self._nested(values)
        if self.request is None:
            return arguments
        parameter, kind = self.request
        names = names_of(kind)
        inside = {name: value for name, value in arguments.items() if name in names}
        outside = {name: value for name, value in arguments.items() if name not in names}
        if not inside and self.parameters[parameter].default is not _REQUIRED:
            return outside
        return {parameter: kind(**{**_defaults(self.method, kind), **inside}), **outside}

    def request_values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a request for arguments of the method.

        Raises:
            InvalidInput: a request object is there together with separate arguments.
        """
        values = {name: value for name, value in arguments.items() if name in self.parameters}
        if self.request is None or self.request[0] not in values:
            return values
        parameter, kind = self.request
        first = values.pop(parameter)
        if not isinstance(first, kind):
            return values if first is None else {**values, short_field(kind): first}
        names = names_of(kind)
        # Refuses the same calls as the method itself.
        request_of(self.method, kind, "", first, **{name: value for name, value in values.items() if name in names})
        inside = {name: getattr(first, name) for name in names}
        outside = {name: value for name, value in values.items() if name not in names}
        return {**outside, **{name: value for name, value in inside.items() if value is not None}}

    def _nested(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return values with objects in place of their spread fields.

        A `None` that means the default is left out.
        """
        arguments: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            if value is None and not accepts_none(self._target_hint(name)):
                continue
            if name in self.values:
                arguments[name] = value
            else:
                parts.setdefault(self.options[name].source[-2], {})[name] = value
        for name, of_object in parts.items():
            if name in arguments:
                raise InvalidInput(f"use {name} or its fields, not both: {', '.join(sorted(of_object))}")
            arguments[name] = cast(type, nested_class(self.values[name].hint))(**of_object)
        for name, argument in self.values.items():
            kind = nested_class(argument.hint)
            if argument.is_required and kind is not None and name not in arguments:
                arguments[name] = kind()
        return arguments

    def _target_hint(self, name: str) -> Any:
        """Return the annotation of the parameter or field that a value goes to."""
        if self.request is not None and name in names_of(self.request[1]):
            return hints_of(self.request[1])[name]
        return (self.values.get(name) or self.options[name]).hint


_REQUIRED = inspect.Parameter.empty


def short_field(kind: type) -> str:
    """Return the first field that a request dataclass declares.

    A string alone is its value.
    """
    return next(iter(inspect.get_annotations(kind)))


def nested_class(hint: Any) -> type | None:
    """Return the filter or budget that an annotation names.

    `None` without one.
    """
    return next((part for part in (hint, *get_args(hint)) if part in _NESTED), None)


def accepts_none(hint: Any) -> bool:
    """Return True if `None` is a value of an annotation."""
    return hint in (None, object, Any) or NoneType in get_args(hint)


@cache
def _parameters(method: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    own = list(inspect.signature(method).parameters.values())[1:]
    return {one.name: one for one in own if one.name not in LOCAL_ONLY_PARAMETERS}


@cache
def _request(method: Callable[..., Any]) -> tuple[str, type] | None:
    classes = ((name, _request_class(hints_of(method)[name])) for name in _parameters(method))
    return next(((name, kind) for name, kind in classes if kind is not None), None)


@cache
def _values(method: Callable[..., Any]) -> Mapping[str, Argument]:
    return {one.name: one for one in _arguments(method)}


@cache
def _options(method: Callable[..., Any]) -> Mapping[str, Argument]:
    return {one.name: one for value in _values(method).values() for one in _spread(value)}


def _arguments(method: Callable[..., Any]) -> Iterator[Argument]:
    request, descriptions = _request(method), argument_descriptions(method)
    inside = names_of(request[1]) if request else ()
    for name, parameter in _parameters(method).items():
        if request and name == request[0]:
            yield from _request_arguments(method, parameter, request[1], descriptions)
        elif name not in inside:
            yield Argument(
                name=name,
                hint=hints_of(method)[name],
                default=parameter.default,
                description=descriptions.get(name, ""),
                source=(name,),
                positional=_is_positional(parameter),
            )


def _request_arguments(
    method: Callable[..., Any], parameter: inspect.Parameter, kind: type, descriptions: Mapping[str, str]
) -> Iterator[Argument]:
    """Yield the fields of a request dataclass.

    A keyword of the method by the same name describes its field.
    """
    first, hints, of_fields = short_field(kind), hints_of(kind), argument_descriptions(kind)
    keywords, defaults = _parameters(method).keys() - {parameter.name}, _defaults(method, kind)
    own = {one.name: one for one in fields(kind)}
    for name in sorted(names_of(kind), key=lambda name: name != first):
        default = defaults.get(name, _default_of(own[name]))
        text = descriptions.get(name) or of_fields.get(name, "")
        if name == first:
            default = parameter.default if default is _REQUIRED else default
            text = descriptions.get(parameter.name) or text
        yield Argument(
            name=name,
            hint=hints_of(method)[name] if name in keywords else hints[name],
            default=default,
            description=text,
            source=(parameter.name, name),
            positional=name == first and _is_positional(parameter),
        )


def _defaults(method: Callable[..., Any], kind: type) -> dict[str, Any]:
    """Return the defaults of a method for fields of a request dataclass."""
    parameters = _parameters(method)
    named = {name: parameters[name].default for name in names_of(kind) if name in parameters}
    return {name: value for name, value in named.items() if value is not None and value is not _REQUIRED}


def _is_positional(parameter: inspect.Parameter) -> bool:
    return parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD


def _request_class(hint: Any) -> type | None:
    """Return X of an annotation `str | X`; `None` for another annotation."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return next((part for part in parts if is_dataclass(part)), None) if str in parts else None  # pyright: ignore[reportReturnType] -- a class


def _spread(argument: Argument) -> Iterator[Argument]:
    kind = nested_class(argument.hint)
    if kind is None:
        yield argument
        return
    described, hints = argument_descriptions(kind), hints_of(kind)
    own = {one.name: one for one in fields(kind)}
    for name in names_of(kind):
        yield Argument(
            name=name,
            hint=hints[name],
            default=_default_of(own[name]),
            description=described.get(name, ""),
            source=(*argument.source, name),
        )


def _default_of(field: "Field[Any]") -> Any:
    if field.default is not MISSING:
        return field.default
    return _REQUIRED if field.default_factory is MISSING else field.default_factory()


def _resources(owner: type, path: str) -> Iterator[tuple[str, type]]:
    yield path, owner
    for name, member in vars(owner).items():
        if isinstance(member, SubResource):
            kind = cast("SubResource[Any]", member).cls
            yield from _resources(kind, f"{path}.{name}" if path else name)


RESOURCES: Mapping[str, type] = dict(_resources(Memory, ""))
"""The class of each resource by its path, and that of the memory itself under `""`."""
OPERATIONS: Mapping[str, Operation] = {
    name: Operation(
        name=name,
        verb=route.partition(" ")[0],
        path=route.partition(" ")[2],
        right=right,
        method=getattr(RESOURCES[name.rpartition(".")[0]], name.rpartition(".")[2]),
    )
    for name, (route, right) in _ROUTES.items()
}
