"""How many rows of each table we have written and not removed, so that those which somebody else removed are missed.

Triggers count, of our own connections alone. What is derived (wordings, postings, vectors) is held against the texts
instead, and the audit log against its chain.
"""

from typing import LiteralString

from remembrancer.storage.scoped_connection import ScopedConnection
from remembrancer.types.fault import Fault, Finding

TALLIED: tuple[LiteralString, ...] = (
    "sessions", "records", "versions", "evidence", "keys", "chunks", "logs", "injections", "nights", "verdicts",
    "rejections", "weights", "calls", "blocks", "readings", "tombstones", "policies",
)  # fmt: skip
"""The tables whose rows are counted, by scope."""


def faults(connection: ScopedConnection) -> list[Finding]:
    """Where the exact scope has fewer rows than were written, or more. Blocking."""
    told = {row[0]: row[1] for row in connection.rows("SELECT name, count FROM tallies WHERE scope = :scope")}
    there = {name: _there(connection, name) for name in TALLIED}
    lost = {name: told[name] - there[name] for name in TALLIED if told.get(name, 0) > there[name]}
    foreign = {name: there[name] - told.get(name, 0) for name in TALLIED if there[name] > told.get(name, 0)}
    return [
        Finding(fault=fault, where=tuple(f"{name} {count}" for name, count in counts.items()))
        for fault, counts in ((Fault.LOST_ROWS, lost), (Fault.FOREIGN_ROWS, foreign))
        if counts
    ]


def count_anew(connection: ScopedConnection) -> None:
    """Take the rows of the exact scope that are there as those that were written. Blocking."""
    connection.run("DELETE FROM tallies WHERE scope = :scope")
    connection.run_many(
        "INSERT INTO tallies (scope, tenant, name, count) VALUES (:scope, :tenant, :name, :count)",
        [{"name": name, "count": count} for name in TALLIED if (count := _there(connection, name))],
    )


def _there(connection: ScopedConnection, name: LiteralString) -> int:
    return connection.value("SELECT COUNT(*) FROM " + name + " WHERE scope = :scope")
