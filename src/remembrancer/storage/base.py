"""Protocols of a store of memories, of a vector index outside of it, and of a queue of due work.

The caller belongs to the transaction: `snapshot` reads what the caller may see, in scope and in classification, and
writes nothing; `begin` reads the same and writes to the exact scope alone. Rows, text index and vectors change
together or not at all.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from remembrancer.storage.documents import DocumentNumbers, DocumentVectors, Nearest
from remembrancer.storage.tx import Tx
from remembrancer.types.access import AccessKey, Caller
from remembrancer.types.calls import Breaker, CallPurpose
from remembrancer.types.index import Generation, Space
from remembrancer.types.jobs import DueWork, Finding, Job, Lease, Thresholds
from remembrancer.types.placements import DatabaseState, Placement
from remembrancer.types.replicas import ReplicaState
from remembrancer.types.scope import Scope

T = TypeVar("T")


class Store(Protocol):
    """A database of memories."""

    @property
    def is_durable(self) -> bool:
        """True if the contents of the store outlive its process."""
        ...

    def begin(self, caller: Caller, *, streaming: bool = False) -> AbstractAsyncContextManager[Tx]:
        """Open a transaction that reads what the caller may see, and writes to its exact scope alone.

        Commits when the block ends, rolls back when it raises.

        Args:
            streaming: whether so much may be written that it should keep little of it in memory.

        Raises:
            StoreUnavailable: the store is busy for too long, full, or closed.
        """
        ...

    def snapshot(self, caller: Caller, *, streaming: bool = False) -> AbstractAsyncContextManager[Tx]:
        """Open a transaction that reads what the caller may see, as of one moment, and cannot write.

        Args:
            streaming: whether all of a store may be read through it, slowly: it caches nothing, and delays no other
                caller.
        """
        ...

    async def read(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """Do work in a snapshot of the store and return its result.

        For a caller that reads replicas, a replica may do it that has every change of the scopes which the caller sees.

        The work may await only the transaction's own methods: a store may run it whole in one worker thread, which
        saves a
        question a dozen changes of thread.

        Raises:
            StoreError: the work awaited something else.
        """
        ...

    async def write(self, caller: Caller, work: Callable[[Tx], Coroutine[Any, Any, T]]) -> T:
        """Do work in a transaction as `begin` opens it, commit, and return its result.

        The work may await only the transaction's own methods: a store may run it whole in one worker thread, and again
        from its
        start where another writer came first.

        Raises:
            StoreError: the work awaited something else.
            StoreUnavailable: the store is busy for too long, full, or closed.
        """
        ...

    async def scopes(self, tenant: str | None = None) -> list[Scope]:
        """Return every exact scope, or those of a tenant; for maintenance, never for callers."""
        ...

    async def visible_scopes(self, scope: Scope) -> list[Scope]:
        """Return the exact scopes that exist among those that a scope sees."""
        ...

    async def tenants(self) -> list[str]:
        """Return the tenants that have scopes, by name; for maintenance, never for callers."""
        ...

    async def due(self, limits: Thresholds) -> list[DueWork]:
        """Return the due work of the whole store, by tenant and purpose."""
        ...

    async def waiting(self, due: DueWork, limits: Thresholds) -> list[Scope]:
        """Return a tenant's exact scopes with due work of a purpose; for maintenance.

        Args:
            due: of a tenant; rebuilding all vectors belongs to no tenant.
        """
        ...

    async def lease(self, name: str, *, holder: str, seconds: float) -> bool:
        """Acquire or renew a lease by the database's clock; return False while another holder's is valid.

        Args:
            name: of the work; a fingerprint, since every reader of the store sees it.
        """
        ...

    async def leases(self) -> list[Lease]:
        """Return the valid leases, by name."""
        ...

    async def release(self, name: str, *, holder: str) -> None:
        """Release a lease before it expires."""
        ...

    async def breakers(self) -> list[Breaker]:
        """Return the breakers of models that have failed since their last success, by model and purpose."""
        ...

    async def put_breaker(self, breaker: Breaker) -> bool:
        """Store a breaker; return False if another one of its change is stored."""
        ...

    async def drop_breaker(self, model: str, purpose: CallPurpose) -> None:
        """Delete the breaker of a model that answers again."""
        ...

    async def access_keys(self, tenant: str) -> list[AccessKey]:
        """Return the access keys that open a tenant, the oldest first, up to 10,000."""
        ...

    async def access_key(self, id: str) -> AccessKey | None:
        """Return the access key of an id, of any tenant, or `None`; for authentication."""
        ...

    async def has_access_keys(self) -> bool:
        """Return True if any access key was ever created, in any tenant."""
        ...

    async def put_access_key(self, key: AccessKey) -> None:
        """Store an access key, or its new secret, name and end; a revoked one stays revoked."""
        ...

    async def touch_access_key(self, id: str, at: datetime) -> None:
        """Record the last use of an access key."""
        ...

    async def jobs(self, tenant: str, *, limit: int) -> list[Job]:
        """Return a tenant's jobs, the latest begun first."""
        ...

    async def job(self, tenant: str, id: str) -> Job | None:
        """Return a tenant's job of an id, or `None`."""
        ...

    async def put_job(self, job: Job) -> None:
        """Store the state of a job; an ended one stays unchanged, and a request for its end stays."""
        ...

    async def cancel_job(self, tenant: str, id: str) -> None:
        """Request the end of a job."""
        ...

    async def forget_jobs(self, tenant: str, *, before: datetime) -> None:
        """Delete a tenant's jobs that were begun before a time."""
        ...

    async def replicas(self, *, look: bool = False) -> list[ReplicaState]:
        """Return the replicas, in the order of the settings.

        Args:
            look: look at each now, instead of the last look, up to a second ago.
        """
        ...

    async def databases(self) -> list[DatabaseState]:
        """Return the state of each of several databases, the main one first; empty for a store in one."""
        ...

    async def placements(self) -> list[Placement]:
        """Return the database of each tenant, by tenant; empty for a store in one."""
        ...

    async def left_over(self, tenant: str) -> list[str]:
        """Return the databases that have rows of an interrupted move of a tenant, or that do not answer."""
        ...

    async def hint(self) -> None:
        """Notify the workers of other processes of due work.

        A hint may be lost: regular searches are the guarantee.
        """
        ...

    async def wait_for_hint(self, seconds: float) -> None:
        """Wait for a hint of due work by another process on this store, up to some seconds."""
        ...

    async def generations(self) -> list[Generation]:
        """Return the generations of vectors, oldest first."""
        ...

    async def serving_generation(self, space: Space) -> Generation:
        """Return the active generation; in a store without any, create one of this space."""
        ...

    async def start_generation(self, space: Space) -> Generation:
        """Create a generation next to the active one."""
        ...

    async def switch_generation(self, number: int) -> None:
        """Activate a generation and delete the others with their vectors."""
        ...

    async def drop_generation(self, number: int) -> None:
        """Delete a generation that is not active, with its vectors."""
        ...

    async def scrub(self) -> bool:
        """Delete erased rows from the store's journals too; return False while another process reads them."""
        ...

    async def tend(self) -> None:
        """Do the regular work on the store itself, until cancelled; return at once if there is none.

        A file's commits are copied from its journal soon after each, so that no writer waits for that. Replicas of a
        server are watched.
        """
        ...

    async def compact(self) -> bool:
        """Rewrite the store, so that no page keeps a byte of erased rows; return False while others write.

        With PostgreSQL the owner of the tables does that, by VACUUM FULL.
        """
        ...

    async def forget(self, scope: Scope, *, at: datetime) -> None:
        """Delete the jobs of an exact scope; revoke its access keys and clear their names."""
        ...

    async def damage(self) -> list[str]:
        """Return the database's findings about its file; empty for a sound one."""
        ...

    async def faults(self) -> list[Finding]:
        """Return faults of rows of all scopes; empty if the database cannot store such rows."""
        ...

    async def repair(self) -> None:
        """Repair faults of the store's rows that need no decision."""
        ...

    async def size(self) -> int:
        """Return the number of bytes on disk, or in memory."""
        ...

    async def analyser(self) -> str:
        """Return the analyser of the text index; `""` if none was set."""
        ...

    async def set_analyser(self, analyser: str) -> None:
        """Set the analyser of the text index."""
        ...

    async def known_key(self) -> str:
        """Return the record of the key that opens the store, and of its own."""
        ...

    def sign(self, text: str) -> str:
        """Return a keyed fingerprint of a text, hex, which only this store can make."""
        ...


