"""LangGraph's store on a memory. LangGraph's own tests of stores run outside: see `bench.langgraph_store`."""

import time
from typing import Any
from uuid import UUID

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp, SearchOp

from remembrancer import Filter, InvalidInput, NotAllowed, Scope, SyncMemory
from remembrancer.integrations.langgraph import RemembrancerStore

ANA = ("memories", "ana")


def value_of(store: RemembrancerStore, namespace: tuple[str, ...], key: str) -> Any:
    item = store.get(namespace, key)
    return None if item is None else item.value


def scoped(memory: SyncMemory, **options: Any) -> RemembrancerStore:
    return RemembrancerStore(memory, scopes=[("memories", "{user}")], **options)


def test_an_item_is_read_as_it_was_put(either_memory: SyncMemory) -> None:
    store = RemembrancerStore(either_memory)
    value: dict[str, Any] = {
        "text": "long " * 20_000,
        "n": 1.5,
        "none": None,
        "nested": {"list": [1, True, "ä", {"": ""}]},
        "empty": {},
    }
    store.put(("docs", 'ünï / "codé" \n'), "key\t1", value)

    item = store.get(("docs", 'ünï / "codé" \n'), "key\t1")
    assert item is not None
    assert (item.value, item.namespace, item.key) == (value, ("docs", 'ünï / "codé" \n'), "key\t1")
    assert store.list_namespaces() == [("docs", 'ünï / "codé" \n')]


def test_a_put_replaces_and_keeps_when_the_item_was_made(either_memory: SyncMemory) -> None:
    store = RemembrancerStore(either_memory)
    store.put(ANA, "a", {"n": 1, "old": True})
    first = store.get(ANA, "a")
    store.put(ANA, "a", {"n": 2})
    second = store.get(ANA, "a")

    assert first is not None
    assert second is not None
    assert second.value == {"n": 2}
    assert second.created_at == first.created_at < second.updated_at
    store.put(ANA, "a", {"n": 3}, index=False)
    store.delete(ANA, "a")
    store.delete(ANA, "a")
    assert store.get(ANA, "a") is None


def test_reads_of_a_batch_see_what_was_before_its_writes(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory)
    store.put(("a",), "k", {"n": 1})
    results: list[Any] = store.batch(
        [
            GetOp(("a",), "k"),
            PutOp(("a",), "k", {"n": 2}),
            SearchOp(("a",)),
            PutOp(("a",), "k", {"n": 3}),
            GetOp(("a",), "k"),
        ]
    )
    got, _, found, _, again = results
    assert [one.value for one in (got, found[0], again)] == [{"n": 1}] * 3
    assert value_of(store, ("a",), "k") == {"n": 3}
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {})])


VALUES: list[Any] = [{"n": 3}, {"n": 10}, {"n": "3"}, {"n": True}, {"n": None}, {}, {"m": 3}]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (3, [{"n": 3}]),
        (True, [{"n": True}]),
        (None, [{"n": None}]),
        ({"$eq": "3"}, [{"n": "3"}]),
        ({"$ne": 3}, [{"n": None}, {"n": True}, {"n": "3"}, {"n": 10}]),
        ({"$gt": 3}, [{"n": 10}]),
        ({"$gte": 3, "$lt": 10}, [{"n": 3}]),
        ({"$lte": "5"}, [{"n": "3"}]),
    ],
)
def test_a_filter_compares_numbers_as_numbers_and_a_missing_field_never_matches(
    memory: SyncMemory, condition: Any, expected: list[Any]
) -> None:
    store = RemembrancerStore(memory)
    for place, value in enumerate(VALUES):
        store.put(("n",), str(place), value)
    assert [item.value for item in store.search(("n",), filter={"n": condition})] == expected


def test_an_unknown_operator_is_refused(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory)
    store.put(("n",), "k", {"n": 1})
    with pytest.raises(ValueError, match=r"Unsupported operator: \$in; use \$eq"):
        store.search(("n",), filter={"n": {"$in": [1]}})


def test_a_prefix_is_of_whole_labels(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory)
    for namespace in (("m", "u1"), ("m", "u1", "deep"), ("m", "u12"), ("m",), ("n", "u1")):
        store.put(namespace, "k", {"v": 1})
    assert {item.namespace for item in store.search(("m", "u1"))} == {("m", "u1"), ("m", "u1", "deep")}
    assert store.list_namespaces(prefix=("*", "u1")) == [("m", "u1"), ("m", "u1", "deep"), ("n", "u1")]
    assert store.list_namespaces(suffix=("u1",)) == [("m", "u1"), ("n", "u1")]
    assert store.list_namespaces(max_depth=1) == [("m",), ("n",)]
    assert store.list_namespaces(limit=2, offset=1) == [("m", "u1"), ("m", "u1", "deep")]


