"""Who was told what: each answer of a door that tells of memories goes to the audit log, under the method's name."""

import inspect
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence, Set
from contextlib import aclosing
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, wraps
from typing import Any, TypeVar, cast

from remembrancer.transactions.access_log import call
from remembrancer.types.line import Line
from remembrancer.types.record import Record

C = TypeVar("C", bound=type)
# What an answer says beside what it tells: of what was left out.
_NOT_TOLD = frozenset({"dropped", "report", "excluded"})
_NAMES_MEMORIES = frozenset({"ids", "records"})


def heard(owner: C) -> C:
    """The class, of whose public methods the audit log says who was told of which memories."""
    name = "" if owner.__name__ == "Memory" else f"{owner.__name__.lower()}."
    for method_name, method in list(vars(owner).items()):
        if not method_name.startswith("_") and inspect.isfunction(method):
            if inspect.iscoroutinefunction(method):
                setattr(owner, method_name, _answering(method, name + method_name))
            elif "AsyncGenerator" in str(inspect.signature(method).return_annotation):
                setattr(owner, method_name, _streaming(method, name + method_name))
    return owner


def memories_in(told: object) -> Iterator[str]:
    """The ids of the memories that an answer tells of."""
    match told:
        case Record() | Line():
            yield told.id
        case str() | bytes() | int() | float() | datetime() | None:
            return
        case Mapping():
            for one in cast(Mapping[Any, Any], told).values():
                yield from memories_in(one)
        case list() | tuple():
            for one in cast("Sequence[Any]", told):
                yield from memories_in(one)
        case _ if is_dataclass(told):
            for name in _told_by(type(told)):
                value: object = getattr(told, name)
                if name in _NAMES_MEMORIES and isinstance(value, tuple):
                    yield from (id for id in cast("tuple[object, ...]", value) if isinstance(id, str))
                yield from memories_in(cast(object, value))  # pyright: ignore[reportUnnecessaryCast]
        case _:
            return


@cache
def _told_by(kind: type) -> tuple[str, ...]:
    """The fields of a data class that may tell of memories."""
    return tuple(field.name for field in fields(kind) if field.name not in _NOT_TOLD)


def _answering(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(method)
    async def answer(self: Any, /, *args: object, **named: object) -> object:
        with call() as written:
            told = await method(self, *args, **named)
        if written is not None:
            _note(self, name, told, but=written)
        return told

    return answer


def _streaming(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @wraps(method)
    def stream(self: Any, /, *args: object, **named: object) -> AsyncGenerator[Any, None]:
        return _noted(self, name, method(self, *args, **named))

    return stream


async def _noted(owner: Any, name: str, pieces: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    async with aclosing(pieces):
        async for piece in pieces:
            _note(owner, name, piece)
            yield piece


def _note(owner: Any, name: str, told: object, *, but: Set[str] = frozenset()) -> None:
    if not hasattr(owner, "_opened"):
        # Of a client: the service hears it.
        return
    if ids := dict.fromkeys(id for id in memories_in(told) if id not in but):
        owner._hear(name, list(ids))
