"""What the doors of one scope work with."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from remembrancer.governance.admit import Rules
from remembrancer.governance.procedures import Room
from remembrancer.model.caller import Caller
from remembrancer.model.scope import Scope
from remembrancer.ports.store import Store
from remembrancer.ports.tx import Tx
from remembrancer.workers.nightly import Nightly


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One scope of an open store.

    Args:
        room: how many rules an agent may have.
        written: is to be told after each write.
        flush: writes down what was counted and noted in memory so far.
    """

    store: Store
    caller: Caller
    rules: Rules
    nightly: Nightly
    room: Room
    written: Callable[[], Awaitable[None]]
    flush: Callable[[], Awaitable[None]]

    @property
    def scope(self) -> Scope:
        """Whose it is."""
        return self.caller.scope

    def begin(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction that writes."""
        return self.store.begin(self.caller)

    def snapshot(self) -> AbstractAsyncContextManager[Tx]:
        """A transaction that reads."""
        return self.store.snapshot(self.caller)
