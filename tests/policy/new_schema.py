"""Write `storage/sqlite/schema.sql`, the tables of a new file: `python -m tests.policy.new_schema`."""

from pathlib import Path

import remembrancer
from remembrancer.storage.migrations import migrations
from remembrancer.storage.sqlite.connection import SQLiteConnection

FILE = Path(remembrancer.__file__).parent / "storage/sqlite/schema.sql"


def schema() -> str:
    """Return what `schema.sql` has to contain."""
    steps = migrations("remembrancer.storage.sqlite")
    connection = SQLiteConnection(":memory:")
    for step in steps:
        connection.script(step.sql)
    rows = connection.rows(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
    )
    connection.close()
    header = f"-- The tables after {steps[-1].name}; written by `python -m tests.policy.new_schema`.\n"
    return header + "".join(f"{sql};\n" for (sql,) in rows)


if __name__ == "__main__":
    FILE.write_text(schema(), encoding="utf-8")
