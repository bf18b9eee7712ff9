"""The routes under RAE's names: each by its example, and what comes twice."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import httpx2
import pytest

from remembrancer import NewObservation, open_memory
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import ServiceOptions
from tests.answers import Answers, answering

from .conftest import House
from .test_examples import faults_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def model() -> Generator[Answers]:
    with answering() as made:
        yield made


@pytest.fixture
async def guest(tmp_path: Path, model: Answers) -> AsyncGenerator[httpx2.AsyncClient]:
    """Somebody at a service with a model, whose memory holds something."""
    async with open_memory(tmp_path / "m.db", embedder="none", background=False, **model.settings) as memory:
        await memory.save(NewObservation(text="Ana likes a seat at the window.", key="kept"))
        transport = httpx2.ASGITransport(app=make_app(memory, ServiceOptions()), raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


async def test_each_example_is_answered_as_the_document_says(guest: httpx2.AsyncClient, model: Answers) -> None:
    model.script = ["I have written to Ana."]
    document = (await guest.get("/openapi.json")).json()
    kept = (await guest.post("/v1/memory/store", json={"content": "soon gone"})).json()["id"]
    ran: list[str] = []
    for path, verbs in document["paths"].items():
        for verb, one in verbs.items():
            if not one["operationId"].startswith("rae."):
                continue
            named = {"memory_id": kept} if one["operationId"] == "rae.delete" else {}
            example = one["x-example"]
            params = {**example.get("query", {}), **named}
            answer = await guest.request(verb, path, json=example.get("body"), params=params)
            assert answer.is_success, answer.text
            assert faults_of(document, path, verb, answer) == []
            ran.append(one["operationId"].removeprefix("rae."))
    graph = ["graph_edges", "graph_extract", "graph_nodes", "graph_query", "graph_stats", "graph_subgraph"]
    assert sorted(ran) == ["delete", "execute", *graph, "query", "rebuild_reflections", "reflection_stats", "store"]


async def test_a_task_that_comes_twice_is_recorded_once(guest: httpx2.AsyncClient, model: Answers) -> None:
    model.script = ["It is done.", "It is done."]
    for _ in range(2):
        done = await guest.post(
            "/v1/agent/execute", json={"prompt": "Write to Ana"}, headers={"Idempotency-Key": "one"}
        )
        assert (done.status_code, done.json()["answer"]) == (200, "It is done.")
    found = (await guest.get("/v1/memories", params={"kinds": "message"})).json()["records"]
    assert sum(one["text"] == "Write to Ana" for one in found) == 1


async def test_what_is_stored_by_raes_names_keeps_its_time_and_is_stored_once(house: House) -> None:
    said = {"content": "The heron nests.", "timestamp": "2026-03-01T09:00:00+01:00"}
    async with house.guest() as guest:
        for layer in ("semantic", "episodic"):
            headers = {"Idempotency-Key": layer}
            stored = [
                (await guest.post("/v1/memory/store", json={**said, "layer": layer}, headers=headers)).json()
                for _ in range(2)
            ]
            assert stored[0]["id"] == stored[1]["id"]
            found = await house.memory.get(stored[0]["id"])
            assert found.occurred_at.isoformat() == "2026-03-01T08:00:00+00:00"
        refused = await guest.post("/v1/memory/store", json={**said, "timestamp": "2026-03-01T09:00:00"})
        assert refused.status_code == 422
        assert "time zone" in refused.json()["detail"]


async def test_layer_and_type_come_back_as_they_were_stored_and_can_be_asked_by(house: House) -> None:
    async with house.guest() as guest:
        for layer in ("semantic", "reflective", "episodic"):
            said = {"content": f"The heron nests, {layer}.", "layer": layer, "type": f"field note {layer}"}
            stored = (await guest.post("/v1/memory/store", json=said)).json()
            asked = {"query_text": "Where does the heron nest?"}
            for filter in ({"layers": [layer]}, {"types": [f"field note {layer}"]}):
                found = (await guest.post("/v1/memory/query", json={**asked, **filter})).json()["results"]
                assert [(one["id"], one["layer"], one["type"]) for one in found] == [
                    (stored["id"], layer, said["type"])
                ]
            one = (await guest.get(f"/v1/memories/{stored['id']}")).json()
            assert one["layer"] == layer
            for filter in ({"layers": layer}, {"types": said["type"]}):
                listed = (await guest.get("/v1/memories", params=filter)).json()["records"]
                assert [one["id"] for one in listed] == [stored["id"]]
        refused = await guest.post("/v1/memory/query", json={**asked, "types": ["rumour"]})
        assert refused.status_code == 422
        assert "unknown observation type 'rumour'" in refused.json()["detail"]
