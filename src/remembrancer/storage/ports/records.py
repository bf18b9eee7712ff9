"""Where memories of every kind are kept."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.change import Change
from remembrancer.types.classification import Classification
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.overview import MostRead, ProjectUsage
from remembrancer.types.page import Page
from remembrancer.types.record import Kind, Record
from remembrancer.types.scope import Scope
from remembrancer.types.terms import Terms


class Records(Protocol):
    """Memories that the caller may see; written only to the exact scope."""

    @property
    def retired(self) -> Sequence[int]:
        """The wordings that this transaction has taken out of the indexes so far."""
        ...

    async def find(self, id: str) -> Record | None:
        """The record with its evidence, in any status, or `None`."""
        ...

    async def find_all(self, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are here, in any status, by their ids."""
        ...

    async def existing(self, ids: Sequence[str]) -> dict[str, str]:
        """Hash by id, for those of the ids that are in the exact scope, also closed ones: no id is given twice."""
        ...

    async def staying(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids that are here, and that nobody erases before the transaction ends; in a writing alone."""
        ...

    async def around(
        self, record: Record, *, before: int, after: int, statuses: Sequence[Status]
    ) -> tuple[list[Record], list[Record]]:
        """What came before and after a record in its session by `occurred_at`, oldest first."""
        ...

    async def dependants(self, id: str) -> list[str]:
        """Ids of the records whose evidence includes this one."""
        ...

    async def dependants_elsewhere(self, id: str) -> list[tuple[Scope, str]]:
        """Scopes and ids of the records in other scopes of the tenant, seen from here or not, that rest on this one."""
        ...

    @property
    def next_end(self) -> datetime | None:
        """When the first of the active memories that the scope sees ends, as the transaction began."""
        ...

    async def ended(self, at: datetime) -> list[Record]:
        """Active memories of the exact scope that were valid until then or earlier, by their end and id."""
        ...

    async def expired(
        self,
        *,
        before: datetime,
        kinds: Sequence[Kind],
        classifications: Sequence[Classification],
        after: tuple[datetime, str] | None,
        limit: int,
    ) -> list[Record]:
        """Records of the exact scope that the store knew by then and that are not deleted, by that time and id.

        Args:
            after: of the last one of the page before.
        """
        ...

    async def deleted(self, *, before: datetime, after: tuple[datetime, str] | None, limit: int) -> list[Record]:
        """Records of the exact scope that were deleted by then, by that time and id."""
        ...

    async def deleted_together(self, at: datetime) -> list[Record]:
        """Deleted records of the exact scope that were deleted at one moment, by id, whatever changed them since."""
        ...

    async def usage(self) -> list[ProjectUsage]:
        """How many memories there are in the exact scope and in those under it, by project."""
        ...

    async def most_read(self, *, limit: int) -> list[MostRead]:
        """The memories of the exact scope and of those under it that were read most often."""
        ...

    async def counts(self) -> dict[str, int]:
        """How many records there are by `kind/status`, in what the scope sees."""
        ...

    async def add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        """Store new records with their evidence and index rows; one document number each (0: not indexed)."""
        ...

    async def change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> Record:
        """The record of the exact scope after a change; the former state is kept as a version.

        Args:
            terms: how the wording stands in the text index; `None` takes it out. Another wording has no vectors yet;
                where the change leaves the words of what is found, it keeps the ones it has.

        Raises:
            NotFound: no such record in the exact scope.
        """
        ...

    async def set_aside(self, ids: Sequence[str], status: Status, *, at: datetime) -> None:
        """Records of the exact scope in a status in which they are not found; the former state is kept as a version."""
        ...

    async def erase(self, id: str) -> None:
        """Remove a record of the exact scope for good: versions, index rows, vectors and evidence with it."""
        ...

    async def touch(self, uses: Mapping[str, int], *, at: datetime) -> None:
        """Count uses by id, wherever the scope sees it."""
        ...

    async def list(self, filter: Filter, *, limit: int, cursor: str | None, beside: Sequence[Record] = ()) -> Page:
        """Newest first by `occurred_at`, then id.

        Args:
            beside: records that the filter does not let through and that are listed in their places, as others are.
        """
        ...
