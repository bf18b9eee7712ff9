"""How one caller works with an open store: it reads, and it writes with all that follows from a write."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

from remembrancer.guard.personal.find import load, ready
from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.transactions.access_log import note_written
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.draft import Draft
from remembrancer.transactions.expiry import archive_ended, has_ended
from remembrancer.transactions.names import check_names
from remembrancer.transactions.read_redaction import behind_veil
from remembrancer.transactions.write import Writing, writing
from remembrancer.types.access import Caller
from remembrancer.types.scope import Scope

T = TypeVar("T")


async def unfollowed(_done: Writing) -> None:
    """Let nothing follow from a writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One caller at an open store; used by doors and workers alike.

    Args:
        follow: is told of each transaction that was committed.
    """

    store: Store
    rules: Dependencies
    caller: Caller
    follow: Callable[[Writing], Awaitable[None]] = unfollowed

    @property
    def scope(self) -> Scope:
        """Whose memory it works on."""
        return self.caller.scope

    async def scopes(self) -> list[Scope]:
        """The exact scopes that hold anything: its own, and those under it."""
        return [scope for scope in await self.store.scopes() if self.scope.contains(scope)]

    def of(self, caller: Caller) -> "Desk":
        """The same for another caller."""
        return replace(self, caller=caller)

    def on_behalf(self, caller: Caller | None) -> "Desk":
        """The same, done because a caller asked for it: the audit log names that caller and its origin."""
        if caller is None:
            return self
        return self.of(replace(self.caller, actor=caller.actor, origin=caller.origin))

    async def read(self, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of what the caller may see, as of one moment.

        The work may await nothing but the transaction's own methods. Who may not see personal data is told marks.
        """
        if self.caller.sees_personal_data:
            return await self._read(work)
        await load()
        return await self._read(lambda tx: work(behind_veil(tx)))

    async def _read(self, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """The same as a caller who may see everything reads it; first what is valid no more is archived."""
        now = self.rules.clock.now()

        async def unless_ended(tx: Tx) -> tuple[T] | None:
            return None if has_ended(tx, now) else (await work(tx),)

        if found := await self.store.read(self.caller, unless_ended):
            return found[0]
        for scope in await self.scopes() if self.caller.all_scopes else self.scope.visible():
            async with self.of(Caller.engine(scope)).write():
                pass
        return await self.store.read(self.caller, work)

    @asynccontextmanager
    async def write(self, admitting: Sequence[Draft] = (), *, streaming: bool = False) -> AsyncGenerator[Writing, None]:
        """A transaction that writes to the caller's exact scope.

        When the block ends, what was done goes to the audit log and is committed, and what follows is set going; when
        it raises, nothing was done.

        Args:
            admitting: what will be admitted. What looks at it and counts it is loaded before the transaction begins,
                for which other writers wait.
            streaming: whether so much may be written that it keeps little of it in memory.

        Raises:
            InvalidInput: the scope or the actor has a name that must not be kept.
        """
        await self._prepare(admitting)
        begun = self.store.begin(self.caller, streaming=True) if streaming else self.store.begin(self.caller)
        async with begun as tx, self._writing(tx) as done:
            yield done
        await self._follow(done)

    async def write_in_thread(
        self, work: Callable[[Writing], Coroutine[Any, Any, T]], admitting: Sequence[Draft] = ()
    ) -> T:
        """What a piece of work makes of a transaction as `write` opens it; it runs whole in one worker thread.

        The work may await nothing but the writing's own methods, and is run again where another writer came first.

        Raises:
            InvalidInput: the scope or the actor has a name that must not be kept.
        """
        await self._prepare(admitting)

        async def whole(tx: Tx) -> tuple[Writing, T]:
            async with self._writing(tx) as done:
                made = await work(done)
            return done, made

        done, made = await self.store.write(self.caller, whole)
        await self._follow(done)
        return made

    async def _prepare(self, admitting: Sequence[Draft]) -> None:
        check_names(self.caller, self.rules.secrets)
        await ready(*admitting)
        if any(draft.role for draft in admitting):
            await self.rules.load_tokens()

    @asynccontextmanager
    async def _writing(self, tx: Tx) -> AsyncGenerator[Writing, None]:
        """A block that writes: before it what is valid no more is archived, after it all that hangs on it is done."""
        async with writing(tx, self.rules) as done:
            await archive_ended(done)
            yield done
            for step in self.rules.before_commit:
                await step(done)

    async def _follow(self, done: Writing) -> None:
        for each in (done, *done.others):
            note_written(each)
            if each.made:
                self.rules.meter.wrote(each.tx.scope, each.made)
            await self.follow(each)


Desks: TypeAlias = Callable[[Scope], Desk]
"""The engine's own desk at a scope: nothing of it is closed."""
