"""The calls of Mem0 on a memory. The shapes are those that Mem0 2.2.1 returned."""

import hashlib
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import anyio
import pytest

from remembrancer import Scope, SyncMemory
from remembrancer.integrations.mem0 import AsyncMemory, Memory

TEA = [{"role": "user", "content": "I like green tea", "name": "ann"}, {"role": "system", "content": "Be brief."}]


def test_the_answers_have_the_shapes_of_mem0(either_memory: SyncMemory) -> None:
    memory = Memory(either_memory)
    added = memory.add(TEA, user_id="u1", metadata={"k": 1}, infer=False)
    id = added["results"][0]["id"]
    assert added == {
        "results": [{"id": id, "memory": "I like green tea", "event": "ADD", "actor_id": "ann", "role": "user"}]
    }
    item = memory.get(id)
    assert item is not None
    assert {name: value for name, value in item.items() if name not in ("created_at", "updated_at")} == {
        "id": id,
        "memory": "I like green tea",
        "hash": hashlib.md5(b"I like green tea").hexdigest(),
        "metadata": {"k": 1},
        "score": None,
        "user_id": "u1",
        "actor_id": "ann",
        "role": "user",
    }
    (found,) = memory.search("tea", filters={"user_id": "u1"})["results"]
    assert {**found, "score": None} == item
    assert 0.1 <= found["score"] <= 1
    assert memory.get_all(filters={"user_id": "u1"}) == {"results": [{k: v for k, v in item.items() if k != "score"}]}

    assert memory.update(id, text="I like black tea", metadata={"j": 2}) == {"message": "Memory updated successfully!"}
    changed: Any = memory.get(id)
    assert (changed["memory"], changed["metadata"]) == ("I like black tea", {"k": 1, "j": 2})
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in memory.history(id)] == [
        ("ADD", None, "I like green tea"),
        ("UPDATE", "I like green tea", "I like black tea"),
    ]
    assert memory.delete(id) == {"message": "Memory deleted successfully!"}
    assert (memory.get(id), memory.history(id)) == (None, [])


def test_what_is_inferred_without_a_model_are_the_sentences_to_keep(either_memory: SyncMemory) -> None:
    memory = Memory(either_memory)
    said = [
        {"role": "user", "content": "I'm a vegetarian and allergic to nuts."},
        {"role": "assistant", "content": "Noted."},
    ]
    results = memory.add(said, user_id="u1", run_id="r1", metadata={"from": "chat"})["results"]
    assert [(one["memory"], one["event"]) for one in results] == [
        ("The user: I'm a vegetarian and allergic to nuts.", "ADD")
    ]
    assert memory.add("Thanks!", user_id="u1", run_id="r1") == {"results": []}
    assert [one["metadata"] for one in memory.get_all(filters={"user_id": "u1", "from": "chat"})["results"]] == [
        {"from": "chat"}
    ]
    # The messages themselves are recorded, too.
    assert len(either_memory.within(Scope(user="u1")).timeline.between().records) == 4


def test_users_and_agents_are_isolated(memory: SyncMemory) -> None:
    face = Memory(memory)
    face.add("Ana likes tea", user_id="ana", agent_id="a1", infer=False)
    face.add("Ben likes tea", user_id="ben", infer=False)
    face.add("The agent books flights", agent_id="a1", infer=False)
    face.add("A run about tea", run_id="r1", infer=False)

    def texts(**filters: Any) -> list[str]:
        return sorted(one["memory"] for one in face.get_all(filters=filters)["results"])

    assert texts(user_id="ana") == texts(user_id="ana", agent_id="a1") == ["Ana likes tea"]
    assert texts(user_id="ana", agent_id="a2") == []
    assert texts(agent_id="a1") == ["The agent books flights"]
    assert texts(run_id="r1") == ["A run about tea"]
    assert [one["memory"] for one in face.search("tea", filters={"user_id": "ben"})["results"]] == ["Ben likes tea"]
    assert face.delete_all(user_id="ana") == {"message": "Memories deleted successfully!"}
    assert (texts(user_id="ana"), texts(user_id="ben")) == ([], ["Ben likes tea"])


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"n": 2}, [2]),
        ({"n": {"gt": 1, "lte": 3}}, [2, 3]),
        ({"n": {"in": [1, 3]}}, [1, 3]),
        ({"n": {"nin": [1, 3]}}, [2]),
        ({"n": {"ne": 2}}, [1, 3]),
        ({"s": {"icontains": "B"}}, [2]),
        ({"s": "*"}, [1, 2, 3]),
        ({"missing": "*"}, []),
        ({"AND": [{"n": {"gte": 2}}, {"s": {"contains": "c"}}]}, [3]),
        ({"OR": [{"n": 1}, {"n": 3}]}, [1, 3]),
        ({"NOT": [{"n": 1}]}, [2, 3]),
        ({"n": {"gt": "text"}}, []),
    ],
)
def test_filters(memory: SyncMemory, conditions: dict[str, Any], expected: list[int]) -> None:
    face = Memory(memory)
    for number, letter in ((1, "a"), (2, "b"), (3, "c")):
        face.add(f"heron {letter}", user_id="u", metadata={"n": number, "s": letter}, infer=False)
    for found in (
        face.get_all(filters={"user_id": "u", **conditions}),
        face.search("heron", filters={"user_id": "u", **conditions}),
    ):
        assert sorted(one["metadata"]["n"] for one in found["results"]) == expected
    assert len(face.get_all(filters={"user_id": "u"}, top_k=2)["results"]) == 2


