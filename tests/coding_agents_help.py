"""What a helper of hooks does, in the process of a test."""

from pathlib import Path

import anyio

from remembrancer import open_memory
from remembrancer.client.hook_spool import spool_of
from remembrancer.service.server.hook_recording import record_spool


def help_now(db: Path) -> None:
    """Record the spool of a store."""
    folder = spool_of(str(db))

    async def once() -> None:
        async with open_memory(db, embedder="none", background=False) as memory:
            await record_spool(memory, folder)

    anyio.run(once)
