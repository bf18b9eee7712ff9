"""How records read before; alike in every store."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from remembrancer.storage.columns import names
from remembrancer.storage.dialect import Values
from remembrancer.storage.reading import Reading
from remembrancer.storage.values import VERSION_READ, earlier, history, once, undamaged
from remembrancer.types.change import Version
from remembrancer.types.filter import Filter
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Record

_SELECT: LiteralString = f"SELECT {names(VERSION_READ, before='versions.')} FROM versions WHERE "


class SqlVersions(Reading):
    """Every state that a record had."""

    async def at(self, id: str, at: datetime) -> Record | None:
        """The record as it was known at a time, in the status it then had, or `None`."""
        found = await self._many("WHERE records.id = :id AND {plus}{seen}", {"id": id})
        record = next(iter(found), None)
        if record is None or record.updated_at <= at:
            return record
        rows = await self._rows(
            "versions.id = :id AND {versions_seen} AND versions.since <= :at AND :at < versions.until",
            {"id": id, "at": at},
        )
        return next(iter(undamaged(rows, lambda row: earlier(record, row))), None)

    async def of(self, id: str) -> list[Version]:
        """Every version of a record, oldest first, the present one last; none of a record that is not here."""
        found = await self._many("WHERE records.id = :id AND {plus}{seen}", {"id": id})
        rows = await self._rows("versions.id = :id AND {versions_seen} ORDER BY versions.version", {"id": id})
        return [version for record in found for version in history([record], rows, known_to=record.updated_at)]

    async def between(self, *, known_from: datetime, known_to: datetime) -> list[Version]:
        """Every version that stood at some time in a stretch and began or ended in it; oldest first."""
        values: dict[str, object] = {"start": known_from, "end": known_to}
        current = await self._many("WHERE records.updated_at > :start AND {seen} ORDER BY records.updated_at", values)
        rows = await self._rows(
            "{versions_seen} AND versions.until > :start AND versions.since <= :end"
            " AND (versions.since > :start OR versions.until <= :end) ORDER BY versions.since, versions.version",
            values,
        )
        return history(current, rows, known_to=known_to)

    async def past(self, filter: Filter, *, at: datetime) -> list[Record]:
        """Records in a wording that stood at a time and no longer does."""
        rows = await self._rows("{versions_seen} AND versions.since <= :at AND :at < versions.until", {"at": at})
        current = await self._many("WHERE records.id = ANY(:ids) AND {plus}{seen}", {"ids": [row[0] for row in rows]})
        return once(current, rows, filter)

    async def status_before(self, id: str, *, apart_from: Sequence[Status] = ()) -> Status:
        """The last status that a record of the exact scope had before its last change, some of them not counted."""
        rows = await self._connection.ask(
            "SELECT status FROM versions WHERE id = :id AND scope = :scope"
            " AND status <> ALL(:apart::text[]) ORDER BY version DESC LIMIT 1",
            {"id": id, "apart": [status.value for status in apart_from]},
        )
        return Status(rows[0][0]) if rows else Status.ACTIVE

    async def _rows(self, which: LiteralString, values: Values) -> list[list[object]]:
        read = self._connection.dialect.reader(VERSION_READ)
        return undamaged(await self._connection.ask(_SELECT + which, values), read)
