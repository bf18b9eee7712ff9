"""Records of one kind: messages, observations, episodes, facts and procedures."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, LiteralString

from remembrancer.storage.dialect import Values
from remembrancer.storage.record_rows import RecordReader, line_of
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.values import undamaged
from remembrancer.types.episode import Tier
from remembrancer.types.lifecycle import LIVE_IN, Status
from remembrancer.types.policy import ENGINE, PERSONAL
from remembrancer.types.record import Episode, Fact, Message, Observation, Rule
from remembrancer.types.results import ContextLine

_LINE: LiteralString = """
    SELECT
        id, kind, COALESCE(session, ''), text, occurred_at, COALESCE(number, first_message, 0),
        COALESCE(number, last_message, 0), COALESCE(role, ''), COALESCE(speaker, ''), COALESCE(priority, 0),
        COALESCE(refers_to, ''), COALESCE(place, 0), trust,
        CASE WHEN metadata::text LIKE :personal THEN metadata::text END
    FROM records
    WHERE {own} AND status = 'active' AND
"""
_OCCURRED: Final = 4
# Most have none, and their metadata need not be read.
_PERSONAL: Final = f'%{PERSONAL}":%'


async def lines(connection: ScopedConnection, which: LiteralString, values: Values) -> list[ContextLine]:
    """Return the lines of active records of a condition, in the order that it names."""
    rows: list[Any] = await connection.ask(f"{_LINE} {which}", {**values, "personal": _PERSONAL}, replan=True)
    moment = connection.dialect.moment
    return undamaged(rows, lambda row: line_of([*row[:_OCCURRED], moment(row[_OCCURRED]), *row[_OCCURRED + 1 :]]))


class SqlMessages(RecordReader):
    """Messages of the exact scope."""

    async def by_number(self, session: str, first: int, last: int) -> list[Message]:
        """Return messages of a session of the exact scope by number, both bounds included, oldest first."""
        return await self._of(
            Message,
            "WHERE {own} AND records.session = :session AND records.number BETWEEN :first AND :last"
            " ORDER BY records.number",
            {"session": session, "first": first, "last": last},
        )

    async def lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[ContextLine]:
        """Return the lines of active messages of a session within spans of numbers, in order.

        Args:
            spans: first and last number of each, both inclusive, in order and disjoint.
        """
        return [
            line
            for first, last in spans
            for line in await lines(
                self._connection,
                "session = :session AND number BETWEEN :first AND :last ORDER BY number",
                {"session": session, "first": first, "last": last},
            )
        ]


_OF_HASHES: LiteralString = """
    WHERE {own} AND COALESCE(records.identity, records.hash) = ANY(:hashes)
        AND records.kind IN ('observation', 'reflection')
        AND records.topic_key IS NULL AND records.type <> 'summary' AND records.status <> 'soft-deleted'
        AND COALESCE(records.engine, '') <> :transferred
