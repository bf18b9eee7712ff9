"""What every door is: one caller at an open store."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from remembrancer.learn import sessions
from remembrancer.resources.audited import heard
from remembrancer.resources.engine import Engine
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.transactions.write import Writing
from remembrancer.types.caller import Caller
from remembrancer.types.scope import Scope

T = TypeVar("T")


class Door:
    """One caller at an open store; the audit log says which memories its methods told of."""

    def __init_subclass__(cls) -> None:
        heard(cls)

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._opened = engine
        self._caller = caller

    @property
    def _engine(self) -> Engine:
        return self._opened.here()

    @property
    def _desk(self) -> Desk:
        return self._engine.desk(self._caller)

    def _at(self, scope: Scope) -> Desk:
        """The engine at a scope, on behalf of the caller."""
        return self._desk.of(Caller.engine(scope)).on_behalf(self._caller)

    async def _save(self, drafts: Sequence[Draft], work: Callable[[Writing], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a transaction that saves drafts.

        A stale session gives way to the next one, as at a start.
        """

        async def saving(writing: Writing) -> tuple[Sequence[str], T]:
            stale = await sessions.before_saving(writing, drafts)
            return stale, await work(writing)

        stale, saved = await self._desk.write_in_thread(saving, drafts)
        for name in stale:
            # Nobody who saves waits for a model.
            await self._engine.distilling.ended(self._desk.scope, name, asking=False)
        return saved

    def _hear(self, by: str, ids: Sequence[str]) -> None:
        self._engine.sweep.access_log.log_disclosure(self._caller, by, ids)
