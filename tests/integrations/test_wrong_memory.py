"""What is no memory is refused where it is passed in, with what to pass."""

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from remembrancer import InvalidInput
from remembrancer.integrations.anthropic import RemembrancerMemoryTool
from remembrancer.integrations.langchain import RemembrancerChatMessageHistory, RemembrancerRetriever
from remembrancer.integrations.langgraph import RemembrancerStore
from remembrancer.integrations.openai_agents import RemembrancerSession
from remembrancer.integrations.pydantic_ai import MemoryCapability, load_history


def session(memory: Any) -> object:
    return RemembrancerSession("talk", memory)


def history(memory: Any) -> object:
    return RemembrancerChatMessageHistory("talk", memory).add_message(HumanMessage("hi"))


def documents(memory: Any) -> object:
    return RemembrancerRetriever(memory=memory).invoke("hi")


def messages(memory: Any) -> object:
    return load_history(memory, "talk")


MAKERS: list[Callable[..., object]] = [
    RemembrancerStore,
    RemembrancerMemoryTool,
    MemoryCapability,
    session,
    history,
    documents,
    messages,
]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("memory", ["memory.db", None])
def test_what_is_no_memory_is_refused(make: Callable[..., object], memory: object) -> None:
    with pytest.raises(
        InvalidInput, match=r"memory must be a SyncMemory or a SyncClient, such as .*, not (str|NoneType)"
    ):
        make(memory)
