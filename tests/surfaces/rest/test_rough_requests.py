"""What comes slowly, too large, malformed or twice, or goes away: the right status, and nothing half-done."""

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import psutil
import pytest

from remembrancer import SyncClient, Unauthenticated
from remembrancer.service.server.protocol import HEAD_SECONDS
from tests.serving import Running, serving, started, stopped

pytestmark = pytest.mark.timeout(110)
JSON = "Content-Type: application/json"
LIMITS = {
    "REMEMBRANCER_SERVICE_BYTES": "2000",
    "REMEMBRANCER_SERVICE_BODY_SECONDS": "0.5",
    "REMEMBRANCER_SERVICE_RATE": "1000",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("rough")
    with serving(str(folder / "m.db"), folder / "log", env=LIMITS) as found:
        yield found


def raw(running: Running, sent: bytes, *, patience: float = 10.0) -> bytes:
    """What the service says to some bytes, until it ends the connection."""
    host, _, port = running.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=patience) as line:
        line.sendall(sent)
        told = b""
        while piece := line.recv(65_536):
            told += piece
    return told


def head(path: str, *more: str, verb: str = "POST") -> bytes:
    return "\r\n".join((f"{verb} {path} HTTP/1.1", "Host: localhost", *more, "", "")).encode()


def test_a_body_that_is_too_large_is_refused_before_it_is_read(running: Running) -> None:
    announced = raw(running, head("/v1/messages", JSON, "Content-Length: 100000", "Connection: close"))
    assert b" 413 " in announced
    assert b"too-large" in announced
    with httpx2.Client(base_url=running.url) as http:
        chunks = http.post("/v1/messages", content=iter([b"x" * 1_000] * 5))
    assert (chunks.status_code, chunks.json()["code"]) == (413, "too-large")


def test_a_body_that_does_not_come_is_waited_for_and_then_refused(running: Running) -> None:
    told = raw(running, head("/v1/messages", JSON, "Content-Length: 50", "Connection: close") + b"{")
    assert b" 408 " in told
    assert b"body-too-slow" in told


@pytest.mark.parametrize("sent", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\x00\x01\x02\r\n\r\n"])
def test_what_is_no_http_is_refused_and_the_line_ended(running: Running, sent: bytes) -> None:
    assert b" 400 " in raw(running, sent)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"{", 422),
        (b'{"text": 5}', 422),
        (b'{"txt": "x"}', 422),
        (b'{"text": "a\\u0000b"}', 422),
        (b'{"text": "\\ud800"}', 422),
        (b'{"text": "x", "occurred_at": "yesterday"}', 422),
        (b"\xff\xfe", 422),
        (b"[]", 422),
    ],
)
def test_what_is_malformed_says_where_and_repeats_nothing(running: Running, sent: bytes, status: int) -> None:
    with httpx2.Client(base_url=running.url) as http:
        answer = http.post("/v1/messages", content=sent, headers={"Content-Type": "application/json"})
        before = http.get("/v1/stats").json()["records"]
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "invalid-input"
    assert before == {}


def test_who_goes_before_the_answer_leaves_nothing_half_done(running: Running) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    body = b'{"text": "gone before the answer", "key": "gone"}'
    for _ in range(20):
        with socket.create_connection((host, int(port))) as line:
            line.sendall(head("/v1/messages", JSON, f"Content-Length: {len(body)}", "X-Tenant-ID: gone") + body)
    with SyncClient(running.url, tenant="gone") as memory:
        memory.record("gone before the answer", key="gone")
        assert memory.admin.stats().records == {"message/active": 1}


def test_a_request_that_is_replayed_is_done_once(running: Running) -> None:
    headers = {"Idempotency-Key": "once", "X-Tenant-ID": "replay"}
    with httpx2.Client(base_url=running.url, headers=headers) as http:
        body = {"messages": [{"text": "first"}, {"text": "second"}]}
        first, again = (http.post("/v1/messages/batch", json=body) for _ in range(2))
        other = http.post("/v1/messages/batch", json={"messages": [{"text": "third"}]})
        count = http.get("/v1/stats").json()["records"]
    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert first.json() == again.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert count == {"message/active": 2}


