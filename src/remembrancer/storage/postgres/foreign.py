"""The rows of tables of other programs in PostgreSQL, as JSON lines."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import IO, Any, TypeAlias

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from remembrancer.errors import InvalidInput, StoreUnavailable

_FETCHED = 1_000
_Connection: TypeAlias = "psycopg.Connection[dict[str, Any]]"


def tables_of(url: str) -> list[tuple[str, str]]:
    """Return the schema and the name of each known table.

    Known are the store of LangGraph (`prefix`, `key`, `value`) and the tables of Mem0 (`id`, `vector`, `payload`).

    Raises:
        InvalidInput: there is none.
        StoreUnavailable: the database cannot be reached.
    """
    with _opened(url) as connection:
        found = list(_known(connection))
    if not found:
        raise InvalidInput("the database has no table of LangGraph (store) or of Mem0 (id, vector, payload)")
    return found


def write_rows(url: str, schema: str, name: str, stream: IO[bytes], *, table: str) -> None:
    """Write the rows of a known table, each as a JSON object on a line. The database is only read.

    Args:
        table: the field for the name of the table.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    with _opened(url) as connection:
        columns = sql.SQL(", ").join(map(sql.Identifier, _known(connection)[schema, name]))
        query = sql.SQL("SELECT {} FROM {}").format(columns, sql.Identifier(schema, name))
        with connection.cursor(name="rows") as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(query)
            for row in cursor:
                stream.write(json.dumps({table: name, **row}, default=str).encode() + b"\n")


@contextmanager
def _opened(url: str) -> Generator[_Connection]:
    """Return a block with a connection that only reads."""
    try:
        with psycopg.Connection[dict[str, Any]].connect(url, row_factory=dict_row) as connection:
            connection.read_only = True
            yield connection
    except psycopg.Error as error:
        raise StoreUnavailable(f"the database cannot be read: {type(error).__name__}") from error


def _known(connection: _Connection) -> dict[tuple[str, str], list[str]]:
    """Return the columns to read of each known table, by its schema and its name."""
    rows = connection.execute(
        "SELECT table_schema, table_name, array_agg(column_name::text) AS columns FROM information_schema.columns"
        " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') GROUP BY 1, 2 ORDER BY 1, 2"
    )
    found = dict[tuple[str, str], list[str]]()
    for row in rows:
        columns = set(row["columns"])
        if row["table_name"] == "store" and {"prefix", "key", "value"} <= columns:
            wanted = ["prefix", "key", "value", "created_at", "updated_at", "expires_at"]
        elif {"id", "vector", "payload"} <= columns:
            wanted = ["id", "payload"]
        else:
            continue
        found[row["table_schema"], row["table_name"]] = [one for one in wanted if one in columns]
    return found
