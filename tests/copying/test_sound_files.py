"""A file that holds something of everything is sound to any SQLite, not to ours alone."""

import subprocess
import sys
from pathlib import Path

import anyio

from tests.copying.filling import fill

# In a process of its own: two libraries on one file in one process take each other's locks away.
CHECK = """
import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("PRAGMA integrity_check").fetchall())
"""


def test_the_sqlite_of_python_finds_a_filled_file_sound(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    anyio.run(fill, path)
    found = subprocess.run([sys.executable, "-c", CHECK, str(path)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[('ok',)]"
