"""Counting what a connection writes and removes; see `stores.tallies`.

The triggers are the connection's own: those of the file would count what somebody removes by hand as removed by us.
"""

from typing import LiteralString

from remembrancer.storage.sqlite.connection import Connection
from remembrancer.storage.tallies import TALLIED


def count_rows(connection: Connection) -> None:
    """Have a connection count the rows that it adds and removes, from now on."""
    for name in TALLIED:
        connection.run(_added(name))
        connection.run(_removed(name))


def _added(name: LiteralString) -> LiteralString:
    return f"""
        CREATE TEMP TRIGGER IF NOT EXISTS {name}_added AFTER INSERT ON main.{name} BEGIN
            INSERT INTO tallies (scope, tenant, name, count) VALUES (NEW.scope, NEW.tenant, '{name}', 1)
            ON CONFLICT (scope, name) DO UPDATE SET count = count + 1;
        END
    """


def _removed(name: LiteralString) -> LiteralString:
    return f"""
        CREATE TEMP TRIGGER IF NOT EXISTS {name}_removed AFTER DELETE ON main.{name} BEGIN
            UPDATE tallies SET count = count - 1 WHERE scope = OLD.scope AND name = '{name}';
        END
    """
