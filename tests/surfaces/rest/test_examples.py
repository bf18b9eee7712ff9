"""Every operation has an example, and each is run, in order, on a sample store; its answer is as the document says."""

from collections.abc import AsyncGenerator
from typing import Any

import httpx2
import pytest
from jsonschema import Draft202012Validator

from remembrancer import Memory, Scope
from remembrancer.operations import CREATED_RESPONSES, OPERATIONS
from remembrancer.service.examples import EXAMPLES

from .conftest import House

pytestmark = pytest.mark.anyio


async def sample(memory: Memory) -> dict[str, str]:
    """What the examples name."""
    said = await memory.record("Good morning, Ana.", session="lisbon")
    claim = await memory.save("Ana prefers window seats")
    other = await memory.save("Ana prefers seats by the window")
    rule = await memory.rules.add("Write short mails.")
    done = await memory.episodes.record("sent a mail", contact="Ana")
    key = await memory.admin.keys.create("another agent", rights=["read"])
    job = await memory.admin.jobs.start("nightly")
    for project in ("trips", "visas"):
        await memory.within(Scope(tenant=memory.scope.tenant, project=project)).save("Trains to Lisbon are slow")
    return {
        "$message": said.id,
        "$observation": claim.id,
        "$other": other.id,
        "$third": (await memory.save("Ana reads on trains")).id,
        "$rule": rule.id,
        "$episode": done.id,
        "$key": key.key.id,
        "$job": job.id,
    }


def filled(told: Any, ids: dict[str, str]) -> Any:
    if isinstance(told, dict):
        return {name: filled(value, ids) for name, value in told.items()}  # pyright: ignore[reportUnknownVariableType] -- of an example
    if isinstance(told, list):
        return [filled(value, ids) for value in told]  # pyright: ignore[reportUnknownVariableType] -- of an example
    return ids.get(told, told) if isinstance(told, str) else told


def test_every_operation_has_an_example() -> None:
    assert list(OPERATIONS) != []
    assert sorted(EXAMPLES) == sorted(OPERATIONS)


async def test_every_example_answers_as_the_document_says(house: House) -> None:
    ids = await sample(house.memory)
    token = await house.key("examples", rights=["read", "write", "learn", "govern", "operate"])
    faults: list[str] = []
    async with house.guest(token) as guest:
        document = (await guest.get("/openapi.json")).json()
        async for name, expected, answer in answers(guest, ids):
            operation = OPERATIONS[name]
            if answer.status_code != expected:
                faults.append(f"{name}: {answer.status_code} {answer.text[:200]}")
                continue
            faults += [f"{name}: {fault}" for fault in faults_of(document, operation.path, operation.verb, answer)]
    assert "\n".join(faults) == ""


async def answers(
    guest: httpx2.AsyncClient, ids: dict[str, str]
) -> AsyncGenerator[tuple[str, int, httpx2.Response], None]:
    """Run the examples in their order, since some undo what others did; yield the expected and the actual answers."""
    for name, example in EXAMPLES.items():
        operation = OPERATIONS[name]
        path = operation.path
        for part, value in example.get("path", {}).items():
            path = path.replace(f"{{{part}}}", str(ids.get(value, value)))
        body = filled(example.get("body"), ids)
        needed = {"admin.index.embed", "admin.index.missing", "admin.index.reembed"}
        usual = 204 if operation.returns is type(None) else 201 if name in CREATED_RESPONSES else 200
        expected = example.get("status", usual)
        if example.get("needs") or name in needed:
            # What the sample service has not is said as the caller's to change.
            expected = 422
        yield name, expected, await guest.request(operation.verb, path, params=example.get("query"), json=body)


def faults_of(document: dict[str, Any], path: str, verb: str, answer: httpx2.Response) -> list[str]:
    """How an answer differs from what the document says of it."""
    said = document["paths"][path][verb.lower()]["responses"]
    told = said.get(str(answer.status_code))
    if told is None:
        return [f"the status {answer.status_code} is not documented"]
    if "$ref" in told:
        told = document["components"]["responses"][told["$ref"].rpartition("/")[2]]
    content = told.get("content", {})
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if not content:
        return [] if not answer.content else ["there is a body, and none is documented"]
    if kind not in content:
        return [f"{kind} is not documented"]
    if "json" not in kind or kind == "application/x-ndjson":
        return []
    schema = {**content[kind]["schema"], "components": document["components"]}
    return [error.message[:200] for error in Draft202012Validator(schema).iter_errors(answer.json())]  # pyright: ignore[reportUnknownMemberType] -- untyped


async def test_the_document_can_be_read_by_people(guest: httpx2.AsyncClient) -> None:
    document = (await guest.get("/openapi.json")).json()
    assert document["openapi"] == "3.1.0"
    operations = [one for path in document["paths"].values() for one in path.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    untold = [one["operationId"] for one in operations if not one.get("summary")]
    assert untold == []
    undescribed = [
        f"{one['operationId']}.{given['name']}"
        for one in operations
        for given in one.get("parameters", [])
        if given["in"] == "query" and given["name"] in ("project", "agent", "user", "clearance")
        if not given.get("description")
    ]
    assert undescribed == []


async def test_what_lists_memories_answers_in_short_where_it_is_asked_to(house: House) -> None:
    ids = await sample(house.memory)
    faults: list[str] = []
    token = await house.key("reader", rights=["read", "write"])
    async with house.guest(token) as guest:
        document = (await guest.get("/openapi.json")).json()
        for name, operation in OPERATIONS.items():
            example = EXAMPLES[name]
            if not operation.lists or example.get("needs"):
                continue
            path = operation.path
            for part, value in example.get("path", {}).items():
                path = path.replace(f"{{{part}}}", str(ids.get(value, value)))
            query = {**example.get("query", {}), "size": "compact"}
            answer = await guest.request(operation.verb, path, params=query, json=filled(example.get("body"), ids))
            faults += [f"{name}: {fault}" for fault in faults_of(document, operation.path, operation.verb, answer)]
        asked = {"question": "Which seat does Ana like?"}
        (hit, *_) = (await guest.post("/v1/recall", params={"size": "compact"}, json=asked)).json()["hits"]
        (whole, *_) = (await guest.post("/v1/recall", json=asked)).json()["hits"]
    assert faults == []
    assert hit["record"]["score"] == hit["score"]
    assert {"id", "type", "title", "topic_key", "snippet", "updated_at"} <= set(hit["record"])
    assert "text" not in hit["record"]
    assert whole["record"]["text"].startswith("Ana prefers")
    assert "hash" not in whole["record"]
