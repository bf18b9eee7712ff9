"""What a store can tell of its own faults."""

from datetime import datetime
from typing import Protocol

from remembrancer.types.fault import Finding
from remembrancer.types.record import Record
from remembrancer.types.terms import Terms


class Upkeep(Protocol):
    """Looking for faults in the exact scope, and mending them."""

    async def faults(self) -> list[Finding]:
        """What is wrong in the exact scope, hashes and terms apart."""
        ...

    async def ahead(self, of: datetime) -> list[Finding]:
        """Nights, records and sessions of the exact scope that a clock which ran ahead has written."""
        ...

    async def indexed(self, *, after: str, limit: int) -> list[tuple[Record, Terms | None]]:
        """Records by id, each with what the text index holds for it."""
        ...

    async def posting_counts(self) -> dict[str, int]:
        """In how many wordings of the exact scope each term stands, as the postings have it."""
        ...

    async def index(self, id: str, terms: Terms | None, *, fresh: bool = False) -> None:
        """Put a record into the text index anew, or take it out.

        Args:
            fresh: under a new number, which has no vectors yet.
        """
        ...

    async def drop_index(self) -> None:
        """Empty the text index of the exact scope."""
        ...

    async def mend(self, finding: Finding) -> None:
        """Mend a fault of the store that is one of `MENDABLE`; another one stays."""
        ...
