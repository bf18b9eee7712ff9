"""Random calls by many callers: nothing of another, not in bodies, headers, errors, events, logs or numbers."""

import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
import apsw
import httpx2
import psycopg
import pytest
from anyio.to_thread import run_sync
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from remembrancer import Filter, Memory, NewKey, Scope
from remembrancer.assembly.placements import place_tenant
from remembrancer.operations import OPERATIONS, Operation
from remembrancer.service.mcp.tools import make_tools
from remembrancer.types.access import Right
from remembrancer.types.replicas import ReplicaStatus
from remembrancer.types.scope import Classification
from tests.databases import LOGIN, SECRET, Database, at, fresh
from tests.postgres_server import PostgresServer

from .conftest import House, served

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(7_200 if os.environ.get("REMEMBRANCER_SOAK") == "1" else 120)]
CALLS = 100_000 if os.environ.get("REMEMBRANCER_SOAK") == "1" else 150
SEED = int(os.environ.get("REMEMBRANCER_SEED", "1"))
CLASSES = list(Classification)
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
# What each caller writes names whose it is, and how it was classified: w, owner, class, w.
MARK = re.compile(r"w(\d\d)([0-3])w")
TWO_TENANTS = ("acme", "globex")
USERS = ("ana", "bob")
SCOPES = [
    Scope(tenant=tenant, project=project, user=user)
    for tenant in TWO_TENANTS
    for project, user in (
        (None, None),
        ("apollo", None),
        (None, "ana"),
        (None, "bob"),
        ("apollo", "ana"),
        ("apollo", "bob"),
    )
]

# Where callers write: a request may name a project that no key is of.
PLACES = [*SCOPES, *(Scope(tenant=one, project="gemini", user=user) for one in TWO_TENANTS for user in (None, *USERS))]


# What tells who answers for a scope of all under it, as far as the clearance goes.
BENEATH = frozenset(
    {
        "governance.audit.list",
        "governance.erasure.find_mentions",
        "governance.overview",
        "governance.retention.find_expired",
        "governance.retention.list_soft_deleted",
    }
)
# What tells an operator of a whole tenant of all scopes under the one that is asked for, where it is asked to.
ALL_SCOPES = frozenset({"list", "sessions.list", "timeline.between", "timeline.diff"})
OF_ALL = " of all scopes"


