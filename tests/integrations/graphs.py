"""Graphs for tests, whose types are partly unknown."""

from typing import Any

from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from remembrancer.integrations.langgraph import RemembrancerStore


def counting(store: RemembrancerStore) -> Any:
    """A graph that counts what it knows of Ana, and adds what was said."""

    async def remember(state: MessagesState, runtime: Runtime[Any]) -> dict[str, Any]:
        known = await runtime.store.asearch(("memories", "ana"))
        await runtime.store.aput(("memories", "ana"), str(len(known)), {"content": state["messages"][-1].text})
        return {"messages": [("ai", f"{len(known)} known")]}

    return StateGraph(MessagesState).add_node(remember).add_edge(START, "remember").compile(store=store)
