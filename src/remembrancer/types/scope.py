"""Scopes: the owners of memories, and how freely memories may be shown."""

from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import Self

from remembrancer.errors import InvalidInput, quoted
from remembrancer.types.arguments import expected_of
from remembrancer.types.text import is_blank, printable, same_name

MAX_NAME_CHARACTERS = 200
DIMENSIONS = ("project", "agent", "user")
_TEXT = expected_of(str)


LOCAL = "local"
"""The tenant of those who name none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Whose memory this is. `tenant` is the wall and is never optional; a blank dimension is shared.

    A project, an agent and a user are stored and compared in composed Unicode (NFC); the wall goes by its exact name.

    Raises:
        InvalidInput: a name is empty, longer than 200 characters, or holds control characters.
    """

    tenant: str = LOCAL
    project: str | None = None
    agent: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        for dimension in ("tenant", *DIMENSIONS):
            name: str | None = getattr(self, dimension)
            if name is not None:
                named = check_name(name, what=dimension)
                if dimension in DIMENSIONS and named != name:
                    object.__setattr__(self, dimension, named)

    def sees(self, row: Self) -> bool:
        """Whether `row` is visible from here: equal or shared (blank) on every dimension."""
        return self.tenant == row.tenant and all(
            getattr(row, dimension) in (None, getattr(self, dimension)) for dimension in DIMENSIONS
        )

    def contains(self, other: Self) -> bool:
        """Whether another scope lies within this one: of its tenant, and of whatever it names."""
        return self.tenant == other.tenant and all(
            getattr(self, dimension) in (None, getattr(other, dimension)) for dimension in DIMENSIONS
        )

    @property
    def nearness(self) -> tuple[bool, bool, bool]:
        """How near what is kept here is to a reader: a user's before an agent's, that before a project's."""
        return (self.user is not None, self.agent is not None, self.project is not None)

    def visible(self) -> tuple["Scope", ...]:
        """Every exact scope that a reader here sees, its own first; at most eight."""
        choices = [(name, None) if name is not None else (None,) for name in (self.project, self.agent, self.user)]
        return tuple(
            Scope(tenant=self.tenant, project=project, agent=agent, user=user)
            for project, agent, user in product(*choices)
        )


def check_name(name: str, *, what: str) -> str:
    """A name as it stands in a scope, a session id, a key or a tag: in the one form in which names are compared.

    Raises:
        InvalidInput: it is no text, empty or blank, longer than 200 characters, or holds control characters.
    """
    _TEXT.check(name, what=what)
    if is_blank(name):
        raise InvalidInput(f"{what} must not be empty")
    if len(name) > MAX_NAME_CHARACTERS:
        raise InvalidInput(f"{what} has {len(name)} characters; at most {MAX_NAME_CHARACTERS} are allowed")
    if not printable(name):
        raise InvalidInput(f"{what} {quoted(name)} holds control characters; remove them")
    return same_name(name)


class Classification(StrEnum):
    """Who may see a memory, from the least to the most restrictive."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class Trust(StrEnum):
    """Whether a memory rests on what people and agents said, or on a page or a tool's output."""

    UNTRUSTED = "untrusted"
    TRUSTED = "trusted"


_RANK = {each: rank for rank, each in enumerate(Classification)}


def most_restrictive(classes: Iterable[Classification]) -> Classification:
    """The highest of some classifications; `internal`, the default, where there is none."""
    return max(classes, key=_RANK.__getitem__, default=Classification.INTERNAL)


def least_trust(levels: Iterable[Trust]) -> Trust:
    """The lowest of some levels of trust; `trusted` where there is none."""
    return min(levels, key=list(Trust).index, default=Trust.TRUSTED)


REQUEST: ContextVar[str] = ContextVar("remembrancer-request", default="")
