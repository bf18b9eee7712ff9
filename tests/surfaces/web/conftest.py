"""A browser for the tests of one process, and stores for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .stage import SECRET, Store, browsing


@pytest.fixture(autouse=True)
def event_loop_is_not_blocked() -> None:
    """The thread of these tests has the event loop of the browser, which is no loop of ours."""


@pytest.fixture
def browser() -> Iterator[Browser]:
    # One for each test: while it is open, the thread has an event loop, and other tests need their own.
    with browsing() as browser:
        yield browser


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.slow)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """An empty store."""
    if request.param == "sqlite":
        return Store(db=str(tmp_path / "m.db"))
    database = request.getfixturevalue("database")
    return Store(db=database.serving_url, settings={"secret_key": SECRET})
