"""The texts of a value: reading them, and changing each."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Final, cast

from remembrancer.types.record import Json

# A number of 15 or 16 digits may be a card; longer ones are ids, one in ten of which would pass its check.
_LONG: Final = range(10**14, 10**16)
_FILE: Final = re.compile(r"(?:data:[\w/+.;=-]{1,100},)?[A-Za-z0-9+/]{4096,}={0,2}")


def is_file(text: str) -> bool:
    """Return True for the bytes of a file in base64, such as an image: it has no words to search."""
    return len(text) > 4_096 and _FILE.fullmatch(text) is not None


def mapped_value(value: Json, change: Callable[[str], str]) -> Json:
    """Return a value with every string in it changed, keys included; a long whole number as its digits.

    Files are not changed.
    """
    match value:
        case str():
            return value if is_file(value) else change(value)
        case int() if not isinstance(value, bool) and value in _LONG:
            digits = str(value)
            changed = change(digits)
            return value if changed == digits else changed
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {change(name): mapped_value(one, change) for name, one in value.items()}
        case tuple():
            return tuple(mapped_value(one, change) for one in value)
        case _:
            return [mapped_value(one, change) for one in value]


def texts_in(value: object) -> Iterator[str]:
    """Yield the texts and numbers in a value; of a text that is JSON, those in it."""
    match value:
        case None | bool():
            return
        case str():
            inner = None
            if value[:1] in ("{", "["):
                with suppress(ValueError):
                    inner = json.loads(value)
            yield from [value] if inner is None else texts_in(inner)
        case Mapping():
            for name, one in cast("Mapping[object, object]", value).items():
                yield from texts_in(name)
                yield from texts_in(one)
        case list() | tuple():
            for one in cast("Sequence[object]", value):
                yield from texts_in(one)
        case _ if is_dataclass(value):
            for field in fields(value):
                yield from texts_in(cast(object, getattr(value, field.name)))
        case _:
            yield str(value)
