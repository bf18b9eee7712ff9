"""Translation of statements and values for SQLite."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from types import NoneType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from remembrancer.errors import StoreError
from remembrancer.storage.dialect import Dialect
from remembrancer.storage.tables import ValueForm
from remembrancer.storage.values import from_micros, to_json, to_micros

_CAST = re.compile(r"::\w+(?:\[\])?")
_ANY = re.compile(r"= ANY\((:\w+)\)")
_ALL = re.compile(r"<> ALL\((:\w+)\)")


def _translate(statement: str) -> str:
    plain = _CAST.sub("", statement)
    listed = _ANY.sub(r"IN (SELECT value FROM json_each(\1))", plain)
    return _ALL.sub(r"NOT IN (SELECT value FROM json_each(\1))", listed)


_AS_IT_IS = frozenset({NoneType, str, int, float, bytes})


def _converted(value: object) -> object:
    """Convert times to microseconds, truths to 0 and 1, and collections to JSON."""
    if type(value) in _AS_IT_IS:
        return value
    match value:
        case str() | float() | bytes():
            return value
        case bool():
            return int(value)
        case datetime():
            return to_micros(value)
        case np.ndarray():
            return as_json(cast("NDArray[np.int64]", value))
        case list() | tuple() | dict() | Mapping():
            return to_json(cast(object, value))
        case _:
            return value


def as_json(numbers: NDArray[np.int64]) -> str:
    """Return whole numbers as a JSON array, which SQL reads with `json_each`."""
    return "[" + ",".join(map(str, numbers.tolist())) + "]"


def tags(text: str) -> tuple[str, ...]:
    """Return tags from a row.

    Raises:
        StoreError: the row is damaged.
    """
    return () if text == "[]" else tuple(_json(text, list))


def mapping(text: str) -> Any:
    """Return an object from the JSON of a row.

    Raises:
        StoreError: the row is damaged.
    """
    return {} if text == "{}" else _json(text, dict)


def _json(text: str, form: type) -> Any:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, form):
        raise StoreError("a row is damaged: what must be JSON is none; run `remembrancer admin doctor`")
    return found


DIALECT = Dialect(
    words={
        # A clock that does not move must not create a version of no duration, which would hide the former state.
        "later": "MAX(:until, updated_at + 1)",
        "sources": "(SELECT json_group_array(source) FROM evidence WHERE {basis})",
        # The number of a deleted scope is not used again.
        "scope_number": "(SELECT MAX(COALESCE((SELECT MAX(id) FROM scopes), 0), last_scope) + 1 FROM store)",
        # The plus keeps an index out of it that would be read in full.
        "plus": "+",
        # The planner knows no statistics, and would look at the rows.
        "by_kind": " INDEXED BY records_by_kind",
        "by_unembedded": " INDEXED BY records_unembedded",
        "bytewise": "",
        "now": "CAST(unixepoch('subsec') * 1000000 AS INTEGER)",
        "in_seconds": "{now} + CAST(:seconds * 1000000 AS INTEGER)",
        "tomorrow": "{now} + 86400000000",
        # SQLite's functions refuse a statement over one damaged row, which matches nothing anyway.
        "tags_sound": "CASE WHEN json_valid(records.tags) THEN records.tags ELSE '[]' END",
        "metadata_sound": "CASE WHEN json_valid(records.metadata) THEN records.metadata ELSE '{}' END",
        "named_type": "json_extract({metadata_sound}, '$.type')",
        "tags": """NOT EXISTS (
            SELECT 1 FROM json_each(:tags) AS wanted
            WHERE wanted.value NOT IN (SELECT value FROM json_each({tags_sound}))
        )""",
        "nfc": "nfc",
        # SQL treats a truth value as a number.
        "metadata": """NOT EXISTS (
            SELECT 1 FROM json_each(:metadata) AS wanted
            WHERE NOT EXISTS (
                SELECT 1 FROM json_each({metadata_sound}) AS found
                WHERE nfc(found.key) = wanted.key
                    AND CASE found.type WHEN 'text' THEN nfc(found.atom) ELSE found.atom END = wanted.atom
                    AND (found.type IN ('true', 'false')) = (wanted.type IN ('true', 'false'))
            )
        )""",
    },
    translate=_translate,
    converted=_converted,
    converters={ValueForm.TRUTH: bool, ValueForm.MOMENT: from_micros, ValueForm.TAGS: tags, ValueForm.JSON: mapping},
)
