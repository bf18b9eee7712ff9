"""The OpenAPI document, made once for all tests of it."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.surfaces.rest.conftest import document, served


@pytest.fixture(scope="session")
def openapi(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return anyio.run(_document, tmp_path_factory.mktemp("openapi") / "m.db")


async def _document(db: Path) -> dict[str, Any]:
    async with served(db) as house:
        return await document(house)
