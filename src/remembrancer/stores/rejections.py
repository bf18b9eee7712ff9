"""What people have said is wrong; alike in every store."""

from collections.abc import Sequence

from remembrancer.model.rejection import Disowned, Rejection, TakenBack
from remembrancer.stores.shard import Shard


class StoredRejections:
    """See `ports.rejections.Rejections`."""

    def __init__(self, shard: Shard) -> None:
        self._shard = shard

    async def standing(self, words: Sequence[str]) -> list[Rejection]:
        """Those of these words that stand in any scope that is seen, by their words and memories."""
        rows = await self._shard.ask(
            "SELECT words, record FROM rejections WHERE scope = ANY(:visible) AND words = ANY(:words)"
            " ORDER BY words, record",
            {"words": list(words)},
        )
        return [Rejection(words=row[0], record=row[1]) for row in rows]

    async def mark(self) -> tuple[int, str]:
        """How many stand in the scopes that are seen, and what tells others from these."""
        rows = await self._shard.ask(
            "SELECT COUNT(*), COALESCE(MIN(words), '') || COALESCE(MAX(words), '') FROM rejections"
            " WHERE scope = ANY(:visible)"
        )
        return rows[0][0], rows[0][1]

    async def of(self, record: str) -> list[Rejection]:
        """What of a memory was rejected in the exact scope."""
        rows = await self._shard.ask(
            "SELECT words, record FROM rejections WHERE scope = :scope AND record = :record ORDER BY words",
            {"record": record},
        )
        return [Rejection(words=row[0], record=row[1]) for row in rows]

    async def add(self, rejection: Rejection) -> None:
        """Let a rejection stand in the exact scope; one that stands already stays."""
        shard = self._shard

        def add() -> None:
            shard.writable()
            shard.run(
                "INSERT INTO rejections (scope, tenant, words, record) VALUES (:scope, :tenant, :words, :record)"
                " ON CONFLICT DO NOTHING",
                {"words": rejection.words, "record": rejection.record},
            )

        await shard.in_thread(add)

    async def take_back(self, taken: TakenBack) -> None:
        """Let rejections of the exact scope stand no longer."""
        values = {"words": list(taken.words)}
        await self._shard.in_thread(
            lambda: self._shard.run("DELETE FROM rejections WHERE scope = :scope AND words = ANY(:words)", values)
        )

    async def disown(self, disowned: Disowned) -> None:
        """Let the rejections of a memory of the exact scope name it no longer."""
        values = {"record": disowned.record, "name": disowned.name}
        await self._shard.in_thread(
            lambda: self._shard.run(
                "UPDATE rejections SET record = :name WHERE scope = :scope AND record = :record", values
            )
        )
