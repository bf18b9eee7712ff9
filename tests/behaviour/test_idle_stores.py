"""What was written is in the main file of a store soon after, also while its process runs on."""

from functools import partial
from pathlib import Path

import anyio
import pytest
from anyio.to_thread import run_sync

from remembrancer import StoreError, open_memory

from .requirements import requirement

pytestmark = pytest.mark.anyio


@requirement("road.main-file")
async def test_an_idle_memory_copies_its_journal_to_the_main_file(tmp_path: Path) -> None:
    """However rarely background work looks for what is due, and where another process does it."""

    async def copied(path: Path, *, background: bool) -> None:
        opening = open_memory(path, embedder="none", tenant="acme", poll_seconds=3_600, background=background)
        async with opening as memory:
            await memory.save("the heron nests under the bridge")
            with anyio.fail_after(20):
                while b"heron" not in await run_sync(path.read_bytes):
                    await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        for background in (True, False):
            tasks.start_soon(partial(copied, tmp_path / f"{background}.db", background=background))


@requirement("road.main-file")
async def test_a_header_without_its_journal_is_refused_where_a_store_may_be_made(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with open_memory(path, embedder="none", tenant="acme") as memory:
        await memory.save("the heron nests under the bridge")

    def cut() -> bytes:
        """The file as it is copied before its first checkpoint."""
        page = bytearray(path.read_bytes()[:4_096])
        page[28:32], page[40:44] = (1).to_bytes(4, "big"), bytes(4)
        path.write_bytes(page)
        return bytes(page)

    header = await run_sync(cut)
    for create in (True, False):
        with pytest.raises(StoreError, match="without its journal"):
            async with open_memory(path, embedder="none", tenant="acme", create=create):
                pass
    assert await run_sync(path.read_bytes) == header
