"""Every method has a route or a reason for none; every route and tool takes a right, and none a scope."""

from typing import Any

import pytest

from remembrancer import Memory, Scope
from remembrancer.operations import OPERATIONS, WITHOUT_ROUTE
from remembrancer.problems import ERRORS, SERVICE_PROBLEMS, error_type
from remembrancer.service.mcp.tools import TOOLS, make_tools
from remembrancer.service.rest.gate import OPEN_TO_ALL
from remembrancer.types.access import Right
from tests.policy.sources import REPOSITORY
from tests.policy.test_errors_are_told import concrete
from tests.rows import every_row
from tests.surfaces.rest.conftest import House
from tests.surfaces.rest.conftest import house as house
from tests.walking import methods_of

ERRORS_PAGE = REPOSITORY / "docs/reference/errors.md"
# Routes that are no method of a memory: streams of events, files, and the names of RAE.
BESIDE = {
    "events": Right.READ,
    "governance.archives.export": Right.READ,
    "governance.archives.report": Right.GOVERN,
    "governance.archives.create": Right.OPERATE,
    "governance.archives.check": Right.OPERATE,
    "governance.archives.import_archive": Right.OPERATE,
    "messages.import_file": Right.WRITE,
    "admin.jobs.import": Right.WRITE,
    "rae.store": Right.WRITE,
    "rae.query": Right.READ,
    "rae.delete": Right.WRITE,
    "rae.rebuild_reflections": Right.LEARN,
    "rae.reflection_stats": Right.READ,
    "rae.execute": Right.WRITE,
    "rae.graph_extract": Right.READ,
    "rae.graph_stats": Right.READ,
    "rae.graph_nodes": Right.READ,
    "rae.graph_edges": Right.READ,
    "rae.graph_query": Right.READ,
    "rae.graph_subgraph": Right.READ,
}
WALLS = {"tenant", "scope", "clearance", "project", "agent", "user"}
# Where a body names a part of a scope: it narrows that of the access key, and is refused beyond it.
NARROWING = {
    "admin.keys.create",
    "admin.keys.rotate",
    "governance.erasure.plan",
    "governance.erasure.erase",
    "rae.store",
    "rae.query",
    "rae.execute",
    "rae.graph_extract",
    "rae.graph_query",
}
pytestmark = pytest.mark.anyio


