"""LangChain's history and retriever on a memory."""

from typing import Any

import anyio
import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from remembrancer import Filter, SyncMemory
from remembrancer.integrations.langchain import RemembrancerChatMessageHistory, RemembrancerRetriever

MESSAGES: list[BaseMessage] = [
    SystemMessage("Be brief."),
    HumanMessage(
        [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]
    ),
    AIMessage("", tool_calls=[{"name": "weather", "args": {"city": "Oslo"}, "id": "c1"}]),
    ToolMessage("rain", tool_call_id="c1", artifact={"mm": 3}),
    AIMessage("It rains.", response_metadata={"model": "x"}, id="m1"),
    HumanMessage("thanks", name="ana"),
]


def test_messages_come_back_whole(either_memory: SyncMemory) -> None:
    RemembrancerChatMessageHistory("talk", either_memory).add_messages(MESSAGES)
    history = RemembrancerChatMessageHistory("talk", either_memory)
    assert history.messages == MESSAGES
    history.add_user_message("again")
    assert history.messages[-1] == HumanMessage("again")
    history.clear()
    assert history.messages == []
    assert either_memory.list(Filter(sessions=["talk"])).records == ()


def test_messages_of_other_programs_are_part_of_the_history(memory: SyncMemory) -> None:
    memory.record("hi", session="talk")
    memory.record("rain", role="tool", session="talk")
    history = RemembrancerChatMessageHistory("talk", memory)
    assert [(one.type, one.content) for one in history.messages] == [("human", "hi"), ("system", "rain")]
    assert anyio.run(history.aget_messages) == history.messages


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_chain_keeps_its_history(memory: SyncMemory) -> None:
    from langchain_core.runnables import RunnableLambda
    from langchain_core.runnables.history import RunnableWithMessageHistory

    def count(messages: Any) -> AIMessage:
        return AIMessage(f"{len(messages)} messages")

    def history(session_id: str) -> RemembrancerChatMessageHistory:
        return RemembrancerChatMessageHistory(session_id, memory)

    counting: Any = RunnableLambda(count)
    chain: Any = RunnableWithMessageHistory(counting, history)
    config = {"configurable": {"session_id": "talk"}}
    assert [chain.invoke([HumanMessage("hi")], config).content for _ in range(2)] == ["1 messages", "3 messages"]


def test_the_retriever_returns_what_answers(either_memory: SyncMemory) -> None:
    either_memory.save("Ana cannot stand early flights", tags=["travel"])
    either_memory.save("The office is in Oslo")
    retriever = RemembrancerRetriever(memory=either_memory, filter=Filter(tags=["travel"]))
    (document,) = retriever.invoke("early flights")
    assert document.page_content == "Ana cannot stand early flights"
    assert document.metadata["kind"] == "observation"
    assert 0 < document.metadata["score"] <= 1
    assert anyio.run(retriever.ainvoke, "early flights") == [document]
