"""What a step of a night works with, whether it is done in earnest or rehearsed."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Protocol, TypeAlias, TypeVar

from remembrancer.learn.compact.records import Story
from remembrancer.learn.rules import Room
from remembrancer.storage.tx import Tx
from remembrancer.transactions.write import Writing
from remembrancer.types.night import Night
from remembrancer.types.pattern import Deed, Pattern, Refusal
from remembrancer.types.record import Episode
from remembrancer.types.scope import Scope

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """What becomes of memories with time.

    Args:
        decay: what importance loses a day, in [0, 1]; 0 keeps it.
        by_access: whether it matters for that when a memory was last read.
        observations, reflections: how many active ones of the engines a scope may have; the lowest are archived.
        unread_days: after so many days without being read they are archived.
        faded: below such an importance, and older than `faded_days`, observations are archived.
    """

    decay: float = 0.01
    by_access: bool = True
    observations: int = 1_000
    reflections: int = 100
    unread_days: int = 90
    faded: float = 0.1
    faded_days: int = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What some work of a night came to.

    Args:
        counts: by name.
        notes: what a person should know of it.
        observed: what was observed that is new, in words.
        failures: what failed, told before all notes.
        done: whether its step is done with that.
    """

    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    notes: Sequence[str] = ()
    observed: Sequence[str] = ()
    failures: Sequence[str] = ()
    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What a model proposed and a recount let pass, what it refused, and who was asked."""

    patterns: Sequence[Pattern] = ()
    refusals: Sequence[Refusal] = ()
    engine: str = ""
    model: str = ""


Work: TypeAlias = Callable[[Writing], Awaitable[Counted]]


class Stage(Protocol):
    """One night of one scope under way.

    Attributes:
        before: the night before it, where that was run to its end.
        tells: whether a model is asked what episodes came to.
    """

    scope: Scope
    night: Night
    before: Night | None
    zone: tzinfo
    room: Room
    keeping: Keeping
    tells: bool

    async def read(self, work: Callable[[Tx], Any]) -> Any:
        """What a piece of work makes of what stands now; it may await nothing but the transaction's own methods."""
        ...

    async def write(self, work: Work) -> Counted:
        """Some of a step's work with the night's record, in one transaction."""
        ...

    async def each(self, items: Sequence[T], work: Callable[[Writing, Sequence[T]], Awaitable[Counted]]) -> None:
        """Some of a step's work on several things in one transaction; where that fails, on each half of them.

        So one of them that fails stops no other. Without any it is done once, on none.
        """
        ...

    async def propose(self, deeds: Sequence[Deed], known: Sequence[str], room: int) -> Proposed:
        """What a model sees in some deeds, beside the quotes of what is known; nothing where none may be asked.

        Args:
            room: how many at most are taken.
        """
        ...

    async def tell(self, groups: Sequence[Sequence[Episode]]) -> list[Story | None]:
        """What a model says that each of some groups of raw episodes came to; nothing of one where none holds."""
        ...
