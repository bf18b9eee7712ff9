"""Spans of OpenTelemetry: a request, what was recalled for it and the model, in one trace and without a text."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from anyio.to_thread import run_sync
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from remembrancer import open_memory
from remembrancer.service.mcp.server import http_app, make_server
from remembrancer.service.rest.app import make_app
from remembrancer.service.rest.options import ServiceOptions
from remembrancer.service.server.service import request_tracer
from tests.answers import Answers, answering

pytestmark = pytest.mark.anyio
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


@pytest.fixture
def told() -> InMemorySpanExporter:
    """Where spans go. There is one provider for a process, and each test hangs its own exporter to it."""
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    exporter = InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return exporter


@pytest.fixture
def model() -> Generator[Answers]:
    with answering() as made:
        yield made


@pytest.fixture
async def guest(tmp_path: Path, model: Answers) -> AsyncGenerator[httpx2.AsyncClient]:
    given: dict[str, Any] = {
        "embedder": "none",
        "background": False,
        "agent": "clerk",
        "user": "ana",
        "spans": True,
        **model.settings,
    }
    serving = ServiceOptions(trace=await run_sync(request_tracer))
    server = await run_sync(make_server, None)
    mcp = http_app(server, bytes=serving.bytes)
    async with open_memory(tmp_path / "m.db", **given) as memory, server.session_manager.run():
        transport = httpx2.ASGITransport(app=make_app(memory, serving, mcp=mcp), raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


def named(told: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in told.get_finished_spans()}


def place(span: ReadableSpan) -> tuple[int, int]:
    """In which trace it is, and which span of it."""
    found = span.get_span_context()
    assert found is not None
    return found.trace_id, found.span_id


async def test_a_request_is_one_trace_from_its_caller_to_the_model(
    told: InMemorySpanExporter, guest: httpx2.AsyncClient, model: Answers
) -> None:
    await guest.post("/v1/observations", json={"text": "The gateway stands in Kestrel Street."})
    model.script = ["Kestrel Street [1]."]
    headers = {"traceparent": f"00-{TRACE}-{PARENT}-01", "X-Request-ID": "asked"}
    answer = await guest.post("/v1/ask", json={"question": "Where does the gateway stand?"}, headers=headers)
    assert answer.status_code == 200, answer.text
    found = named(told)
    request, recall, call = found["rest ask"], found["recall"], found["chat small"]
    assert request.parent is not None
    assert (f"{place(request)[0]:032x}", f"{request.parent.span_id:016x}") == (TRACE, PARENT)
    for inner in (recall, call):
        assert inner.parent is not None
        assert (inner.parent.trace_id, inner.parent.span_id) == place(request)
        assert inner.start_time is not None
        assert inner.end_time is not None
        assert 0 < inner.end_time - inner.start_time < 10**10
    assert (request.kind, call.kind) == (SpanKind.SERVER, SpanKind.CLIENT)
    assert request.attributes is not None
    assert call.attributes is not None
    assert request.attributes["http.response.status_code"] == 200
    assert request.attributes["remembrancer.request_id"] == call.attributes["remembrancer.request_id"] == "asked"
    assert call.attributes["gen_ai.request.model"] == "small"
    assert call.attributes["gen_ai.usage.input_tokens"] == 100
    # No digits: random ones are in every identifier of a span.
    everything = " ".join(span.to_json() for span in told.get_finished_spans()).casefold()
    assert not [word for word in ("kestrel", "gateway", "ana") if word in everything]


async def test_a_tool_is_told_by_its_name_alone(told: InMemorySpanExporter, guest: httpx2.AsyncClient) -> None:
    called = {"name": "mem_save", "arguments": {"text": "The gateway is closed.", "type": "no such type"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    answer = await guest.post("/mcp", json=asked, headers=headers)
    assert answer.json()["result"]["isError"], answer.text
    assert list(named(told)) == ["mcp mem_save"]
    assert not [word for span in told.get_finished_spans() for word in ("gateway", "no such") if word in span.to_json()]


async def test_what_fails_is_said_and_another_request_is_another_trace(
    told: InMemorySpanExporter, guest: httpx2.AsyncClient, model: Answers
) -> None:
    await guest.post("/v1/observations", json={"text": "The gateway listens at port 8077."})
    model.script = ["no answer that cites"] * 2
    await guest.get("/v1/memories/nothing")
    found = told.get_finished_spans()
    assert len({place(span)[0] for span in found}) == len(found) == 2
    assert [event.name for span in found for event in span.events] == ["wrote"]
    assert all(span.status.status_code is not StatusCode.ERROR for span in found)
