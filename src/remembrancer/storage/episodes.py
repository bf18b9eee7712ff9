"""What was done; alike in every store."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.storage.reading import Reading
from remembrancer.types.episode import Tier
from remembrancer.types.lifecycle import LIVE_IN
from remembrancer.types.record import Episode


class SqlEpisodes(Reading):
    """Episodes."""

    async def contacts(
        self, tier: Tier, *, until: datetime, at_least: int, changed_since: datetime | None = None
    ) -> list[str]:
        """Contacts of the exact scope with so many live episodes of a tier until a time, exclusive; sorted.

        Args:
            changed_since: only those of whose episodes one came or changed since.
        """
        rows = await self._connection.ask(
            """
            SELECT contact FROM records
            WHERE {own} AND tier = :tier AND status = :status AND occurred_at < :until
            GROUP BY contact
            HAVING COUNT(*) >= :least AND (:since::timestamptz IS NULL OR MAX(updated_at) >= :since)
            ORDER BY contact
            """,
            {
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "until": until,
                "least": at_least,
                "since": changed_since,
            },
        )
        return [row[0] for row in rows]

    async def with_contact(
        self, contact: str, tier: Tier, *, until: datetime, after: tuple[datetime, str] | None, limit: int
    ) -> list[Episode]:
        """Live episodes of a tier with a contact of the exact scope until a time, exclusive; oldest first.

        Args:
            after: when the last one of the page before occurred, and its id; `None` begins.
        """
        return await self._of(
            Episode,
            """WHERE {own} AND records.tier = :tier AND records.status = :status
                AND records.contact = :contact AND records.occurred_at < :until
                AND (:at::timestamptz IS NULL OR (records.occurred_at, records.id) > (:at, :after))
                ORDER BY records.occurred_at, records.id LIMIT :limit""",
            {
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "contact": contact,
                "until": until,
                "at": after[0] if after else None,
                "after": after[1] if after else "",
                "limit": limit,
            },
        )

    async def known_contacts(self) -> list[str]:
        """Contacts of the live episodes that the scope sees, sorted; nobody's apart."""
        rows = await self._connection.ask(
            "SELECT DISTINCT records.contact FROM records WHERE records.tier IS NOT NULL"
            " AND records.status IN ('raw', 'active') AND records.contact <> '' AND {seen} ORDER BY 1"
        )
        return [row[0] for row in rows]

    async def latest(self, contacts: Sequence[str] | None, *, limit: int) -> list[Episode]:
        """Live episodes that the scope sees, the latest first.

        Args:
            contacts: whom they concern first, as names are compared; `None` for anybody.
        """
        return await self._of(
            Episode,
            "WHERE records.tier IS NOT NULL AND records.status IN ('raw', 'active')"
            " AND (:everybody OR records.contact = ANY(:contacts)) AND {seen}"
            " ORDER BY records.occurred_at DESC, records.id DESC LIMIT :limit",
            {"everybody": contacts is None, "contacts": list(contacts or ()), "limit": limit},
        )
