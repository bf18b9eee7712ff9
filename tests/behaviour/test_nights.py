"""Nights broken off, run again or run by two at once come to the same as one; and models that make things up."""

import json
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, timedelta
from itertools import count, cycle, pairwise, product
from typing import Any

import anyio
import pytest
from anyio import to_thread

from remembrancer import Conflict, ProviderUnavailable, Scope, StoreError
from remembrancer.jobs.maintenance import runner
from remembrancer.jobs.maintenance.context import LiveContext
from remembrancer.jobs.maintenance.runner import MaintenanceRunner
from remembrancer.learn import deletion as removal
from remembrancer.llm.language_model import Prompt
from remembrancer.testing import FakeClock, ScriptedModel
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Caller
from remembrancer.types.episode import Tier
from remembrancer.types.filter import Filter
from remembrancer.types.jobs import MOST_TRIES, MaintenanceRun, MaintenanceStep, StoreFault
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewEpisode
from remembrancer.types.pattern import PATTERNS_PER_RUN
from remembrancer.types.record import Observation, Record, details_of, kind_of
from tests.conversing import opened as opened_store
from tests.doubles import CountingIds
from tests.engine import desks_of
from tests.learning import ANA, BEN, DAY, HOUR, MONDAY, Life, beside, done, life_over, semicolons
from tests.sleeper import Sleeper, sleep, to_the_end
from tests.steps import Steps, in_steps
from tests.talker import in_processes

from .requirements import requirement
from .test_observing_faults import hung_up

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
# Steps that a test makes fail, one after the other.
FAILING = tuple(MaintenanceStep) if SOAK else (MaintenanceStep.DETECT, MaintenanceStep.PROMOTE, MaintenanceStep.SCORES)
BREAKS = list(product((False, True), (False, True)))


async def before_the_night(life: Life, scope: Scope) -> None:
    """Months of work with all that a night may have to do: late weeks, a habit that grows, a rule that is due."""
    memory = life.of(scope)
    await memory.episodes.record_many([*weeks("Bertelli", 150, 3), *beside(MONDAY - 20 * DAY, 40)])
    await memory.episodes.record_many(semicolons(MONDAY - 20 * DAY))
    await memory.admin.maintenance.run()
    await memory.episodes.record_many([*weeks("Quinn", 140, 2), *weeks("Adler", 60, 1)])
    life.clock.move(3 * DAY)
    await memory.episodes.record_many(semicolons(MONDAY, 3, days=2, seed=9))


def weeks(contact: str, days_ago: int, count: int) -> list[NewEpisode]:
    """Six things done in each of some weeks, so many days ago."""
    since = MONDAY - days_ago // 7 * 7 * DAY
    events = ("approval_approved", "approval_approved", "approval_modified", "exception_raised")
    return [
        done(
            f"answered letter {number}",
            since + week * 7 * DAY + number * HOUR,
            contact=contact,
            event=events[number % 4],
        )
        for week in range(count)
        for number in range(6)
    ]


async def content(life: Life, scope: Scope) -> dict[str, Any]:
    """All that a scope holds, by what it says: ids and the times at which it was written apart."""
    async with life.store.snapshot(Caller(scope=scope)) as tx:
        page = await tx.records.list(Filter(statuses=tuple(Status)), limit=1_000, cursor=None)
        texts = {record.id: record.text for record in page.records}
        held = [
            (
                kind_of(one).value,
                one.status.value,
                one.text,
                str(details_of(one)),
                sorted(texts[source] for source in one.evidence),
                round(one.importance, 9),
                str(one.occurred_at),
                one.revision,
            )
            for one in page.records
        ]
        standings = [await tx.scores.find(record.id) for record in page.records]
        night = await tx.maintenance_runs.latest()
        assert night is not None
        assert night.step is MaintenanceStep.SCORES
        return {
            "held": sorted(held, key=repr),
            "indexed": len(await tx.documents.matching(Filter(statuses=tuple(Status)))),
            "standing": sorted(round(one.score or 0.0, 9) for one in standings if one),
            "counts": dict(night.counts),
            "audited": await tx.audit.count(),
        }


def said(held: dict[str, Any]) -> list[Any]:
    """What a scope tells, and on what it rests: a step that comes a day later weighs otherwise."""
    return sorted([(kind, status, text, rests_on) for kind, status, text, _, rests_on, *_ in held["held"]], key=repr)


