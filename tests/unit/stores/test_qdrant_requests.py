"""What is sent to a Qdrant server, and what becomes of its refusals; a stand-in answers, since none runs here."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from remembrancer.errors import InvalidInput, StoreError, StoreUnavailable
from remembrancer.storage.documents import DocumentVectors
from remembrancer.storage.qdrant import QdrantIndex

WORDING = DocumentVectors(document=7 << 32, scope="11" * 32, passages=np.eye(4, dtype=np.float32)[:2])
QUERY = np.eye(4, dtype=np.float32)[0]


class StandIn:
    """Answers as the reference of the server's HTTP interface says, and keeps what it was asked."""

    def __init__(self) -> None:
        self.status = 200
        self.exists = False
        self.asked: list[tuple[str, str, Any]] = []
        self.keys: set[str | None] = set()
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                stand_in.keys.add(self.headers.get("api-key"))
                stand_in.asked.append((self.command, self.path.partition("?")[0], json.loads(body) if body else None))
                answer = json.dumps({"status": "ok", "time": 0.0, "result": stand_in.result(self.command, self.path)})
                self.send_response(stand_in.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer.encode())

            do_GET = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def result(self, method: str, path: str) -> Any:
        match method, path.partition("?")[0].split("/")[3:]:
            case _, ["exists"]:
                return {"exists": self.exists}
            case "PUT" | "DELETE", []:
                self.exists = method == "PUT"
                return True
            case _, ["points", "query"]:
                point = {"id": 1, "version": 0, "score": 0.5, "payload": {"document": 7 << 32}}
                return {"points": [point] if self.exists else []}
            case _, ["points", "batch"]:
                return [{"operation_id": 0, "status": "completed"}] * 2
            case "GET", []:
                return {
                    "collections": [{"name": "test-3"}, {"name": "test-12"}, {"name": "other-4"}, {"name": "test-x"}]
                }
            case _:
                return {"operation_id": 0, "status": "completed"}


@pytest.fixture
def server() -> Iterator[StandIn]:
    stand_in = StandIn()
    thread = threading.Thread(target=stand_in.server.serve_forever, args=(0.01,))
    thread.start()
    yield stand_in
    stand_in.server.shutdown()
    thread.join()
    stand_in.server.server_close()


@pytest.fixture
def index(server: StandIn) -> Iterator[QdrantIndex]:
    index = QdrantIndex(server.url, collection="test", seconds=1)
    yield index
    index.close()


def test_a_collection_is_made_for_tenants_of_scopes_before_anything_is_put(server: StandIn, index: QdrantIndex) -> None:
    index.put([WORDING], generation=3)
    index.put([WORDING], generation=3)

    methods = [(method, path.removeprefix("/collections/test-3")) for method, path, _ in server.asked]
    put = ("POST", "/points/batch")
    assert methods == [("GET", "/exists"), ("PUT", ""), ("PUT", "/index"), ("PUT", "/index"), put, put]
    assert server.asked[1][2]["vectors"] == {"size": 4, "distance": "Cosine"}
    assert server.asked[2][2] == {"field_name": "scope", "field_schema": {"type": "keyword", "is_tenant": True}}
    assert server.asked[3][2] == {"field_name": "document", "field_schema": "integer"}


def test_a_point_carries_its_number_and_the_fingerprint_of_its_scope_alone(server: StandIn, index: QdrantIndex) -> None:
    index.put([WORDING], generation=3)

    removed, stored = server.asked[-1][2]["operations"]
    assert removed["delete"]["filter"]["must"] == [{"key": "document", "match": {"any": [7 << 32]}}]
    points = stored["upsert"]["points"]
    assert [point["payload"] for point in points] == [{"scope": "11" * 32, "document": 7 << 32}] * 2
    assert [point["vector"] for point in points] == WORDING.passages.tolist()
    assert len({point["id"] for point in points}) == 2
    index.put([WORDING], generation=3)
    assert server.asked[-1][2]["operations"][1]["upsert"]["points"] == points


def test_a_question_names_its_scopes(server: StandIn, index: QdrantIndex) -> None:
    server.exists = True
    found = index.nearest(QUERY, scopes=["11" * 32, "22" * 32], generation=3, limit=4)

    assert (found.documents.tolist(), found.cosines.tolist()) == ([7 << 32], [0.5])
    asked = server.asked[-1][2]
    assert asked["filter"]["must"] == [{"key": "scope", "match": {"any": ["11" * 32, "22" * 32]}}]
    assert (asked["query"], asked["limit"]) == ({"nearest": QUERY.tolist()}, 8)


def test_only_collections_of_its_own_name_are_its_generations(index: QdrantIndex) -> None:
    assert index.generations() == [3, 12]


@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_the_key_is_sent(server: StandIn) -> None:
    index = QdrantIndex(server.url, collection="test", api_key="a key")
    index.generations()
    index.close()

    assert server.keys == {"a key"}


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (401, StoreError, "REMEMBRANCER_QDRANT_API_KEY"),
        (403, StoreError, "REMEMBRANCER_QDRANT_API_KEY"),
        (400, StoreError, "index rebuild"),
        (500, StoreUnavailable, "HTTP 500"),
        (503, StoreUnavailable, "HTTP 503"),
    ],
)
def test_a_refusal_becomes_an_error_of_ours(
    server: StandIn, index: QdrantIndex, status: int, error: type[StoreError], told: str
) -> None:
    server.status = status
    for work in (
        lambda: index.put([WORDING], generation=3),
        lambda: index.nearest(QUERY, scopes=["11" * 32], generation=3, limit=1),
        index.generations,
    ):
        with pytest.raises(StoreError, match=told) as raised:
            work()
        assert type(raised.value) is error


def test_a_collection_that_another_process_dropped_is_made_again(server: StandIn, index: QdrantIndex) -> None:
    index.put([WORDING], generation=3)
    server.status, server.exists = 404, False
    with pytest.raises(StoreUnavailable):
        index.put([WORDING], generation=3)
    server.status = 200
    server.asked.clear()

    index.put([WORDING], generation=3)
    assert ("PUT", "/collections/test-3") in [(method, path) for method, path, _ in server.asked]


def test_where_nobody_listens_the_index_is_unavailable(server: StandIn) -> None:
    index = QdrantIndex("http://127.0.0.1:9", collection="test", seconds=1)
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        index.generations()
    index.close()


def test_an_address_of_another_kind_is_refused() -> None:
    with pytest.raises(InvalidInput, match="ftp://"):
        QdrantIndex("ftp://127.0.0.1", collection="test")
