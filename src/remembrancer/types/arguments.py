"""Checks of what a caller passes in: one place instead of a check in every method."""

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
# What passes for another type in Python, and is a slip of the caller's all the same.
_POSING: Mapping[object, tuple[type, ...]] = {int: (bool,), float: (bool,), Sequence: (str, bytes, bytearray)}
_WORDS: Mapping[object, str] = {
    float: "a number",
    datetime: "a datetime with its time zone",
    Mapping: "a mapping",
    Callable: "a function",
    NoneType: "None",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What the annotation of one argument lets pass of what a caller gives; made by `expected_of`.

    Args:
        accepted: the types that a value may be of.
        posing: those of them that it may not be of, such as a `bool` for an `int`.
        item: the rule of a sequence's items.
        words: what to say that a value must be.
    """

    accepted: tuple[type, ...]
    posing: tuple[type, ...]
    item: "Expected | None"
    words: str

    def check(self, value: object, *, what: str) -> None:
        """Let a caller's argument pass where it is of the annotated type, and so are its items.

        Raises:
            InvalidInput: it is not.
        """
        if self.item is None and type(value) in self.accepted:
            return
        if not isinstance(value, self.accepted) or isinstance(value, self.posing):
            given = "None" if value is None else type(value).__name__
            raise InvalidInput(f"{what} must be {self.words}, not {given}")
        if self.item is not None and value is not None:
            for place, item in enumerate(cast(Sequence[object], value)):
                self.item.check(item, what=f"{what}[{place}]")


@cache
def expected_of(hint: Any) -> Expected:
    """What a caller's argument of this annotation may be: a class, a sequence or mapping of some, or a union."""
    parts: tuple[Any, ...] = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    kinds = [runtime_class(part) for part in parts]
    items = [get_args(part)[0] for part in parts if get_origin(part) is Sequence]
    return Expected(
        accepted=tuple(kind for part in kinds for kind in _ACCEPTED.get(part, (part,))),
        posing=tuple(kind for part in kinds for kind in _POSING.get(part, ())),
        item=expected_of(items[0]) if items else None,
        words=" or ".join(_words(part) for part in parts),
    )


def runtime_class(hint: Any) -> Any:
    """The class of what a caller hands over by an annotation, also behind an alias: numpy has made one of `NDArray`."""
    origin = get_origin(hint) or hint
    behind = getattr(origin, "__value__", None)
    return origin if behind is None else runtime_class(behind)


def check_one_name(id: object, topic_key: object) -> None:
    """Nothing, where a memory is named in one way.

    Raises:
        InvalidInput: it is named in none, or in both.
    """
    if (id is None) == (topic_key is None):
        raise InvalidInput("name the memory by its id or by its topic_key, and not by both")


def checked(owner: C) -> C:
    """The class, whose public methods refuse a caller's argument that is not of its type, or not valid Unicode."""
    for name, method in list(vars(owner).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(owner, name, _checking(method))
    return owner


def check_fields(value: object) -> None:
    """Check that every field of a dataclass that a caller made is of its annotated type, and valid Unicode.

    Raises:
        InvalidInput: one is not; the message names it.
    """
    check_types(value)
    for name, _ in _rules_of_fields(type(value)):
        check_unicode(getattr(value, name), what=name)


def check_types(value: object) -> None:
    """Check that every field of a dataclass that a caller made is of its annotated type.

    Raises:
        InvalidInput: one is not; the message names it.
    """
    for name, rule in _rules_of_fields(type(value)):
        given = getattr(value, name)
        # Asked here as well as there, since most fields are of their type, and a call costs more than the question.
        if rule.item is not None or type(given) not in rule.accepted:
            rule.check(given, what=name)


def check_unicode(value: object, *, what: str) -> None:
    """Nothing, where a text, or every text of a list, can be written down.

    Raises:
        InvalidInput: one holds half of a surrogate pair.
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
    """A text that every store can keep.

    Raises:
        InvalidInput: it holds a NUL or half of a surrogate pair.
    """
    if "\0" in text:
        raise InvalidInput(f"{what} holds a NUL character; remove it")
    check_unicode(text, what=what)
    return text


def within(value: float, low: int, high: int | None = None, *, what: str) -> None:
    """Let a caller's number pass where it lies between two bounds, both included.

    Raises:
        InvalidInput: it does not, or is no number at all.
    """
    if not low <= value or (high is not None and value > high):
        # Python refuses to write a number of thousands of digits.
        shown = "too far out" if abs(value) >= 1e15 else value
        raise InvalidInput(f"{what} is {shown}; give {low} {'or more' if high is None else f'to {high:,}'}")


def _checking(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method that looks at its arguments before it does anything."""
    parameters = list(inspect.signature(method).parameters.values())[1:]
    rules = {given.name: expected_of(given.annotation) for given in parameters}

    def check(args: tuple[object, ...], named: Mapping[str, object]) -> None:
        for name, value in (*zip(rules, args, strict=False), *named.items()):
            # A name that is not there is Python's to refuse.
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


def is_loopback(host: str) -> bool:
    """Return True if a host is the machine that its caller runs on, by name or address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def path_of(named: "str | PathLike[str]") -> Path:
    """The path of a file or a folder, with a leading `~` as the home of the user."""
    path = Path(named)
    try:
        return path.expanduser()
    except RuntimeError:
        # There is no such user: it is the name of a file.
        return path
