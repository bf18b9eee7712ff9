"""How memories stand, alike in every store."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final, LiteralString

from remembrancer.storage.columns import columns, names
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.record import Kind
from remembrancer.types.standing import DECAYING, Judged, Standing

_COLUMNS = columns(
    "id kind importance occurred_at:moment recorded_at:moment usage_count last_accessed_at:moment rating boost",
    "pinned:truth relevance decayed_on standing weight",
)
_JUDGED = columns("id rating boost pinned:truth")
_FACTORS: Final[Mapping[LiteralString, LiteralString]] = {
    "importance": "double precision",
    "relevance": "double precision",
    "decayed_on": "text",
    "standing": "double precision",
    "rating": "double precision",
    "boost": "double precision",
    "pinned": "boolean",
}
_ACTIVE: LiteralString = "kind IN ('observation', 'reflection') AND status = 'active' AND details IS NULL"
# What an engine wrote has a document, unless it is an echo: by that the index of kinds finds it.
_DISTILLED: LiteralString = _ACTIVE + " AND document IS NOT NULL AND engine IS NOT NULL"


class SqlStandings:
    """How memories of the exact scope stand."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(self, id: str) -> Standing | None:
        """How a memory of the exact scope stands, or `None`."""
        return next(iter(await self._many("id = :id", id=id)), None)

    async def judged(self, ids: Sequence[str]) -> Mapping[str, Judged]:
        """What people have set for those of these memories that the caller sees, by id; without those with nothing."""
        sql: LiteralString = f"SELECT {names(_JUDGED)} FROM records WHERE id = ANY(:ids) AND " + (
            "{seen} AND (rating IS NOT NULL OR boost <> 0 OR pinned = :pinned)"
        )
        rows = await self._connection.ask(sql, {"ids": list(ids), "pinned": True})
        found = map(self._connection.dialect.reader(_JUDGED), rows)
        return {row[0]: Judged(rating=row[1], boost=row[2], pinned=row[3]) for row in found}

    async def page(self, *, after: tuple[datetime, str] | None, limit: int) -> list[Standing]:
        """Memories whose importance decays, oldest first.

        Args:
            after: when the last one of the page before occurred, and its id; `None` begins.
        """
        which: LiteralString = "kind = ANY(:kinds) AND status = ANY(:statuses)"
        beyond: LiteralString = "" if after is None else " AND (occurred_at, id) > (:at, :after)"
        return await self._many(
            which + beyond + " ORDER BY occurred_at, id LIMIT :limit",
            kinds=[kind.value for kind in DECAYING],
            statuses=[status.value for status in LIVE],
            at=after and after[0],
            after=after and after[1],
            limit=limit,
        )

    async def put(self, standings: Sequence[Standing]) -> None:
        """Store how memories stand from now on; that is no change of their wording."""
        connection = self._connection
        rows = [
            (
                *(one.id, one.importance, one.relevance, one.decayed_on and one.decayed_on.isoformat(), one.standing),
                *(one.rating, one.boost, connection.dialect.kept(one.pinned)),
            )
            for one in standings
        ]
        await connection.in_thread(lambda: connection.raw.set_each("records", _FACTORS, connection.exact, rows))

    async def beyond(self, kind: Kind, *, keep: int) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, beyond the `keep` of the highest standing."""
        found = await self._many(
            f"{_DISTILLED} AND kind = :kind"
            " ORDER BY pinned DESC, COALESCE(standing, 0) DESC, occurred_at DESC, id DESC",
            kind=kind.value,
        )
        return [one.id for one in found[keep:] if not one.pinned]

    async def unread(self, *, before: datetime) -> list[str]:
        """Ids of what engines of ours wrote and nobody has pinned, that nobody has read since a time."""
        found = await self._many(
            f"{_DISTILLED} AND pinned = :pinned AND COALESCE(last_accessed_at, recorded_at) < :before ORDER BY id",
            pinned=False,
            before=before,
        )
        return [one.id for one in found]

    async def faded(self, *, below: float, before: datetime) -> list[str]:
        """Ids of active observations and reflections of little importance, recorded before a time and not pinned."""
        found = await self._many(
            f"{_ACTIVE} AND importance < :below AND recorded_at < :before AND pinned = :pinned ORDER BY id",
            below=below,
            before=before,
            pinned=False,
        )
        return [one.id for one in found]

    async def _many(self, which: LiteralString, **values: object) -> list[Standing]:
        read = self._connection.dialect.reader(_COLUMNS)
        sql: LiteralString = f"SELECT {names(_COLUMNS)} FROM records WHERE " + "{own} AND "
        return [_standing(read(row)) for row in await self._connection.ask(sql + which, values)]


def _standing(row: Sequence[Any]) -> Standing:
    return Standing(
        id=row[0],
        kind=Kind(row[1]),
        importance=row[2],
        occurred_at=row[3],
        recorded_at=row[4],
        uses=row[5],
        accessed=row[6],
        rating=row[7],
        boost=row[8],
        pinned=row[9],
        relevance=row[10],
        decayed_on=None if row[11] is None else date.fromisoformat(row[11]),
        standing=row[12],
        weight=row[13],
    )