"""


class SqlObservations(RecordReader):
    """Observations and reflections of the exact scope."""

    async def by_topic(self, topic_key: str) -> Observation | None:
        """Return the observation of the exact scope under a topic key that is not deleted, or `None`."""
        found = await self._claims(
            "WHERE {own} AND records.topic_key = :key AND records.kind = 'observation'"
            " AND records.status <> 'soft-deleted'"
            " ORDER BY records.status IN ('rejected', 'dismissed'), records.status = 'merged',"
            " {plus}records.updated_at DESC, records.id DESC LIMIT 1",
            {"key": topic_key},
        )
        return next(iter(found), None)

    async def visible_by_topic(self, topic_key: str) -> list[Observation]:
        """Return visible observations under a topic key that are not deleted, by their last change."""
        return await self._claims(
            "WHERE {seen} AND records.topic_key = :key AND records.kind = 'observation'"
            " AND records.status <> 'soft-deleted' ORDER BY {plus}records.updated_at, records.id",
            {"key": topic_key},
        )

    async def by_hash(self, *hashes: str) -> Observation | None:
        """Return the undeleted observation without a topic key and with one of these hashes, or `None`.

        A text that is not in the form in which texts are compared has the hash of that form. Records that were
        transferred
        from another project do not count.
        """
        found = await self._claims(
            _OF_HASHES + " ORDER BY records.status NOT IN ('rejected', 'dismissed'), records.id",
            {"hashes": list(hashes), "transferred": ENGINE},
        )
        return next(iter(found), None)

    async def known_hashes(self, hashes: Sequence[str]) -> set[str]:
        """Return those of some hashes by which `by_hash` finds an observation."""
        statement: LiteralString = "SELECT COALESCE(records.identity, records.hash) FROM records " + _OF_HASHES
        rows = await self._connection.ask(statement, {"hashes": list(hashes), "transferred": ENGINE})
        return {row[0] for row in rows}

    async def by_length(self, least: int, most: int) -> list[Observation]:
        """Return claims of the exact scope, in any status, by the length of their text.

        Args:
            least, most: characters, both inclusive.
        """
        return await self._claims(
            "WHERE {own} AND records.kind IN ('observation', 'reflection')"
            " AND length(records.text) BETWEEN :least AND :most ORDER BY records.id",
            {"least": least, "most": most},
        )

    async def patterns(self, statuses: Sequence[Status]) -> list[Observation]:
        """Return patterns that the detector found in the exact scope, in these statuses, by when they were recorded."""
        return await self._claims(
            "WHERE {own} AND records.kind = 'observation' AND records.details IS NOT NULL"
            " AND records.status = ANY(:statuses) ORDER BY records.id",
            {"statuses": [status.value for status in statuses]},
        )

    async def notes(self, session: str, first: int, last: int) -> list[Observation]:
        """Return notes of an observer on messages of a session, in any status, in their order.

        Args:
            first, last: bounds of the first source message of a note, inclusive.
        """
        return await self._claims(
            """WHERE {own} AND records.session = :session AND records.first_message BETWEEN :first AND :last
                ORDER BY records.first_message, records.last_message, records.occurred_at, records.id""",
            {"session": session, "first": first, "last": last},
        )

    async def rejected_notes(self, session: str | None) -> list[Observation]:
        """Return notes of an observer that a person has rejected or dismissed.

        Args:
            session: all by default.
        """
        return await self._claims(
            """WHERE {own} AND records.first_message > 0 AND records.status IN ('rejected', 'dismissed')
                AND (:session::text IS NULL OR records.session = :session)
                ORDER BY records.session, records.first_message, records.id""",
            {"session": session},
        )

    async def in_log(self, session: str | None) -> list[Observation]:
        """Return active claims of the exact scope that have a place in the log, in its order.

        Args:
            session: all by default.
        """
        return await self._claims(
            """WHERE {own} AND records.place IS NOT NULL AND records.status = 'active'
                AND (:session::text IS NULL OR records.session = :session) ORDER BY records.place""",
            {"session": session},
            replan=True,
        )

    async def log_lines(self, session: str | None) -> list[ContextLine]:
        """Return the lines of `in_log`."""
        which = "place IS NOT NULL AND (:session::text IS NULL OR session = :session) ORDER BY place"
        return await lines(self._connection, which, {"session": session})

    async def log_mark(self, session: str | None) -> tuple[int, datetime | None]:
        """Return the number of entries of the log and their last change, to compare with later ones."""
        rows = await self._connection.ask(
            """
            SELECT COUNT(*), MAX(updated_at) FROM records
            WHERE {own} AND status = 'active' AND place IS NOT NULL
                AND (:session::text IS NULL OR session = :session)
            """,
            {"session": session},
            replan=True,
        )
        return rows[0][0], self._connection.dialect.moment(rows[0][1])


class SqlEpisodes(RecordReader):
    """Episodes: read by contact and tier."""

    async def contacts(
        self, tier: Tier, *, until: datetime, at_least: int, changed_since: datetime | None = None
    ) -> list[str]:
        """Return contacts of the exact scope with enough live episodes of a tier before a time, sorted.

        Args:
            changed_since: only contacts with an episode that was added or changed since.
        """
        rows = await self._connection.ask(
            """
            SELECT contact FROM records
            WHERE {own} AND tier = :tier AND status = :status AND occurred_at < :until
            GROUP BY contact
            HAVING COUNT(*) >= :least AND (:since::timestamptz IS NULL OR MAX(updated_at) >= :since)
            ORDER BY contact
            """,
            {
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "until": until,
                "least": at_least,
                "since": changed_since,
            },
        )
        return [row[0] for row in rows]

    async def with_contact(
        self, contact: str, tier: Tier, *, until: datetime, after: tuple[datetime, str] | None, limit: int
    ) -> list[Episode]:
        """Return live episodes of a tier with a contact before a time, oldest first.

        Args:
            after: time and id of the last one of the previous page; `None` for the first page.
        """
        return await self._of(
            Episode,
            """WHERE {own} AND records.tier = :tier AND records.status = :status
                AND records.contact = :contact AND records.occurred_at < :until
                AND (:at::timestamptz IS NULL OR (records.occurred_at, records.id) > (:at, :after))
                ORDER BY records.occurred_at, records.id LIMIT :limit""",
            {
                "tier": tier.value,
                "status": LIVE_IN[tier].value,
                "contact": contact,
                "until": until,
                "at": after[0] if after else None,
                "after": after[1] if after else "",
                "limit": limit,
            },
        )

    async def known_contacts(self) -> list[str]:
        """Return the contacts of visible live episodes, sorted, without the blank one."""
        rows = await self._connection.ask(
            "SELECT DISTINCT records.contact FROM records WHERE records.tier IS NOT NULL"
            " AND records.status IN ('raw', 'active') AND records.contact <> '' AND {seen} ORDER BY 1"
        )
        return [row[0] for row in rows]

    async def latest(self, contacts: Sequence[str] | None, *, limit: int) -> list[Episode]:
        """Return visible live episodes, the latest first.

        Args:
            contacts: in the form in which names are compared; all by default.
        """
        return await self._of(
            Episode,
            "WHERE records.tier IS NOT NULL AND records.status IN ('raw', 'active')"
            " AND (:everybody OR records.contact = ANY(:contacts)) AND {seen}"
            " ORDER BY records.occurred_at DESC, records.id DESC LIMIT :limit",
            {"everybody": contacts is None, "contacts": list(contacts or ()), "limit": limit},
        )


# The kind is named twice, the second time so that the index of these kinds is used.
_IN_STATUS: LiteralString = (
    " AND records.kind IN ('fact', 'procedure', 'signal') AND records.status = ANY(:statuses) AND {seen}"
    " ORDER BY records.occurred_at, records.id"
)


class SqlFacts(RecordReader):
    """Facts: read by key and in full, never searched."""

    async def by_key(self, key: str) -> list[Fact]:
        """Return every undeleted fact of the exact scope under a key, by when it was recorded."""
        return await self._of(
            Fact,
            "WHERE {own} AND records.kind = 'fact' AND records.topic_key = :key"
            " AND records.status <> 'soft-deleted' ORDER BY records.id",
            {"key": key},
        )

    async def in_status(self, statuses: Sequence[Status]) -> list[Fact]:
        """Return all visible facts in these statuses, oldest first."""
        values = {"statuses": [status.value for status in statuses]}
        return await self._of(Fact, "WHERE records.kind = 'fact'" + _IN_STATUS, values)


class SqlProcedures(RecordReader):
    """Procedures: read in full, never searched."""

    async def in_status(self, statuses: Sequence[Status]) -> list[Rule]:
        """Return all visible procedures in these statuses, oldest first."""
        values = {"statuses": [status.value for status in statuses]}
        return await self._of(Rule, "WHERE records.kind = 'procedure'" + _IN_STATUS, values)
