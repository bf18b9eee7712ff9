"""Turns at a pool: in rotation between tenants, and none is lost."""

import anyio
import anyio.lowlevel
import pytest

from remembrancer.storage.postgres import processor as processors
from remembrancer.storage.postgres import turns as module
from remembrancer.storage.postgres.processor import Processor
from remembrancer.storage.postgres.turns import FairTurns

pytestmark = pytest.mark.anyio


async def test_a_tenant_that_floods_does_not_delay_another() -> None:
    turns, order = FairTurns(1), list[str]()

    async def call(tenant: str) -> None:
        async with turns.turn(tenant):
            order.append(tenant)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks, turns.turn("flood"):
        for _ in range(50):
            tasks.start_soon(call, "flood")
        await anyio.wait_all_tasks_blocked()
        for tenant in ("quiet", "calm", "quiet"):
            tasks.start_soon(call, tenant)
        await anyio.wait_all_tasks_blocked()
    assert order[:6] == ["flood", "quiet", "calm", "flood", "quiet", "flood"]
    assert len(order) == 53


async def test_no_turn_is_lost_with_callers_that_are_cancelled() -> None:
    turns, done = FairTurns(2), list[int]()

    async def call(number: int) -> None:
        with anyio.move_on_after(0.001 * (number % 5)):
            async with turns.turn(f"tenant {number % 3}"):
                await anyio.sleep(0.001)
        done.append(number)

    async with anyio.create_task_group() as tasks:
        for number in range(200):
            tasks.start_soon(call, number)
    assert len(done) == 200
    with anyio.fail_after(1):
        async with turns.turn("a"), turns.turn("b"):
            pass


@pytest.mark.parametrize(("is_busy", "most"), [(False, 8), (True, 1)])
async def test_a_busy_processor_leaves_a_tenant_few_turns_while_another_is_active(is_busy: bool, most: int) -> None:
    processor, running, found = Processor(), list[str](), list[int]()
    processor.is_busy = is_busy
    turns = FairTurns(8, processor=processor)

    async def quiet() -> None:
        while len(found) < 400:
            async with turns.turn("quiet"):
                await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(quiet)
        for _ in range(400):
            tasks.start_soon(flood, turns, processor, running, found)
    assert max(found[-100:]) == most


async def test_a_tenant_alone_has_all_turns_of_a_busy_processor() -> None:
    processor, running, found = Processor(), list[str](), list[int]()
    processor.is_busy = True
    turns = FairTurns(8, processor=processor)
    async with anyio.create_task_group() as tasks:
        for _ in range(400):
            tasks.start_soon(flood, turns, processor, running, found)
    assert max(found[-100:]) == 8


async def test_a_long_turn_of_a_tenant_keeps_its_other_callers_waiting_for_a_second_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_ACTIVE_SECONDS", 0.05)
    processor, running, found = Processor(), list[str](), list[int]()
    processor.is_busy = True
    turns = FairTurns(8, processor=processor)
    for _ in range(20):
        await flood(turns, processor, running, found)
    async with turns.turn("quiet"), turns.turn("flood"):
        with anyio.fail_after(5):
            await flood(turns, processor, running, found)


async def flood(turns: FairTurns, processor: Processor, running: list[str], found: list[int]) -> None:
    """Have a turn, and note how many of the tenant run."""
    async with turns.turn("flood"):
        processor.looks += 1
        running.append("flood")
        found.append(len(running))
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        running.pop()


def test_the_processor_is_busy_where_the_process_or_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = [0.0, 0.0]
    monkeypatch.setattr(processors.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(processors.time, "process_time", lambda: seconds[1])
    ticks = [0, 0]
    monkeypatch.setattr(processors, "_machine", lambda: (ticks[0], ticks[1]))
    processor = Processor()
    # Seconds, seconds of the process, ticks used and of all.
    for number, (passed, own, used, of_all, is_busy) in enumerate(
        [(1, 0.95, 10, 200, True), (1, 0.2, 20, 200, False), (1, 0.2, 195, 200, True), (1, 0.2, 0, 0, False)], 1
    ):
        seconds[0] += passed
        seconds[1] += own
        ticks[0] += used
        ticks[1] += of_all
        processor.look()
        assert (processor.looks, processor.is_busy) == (number, is_busy)
        processor.look()
        assert processor.looks == number
