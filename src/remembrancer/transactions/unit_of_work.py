"""The unit of work: reads and write transactions of one caller."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from remembrancer.guard.personal.find import load, ready
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.access_log import record_write
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.names import check_names
from remembrancer.transactions.redaction import masked_tx
from remembrancer.transactions.transitions import archive_expired, has_expired
from remembrancer.transactions.write_transaction import WriteTransaction, write_transaction
from remembrancer.types.access import Caller
from remembrancer.types.scope import Scope

T = TypeVar("T")


async def ignore_commit(_writer: WriteTransaction) -> None:
    """Do nothing after a commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitOfWork:
    """The reads and writes of one caller at an open store.

    Args:
        after_commit: is called with each committed transaction.
    """

    store: Store
    rules: Dependencies
    caller: Caller
    after_commit: Callable[[WriteTransaction], Awaitable[None]] = ignore_commit

    @property
    def scope(self) -> Scope:
        """The scope of the caller."""
        return self.caller.scope

    async def scopes(self) -> list[Scope]:
        """Return the caller's scope and those below it that contain data."""
        return [scope for scope in await self.store.scopes(self.scope.tenant) if self.scope.contains(scope)]

    def of(self, caller: Caller) -> "UnitOfWork":
        """Return a unit of work of another caller."""
        return replace(self, caller=caller)

    def on_behalf(self, caller: Caller | None) -> "UnitOfWork":
        """Return a unit of work on behalf of a caller.

        Its audit entries name that caller and its origin.
        """
        if caller is None:
            return self
        return self.of(replace(self.caller, actor=caller.actor, origin=caller.origin))

    async def read(self, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """Run `work` in a read transaction, and return its result.

        `work` may await nothing but methods of the transaction. Without the right to see personal data it reads marks
        in their place.
        """
        if self.caller.sees_personal_data:
            return await self._read(work)
        await load()
        return await self._read(lambda tx: work(masked_tx(tx)))

    async def _read(self, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """Run `work` unmasked, after the expired memories are archived."""
        now = self.rules.clock.now()

        async def unless_expired(tx: Tx) -> tuple[T] | None:
            return None if has_expired(tx, now) else (await work(tx),)

        if result := await self.store.read(self.caller, unless_expired):
            return result[0]
        for scope in await self.scopes() if self.caller.all_scopes else self.scope.visible():
            async with self.of(Caller.engine(scope)).write():
                pass
        return await self.store.read(self.caller, work)

    @asynccontextmanager
    async def write(
        self, drafts: Sequence[Draft] = (), *, streaming: bool = False
    ) -> AsyncGenerator[WriteTransaction, None]:
        """Open a transaction that writes to the caller's exact scope.

        When the block ends, its audit entries are written and it commits; then the follow-up work starts. When the
        block raises, nothing is written.

        Args:
            drafts: the drafts that the block will admit. What checks and counts them is loaded before the transaction
                begins, since other writers wait for it.
            streaming: keep little in memory, for very large writes.

        Raises:
            InvalidInput: the scope or the actor has a name that must not be stored.
        """
        await self._prepare(drafts)
        opening = self.store.begin(self.caller, streaming=True) if streaming else self.store.begin(self.caller)
        async with opening as tx, self._writer(tx) as writer:
            yield writer
        await self._follow_up(writer)

    async def write_in_thread(
        self, work: Callable[[WriteTransaction], Coroutine[Any, Any, T]], drafts: Sequence[Draft] = ()
    ) -> T:
        """Run `work` in a write transaction, and return its result.

        The transaction is as `write` opens it, and runs as a whole in one worker thread. `work` may await nothing but
        methods of the transaction. It runs again if another writer came first.

        Raises:
            InvalidInput: the scope or the actor has a name that must not be stored.
        """
        await self._prepare(drafts)

        async def in_transaction(tx: Tx) -> tuple[WriteTransaction, T]:
            async with self._writer(tx) as writer:
                result = await work(writer)
            return writer, result

        writer, result = await self.store.write(self.caller, in_transaction)
        await self._follow_up(writer)
        return result

    async def _prepare(self, drafts: Sequence[Draft]) -> None:
        check_names(self.caller, self.rules.secrets)
        await ready(*drafts)
        if any(draft.role for draft in drafts):
            await self.rules.load_tokens()

    @asynccontextmanager
    async def _writer(self, tx: Tx) -> AsyncGenerator[WriteTransaction, None]:
        """Yield a writer.

        Expired memories are archived before the block, the steps before a commit run after it.
        """
        async with write_transaction(tx, self.rules) as writer:
            await archive_expired(writer)
            yield writer
            for step in self.rules.before_commit:
                await step(writer)

    async def _follow_up(self, writer: WriteTransaction) -> None:
        for each in (writer, *writer.nested):
            record_write(each)
            if each.created:
                self.rules.meter.wrote(each.tx.scope, each.created)
            await self.after_commit(each)


UnitsOfWork: TypeAlias = Callable[[Scope], UnitOfWork]
"""Returns the engine's own unit of work at a scope, for which no memory is closed."""
