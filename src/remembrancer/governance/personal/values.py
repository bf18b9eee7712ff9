"""Something done to every string of a value."""

from collections.abc import Callable, Mapping

from remembrancer.model.record import Json


def mapped_value(value: Json, change: Callable[[str], str]) -> Json:
    """A value with every string of it changed, keys among them."""
    match value:
        case str():
            return change(value)
        case None | bool() | int() | float():
            return value
        case Mapping():
            return {change(name): mapped_value(one, change) for name, one in value.items()}
        case tuple():
            return tuple(mapped_value(one, change) for one in value)
        case _:
            return [mapped_value(one, change) for one in value]
