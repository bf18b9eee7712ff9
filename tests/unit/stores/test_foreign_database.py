"""A database that is not ours is left alone."""

from pathlib import Path

import pytest

from remembrancer.errors import StoreError
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.storage.sqlite.store import SQLiteStore

pytestmark = pytest.mark.anyio


async def test_another_programs_database_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    other = SQLiteConnection(str(path))
    other.run("CREATE TABLE t (a)")
    with pytest.raises(StoreError, match="another program's"):
        async with SQLiteStore.open(path):
            pass
    assert other.rows("SELECT name FROM sqlite_master") == [("t",)]
    other.close()
