"""How long memories are kept: exactly what is due goes, can be restored for thirty days, and is then gone for good."""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

import pytest

from remembrancer import (
    AuditFilter,
    Conflict,
    Filter,
    InvalidInput,
    Memory,
    NewMessage,
    NewObservation,
    NotAllowed,
    NotFound,
    Scope,
)
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.lifecycle import GRACE, Status
from tests.engine import Engine, engine_of
from tests.learning import ANA, Life

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
DAY = timedelta(days=1)
HOME = Scope(tenant=ANA.tenant)
# Five that overlap: scope, days, kinds, classes.
POLICIES: Mapping[str, tuple[Scope, int, Sequence[str], Sequence[str]]] = {
    "all": (HOME, 400, (), ()),
    "talk": (HOME, 90, ("message",), ()),
    "closed": (HOME, 30, (), ("restricted", "confidential")),
    "anas": (ANA, 60, ("observation", "fact"), ()),
    "anas talk": (ANA, 45, ("message",), ("internal",)),
}


@pytest.fixture
def engine(life: Life) -> Engine:
    rules = Dependencies(clock=life.clock, ids=life.ids, sign=life.store.sign)
    return engine_of(life.store, rules, HOME, caller=Caller(scope=HOME))


async def written(memory: Memory, life: Life, chance: random.Random) -> dict[str, tuple[Scope, str, str, datetime]]:
    """Memories of several kinds and classes, one a day; by id what each is."""
    made: dict[str, tuple[Scope, str, str, datetime]] = {}
    for number in range(60):
        scope = chance.choice((HOME, ANA, Scope(tenant=ANA.tenant, user="bob")))
        kind = chance.choice(("message", "observation", "fact"))
        cls = chance.choice(("public", "internal", "confidential", "restricted"))
        own = memory.within(scope)
        if kind == "message":
            record = (await own.record(NewMessage(text=f"line {number}", session="s", classification=cls))).record
        elif kind == "observation":
            record = (await own.save(NewObservation(text=f"note {number}", session="s", classification=cls))).record
        else:
            record = (await own.facts.set(f"profile.f{number}", number)).record
        made[record.id] = scope, kind, record.classification.value, record.recorded_at
        life.clock.move(DAY * chance.choice((1, 2, 3)))
    return made


def due_by_hand(made: Mapping[str, tuple[Scope, str, str, datetime]], now: datetime) -> dict[str, set[str]]:
    """What is due, by the policies that are on it, counted without any of ours."""
    found: dict[str, set[str]] = {}
    for id, (scope, kind, cls, at) in made.items():
        for name, (on, days, kinds, classes) in POLICIES.items():
            within = scope == on or on == HOME
            if within and (not kinds or kind in kinds) and (not classes or cls in classes) and now - at >= days * DAY:
                found.setdefault(id, set()).add(name)
    return found


@requirement("retaining.exactly")
@pytest.mark.parametrize("seed", range(3))
async def test_exactly_what_is_due_goes_in_the_dry_run_and_in_the_run(engine: Engine, life: Life, seed: int) -> None:
    memory = engine.memory
    made = await written(memory, life, random.Random(seed))
    for name, (scope, days, kinds, classes) in POLICIES.items():
        await memory.within(scope).governance.retention.set(name, keep_days=days, kinds=kinds, classifications=classes)
    gone: set[str] = set()
    for _ in range(6):
        life.clock.move(20 * DAY)
        due = {id: on for id, on in due_by_hand(made, life.clock.now()).items() if id not in gone}
        found = await memory.governance.retention.find_expired(limit=1_000)
        assert {one.id for one in found} == set(due)
        assert [one for one in found if one.policy not in due[one.id]] == []
        assert (await memory.governance.retention.run(dry_run=True)).expired == len(due)
        assert {one.id for one in await memory.governance.retention.find_expired(limit=1_000)} == set(due)
        before = {one.id for one in await memory.governance.retention.list_soft_deleted(limit=1_000)}
        assert (await memory.governance.retention.run()).expired == len(due)
        assert await memory.governance.retention.find_expired(limit=1_000) == []
        gone |= set(due)
        deleted = {one.id for one in await memory.governance.retention.list_soft_deleted(limit=1_000)}
        assert deleted == before | set(due)
        for id, (scope, *_) in made.items():
            assert await memory.within(scope).governance.retention.is_accessible(id) is (id not in gone)


@requirement("retaining.grace")
async def test_what_went_comes_back_within_its_grace_and_never_after(engine: Engine, life: Life) -> None:
    memory = engine.memory
    one, other = [(await memory.save(f"note {number}")).record.id for number in range(2)]
    await memory.governance.retention.set("all", keep_days=10)
    life.clock.move(10 * DAY)
    assert (await memory.governance.retention.run()).expired == 2
    life.clock.move(GRACE)
    assert (await memory.restore(one)).text == "note 0"
    life.clock.move(timedelta(seconds=1))
    with pytest.raises(Conflict, match="30 days"):
        await memory.restore(other)
    # The one that came back is due again.
    done = await memory.governance.retention.run()
    assert (done.expired, done.purged) == (1, 1)
    with pytest.raises(NotFound):
        await memory.get(other)
    with pytest.raises(NotFound):
        await memory.restore(other)
    assert await memory.admin.doctor() == []


