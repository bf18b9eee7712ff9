"""Summaries of sessions and rules take a time, metadata and an idempotency key, as other writes do."""

from typing import Any

import pytest

from remembrancer import Conflict, Filter, InvalidInput
from tests.learning import DAY, Life

from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]


@requirement("recording.described")
async def test_a_summary_has_its_time_and_metadata_and_is_stored_once_for_a_key(life: Life) -> None:
    memory, then = life.memory, life.clock.now() - DAY
    await memory.record("We chose PostgreSQL", session="s")
    given: dict[str, Any] = {
        "text": "They chose a database.",
        "occurred_at": then,
        "metadata": {"ticket": 7},
        "key": "k",
    }
    first = await memory.sessions.summarise("s", **given)
    again = await memory.sessions.summarise("s", **given)
    assert (first.id, first.occurred_at, first.metadata) == (again.id, then, {"ticket": 7})
    assert [one.id for one in (await memory.list(Filter(types=["summary"]))).records] == [first.id]
    with pytest.raises(Conflict, match="used for other work"):
        await memory.sessions.summarise("s", "They chose another.", key="k")
    with pytest.raises(InvalidInput, match="auto_generated"):
        await memory.sessions.summarise("s", "They chose it.", metadata={"auto_generated": True})


@requirement("recording.described")
async def test_a_rule_has_its_time_and_metadata_and_is_stored_once_for_a_key(life: Life) -> None:
    memory, then = life.memory, life.clock.now() - DAY
    given: dict[str, Any] = {"rule": "Answer in German", "occurred_at": then, "metadata": {"ticket": 7}, "key": "k"}
    first = await memory.rules.add(**given)
    again = await memory.rules.add(**given)
    assert (first.id, first.occurred_at, first.metadata) == (again.id, then, {"ticket": 7})
    await memory.rules.pause(first.id)
    assert (await memory.rules.add(**given)).id == first.id
    with pytest.raises(Conflict, match="used for other work"):
        await memory.rules.add("Answer in French", key="k")
    assert len(await memory.rules.list(all=True)) == 1
