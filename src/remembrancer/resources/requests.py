"""Requests as one object, or in short form as separate arguments."""

import inspect
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar

from remembrancer.errors import InvalidInput

T = TypeVar("T")


def request_of(method: Callable[..., Any], kind: type[T], first: str, value: str | T | None, **options: object) -> T:
    """Return the request of a call, from a request object or from its short form.

    Args:
        method: the called method; its signature has the defaults of the options.
        first: the field of the first argument in the short form.
        options: the keyword arguments of the call; `None` means the default of the field.

    Raises:
        InvalidInput: the call has a request object and keyword arguments.
    """
    if isinstance(value, kind):
        defaults = _defaults(inspect.unwrap(getattr(method, "__func__", method)))
        both = [name for name, option in options.items() if option is not None and option != defaults[name]]
        if both:
            raise InvalidInput(f"use a {kind.__name__} or separate arguments, not both: {', '.join(both)}")
        return value
    return kind(**{first: value}, **{name: option for name, option in options.items() if option is not None})


@cache
def _defaults(method: Callable[..., Any]) -> Mapping[str, object]:
    return {name: one.default for name, one in inspect.signature(method).parameters.items()}
