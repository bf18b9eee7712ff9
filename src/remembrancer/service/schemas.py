"""Schemas of requests and answers, made of the annotations and docstrings of the domain."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from datetime import date, datetime
from enum import Enum, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

import numpy as np
from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, JsonValue, create_model
from pydantic import Field as Described
from pydantic_core import PydanticCustomError

from remembrancer.context.working_memory import RunEntry, WorkingMemory
from remembrancer.docstrings import argument_descriptions, body, summary
from remembrancer.resources.json_values import EXTRA_PROPERTIES, classes_of, has_records, hints_of, kind_name, names_of
from remembrancer.types.arguments import runtime_class
from remembrancer.types.record import Layer, Record
from remembrancer.types.results import Compact

_CONFIG = ConfigDict(extra="forbid", protected_namespaces=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Direction:
    """The direction of a value: in, with optional defaults; out, whole or with compact records."""

    is_in: bool
    is_compact: bool = False


IN, OUT = _Direction(is_in=True), _Direction(is_in=False)
COMPACT = _Direction(is_in=False, is_compact=True)


@cache
def form(hint: Any, direction: _Direction = OUT) -> Any:
    """Return an annotation of the domain as pydantic reads it."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is object or hint is Any:
        return JsonValue
    if runtime_class(hint) is np.ndarray:
        return list[float]
    if origin in (Union, UnionType):
        return _union(parts, direction)
    if isinstance(hint, TypeVar):
        return form(hint.__bound__ or object, direction)
    if origin is not None and is_dataclass(origin):
        return _generic(cast(type, origin), parts, direction)
    if origin is not None and isinstance(origin, type):
        if issubclass(origin, Mapping):
            return dict[str, form(parts[1], direction)]
        return list[form(parts[0], direction)]
    return _class(hint, direction)


def record_form(hint: type[Record], direction: _Direction = OUT) -> Any:
    """Return the schema of the kinds of record that an annotation allows, discriminated by `kind`."""
    return _records(classes_of(hint), direction)


def _records(kinds: tuple[type[Record], ...], direction: _Direction) -> Any:
    if direction.is_compact:
        return _model(Compact, OUT)
    models: Any = tuple(_model(kind, OUT) for kind in kinds)
    return models[0] if len(models) == 1 else Annotated[Union[models], Described(discriminator="kind")]  # noqa: UP007 -- of a tuple


def _union(parts: tuple[Any, ...], direction: _Direction) -> Any:
    types = [part for part in parts if part is not NoneType]
    records = [part for part in types if isinstance(part, type) and issubclass(part, Record)]
    if records:
        union: Any = _records(tuple(dict.fromkeys(kind for part in records for kind in classes_of(part))), direction)
    else:
        union = Union[tuple(form(part, direction) for part in types)]  # noqa: UP007 -- of a tuple
    return union | None if NoneType in parts else union


@cache
def is_mapping(hint: Any) -> bool:
    """Return True if values of an annotation are mappings, or `None`: in a query string they are JSON."""
    origins = (get_origin(part) for part in (hint, *get_args(hint)))
    return any(isinstance(origin, type) and issubclass(origin, Mapping) for origin in origins)


def _generic(origin: type, parts: tuple[Any, ...], direction: _Direction) -> Any:
    name = origin.__name__ + "".join(part.__name__ for part in parts) + ("Compact" if direction.is_compact else "")
    of: dict[str, Any] = dict(zip([parameter.__name__ for parameter in origin.__parameters__], parts, strict=True))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportAttributeAccessIssue, reportUnknownArgumentType] -- typing has no name for it
    hints = {
        field: of.get(hint.__name__, hint) if isinstance(hint, TypeVar) else hint
        for field, hint in hints_of(origin).items()
    }
    return _made(origin, name, hints, direction)


def _class(hint: Any, direction: _Direction) -> Any:
    return _of_type(hint, direction) if isinstance(hint, type) else JsonValue


def _of_type(hint: Any, direction: _Direction) -> Any:
    if issubclass(hint, Record):
        return record_form(hint, direction)
    if hint is WorkingMemory:
        entries: Any = list[form(RunEntry, IN)]
        return create_model(
            "WorkingMemory",
            __config__=_CONFIG,
            __doc__="The state of one run.",
            payload=(str, Described(description="the task of the run")),
            entries=(entries, Described(default=[], description="its steps, results and approvals, in order")),
        )
    if is_dataclass(hint):
        return _model(hint, OUT if direction.is_compact and not has_records(hint) else direction)
    if issubclass(hint, datetime):
        return AwareDatetime
    if issubclass(hint, Enum) and not issubclass(hint, StrEnum):
        return Literal[tuple(one.name for one in hint)]
    if hint in (int, float) and direction.is_in:
        return Annotated[hint, BeforeValidator(_no_truth)]
    return hint if issubclass(hint, str | int | float | bool | date | Enum) else JsonValue


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("number", "must be a number, not a truth value")
    return value


@cache
def _model(kind: type, direction: _Direction) -> Any:
    return _made(kind, kind.__name__ + ("Compact" if direction.is_compact else ""), hints_of(kind), direction)


def _made(kind: type, name: str, hints: Mapping[str, Any], direction: _Direction) -> type[BaseModel]:
    descriptions = argument_descriptions(kind)
    own: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in names_of(kind):
            of = hints[field.name]
            own[field.name] = _field(
                field, _itself(of, kind, name) or form(of, direction), descriptions.get(field.name), direction
            )
    for extra in EXTRA_PROPERTIES.get(kind, ()) if direction is OUT else ():
        own[extra] = (str, Described(description=summary(getattr(kind, extra))))
    if issubclass(kind, Record):
        own = {
            "kind": (Literal[kind_name(kind)], Described(description="the kind of the memory")),
            "layer": (Layer, Described(description="the layer of the memory")),
            **own,
        }
    return create_model(name, __config__=_CONFIG, __doc__=body(cast(object, kind)), **own)


def _itself(hint: Any, kind: type, name: str) -> Any:
    """Return the annotation of a field with more of its own class; `None` for another field."""
    return list[name] if kind in get_args(hint) else None  # pyright: ignore[reportInvalidTypeForm] -- named, until it is made


def _field(field: "Field[Any]", hint: Any, description: str | None, direction: _Direction) -> tuple[Any, Any]:
    if direction is OUT or (field.default is MISSING and field.default_factory is MISSING):
        return hint, Described(description=description)
    if field.default is not MISSING:
        default: Any = field.default
        listed: Any = [*default] if isinstance(default, tuple) else default
        return hint, Described(default=listed, description=description)
    return hint, Described(default_factory=cast(Any, field.default_factory), description=description)
