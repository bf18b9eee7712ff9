"""Base classes of resources and use cases."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import Any, Generic, Self, TypeVar, overload

from remembrancer.learn import sessions
from remembrancer.resources.audit_decorator import audited
from remembrancer.resources.engine import Engine
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.arguments import checked
from remembrancer.types.scope import Scope

T = TypeVar("T")


class UseCase:
    """Operations of one caller on an open store."""

    def __init__(self, engine: Engine, caller: Caller) -> None:
        self._opened = engine
        self._caller = caller

    @property
    def _engine(self) -> Engine:
        return self._opened.check_process()

    @property
    def _unit(self) -> UnitOfWork:
        return self._engine.unit_of_work(self._caller)

    @property
    def _reader(self) -> UnitOfWork:
        """The caller's unit of work for reads that a replica may answer."""
        return self._engine.unit_of_work(replace(self._caller, reads_replicas=True))

    def _at(self, scope: Scope) -> UnitOfWork:
        """Return the engine's unit of work in a scope, on behalf of the caller."""
        return self._unit.of(Caller.engine(scope)).on_behalf(self._caller)

    async def _save(self, drafts: Sequence[Draft], work: Callable[[WriteTransaction], Coroutine[Any, Any, T]]) -> T:
        """Run work in a transaction that saves drafts, and return its result.

        A stale session is closed and the next one opened, as when a session starts.
        """

        async def saving(writer: WriteTransaction) -> tuple[Sequence[str], T]:
            stale = await sessions.before_saving(writer, drafts)
            return stale, await work(writer)

        stale, saved = await self._unit.write_in_thread(saving, drafts)
        for name in stale:
            # Saving does not wait for a model.
            await self._engine.conversations.observe_ended(self._unit.scope, name, asking=False)
        return saved


class Resource(UseCase):
    """A part of a memory with the operations on one noun.

    Its public methods check the types of their arguments. The audit log records the memories that they return.
    """

    path: str
    """The name of the resource, such as `governance.holds`; `""` for the memory itself."""

    def __init_subclass__(cls, *, path: str | None = None) -> None:
        if path is not None:
            cls.path = path
            audited(cls, path)
            checked(cls)

    def _audit_read(self, operation: str, ids: Sequence[str]) -> None:
        self._engine.worker.access_log.log_disclosure(self._caller, operation, ids)


R = TypeVar("R", bound=UseCase)


class SubResource(Generic[R]):
    """A property that returns a resource of the same caller. Read from a class, it returns itself.

    Attributes:
        cls: the class of the resource.
    """

    def __init__(self, cls: type[R]) -> None:
        self.cls = cls
        self.__doc__ = cls.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: UseCase, kind: type) -> R: ...
    def __get__(self, owner: UseCase | None, kind: type) -> Self | R:
        if owner is None:
            return self
        return self.cls(owner._engine, owner._caller)  # pyright: ignore[reportPrivateUsage] -- of the same family
