"""What was said, by its numbers; alike in every store."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from remembrancer.storage.dialect import Values
from remembrancer.storage.reading import Reading
from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.storage.values import line_of, undamaged
from remembrancer.types.line import Line
from remembrancer.types.personal import PERSONAL
from remembrancer.types.record import Message

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
# Most hold none, and need no look at what else is said of them.
_PERSONAL: Final = f'%{PERSONAL}":%'


async def lines(connection: ScopedConnection, which: LiteralString, values: Values) -> list[Line]:
    """What an agent reads of the active records of a condition, in the order that it names."""
    rows: list[Any] = await connection.ask(f"{_LINE} {which}", {**values, "personal": _PERSONAL}, plan_anew=True)
    moment = connection.dialect.moment
    return undamaged(rows, lambda row: line_of([*row[:_OCCURRED], moment(row[_OCCURRED]), *row[_OCCURRED + 1 :]]))


class SqlMessages(Reading):
    """Messages of the exact scope."""

    async def by_number(self, session: str, first: int, last: int) -> list[Message]:
        """Messages of a session of the exact scope, by their numbers, both inclusive; oldest first."""
        return await self._of(
            Message,
            "WHERE {own} AND records.session = :session AND records.number BETWEEN :first AND :last"
            " ORDER BY records.number",
            {"session": session, "first": first, "last": last},
        )

    async def lines(self, session: str, spans: Sequence[tuple[int, int]]) -> list[Line]:
        """The active messages of a session of the exact scope within spans of numbers, in order.

        Args:
            spans: first and last number of each, both inclusive, in order and apart.
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
