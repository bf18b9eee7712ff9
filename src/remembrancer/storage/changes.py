"""How often the exact scope has changed, among the tallies; alike in every store."""

from datetime import datetime

from remembrancer.storage.moments import to_micros
from remembrancer.storage.scoped_connection import ScopedConnection


class SqlChanges:
    """That memories, sessions or logs have changed."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def mark(self) -> str:
        """What the caller sees, as a mark that every change of it changes; the same for what nobody changed."""
        rows = await self._connection.ask(
            "SELECT scope, count FROM tallies WHERE scope = ANY(:visible) AND name = 'changes' ORDER BY scope"
        )
        return " ".join(f"{scope}:{count}" for scope, count in rows)

    async def add(self, *, at: datetime) -> None:
        """Say that something of the exact scope reads differently from now on."""

        def add() -> None:
            self._connection.writable()
            # It begins with a time, so that no count comes twice when the tallies are made anew.
            self._connection.run(
                "INSERT INTO tallies (scope, tenant, name, count) VALUES (:scope, :tenant, 'changes', :first)"
                " ON CONFLICT (scope, name) DO UPDATE SET count = tallies.count + 1",
                {"first": to_micros(at)},
            )

        await self._connection.in_thread(add)
