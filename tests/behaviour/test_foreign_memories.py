"""Memories of other programs: stored once, as their source changes, and not again once erased or rejected."""

import json
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pytest

from remembrancer import ChatFile, Filter, InvalidInput, Memory, Observation, Scope
from remembrancer.ingest.file_import import ImportedFile

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
ANA = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Ana sails", "owns a boat"]}
ANAS = Scope(user="ana")
FACT = {
    "id": "m1",
    "memory": "Ana prefers oak",
    "user_id": "ana",
    "created_at": "2026-01-01T10:00:00Z",
    "updated_at": "2026-01-01T10:00:00Z",
}


def a_file(name: str, *values: Any) -> ChatFile:
    content = "".join(f"{json.dumps(value)}\n" for value in values)
    return ChatFile.of(BytesIO(content.encode()), name=name)


async def imported(memory: Memory, name: str, *values: Any) -> ImportedFile:
    return await memory.messages.import_file(a_file(name, *values))


async def texts(memory: Memory) -> list[str]:
    page = await memory.list(Filter(kinds=("observation",)), limit=100)
    return sorted(one.text for one in page.records)


@requirement("imports.memories-once")
async def test_a_memory_is_stored_once_with_what_it_had(opener: Opener) -> None:
    memory = await opener()
    first = await imported(memory, "memory.jsonl", ANA)
    again = await imported(memory, "copy.jsonl", ANA)
    assert (first.created, first.deduped, first.kinds) == (2, 0, {"observation": 2})
    assert (again.created, again.deduped) == (0, 2)
    assert await texts(memory) == ["Ana sails", "Ana: owns a boat"]
    await imported(memory, "mem0.json", {"results": [FACT]})
    (found,) = (await memory.within(ANAS).list(Filter(authors=("mem0",)))).records
    assert isinstance(found, Observation)
    assert (found.source, found.topic_key, found.scope.user) == ("import", "mem0/m1", "ana")
    assert found.occurred_at == datetime(2026, 1, 1, 10, tzinfo=UTC)


@requirement("imports.memories-follow")
async def test_a_changed_memory_replaces_the_earlier_one(opener: Opener) -> None:
    memory = (await opener()).within(ANAS)
    await imported(memory, "mem0.json", {"results": [FACT]})
    later = {**FACT, "memory": "Ana prefers ash", "updated_at": "2026-03-01T10:00:00Z"}
    assert (await imported(memory, "mem0.json", {"results": [later]})).created == 1
    assert await texts(memory) == ["Ana prefers ash"]
    older = {**FACT, "memory": "Ana prefers elm", "updated_at": "2026-02-01T10:00:00Z"}
    stale = await imported(memory, "mem0.json", {"results": [older]})
    assert (stale.created, [one.gap for one in stale.unread]) == (0, ["taken-key"])
    assert await texts(memory) == ["Ana prefers ash"]


@requirement("imports.erased-stays-away")
async def test_a_deleted_a_rejected_and_an_erased_memory_do_not_come_back(opener: Opener) -> None:
    memory = (await opener()).within(ANAS)
    facts = [{**FACT, "id": f"m{place}", "memory": f"Ana prefers wood {place}"} for place in range(4)]
    await imported(memory, "mem0.json", {"results": facts})
    found = {one.text[-1]: one.id for one in (await memory.list(Filter(kinds=("observation",)))).records}
    await memory.delete(found["0"])
    await memory.feedback(found["1"], "wrong")
    await memory.governance.erasure.erase(memories=[found["2"]], reason="a request")
    again = await imported(memory, "mem0.json", {"results": facts})
    assert again.created == 0
    assert again.erased == 1
    assert await texts(memory) == ["Ana prefers wood 3"]


@requirement("imports.memories-once")
async def test_the_same_file_in_another_scope_is_another_memory(opener: Opener) -> None:
    opened = await opener()
    memory, other = opened.within(ANAS), opened.within(Scope(user="bob"))
    for one in (memory, other):
        assert (await imported(one, "mem0.json", {"results": [FACT]})).created == 1
    own = {one.id for one in (await memory.list(Filter(kinds=("observation",)))).records}
    theirs = {one.id for one in (await other.list(Filter(kinds=("observation",), authors=("mem0",)))).records}
    assert len(own | theirs) == 2


@requirement("imports.own-users")
async def test_each_user_has_their_own_memories_alone(opener: Opener) -> None:
    memory = await opener()
    facts = [
        {**FACT, "id": user or agent or "all", "user_id": user, "agent_id": agent, "memory": f"{user} {agent} sails"}
        for user, agent in (("ana", "codie"), ("bob", None), (None, "codie"), (None, None))
    ]
    assert (await imported(memory, "mem0.json", {"results": facts})).created == 4
    assert (await imported(memory, "mem0.json", {"results": facts})).deduped == 4
    assert await texts(memory) == ["None None sails"]
    assert await texts(memory.within(ANAS)) == ["None None sails", "ana codie sails"]
    assert await texts(memory.within(Scope(user="bob"))) == ["None None sails", "bob None sails"]
    assert await texts(memory.within(Scope(agent="codie"))) == ["None None sails", "None codie sails"]
    bad = {**FACT, "user_id": "a" * 300}
    with pytest.raises(InvalidInput, match="item 1"):
        await imported(memory, "bad.json", {"results": [bad]})


@requirement("imports.memories-once")
async def test_secrets_of_a_memory_are_masked(opener: Opener) -> None:
    memory = await opener()
    secret = "ghp_" + "R4nd0mT0kenR4nd0mT0kenR4nd0mT0ken99"
    entity = {**ANA, "observations": [f"Ana's token is {secret}"]}
    result = await imported(memory, "memory.jsonl", entity)
    assert "changed-content" in [one.gap for one in result.unread]
    assert all(secret not in text for text in await texts(memory))


@requirement("imports.nothing-lost-in-silence")
async def test_a_memory_that_is_too_long_is_left_out_or_refuses_the_file(opener: Opener) -> None:
    memory = await opener()
    long = {**ANA, "observations": ["x" * 40_000, "Ana sails"]}
    with pytest.raises(Exception, match="more than 32 KiB"):
        await imported(memory, "memory.jsonl", long)
    assert await texts(memory) == []
    result = await memory.messages.import_file(a_file("memory.jsonl", long), skip_bad=True)
    assert (result.created, len(result.left_out)) == (1, 1)
