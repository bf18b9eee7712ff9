"""Checks of the arguments of callers."""

import inspect
import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from enum import Enum, EnumType, StrEnum
from functools import cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args, get_origin

from remembrancer.errors import InvalidInput, quoted

if TYPE_CHECKING:
    from os import PathLike


C = TypeVar("C", bound=type)

_ACCEPTED: Mapping[object, tuple[type, ...]] = {float: (float, int)}
# Subtypes that are rejected: passing one is almost always a mistake.
_REJECTED: Mapping[object, tuple[type, ...]] = {int: (bool,), float: (bool,), Sequence: (str, bytes, bytearray)}
_WORDS: Mapping[object, str] = {
    float: "a number",
    datetime: "a datetime with its time zone",
    Mapping: "a mapping",
    Callable: "a function",
    NoneType: "None",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The check of one argument by its annotation; made by `expected_of`.

    Args:
        accepted: the accepted types.
        rejected: subtypes that are not accepted, such as `bool` for `int`.
        item: the check of the items of a sequence.
        words: the description of the accepted values for errors.
    """

    accepted: tuple[type, ...]
    rejected: tuple[type, ...]
    item: "Expected | None"
    words: str

    def check(self, value: object, *, what: str) -> None:
        """Check the type of an argument and of its items.

        Raises:
            InvalidInput: a type is wrong.
        """
        if self.item is None and type(value) in self.accepted:
            return
        if not isinstance(value, self.accepted) or isinstance(value, self.rejected):
            actual = "None" if value is None else type(value).__name__
            raise InvalidInput(f"{what} must be {self.words}, not {actual}")
        if self.item is not None and value is not None:
            for place, item in enumerate(cast(Sequence[object], value)):
                self.item.check(item, what=f"{what}[{place}]")


@cache
def expected_of(hint: Any) -> Expected:
    """Return the check of an annotation: a class, a sequence, a mapping, or a union of these."""
    parts: tuple[Any, ...] = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    kinds = [runtime_class(part) for part in parts]
    items = [get_args(part)[0] for part in parts if get_origin(part) is Sequence]
    return Expected(
        accepted=tuple(kind for part in kinds for kind in _ACCEPTED.get(part, (part,))),
        rejected=tuple(kind for part in kinds for kind in _REJECTED.get(part, ())),
        item=expected_of(items[0]) if items else None,
        words=" or ".join(_words(part) for part in parts),
    )


def runtime_class(hint: Any) -> Any:
    """Return the runtime class of an annotation, also of an alias such as `NDArray`."""
    origin = get_origin(hint) or hint
    aliased = getattr(origin, "__value__", None)
    return origin if aliased is None else runtime_class(aliased)


def check_one_name(id: object, topic_key: object) -> None:
    """Check that a memory is named either by its id or by its topic key.

    Raises:
        InvalidInput: both are set, or neither.
    """
    if (id is None) == (topic_key is None):
        raise InvalidInput("name the memory either by id or by topic_key")


def checked(owner: C) -> C:
    """Make the public methods of a class check the types and the Unicode of their arguments, and return the class."""
    for name, method in list(vars(owner).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(owner, name, _checking(method))
    return owner


def check_fields(value: object) -> None:
    """Check the types and the Unicode of all fields of a dataclass.

    Raises:
        InvalidInput: a field is wrong; the message names it.
    """
    check_types(value)
    for name, _ in _rules_of_fields(type(value)):
        check_unicode(getattr(value, name), what=name)


def check_types(value: object) -> None:
    """Check the types of all fields of a dataclass.

    Raises:
        InvalidInput: a field is wrong; the message names it.
    """
    for name, rule in _rules_of_fields(type(value)):
        field_value = getattr(value, name)
        # `check` repeats this test; most fields pass it, and the call costs more than the test.
        if rule.item is not None or type(field_value) not in rule.accepted:
            rule.check(field_value, what=name)


def check_unicode(value: object, *, what: str) -> None:
    """Check that a string, or every string of a list, can be encoded in UTF-8.

    Raises:
        InvalidInput: a string contains half of a surrogate pair.
    """
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"{what} is not valid Unicode at character {error.start}; repair it") from error
    elif isinstance(value, list | tuple):
        for place, item in enumerate(cast(Sequence[object], value)):
            check_unicode(item, what=f"{what}[{place}]")


def check_characters(text: str, *, what: str) -> str:
    """Return a text that every store can contain.

    Raises:
        InvalidInput: it contains a NUL or half of a surrogate pair.
    """
    if "\0" in text:
        raise InvalidInput(f"{what} contains a NUL character; remove it")
    check_unicode(text, what=what)
    return text


def within(value: float, low: int, high: int | None = None, *, what: str) -> None:
    """Check that a number is between two bounds, inclusive.

    Raises:
        InvalidInput: it is outside of them, or is NaN.
    """
    if not low <= value or (high is not None and value > high):
        # Python refuses to format a number of thousands of digits.
        shown = "out of range" if abs(value) >= 1e15 else value
        raise InvalidInput(f"{what} is {shown}; use {low:,} {'or more' if high is None else f'to {high:,}'}")


def _checking(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that checks its arguments before the call."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    rules = {one.name: expected_of(one.annotation) for one in parameters}

    def check(args: tuple[object, ...], named: Mapping[str, object]) -> None:
        for name, value in (*zip(rules, args, strict=False), *named.items()):
            # Python itself rejects unknown names.
            if name in rules:
                rules[name].check(value, what=name)
                check_unicode(value, what=name)

    @wraps(method)
    def plain(self: object, /, *args: object, **named: object) -> object:
        check(args, named)
        return method(self, *args, **named)

    @wraps(method)
    async def awaited(self: object, /, *args: object, **named: object) -> object:
        check(args, named)
        return await method(self, *args, **named)

    return awaited if inspect.iscoroutinefunction(method) else plain


@cache
def _rules_of_fields(kind: Any) -> tuple[tuple[str, Expected], ...]:
    return tuple((field.name, expected_of(field.type)) for field in fields(kind))


def _words(hint: Any) -> str:
    kind: Any = get_origin(hint) or hint
    if kind is Sequence:
        return f"a list of {_words(get_args(hint)[0])}"
    if isinstance(kind, EnumType):
        members = cast("type[Enum]", kind)
        return "one of " + ", ".join(f"{kind.__name__}.{member.name}" for member in members)
    return _WORDS.get(kind) or kind.__name__


E = TypeVar("E", bound=StrEnum)


def member(names: type[E], name: str, what: str) -> E:
    """Return the member of an enumeration with a value.

    Raises:
        InvalidInput: the value is unknown; the message lists the known ones.
    """
    try:
        return names(name)
    except ValueError:
        raise InvalidInput(f"unknown {what} {quoted(name)}; use one of {', '.join(names)}") from None


def members(names: type[E], chosen: Sequence[str], what: str) -> tuple[E, ...]:
    """Return the members of an enumeration with some values, in their order.

    Raises:
        InvalidInput: a value is unknown; the message lists the known ones.
    """
    return tuple(member(names, name, what) for name in chosen)


def is_loopback(host: str) -> bool:
    """Return True if a host is a loopback name or address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def path_of(named: "str | PathLike[str]") -> Path:
    """Return a path with a leading `~` expanded."""
    path = Path(named)
    try:
        return path.expanduser()
    except RuntimeError:
        # No such user: the `~` is part of a file name.
        return path
