"""Translation of statements and values for PostgreSQL."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.dialect import Dialect
from remembrancer.storage.values import to_json

_NAME = re.compile(r"(?<![:\w]):([a-z_]\w*)")
# The keys of partitioned tables contain the tenant.
_CONFLICT = re.compile(r"(ON CONFLICT \(scope, [^)]*)\)")


def _translate(statement: str) -> str:
    return _NAME.sub(r"%(\1)s", _CONFLICT.sub(r"\1, tenant)", statement.replace("%", "%%")))


def _converted(value: object) -> object:
    """Convert metadata to JSON, and arrays of numbers to text; other values stay as they are."""
    # Most values are: a check for a mapping first needed a tenth of the time of a context.
    if value is None or isinstance(value, str | int | float | datetime):
        return value
    match value:
        case np.ndarray():
            return as_array(cast("NDArray[np.int64]", value).tolist())
        case dict() | Mapping():
            return to_json(cast(object, value))
        case tuple():
            return list(cast("tuple[object, ...]", value))
        case _:
            return value


def as_array(numbers: Iterable[int]) -> str:
    """Return whole numbers as PostgreSQL writes an array: that needs a third of the time of a list of numbers."""
    return "{" + ",".join(map(str, numbers)) + "}"


def as_halfvec(vector: NDArray[np.floating[Any]]) -> str:
    """Return a vector as pgvector reads it, rounded no further than half precision is."""
    return "[" + ",".join(["%.6g"] * len(vector)) % tuple(vector.tolist()) + "]"


DIALECT = Dialect(
    words={
        "scope_number": "DEFAULT",
        # A clock that does not move must not create a version of no duration, which would hide the former state.
        "later": "GREATEST(:until, updated_at + interval '1 microsecond')",
        "sources": "ARRAY(SELECT source FROM evidence WHERE {basis})",
        "plus": "",
        "by_kind": "",
        "by_unembedded": "",
        "bytewise": ' COLLATE "C"',
        "now": "clock_timestamp()",
        "in_seconds": "{now} + make_interval(secs => :seconds)",
        "tomorrow": "{now} + interval '1 day'",
        "named_type": "records.metadata ->> 'type'",
        "tags": "records.tags @> :tags::text[]",
        "nfc": "normalize",
        "metadata": "normalize(records.metadata::jsonb::text)::jsonb @> :metadata::jsonb",
    },
    translate=_translate,
    converted=_converted,
    converters={},
)