def test_a_query_finds_the_nearest_first_and_then_the_others(either_memory: SyncMemory) -> None:
    store = RemembrancerStore(either_memory)
    for key, text in (("tea", "likes green tea"), ("car", "drives a red car"), ("cat", "has a cat")):
        store.put(ANA, key, {"content": text})
    store.put(ANA, "hidden", {"content": "green tea again"}, index=False)
    found = store.search(ANA, query="green tea")
    assert (found[0].key, {item.key for item in found}) == ("tea", {"tea", "car", "cat"})
    assert [item.score for item in found] == sorted((item.score or 0.0 for item in found), reverse=True)
    strict = RemembrancerStore(either_memory, only_matches=True)
    assert [item.key for item in strict.search(ANA, query="green tea", limit=1)] == ["tea"]
    assert strict.search(ANA, query="quantum chromodynamics") == []
    assert len(store.search(ANA, query="quantum chromodynamics")) == 3
    assert {item.key for item in store.search(ANA)} == {"tea", "car", "cat", "hidden"}
    assert store.search(ANA, query="green tea", limit=0) == []
    assert [item.key for item in store.search(ANA, query="green tea", limit=1)] == ["tea"]
    assert len(store.search(ANA, query="green tea", limit=2, offset=2)) == 1


def test_only_the_chosen_fields_are_searched(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory, fields=["title"])
    store.put(("d",), "one", {"title": "heron", "body": "egret"})
    store.put(("d",), "two", {"title": "heron", "body": "egret"}, index=["body"])
    assert [item.key for item in store.search(("d",), query="egret")] == ["two", "one"]
    assert [item.key for item in store.search(("d",), query="heron")] == ["one", "two"]


def test_a_namespace_that_names_a_user_belongs_to_the_user(either_memory: SyncMemory) -> None:
    store = scoped(either_memory)
    store.put(ANA, "k", {"content": "Ana likes tea"})
    store.put(("memories", "ben"), "k", {"content": "Ben likes coffee"})
    store.put(("shared",), "k", {"content": "The office is in Oslo"})

    ana = either_memory.within(Scope(user="ana"))
    assert [record.text for record in ana.list().records if record.scope.user] == ["Ana likes tea"]
    assert [item.value["content"] for item in store.search(ANA)] == ["Ana likes tea"]
    assert {item.value["content"] for item in store.search(("memories",))} == {"Ana likes tea", "Ben likes coffee"}
    assert store.search(("memories",), query="coffee")[0].value == {"content": "Ben likes coffee"}
    assert store.list_namespaces() == [ANA, ("memories", "ben"), ("shared",)]
    assert ana.recall("Ben coffee").hits == () or all("Ben" not in hit.text for hit in ana.recall("Ben coffee").hits)

    either_memory.governance.erasure.erase(user="ana", reason="she asked")
    assert store.get(ANA, "k") is None
    assert store.list_namespaces() == [("memories", "ben"), ("shared",)]


@pytest.mark.parametrize("pattern", [("memories",), "user", ("{user}", "{user}"), ("{tenant}",)])
def test_a_pattern_that_names_no_scope_is_refused(memory: SyncMemory, pattern: Any) -> None:
    with pytest.raises(ValueError, match="a pattern is a sequence of labels"):
        RemembrancerStore(memory, scopes=[pattern])


def test_what_a_person_corrects_is_what_the_agent_reads(memory: SyncMemory) -> None:
    store = scoped(memory)
    store.put(ANA, "drink", {"content": "likes tea"})
    store.put(ANA, "facts", {"city": "Oslo", "pets": 2})
    ana = memory.within(Scope(user="ana"))
    by_text = {record.text: record.id for record in ana.list().records}
    ana.edit(by_text["likes tea"], "likes coffee")
    ana.edit(by_text["city: Oslo\npets: 2"], "city: Bergen\npets: 2")

    assert [value_of(store, ANA, key) for key in ("drink", "facts")] == [
        {"content": "likes coffee"},
        {"city": "Oslo", "pets": 2, "correction": "city: Bergen\npets: 2"},
    ]
    ana.feedback(by_text["likes tea"], "wrong")
    assert store.get(ANA, "drink") is None
    with pytest.raises(NotAllowed):
        store.put(ANA, "drink", {"content": "likes coffee"})
    store.put(ANA, "drink", {"content": "likes water"})
    assert value_of(store, ANA, "drink") == {"content": "likes water"}


def test_a_correction_survives_the_reading_of_an_item_that_expires(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory)
    store.put(ANA, "drink", {"content": "likes tea"}, ttl=5)
    memory.edit(memory.list(Filter(tags=["langgraph"])).records[0].id, "likes coffee")
    assert [value_of(store, ANA, "drink") for _ in range(2)] == [{"content": "likes coffee"}] * 2


