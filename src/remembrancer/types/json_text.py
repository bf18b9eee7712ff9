"""Values of a caller that are stored as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from remembrancer.errors import InvalidInput
from remembrancer.types.arguments import check_characters

MAX_METADATA_BYTES = 16 * 1024


def check_json(value: object, *, what: str, most: int) -> None:
    """Check that a value can be written as JSON within a number of bytes.

    Raises:
        InvalidInput: it cannot; the message names what to change.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        named = _named_by_texts(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} cannot be written as JSON: {error}") from error
    if not named:
        raise InvalidInput(f"every name in {what} must be a str")
    size = len(check_characters(text.replace("\\u0000", "\0"), what=what).encode())
    if size > most:
        raise InvalidInput(f"{what} has {size} bytes as JSON; at most {most} are allowed")


def _named_by_texts(value: object) -> bool:
    """Return True if every name of every mapping in a JSON value is a text; JSON would convert any other name."""
    match value:
        case Mapping():
            items = cast(Mapping[object, object], value)
            return all(isinstance(name, str) and _named_by_texts(item) for name, item in items.items())
        case list() | tuple():
            return all(map(_named_by_texts, cast(Sequence[object], value)))
        case _:
            return True
