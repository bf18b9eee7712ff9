"""What a memory keeps of notes that a model tells it, over a real server on this machine."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bench.fidelity.talks import Noted, Talk
from remembrancer import AuditFilter, Memory, open_memory
from tests.answers import Answers, answering


async def told(talk: Talk) -> list[str]:
    """For each note of a talk the reason for which it was dropped; `""` for one that was kept."""
    with answering() as model:
        async with remembering(model, talk) as memory:
            return [await _reason(memory, model, talk, noted, at) for at, noted in enumerate(talk.notes)]


@asynccontextmanager
async def remembering(model: Answers, talk: Talk, **given: Any) -> AsyncGenerator[Memory]:
    """A memory whose observer asks a model."""
    asked = {**model.settings, "observe_model": model.settings["model"], "answer_model": "none", **given}
    settings: dict[str, Any] = {**asked, "reflect_model": "none", "embedder": "none", "time_zone": str(talk.zone)}
    async with open_memory(":memory:", background=False, **settings) as memory:
        yield memory


async def said(memory: Memory, talk: Talk, session: str) -> None:
    """Record a talk in a session."""
    for one in talk.messages:
        speaker = one.speaker if one.role != "tool" else ""
        await memory.record(one.text, session=session, role=one.role, speaker=speaker, occurred_at=one.at)


def answer(talk: Talk, noted: Noted) -> str:
    """An answer with a note, beside one that has the words of the first message, so that half of it stands."""
    first = talk.messages[0]
    plain = {"messages": [1], "text": f"{first.speaker or 'The user'}: {first.text}"}
    given = {"messages": list(noted.messages), "text": noted.text}
    shape = {"refers_to": "", "type": "discovery", "priority": 3}
    return json.dumps({"observations": [plain | shape, given | shape], "task": "", "suggestion": ""})


async def _reason(memory: Memory, model: Answers, talk: Talk, noted: Noted, at: int) -> str:
    session = f"talk {at}"
    await said(memory, talk, session)
    model.script = [answer(talk, noted)]
    before = await memory.governance.audit.list(AuditFilter(action="refused"), limit=1)
    await memory.notes.observe(session)
    after = await memory.governance.audit.list(AuditFilter(action="refused"), limit=1)
    return after[0].reason if after != before else ""
