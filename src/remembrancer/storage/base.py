"""Protocols of a store of memories, of a vector index outside of it, and of a queue of due work.

The caller belongs to the transaction: `snapshot` reads what the caller may see, in scope and in classification, and
writes nothing; `begin` reads the same and writes to the exact scope alone. Rows, text index and vectors change together
or not at all.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import Documents, Nearest, Wording
from remembrancer.storage.tx import Tx
from remembrancer.types.access import AccessKey, Caller
from remembrancer.types.calls import Breaker, CallPurpose
from remembrancer.types.index import Generation, Space
from remembrancer.types.jobs import DueWork, Finding, Job, Thresholds
from remembrancer.types.scope import Scope

T = TypeVar("T")


class Store(Protocol):
    """A database of memories."""

    @property
    def is_durable(self) -> bool:
        """Whether what the store holds outlives its process."""
        ...

    def begin(self, caller: Caller, *, streaming: bool = False) -> AbstractAsyncContextManager[Tx]:
        """Open a transaction that reads what the caller may see, and writes to its exact scope alone.

        Commits when the block ends, rolls back when it raises.

        Args:
            streaming: whether so much may be written that it keeps little of it in memory.

        Raises:
            StoreUnavailable: the store is busy for too long, full, or gone.
        """
        ...

    def snapshot(self, caller: Caller, *, streaming: bool = False) -> AbstractAsyncContextManager[Tx]:
        """Open a transaction that reads what the caller may see, as of one moment, and cannot write.

        Args:
            streaming: whether all of a store may go through it, slowly: it keeps nothing of what it has read, and
                nobody else waiting.
        """
        ...

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a snapshot of the store.

        The work may await nothing but the transaction's own methods: a store may run it whole off the event loop,
        which spares a question a dozen changes of thread.
        """
        ...

    async def write(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """What a piece of work makes of a transaction as `begin` opens it; it is committed when the work returns.

        The work may await nothing but the transaction's own methods: a store may run it whole off the event loop, and
        again from its start where another writer came first.

        Raises:
            StoreUnavailable: the store is busy for too long, full, or gone.
        """
        ...

    async def scopes(self) -> list[Scope]:
        """Every exact scope that holds anything; for upkeep, never for callers."""
        ...

    async def due(self, limits: Thresholds) -> list[DueWork]:
        """The work that waits, by tenant and purpose, in the whole store."""
        ...

    async def waiting(self, due: DueWork, limits: Thresholds) -> list[Scope]:
        """A tenant's exact scopes that have something of a purpose waiting; for upkeep.

        Args:
            due: of a tenant; rebuilding all vectors is nobody's.
        """
        ...

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        """Take or renew a lease by the database's clock; `False` while another holder's has not run out.

        Args:
            name: of the work; a fingerprint, for anybody who reads the store may see it.
        """
        ...

    async def release(self, name: str, *, holder: str) -> None:
        """Give a lease back before it runs out."""
        ...

    async def breakers(self) -> list[Breaker]:
        """The breakers of models that have failed since they last answered well, by model and purpose."""
        ...

    async def put_breaker(self, breaker: Breaker) -> bool:
        """Store a breaker; `False`, and nothing is stored, where another one of its change is there."""
        ...

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        """Forget the breaker of a model that answers well."""
        ...

    async def access_keys(self, tenant: str) -> list[AccessKey]:
        """The access keys that open a tenant, the oldest first; 10,000 at most."""
        ...

    async def access_key(self, id: str) -> AccessKey | None:
        """The access key of an id, whoever's it is, or `None`; for those who do not know yet who asks."""
        ...

    async def has_access_keys(self) -> bool:
        """Whether any access key was ever made, for anybody."""
        ...

    async def put_access_key(self, key: AccessKey) -> None:
        """Store an access key, or its new secret, name and end; one that was revoked stays revoked."""
        ...

    async def saw_access_key(self, id: str, at: datetime) -> None:
        """Say when an access key was last used."""
        ...

    async def jobs(self, tenant: str, *, limit: int) -> list[Job]:
        """A tenant's jobs, the latest begun first."""
        ...

    async def job(self, tenant: str, id: str) -> Job | None:
        """A tenant's job of an id, or `None`."""
        ...

    async def put_job(self, job: Job) -> None:
        """Store how a job stands; one that has ended stays as it ended, and who asks for its end is not overruled."""
        ...

    async def cancel_job(self, tenant: str, id: str) -> None:
        """Ask for the end of a job."""
        ...

    async def forget_jobs(self, tenant: str, *, before: datetime) -> None:
        """Forget a tenant's jobs that were begun before a time."""
        ...

    async def hint(self) -> None:
        """Tell the workers of other processes that something is due.

        A hint may be lost: looking from time to time is the guarantee.
        """
        ...

    async def hinted(self, seconds: float) -> None:
        """Wait for a hint that work is due, by another process on this store, for so long at most."""
        ...

    async def generations(self) -> list[Generation]:
        """The generations of vectors, oldest first."""
        ...

    async def serving_generation(self, space: Space) -> Generation:
        """The active generation; in a store without any, one of this space is made and active at once."""
        ...

    async def start_generation(self, space: Space) -> Generation:
        """Begin a generation beside the one that serves."""
        ...

    async def switch_generation(self, number: int) -> None:
        """Make a generation the active one and remove the others with their vectors."""
        ...

    async def drop_generation(self, number: int) -> None:
        """Remove a generation that is not active, with its vectors."""
        ...

    async def scrub(self) -> bool:
        """Remove what was erased from the store's journals too; `False` where another process still reads them."""
        ...

    async def checkpointing(self) -> None:
        """Copy what is committed from the store's journal to its main file soon after, until cancelled.

        No writer waits for it. Where the store has no such journal it returns at once.
        """
        ...

    async def compact(self) -> bool:
        """Write what the store holds anew, so that no page keeps a byte of what is gone; `False` where others write.

        With PostgreSQL the owner of the tables does that, by VACUUM FULL.
        """
        ...

    async def forget(self, scope: Scope, *, at: datetime) -> None:
        """Remove the jobs of an exact scope, and revoke its access keys, which name nobody from then on."""
        ...

    async def damage(self) -> list[str]:
        """What the database itself finds wrong with its file; empty for a sound one."""
        ...

    async def faults(self) -> list[Finding]:
        """What is wrong with rows whatever scope they are of; none where the database cannot keep such rows."""
        ...

    async def mend(self) -> None:
        """Mend what is wrong with the store's rows, and needs no judgement."""
        ...

    async def size(self) -> int:
        """Bytes on disk, or in memory."""
        ...

    async def analyser(self) -> str:
        """By which analyser the words of the text index were made; `""` where nobody has said."""
        ...

    async def analysed_by(self, analyser: str) -> None:
        """Say by which analyser the words of the text index are made from now on."""
        ...

    async def known_key(self) -> str:
        """As what the store knows the key that opens it, and its own."""
        ...

    def sign(self, text: str) -> str:
        """A keyed fingerprint of a text, hex, which only this store can make."""
        ...


class VectorIndex(Protocol):
    """Vectors of wordings, by generation. Blocking: the engine calls it in threads of its own, several at once.

    It may lag behind the store, and may still hold what is gone: who asks it confirms every answer with the store.
    Every method raises `StoreUnavailable` where the index cannot be reached, and `StoreError` where it refuses.
    """

    def put(self, wordings: Sequence[Wording], *, generation: int) -> None:
        """Store wordings, each in place of what stood under its number; findable when this returns."""
        ...

    def remove(self, documents: Sequence[int], *, generation: int) -> None:
        """Remove wordings; those that are not there are none of its concern."""
        ...

    def nearest(self, query: NDArray[np.float32], *, scopes: Sequence[str], generation: int, limit: int) -> Nearest:
        """The wordings of some scopes that are nearest to a unit vector, a wording counting as its best piece.

        Fewer than `limit` only where it holds no more; none of a generation that it does not have.
        """
        ...

    def held(self, scope: str, *, generation: int) -> Documents:
        """The numbers of all wordings that it holds of a scope, ascending."""
        ...

    def generations(self) -> list[int]:
        """The generations that it has, ascending."""
        ...

    def drop(self, generation: int) -> None:
        """Forget everything of a generation."""
        ...

    def close(self) -> None:
        """Let go of the connections to the index; may be called twice."""
        ...


class Queue(Protocol):
    """Work for any number of workers, each piece for one of them."""

    async def run(
        self, *, due: Callable[[], Awaitable[list[DueWork]]], do: Callable[[DueWork], Awaitable[None]], concurrency: int
    ) -> None:
        """Put in what is due, once, and do what others or this worker put in, until cancelled.

        Args:
            due: asked from time to time, and on hints.
            do: may raise; it is then called again, after longer and longer waits.
            concurrency: how many pieces this worker does at a time, 1 or more.
        """
        ...
