"""What was done."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.episode import Tier
from remembrancer.types.record import Episode


class Episodes(Protocol):
    """Episodes."""

    async def contacts(
        self, tier: Tier, *, until: datetime, at_least: int, changed_since: datetime | None = None
    ) -> list[str]:
        """Contacts of the exact scope with so many live episodes of a tier until a time, exclusive; sorted.

        Args:
            changed_since: only those of whose episodes one came or changed since.
        """
        ...

    async def with_contact(
        self, contact: str, tier: Tier, *, until: datetime, after: tuple[datetime, str] | None, limit: int
    ) -> list[Episode]:
        """Live episodes of a tier with a contact of the exact scope until a time, exclusive; oldest first.

        Args:
            after: when the last one of the page before occurred, and its id; `None` begins.
        """
        ...

    async def known_contacts(self) -> list[str]:
        """Contacts of the live episodes that the scope sees, sorted; nobody's apart."""
        ...

    async def latest(self, contacts: Sequence[str] | None, *, limit: int) -> list[Episode]:
        """Live episodes that the scope sees, the latest first.

        Args:
            contacts: whom they concern first, as names are compared; `None` for anybody.
        """
        ...
