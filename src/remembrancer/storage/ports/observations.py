"""What was claimed, noted and concluded."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.lifecycle import Status
from remembrancer.types.line import Line
from remembrancer.types.record import Observation


class Observations(Protocol):
    """Observations and reflections of the exact scope."""

    async def by_topic(self, topic_key: str) -> Observation | None:
        """The observation under this key in the exact scope that is not deleted, or `None`."""
        ...

    async def under(self, topic_key: str) -> list[Observation]:
        """The observations under this key in what the scope sees that are not deleted, by when they last changed."""
        ...

    async def by_hash(self, *hashes: str) -> Observation | None:
        """The observation without a key in the exact scope with one of these hashes that is not deleted, or `None`.

        A text that is not in the form in which texts are compared goes by the hash of that form. What was transferred
        from another project is not the scope's own.
        """
        ...

    async def of_length(self, least: int, most: int) -> list[Observation]:
        """Observations and reflections of the exact scope, in any status, by the length of their text.

        Args:
            least, most: characters, both inclusive.
        """
        ...

    async def learned(self, statuses: Sequence[Status]) -> list[Observation]:
        """What the detector observed in the exact scope, in these statuses, by when it was recorded."""
        ...

    async def noted(self, session: str, first: int, last: int) -> list[Observation]:
        """What an observer drew from messages of a session of the exact scope, in any status, in their order.

        Args:
            first, last: bounds of the first message that an observation was drawn from, inclusive.
        """
        ...

    async def struck(self, session: str | None) -> list[Observation]:
        """What an observer drew from messages of the exact scope and a person has rejected or dismissed.

        Args:
            session: only of this one, where given.
        """
        ...

    async def in_log(self, session: str | None) -> list[Observation]:
        """The active observations and reflections of the exact scope that have a place, in its order.

        Args:
            session: only of this one, where given.
        """
        ...

    async def log_lines(self, session: str | None) -> list[Line]:
        """As `in_log`, what an agent reads of it."""
        ...

    async def log_mark(self, session: str | None) -> tuple[int, datetime | None]:
        """How many stand in the log, and when one of them last changed: the same as long as the log is."""
        ...