def test_an_error_that_is_replayed_is_the_same_problem(running: Running) -> None:
    headers = {"Idempotency-Key": "wrong", "X-Tenant-ID": "replay"}
    with httpx2.Client(base_url=running.url, headers=headers) as http:
        body = {"observations": [{"text": "tea", "source": "nowhere"}]}
        first, again = (http.post("/v1/observations/batch", json=body) for _ in range(2))
    assert (first.status_code, again.status_code) == (422, 422)
    assert first.json() == again.json()
    assert first.headers["Content-Type"] == again.headers["Content-Type"] == "application/problem+json"
    assert again.headers["Idempotency-Replayed"] == "true"


def test_an_import_that_is_begun_twice_under_one_key_is_one_job(running: Running) -> None:
    headers = {"Idempotency-Key": "begin", "X-Tenant-ID": "twice"}
    with httpx2.Client(base_url=running.url, headers=headers) as http:
        begun = [http.post("/v1/jobs/import", content=b'{"role": "user", "content": "I moved"}\n') for _ in range(2)]
        assert [one.status_code for one in begun] == [202, 202]
        assert begun[0].json()["id"] == begun[1].json()["id"]
        assert begun[1].headers["Idempotency-Replayed"] == "true"
        assert http.post("/v1/jobs/import", content=b'{"role": "user", "content": "no"}\n').status_code == 409


def test_what_has_changed_is_not_written_over(running: Running) -> None:
    with httpx2.Client(base_url=running.url, headers={"X-Tenant-ID": "tags"}) as http:
        id = http.post("/v1/observations", json={"text": "tea"}).json()["record"]["id"]
        read = http.get(f"/v1/memories/{id}")
        assert http.get(f"/v1/memories/{id}", headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
        tag = {"If-Match": read.headers["ETag"]}
        assert http.patch(f"/v1/observations/{id}", json={"text": "coffee"}, headers=tag).status_code == 200
        late = http.patch(f"/v1/observations/{id}", json={"text": "cocoa"}, headers=tag)
        gone = http.request("DELETE", f"/v1/memories/{id}", headers=tag)
    assert (late.status_code, late.json()["code"], gone.status_code) == (412, "outdated", 412)


def test_names_with_slashes_and_other_signs_are_reached(running: Running) -> None:
    with SyncClient(running.url, tenant="signs") as memory:
        for key in ("a/b", "ü%2F", "a b?c#d", "日本"):
            memory.facts.set(key, key)
            assert memory.facts.get(key).details.value == key
        memory.record("hello", session="a/b/log")
        assert memory.sessions.stats("a/b/log").messages == 1


def test_a_reader_of_events_misses_nothing_and_does_not_hold_up_a_stop(tmp_path: Path) -> None:
    running = started(str(tmp_path / "m.db"), tmp_path / "log")
    try:
        with httpx2.Client(base_url=running.url, timeout=10.0) as http:
            with http.stream("GET", "/v1/events") as answer:
                lines = answer.iter_lines()
                place = next(lines).removeprefix("id: ")
            claims = [http.post("/v1/observations", json={"text": f"claim {n}"}).json() for n in range(3)]
            saved = [claim["record"]["id"] for claim in claims]
            told: list[str] = []
            with http.stream("GET", "/v1/events", headers={"Last-Event-ID": place}) as answer:
                for line in answer.iter_lines():
                    told += [id for id in saved if line.startswith("data:") and id in line]
                    if len(told) == 3:
                        break
                assert sorted(told) == sorted(saved)
                began = time.monotonic()
                # uvicorn ends by the signal that it was sent.
                assert stopped(running) in (0, -signal.SIGTERM)
        assert time.monotonic() - began < 10
    finally:
        stopped(running, kill=True)


@pytest.mark.slow
def test_readers_who_never_read_cost_nothing_and_hold_nobody_up(running: Running) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    process = psutil.Process(running.process.pid)
    with ExitStack() as stack, SyncClient(running.url, tenant="idle") as memory:
        for _ in range(40):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
            line.connect((host, int(port)))
            line.sendall(head("/v1/events", "X-Tenant-ID: idle", verb="GET"))
        for number in range(40):
            memory.save(f"before {number}")
        before = process.memory_info().rss
        for number in range(300):
            memory.save(f"claim {number}")
        assert process.memory_info().rss - before < 30 * 2**20
        assert sum(memory.admin.stats().records.values()) == 340


@pytest.mark.parametrize("line", ["Origin: http://[", "Host: [", "Host: [::1"])
@pytest.mark.parametrize("path", ["/v1/stats", "/health", "/mcp"])
def test_a_name_that_is_none_is_refused(running: Running, path: str, line: str) -> None:
    host = () if line.startswith("Host") else ("Host: localhost",)
    sent = "\r\n".join((f"GET {path} HTTP/1.1", *host, line, "Connection: close", "", "")).encode()
    status = int(raw(running, sent).split(b" ")[1])
    # Nobody's name is needed where nothing is told.
    assert status in ((200, 403, 421) if path == "/health" else (403, 421))


@pytest.mark.slow
def test_a_head_that_does_not_come_is_not_waited_for_without_end(running: Running) -> None:
    def waited(sent: bytes) -> float:
        began = time.monotonic()
        assert raw(running, sent, patience=HEAD_SECONDS + 10) == b""
        return time.monotonic() - began

    with ThreadPoolExecutor() as threads:
        for seconds in threads.map(waited, (b"", b"GET /health HTTP/1.1\r\nHost: local")):
            assert HEAD_SECONDS - 1 < seconds < HEAD_SECONDS + 5


@pytest.mark.parametrize(("path", "asked"), [("/v1/recall", b'{"question": "heron"}'), ("/v1/context", b"{}")])
def test_who_gives_up_waiting_leaves_the_service_as_it_was(running: Running, path: str, asked: bytes) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    for _ in range(60):
        with socket.create_connection((host, int(port))) as line:
            line.sendall(head(path, JSON, f"Content-Length: {len(asked)}") + asked)
    with httpx2.Client(base_url=running.url, headers={"Content-Type": "application/json"}) as http:
        assert http.post(path, content=asked).status_code == 200
        told = http.get("/metrics").text
    assert re.findall(r'remembrancer_requests_total\{origin="rest",route="\w+",status="5\d\d"\}', told) == []
    assert "Traceback" not in running.text()


def test_an_address_that_others_reach_takes_a_key_and_says_how_to_make_one(tmp_path: Path) -> None:
    db = str(tmp_path / "m.db")
    refused = started(db, tmp_path / "log", "--host", "0.0.0.0", is_ready=False)
    assert refused.process.wait(timeout=30) == 2
    assert "remembrancer admin keys create" in refused.text()
    assert "serving at" not in refused.text()
    key = key_of(db)
    with serving(db, tmp_path / "log", "--host", "0.0.0.0") as running:
        with SyncClient(running.url) as nobody, pytest.raises(Unauthenticated):
            nobody.list()
        with SyncClient(running.url, key=key) as memory:
            assert memory.save("tea").outcome == "created"


def key_of(db: str) -> str:
    """An access key that the command line has made."""
    command = [sys.executable, "-m", "remembrancer", "admin", "keys", "create", "bot", "--json", "--db", db]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)["token"]