Ask = Callable[[str], list[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """One holder of an access key, in one of the tenants that it opens.

    Args:
        scope: what it asks of.
        key: the scope that its access key opens there.
    """

    number: int
    scope: Scope
    clearance: Classification
    key: Scope
    http: httpx2.AsyncClient
    mcp: McpClient

    @property
    def told(self) -> str:
        return f"guest {self.number} ({self.scope}, {self.clearance})"

    def may_see(self, owner: Scope, classification: int) -> bool:
        return self.scope.sees(owner) and classification <= CLASSES.index(self.clearance)


@dataclass(slots=True, kw_only=True)
class Truth:
    """What the databases say, asked by another road: whose each id is, and how it is classified.

    Args:
        asks: each returns the rows of a statement of one database.
    """

    asks: Sequence[Ask]
    records: dict[str, tuple[Scope, int]] = field(default_factory=dict[str, tuple[Scope, int]])
    walled: dict[str, list[Scope]] = field(default_factory=dict[str, list[Scope]])
    sessions: dict[str, Scope] = field(default_factory=dict[str, Scope])

    def look(self) -> None:
        records: dict[str, tuple[Scope, int]] = {}
        sessions: dict[str, Scope] = {}
        of = 's.tenant, s.project, s.agent, s."user"'
        joined = "x JOIN scopes s ON s.id = x.scope AND s.tenant = x.tenant"
        for ask in self.asks:
            rows = ask(f"SELECT x.id, x.classification, {of} FROM records {joined}")
            records |= {id: (_scope(rest), CLASSES.index(Classification(cls))) for id, cls, *rest in rows}
            sessions |= {id: _scope(rest) for id, *rest in ask(f"SELECT x.id, {of} FROM sessions {joined}")}
            rows = ask('SELECT id, tenant, project, agent, "user" FROM jobs')
            self.walled |= {id: [_scope(rest)] for id, *rest in rows}
            for id, tenants, *rest in ask('SELECT id, tenants, tenant, project, agent, "user" FROM access_keys'):
                scope = _scope(rest)
                self.walled[id] = [scope, *(replace(scope, tenant=tenant) for tenant in tenants.split())]
        self.records, self.sessions = records, sessions


def of_file(path: Path) -> Ask:
    def ask(statement: str) -> list[Any]:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            loosely: Any = connection
            return list(loosely.execute(statement))

    return ask


def of_server(database: Database) -> Ask:
    def ask(statement: str) -> list[Any]:
        with psycopg.connect(database.admin_url) as connection:
            connection.execute("SET search_path TO remembrancer, remembrancer_ops")
            return connection.execute(statement.encode()).fetchall()

    return ask


def _scope(row: Sequence[Any]) -> Scope:
    return Scope(tenant=row[0], project=row[1], agent=row[2], user=row[3])


def reaches(guest: Guest, owner: Scope, cls: int, what: str) -> bool:
    """Whether a guest that answers for a scope is told by a method of what is under it, too, up to its clearance."""
    under = any(guest.scope.contains(one) and one.sees(owner) for one in (owner, *PLACES))
    is_operator = guest.key == Scope(tenant=guest.key.tenant)
    is_of_all = what.endswith(OF_ALL) and what.removesuffix(OF_ALL) in ALL_SCOPES and is_operator
    return (what in BENEATH or is_of_all) and under and cls <= CLASSES.index(guest.clearance)


class Fuzz:
    """Calls at random, and what each answer must not tell."""

    def __init__(self, guests: Sequence[Guest], truth: Truth, chance: random.Random) -> None:
        self.guests = guests
        self.truth = truth
        self.chance = chance
        self.ids: list[str] = []
        self.cursors: list[str] = []
        self.statuses: dict[int, int] = {}
        self.leaks: list[str] = []
        self.cls = 1
        self.tools = {tool.name: tool.parameters.get("properties", {}) for tool in make_tools(_nobody)}

    async def step(self) -> None:
        guest = self.chance.choice(self.guests)
        if self.chance.random() < 0.25:
            await self._tool(guest)
        else:
            await self._request(guest)

    async def _request(self, guest: Guest) -> None:
        operation: Operation = self.chance.choice([one for one in OPERATIONS.values() if one.name not in TOO_GREAT])
        # What is written is marked with the class that it is given, which is internal where none is said.
        says_class = {"classification", "messages", "observations", "episodes"} & set(operation.values)
        self.cls = self.chance.randrange(4) if says_class else 1
        said_of = [name for name in (*operation.in_path, *operation.outside_path) if self._says(operation, name)]
        narrowing: dict[str, Any] = {}
        if self.chance.random() < 0.15:
            narrowing["project"] = self.chance.choice(["apollo", "gemini"])
        if self.chance.random() < 0.1:
            narrowing["user"] = self.chance.choice(USERS)
        narrowed = _narrowed(guest, narrowing)
        given = {name: self._value(narrowed, name, operation.name) for name in said_of}
        path = operation.path
        for name in operation.in_path:
            path = path.replace(f"{{{name}}}", str(given.get(name) or "-"))
        beside = {name: value for name, value in given.items() if name not in operation.in_path}
        query = {} if operation.has_body else {name: value for name, value in beside.items() if value is not None}
        query |= narrowing
        answer = await guest.http.request(
            operation.verb, path, params=query, json=beside if operation.has_body else None
        )
        said = f"{path} {beside} {query}"
        self.statuses[answer.status_code] = self.statuses.get(answer.status_code, 0) + 1
        of_all = OF_ALL if query.get("all_scopes") else ""
        self.judge(narrowed, f"{answer.headers} {answer.text}", said, operation.name + of_all)
        if of_all and answer.status_code < 300 and guest.key != Scope(tenant=guest.key.tenant):
            self.leaks.append(f"{path} answers {guest.told} of all scopes")
        if answer.status_code < 300 and answer.headers.get("content-type", "").startswith("application/json"):
            self._learn(answer.json())

    async def _tool(self, guest: Guest) -> None:
        name, self.cls = self.chance.choice(list(self.tools)), 1
        given = {
            one: value
            for one in self.tools[name]
            if self.chance.random() < 0.7 and (value := self._value(guest, one, name)) is not None
        }
        answer = await guest.mcp.call_tool(name, given)
        told = " ".join(getattr(part, "text", "") for part in answer.content) + str(answer.structured_content)
        self.judge(guest, told, str(given), name)

    def judge(self, guest: Guest, told: str, said: str, what: str) -> None:
        for owner, cls in set(MARK.findall(told)) - set(MARK.findall(said)):
            scope = PLACES[int(owner) % len(PLACES)]
            if not (guest.may_see(scope, int(cls)) or reaches(guest, scope, int(cls), what)):
                self.leaks.append(f"{what} tells {guest.told} of {scope} {cls}")
        for id in set(ID.findall(told)) - set(ID.findall(said)):
            if id in self.truth.records and reaches(guest, *self.truth.records[id], what):
                continue
            if id in self.truth.records and not guest.may_see(*self.truth.records[id]):
                self.leaks.append(f"{what} tells {guest.told} the id {id}")
            owner = self.truth.sessions.get(id, guest.scope)
            if not (guest.scope.sees(owner) or reaches(guest, owner, 0, what)):
                self.leaks.append(f"{what} tells {guest.told} of session {id}")
        for id, scopes in self.truth.walled.items():
            if id in told and id not in said and not any(map(guest.scope.contains, scopes)):
                self.leaks.append(f"{what} tells {guest.told} of {id}")
        for stranger in {*TWO_TENANTS} - {guest.scope.tenant}:
            if stranger in told and stranger not in said:
                self.leaks.append(f"{what} tells {guest.told} of tenant {stranger}")

    def _learn(self, told: Any) -> None:
        if isinstance(told, dict):
            for name, value in told.items():  # pyright: ignore[reportUnknownVariableType] -- of JSON
                # Not those of access keys: who is rotated away asks no more.
                if name == "id" and isinstance(value, str) and ID.fullmatch(value):
                    self.ids.append(value)
                elif name == "cursor" and isinstance(value, str):
                    self.cursors.append(value)
                else:
                    self._learn(value)
        elif isinstance(told, list):
            for one in told:  # pyright: ignore[reportUnknownVariableType] -- of JSON
                self._learn(one)

    def _says(self, operation: Operation, name: str) -> bool:
        argument = operation.values.get(name) or operation.options[name]
        is_said = argument.is_required or name in (*operation.in_path, "classification")
        return is_said or self.chance.random() < 0.3

    def _value(self, guest: Guest, name: str, what: str) -> Any:
        chance = self.chance
        mark = f"w{PLACES.index(guest.scope):02}{self.cls}w"
        cls = CLASSES[self.cls].value
        text = f"the {chance.choice(WORDS)} nests near the {chance.choice(WORDS)} {mark}"
        id = chance.choice(self.ids[-2_000:]) if self.ids and chance.random() < 0.9 else NEVER
        values: Mapping[str, Any] = {
            "id": chance.choice(["monday", "tuesday"]) if what.startswith("sessions.") else id,
            "into": id,
            "other": id,
            "evidence": [id],
            "text": text,
            "title": f"title {mark}",
            "rule": f"Write to {mark} short mails.",
            "summary": f"sent a mail to {mark}",
            "question": f"Where does the {chance.choice(WORDS)} nest?",
            "prompt": f"Where does the {chance.choice(WORDS)} nest?",
            "task": f"Count what nests {mark}",
            "topic_key": chance.choice(["nest", "bridge", "tower"]),
            "key": chance.choice(["contact.ana.language", "contact.bob.city"]) if what.startswith("facts.") else None,
            "value": mark,
            "session": chance.choice(["monday", "tuesday"]),
            "sessions": ["monday"],
            "classification": cls,
            "classifications": [chance.choice(CLASSES).value],
            "limit": chance.choice([1, 5, 100]),
            "cursor": chance.choice(self.cursors[-200:]) if self.cursors else None,
            "first": chance.choice([1, 2]),
            "messages": [{"text": text, "classification": cls, "session": "monday"}],
            "observations": [{"text": text, "classification": cls}],
            "episodes": [{"summary": f"sent {mark}", "contact": "Ana", "classification": cls}],
            "turns": [{**TURN, "position": chance.randrange(50), "text": text}],
            "run": {"payload": mark, "entries": []},
            "filter": self._filter(guest, what) if name == "filter" else None,
            "mode": chance.choice(["turn", "brief", "prompt", "search"]),
            "budget": {"tokens": chance.choice([50, 1_500])},
            "memories": [id],
            "reason": "it was asked for" if what == "governance.erasure.erase" else None,
            "tags": [chance.choice(["red", "blue"])],
            "kinds": [chance.choice(["message", "observation", "episode"])],
            "statuses": [chance.choice(["active", "rejected", "soft-deleted", "retired", "archived"])],
            "contact": chance.choice(["Ana", "Bob"]),
            "person": "Ana",
            "name": f"k{PLACES.index(guest.scope):02}k",
            "rights": ["read"],
            "work": "nightly",
            "abstain": False,
            "all": True,
            "all_scopes": True,
            "as_of": "2100-01-01T00:00:00Z",
            "since": "2001-01-01T00:00:00Z",
            "earlier": "2001-01-01T00:00:00Z",
            "later": "2100-01-01T00:00:00Z",
            "outcome": chance.choice(["accepted", "rejected", "done"]),
            "verdict": chance.choice(["right", "wrong", "dismiss", "undo", "accepted"]),
            "type": "correction" if what == "episodes.signal" else None,
            "rating": 0.7,
            "boost": 0.1,
            "max_tokens": chance.choice([50, 1_500]),
            "days": 2,
        }
        return values.get(name)

    def _filter(self, guest: Guest, what: str) -> dict[str, Any]:
        named = {one.name: self._value(guest, one.name, what) for one in fields(Filter) if self.chance.random() < 0.3}
        return {name: value for name, value in named.items() if value is not None}


NEVER = "01900000-0000-7000-8000-000000000000"
TURN = {"conversation": "c", "session": "1", "role": "user"}
WORDS = ("heron", "otter", "bridge", "harbour", "tower", "wren", "badger", "mill")
# What asks a model, or the whole store.
TOO_GREAT = frozenset(
    {f"sessions.{name}" for name in ("reply", "reply_stream", "execute", "execute_stream")}
    | {"admin.index.reembed", "admin.index.rebuild", "admin.index.embed", "admin.doctor"}
)


def _nobody(_: str) -> Memory:
    raise LookupError


def _narrowed(guest: Guest, query: Mapping[str, Any]) -> Guest:
    """What a guest may see of a request that names a part of the scope: no more than the key opens."""
    named = {name: query[name] for name in ("project", "user") if name in query}
    wider = Scope(
        tenant=guest.scope.tenant,
        project=guest.scope.project or named.get("project"),
        user=guest.scope.user or named.get("user"),
    )
    return replace(guest, scope=wider)


async def guests_of(house: House, stack: AsyncExitStack) -> list[Guest]:
    """A key for each scope at several clearances, and keys that open two tenants, asked of either."""
    found: list[Guest] = []

    async def add(token: str, scope: Scope, clearance: Classification, *, tenant: str = "") -> None:
        http = await stack.enter_async_context(house.guest(token, tenant=tenant))
        beside = await stack.enter_async_context(house.guest(token, tenant=tenant))
        mcp = McpClient(streamable_http_client("http://localhost/mcp", http_client=beside))
        client = await stack.enter_async_context(mcp)
        found.append(Guest(number=len(found), scope=scope, clearance=clearance, key=scope, http=http, mcp=client))

    for index, scope in enumerate(SCOPES):
        for clearance in (Classification.RESTRICTED, Classification.INTERNAL, Classification.PUBLIC):
            owner = house.memory.within(Scope(tenant=scope.tenant))
            made = await owner.admin.keys.create(
                f"k{index:02}k",
                project=scope.project,
                user=scope.user,
                clearance=clearance.value,
                rights=[right.value for right in Right],
            )
            await add(made.token, scope, clearance)
    for scope in (one for one in SCOPES if one.tenant == TWO_TENANTS[0]):
        made = await house.memory.admin.keys.create(
            NewKey(
                name="two tenants",
                tenant=TWO_TENANTS[0],
                tenants=TWO_TENANTS[1:],
                project=scope.project,
                user=scope.user,
                clearance=Classification.INTERNAL.value,
                rights=[right.value for right in Right],
            )
        )
        for tenant in TWO_TENANTS:
            await add(made.token, replace(scope, tenant=tenant), Classification.INTERNAL, tenant=tenant)
    return found


async def test_no_caller_is_told_anything_of_another(
    house: House, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    await walk(house, Truth(asks=[of_file(tmp_path / "m.db")]), caplog)


@pytest.fixture
def databases() -> Iterator[tuple[PostgresServer, Database, Database]]:
    """A replica of a server, a partitioned database of that server, and another database of it."""
    with (
        PostgresServer() as server,
        fresh(server.url(), partitions=4) as main,
        fresh(server.url()) as east,
        PostgresServer(primary=server) as replica,
    ):
        yield replica, main, east


async def test_no_caller_is_told_anything_of_another_in_partitions_on_replicas_and_in_two_databases(
    databases: tuple[PostgresServer, Database, Database], caplog: pytest.LogCaptureFixture
) -> None:
    replica, main, east = databases
    there = urlsplit(main.serving_url).path.removeprefix("/")
    opened: dict[str, Any] = {
        "secret_key": SECRET,
        "replicas": [at(replica.url(), database=there, user=LOGIN, password=LOGIN)],
        "databases": {"east": east.serving_url},
    }
    await place_tenant(TWO_TENANTS[1], "east", db=main.serving_url, **opened)
    async with served(main.serving_url, opened) as house:
        store = house.memory._engine.store  # pyright: ignore[reportPrivateUsage] -- no method of a memory returns it
        assert (await store.replicas(look=True))[0].status is ReplicaStatus.READY
        await walk(house, Truth(asks=[of_server(main), of_server(east)]), caplog)
        assert (await store.replicas())[0].reads > 0


async def walk(house: House, truth: Truth, caplog: pytest.LogCaptureFixture) -> None:
    """Call at random, as many times as the size says; nothing of another is in what comes back."""
    caplog.set_level("DEBUG", logger="remembrancer")
    async with AsyncExitStack() as stack:
        guests = await guests_of(house, stack)
        fuzz = Fuzz(guests, truth, random.Random(SEED))
        for number in range(CALLS):
            if number % 50 == 0:
                await run_sync(truth.look)
            try:
                await fuzz.step()
            except Exception as error:
                # Raised here it would come out wrapped by every client.
                fuzz.leaks.append(f"call {number} failed: {error!r}")
            if len(fuzz.leaks) > 20:
                break
        await run_sync(truth.look)
        await events_tell_nothing_of_another(house, fuzz)
    assert "\n".join(fuzz.leaks) == ""
    assert fuzz.statuses.get(500, 0) == 0
    assert sum(count for status, count in fuzz.statuses.items() if status < 300) > CALLS / 5
    assert MARK.findall(caplog.text) == []
    assert [word for word in WORDS if word in caplog.text] == []
    assert {one.agent for one in house.handled} == {""}


async def events_tell_nothing_of_another(house: House, fuzz: Fuzz) -> None:
    """Every guest reads the events of the last hour, all at once, until each has an answer and somebody an id."""
    told: dict[int, list[bytes]] = {guest.number: [] for guest in fuzz.guests}
    has_ids = False
    async with anyio.create_task_group() as tasks:
        for guest in fuzz.guests:
            tasks.start_soon(read_events, house.app, guest.http.headers, told[guest.number])
        with anyio.move_on_after(60):
            while not (has_ids and all(told.values())):
                await anyio.sleep(0.1)
                has_ids = any(ID.search(b"".join(parts).decode()) for parts in told.values())
            await anyio.sleep(1)
        tasks.cancel_scope.cancel()
    for guest in fuzz.guests:
        fuzz.judge(guest, b"".join(told[guest.number]).decode(), "", "events")
    if not has_ids:
        fuzz.leaks.append("no event was read")


async def read_events(app: Any, headers: httpx2.Headers, told: list[bytes]) -> None:
    """Read the stream of events until cancelled: the client's transport would wait for its end."""
    sent = [*headers.raw, (b"last-event-id", b"2001-01-01T00:00:00+00:00")]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": "/v1/events",
        "raw_path": b"/v1/events",
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in sent] + [(b"host", b"localhost")],
        "client": ("127.0.0.1", 40_000),
        "server": ("localhost", 80),
        "state": {},
    }
    is_asked = False

    async def receive() -> dict[str, Any]:
        nonlocal is_asked
        if is_asked:
            await anyio.sleep_forever()
        is_asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        told.append(message.get("body", b""))

    await app(scope, receive, send)
