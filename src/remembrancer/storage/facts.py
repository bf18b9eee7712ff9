"""What holds, and how to behave: read by key and in full; alike in every store."""

from collections.abc import Sequence
from typing import LiteralString

from remembrancer.storage.reading import Reading
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Fact, Procedure

# The kind is named twice: by the word that the index of these kinds stands for, too.
_IN_STATUS: LiteralString = (
    " AND records.kind IN ('fact', 'procedure', 'signal') AND records.status = ANY(:statuses) AND {seen}"
    " ORDER BY records.occurred_at, records.id"
)


class SqlFacts(Reading):
    """Facts: read by key and in full, never searched."""

    async def by_key(self, key: str) -> list[Fact]:
        """Every fact of the exact scope under a key that is not deleted, by when it was recorded."""
        return await self._of(
            Fact,
            "WHERE {own} AND records.kind = 'fact' AND records.topic_key = :key"
            " AND records.status <> 'soft-deleted' ORDER BY records.id",
            {"key": key},
        )

    async def in_status(self, statuses: Sequence[Status]) -> list[Fact]:
        """All facts that the scope sees in these statuses, oldest first."""
        values = {"statuses": [status.value for status in statuses]}
        return await self._of(Fact, "WHERE records.kind = 'fact'" + _IN_STATUS, values)


class SqlProcedures(Reading):
    """Procedures: read in full, never searched."""

    async def in_status(self, statuses: Sequence[Status]) -> list[Procedure]:
        """All procedures that the scope sees in these statuses, oldest first."""
        values = {"statuses": [status.value for status in statuses]}
        return await self._of(Procedure, "WHERE records.kind = 'procedure'" + _IN_STATUS, values)
