"""What people have said is wrong; alike in every store."""

from collections.abc import Sequence

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.rejection import Disowned, Rejection, TakenBack


class SqlRejections:
    """Rejections: what is not to be said again. They hold for whoever sees the scope, whatever is closed to whom."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def standing(self, words: Sequence[str]) -> list[Rejection]:
        """Those of these words that stand in any scope that is seen, by their words and memories.

        Args:
            words: fingerprints.
        """
        rows = await self._connection.ask(
            "SELECT words, record FROM rejections WHERE scope = ANY(:visible) AND words = ANY(:words)"
            " ORDER BY words, record",
            {"words": list(words)},
        )
        return [Rejection(words=row[0], record=row[1]) for row in rows]

    async def stand(self) -> bool:
        """Whether any rejections stand in a scope that is seen."""
        return bool(await self._connection.ask("SELECT 1 FROM rejections WHERE scope = ANY(:visible) LIMIT 1"))

    async def mark(self) -> tuple[tuple[str, str], ...]:
        """Words and memory of all rejections that stand in the scopes that are seen: what tells others from these."""
        rows = await self._connection.ask(
            "SELECT words, record FROM rejections WHERE scope = ANY(:visible) ORDER BY words, record"
        )
        return tuple((row[0], row[1]) for row in rows)

    async def naming(self, records: Sequence[str]) -> set[str]:
        """Those of these memories of which something stands rejected in a scope that is seen.

        Args:
            records: ids; of one that was erased its name, as `Rejection` has it.
        """
        if not records:
            return set()
        rows = await self._connection.ask(
            "SELECT DISTINCT record FROM rejections WHERE scope = ANY(:visible) AND record = ANY(:records)",
            {"records": list(records)},
        )
        return {row[0] for row in rows}

    async def of(self, record: str) -> list[Rejection]:
        """What of a memory was rejected in the exact scope."""
        rows = await self._connection.ask(
            "SELECT words, record FROM rejections WHERE scope = :scope AND record = :record ORDER BY words",
            {"record": record},
        )
        return [Rejection(words=row[0], record=row[1]) for row in rows]

    async def add(self, rejection: Rejection) -> None:
        """Let a rejection stand in the exact scope; one that stands already stays."""
        connection = self._connection

        def add() -> None:
            connection.writable()
            connection.run(
                "INSERT INTO rejections (scope, tenant, words, record) VALUES (:scope, :tenant, :words, :record)"
                " ON CONFLICT DO NOTHING",
                {"words": rejection.words, "record": rejection.record},
            )

        await connection.in_thread(add)

    async def take_back(self, taken: TakenBack) -> None:
        """Let rejections of the exact scope stand no longer."""
        values = {"words": list(taken.words), "record": taken.record}

        def take_back() -> None:
            self._connection.run(
                "DELETE FROM rejections WHERE scope = :scope AND words = ANY(:words)"
                " AND record = COALESCE(:record, record)",
                values,
            )
            if taken.record is not None:
                # What others have concluded from one that was erased rests on it no longer.
                self._connection.run(
                    "DELETE FROM evidence WHERE source = :record AND tenant = :tenant"
                    " AND NOT EXISTS (SELECT 1 FROM records WHERE id = :record AND tenant = :tenant)",
                    values,
                )

        await self._connection.in_thread(take_back)

    async def disown(self, disowned: Disowned) -> None:
        """Let the rejections of a memory of the exact scope name it no longer, nor what others concluded from it."""
        values = {"record": disowned.record, "name": disowned.name}

        def disown() -> None:
            self._connection.run(
                "UPDATE rejections SET record = :name WHERE scope = :scope AND record = :record", values
            )
            # Narrower scopes, which nobody sees from here, have concluded from it what is to be told no more.
            self._connection.run(
                "UPDATE evidence SET source = :name WHERE source = :record AND tenant = :tenant AND scope <> :scope"
                " AND EXISTS (SELECT 1 FROM rejections WHERE scope = :scope AND record = :name)",
                values,
            )

        await self._connection.in_thread(disown)
