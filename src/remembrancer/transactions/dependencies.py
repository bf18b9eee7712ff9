"""Dependencies of an open store, such as its clock and its policies."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from remembrancer.guard.redact import SecretPolicy
from remembrancer.guard.threads import off_loop
from remembrancer.transactions.sealed_blocks import Sign
from remembrancer.types.calls import Call, CallPurpose, CallResult, ServedBlock
from remembrancer.types.jobs import DueWork, MaintenanceStep, Purpose
from remembrancer.types.new import OBSERVATION_TYPES
from remembrancer.types.record import Record
from remembrancer.types.replicas import ReplicaState
from remembrancer.types.scope import Scope
from remembrancer.types.text import ESTIMATE, Tokens

if TYPE_CHECKING:
    from remembrancer.transactions.write_transaction import WriteTransaction


class Clock(Protocol):
    """A source of the current time."""

    def now(self) -> datetime:
        """Return the current time, aware, in UTC."""
        ...


class Ids(Protocol):
    """A source of fresh ids."""

    def new(self) -> str:
        """Return an id that no other call returns.

        Later ids sort after earlier ones.
        """
        ...


class TokenCounter(Protocol):
    """A way to count tokens. Counts of two counters are not comparable."""

    @property
    def name(self) -> str:
        """The name of the counter.

        Stored with its counts, which are repeated when it changes.
        """
        ...

    @property
    def exact(self) -> bool:
        """True if the model counts the same.

        Otherwise the count is an upper estimate.
        """
        ...

    @property
    def margin(self) -> float:
        """The factor by which counts are raised; 1 for none.

        The model splits text in its own way.
        """
        ...

    def count(self, text: str) -> Tokens:
        """Return the number of tokens of a text; 0 only for an empty one."""
        ...

    def counts(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """Return the number of tokens of each text; faster than one call per text."""
        ...


class Meter(Protocol):
    """A receiver of measurements.

    It never fails, never waits and stores no text.
    """

    def wrote(self, scope: Scope, records: Sequence[Record]) -> None:
        """Count new records of a scope, after their commit."""

    def recalled(self, scope: Scope, *, seconds: float, abstained: bool) -> None:
        """Count a question that recall answered."""

    def called(self, scope: Scope, call: Call, end: CallResult) -> None:
        """Count a call of a model."""

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """Count the claims of a model that were dropped, by reason."""

    def served(self, scope: Scope, served: ServedBlock) -> None:
        """Count a context that was served in place of a whole conversation."""

    def cached(self, *, hit: bool) -> None:
        """Count a lookup of a context in the cache."""

    def worked(self, purpose: Purpose, *, seconds: float, failed: bool) -> None:
        """Count a piece of background work."""

    def failed(self, step: MaintenanceStep, cause: str) -> None:
        """Count a failure in a step of maintenance.

        Args:
            cause: the class of the error.
        """

    def waiting(self, due: Sequence[DueWork]) -> None:
        """Measure the background work that is due."""

    def replicated(self, states: Sequence[ReplicaState]) -> None:
        """Measure the read replicas."""

    def leased(self, more: int) -> None:
        """Count leases on work that were acquired, or released if negative."""


class Unmetered(Meter):
    """A meter that counts nothing."""


UNMETERED = Unmetered()


class Cache(Protocol):
    """A cache of values by key.

    It never fails: an unreachable cache finds nothing and drops what it is sent.
    """

    async def get(self, key: str) -> bytes | None:
        """Return the cached value of a key, or `None`."""
        ...

    async def put(self, key: str, value: bytes, *, seconds: float) -> None:
        """Cache a value for at most `seconds`."""
        ...

    async def drop(self, prefix: str) -> bool:
        """Delete all values whose key begins with a prefix.

        Return `False` if that failed.
        """
        ...

    async def close(self) -> None:
        """Close the connections of the cache."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    """The clock, the ids and the policies of one open store.

    Args:
        types: the observation types of this deployment, with their priority.
        tokens: counts tokens as the model does that will read the text.
        before_commit: steps that run at the end of each write transaction, in order.
    """

    clock: Clock
    ids: Ids
    sign: Sign
    secrets: SecretPolicy = SecretPolicy.MASK
    types: Mapping[str, float] = field(default_factory=lambda: OBSERVATION_TYPES)
    tokens: TokenCounter = ESTIMATE
    meter: Meter = UNMETERED
    before_commit: "Sequence[Callable[[WriteTransaction], Awaitable[None]]]" = ()
    _loaded: list[bool] = field(default_factory=list[bool])

    async def load_tokens(self) -> None:
        """Load the tables of the token counter, once, in a thread.

        Loading needs half a second.
        """
        if not self._loaded:
            await off_loop(partial(self.tokens.count, ""))
            self._loaded.append(True)