def operations_in(found: dict[str, Any]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Method, path and what the document says, by the name of each operation."""
    every = ((verb, path, one) for path, verbs in found["paths"].items() for verb, one in verbs.items())
    return {one["operationId"]: (verb.upper(), path, one) for verb, path, one in every}


def test_every_method_has_a_route_or_a_reason_for_none() -> None:
    assert set(methods_of(Memory)) == {*OPERATIONS, *WITHOUT_ROUTE}
    assert set(OPERATIONS) & set(WITHOUT_ROUTE) == set()


def test_every_tool_is_a_method_with_a_right_that_is_no_smaller_than_its_routes() -> None:
    assert [method for method, _ in TOOLS.values() if method not in OPERATIONS] == []
    assert {name: right for name, (method, right) in TOOLS.items() if OPERATIONS[method].right is not right} == {}


def test_every_tool_stands_in_the_table_and_says_when_to_use_it() -> None:
    tools = make_tools(lambda _: (_ for _ in ()).throw(LookupError()))
    assert sorted(tool.name for tool in tools) == sorted(TOOLS)
    assert [tool.name for tool in tools if len(tool.description) < 40 or tool.annotations is None] == []


def test_no_tool_takes_a_scope() -> None:
    tools = make_tools(lambda _: (_ for _ in ()).throw(LookupError()))
    assert [tool.name for tool in tools if WALLS & set(tool.parameters.get("properties", {}))] == []


async def test_every_route_names_its_right(house: House, openapi: dict[str, Any]) -> None:
    found = operations_in(openapi)
    expected = {**{name: one.right for name, one in OPERATIONS.items()}, **BESIDE}
    assert {name: one["x-right"] for name, (_, _, one) in found.items() if "x-right" in one} == {
        name: right.value for name, right in expected.items()
    }
    routes = {getattr(route, "path", "") for route in _routes(house.app)}
    assert routes - {path for _, path, _ in found.values()} == {"/openapi.json"}
    assert {path for _, path, one in found.values() if "x-right" not in one} == OPEN_TO_ALL - {"/openapi.json"}


def _routes(app: Any) -> list[Any]:
    inner = app
    while not hasattr(inner, "routes"):
        inner = getattr(inner, "_app", None) or inner.__closure__[0].cell_contents
    return [route for route in inner.routes if getattr(route, "path", "")]


def test_no_body_takes_a_scope_but_to_narrow_it(openapi: dict[str, Any]) -> None:
    schemas = openapi["components"]["schemas"]
    takes: set[str] = set()
    for name, (_, _, one) in operations_in(openapi).items():
        schema = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        for ref in [schema.get("$ref", ""), *(option.get("$ref", "") for option in schema.get("anyOf", []))]:
            if WALLS & set(schemas.get(ref.rpartition("/")[2], {}).get("properties", {})):
                takes.add(name)
    assert takes == NARROWING


async def test_without_the_right_every_route_refuses_and_without_a_key_too(
    house: House, openapi: dict[str, Any]
) -> None:
    found = operations_in(openapi)
    faults: list[str] = []
    for right in Right:
        others = [one.value for one in Right if one is not right]
        token = await house.key(f"all but {right.value}", rights=others)
        async with house.guest(token) as guest:
            for name, (verb, path, one) in found.items():
                if one.get("x-right") != right.value:
                    continue
                url = path.replace("{first}", "1")
                for place in ("id", "session", "key", "into"):
                    url = url.replace(f"{{{place}}}", "nobody")
                sent: dict[str, Any] = {"json": _example(one)}
                if name == "rae.delete":
                    sent = {"params": {"memory_id": "nobody"}}
                if name in ("messages.import_file", "admin.jobs.import"):
                    sent = {"content": b""}
                if name in ("governance.archives.check", "governance.archives.import_archive"):
                    sent = {
                        "content": b"",
                        "params": {"reason": "to see"} if name == "governance.archives.import_archive" else {},
                    }
                if name == "graph.shortest_path":
                    sent = {"params": {"start": "Ana", "end": "Lisbon"}}
                if name == "rae.graph_subgraph":
                    sent = {"params": {"node_ids": "Ana"}}
                if name == "graph.changes":
                    sent = {"params": {"since": "2026-01-01T00:00:00Z"}}
                if name == "timeline.diff":
                    sent = {"params": {"earlier": "2026-01-01T00:00:00Z", "later": "2026-01-02T00:00:00Z"}}
                # From elsewhere each time: who is refused too often waits.
                async with house.guest(client=f"10.0.{len(faults)}.{len(name)}{len(url)}") as nobody:
                    statuses = [(await who.request(verb, url, **sent)).status_code for who in (guest, nobody)]
                if statuses != [403, 401]:
                    faults.append(f"{name}: {statuses}")
    assert faults == []


def _example(one: dict[str, Any]) -> Any:
    body = one["x-example"].get("body", {})
    return body if isinstance(body, dict) else {}  # pyright: ignore[reportUnknownVariableType] -- of an example


async def test_what_lies_beyond_a_key_is_absent_on_every_route(house: House, openapi: dict[str, Any]) -> None:
    found = operations_in(openapi)
    apollo = house.memory.within(Scope(tenant="acme", project="apollo"))
    token = (await apollo.admin.keys.create("apollo", rights=[right.value for right in Right])).token
    faults: list[str] = []
    async with house.guest(token) as guest, house.guest(token, tenant="globex") as stranger:
        for name, (verb, path, one) in found.items():
            if "x-right" not in one:
                continue
            url = path.replace("{first}", "1")
            for place in ("id", "session", "key", "into"):
                url = url.replace(f"{{{place}}}", "nobody")
            for who, query in ((stranger, {}), (guest, {"project": "gemini"})):
                if (status := (await who.request(verb, url, params=query)).status_code) != 404:
                    faults.append(f"{name}: {status}")
    assert faults == []


def test_every_error_has_a_status_a_code_and_words_for_agents() -> None:
    lines = ERRORS_PAGE.read_text(encoding="utf-8").splitlines()
    errors: list[Any] = concrete()
    with every_row() as row:
        for error in errors:
            with row(error.__name__):
                assert error in ERRORS
                told = error_type(error("memory", "x") if error.__name__ == "NotFound" else error("x"))
                assert 400 <= told.status < 600
                assert told.advice
                rows = [line for line in lines if f"`{error.__name__}`" in line]
                assert any(f"`{told.code}`" in line and str(told.status) in line for line in rows)


def test_codes_are_each_of_one_kind() -> None:
    codes = [told.code for told in (*ERRORS.values(), *(problem for problem, _ in SERVICE_PROBLEMS.values()))]
    assert len(set(codes)) == len(codes)