@pytest.mark.slow
def test_what_was_acknowledged_outlives_a_kill(tmp_path: Path) -> None:
    db, kept = str(tmp_path / "m.db"), list[str]()
    running = started(db, tmp_path / "log")
    try:
        with SyncClient(running.url, retries=0) as memory:
            kept = [memory.record(f"message {n}", session="s").id for n in range(30)]
            stopped(running, kill=True)
    finally:
        stopped(running, kill=True)
    with serving(db, tmp_path / "log") as again, SyncClient(again.url) as memory:
        assert {record.id for record in memory.list(limit=100).records} == set(kept)


def test_the_numbers_are_those_of_what_was_done_and_name_no_user(running: Running) -> None:
    with SyncClient(running.url, tenant="numbers", user="ana-maria") as memory:
        memory.record("The heron nests here")
        memory.recall("Which violinist played in Kyoto?")
    told = httpx2.get(f"{running.url}/metrics").text
    assert 'remembrancer_records_total{agent="",kind="message",tenant="numbers"} 1.0' in told
    assert 'remembrancer_abstentions_total{agent="",tenant="numbers"} 1.0' in told
    assert 'remembrancer_requests_total{origin="rest",route="record",status="201"}' in told
    assert "ana-maria" not in told
    assert "ana-maria" not in running.text()
    assert "heron" not in running.text()
