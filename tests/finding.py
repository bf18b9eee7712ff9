"""Reads of memories that may be absent."""

from datetime import datetime

from remembrancer import Memory, NotFound, Record, SyncMemory


async def find(
    memory: Memory, id: str | None = None, *, topic_key: str | None = None, as_of: datetime | None = None
) -> Record | None:
    """Return a memory, or `None` where there is no such memory here."""
    try:
        return await memory.get(id, topic_key=topic_key, as_of=as_of)
    except NotFound:
        return None


def find_sync(memory: SyncMemory, id: str, *, as_of: datetime | None = None) -> Record | None:
    """Return a memory, or `None` where there is no such memory here."""
    try:
        return memory.get(id, as_of=as_of)
    except NotFound:
        return None
