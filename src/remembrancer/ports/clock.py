"""What tells the time and makes ids."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time, as an aware datetime in UTC."""

    def now(self) -> datetime:
        """The time now; aware, UTC."""
        ...


class Ids(Protocol):
    """Fresh ids."""

    def new(self) -> str:
        """An id that no other call returns; later ones sort after earlier ones."""
        ...
