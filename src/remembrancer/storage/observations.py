"""What was claimed, noted and concluded; alike in every store."""

from collections.abc import Sequence
from datetime import datetime

from remembrancer.storage.messages import lines
from remembrancer.storage.reading import Reading
from remembrancer.types.lifecycle import Status
from remembrancer.types.line import Line
from remembrancer.types.record import Observation
from remembrancer.types.transfer import ENGINE


class SqlObservations(Reading):
    """Observations and reflections of the exact scope."""

    async def by_topic(self, topic_key: str) -> Observation | None:
        """The observation under this key in the exact scope that is not deleted, or `None`."""
        found = await self._claims(
            "WHERE {own} AND records.topic_key = :key AND records.kind = 'observation'"
            " AND records.status <> 'soft-deleted'"
            " ORDER BY records.status IN ('rejected', 'dismissed'), records.status = 'merged',"
            " {plus}records.updated_at DESC, records.id DESC LIMIT 1",
            {"key": topic_key},
        )
        return next(iter(found), None)

    async def under(self, topic_key: str) -> list[Observation]:
        """The observations under this key in what the scope sees that are not deleted, by when they last changed."""
        return await self._claims(
            "WHERE {seen} AND records.topic_key = :key AND records.kind = 'observation'"
            " AND records.status <> 'soft-deleted' ORDER BY {plus}records.updated_at, records.id",
            {"key": topic_key},
        )

    async def by_hash(self, *hashes: str) -> Observation | None:
        """The observation without a key in the exact scope with one of these hashes that is not deleted, or `None`.

        A text that is not in the form in which texts are compared goes by the hash of that form. What was transferred
        from another project is not the scope's own.
        """
        found = await self._claims(
            """WHERE {own} AND COALESCE(records.identity, records.hash) = ANY(:hashes)
                AND records.kind IN ('observation', 'reflection')
                AND records.topic_key IS NULL AND records.type <> 'summary' AND records.status <> 'soft-deleted'
                AND COALESCE(records.engine, '') <> :transferred
                ORDER BY records.status NOT IN ('rejected', 'dismissed'), records.id""",
            {"hashes": list(hashes), "transferred": ENGINE},
        )
        return next(iter(found), None)

    async def of_length(self, least: int, most: int) -> list[Observation]:
        """Observations and reflections of the exact scope, in any status, by the length of their text.

        Args:
            least, most: characters, both inclusive.
        """
        return await self._claims(
            "WHERE {own} AND records.kind IN ('observation', 'reflection')"
            " AND length(records.text) BETWEEN :least AND :most ORDER BY records.id",
            {"least": least, "most": most},
        )

    async def learned(self, statuses: Sequence[Status]) -> list[Observation]:
        """What the detector observed in the exact scope, in these statuses, by when it was recorded."""
        return await self._claims(
            "WHERE {own} AND records.kind = 'observation' AND records.details IS NOT NULL"
            " AND records.status = ANY(:statuses) ORDER BY records.id",
            {"statuses": [status.value for status in statuses]},
        )

    async def noted(self, session: str, first: int, last: int) -> list[Observation]:
        """What an observer drew from messages of a session of the exact scope, in any status, in their order.

        Args:
            first, last: bounds of the first message that an observation was drawn from, inclusive.
        """
        return await self._claims(
            """WHERE {own} AND records.session = :session AND records.first_message BETWEEN :first AND :last
                ORDER BY records.first_message, records.last_message, records.occurred_at, records.id""",
            {"session": session, "first": first, "last": last},
        )

    async def struck(self, session: str | None) -> list[Observation]:
        """What an observer drew from messages of the exact scope and a person has rejected or dismissed.

        Args:
            session: only of this one, where given.
        """
        return await self._claims(
            """WHERE {own} AND records.first_message > 0 AND records.status IN ('rejected', 'dismissed')
                AND (:session::text IS NULL OR records.session = :session)
                ORDER BY records.session, records.first_message, records.id""",
            {"session": session},
        )

    async def in_log(self, session: str | None) -> list[Observation]:
        """The active observations and reflections of the exact scope that have a place, in its order.

        Args:
            session: only of this one, where given.
        """
        return await self._claims(
            """WHERE {own} AND records.place IS NOT NULL AND records.status = 'active'
                AND (:session::text IS NULL OR records.session = :session) ORDER BY records.place""",
            {"session": session},
            plan_anew=True,
        )

    async def log_lines(self, session: str | None) -> list[Line]:
        """As `in_log`, what an agent reads of it."""
        which = "place IS NOT NULL AND (:session::text IS NULL OR session = :session) ORDER BY place"
        return await lines(self._connection, which, {"session": session})

    async def log_mark(self, session: str | None) -> tuple[int, datetime | None]:
        """How many stand in the log, and when one of them last changed: the same as long as the log is."""
        rows = await self._connection.ask(
            """
            SELECT COUNT(*), MAX(updated_at) FROM records
            WHERE {own} AND status = 'active' AND place IS NOT NULL
                AND (:session::text IS NULL OR session = :session)
            """,
            {"session": session},
            plan_anew=True,
        )
        return rows[0][0], self._connection.dialect.moment(rows[0][1])
