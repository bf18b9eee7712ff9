"""Memories by time: around a memory, between two times, changes, and versions."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from remembrancer.resources.resource import Resource
from remembrancer.resources.retrieval import Retrieval
from remembrancer.search import timeline
from remembrancer.search.query import MAX_LIMIT
from remembrancer.search.timeline import ChangedRecord, TimelineDiff, TimelineWindow
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.arguments import within
from remembrancer.types.results import Page, Version, without_hash
from remembrancer.types.times import optional_utc, utc


class Timeline(Resource, path="timeline"):
    """The timeline of one scope. Reached as `memory.timeline`."""

    async def around(
        self,
        id: str,
        *,
        before: int = timeline.DEFAULT_NEIGHBOURS,
        after: int = timeline.DEFAULT_NEIGHBOURS,
        as_of: datetime | None = None,
    ) -> TimelineWindow:
        """Return the records before and after a memory in its session.

        Args:
            before, after: the maximum number of records, 0 to 1,000.

        Raises:
            NotFound: there is no such memory in this scope at that time.
        """
        within(before, 0, MAX_LIMIT, what="before")
        within(after, 0, MAX_LIMIT, what="after")
        when = optional_utc(as_of, what="as_of")
        window = await self._reader.read(lambda tx: timeline.around(tx, id, before=before, after=after, as_of=when))
        return TimelineWindow(
            before=tuple(map(without_hash, window.before)),
            record=without_hash(window.record),
            after=tuple(map(without_hash, window.after)),
        )

    async def between(
        self,
        since: datetime | None = None,
        until: datetime | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
        as_of: datetime | None = None,
        all_scopes: bool = False,
    ) -> Page:
        """Return the memories between two times, newest first.

        Args:
            limit: 1 to 1,000.
            all_scopes: with the scopes under this one.

        Raises:
            NotAllowed: `all_scopes` is set, and the caller does not operate the whole tenant.
        """
        within(limit, 1, MAX_LIMIT, what="limit")
        first = optional_utc(since, what="since")
        last = optional_utc(until, what="until")
        when = optional_utc(as_of, what="as_of")
        page = await self._across(all_scopes).read(
            lambda tx: timeline.between(tx, first, last, limit=limit, cursor=cursor, as_of=when)
        )
        return replace(page, records=tuple(map(without_hash, page.records)))

    async def diff(
        self, earlier: datetime, later: datetime, *, limit: int | None = None, all_scopes: bool = False
    ) -> TimelineDiff:
        """Return the memories that were added, changed and retired between two times.

        Args:
            limit: compare only so many of the latest changes, 1 to 1,000; by default all.
            all_scopes: with the scopes under this one.

        Raises:
            InvalidInput: the second time is before the first.
            NotAllowed: `all_scopes` is set, and the caller does not operate the whole tenant.
        """
        first, second = utc(earlier, what="earlier"), utc(later, what="later")
        if limit is not None:
            within(limit, 1, MAX_LIMIT, what="limit")
        changes = await self._across(all_scopes).read(lambda tx: timeline.diff(tx, first, second, limit=limit))
        return TimelineDiff(
            learnt=tuple(map(without_hash, changes.learnt)),
            changed=tuple(
                ChangedRecord(before=without_hash(one.before), after=without_hash(one.after)) for one in changes.changed
            ),
            retired=tuple(map(without_hash, changes.retired)),
        )

    async def history(self, id: str | None = None, *, topic_key: str | None = None) -> Sequence[Version]:
        """Return all versions of a memory, oldest first.

        Raises:
            NotFound: there is no such memory in this scope.
        """
        record_id = await Retrieval(self._engine, self._caller).resolve_id(id, topic_key)
        return await self._reader.read(lambda tx: timeline.history(tx, record_id))

    def _across(self, all_scopes: bool) -> UnitOfWork:
        """Return the unit of work of this scope, or of it and all scopes under it."""
        return self._unit.of(self._caller.across_scopes()) if all_scopes else self._reader
