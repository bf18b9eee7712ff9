"""Turns at a pool: in rotation between tenants, and none is lost."""

import anyio
import anyio.lowlevel
import pytest

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
