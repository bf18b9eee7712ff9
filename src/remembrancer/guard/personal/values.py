"""The texts of a value: what they are, and something done to each."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Final, cast

from remembrancer.types.record import Json

# What has 15 or 16 digits may be the number of a card; longer ones are ids, of which one in ten would pass its check.
_LONG: Final = range(10**14, 10**16)


def mapped_value(value: Json, change: Callable[[str], str]) -> Json:
    """A value with every string of it changed, keys among them; a long whole number as its digits."""
    match value:
        case str():
            return change(value)
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


def texts_in(told: object) -> Iterator[str]:
    """The texts in a value, and the numbers; of JSON what is in it."""
    match told:
        case None | bool():
            return
        case str():
            inner = None
            if told[:1] in ("{", "["):
                with suppress(ValueError):
                    inner = json.loads(told)
            yield from [told] if inner is None else texts_in(inner)
        case Mapping():
            for name, value in cast("Mapping[object, object]", told).items():
                yield from texts_in(name)
                yield from texts_in(value)
        case list() | tuple():
            for one in cast("Sequence[object]", told):
                yield from texts_in(one)
        case _ if is_dataclass(told):
            for field in fields(told):
                yield from texts_in(cast(object, getattr(told, field.name)))
        case _:
            yield str(told)
