"""Dependencies of an open store: clock, ids, token counter, meter, cache and policies."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from remembrancer.guard.redact import SecretPolicy
from remembrancer.guard.threads import off_loop
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.calls import Call, CallPurpose, Served, Settlement
from remembrancer.types.jobs import Due, Purpose, Step
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope
from remembrancer.types.text import ESTIMATE, Tokens

if TYPE_CHECKING:
    from remembrancer.transactions.write_transaction import Writing


class Clock(Protocol):
    """What tells the engine the time, as an aware datetime in UTC."""

    def now(self) -> datetime:
        """The time now, by which the engine goes; aware, UTC."""
        ...


class Ids(Protocol):
    """Fresh ids."""

    def new(self) -> str:
        """An id that no other call returns; later ones sort after earlier ones."""
        ...


class TokenCounter(Protocol):
    """One way to count tokens; counts of two ways are not compared."""

    @property
    def name(self) -> str:
        """Which way of counting tokens; kept beside the counts, which are taken anew where it changes."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the model counts the same; else the count is meant to be no lower than the model's."""
        ...

    @property
    def margin(self) -> float:
        """By what factor the count was raised, since the model cuts text in its own way; 1 for none."""
        ...

    def count(self, text: str) -> Tokens:
        """How many tokens a text has; 0 for an empty one only."""
        ...

    def counts(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """How many tokens each of some texts has; many at once are counted faster than one after the other."""
        ...


class Meter(Protocol):
    """Hears what the store did. It never fails, never waits, and never sees a text that it keeps."""

    def wrote(self, scope: Scope, records: Sequence[Record]) -> None:
        """So many records came to a scope, by whoever wrote them; said once they are committed."""

    def recalled(self, scope: Scope, *, seconds: float, abstained: bool) -> None:
        """A question to memory was answered."""

    def called(self, scope: Scope, call: Call, end: Settlement) -> None:
        """A model was called for a scope."""

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """Claims of a model were dropped for a scope, so many for each reason."""

    def served(self, scope: Scope, served: Served) -> None:
        """A block of a conversation was served in place of all that was said in it."""

    def cached(self, *, hit: bool) -> None:
        """A context was looked for in the cache, and was there or not."""

    def worked(self, purpose: Purpose, *, seconds: float, failed: bool) -> None:
        """A piece of background work was done in the store."""

    def failed(self, step: Step, cause: str) -> None:
        """A step of a night failed, or a part of it, with the kind of error that is its cause."""

    def waiting(self, due: Sequence[Due]) -> None:
        """What waits in the store, whenever it was looked for."""

    def leased(self, more: int) -> None:
        """So many leases on work in the store were taken, or given back where it is below zero."""


class Unmetered(Meter):
    """A meter that counts nothing of the store."""


UNMETERED = Unmetered()


class Cache(Protocol):
    """Values by key. It never fails: where it cannot be reached nothing is found in it, and what is put is lost."""

    async def get(self, key: str) -> bytes | None:
        """The value of a key of the cache, while it is kept; `None` where there is none."""
        ...

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Keep a value in the cache, for so long at most."""
        ...

    async def drop(self, prefix: str) -> bool:
        """Let go of every value of the cache whose key begins so; `False` where that could not be done."""
        ...

    async def close(self) -> None:
        """Let go of the connections of the cache."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The clock, the ids and the policies of one open store.

    Args:
        types: the observation types of this deployment, with their priority.
        tokens: how long a text is for the model that will read it.
        meter: counts operations, for metrics.
        before_commit: steps that run at the end of each write transaction, in order.
    """

    clock: Clock
    ids: Ids
    sign: Sign
    secrets: SecretPolicy = SecretPolicy.MASK
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    tokens: TokenCounter = ESTIMATE
    meter: Meter = UNMETERED
    before_commit: "Sequence[Callable[[Writing], Awaitable[None]]]" = ()
    _counted: list[bool] = field(default_factory=list[bool])

    async def load_tokens(self) -> None:
        """Load the tables by which tokens are counted, beside the event loop; they take half a second once."""
        if not self._counted:
            await off_loop(partial(self.tokens.count, ""))
            self._counted.append(True)
