"""A service as a user starts it, with a real browser before its console."""

import shutil
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from remembrancer import Memory, open_memory
from tests.serving import Running, serving

T = TypeVar("T")
SECRET = "a key that only these tests have"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
WIDE = {"width": 1280, "height": 860}
PHONE = {"width": 390, "height": 844}


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A database, and what a memory needs to open it."""

    db: str
    settings: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def env(self) -> dict[str, str]:
        """The settings as the environment of a service."""
        names = {f"REMEMBRANCER_{name.upper()}": str(value) for name, value in self.settings.items()}
        return {"REMEMBRANCER_EMBEDDER": "hash", "REMEMBRANCER_NIGHTLY": "false", **names}


@dataclass(kw_only=True)
class Stage:
    """A page of the console, and the memory behind it.

    Args:
        store: where the memories are.
        running: the service.
        browser: the browser.
        downloads: a folder of the test.
        faults: what the browser has reported as wrong.
    """

    store: Store
    running: Running
    browser: Browser
    downloads: Path
    faults: list[str] = field(default_factory=list[str])
    contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])

    def person(self, **options: Any) -> Page:
        """A page of a new person, with cookies of their own."""
        given: dict[str, Any] = {"viewport": WIDE, "base_url": self.running.url, **options}
        context = self.browser.new_context(**given)
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog {dialog.message}"))
        page.on("request", self._asked)
        return page

    def tab(self, page: Page) -> Page:
        """Another tab of the same person."""
        return page.context.new_page()

    def memory(self, work: Callable[[Memory], Awaitable[T]]) -> T:
        """Do something with the memory, in this process beside the service."""
        settings: dict[str, Any] = {"embedder": "hash", "background": False, "nightly": False, **self.store.settings}

        async def opened() -> T:
            async with open_memory(self.store.db, **settings) as memory:
                return await work(memory)

        # The thread of the test has the event loop of the browser.
        with start_blocking_portal() as portal:
            return portal.call(opened)

    def _heard(self, message: ConsoleMessage) -> None:
        # An error page is no fault of the browser.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.running.url, "data:", "blob:")):
            self.faults.append(f"request of {request.url}")


def chromium() -> str:
    """The path of the browser."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert found is not None, "these tests need chromium: on Debian, apt-get install chromium"
    return found


@contextmanager
def browsing() -> Generator[Browser]:
    """A browser for as long as a block runs."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(_ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def staged(store: Store, browser: Browser, folder: Path, **env: str) -> Generator[Stage]:
    """A service over a store, for one test; at its end the browser may have reported nothing."""
    options = ("--no-background", "--quiet")
    with serving(store.db, folder / "service.log", *options, env={**store.env, **env}) as running:
        stage = Stage(store=store, running=running, browser=browser, downloads=folder)
        try:
            yield stage
        finally:
            for context in stage.contexts:
                with suppress(Exception):
                    context.close()
    assert not stage.faults, stage.faults


def at(**names: str) -> str:
    """The parameter of a scope in an address."""
    return quote("&".join(f"{name}={value}" for name, value in names.items()), safe="")


def named(function: Callable[..., Any]) -> str:
    """The name of a journey in words."""
    inner = function.func if isinstance(function, partial) else function
    return inner.__name__.replace("_", " ")
