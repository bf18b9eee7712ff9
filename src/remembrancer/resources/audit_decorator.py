"""The audit of reads: the audit log records the memories that each operation returned."""

import inspect
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence, Set
from contextlib import aclosing
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, wraps
from typing import Any, TypeVar, cast

from remembrancer.transactions.access_log import audited_call
from remembrancer.types.record import Record
from remembrancer.types.results import ContextLine

C = TypeVar("C", bound=type)
# Fields with memories that were not returned.
_NOT_DISCLOSED = frozenset({"dropped", "report", "excluded"})
_ID_FIELDS = frozenset({"ids", "records"})


def audited(owner: C, path: str) -> C:
    """Audit the memories that the public methods of a class return.

    Args:
        path: the name of the resource, the prefix of the operations; `""` for the memory itself.
    """
    prefix = f"{path}." if path else ""
    for name, method in list(vars(owner).items()):
        if not name.startswith("_") and inspect.isfunction(method):
            if inspect.iscoroutinefunction(method):
                setattr(owner, name, _audited_call(method, prefix + name))
            elif "AsyncGenerator" in str(inspect.signature(method).return_annotation):
                setattr(owner, name, _audited_stream(method, prefix + name))
    return owner


def record_ids(value: object) -> Iterator[str]:
    """Yield the ids of the memories in a result."""
    match value:
        case Record() | ContextLine():
            yield value.id
        case str() | bytes() | int() | float() | datetime() | None:
            return
        case Mapping():
            for one in cast(Mapping[Any, Any], value).values():
                yield from record_ids(one)
        case list() | tuple():
            for one in cast("Sequence[Any]", value):
                yield from record_ids(one)
        case _ if is_dataclass(value):
            for name in _disclosing_fields(type(value)):
                part: object = getattr(value, name)
                if name in _ID_FIELDS and isinstance(part, tuple):
                    yield from (id for id in cast("tuple[object, ...]", part) if isinstance(id, str))
                yield from record_ids(cast(object, part))  # pyright: ignore[reportUnnecessaryCast]
        case _:
            return


@cache
def _disclosing_fields(kind: type) -> tuple[str, ...]:
    """Return the fields of a data class that may disclose memories."""
    return tuple(field.name for field in fields(kind) if field.name not in _NOT_DISCLOSED)


def _audited_call(method: Callable[..., Any], operation: str) -> Callable[..., Any]:
    @wraps(method)
    async def call_audited(self: Any, /, *args: object, **named: object) -> object:
        with audited_call() as written:
            result = await method(self, *args, **named)
        if written is not None:
            _audit(self, operation, result, excluded=written)
        return result

    return call_audited


def _audited_stream(method: Callable[..., Any], operation: str) -> Callable[..., Any]:
    @wraps(method)
    def stream_audited(self: Any, /, *args: object, **named: object) -> AsyncGenerator[Any, None]:
        return _audit_pieces(self, operation, method(self, *args, **named))

    return stream_audited


async def _audit_pieces(owner: Any, operation: str, pieces: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
    async with aclosing(pieces):
        async for piece in pieces:
            _audit(owner, operation, piece)
            yield piece


def _audit(owner: Any, operation: str, result: object, *, excluded: Set[str] = frozenset()) -> None:
    if not hasattr(owner, "_opened"):
        # A client: the service audits the read.
        return
    if ids := dict.fromkeys(id for id in record_ids(result) if id not in excluded):
        owner._audit_read(operation, list(ids))
