"""Where memories of every kind are kept."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.model.change import Change, Version
from remembrancer.model.episode import Tier
from remembrancer.model.filter import Filter
from remembrancer.model.lifecycle import Status
from remembrancer.model.line import Line
from remembrancer.model.page import Page
from remembrancer.model.record import Episode, Fact, Kind, Observation, Record
from remembrancer.model.terms import Terms
from remembrancer.ports.wordings import Documents, Headers


class Records(Protocol):
    """Memories that the scope sees; written only to the exact scope."""

    @property
    def retired(self) -> Sequence[int]:
        """The wordings that this transaction has taken out of the indexes so far."""
        ...

    async def add(self, records: Sequence[Record], terms: Sequence[Terms | None]) -> list[int]:
        """Store new records with their evidence and index rows; one document number each (0: not indexed)."""
        ...

    async def find(self, id: str) -> Record | None:
        """The record with its evidence, in any status, or `None`."""
        ...

    async def find_many(self, documents: Sequence[int]) -> dict[int, Record]:
        """The records of these wordings, those that stand."""
        ...

    async def existing(self, ids: Sequence[str]) -> dict[str, str]:
        """Hash by id, for those of the ids that are in the exact scope."""
        ...

    async def by_topic(self, topic_key: str) -> Record | None:
        """The observation under this key in the exact scope that is not deleted, or `None`."""
        ...

    async def by_hash(self, hash: str) -> Record | None:
        """The observation without a key in the exact scope with this hash that is not deleted, or `None`."""
        ...

    async def by_number(self, session: str, first: int, last: int) -> list[Record]:
        """Messages of a session of the exact scope, by their numbers, both inclusive; oldest first."""
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

    async def message_lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[Line]:
        """The active messages of a session of the exact scope within spans of numbers, in order.

        Args:
            spans: first and last number of each, both inclusive, in order and apart.
        """
        ...

    async def noted(self, session: str, first: int, last: int) -> list[Observation]:
        """What an observer drew from messages of a session of the exact scope, in any status, in their order.

        Args:
            first, last: bounds of the first message that an observation was drawn from, inclusive.
        """
        ...

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

    async def latest_episodes(self, contact: str | None, *, limit: int) -> list[Episode]:
        """Live episodes that the scope sees, the latest first.

        Args:
            contact: whom they concern first, as names are compared; `None` for anybody.
        """
        ...

    async def by_rule(self, kind: Kind, statuses: Sequence[Status]) -> list[Record]:
        """All facts, procedures or signals that the scope sees in these statuses, oldest first."""
        ...

    async def by_key(self, key: str) -> list[Fact]:
        """Every fact of the exact scope under a key that is not deleted, by when it was recorded."""
        ...

    async def learned(self, statuses: Sequence[Status]) -> list[Observation]:
        """What the detector observed in the exact scope, in these statuses, by when it was recorded."""
        ...

    async def change(self, id: str, change: Change, *, at: datetime, terms: Terms | None) -> Record:
        """The record of the exact scope after a change; the former state is kept as a version.

        Args:
            terms: how the wording stands in the text index; `None` takes it out. Another wording has no vectors yet;
                where the change leaves the words of what is found, it keeps the ones it has.

        Raises:
            NotFound: no such record in the exact scope.
        """
        ...

    async def find_all(self, ids: Sequence[str]) -> list[Record]:
        """Those of these records that are here, in any status, by their ids."""
        ...

    async def set_aside(self, ids: Sequence[str], status: Status, *, at: datetime) -> None:
        """Records of the exact scope in a status in which they are not found; the former state is kept as a version."""
        ...

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """The last status that a record of the exact scope had before its last change, some of them not counted."""
        ...

    async def erase(self, id: str) -> None:
        """Remove a record of the exact scope for good: versions, index rows, vectors and evidence with it."""
        ...

    async def around(
        self, record: Record, *, before: int, after: int, statuses: Sequence[Status]
    ) -> tuple[list[Record], list[Record]]:
        """What came before and after a record in its session by `occurred_at`, oldest first."""
        ...

    async def documents(self, filter: Filter, *, limit: int = 0) -> Documents:
        """The indexed wordings that a filter lets through; the newest `limit` of them, where it is not 0."""
        ...

    async def headers(self, documents: Sequence[int]) -> Headers:
        """What ranking needs of these wordings; those that no longer stand are left out."""
        ...

    async def beside(self, places: Sequence[tuple[str, int]]) -> Headers:
        """The indexed messages at these (session, number) places."""
        ...

    async def touch(self, uses: Mapping[str, int], *, at: datetime) -> None:
        """Count uses by id, wherever the scope sees it."""
        ...

    async def version_at(self, id: str, at: datetime) -> Record | None:
        """The record as it was known at a time, in the status it then had, or `None`."""
        ...

    async def versions(self, *, known_from: datetime, known_to: datetime) -> list[Version]:
        """Every version that stood at some time in a stretch and began or ended in it; oldest first."""
        ...

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Records in a wording that stood at a time and no longer does."""
        ...

    async def dependants(self, id: str) -> list[str]:
        """Ids of the records whose evidence includes this one."""
        ...

    async def counts(self) -> dict[str, int]:
        """How many records there are by `kind/status`, in what the scope sees."""
        ...

    async def list(self, filter: Filter, *, limit: int, cursor: str | None) -> Page:
        """Newest first by `occurred_at`, then id."""
        ...
