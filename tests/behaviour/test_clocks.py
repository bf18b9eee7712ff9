"""A clock that runs a year ahead, and is set right: nights go on, nothing decays twice, and the doctor names it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from bench.replaying import caught_up
from remembrancer.assembly import engine
from remembrancer.jobs.doctor import Diagnosis
from remembrancer.testing import FakeClock, ScriptedModel
from remembrancer.types.jobs import StoreFault
from tests.learning import DAY, HOUR, MONDAY, Life

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

YEAR = 365 * DAY


def faults(found: Sequence[Diagnosis]) -> set[StoreFault]:
    return {one.finding.fault for one in found}


@requirement("nightly.clock")
async def test_a_clock_a_year_ahead_and_back_again_silences_no_night(life: Life) -> None:
    before = (await life.memory.save("The quokka is fed at noon.")).record
    await life.nights(2)
    life.clock.move(YEAR)
    during = (await life.memory.save("The quokka is fed at night.")).record
    ahead = await life.memory.admin.maintenance.run()
    life.clock.move(-YEAR)

    decayed = [(await life.memory.scores.get(one.id)).importance for one in (before, during)]
    days = {(await life.nights(1)).day for _ in range(5)}
    assert len(days) == 5
    assert max(days) < ahead.day
    for one, importance in zip((before, during), decayed, strict=True):
        stands = await life.memory.scores.get(one.id)
        assert stands.importance == importance, "what has decayed up to a later day does not decay again until then"
        assert stands.score is not None
    after = (await life.memory.save("The quokka is fed in the morning.")).record
    await life.nights(2)
    assert (await life.memory.scores.get(after.id)).importance < after.importance


@requirement("nightly.clock")
async def test_the_doctor_names_what_lies_in_the_future_and_has_its_nights_run_when_they_come(life: Life) -> None:
    await life.memory.save("The quokka is fed at noon.")
    await life.nights(1)
    assert await life.memory.admin.doctor() == []
    life.clock.move(YEAR)
    late = (await life.memory.record("The quokka is fed at night.", session="later")).record
    ahead = await life.memory.admin.maintenance.run()
    life.clock.move(-YEAR)

    found = {one.finding.fault: one for one in await life.memory.admin.doctor()}
    assert set(found) == {StoreFault.FUTURE_NIGHT, StoreFault.FUTURE_TIME}
    assert found[StoreFault.FUTURE_NIGHT].finding.where == (ahead.day.isoformat(),)
    assert {late.id, "later"} <= set(found[StoreFault.FUTURE_TIME].finding.where)
    mended = {one.finding.fault: one.repaired for one in await life.memory.admin.doctor(repair=True)}
    assert mended == {StoreFault.FUTURE_NIGHT: True, StoreFault.FUTURE_TIME: False}
    assert faults(await life.memory.admin.doctor()) == {StoreFault.FUTURE_TIME}
    life.clock.move(YEAR)
    assert (await life.memory.admin.maintenance.run()).started_at == life.clock.now()
    assert await life.memory.admin.doctor() == []


@requirement("nightly.clock", "nightly.decay")
async def test_a_night_takes_nothing_from_what_came_after_its_moment(life: Life) -> None:
    assert life.clock.now() == MONDAY, "after the hour of the night"
    early = (await life.memory.save("The quokka is fed at noon.")).record
    await life.memory.admin.maintenance.run()
    stands = await life.memory.scores.get(early.id)
    assert (stands.importance, stands.decayed_on) == (early.importance, MONDAY.date())
    life.clock.move(DAY)
    late = (await life.memory.save("The quokka is fed at night.")).record
    await life.memory.admin.maintenance.run()
    once = (await life.memory.scores.get(early.id)).importance
    assert once < early.importance
    assert (await life.memory.scores.get(late.id)).importance == late.importance
    life.clock.move(DAY)
    await life.memory.admin.maintenance.run()
    assert (await life.memory.scores.get(late.id)).importance == pytest.approx(once)


@requirement("nightly.clock", "observing.nothing-stranded")
async def test_a_talk_over_which_a_clock_is_set_back_is_told_in_its_order(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setattr(engine, "SystemClock", lambda: clock)
    given: dict[str, Any] = {"observe_tokens": 100, "observe_chunk": 0.2, "reflect_tokens": 10_000}
    memory = await opener(**given)
    for number in range(12):
        clock.move(-HOUR if number % 3 else HOUR)
        await memory.record(f"I decided that room {number} is painted in colour {number * 7}.", session="talk")
        await caught_up(memory)
    told = [one.first for one in await memory.notes.log("talk")]
    assert told
    assert told == sorted(told)


@requirement("nightly.clock", "observing.budget-degrades")
async def test_what_is_spent_while_a_clock_is_ahead_is_not_spent_every_day_until_then(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FakeClock()
    monkeypatch.setattr(engine, "SystemClock", lambda: clock)
    model = ScriptedModel(lambda _: "Heard.", name="openai:small")
    memory = await opener(model=model, budget_day_tokens=20_000)
    clock.move(YEAR)
    await memory.sessions.reply("talk", "Do you hear me?")
    (ahead,) = (await memory.admin.costs(days=1)).budgets
    assert ahead.spent > 0
    clock.move(-YEAR)
    (now,) = (await memory.admin.costs(days=1)).budgets
    assert now.spent == 0
    clock.move(timedelta(minutes=1))
    await memory.sessions.reply("talk", "And now?")
