"""What tells the time and makes ids."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """What tells the engine the time, as an aware datetime in UTC."""

    def now(self) -> datetime:
        """The time now, by which the engine goes; aware, UTC."""
        ...


class Ids(Protocol):
    """Fresh ids."""

    def new(self) -> str:
        """An id that no other call returns; later ones sort after earlier ones."""
        ...
