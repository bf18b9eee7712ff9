"""A LangGraph agent that remembers its users from one run to the next."""

import sys
from uuid import uuid4

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from remembrancer import SyncMemory
from remembrancer.integrations.langgraph import RemembrancerStore


def answer(state: MessagesState, runtime: Runtime[str]) -> dict[str, list[AIMessage]]:
    """Recall what bears on the last message, and keep it. A model would read `known`; here it is the answer."""
    store, message = runtime.store, str(state["messages"][-1].content)
    assert store is not None
    known = store.search(("memories", runtime.context), query=message, limit=3)
    store.put(("memories", runtime.context), str(uuid4()), {"content": message})
    return {"messages": [AIMessage("; ".join(item.value["content"] for item in known) or "I know nothing yet.")]}


with SyncMemory("langgraph.db") as memory:
    # What is stored under ("memories", "ana") belongs to the user ana: it is recalled, corrected and erased with her.
    store = RemembrancerStore(memory, scopes=[("memories", "{user}")])
    graph = StateGraph(MessagesState, context_schema=str).add_node(answer).add_edge(START, "answer").compile(store=store)
    line = " ".join(sys.argv[1:]) or "Which flight to Oslo suits me? I cannot stand early flights."
    result = graph.invoke({"messages": [("user", line)]}, context="ana")
    print(result["messages"][-1].content)
