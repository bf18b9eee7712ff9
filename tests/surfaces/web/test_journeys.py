"""The journeys of people through the console, in a real browser before a real service."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .journeys import GATE, JOURNEYS, SETTINGS
from .stage import Store, staged

SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in JOURNEYS if name not in GATE]


@pytest.mark.parametrize("name", [*GATE, *SLOW])
def test_a_person_gets_through(name: str, store: Store, browser: Browser, tmp_path: Path) -> None:
    settings = {"observe_review": True} if name == "review_and_approve" else {}
    store = Store(db=store.db, settings={**store.settings, **settings})
    with staged(store, browser, tmp_path, **SETTINGS.get(name, {})) as stage:
        JOURNEYS[name](stage)
