"""Imported conversations, and tombstones of their erased messages."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import LiteralString

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.archive import ImportState, Tombstone


class SqlImports:
    """Conversations that were imported into the exact scope, and tombstones of their erased messages."""

    def __init__(self, connection: ScopedConnection) -> None:
        self._connection = connection

    async def find(
        self,
        *,
        sources: Sequence[str] = (),
        digests: Sequence[str] = (),
        first_messages: Sequence[str] = (),
        sessions: Sequence[str] = (),
    ) -> list[ImportState]:
        """Return every import with one of these sources, digests, first messages or sessions, by session and source."""
        found = {
            *await self._where("source = ANY(:those)", sources),
            *await self._where("digest = ANY(:those)", digests),
            *await self._where("first_message = ANY(:those)", first_messages),
            *await self._where("session = ANY(:those)", sessions),
        }
        return sorted(found, key=lambda one: (one.session, one.source))

    async def put(self, state: ImportState) -> None:
        """Store an import, new or in place of the old one.

        Its new messages count as from other files for the other imports of its session.
        """
        connection, values = self._connection, asdict(state)

        def put() -> None:
            connection.writable()
            connection.run(
                """
                INSERT INTO imports
                    (scope, tenant, source, session, first_message, digest, messages, missing, from_others, skipped)
                VALUES
                    (:scope, :tenant, :source, :session, :first_message, :digest, :messages, :missing, :from_others,
                        :skipped)
                ON CONFLICT (scope, session, source) DO UPDATE SET
                    first_message = excluded.first_message, digest = excluded.digest, messages = excluded.messages,
                    missing = excluded.missing, from_others = excluded.from_others, skipped = excluded.skipped
                """,
                values,
            )
            connection.run(
                """
                UPDATE imports SET from_others = from_others + :messages - messages, messages = :messages
                WHERE scope = :scope AND session = :session AND source <> :source
                """,
                values,
            )

        await connection.in_thread(put)

    async def tombstones(self, marks: Sequence[str]) -> set[str]:
        """Return the fingerprints that have a tombstone in a visible scope."""
        rows = await self._connection.ask(
            "SELECT mark FROM tombstones WHERE scope = ANY(:visible) AND mark = ANY(:marks)", {"marks": list(marks)}
        )
        return {row[0] for row in rows}

    async def add_tombstone(self, tombstone: Tombstone) -> None:
        """Store the tombstone of an erased message."""
        await self._connection.write(
            """
                INSERT INTO tombstones (scope, tenant, mark) VALUES (:scope, :tenant, :mark)
                ON CONFLICT (scope, mark) DO NOTHING
                """,
            {"mark": tombstone.mark},
        )

    async def _where(self, condition: LiteralString, those: Sequence[str]) -> list[ImportState]:
        named = [one for one in those if one]
        if not named:
            return []
        rows = await self._connection.ask(
            "SELECT source, session, first_message, digest, messages, missing, from_others, skipped FROM imports"
            " WHERE scope = :scope AND " + condition,
            {"those": named},
        )
        names = ("source", "session", "first_message", "digest", "messages", "missing", "from_others", "skipped")
        return [ImportState(**dict(zip(names, row, strict=True))) for row in rows]
