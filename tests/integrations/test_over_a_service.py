"""The integrations over a service: a `SyncClient` in the place of a `SyncMemory`."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import anyio
import pytest
from langchain_core.messages import HumanMessage

from remembrancer import ChatFile, Filter, InvalidInput, SyncClient
from remembrancer.integrations.anthropic import RemembrancerMemoryTool
from remembrancer.integrations.langchain import RemembrancerChatMessageHistory
from remembrancer.integrations.langgraph import RemembrancerStore
from remembrancer.integrations.mem0 import Memory
from remembrancer.integrations.openai_agents import RemembrancerSession
from remembrancer.integrations.pydantic_ai import load_history
from tests.serving import serving


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SyncClient]:
    folder: Path = tmp_path_factory.mktemp("service")
    with serving(str(folder / "memory.db"), folder / "log") as running, SyncClient(running.url) as client:
        yield client


def test_each_integration_reads_what_it_wrote(client: SyncClient) -> None:
    store = RemembrancerStore(client, scopes=[("memories", "{user}")])
    store.put(("memories", "ana"), "k", {"content": "likes tea"})
    assert [item.value for item in store.search(("memories",))] == [{"content": "likes tea"}]
    assert store.list_namespaces() == [("memories", "ana")]

    session, items = RemembrancerSession("talk", client), [{"role": "user", "content": "hi"}]
    stored: Any = items
    anyio.run(session.add_items, stored)
    assert anyio.run(session.get_items) == items

    history = RemembrancerChatMessageHistory("chain", client)
    history.add_messages([HumanMessage("hello")])
    assert history.messages == [HumanMessage("hello")]
    assert load_history(client, "nothing") == []

    tool = RemembrancerMemoryTool(client)
    tool.call({"command": "create", "path": "/memories/a", "file_text": "one"})
    assert str(tool.call({"command": "view", "path": "/memories/a"})).endswith("1\tone")


def test_an_id_of_mem0_is_that_memory_and_no_other(client: SyncClient) -> None:
    face = Memory(client)
    first = face.add("Ana likes tea", user_id="ana", infer=False)["results"][0]["id"]
    face.add("Ben likes coffee", user_id="ben", infer=False)
    found: Any = face.get(first)
    assert found["memory"] == "Ana likes tea"
    face.delete(first)
    assert face.get(first) is None
    assert [one["memory"] for one in face.get_all(filters={"user_id": "ben"})["results"]] == ["Ben likes coffee"]


def test_an_import_tells_the_form_and_the_time_zone(client: SyncClient) -> None:
    chat = b"[01.02.26, 10:00:00] Ana: See you at the pier\n"
    file = ChatFile.of(BytesIO(chat), name="chat.txt")
    berlin = replace(file, form="whatsapp", zone=ZoneInfo("Europe/Berlin"))
    assert client.messages.import_file(berlin).created == 1
    (message,) = client.list(
        Filter(kinds=("message",), since=datetime(2026, 2, 1, tzinfo=UTC), until=datetime(2026, 2, 2, tzinfo=UTC))
    ).records
    assert message.occurred_at == datetime(2026, 2, 1, 9, tzinfo=UTC)
    with pytest.raises(InvalidInput, match="no form 'whatsup'"):
        client.messages.import_file(replace(file, form="whatsup"))
    with pytest.raises(InvalidInput, match="maps no fields"):
        client.messages.import_file(replace(file, mapping={"text": "body"}))
    with pytest.raises(InvalidInput, match="has no name"):
        client.messages.import_file(replace(file, zone=timezone(timedelta(hours=1))))
