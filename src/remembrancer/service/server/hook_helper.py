"""The process that answers the hooks of coding agents while no other has the store open."""

from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from remembrancer.client.hook_spool import spool_of
from remembrancer.open import open_memory
from remembrancer.service.server.hook_recording import record_spool
from remembrancer.service.server.local_requests import answer_local_requests
from remembrancer.settings import load_settings

_POLL_SECONDS = 1.0


async def help_hooks(db: str, *, idle_seconds: float) -> None:
    """Answer hooks and record what they spool, until none came for a time; a missing store is created.

    Where another process answers, only the spool is recorded.

    Raises:
        StoreUnavailable: the store cannot be opened; the spool stays.
    """
    await run_sync(lambda: Path(db).parent.mkdir(parents=True, exist_ok=True))
    async with (
        open_memory(db, origin="hook") as memory,
        answer_local_requests(memory, load_settings(db=db)) as activity,
    ):
        if activity is None:
            await record_spool(memory, await run_sync(spool_of, db))
            return
        while activity.is_recording or anyio.current_time() - activity.at < idle_seconds:  # noqa: ASYNC110 -- of silence
            await anyio.sleep(min(idle_seconds, _POLL_SECONDS))
