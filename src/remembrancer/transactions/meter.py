"""Who counts and times what an open store does: for metrics, and for nothing else."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from remembrancer.types.calls import Call, CallPurpose, CallResult, ServedBlock
from remembrancer.types.jobs import DueWork, MaintenanceStep, Purpose
from remembrancer.types.record import Record
from remembrancer.types.scope import Scope


class Meter(Protocol):
    """Hears what the store did. It never fails, never waits, and never sees a text that it keeps."""

    def wrote(self, scope: Scope, records: Sequence[Record]) -> None:
        """So many records came to a scope, by whoever wrote them; said once they are committed."""

    def recalled(self, scope: Scope, *, seconds: float, abstained: bool) -> None:
        """A question to memory was answered."""

    def called(self, scope: Scope, call: Call, end: CallResult) -> None:
        """A model was called for a scope."""

    def refused(self, scope: Scope, purpose: CallPurpose, reasons: Mapping[str, int]) -> None:
        """Claims of a model were dropped for a scope, so many for each reason."""

    def served(self, scope: Scope, served: ServedBlock) -> None:
        """A block of a conversation was served in place of all that was said in it."""

    def cached(self, *, hit: bool) -> None:
        """A context was looked for in the cache, and was there or not."""

    def worked(self, purpose: Purpose, *, seconds: float, failed: bool) -> None:
        """A piece of background work was done in the store."""

    def failed(self, step: MaintenanceStep, cause: str) -> None:
        """A step of a night failed, or a part of it, with the kind of error that is its cause."""

    def waiting(self, due: Sequence[DueWork]) -> None:
        """What waits in the store, whenever it was looked for."""

    def leased(self, more: int) -> None:
        """So many leases on work in the store were taken, or given back where it is below zero."""


class Unmetered(Meter):
    """A meter that counts nothing of the store."""


UNMETERED = Unmetered()
