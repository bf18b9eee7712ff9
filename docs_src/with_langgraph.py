"""A LangGraph agent that remembers its users from one run to the next."""

import sys
from dataclasses import dataclass
from uuid import uuid4

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.runtime import Runtime

from remembrancer import SyncMemory
from remembrancer.integrations.langgraph import RemembrancerStore


@dataclass
class Context:
    user: str


def answer(state: MessagesState, runtime: Runtime[Context]) -> dict[str, list[AIMessage]]:
    """Recall what bears on the last message, and keep it. A model would read `known`; here it is the answer."""
    message, namespace = state["messages"][-1].text, ("memories", runtime.context.user)
    known = runtime.store.search(namespace, query=message, limit=3)
    runtime.store.put(namespace, str(uuid4()), {"content": message})
    return {"messages": [AIMessage("; ".join(item.value["content"] for item in known) or "I know nothing yet.")]}


with SyncMemory("langgraph.db") as memory:
    # What is stored under ("memories", "ana") belongs to the user ana: it is recalled, corrected and erased with her.
    store = RemembrancerStore(memory, scopes=[("memories", "{user}")])
    graph = StateGraph(MessagesState, context_schema=Context).add_node(answer).add_edge(START, "answer")
    line = " ".join(sys.argv[1:]) or "Which flight to Oslo suits me? I cannot stand early flights."
    result = graph.compile(store=store).invoke({"messages": [("user", line)]}, context=Context("ana"))
    print(result["messages"][-1].content)
