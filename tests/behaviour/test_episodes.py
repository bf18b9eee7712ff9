"""What was done: recorded once, told by records of weeks and months, taken back out of them, and erased."""

import json
from datetime import timedelta

import pytest

from remembrancer import Conflict, ContextRequest, InvalidInput
from remembrancer.types.access import Caller
from remembrancer.types.episode import Entity
from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewEpisode
from remembrancer.types.record import Episode
from tests.learning import ANA, DAY, HOUR, MONDAY, Life, done, everything

from .requirements import requirement

pytestmark = pytest.mark.anyio


async def covered(life: Life, *, nights: int = 1) -> list[Episode]:
    """Three weeks of a January, of which weekly records and a monthly one tell."""
    since = MONDAY - 18 * 7 * DAY
    await life.memory.episodes.record_many(
        [
            done(f"answered {word}", since + week * 7 * DAY + place * HOUR)
            for week in range(3)
            for place, word in enumerate(("heron", "otter", "badger", "lynx", "ermine", "marten"))
        ]
    )
    await life.nights(nights)
    return list(await life.memory.episodes.list(superseded=True, limit=100))


@requirement("episodes.recorded")
async def test_what_is_not_allowed_is_refused_whole(life: Life) -> None:
    episodes = life.memory.episodes
    good = NewEpisode(summary="filed the contract")
    for wrong in (
        NewEpisode(summary="x" * 101),
        NewEpisode(summary=" "),
        NewEpisode(summary="x", event="danced"),
        NewEpisode(summary="x", outcome="fine"),
        NewEpisode(summary="x", entities=[Entity(type="File", name="a")]),
        NewEpisode(summary="x", attributes={"amount": float("nan")}),
        NewEpisode(summary="x", attributes={"note": "y" * 401}),
    ):
        with pytest.raises(InvalidInput):
            await episodes.record_many([good, wrong])
    assert await episodes.list() == []
    assert len((await episodes.record("x" * 100)).record.text) == 100


@requirement("episodes.recorded")
async def test_an_idempotency_key_is_for_one_episode(life: Life) -> None:
    episodes = life.memory.episodes
    first = await episodes.record("filed it", contact="Moss", attributes={"pages": 3}, key="k")
    assert await episodes.record("filed it", contact="Moss", attributes={"pages": 3}, key="k") == first
    with pytest.raises(Conflict):
        await episodes.record("filed it", contact="Moss", attributes={"pages": 4}, key="k")
    with pytest.raises(Conflict):
        await episodes.record("filed it", contact="Quinn", attributes={"pages": 3}, key="k")
    assert len(await episodes.list()) == 1
    await episodes.record("filed it", contact="Moss")
    assert len(await episodes.list(contact="MOSS ")) == 2


@requirement("episodes.restored")
async def test_months_and_weeks_are_restored_and_stay(life: Life) -> None:
    await covered(life)
    (month,) = await life.memory.episodes.list(tier="monthly")
    assert len(month.evidence) == 3
    assert len(await life.memory.episodes.list()) == 1
    with pytest.raises(Conflict, match="restore that one first"):
        await life.memory.episodes.restore(month.evidence[0])
    weeks = await life.memory.episodes.restore(month.id)
    assert {one.status for one in weeks} == {Status.ACTIVE}
    raw = await life.memory.episodes.restore(weeks[0].id)
    assert len(raw) == 6
    for id in (month.id, weeks[0].id):
        with pytest.raises(Conflict, match="nothing to restore"):
            await life.memory.episodes.restore(id)
    with pytest.raises(InvalidInput, match="no compact record"):
        await life.memory.episodes.restore(raw[0].id)
    await life.nights(3)
    live = {one.id for one in await life.memory.episodes.list(limit=100)}
    assert live == {*(one.id for one in raw), *(one.id for one in weeks[1:])}


@requirement("episodes.erased")
@pytest.mark.parametrize("restored", [False, True], ids=["covered", "restored before"])
async def test_of_an_erased_episode_no_word_is_left(life: Life, restored: bool) -> None:
    found = [one for one in await covered(life) if one.text == "answered heron"]
    if restored:
        (month,) = await life.memory.episodes.list(tier="monthly")
        for week in await life.memory.episodes.restore(month.id):
            await life.memory.episodes.restore(week.id)
    life.clock.move(DAY)
    for one in found:
        await life.memory.governance.erasure.erase(memories=[one.id], reason="a test")
    async with life.store.snapshot(Caller(scope=ANA)) as tx:
        versions = await tx.versions.between(known_from=MONDAY - DAY, known_to=life.clock.now() + DAY)
    assert [one for one in await everything(life) if "heron" in one.text] == []
    assert "heron" not in json.dumps([repr(version) for version in versions])
    await life.nights(1)
    counted = [one.details.counts.interactions for one in await life.memory.episodes.list() if one.details.counts]
    assert sum(counted) == (0 if restored else 15)
    alive = [one for one in await everything(life) if isinstance(one, Episode) and one.status is Status.RAW]
    assert len(alive) == (15 if restored else 0)


@requirement("episodes.erased")
async def test_what_an_erased_record_stood_for_is_live_again(life: Life) -> None:
    await covered(life)
    (month,) = await life.memory.episodes.list(tier="monthly")
    await life.memory.governance.erasure.erase(memories=[month.id], reason="a test")
    assert len(await life.memory.episodes.list(tier="weekly")) == 3
    await life.nights(2)
    assert await life.memory.episodes.list(tier="monthly") == []


@requirement("episodes.recounted")
async def test_what_is_deleted_is_not_counted_until_it_is_restored(life: Life) -> None:
    found = await covered(life)
    (before,) = await life.memory.episodes.list(tier="monthly")
    raw = [one for one in found if one.text == "answered lynx"]
    for one in raw:
        await life.memory.delete(one.id)
    (month,) = await life.memory.episodes.list(tier="monthly")
    assert month.details.counts is not None
    assert month.details.counts.interactions == 15
    assert "lynx" not in month.text
    life.clock.move(timedelta(hours=1))
    for one in raw:
        await life.memory.restore(one.id)
    (after,) = await life.memory.episodes.list(tier="monthly")
    assert (after.text, after.details) == (before.text, before.details)


@requirement("behaviour.block")
async def test_what_was_said_is_recalled_beside_however_many_episodes(life: Life) -> None:
    await life.memory.episodes.record_many(
        [done("sent the order to Bertelli again", MONDAY - number * HOUR) for number in range(240)]
    )
    await life.memory.save("Bertelli wants us to send an order before noon.")
    context = await life.memory.context(ContextRequest(task="send the order to Bertelli", record_access=False))
    assert "before noon" in context.text