@requirement("nightly.as-once")
async def test_a_night_that_breaks_off_at_any_step_comes_to_the_same(db: str) -> None:
    wrong: list[str] = []
    whole, ids = Steps(), CountingIds()
    once = await after_a_break(db, "once", whole, ids)
    assert {"weekly records", "monthly records", "grown", "promoted", "decayed"} <= once["counts"].keys()
    apart = 1 if SOAK else (whole.count // 3)
    breaks = cycle(BREAKS)
    for at in range(1, whole.count + 1, apart):
        for after, cancel in BREAKS if SOAK else [next(breaks)]:
            name = f"step {at}, {after=}, {cancel=}"
            if await after_a_break(db, name, Steps(at=at, after=after, cancel=cancel), ids) != once:
                wrong.append(name)
    assert wrong == []


async def after_a_break(db: str, tenant: str, steps: Steps, ids: CountingIds) -> dict[str, Any]:
    """What a scope holds after a night that a process has broken off at a step, and another has run to its end."""
    scope, clock = Scope(tenant=tenant, user="ana"), FakeClock(MONDAY)
    async with opened_store(db) as store:
        life = life_over(store, clock=clock, ids=ids)
        await before_the_night(life, scope)
        with in_steps(steps, threads="://" in db), hung_up():
            await steps.run(lambda: life.of(scope).admin.maintenance.run())
    async with opened_store(db) as store:
        later = life_over(store, clock=clock, ids=ids)
        await later.of(scope).admin.maintenance.run()
        return await content(later, scope)


@requirement("nightly.steps-apart")
async def test_a_step_that_fails_stops_no_other_and_is_done_in_the_next_night(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: object) -> None:
        raise AssertionError("zyzzyva")

    async def conflicts(_: object) -> None:
        raise Conflict("a memory was changed meanwhile")

    whole = Scope(tenant="whole", user="ana")
    await before_the_night(life, whole)
    await life.of(whole).admin.maintenance.run()
    life.clock.move(DAY)
    await life.of(whole).admin.maintenance.run()
    once = said(await content(life, whole))
    for step in FAILING:
        life.clock.move(MONDAY - life.clock.now())
        scope = Scope(tenant=step.value, user="ana")
        await before_the_night(life, scope)
        failing, cause = (conflicts, "Conflict") if step is MaintenanceStep.PROMOTE else (fails, "AssertionError")
        with monkeypatch.context() as patch:
            patch.setitem(runner.STEPS, step, failing)
            preview = await life.of(scope).admin.maintenance.dry_run()
            night = await life.of(scope).admin.maintenance.run()
        assert (night.ended_at is None, night.counts["failed steps"], preview.counts["failed steps"]) == (True, 1, 1)
        assert (night.left, night.failures) == ((step,), (f"{step}: {cause}",))
        assert preview.notes[0] == night.notes[0] == f"failed: {step}: {cause}"
        life.clock.move(DAY)
        again = await life.of(scope).admin.maintenance.run()
        assert "failed steps" not in again.counts
        assert said(await content(life, scope)) == once, step


@requirement("nightly.tried-again")
async def test_a_step_that_failed_is_done_in_a_later_try_of_the_same_night(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: object) -> None:
        raise AssertionError("zyzzyva")

    for step in FAILING:
        life.clock.move(MONDAY - life.clock.now())
        scope, whole = (Scope(tenant=f"{name} {step.value}", user="ana") for name in ("failed", "whole"))
        for one in (scope, whole):
            life.clock.move(MONDAY - life.clock.now())
            await before_the_night(life, one)
        with monkeypatch.context() as patch:
            patch.setitem(runner.STEPS, step, fails)
            await life.of(scope).admin.maintenance.run()
        again, once = [await life.of(one).admin.maintenance.run() for one in (scope, whole)]
        assert (again.left, again.failures, again.tries, again.ended_at) == ((), (), 2, life.clock.now())
        assert "failed steps" not in again.counts
        if step in (MaintenanceStep.RETAIN, MaintenanceStep.SCORES):
            assert again.counts == once.counts, step
        assert await life.of(scope).admin.maintenance.run() == again


@requirement("nightly.tried-again")
async def test_a_night_that_fails_is_begun_again_later_each_time_and_six_times_at_most(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(_: object) -> None:
        raise AssertionError("zyzzyva")

    rules = Dependencies(clock=life.clock, ids=life.ids, sign=life.store.sign)
    nightly = MaintenanceRunner(desks_of(life.store, rules), rules, zone=UTC)
    await before_the_night(life, ANA)
    monkeypatch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
    begun, nights = list[timedelta](), list[MaintenanceRun]()
    for minute in range(17 * 60):
        if await nightly.is_due(ANA):
            nights.append(await nightly.run(ANA))
            begun.append(timedelta(minutes=minute))
        life.clock.move(timedelta(minutes=1))
    night, waited = nights[-1], [later - earlier for earlier, later in pairwise(begun)]
    assert len(begun) == night.tries == MOST_TRIES
    assert waited == sorted(waited)
    assert begun[-1] < timedelta(hours=12)
    assert (night.ended_at is None, night.failures) == (False, ("detect: AssertionError",))
    assert nightly.failing_scopes == {ANA}
    assert StoreFault.FAILING_NIGHTS in [one.finding.fault for one in await life.memory.admin.doctor()]


@requirement("nightly.records-apart")
async def test_a_record_that_fails_stops_no_other_of_its_step(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, broken = life.memory, set[str]()
    await before_the_night(life, ANA)
    await memory.governance.retention.set("mails", keep_days=1)
    life.clock.move(2 * DAY)
    episodes = await memory.episodes.list(limit=200)
    broken |= {episodes[3].id, episodes[11].id}
    expire = removal.expire

    async def expires(writer: WriteTransaction, record: Record) -> None:
        if record.id in broken:
            raise StoreError("a damaged row")
        await expire(writer, record)

    monkeypatch.setattr(removal, "expire", expires)
    night = await memory.admin.maintenance.run()
    assert night.failures == ("retain: StoreError, 2 times",)
    assert {one.id for one in await memory.governance.retention.find_expired(limit=1_000)} == broken
    monkeypatch.undo()
    again = await memory.admin.maintenance.run()
    assert (again.failures, again.counts["expired"]) == ((), night.counts["expired"] + 2)


@requirement("nightly.steps-apart")
async def test_a_step_that_fails_three_nights_in_a_row_is_a_fault(life: Life, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(_: object) -> None:
        raise AssertionError("zyzzyva")

    await before_the_night(life, ANA)
    with monkeypatch.context() as patch:
        patch.setitem(runner.STEPS, MaintenanceStep.DETECT, fails)
        for nights in (1, 2, 3):
            await life.memory.admin.maintenance.run()
            named = [one for one in await life.memory.admin.doctor() if one.finding.fault is StoreFault.FAILING_NIGHTS]
            assert len(named) == (nights == 3)
            life.clock.move(DAY)
    assert named[0].finding.where == ("detect: AssertionError",)
    await life.memory.admin.maintenance.run()
    assert StoreFault.FAILING_NIGHTS not in [one.finding.fault for one in await life.memory.admin.doctor()]


@requirement("nightly.as-once")
async def test_a_night_that_is_run_again_changes_nothing(life: Life) -> None:
    await before_the_night(life, ANA)
    first = await life.memory.admin.maintenance.run()
    once = await content(life, ANA)
    for hours in (0, 1, 12):
        life.clock.move(hours * HOUR)
        assert await life.memory.admin.maintenance.run() == first
    assert await content(life, ANA) == once


@requirement("nightly.as-once")
@pytest.mark.both_stores
async def test_two_workers_at_one_night_come_to_the_same_as_one(db: str) -> None:
    once: list[dict[str, Any]] = []
    ids = CountingIds()
    for tenant, workers in (("one", 1), ("two", 2), ("three", 3)):
        scope = Scope(tenant=tenant, user="ana")
        async with opened_store(db) as first, opened_store(db) as second:
            life = life_over(first, clock=FakeClock(MONDAY), ids=ids)
            await before_the_night(life, scope)
            lives = [life, life.beside(second), life.beside(second)][:workers]
            async with anyio.create_task_group() as tasks:
                for one in lives:
                    tasks.start_soon(to_the_end, one, scope)
            once.append(await content(life, scope))
    assert once[1:] == [once[0], once[0]]


@pytest.mark.slow
@requirement("nightly.as-once")
def test_a_night_whose_process_is_killed_comes_to_the_same(db: str) -> None:
    scope = Scope(tenant="killed 0", user="ana")
    once = anyio.run(after_processes, db, scope, list[int | None]())
    wrong: dict[str, dict[str, Any]] = {}
    killed = 0
    for at in count(1, 1 if SOAK else 20):
        ends: list[int | None] = []
        # Beside one that is killed another may be at the same night.
        for others in (0, 1):
            scope = Scope(tenant=f"killed {at} beside {others}", user="ana")
            found = anyio.run(after_processes, db, scope, ends, at, others)
            if found != once:
                wrong[f"step {at} beside {others}"] = found
        killed += ends.count(-signal.SIGKILL)
        assert ends[0] in (0, -signal.SIGKILL)
        if ends[0] == 0:
            break
    assert wrong == {}
    assert killed >= (10 if SOAK else 2)


async def after_processes(
    db: str, scope: Scope, ends: list[int | None], at: int = 0, others: int = 0
) -> dict[str, Any]:
    """What a scope holds after a night at which one process was killed and others were not, and that was run again."""
    clock, ids = FakeClock(MONDAY), CountingIds(at * 4_000 + others * 2_000)
    async with opened_store(db) as store:
        await before_the_night(life_over(store, clock=clock, ids=ids), scope)
    sleepers = [
        Sleeper(db=db, scope=scope, now=clock.now(), number=1 + 4 * at + 2 * others + each, at=0 if each else at)
        for each in range(1 + others)
    ]
    ends += await to_thread.run_sync(in_processes, db, sleep, sleepers)
    async with opened_store(db) as store:
        later = life_over(store, clock=clock, ids=ids)
        await later.of(scope).admin.maintenance.run()
        return await content(later, scope)


@requirement("nightly.looks-again")
async def test_a_night_after_a_day_on_which_nothing_was_done_asks_no_model(db: str) -> None:
    async with opened_store(db) as store:
        model = ScriptedModel(lambda _: {"patterns": []})
        life = life_over(store, models=(model,))
        await life.memory.episodes.record_many(beside(MONDAY - 20 * DAY))
        await life.memory.episodes.record_many([done("planned the fair", MONDAY + 90 * DAY)])
        await life.nights(4)
        assert len(model.asked) == 1
        await life.memory.episodes.record_many([done("read the mail", life.clock.now())])
        await life.nights(1)
        assert len(model.asked) == 2


@requirement("nightly.looks-again")
async def test_a_night_after_one_that_had_no_room_for_more_looks_again(db: str) -> None:
    async with opened_store(db) as store:
        model = ScriptedModel(lambda _: {"patterns": []})
        life = life_over(store, models=(model,))
        await life.memory.episodes.record_many(beside(MONDAY - 20 * DAY))
        night = await life.nights(1)
        async with store.begin(Caller(scope=ANA)) as tx:
            await tx.maintenance_runs.put(replace(night, counts={"observed": PATTERNS_PER_RUN}))
        await life.nights(2)
        assert len(model.asked) == 2


@pytest.mark.slow
@requirement("nightly.looks-again")
async def test_nights_one_by_one_tell_the_weeks_and_months_of_one_night_over_all(life: Life) -> None:
    deeds = [
        done(f"answered letter {number}", MONDAY - 120 * DAY + number * number % 97 * DAY + number * HOUR)
        for number in range(60)
    ]
    for scope in (ANA, BEN):
        await life.of(scope).episodes.record_many(deeds)
    life.clock.move(-40 * DAY)
    await life.nights(40)
    await life.of(BEN).admin.maintenance.run()
    one_by_one, at_once = [await life.of(scope).episodes.list(superseded=True, limit=200) for scope in (ANA, BEN)]
    assert {one.details.tier for one in at_once} == set(Tier)
    assert [(one.text, one.status) for one in one_by_one] == [(one.text, one.status) for one in at_once]


@requirement("nightly.looks-again")
async def test_what_is_recorded_late_is_told_with_its_week_in_the_next_night(life: Life) -> None:
    await life.nights(2)
    await life.memory.episodes.record_many(weeks("Quinn", 60, 1))
    assert (await life.nights(1)).counts["weekly covered"] == 6


@requirement("nightly.decay")
async def test_what_comes_back_has_decayed_as_if_it_had_never_been_away(life: Life) -> None:
    away, there = [(await life.memory.save(text)).record for text in ("Ana likes tea.", "Ana rides a red bicycle.")]
    await life.nights(1)
    await life.memory.delete(away.id)
    await life.nights(10)
    assert (await life.memory.get(there.id)).importance < there.importance
    await life.memory.restore(away.id)
    await life.nights(1)
    assert (await life.memory.get(away.id)).importance == (await life.memory.get(there.id)).importance


@requirement("nightly.decay")
async def test_a_memory_that_comes_back_during_the_night_displaces_no_other(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = [(await life.memory.record(f"Note {number}", session="s")).record for number in range(4)]
    first, *others = [record.id for record in records]
    at = records[0].occurred_at
    await life.memory.delete(first)
    read = LiveContext.read

    async def then_restore(self: LiveContext, work: Any) -> Any:
        found = await read(self, work)
        if found == [(at, id) for id in others]:
            await life.memory.restore(first)
        return found

    monkeypatch.setattr(LiveContext, "read", then_restore)
    assert (await life.nights(1)).counts["decayed"] == 4
    assert {(await life.memory.scores.get(id)).score is None for id in (first, *others)} == {False}


# What a model makes up


# Told in other words each time, so that counting alone does not see them.
HABITS = {
    "Ada": ("sang a tune", "hummed along", "whistled softly", "played music"),
    "Bea": ("drew a sketch", "painted the view", "coloured some shapes", "outlined figures"),
    "Cid": ("baked bread", "stirred soup", "fried onions", "boiled rice"),
    "Dov": ("swept floors", "dusted shelves", "polished brass", "wiped windows"),
    "Eve": ("planted bulbs", "watered ferns", "pruned roses", "raked leaves"),
}


def habits() -> list[NewEpisode]:
    """Five habits of eight times each, at no certain hour."""
    since = MONDAY - 20 * DAY
    return [
        done(
            told[number % 4], since + (number * 2 + place % 2) * DAY + (number * 7 + place * 3) % 9 * HOUR, contact=name
        )
        for place, (name, told) in enumerate(HABITS.items())
        for number in range(8)
    ]


def lines_of(prompt: Prompt, name: str) -> list[int]:
    """The numbers of the lines of a prompt that tell of a habit."""
    told = [json.loads(line) for line in prompt.text.splitlines() if line.startswith('{"n"')]
    return [line["n"] for line in told if line["text"] in HABITS[name]]


def habit(prompt: Prompt, name: str, **other: Any) -> dict[str, Any]:
    """What is true of a habit, as a model writes it down."""
    return proposed(
        f"This is usual with {name}.",
        lines_of(prompt, name),
        where=[{"field": "contact", "relation": "is", "value": name}],
        wordings=list(HABITS[name]),
        **other,
    )


def proposed(quote: str, episodes: Sequence[int], **other: Any) -> dict[str, Any]:
    """A pattern as a model writes it down."""
    return {
        "category": "writing-style",
        "quote": quote,
        "evidence": "corrected again and again",
        "episodes": list(episodes),
        "rule": "",
        **other,
    }


async def night_with(
    db: str, model: ScriptedModel, more: Sequence[NewEpisode] = ()
) -> tuple[list[Observation], Sequence[str]]:
    """What a night with a model observes, and what it says of it."""
    async with opened_store(db) as store:
        life = life_over(store, models=[model])
        await life.of(BEN).episodes.record_many([done("fed the zebra of the zoo", MONDAY - DAY) for _ in range(4)])
        await life.memory.episodes.record_many([*beside(MONDAY - 20 * DAY), *habits(), *more])
        night = await life.nights(1)
        return list(await life.memory.patterns.list()), night.notes


@requirement("nightly.model-is-recounted")
async def test_of_ten_proposals_three_remain(db: str) -> None:
    def answer(prompt: Prompt) -> dict[str, Any]:
        sound = [habit(prompt, name) for name in HABITS]
        return {"patterns": [*sound, *sound]}

    observed, notes = await night_with(db, ScriptedModel(answer))
    assert len(observed) == 3
    assert len({one.learned.key for one in observed if one.learned}) == 3
    assert any("more than 3 patterns" in note for note in notes)


@requirement("nightly.model-is-recounted")
async def test_what_a_model_makes_up_is_refused_with_reasons(db: str) -> None:
    def answer(prompt: Prompt) -> dict[str, Any]:
        true = lines_of(prompt, "Ada")
        return {
            "patterns": [
                habit(prompt, "Ada") | {"episodes": [*true[:3], 999, 0, -1]},
                habit(prompt, "Ada") | {"evidence": "80 times"},
                habit(prompt, "Ada") | {"episodes": true[:2]},
                habit(prompt, "Ada") | {"quote": "With Ada drafts are rejected."},
                habit(prompt, "Ada") | {"where": [], "quote": "This is usual with anybody."},
                habit(prompt, "Ada") | {"quote": ""},
                habit(prompt, "Ada") | {"episodes": true * 2},
            ]
        }

    observed, notes = await night_with(db, ScriptedModel(answer))
    made_up = {note for note in notes if note.startswith("refused: ")}
    assert len(made_up) == 7
    for reason in ("999", "80", "too few", "'reject'", "no quote", "more than once"):
        assert any(reason in note for note in made_up), reason
    assert all(one.engine.startswith("counting") for one in observed)


@requirement("nightly.model-is-recounted")
@pytest.mark.parametrize(
    "said", ["I see many habits!", "[]", '{"patterns": 7}', '{"patterns": [{}]}', ProviderUnavailable("away")], ids=str
)
async def test_whatever_a_model_answers_the_counting_goes_on(db: str, said: str | Exception) -> None:
    counted = semicolons(MONDAY - 20 * DAY)
    without, _ = await night_with(":memory:", ScriptedModel(lambda _: {"patterns": []}), counted)
    observed, notes = await night_with(db, ScriptedModel(lambda _: said), counted)
    assert [one.text for one in observed] == [one.text for one in without]
    assert len(observed) >= 1
    assert len(notes) == 1


@requirement("nightly.model-is-recounted")
async def test_a_model_is_told_of_its_scope_alone_and_no_id(db: str) -> None:
    model = ScriptedModel(lambda _: {"patterns": []})
    await night_with(db, model)
    (prompt,) = model.asked
    assert "sang a tune" in prompt.text
    assert "zebra" not in prompt.system + prompt.text
    assert "00000000-0000-7000" not in prompt.system + prompt.text


@requirement("nightly.model-is-recounted")
async def test_what_a_model_finds_keeps_who_found_it_and_is_rejected_like_any_other(db: str) -> None:
    def answer(prompt: Prompt) -> dict[str, Any]:
        return {"patterns": [habit(prompt, "Eve")]}

    async with opened_store(db) as store:
        life = life_over(store, models=[ScriptedModel(answer)])
        await life.memory.episodes.record_many([*beside(MONDAY - 20 * DAY), *habits()])
        await life.nights(1)
        found = [one for one in await life.memory.patterns.list() if "Eve" in one.text]
        assert len(found) == 1
        await life.memory.feedback(found[0].id, "wrong")
        await life.nights(5)
        assert [one for one in await life.memory.patterns.list() if "Eve" in one.text] == []


@requirement("nightly.model-is-recounted")
async def test_what_is_refused_goes_back_to_the_model_once_with_the_reasons(db: str) -> None:
    def answer(prompt: Prompt) -> dict[str, Any]:
        mended = "These were counted and refused" in prompt.text
        return {"patterns": [habit(prompt, "Ada") | {"evidence": "8 times" if mended else "80 times"}]}

    model = ScriptedModel(answer)
    observed, notes = await night_with(db, model)
    assert [one.text for one in observed] == ["This is usual with Ada."]
    assert notes == ()
    assert len(model.asked) == 2
    assert "contains 80, which was not counted" in model.asked[1].text


@requirement("nightly.model-is-recounted")
async def test_no_model_is_asked_where_counting_leaves_no_room_and_it_knows_what_was_counted(db: str) -> None:
    model = ScriptedModel(lambda _: {"patterns": []})
    counted = semicolons(MONDAY - 20 * DAY)
    await night_with(db, model, counted)
    assert "emicolons are removed" in model.asked[0].text.split("<episodes>")[0]
    rejected = [
        done(f"no {name} today", MONDAY - at * DAY, event="approval_rejected", contact=name)
        for at in range(1, 11)
        for name in ("Fay", "Gil", "Hal", "Ida")
    ]
    full = ScriptedModel(lambda _: {"patterns": []})
    observed, _ = await night_with(":memory:", full, [*counted, *rejected])
    assert len(observed) == 3
    assert full.asked == []