def test_an_expired_item_is_gone_and_a_read_postpones_the_end(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory, ttl={"default_ttl": 5, "refresh_on_read": True})
    store.put(ANA, "short", {"v": 1}, ttl=0.01)
    store.put(ANA, "default", {"v": 2})
    store.put(ANA, "never", {"v": 3}, ttl=None)
    assert store.get(ANA, "short") is not None
    time.sleep(0.7)
    assert store.get(ANA, "short", refresh_ttl=True) is None
    assert {item.key for item in store.search(ANA, refresh_ttl=False)} == {"default", "never"}
    assert store.sweep_ttl() == 1
    store.put(ANA, "default", {"v": 4}, ttl=None)
    stored: Any = memory.list(Filter(tags=["langgraph"])).records
    assert {record.valid_until.year for record in stored if record.valid_until} == {9998}
    store.start_ttl_sweeper()
    store.start_ttl_sweeper()
    store.stop_ttl_sweeper()
    store.stop_ttl_sweeper()


def test_secrets_do_not_reach_the_database(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory)
    store.put(("s",), "k", {"content": "my key", "api_key": "sk-proj-abcdefghijklmnop1234567890ABCDEF"})
    assert value_of(store, ("s",), "k") == {"content": "my key", "api_key": "[SECRET:openai-key]"}


def test_a_value_that_is_too_large_is_refused_whole(memory: SyncMemory) -> None:
    store = RemembrancerStore(memory)
    with pytest.raises(InvalidInput, match=r"metadata has .* bytes as JSON; at most 1048576"):
        store.batch([PutOp(("a",), "small", {"v": 1}), PutOp(("a",), "big", {"v": "x" * 1_100_000})])
    assert store.search(("a",)) == []


labels = st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3).map(tuple)
operations = st.lists(
    st.tuples(
        labels, st.sampled_from(["k", "l"]), st.one_of(st.none(), st.fixed_dictionaries({"n": st.integers(0, 2)}))
    ),
    max_size=12,
)


@given(operations=operations, prefix=labels, number=st.integers(0, 2))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_store_agrees_with_a_dictionary(
    operations: list[tuple[tuple[str, ...], str, dict[str, int] | None]], prefix: tuple[str, ...], number: int
) -> None:
    with SyncMemory(":memory:", embedder="none") as memory:
        store = RemembrancerStore(memory, scopes=[("a", "{user}"), ("b", "*", "{agent}")])
        expected: dict[tuple[tuple[str, ...], str], dict[str, int]] = {}
        for namespace, key, value in operations:
            expected.pop((namespace, key), None)
            if value is None:
                store.delete(namespace, key)
            else:
                store.put(namespace, key, value)
                expected[namespace, key] = value
        found = store.search(prefix, filter={"n": number}, limit=100)
        assert [((one.namespace, one.key), one.value) for one in found] == [
            (path, value)
            for path, value in reversed(expected.items())
            if path[0][: len(prefix)] == prefix and value["n"] == number
        ]
        assert store.list_namespaces() == sorted({namespace for namespace, _ in expected})
        assert all(value_of(store, *path) == value for path, value in expected.items())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_tools_of_langmem_save_and_find(memory: SyncMemory) -> None:
    # It imports what LangGraph has renamed.
    import langmem

    langmem_tools: Any = langmem
    store = scoped(memory)
    manage = langmem_tools.create_manage_memory_tool(("memories", "{langgraph_user_id}"), store=store)
    search = langmem_tools.create_search_memory_tool(("memories", "{langgraph_user_id}"), store=store)
    config: Any = {"configurable": {"langgraph_user_id": "ana"}}

    created = manage.invoke({"content": "likes tea"}, config)
    key = created.removeprefix("created memory ")
    assert '"content":"likes tea"' in search.invoke({"query": "tea"}, config)
    manage.invoke({"action": "update", "id": UUID(key), "content": "likes coffee"}, config)
    assert '"content":"likes coffee"' in search.invoke({"query": "coffee"}, config)
    assert manage.invoke({"action": "delete", "id": UUID(key)}, config) == f"Deleted memory {key}"
    assert store.search(ANA) == []


def test_a_graph_reads_its_store_from_asynchronous_code(memory: SyncMemory) -> None:
    from tests.integrations.graphs import counting

    graph = counting(scoped(memory))

    async def twice() -> list[str]:
        said = [await graph.ainvoke({"messages": [("user", "hi")]}) for _ in range(2)]
        return [str(one["messages"][-1].text) for one in said]

    # Each run has an event loop of its own.
    assert anyio.run(twice) == ["0 known", "1 known"]
    assert anyio.run(twice) == ["2 known", "3 known"]
