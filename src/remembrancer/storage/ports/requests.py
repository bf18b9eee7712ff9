"""Where requests are kept that are done once."""

from typing import Protocol

from remembrancer.types.requested import Requested


class Requests(Protocol):
    """Requests to the exact scope that came with an idempotency key, for a day."""

    async def find(self, key: str) -> Requested | None:
        """The request of an idempotency key, or `None`."""
        ...

    async def put(self, requested: Requested) -> None:
        """Store a request, or how it was answered; those of more than a day ago are forgotten."""
        ...
