"""Each page of the console in a real browser: readable by everybody, light, and deaf to the texts that it shows."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_FILE_PATH
from playwright.sync_api import Browser, Page

from remembrancer import Memory, NewMessage, NewObservation
from tests.surfaces.console.conftest import ANA, filled

from .hostile import TEXTS
from .journeys import AT_ANA, OF_ANA, pages
from .stage import PHONE, WIDE, Stage, Store, staged

MOST_BYTES = 300 * 1024
MOST_REQUESTS = 20
# The marks within texts are ours: citations, and what a version changed.
_UNTOUCHED = "window.hacked === undefined && !document.querySelector('.said *:not(a.cite, ins, del), [data-hacked]')"
_AXE = "async () => { const found = await axe.run(document); return JSON.stringify(found.violations) }"

# Every fourth page in the gate.
EVERY = pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])


def violations(page: Page) -> list[str]:
    """What axe-core finds on a page."""
    page.evaluate(Path(AXE_FILE_PATH).read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = json.loads(page.evaluate(_AXE))
    return [f"{one['id']}: {node['html'][:120]}" for one in found for node in one["nodes"]]


LOOKS: Mapping[str, Mapping[str, Any]] = {
    "wide": {"viewport": WIDE},
    "dark": {"viewport": WIDE, "color_scheme": "dark"},
    "phone": {"viewport": PHONE},
}


@pytest.mark.parametrize(
    ("look", "every"), [("wide", 4), *(pytest.param(look, 1, marks=pytest.mark.slow) for look in LOOKS)]
)
def test_no_page_keeps_anybody_out(look: str, every: int, store: Store, browser: Browser, tmp_path: Path) -> None:
    with staged(store, browser, tmp_path) as stage:
        addresses = [*pages(stage.memory(filled))[::every], "/nothing"]
        page = stage.person(**LOOKS[look])
        wrong: dict[str, list[str]] = {}
        for address in addresses:
            page.goto(f"/console{address}")
            if found := violations(page):
                wrong[address] = found
        assert wrong == {}


@EVERY
def test_every_page_is_light(every: int, store: Store, browser: Browser, tmp_path: Path) -> None:
    with staged(store, browser, tmp_path) as stage:
        addresses = pages(stage.memory(filled))[::every]
        weights = {address: _weighed(stage, address) for address in addresses}
    heavy = {address: one for address, one in weights.items() if one[0] > MOST_BYTES or one[1] > MOST_REQUESTS}
    assert heavy == {}


def _weighed(stage: Stage, address: str) -> tuple[int, int]:
    """The bytes and the requests of a page that is opened for the first time."""
    page = stage.person()
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto(f"/console{address}", wait_until="networkidle")
    page.context.close()
    return sum(sizes), len(sizes)


@EVERY
def test_hostile_texts_are_texts(every: int, store: Store, browser: Browser, tmp_path: Path) -> None:
    async def stored(memory: Memory) -> list[str]:
        ana = memory.within(ANA)
        names = [text[:80] if text[:80].isprintable() else "x" for text in TEXTS]
        said = [NewMessage(text=text, session="hostile", speaker=name) for text, name in zip(TEXTS, names, strict=True)]
        await ana.messages.record_many(said)
        named = zip(TEXTS, names, strict=True)
        saved = [await ana.save(NewObservation(text=text, title=name, tags=[name])) for text, name in named]
        return [one.id for one in saved]

    with staged(store, browser, tmp_path) as stage:
        ids = stage.memory(stored)
        page = stage.person()
        for address in (
            f"/memories?{OF_ANA}&limit=200",
            f"/timeline?{OF_ANA}&limit=200",
            f"/conversation?session=hostile&at={AT_ANA}",
            f"/search?q=script&{OF_ANA}&limit=50&block=1",
            f"/ask?q=script&{OF_ANA}",
            f"/diff?{OF_ANA}",
            *(f"/memories/{id}?at={AT_ANA}" for id in ids[::every]),
        ):
            page.goto(f"/console{address}")
            assert page.evaluate(_UNTOUCHED)
        assert len(ids) >= 60
        assert page.locator("bdi.said").count() > 0


def test_no_other_site_frames_a_page(store: Store, browser: Browser, tmp_path: Path) -> None:
    with staged(store, browser, tmp_path) as stage:
        page = stage.person()
        for address in ("", "/memories"):
            page.goto("about:blank")
            page.set_content(f'<iframe src="{stage.running.url}/console{address}"></iframe>')
            page.wait_for_timeout(500)
            assert page.frames[-1].url == "chrome-error://chromewebdata/", "the browser refuses to frame it"
        stage.faults.clear()
