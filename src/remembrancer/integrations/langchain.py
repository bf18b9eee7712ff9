"""A history of messages and a retriever for LangChain."""

from collections.abc import Sequence
from typing import Any, cast

from remembrancer.integrations import checked_memory, missing_extra
from remembrancer.integrations.item_log import ItemLog, NewItem, StoredItem
from remembrancer.sync import SyncMemory
from remembrancer.types.filter import Filter
from remembrancer.types.record import Role, kind_of, title_of

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, convert_to_messages, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    raise missing_extra("langgraph", error) from error

_KIND = "langchain_message"
_ROLES = {"human": Role.USER, "ai": Role.ASSISTANT, "tool": Role.TOOL, "function": Role.TOOL}


class RemembrancerChatMessageHistory(BaseChatMessageHistory):
    """The messages of one conversation, durable across processes.

    Args:
        session_id: the name of the conversation.
        memory: a `SyncMemory`, or a `SyncClient` of a service; its scope owns the conversation. The caller closes it.

    Raises:
        InvalidInput: the name is empty, longer than 200 characters, or has control characters.
    """

    def __init__(self, session_id: str, memory: SyncMemory) -> None:
        self._log = ItemLog(memory, session_id, _KIND)

    @property
    def messages(self) -> list[BaseMessage]:  # pyright: ignore[reportIncompatibleVariableOverride] -- as the base class asks
        """The messages, oldest first."""
        return [_message(item) for item in self._log.latest()]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Record messages in one transaction; when this returns, they are on disk."""
        self._log.add([_new_item(message) for message in messages])

    def clear(self) -> None:
        """Delete the messages, and the notes on them."""
        self._log.clear()


class RemembrancerRetriever(BaseRetriever):
    """The memories that answer a question, best first.

    It returns no document if nothing is likely to answer.

    Args:
        memory: a `SyncMemory`, or a `SyncClient` of a service. The caller closes it.
        limit: the maximum number of documents, 1 to 1,000.
        filter: conditions on the memories.
        max_tokens: the maximum number of tokens of all documents, or `None`.
    """

    memory: Any
    limit: int = 5
    filter: Any = None
    max_tokens: int | None = None

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        memory, filter = checked_memory(self.memory), cast("Filter | None", self.filter)
        found = memory.recall(query, filter=filter, limit=self.limit, max_tokens=self.max_tokens)
        return [
            Document(
                id=hit.record.id,
                page_content=hit.record.text,
                metadata={
                    "score": hit.score,
                    "kind": kind_of(hit.record).value,
                    "title": title_of(hit.record),
                    "session": hit.record.session,
                    "tags": list(hit.record.tags),
                    "occurred_at": hit.record.occurred_at.isoformat(),
                },
            )
            for hit in found.hits
        ]


def _new_item(message: BaseMessage) -> NewItem:
    calls = [f"[calls {call['name']}({call['args']})]" for call in getattr(message, "tool_calls", ())]
    return NewItem(
        role=_ROLES.get(message.type, Role.SYSTEM),
        text="\n".join(filter(None, [str(message.text), *calls])),
        value=message_to_dict(message),
        speaker=message.name or "",
    )


def _message(item: StoredItem) -> BaseMessage:
    if item.value is not None:
        return messages_from_dict([item.value])[0]
    # A message that another program recorded in this session.
    role = item.role if item.role is not Role.TOOL else Role.SYSTEM
    return convert_to_messages([(role.value, item.text)])[0]
