"""Where idempotency keys are kept."""

from datetime import datetime
from typing import Protocol

from remembrancer.types.saved import Remembered


class Keys(Protocol):
    """Idempotency keys of the exact scope."""

    async def find(self, key: str) -> Remembered | None:
        """What a key stands for, or `None`."""
        ...

    async def add(self, remembered: Remembered, *, at: datetime) -> None:
        """Remember what a key stood for."""
        ...
