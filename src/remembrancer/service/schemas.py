"""Schemas of what crosses the wire, made of the domain's annotations and docstrings; for checking and for reading."""

import inspect
import re
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

from remembrancer.context.working import Entry, WorkingMemory
from remembrancer.resources.json_values import BESIDE, classes_of, has_records, hints_of, kind_name, names_of
from remembrancer.types.arguments import plain_of
from remembrancer.types.forms import Compact
from remembrancer.types.layer import Layer
from remembrancer.types.record import Record

_ARGS = re.compile(r"^ *Args:\n((?: {4,}.*\n?|\n)*)", re.MULTILINE)
_ARG = re.compile(r"^([\w, ]+): (.*)$")
_RAISES = re.compile(r"^ *Raises:\n((?: {4,}.*\n?|\n)*)", re.MULTILINE)
_ERROR = re.compile(r"^    (\w+(?:, \w+)*):", re.MULTILINE)
_CONFIG = ConfigDict(extra="forbid", protected_namespaces=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """Which way a value crosses: in, its defaults may be left out; out, it is whole, or its records are compact."""

    is_in: bool
    is_compact: bool = False


IN, OUT, COMPACT = _Way(is_in=True), _Way(is_in=False), _Way(is_in=False, is_compact=True)


@cache
def form(hint: Any, way: _Way = OUT) -> Any:
    """An annotation of the domain as pydantic takes it."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is object or hint is Any:
        return JsonValue
    if plain_of(hint) is np.ndarray:
        return list[float]
    if origin in (Union, UnionType):
        return _union(parts, way)
    if isinstance(hint, TypeVar):
        return form(hint.__bound__ or object, way)
    if origin is not None and is_dataclass(origin):
        return _generic(cast(type, origin), parts, way)
    if origin is not None and isinstance(origin, type):
        if issubclass(origin, Mapping):
            return dict[str, form(parts[1], way)]
        return list[form(parts[0], way)]
    return _class(hint, way)


def described(owner: Any) -> Mapping[str, str]:
    """What a docstring says of each argument, by name."""
    found: dict[str, str] = {}
    names: list[str] = []
    text = inspect.getdoc(owner) or ""
    section = _ARGS.search(text + "\n")
    for line in section[1].splitlines() if section else ():
        if told := _ARG.match(line.strip()) if len(line) - len(line.lstrip()) == 4 else None:
            names = [name.strip() for name in told[1].split(",")]
            found.update(dict.fromkeys(names, told[2]))
        elif line.strip():
            found.update({name: f"{found[name]} {line.strip()}" for name in names})
    return {name: text.replace("`", "") for name, text in found.items()}


def raised(owner: Any) -> tuple[str, ...]:
    """The names of the errors that a docstring lists under `Raises`."""
    section = _RAISES.search((inspect.getdoc(owner) or "") + "\n")
    return tuple(name for line in _ERROR.findall(section[1]) for name in line.split(", ")) if section else ()


def summary(owner: Any) -> str:
    """The first sentence of a docstring."""
    return " ".join((inspect.getdoc(owner) or "").split("\n\n")[0].split())


def told_beside(owner: Any) -> str:
    """A docstring without what it says of arguments and errors."""
    return re.split(r"\n *(?:Args|Raises|Returns|Attributes):\n", inspect.getdoc(owner) or "")[0].strip()


def record_form(hint: type[Record], way: _Way = OUT) -> Any:
    """The kinds of record that an annotation lets pass, told apart by `kind`."""
    return _records(classes_of(hint), way)


def _records(kinds: tuple[type[Record], ...], way: _Way) -> Any:
    if way.is_compact:
        return _model(Compact, OUT)
    made: Any = tuple(_model(kind, OUT) for kind in kinds)
    return made[0] if len(made) == 1 else Annotated[Union[made], Described(discriminator="kind")]  # noqa: UP007 -- of a tuple


def _union(parts: tuple[Any, ...], way: _Way) -> Any:
    known = [part for part in parts if part is not NoneType]
    records = [part for part in known if isinstance(part, type) and issubclass(part, Record)]
    if records:
        made: Any = _records(tuple(dict.fromkeys(kind for part in records for kind in classes_of(part))), way)
    else:
        made = Union[tuple(form(part, way) for part in known)]  # noqa: UP007 -- of a tuple
    return made | None if NoneType in parts else made


@cache
def is_mapping(hint: Any) -> bool:
    """Return True if values of an annotation are mappings, or `None`: in a query they are JSON."""
    return any(isinstance(get_origin(part), type) and issubclass(get_origin(part), Mapping) for part in get_args(hint))


def _generic(origin: type, parts: tuple[Any, ...], way: _Way) -> Any:
    name = origin.__name__ + "".join(part.__name__ for part in parts) + ("Compact" if way.is_compact else "")
    of: dict[str, Any] = dict(zip([known.__name__ for known in origin.__parameters__], parts, strict=True))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportAttributeAccessIssue, reportUnknownArgumentType] -- typing has no name for it
    hints = {
        field: of.get(hint.__name__, hint) if isinstance(hint, TypeVar) else hint
        for field, hint in hints_of(origin).items()
    }
    return _made(origin, name, hints, way)


def _class(hint: Any, way: _Way) -> Any:
    return _of_type(hint, way) if isinstance(hint, type) else JsonValue


def _of_type(hint: Any, way: _Way) -> Any:
    if issubclass(hint, Record):
        return record_form(hint, way)
    if hint is WorkingMemory:
        return create_model(
            "WorkingMemory",
            __config__=_CONFIG,
            __doc__="The state of one run.",
            payload=(str, Described(description="what the run is for")),
            entries=(list[form(Entry, IN)], Described(default=[], description="what was noted of it, in order")),  # pyright: ignore[reportInvalidTypeForm] -- made
        )
    if is_dataclass(hint):
        return _model(hint, OUT if way.is_compact and not has_records(hint) else way)
    if issubclass(hint, datetime):
        return AwareDatetime
    if issubclass(hint, Enum) and not issubclass(hint, StrEnum):
        return Literal[tuple(one.name for one in hint)]
    if hint in (int, float) and way.is_in:
        return Annotated[hint, BeforeValidator(_no_truth)]
    return hint if issubclass(hint, str | int | float | bool | date | Enum) else JsonValue


def _no_truth(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("number", "must be a number, and no truth")
    return value


@cache
def _model(kind: type, way: _Way) -> Any:
    return _made(kind, kind.__name__ + ("Compact" if way.is_compact else ""), hints_of(kind), way)


def _made(kind: type, name: str, hints: Mapping[str, Any], way: _Way) -> type[BaseModel]:
    told = {text: said for owner in reversed(kind.__mro__) for text, said in described(owner).items()}
    own: dict[str, Any] = {}
    for field in fields(kind):
        if field.name in names_of(kind):
            of = hints[field.name]
            own[field.name] = _field(field, _itself(of, kind, name) or form(of, way), told.get(field.name), way)
    for beside in BESIDE.get(kind, ()) if way is OUT else ():
        own[beside] = (str, Described(description=summary(getattr(kind, beside))))
    if issubclass(kind, Record):
        own = {
            "kind": (Literal[kind_name(kind)], Described(description="which kind of memory it is")),
            "layer": (Layer, Described(description="in which layer it is")),
            **own,
        }
    return create_model(name, __config__=_CONFIG, __doc__=told_beside(kind), **own)


def _itself(hint: Any, kind: type, name: str) -> Any:
    """The annotation of a field that holds more of its own class."""
    return list[name] if kind in get_args(hint) else None  # pyright: ignore[reportInvalidTypeForm] -- named, until it is made


def _field(field: "Field[Any]", hint: Any, told: str | None, way: _Way) -> tuple[Any, Any]:
    if way is OUT or (field.default is MISSING and field.default_factory is MISSING):
        return hint, Described(description=told)
    if field.default is not MISSING:
        default: Any = field.default
        listed: Any = [*default] if isinstance(default, tuple) else default
        return hint, Described(default=listed, description=told)
    return hint, Described(default_factory=cast(Any, field.default_factory), description=told)
