"""The rows of tables of other programs in PostgreSQL, as JSON lines."""

import json
from typing import IO, Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from remembrancer.errors import InvalidInput, StoreUnavailable

_FETCHED = 1_000


def write_tables(url: str, stream: IO[bytes], *, table: str) -> list[str]:
    """Write the rows of the known tables, each as a JSON object on a line; return their names.

    Known are the store of LangGraph (`prefix`, `key`, `value`) and the tables of Mem0 (`id`, `vector`, `payload`).

    Args:
        table: the field for the name of the table.

    Raises:
        InvalidInput: it has no such table.
        StoreUnavailable: the database cannot be reached.
    """
    try:
        with psycopg.Connection[dict[str, Any]].connect(url, row_factory=dict_row) as connection:
            connection.read_only = True
            found = _known(connection)
            for schema, name, columns in found:
                query = sql.SQL("SELECT {} FROM {}").format(
                    sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Identifier(schema, name)
                )
                with connection.cursor(name="rows") as cursor:
                    cursor.itersize = _FETCHED
                    cursor.execute(query)
                    for row in cursor:
                        stream.write(json.dumps({table: name, **row}, default=str).encode() + b"\n")
    except psycopg.Error as error:
        raise StoreUnavailable(f"the database cannot be read: {type(error).__name__}") from error
    if not found:
        raise InvalidInput("the database has no table of LangGraph (store) or of Mem0 (id, vector, payload)")
    return [name for _, name, _ in found]


def _known(connection: "psycopg.Connection[dict[str, Any]]") -> list[tuple[str, str, list[str]]]:
    """Return the schema, the name and the columns to read of each known table."""
    rows = connection.execute(
        "SELECT table_schema, table_name, array_agg(column_name::text) AS columns FROM information_schema.columns"
        " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') GROUP BY 1, 2 ORDER BY 1, 2"
    )
    found = list[tuple[str, str, list[str]]]()
    for row in rows:
        schema, name, columns = row["table_schema"], row["table_name"], set(row["columns"])
        if {"prefix", "key", "value"} <= columns:
            wanted = ["prefix", "key", "value", "created_at", "updated_at", "expires_at"]
            found.append((schema, name, [one for one in wanted if one in columns]))
        elif {"id", "vector", "payload"} <= columns:
            found.append((schema, name, ["id", "payload"]))
    return found
