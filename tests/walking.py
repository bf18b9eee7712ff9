"""Every public method of a memory and of its resources: none can be forgotten by a test that walks them."""

import inspect
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from remembrancer.operations import RESOURCES
from remembrancer.sync import SYNC_RESOURCES, SyncMemory


def methods_of(memory: type) -> Mapping[str, Callable[..., Any]]:
    """The public methods of a memory and of its resources, such as `record` and `governance.holds.place`."""
    without_await = issubclass(memory, SyncMemory)
    resources = SYNC_RESOURCES if without_await else RESOURCES
    found = _public(memory, "")
    for path, resource in resources.items():
        found |= _public(resource, f"{path}.") if path else {}
    return found


def bound(memory: object, method: str) -> Callable[..., Any]:
    """A method of a memory by the name that `methods_of` gives it."""
    return attrgetter(method)(memory)


def _public(owner: type, before: str) -> dict[str, Callable[..., Any]]:
    return {
        f"{before}{name}": value
        for name, value in vars(owner).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }
