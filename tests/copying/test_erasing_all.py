"""Of a tenant that is erased no row is left in any table of the database's own catalogue; of others every one is."""

from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import apsw
import pytest

from remembrancer import open_memory
from tests.copying.filling import SCOPES, fill

# What names a tenant and stays, and why.
STAYS = {"audit": "is append-only: its rows name the tenant, and nobody else once the keys of its scopes are gone"}


def rows(path: Path) -> dict[tuple[str, str], set[str]]:
    """The rows of each table that names a tenant, by table and tenant."""
    found: dict[tuple[str, str], set[str]] = {}
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        loosely: Any = connection
        names = [row[0] for row in loosely.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for name in names:
            columns = [row[1] for row in loosely.execute(f"PRAGMA table_info('{name}')")]
            if "tenant" in columns:
                place = columns.index("tenant")
                for row in loosely.execute(f"SELECT * FROM {name}"):
                    found.setdefault((name, row[place]), set()).add(repr(row))
    return found


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """A file with something in every table."""
    path = tmp_path / "m.db"
    anyio.run(lambda: fill(path, steps=40))
    return path


def test_every_table_is_emptied_of_a_tenant_that_is_erased_and_keeps_the_rows_of_others(filled: Path) -> None:
    tenant = SCOPES[0].tenant
    before = rows(filled)
    tables = {name for name, of in before if of == tenant}

    async def erase() -> None:
        async with open_memory(filled, embedder="none", background=False, tenant=tenant) as memory:
            receipt = await memory.erasures.erase(tenant=tenant, reason="the contract ended")
            assert receipt.scopes > 1

    anyio.run(erase)
    after = rows(filled)
    assert len(tables) > 20
    assert {name for name, of in after if of == tenant} == set(STAYS)
    assert {key for key in before if key[1] != tenant and before[key] != after.get(key)} == set()
