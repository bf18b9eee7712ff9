"""`RemembrancerSession`: a session of the OpenAI Agents SDK in a memory.

The items of a run are messages of a session: they are kept whole, with tool calls and images, and are observed and
recalled like any message. A long conversation is served as notes on its older part and its newer items.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from anyio.to_thread import run_sync

from remembrancer import ContextRequest
from remembrancer.ingest.importers.message import speaker_of, text_of
from remembrancer.ingest.importers.reader import known_role
from remembrancer.integrations import missing_extra
from remembrancer.integrations.item_log import ItemLog, NewItem, StoredItem
from remembrancer.sync import SyncMemory
from remembrancer.types.record import Role

try:
    from agents.items import TResponseInputItem
    from agents.memory import SessionABC, SessionSettings
except ModuleNotFoundError as error:
    raise missing_extra("openai-agents", error) from error

_KIND = "openai_item"


class RemembrancerSession(SessionABC):
    """One conversation, durable across runs and processes.

    Args:
        session_id: the name of the conversation.
        memory: a `SyncMemory`, or a `SyncClient` of a service; its scope owns the conversation. The caller closes it.
        session_settings: the SDK's settings, such as a limit of items.
        bounded: without a limit, items that the memory has observed are replaced by notes on them. It observes when
            some 30,000 tokens are waiting. `False` returns every item.

    Raises:
        InvalidInput: the name is empty, longer than 200 characters, or has control characters.
        TypeError: a setting is unknown.
    """

    def __init__(
        self,
        session_id: str,
        memory: SyncMemory,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        bounded: bool = True,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = SessionSettings().resolve(session_settings)
        self._memory = memory
        self._bounded = bounded
        self._log = ItemLog(memory, session_id, _KIND)
        self._recalled_texts: list[object] = []

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the last items, oldest first.

        Args:
            limit: the maximum number; by default that of the settings, or else the bounded conversation.
        """
        most = self.session_settings.limit if limit is None and self.session_settings else limit
        return await run_sync(self._items, most)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Record items in one transaction; when this returns, they are on disk.

        Raises:
            InvalidInput: an item has more than 16 MiB; nothing is recorded.
        """
        new = [cast(dict[str, Any], item) for item in items]
        kept = [_new_item(item) for item in new if item.get("content") not in self._recalled_texts]
        await run_sync(self._log.add, kept)

    async def pop_item(self) -> TResponseInputItem | None:
        """Delete the last item and return it; `None` if there is none."""
        item = await run_sync(self._log.pop)
        return None if item is None else _input_item(item)

    async def clear_session(self) -> None:
        """Delete all items, and the notes on them."""
        await run_sync(self._log.clear)

    async def with_recall(
        self, history: list[TResponseInputItem], new_input: list[TResponseInputItem]
    ) -> list[TResponseInputItem]:
        """Return the input of a run with what memory knows about it: for `RunConfig.session_input_callback`.

        The recalled memories are messages before the new input. They are not recorded.
        """
        question = "\n".join(_words(item) for item in new_input if _role(item) == "user")
        return [*history, *await run_sync(self._recalled, question), *new_input]

    def _items(self, limit: int | None) -> list[TResponseInputItem]:
        if limit is not None or not self._bounded:
            return [_input_item(one) for one in self._log.latest(None if limit is not None and limit < 0 else limit)]
        # Nothing is searched here: the question is not known yet.
        context = self._memory.context(ContextRequest(session=self._log.session, recall=False))
        recent = [_input_item(one) for one in self._log.after(context.report.covered)]
        known = context.known() if context.report.covered else []
        return [*map(_from_memory, known), *_without_orphans(recent)]

    def _recalled(self, question: str) -> list[TResponseInputItem]:
        if not question.strip():
            return []
        messages = self._memory.context(self._log.session, question=question).new()
        self._recalled_texts = [message["content"] for message in messages]
        return [_from_memory(message) for message in messages]


def _new_item(item: dict[str, Any]) -> NewItem:
    kind = str(item.get("type", ""))
    by_kind = Role.TOOL if kind.endswith("_output") else Role.ASSISTANT
    role = Role(known_role(item.get("role")) or by_kind)
    return NewItem(role=role, text=text_of(item) or "", value=item, speaker=speaker_of(item))


def _input_item(item: StoredItem) -> TResponseInputItem:
    if item.value is not None:
        return cast(TResponseInputItem, item.value)
    # A message that another program recorded in this session.
    role = item.role.value if item.role.value in ("user", "assistant") else "developer"
    return cast(TResponseInputItem, {"role": role, "content": item.text})


def _without_orphans(items: Sequence[TResponseInputItem]) -> list[TResponseInputItem]:
    """Return items without results of tools whose calls the notes replace: a model refuses them."""
    fields = [cast(dict[str, Any], item) for item in items]
    called = {one.get("call_id") for one in fields if not _is_result(one)}
    return [item for item, one in zip(items, fields, strict=True) if not _is_result(one) or one["call_id"] in called]


def _is_result(item: Mapping[str, Any]) -> bool:
    return str(item.get("type", "")).endswith("_output") and "call_id" in item


def _from_memory(message: dict[str, Any]) -> TResponseInputItem:
    """Return a message of a context as an item; quoted data keeps the role of the user."""
    role = "developer" if message["role"] == "system" else message["role"]
    return cast(TResponseInputItem, {"role": role, "content": message["content"]})


def _role(item: TResponseInputItem) -> str:
    return str(cast(dict[str, Any], item).get("role", ""))


def _words(item: TResponseInputItem) -> str:
    return text_of(cast(dict[str, Any], item)) or ""
