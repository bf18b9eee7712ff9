"""Turns at a pool: in rotation between tenants, and none is lost."""

from collections import Counter
from itertools import count

import anyio
import anyio.lowlevel
import pytest

from remembrancer.storage.postgres import turns as module
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


@pytest.mark.parametrize(("late", "most"), [(0.0, 8), (0.002, 1)])
async def test_a_busy_processor_leaves_a_tenant_few_turns_while_another_is_active(
    monkeypatch: pytest.MonkeyPatch, late: float, most: int
) -> None:
    clock = count(step=late)
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    turns, running, found = FairTurns(8), Counter[str](), list[int]()

    async def flood() -> None:
        async with turns.turn("flood"):
            running["flood"] += 1
            found.append(running["flood"])
            for _ in range(5):
                await anyio.lowlevel.checkpoint()
            running["flood"] -= 1

    async def quiet() -> None:
        while len(found) < 400:
            async with turns.turn("quiet"):
                await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(quiet)
        for _ in range(400):
            tasks.start_soon(flood)
    assert max(found[-100:]) == most


async def test_a_tenant_alone_has_all_turns_of_a_busy_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(step=0.002)
    monkeypatch.setattr(module, "monotonic", lambda: next(clock))
    turns, running, found = FairTurns(8), Counter[str](), list[int]()

    async def call() -> None:
        async with turns.turn("flood"):
            running["flood"] += 1
            found.append(running["flood"])
            await anyio.lowlevel.checkpoint()
            running["flood"] -= 1

    async with anyio.create_task_group() as tasks:
        for _ in range(400):
            tasks.start_soon(call)
    assert max(found[-100:]) == 8
