"""The console in this process, over a store with something of everything."""

import html
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remembrancer import Memory, NewEpisode, NewKey, NewMessage, NewObservation, Scope, open_memory
from remembrancer.service.console.app import make_console
from remembrancer.service.console.options import ConsoleOptions
from remembrancer.service.rest.options import HandledRequest, ServiceOptions
from remembrancer.types.record import Observation
from remembrancer.types.scope import DIMENSIONS

ANA = Scope(user="ana", agent="travel")
BEN = Scope(project="apollo", user="ben")
DELETED = "Ben drinks tea"
_TOKEN = re.compile(r'name="form_token" value="([0-9a-f]+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Browser:
    """A browser without scripts, with the cookies of one person.

    Args:
        http: the client.
    """

    http: httpx2.AsyncClient

    async def open(self, address: str, status: int = 200) -> str:
        """Open a page, and return it."""
        found = await self.http.get(f"/console{address}")
        assert found.status_code == status, (address, found.status_code, plain(found.text))
        return found.text

    async def token(self) -> str:
        """The token of this person's forms."""
        found = _TOKEN.search(await self.open("/scopes"))
        assert found is not None
        return found[1]

    async def send(self, address: str, status: int = 303, **fields: Any) -> httpx2.Response:
        """Send a form of the console."""
        found = await self.http.post(f"/console{address}", data={"form_token": await self.token(), **fields})
        assert found.status_code == status, (address, found.status_code, plain(found.text))
        return found

    async def sign_in(self, token: str) -> httpx2.Response:
        """Sign in with an access key."""
        return await self.http.post("/console/sign-in", data={"key": token})


@dataclass(frozen=True, slots=True, kw_only=True)
class Consoled:
    """A memory with its console."""

    memory: Memory
    app: Any
    handled: list[HandledRequest]

    def browser(self, *, base_url: str = "http://localhost", client: str = "127.0.0.1", **headers: str) -> Browser:
        """A browser of a new person."""
        transport = httpx2.ASGITransport(app=self.app, client=(client, 40_000), raise_app_exceptions=False)
        return Browser(http=httpx2.AsyncClient(transport=transport, base_url=base_url, headers=headers))

    async def key(self, **given: Any) -> str:
        """A token of a new access key."""
        named: dict[str, Any] = {"name": "guest", **given}
        return (await self.memory.admin.keys.create(NewKey(**named))).token


def plain(page: str) -> str:
    """The words of a page."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def links(page: str) -> set[str]:
    """The addresses of the console that a page links to."""
    return {html.unescape(address) for address in re.findall(r'href="(/console[^"#]*)', page)}


def address_of(record: Any) -> str:
    """The address of the page of a memory."""
    names = "%26".join(f"{name}%3D{value}" for name in DIMENSIONS if (value := getattr(record.scope, name)))
    return f"/memories/{record.id}" + (f"?at={names}" if names else "")


async def filled(memory: Memory) -> Observation:
    """Fill a memory with something of everything; return a preference with evidence and a dependent."""
    ana, ben = memory.within(ANA), memory.within(BEN)
    talk = [
        ("user", "I moved to Lisbon, and I cannot stand early flights."),
        ("assistant", "Noted. I will look for flights after 10:00."),
        ("user", "Always send me the invoice before the trip."),
        ("assistant", "The invoice comes before every trip."),
    ]
    said = await ana.messages.record_many(
        [NewMessage(text=text, role=role, session="lisbon", speaker="Ana" * (role == "user")) for role, text in talk]
    )
    await ana.notes.observe("lisbon")
    liked = NewObservation(text="Ana flies after 10:00 only", type="preference", evidence=[said[0].id], tags=["travel"])
    likes = (await ana.save(liked)).record
    await ana.save(NewObservation(text="Book the 11:20 by default", type="decision", evidence=[likes.id]))
    await ana.edit(likes.id, "Ana flies after 10:00 only, never earlier")
    await ana.rules.add("Send the invoice before the trip.")
    await ana.facts.set("contact/clara/role", "sister")
    for _ in range(4):
        await ana.episodes.record(NewEpisode(summary="shortened the mail", event="approval_modified", contact="Clara"))
    await ana.context("lisbon", question="Which flight suits Ana?")
    await memory.save("Deploys happen on Tuesdays only")
    await ben.record("The kitchen of apollo needs paint", session="apollo/1 & more")
    await ben.delete((await ben.save(DELETED)).record.id)
    return likes


@asynccontextmanager
async def consoled(db: str, *, settings: dict[str, Any] | None = None, **options: Any) -> AsyncGenerator[Consoled]:
    """Open a memory and its console."""
    given: dict[str, Any] = {"embedder": "hash", "background": False, "nightly": False, "origin": "rest"}
    async with open_memory(db, **{**given, **(settings or {})}) as memory:
        handled: list[HandledRequest] = []
        service = ServiceOptions(on_request=handled.append, rate=100_000, keys_only=options.pop("keys_only", False))
        named: dict[str, Any] = {"lifetime": timedelta(hours=1), **options}
        chosen = ConsoleOptions(service=service, **named)
        yield Consoled(memory=memory, app=await make_console(memory, chosen), handled=handled)


@pytest.fixture
async def console(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncGenerator[Consoled]:
    async with consoled(str(tmp_path / "m.db"), **getattr(request, "param", {})) as made:
        yield made


@pytest.fixture
async def browser(console: Consoled) -> AsyncGenerator[Browser]:
    """Somebody on this machine, where no access key was made."""
    made = console.browser()
    async with made.http:
        yield made