@requirement("retaining.held")
async def test_what_a_legal_hold_is_on_stays_through_all_of_it(engine: Engine, life: Life) -> None:
    memory = engine.memory
    held = (await memory.record("Ana signed", session="s")).record.id
    free = (await memory.record("the weather is fine", session="t")).record.id
    gone = (await memory.record("deleted before", session="s")).record.id
    await memory.delete(gone)
    await memory.governance.holds.place("case 12", reason="a claim is open", session="s")
    await memory.governance.retention.set("all", keep_days=10)
    life.clock.move(50 * DAY)
    assert [one.id for one in await memory.governance.retention.find_expired()] == [free]
    dry = await memory.governance.retention.run(dry_run=True)
    assert (dry.expired, dry.purged, dry.on_hold) == (1, 0, 2)
    assert (await memory.governance.retention.run()).expired == 1
    life.clock.move(50 * DAY)
    done = await memory.governance.retention.run()
    assert (done.expired, done.purged) == (0, 1)
    assert {record.id for record in (await memory.list()).records} == {held}
    for attempt in (
        lambda: memory.governance.retention.soft_delete([held], reason="why not"),
        lambda: memory.governance.retention.hard_delete([gone], reason="why not"),
    ):
        with pytest.raises(NotAllowed, match="case 12"):
            await attempt()


@requirement("retaining.nightly")
async def test_it_runs_at_night_and_is_told_of_in_the_night(engine: Engine, life: Life) -> None:
    memory = engine.memory
    await memory.save("an old note")
    deleted = (await memory.save("deleted long ago")).record.id
    await memory.delete(deleted)
    await memory.governance.retention.set("all", keep_days=10)
    life.clock.move(40 * DAY)
    preview = await memory.admin.maintenance.dry_run()
    assert (preview.counts["expired"], preview.counts["purged"]) == (1, 1)
    night = await memory.admin.maintenance.run()
    assert (night.counts["expired"], night.counts["purged"]) == (1, 1)
    assert (await memory.list()).records == ()
    actions = [row.action for row in await memory.governance.audit.list(AuditFilter(kind="observation"))]
    assert actions[:2] == ["erased", "expired"]


@requirement("retaining.exactly")
async def test_without_a_policy_everything_is_kept(engine: Engine, life: Life) -> None:
    memory = engine.memory
    saved = (await memory.save("an old note")).record.id
    await memory.governance.retention.set("all", keep_days=10)
    assert await memory.governance.retention.unset("all") == []
    life.clock.move(9_000 * DAY)
    assert (await memory.governance.retention.run()).expired == 0
    assert (await memory.get(saved)).text == "an old note"
    with pytest.raises(NotFound, match="retention policy"):
        await memory.governance.retention.unset("all")


@requirement("retaining.by-hand")
async def test_memories_are_deleted_and_purged_by_hand_with_a_reason(opener: Opener) -> None:
    memory = await opener()
    said = (await memory.record("Ana said so")).record.id
    drawn = (await memory.save("drawn from it", evidence=[said])).record.id
    assert await memory.governance.retention.soft_delete([said, said], reason="a mistake") == 1
    assert not await memory.governance.retention.is_accessible(said)
    assert await memory.governance.retention.is_accessible(drawn)
    with pytest.raises(Conflict, match="delete it first"):
        await memory.governance.retention.hard_delete([said, drawn], reason="a mistake")
    assert [one.id for one in await memory.governance.retention.list_soft_deleted()] == [said]
    with pytest.raises(NotFound):
        await memory.governance.retention.soft_delete([drawn, said], reason="a mistake")
    assert await memory.governance.retention.is_accessible(drawn)
    assert await memory.governance.retention.hard_delete([said], reason="a mistake") == 1
    assert await memory.governance.retention.list_soft_deleted() == []
    with pytest.raises(InvalidInput, match="reason"):
        await memory.governance.retention.soft_delete([drawn], reason="")
    with pytest.raises(InvalidInput, match="kind"):
        await memory.governance.retention.set("x", keep_days=1, kinds=["nonsense"])
    reasons = {row.reason for row in await memory.governance.audit.list(AuditFilter(action="erased"))}
    assert reasons == {"a mistake"}


@requirement("retaining.by-hand")
async def test_what_is_purged_is_quoted_by_nothing_any_more(opener: Opener) -> None:
    memory = await opener()
    saved = await memory.save("The zyzzyva nests under the bridge")
    await memory.feedback(saved.record.id, "wrong", person="Ana")
    await memory.feedback(saved.record.id, "undo")
    await memory.delete(saved.record.id)
    await memory.governance.retention.hard_delete([saved.record.id], reason="it is old")
    every = [status.value for status in Status]
    assert "zyzzyva" not in repr(await memory.list(Filter(statuses=every), limit=100))
    said = [(await memory.record(f"We decided to {what}", session="s")).record.id for what in ("see a zyzzyva", "go")]
    await memory.sessions.end("s")
    await memory.delete(said[0])
    await memory.governance.retention.hard_delete([said[0]], reason="it is old")
    await memory.delete(said[1])
    await memory.restore(said[1])
    summaries = repr(await memory.list(Filter(types=["summary"], statuses=every), limit=100))
    assert "zyzzyva" not in summaries
    assert "go" in summaries
