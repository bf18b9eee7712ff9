"""`RemembrancerMemoryBlock`: a block of LlamaIndex's `Memory`."""

from typing import Any

from anyio.to_thread import run_sync

from remembrancer.integrations import checked_memory, missing_extra
from remembrancer.types.new import NewMessage
from remembrancer.types.record import Role

try:
    from llama_index.core.llms import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
except ModuleNotFoundError as error:
    raise missing_extra("llama-index", error) from error

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "tool": Role.TOOL, "function": Role.TOOL}


class RemembrancerMemoryBlock(BaseMemoryBlock[str]):
    """Memories about the last message, and a record of the messages that leave LlamaIndex's own window.

    `Memory.from_defaults(memory_blocks=[RemembrancerMemoryBlock(memory=memory)])`. LlamaIndex passes messages on when
    they leave its window: to keep a short chat too, record its messages with `memory.record`.

    Args:
        memory: a `SyncMemory`, or a `SyncClient` of a service. The caller closes it.
        limit: the maximum number of memories, 1 to 1,000.
    """

    name: str = "remembrancer"
    description: str | None = "Memories of earlier conversations."
    priority: int = 1
    memory: Any
    limit: int = 5

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        """Return what the last message of the user recalls; an empty text if nothing is likely to answer."""
        asked = [one.content or "" for one in messages or [] if one.role.value == "user"]
        if not asked:
            return ""
        memory = checked_memory(self.memory)
        found = await run_sync(lambda: memory.recall(asked[-1], limit=self.limit))
        shown = {one.content for one in messages or []}
        return "\n".join(f"- {hit.text}" for hit in found.hits if hit.text not in shown)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Record messages that leave the window."""
        new = [
            NewMessage(
                text=message.content or "",
                role=_ROLES.get(message.role.value, Role.SYSTEM),
                session=message.additional_kwargs.get("session_id"),
            )
            for message in messages
            if (message.content or "").strip()
        ]
        if new:
            await run_sync(checked_memory(self.memory).messages.record_many, new)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return fewer memories, the least likely ones first left out."""
        lines = content.split("\n- ")
        kept = max(0, len(content) - 4 * tokens_to_truncate)
        while len(lines) > 1 and len("\n- ".join(lines)) > kept:
            lines.pop()
        shorter = "\n- ".join(lines)
        return shorter if len(shorter) <= kept else None
