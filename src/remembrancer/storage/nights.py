"""Nightly runs; alike in every store."""

import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, LiteralString

from remembrancer.storage.columns import COLUMNS, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.tables import Table
from remembrancer.storage.values import undamaged
from remembrancer.types.night import Night, Step

_COLUMNS = COLUMNS[Table.NIGHTS][2:]
_SELECT: LiteralString = f"SELECT {names(_COLUMNS)} FROM nights WHERE scope = :scope AND "


class SqlNights:
    """Nightly runs of the exact scope."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection
        self._read = connection.dialect.reader(_COLUMNS)

    async def find(self, day: date) -> Night | None:
        """The run for a day, or `None`."""
        return await self._one("day = :day", day=day.isoformat())

    async def latest(self, *, before: date | None = None) -> Night | None:
        """The run for the latest day, or for the latest before a day; `None` where there is none."""
        return await self._one("day < :day ORDER BY day DESC LIMIT 1", day=(before or date.max).isoformat())

    async def deeds_since(self, at: datetime, *, until: datetime) -> bool:
        """Whether an episode or a signal from before `until` has occurred, come or changed since a time."""
        rows = await self._connection.ask(
            "SELECT 1 FROM records WHERE {own} AND kind IN ('episode', 'signal') AND occurred_at < :until"
            " AND (updated_at >= :since OR occurred_at >= :since) LIMIT 1",
            {"until": until, "since": at},
        )
        return bool(rows)

    async def put(self, night: Night) -> None:
        """Store a run as it now stands."""
        connection = self._connection
        values = {
            "day": night.day.isoformat(),
            "step": night.step or "",
            "counts": json.dumps(
                {"counts": dict(night.counts), "notes": night.notes, "tries": night.tries}, sort_keys=True
            ),
            "started_at": night.started_at,
            "ended_at": night.ended_at,
        }

        def put() -> None:
            connection.writable()
            connection.run(
                """
                INSERT INTO nights (scope, tenant, day, step, counts, started_at, ended_at)
                VALUES (:scope, :tenant, :day, :step, :counts, :started_at, :ended_at)
                ON CONFLICT (scope, day) DO UPDATE SET
                    step = excluded.step, counts = excluded.counts, ended_at = excluded.ended_at
                """,
                values,
            )

        await connection.in_thread(put)

    async def _one(self, which: LiteralString, **values: object) -> Night | None:
        rows = await self._connection.ask(_SELECT + which, values)
        return next(iter(undamaged(rows, lambda row: self._night(self._read(row)))), None)

    def _night(self, row: list[Any]) -> Night:
        day, step, counts, started_at, ended_at = row
        # Both tell of what the night has read, which is all that the scope holds.
        held: Mapping[str, Any] = (
            json.loads(counts) if self._connection.caller.sees_all else {"counts": {}, "notes": ()}
        )
        return Night(
            day=date.fromisoformat(day),
            step=Step(step) if step else None,
            counts=held["counts"],
            notes=tuple(held["notes"]),
            tries=held.get("tries", 1),
            started_at=started_at,
            ended_at=ended_at,
        )
