"""Conversion of values to JSON and back, by their annotations."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from enum import Enum, StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from remembrancer.context.report import Context
from remembrancer.context.working_memory import RunEntry, RunEntryKind, WorkingMemory
from remembrancer.errors import InvalidInput
from remembrancer.search.query import Hit
from remembrancer.types import details, record
from remembrancer.types.arguments import runtime_class
from remembrancer.types.record import Kind, Record, kind_of, layer_of
from remembrancer.types.results import to_compact

Load = Callable[[Any], Any]

_PLAIN = frozenset({NoneType, bool, int, float, str})
# Names in annotations that are strings.
NAMES: Mapping[str, Any] = {"Json": object, "Value": object, **vars(details), **vars(record), "Any": Any}
# Properties that JSON contains in addition to the fields.
EXTRA_PROPERTIES: Mapping[type, tuple[str, ...]] = {Context: ("text", "prefix")}
_CLASSES: Mapping[Kind, type[Record]] = {
    Kind.MESSAGE: record.Message,
    Kind.OBSERVATION: record.Observation,
    Kind.REFLECTION: record.Reflection,
    Kind.EPISODE: record.Episode,
    Kind.SIGNAL: record.Signal,
    Kind.FACT: record.Fact,
    Kind.PROCEDURE: record.Rule,
}


def classes_of(hint: Any) -> tuple[type[Record], ...]:
    """Return the classes of records that an annotation of a record allows."""
    return tuple(kind for kind in _CLASSES.values() if issubclass(kind, hint))


def kind_name(of: type[Record]) -> str:
    """Return the name of a class of records in JSON."""
    return next(kind.value for kind, kind_class in _CLASSES.items() if kind_class is of)


def dump_compact(value: Any) -> Any:
    """Return a value as JSON with compact records; that of a hit has its score."""
    match value:
        case Record():
            return dump(to_compact(value))
        case Hit():
            return {**dump(value), "record": dump(value.compact)}
        case str():
            return value
        case _ if is_dataclass(value):
            return {name: dump_compact(getattr(value, name)) for name in names_of(type(value))}
        case Sequence():
            return [dump_compact(item) for item in cast(Sequence[Any], value)]
        case _:
            return dump(value)


def dump(value: Any) -> Any:
    """Return a value as JSON: a dataclass by its fields, and a record with its kind and layer."""
    # Exports call this for every field, and most values are of these types.
    kind = cast("type[object]", type(value))
    if kind in _PLAIN:
        return value
    if kind is datetime:
        return value.isoformat()
    if issubclass(kind, StrEnum):
        return str(value)
    match value:
        case None | bool() | int() | float():
            return value
        case Enum():
            return value.name
        case str():
            return value
        case datetime() | date():
            return value.isoformat()
        case WorkingMemory():
            return {"payload": value.payload, "entries": dump(value.all_entries)}
        case np.ndarray():
            return cast(Any, value).tolist()
        case Mapping():
            return {_name(key): dump(item) for key, item in cast(Mapping[Any, Any], value).items()}
        case _ if is_dataclass(value):
            # Most fields are plain, and the test costs less than a call.
            result = {
                name: one if type(one := getattr(value, name)) in _PLAIN else dump(one) for name in names_of(kind)
            }
            result |= {name: getattr(value, name) for name in EXTRA_PROPERTIES.get(kind, ())}
            if not isinstance(value, Record):
                return result
            return {"kind": kind_of(value).value, "layer": layer_of(value).value, **result}
        case Collection():
            items = cast(Collection[Any], value)
            return [dump(item) for item in (sorted(items) if isinstance(items, frozenset) else items)]
        case _:
            raise TypeError(f"no JSON for a {type(value).__name__}")


def _name(key: Any) -> str:
    """Return the key of a mapping as JSON.

    Raises:
        TypeError: it is not a string; JSON would convert it.
    """
    name = dump(key)
    if not isinstance(name, str):
        raise TypeError(f"a key must be a string, not {type(key).__name__}")
    return name


def load(hint: Any, data: Any) -> Any:
    """Return a value of an annotated type from its JSON, as `dump` returned it.

    Raises:
        InvalidInput: the JSON is not of such a value.
    """
    try:
        return loader(hint)(data)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidInput(
            f"the JSON is not a valid {getattr(hint, '__name__', hint)}: {type(error).__name__}"
        ) from error


@cache
def loader(hint: Any) -> Load:
    """Return the function that makes values of an annotated type from JSON."""
    origin, parts = get_origin(hint), get_args(hint)
    if runtime_class(hint) is np.ndarray:
        return lambda data: np.asarray(data, dtype=np.float32)
    if origin in (Union, UnionType):
        return _of_union(parts)
    if isinstance(hint, TypeVar):
        return loader(hint.__bound__ or object)
    if origin is not None and is_dataclass(origin):
        return _of_fields(cast(type, origin))
    if origin is not None and isinstance(origin, type):
        return _of_many(origin, parts)
    return _of_class(hint) if isinstance(hint, type) else _as_it_is


def _of_class(kind: Any) -> Load:
    if issubclass(kind, Record):
        allowed = {kind_name(one): _of_fields(one) for one in classes_of(kind)}
        return lambda data: allowed[data["kind"]](data)
    if kind is WorkingMemory:
        return _run
    if is_dataclass(kind):
        return _of_fields(kind)
    if issubclass(kind, datetime | date):
        return kind.fromisoformat
    if issubclass(kind, Enum):
        return kind if issubclass(kind, StrEnum) else lambda data: kind[data]
    if kind is float:
        return lambda data: data
    return _as_it_is


def _of_union(parts: Sequence[Any]) -> Load:
    types = [part for part in parts if part is not NoneType]
    records = [part for part in types if isinstance(part, type) and issubclass(part, Record)]
    if records:
        classes = {kind_name(one): _of_fields(one) for part in records for one in classes_of(part)}
        return lambda data: None if data is None else classes[data["kind"]](data)
    if len(types) == 1:
        make = loader(types[0])
        return lambda data: None if data is None else make(data)
    return _as_it_is


def _of_many(origin: type, parts: Sequence[Any]) -> Load:
    if issubclass(origin, Mapping):
        key, value = loader(parts[0]), loader(parts[1])
        return lambda data: {key(name): value(item) for name, item in data.items()}
    if not parts:
        return _as_it_is
    item = loader(parts[0])
    collection: Any = list if issubclass(origin, list) else frozenset if origin is frozenset else tuple
    return lambda data: collection(item(one) for one in data)


@cache
def _of_fields(kind: type) -> Load:
    hints = hints_of(kind)
    names = names_of(kind)
    makers: dict[str, Load] = {}
    # The JSON has no hashes.
    absent = {"hash": ""} if issubclass(kind, Record) else {}

    def make(data: Any) -> Any:
        # On the first call, as a class may contain itself.
        if not makers:
            makers.update({name: loader(hints[name]) for name in names})
        return kind(**absent, **{name: makers[name](data[name]) for name in names if name in data})

    return make


@cache
def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the annotations of a class or a function, by name."""
    if isinstance(kind, type):
        return get_type_hints(kind, localns=dict(NAMES))
    plain = kind
    while hasattr(plain, "__wrapped__"):
        plain = plain.__wrapped__
    return get_type_hints(plain, globalns={**NAMES, **plain.__globals__}, localns={"Json": object, "Value": object})


def has_records(hint: Any) -> bool:
    """Return True if values of an annotation contain records."""
    if isinstance(hint, type) and issubclass(hint, Record):
        return True
    inner = hints_of(hint).values() if isinstance(hint, type) and is_dataclass(hint) else get_args(hint)
    return any(has_records(part) for part in inner if part is not hint and hint not in get_args(part))


@cache
def names_of(kind: Any) -> tuple[str, ...]:
    """Return the fields of a dataclass that JSON contains; of a record all but its hash."""
    return tuple(
        field.name
        for field in fields(kind)
        if field.init and not field.metadata.get("internal") and not (field.name == "hash" and issubclass(kind, Record))
    )


def _run(data: Any) -> WorkingMemory:
    run = WorkingMemory(data["payload"])
    for item in data.get("entries", ()):
        entry: RunEntry = load(RunEntry, item)
        match entry.part:
            case RunEntryKind.STEP:
                run.step(entry.text)
            case RunEntryKind.RESULT:
                run.result(entry.text)
            case RunEntryKind.APPROVAL:
                run.approval(entry.text, approved=entry.approved)
    return run


def _as_it_is(data: Any) -> Any:
    return data