class VectorIndex(Protocol):
    """Vectors of documents, by generation. Blocking: the engine calls it in several threads at once.

    It may lag behind the store, and may still contain removed documents: the engine confirms every answer with the
    store.
    Every method raises `StoreUnavailable` if the index cannot be reached, and `StoreError` if it refuses.
    """

    def put(self, documents: Sequence[DocumentVectors], *, generation: int) -> None:
        """Store documents, each in place of the old one of its number; searchable when this returns."""
        ...

    def remove(self, documents: Sequence[int], *, generation: int) -> None:
        """Remove documents; missing ones are ignored."""
        ...

    def nearest(self, query: NDArray[np.float32], *, scopes: Sequence[str], generation: int, limit: int) -> Nearest:
        """Return the documents of some scopes nearest to a unit vector, by the best passage of each.

        Fewer than `limit` only if it has no more; none of a generation that it lacks.
        """
        ...

    def documents_of(self, scope: str, *, generation: int) -> DocumentNumbers:
        """Return the numbers of all its documents of a scope, ascending."""
        ...

    def generations(self) -> list[int]:
        """Return its generations, ascending."""
        ...

    def drop(self, generation: int) -> None:
        """Delete everything of a generation."""
        ...

    def close(self) -> None:
        """Close the connections to the index; may be called twice."""
        ...


class Queue(Protocol):
    """Work for any number of workers, each piece for one of them."""

    async def run(
        self, *, due: Callable[[], Awaitable[list[DueWork]]], do: Callable[[DueWork], Awaitable[bool]], concurrency: int
    ) -> None:
        """Enqueue due work, once, and do the work of all workers, until cancelled.

        Args:
            due: called from time to time, and on hints.
            do: returns True if the item goes on after those that wait; may raise: the item is due again.
            concurrency: the number of pieces that this worker does at a time, 1 or more.
        """
        ...
