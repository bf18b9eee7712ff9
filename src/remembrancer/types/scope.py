"""Scopes, classifications and trust."""

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
"""The default tenant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The owner of a memory. `tenant` isolates; a dimension that is `None` is shared.

    Names of projects, agents and users are normalised to composed Unicode (NFC); the tenant is compared exactly.

    Raises:
        InvalidInput: a name is empty, longer than 200 characters, or contains control characters.
    """

    tenant: str = LOCAL
    project: str | None = None
    agent: str | None = None
    user: str | None = None

    def __post_init__(self) -> None:
        for dimension in ("tenant", *DIMENSIONS):
            name: str | None = getattr(self, dimension)
            if name is not None:
                normalised = check_name(name, what=dimension)
                if dimension in DIMENSIONS and normalised != name:
                    object.__setattr__(self, dimension, normalised)

    def sees(self, row: Self) -> bool:
        """Return True if `row` is visible from this scope: equal or shared in every dimension."""
        return self.tenant == row.tenant and all(
            getattr(row, dimension) in (None, getattr(self, dimension)) for dimension in DIMENSIONS
        )

    def contains(self, other: Self) -> bool:
        """Return True if another scope is within this one: equal in every dimension that this one sets."""
        return self.tenant == other.tenant and all(
            getattr(self, dimension) in (None, getattr(other, dimension)) for dimension in DIMENSIONS
        )

    @property
    def nearness(self) -> tuple[bool, bool, bool]:
        """The sort key of specificity: a user's memory before an agent's, an agent's before a project's."""
        return (self.user is not None, self.agent is not None, self.project is not None)

    def visible(self) -> tuple["Scope", ...]:
        """Return every exact scope that is visible from this one, its own first; at most eight."""
        choices = [(name, None) if name is not None else (None,) for name in (self.project, self.agent, self.user)]
        return tuple(
            Scope(tenant=self.tenant, project=project, agent=agent, user=user)
            for project, agent, user in product(*choices)
        )


def check_name(name: str, *, what: str) -> str:
    """Return the name of a scope, session, key or tag in normalised form.

    Raises:
        InvalidInput: it is not a string, is blank, has more than 200 characters, or contains control characters.
    """
    _TEXT.check(name, what=what)
    if is_blank(name):
        raise InvalidInput(f"{what} must not be empty")
    if len(name) > MAX_NAME_CHARACTERS:
        raise InvalidInput(f"{what} has {len(name)} characters; at most {MAX_NAME_CHARACTERS} are allowed")
    if not printable(name):
        raise InvalidInput(f"{what} {quoted(name)} contains control characters; remove them")
    return same_name(name)


class Classification(StrEnum):
    """Classifications of memories, from the least to the most restrictive."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"


class Trust(StrEnum):
    """Levels of trust: content of web pages and tools is untrusted, messages of people and agents are trusted."""

    UNTRUSTED = "untrusted"
    TRUSTED = "trusted"


_RANK = {each: rank for rank, each in enumerate(Classification)}


def most_restrictive(classes: Iterable[Classification]) -> Classification:
    """Return the most restrictive of some classifications; `internal` for none."""
    return max(classes, key=_RANK.__getitem__, default=Classification.INTERNAL)


def least_trust(levels: Iterable[Trust]) -> Trust:
    """Return the lowest of some levels of trust; `trusted` for none."""
    return min(levels, key=list(Trust).index, default=Trust.TRUSTED)


REQUEST: ContextVar[str] = ContextVar("remembrancer-request", default="")
