"""Whether anything reads differently than before, for who keeps what was made of it."""

from datetime import datetime
from typing import Protocol


class ChangeMarks(Protocol):
    """That memories, sessions or logs have changed."""

    async def mark(self) -> str:
        """What the caller sees, as a mark that every change of it changes; the same for what nobody changed."""
        ...

    async def add(self, *, at: datetime) -> None:
        """Say that something of the exact scope reads differently from now on."""
        ...
