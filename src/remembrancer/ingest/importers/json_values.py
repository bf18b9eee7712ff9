"""Narrowing of parsed JSON: the one place where the shape of a foreign file is not yet known."""

from typing import Any, TypeAlias, cast

JsonObject: TypeAlias = dict[str, Any]


def as_object(value: Any) -> JsonObject:
    """The value if it is a JSON object, else an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a JSON array, else an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def as_objects(value: Any) -> list[JsonObject]:
    """The objects in a JSON array; anything else in it is passed over."""
    return [cast(JsonObject, item) for item in as_list(value) if isinstance(item, dict)]


def as_text(value: Any) -> str:
    """A string or a number as text; anything else as the empty text."""
    if isinstance(value, bool):
        return ""
    return str(value) if isinstance(value, str | int | float) else ""


def first_text(fields: JsonObject, *names: str) -> str:
    """The first of these fields that holds text."""
    for name in names:
        if text := as_text(fields.get(name)):
            return text
    return ""
