"""Deletion of one memory in either of the two ways."""

from remembrancer import Memory, SyncMemory

REASON = "a test"


async def delete_or_erase(memory: Memory, id: str, *, erase: bool) -> None:
    """Delete a memory so that it can be restored, or erase it."""
    if erase:
        await memory.governance.erasure.erase(memories=[id], reason=REASON)
    else:
        await memory.delete(id)


def delete_or_erase_sync(memory: SyncMemory, id: str, *, erase: bool) -> None:
    """Delete a memory so that it can be restored, or erase it."""
    if erase:
        memory.governance.erasure.erase(memories=[id], reason=REASON)
    else:
        memory.delete(id)
