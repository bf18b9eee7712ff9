"""Every public method of a memory and of its doors: none can be forgotten by a test that walks them."""

import inspect
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, get_type_hints

from remembrancer.resources.resource import Door


def doors_of(memory: type) -> Mapping[str, type]:
    """The doors of a memory, by the name of the property that leads to each."""
    hints = {
        name: get_type_hints(value.fget)["return"]
        for name, value in vars(memory).items()
        if isinstance(value, property) and value.fget is not None and not name.startswith("_")
    }
    return {name: door for name, door in hints.items() if _is_door(door)}


def methods_of(memory: type) -> Mapping[str, Callable[..., Any]]:
    """The public methods of a memory and of its doors, such as `record` and `sessions.start`."""
    found = _public(memory, "")
    for name, door in doors_of(memory).items():
        found |= _public(door, f"{name}.")
    return found


def bound(memory: object, method: str) -> Callable[..., Any]:
    """A method of a memory by the name that `methods_of` gives it."""
    return attrgetter(method)(memory)


def _is_door(hint: object) -> bool:
    return inspect.isclass(hint) and (issubclass(hint, Door) or hint.__name__.startswith("Sync"))


def _public(owner: type, before: str) -> dict[str, Callable[..., Any]]:
    return {
        f"{before}{name}": value
        for name, value in vars(owner).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
