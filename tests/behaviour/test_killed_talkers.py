"""Processes that are killed (-9) while they work on a conversation: another goes on, and nothing is lost or twice."""

import os
import signal
from itertools import count
from pathlib import Path

import anyio
import pytest

from bench.invariant import Watch
from remembrancer import ContextRequest, Filter, Memory, Message
from tests.conversing import SESSION, faults_at_the_end, opened
from tests.talker import MESSAGES, Log, Talker, ended, talk, talking_over

from .requirements import requirement

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
# Every step at full size, every so many in the gate; an odd number, so that it falls before commits and behind them.
APART = 1 if SOAK else 13
KILLED = -signal.SIGKILL


async def gone_on(talkers: list[Talker]) -> list[str]:
    """What is wrong when the first of them, which was killed, goes on in another process."""
    watch, faults, logs = Watch(SESSION), list[str](), [Log.of(talker.log) for talker in talkers]
    first = talkers[0]
    async with opened(first.db) as store:
        engine = talking_over(store, first.tenant)
        memory = engine.memory
        found = await heard(memory, watch)
        if lost := set[str]().union(*(log.acknowledged for log in logs)) - found:
            faults.append(f"{len(lost)} messages were acknowledged, and are lost")
        faults += await watch.look(memory, await memory.context(ContextRequest(session=SESSION, recall=False)))
        await talk(engine, first.name, lambda _: None)
        if len(said := await heard(memory, watch)) != MESSAGES * len(talkers):
            faults.append(f"{MESSAGES * len(talkers)} messages were said, and {len(said)} are there")
        faults += await faults_at_the_end(memory, watch)
        runs = {(chunk.first, chunk.last) for chunk in await memory.notes.chunks(SESSION)}
        if undone := set[tuple[int, int]]().union(*(log.runs for log in logs)) - runs:
            faults.append(f"the runs {sorted(undone)} were observed, and are no more")
    assert watch.activations
    return faults


async def heard(memory: Memory, watch: Watch) -> set[str]:
    """The messages that are there, all of which the watch has heard now."""
    page = await memory.list(Filter(kinds=["message"]), limit=1_000)
    for message in page.records:
        assert isinstance(message, Message)
        watch.heard(message)
    return {message.id for message in page.records}


@pytest.mark.slow
@requirement("observing.told-once", "observing.nothing-stranded")
def test_a_talker_that_is_killed_at_any_step_is_gone_on_for(db: str, tmp_path: Path) -> None:
    wrong: dict[int, list[str]] = {}
    killed = 0
    for at in count(1, APART):
        talker = Talker(db=db, tenant=f"t{at}", name="anna", log=tmp_path / str(at), at=at)
        (end,) = ended(talker)
        if faults := anyio.run(gone_on, [talker]):
            wrong[at] = faults
        if end == 0:
            break
        assert end == KILLED
        killed += 1
    assert wrong == {}
    assert killed >= (38 if SOAK else 3)


@requirement("observing.told-once", "observing.nothing-stranded")
def test_who_talks_beside_one_that_is_killed_goes_on(db: str, tmp_path: Path) -> None:
    wrong: dict[int, list[str]] = {}
    ends: set[int | None] = set()
    for at in range(2, 38, 1 if SOAK else 25):
        dying = Talker(db=db, tenant=f"t{at}", name="anna", log=tmp_path / f"{at} anna", at=at)
        other = Talker(db=db, tenant=f"t{at}", name="otto", log=tmp_path / f"{at} otto")
        end, other_end = ended(dying, other)
        assert other_end == 0
        ends.add(end)
        if faults := anyio.run(gone_on, [dying, other]):
            wrong[at] = faults
    assert wrong == {}
    # It may have fewer steps than alone, where the other does the work, and then come to its end.
    assert KILLED in ends <= {KILLED, 0}
