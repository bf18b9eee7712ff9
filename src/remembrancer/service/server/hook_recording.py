"""The recording of what the hooks of coding agents have spooled."""

import json
import logging
from datetime import datetime
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync

from remembrancer.client.hook_spool import remove, spooled
from remembrancer.errors import InvalidInput, NotAllowed, NotFound, RemembrancerError
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.memory import Memory
from remembrancer.types.new import NewMessage
from remembrancer.types.scope import Scope

_LOG = logging.getLogger("remembrancer")


async def record_spool(memory: Memory, folder: Path) -> int:
    """Record what is in a spool; return how many entries it had.

    An entry that can never be recorded is logged and removed; after another error the rest stays, and is tried again.
    """
    entries = await run_sync(lambda: list(spooled(folder)))
    for path, content in entries:
        try:
            await _record(memory, json.loads(content))
        except (InvalidInput, NotAllowed, LookupError, TypeError, ValueError) as error:
            _LOG.warning("what a hook wrote is not recorded: %s", error)
        except RemembrancerError as error:
            _LOG.warning("what hooks wrote is not recorded yet, and is tried again: %s", error)
            break
        await run_sync(remove, path, content)
    return len(entries)


async def _record(memory: Memory, entry: dict[str, Any]) -> None:
    """Record an entry: a log of a session, messages, or the end of a session."""
    scope = entry["scope"]
    own = memory.caller.scope
    caller = memory.within(Scope(tenant=own.tenant, **scope), actor=entry["agent"])
    if entry["transcript"]:
        if not await run_sync(Path(entry["transcript"]).is_file):
            raise InvalidInput(f"{entry['transcript']} is no file")
        file = await run_sync(ChatFile.at, entry["transcript"])
        imported = await caller.messages.import_file(file, skip_bad=True)
        for one in imported.left_out:
            _LOG.warning("a line of a log is left out: %s: %s", one.where, one.reason)
    messages = [
        NewMessage(
            role=one["role"],
            text=one["text"],
            session=entry["session"],
            occurred_at=datetime.fromisoformat(one["at"]),
            key=one["key"],
        )
        for one in entry["messages"]
    ]
    if messages:
        await caller.messages.record_many(messages)
    if entry["end"]:
        try:
            await caller.sessions.end(entry["session"])
        except NotFound:
            _LOG.info("a session without messages ended")
