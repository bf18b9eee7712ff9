"""How memories stand, alike in every store."""

# ruff: noqa: S608 -- joined from constants; that they are literals is checked by type (LiteralString)

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, LiteralString

from remembrancer.model.lifecycle import LIVE
from remembrancer.model.record import Kind
from remembrancer.model.standing import DECAYING, Standing
from remembrancer.stores.dialect import Dialect, Shard

_COLUMNS: LiteralString = (
    "id, kind, importance, occurred_at, recorded_at, usage_count, last_accessed_at, rating, boost, pinned, relevance,"
    " decayed_on, standing"
)
_DECAYING: Final[Mapping[LiteralString, LiteralString]] = {
    "importance": "double precision",
    "relevance": "double precision",
    "decayed_on": "text",
    "standing": "double precision",
}
_ACTIVE: LiteralString = "kind IN ('observation', 'reflection') AND status = 'active' AND details IS NULL"
# What an engine wrote has a document, unless it is an echo: by that the index of kinds finds it.
_DISTILLED: LiteralString = _ACTIVE + " AND document IS NOT NULL AND engine IS NOT NULL"


class StoredStandings:
    """See `ports.standings.Standings`."""

    def __init__(self, shard: Shard, dialect: Dialect) -> None:
        self._shard = shard
        self._dialect = dialect

    async def find(self, id: str) -> Standing | None:
        """How a memory of the exact scope stands, or `None`."""
        return next(iter(await self._many(f"id = {self._dialect.mark}", id)), None)

    async def page(self, *, after: tuple[datetime, str] | None, limit: int) -> list[Standing]:
        """The live ones whose importance decays, oldest first."""
        mark, marks = self._dialect.mark, self._dialect.marks
        which = f"kind IN ({marks(len(DECAYING))}) AND status IN ({marks(len(LIVE))})"
        values = [*(kind.value for kind in DECAYING), *(status.value for status in LIVE)]
        if after is None:
            return await self._many(f"{which} ORDER BY occurred_at, id LIMIT {mark}", *values, limit)
        beyond = f"{which} AND (occurred_at, id) > ({mark}, {mark}) ORDER BY occurred_at, id LIMIT {mark}"
        return await self._many(beyond, *values, self._dialect.kept(after[0]), after[1], limit)

    async def decay(self, standings: Sequence[Standing]) -> None:
        """Store what a night has made of importance, relevance and standing; that is no change of their wording."""
        shard = self._shard
        rows = [
            (one.id, one.importance, one.relevance, one.decayed_on and one.decayed_on.isoformat(), one.standing)
            for one in standings
        ]
        await shard.run(lambda: shard.connection.set_each("records", _DECAYING, shard.exact, rows))

    async def put(self, standing: Standing) -> None:
        """Store what people say of a memory: its rating, its boost, and whether it is pinned."""
        shard, mark = self._shard, self._dialect.mark
        sql = (
            f"UPDATE records SET rating = {mark}, boost = {mark}, pinned = {mark} WHERE scope = {mark} AND id = {mark}"
        )
        said = (standing.rating, standing.boost, self._dialect.truth(standing.pinned), shard.exact, standing.id)
        await shard.run(lambda: shard.connection.run(sql, said))

    async def beyond(self, kind: Kind, *, keep: int) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, beyond the `keep` of the highest standing."""
        mark = self._dialect.mark
        which = (
            f"{_DISTILLED} AND kind = {mark}"
            f" ORDER BY pinned DESC, COALESCE(standing, 0) DESC, occurred_at DESC, id DESC"
        )
        found = await self._many(which, kind.value)
        return [one.id for one in found[keep:] if not one.pinned]

    async def unread(self, *, before: datetime) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, that nobody has read since a time."""
        mark = self._dialect.mark
        which = f"{_DISTILLED} AND pinned = {mark} AND COALESCE(last_accessed_at, recorded_at) < {mark} ORDER BY id"
        found = await self._many(which, self._dialect.truth(False), self._dialect.kept(before))
        return [one.id for one in found]

    async def faded(self, *, below: float, before: datetime) -> list[str]:
        """Ids of active observations and reflections of little importance, recorded before a time and not pinned."""
        mark = self._dialect.mark
        which = f"{_ACTIVE} AND importance < {mark} AND recorded_at < {mark} AND pinned = {mark} ORDER BY id"
        found = await self._many(which, below, self._dialect.kept(before), self._dialect.truth(False))
        return [one.id for one in found]

    async def _many(self, which: LiteralString, *values: object) -> list[Standing]:
        shard = self._shard
        sql = f"SELECT {_COLUMNS} FROM records WHERE scope = {self._dialect.mark} AND {which}"
        rows = await shard.run(lambda: shard.connection.rows(sql, (shard.exact, *values)))
        return [self._standing(row) for row in rows]

    def _standing(self, row: Sequence[Any]) -> Standing:
        told = self._dialect.told
        return Standing(
            id=row[0],
            kind=Kind(row[1]),
            importance=row[2],
            occurred_at=told(row[3]),
            recorded_at=told(row[4]),
            uses=row[5],
            accessed=None if row[6] is None else told(row[6]),
            rating=row[7],
            boost=row[8],
            pinned=bool(row[9]),
            relevance=row[10],
            decayed_on=None if row[11] is None else date.fromisoformat(row[11]),
            standing=row[12],
        )
