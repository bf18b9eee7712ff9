"""Reading a name that a caller gave as one of a fixed set."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeVar

from remembrancer.errors import InvalidInput, quoted

E = TypeVar("E", bound=StrEnum)


def member(names: type[E], name: str, what: str) -> E:
    """The member of an enumeration that a caller named.

    Raises:
        InvalidInput: there is none; the message lists them.
    """
    try:
        return names(name)
    except ValueError:
        raise InvalidInput(f"no {what} {quoted(name)}; there are {', '.join(names)}") from None


def members(names: type[E], chosen: Sequence[str], what: str) -> tuple[E, ...]:
    """Return the members of an enumeration that a caller named, in that order.

    Raises:
        InvalidInput: there is no such member; the message lists them.
    """
    return tuple(member(names, name, what) for name in chosen)