Call = Callable[[Memory], object]
MISTAKES: list[tuple[Call, str]] = [
    (lambda face: face.get_all(user_id="u"), "get_all expects user_id in filters"),
    (lambda face: face.search("x", user_id="u"), "search expects user_id in filters"),
    (lambda face: face.search("x", limit=3, filters={"user_id": "u"}), "search has no argument limit"),
    (lambda face: face.search("x"), "filters must contain at least one of user_id, agent_id, run_id"),
    (lambda face: face.get_all(filters={"user_id": "u"}, top_k=0), "top_k must be a whole number from 1"),
    (lambda face: face.get_all(filters={"user_id": "u", "n": {"like": 1}}), "unknown operator 'like'"),
    (lambda face: face.add("x"), "at least one of user_id, agent_id, run_id must be set"),
    (lambda face: face.add("x", user_id="a b"), "must not contain white space"),
    (lambda face: face.add("x", user_id="u", memory_type="procedural_memory"), "not supported"),
    (lambda face: face.delete("nope"), "Memory with id nope not found"),
    (lambda face: face.update("nope", text="x"), "Memory with id nope not found"),
    (lambda face: face.update("nope"), "update needs text, metadata or expiration_date"),
    (lambda face: face.delete_all(), "at least one of user_id, agent_id, run_id must be set"),
    (lambda _: Memory.from_config({"vector_store": {}, "embedder": {}}), "vector_store configures Mem0"),
]


@pytest.mark.parametrize(("call", "message"), MISTAKES)
def test_wrong_input_is_a_value_error_that_names_the_change(memory: SyncMemory, call: Call, message: str) -> None:
    face = Memory(memory)
    face.add("x", user_id="u", infer=False)
    with pytest.raises(ValueError, match=message):
        call(face)


def test_an_expired_memory_is_hidden(memory: SyncMemory) -> None:
    face = Memory(memory)
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    face.add("x", user_id="u", infer=False, expiration_date=tomorrow.isoformat())
    assert face.get_all(filters={"user_id": "u"})["results"][0]["expiration_date"] == tomorrow.isoformat()
    with pytest.raises(ValueError, match="is in the past"):
        face.add("y", user_id="u", infer=False, expiration_date=date(2020, 1, 1))


def test_the_asynchronous_face_does_the_same() -> None:
    async def run() -> list[Any]:
        face = AsyncMemory(":memory:", embedder="none")
        id = (await face.add("Ana likes tea", user_id="ana", infer=False))["results"][0]["id"]
        found = (await face.search("tea", filters={"user_id": "ana"}))["results"]
        await face.update(id, text="Ana likes coffee")
        rows = await face.history(id)
        await face.delete(id)
        everything = await face.get_all(filters={"user_id": "ana"})
        await face.delete_all(user_id="ana")
        gone = await face.get(id)
        await face.close()
        return [len(found), len(rows), everything, gone]

    assert anyio.run(run) == [1, 2, {"results": []}, None]


def test_one_text_in_two_runs_is_two_memories(either_memory: SyncMemory) -> None:
    memory = Memory(either_memory)
    for run in ("r1", "r2", "r2"):
        memory.add("I like green tea", user_id="u1", run_id=run, metadata={"run": run}, infer=False)
    filters = [{"user_id": "u1", "run_id": run} for run in ("r1", "r2")]
    assert [len(memory.get_all(filters=one)["results"]) for one in filters] == [1, 1]
    memory.delete_all(user_id="u1", run_id="r2")
    assert [len(memory.get_all(filters=one)["results"]) for one in filters] == [1, 0]
