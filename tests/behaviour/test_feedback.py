"""What people say of what was observed: it is surer, or gone with all that rests on it, or back as it was."""

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import anyio
import pytest

from remembrancer import (
    Conflict,
    ContextRequest,
    Filter,
    InvalidInput,
    Memory,
    NewObservation,
    NotFound,
    RecallRequest,
    Scope,
)
from remembrancer.types.access import Caller
from remembrancer.types.episode import SignalType
from remembrancer.types.lifecycle import Status
from remembrancer.types.pattern import Confidence
from remembrancer.types.record import Episode, Observation, Record, Rule, Signal
from remembrancer.types.results import Change
from remembrancer.types.scope import Classification, Trust
from remembrancer.types.session import Ranks
from tests.conversing import opened as opened_store
from tests.finding import find
from tests.learning import ANA, BEN, CLERK, DAY, MONDAY, Life, beside, done, everything, indexed, semicolons

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
FURTHER_NIGHTS = 60 if SOAK else 15


async def observed(life: Life) -> Observation:
    """What three weeks of semicolons have taught."""
    since = MONDAY - 20 * DAY
    await life.memory.episodes.record_many([*beside(since), *semicolons(since)])
    await life.nights(1)
    (observation,) = await life.memory.patterns.list()
    return observation


async def ruled(life: Life) -> tuple[Observation, Rule]:
    """The same, and the rule that was made of it."""
    observation = await observed(life)
    await life.nights(2)
    (procedure,) = await life.memory.rules.list()
    return observation, procedure


def contents(records: list[Record]) -> dict[str, Record]:
    """What records say and how they stand, by id; times of change, uses, and counter-signals apart."""
    return {
        record.id: replace(record, updated_at=MONDAY, revision=1, last_accessed_at=None, usage_count=0)
        for record in records
        if not (isinstance(record, Signal) and record.details.signal is SignalType.OBSERVATION_REJECTED)
    }


async def told(memory: Memory) -> str:
    """All that an agent could read of semicolons."""
    context = await memory.context(ContextRequest(question="write a draft without semicolons", record_access=False))
    recalled = await memory.recall(
        RecallRequest(question="semicolons are removed from drafts", limit=100, record_access=False)
    )
    return "\n".join([context.text, *(hit.record.text for hit in (*recalled.hits, *recalled.nearest))]).casefold()


@requirement("feedback.wrong-at-once")
async def test_what_is_wrong_is_nowhere_from_that_moment(life: Life) -> None:
    observation, procedure = await ruled(life)
    await life.memory.admin.index.embed()
    assert procedure.text in (await life.memory.context(task="write a draft")).text
    assert observation.id in (await indexed(life)).vectors
    before = life.clock.now()
    life.clock.move(DAY)
    await life.memory.feedback(observation.id, "wrong")

    gone = {observation.id, procedure.id, *observation.evidence}
    left = await indexed(life)
    assert not gone & (left.words | left.vectors)
    assert "semicolon" not in await told(life.memory)
    assert await life.memory.patterns.list() == []
    assert await life.memory.rules.list() == []
    assert [one.id for one in await life.memory.patterns.list(as_of=before)] == [observation.id]
    assert [one.id for one in await life.memory.rules.list(as_of=before)] == [procedure.id]
    statuses = {record.id: record.status for record in await everything(life)}
    assert statuses[observation.id] is Status.REJECTED
    assert statuses[procedure.id] is Status.DEMOTED
    assert {statuses[id] for id in observation.evidence} == {Status.CONTRADICTED}


@requirement("feedback.wrong-at-once", "feedback.undone")
async def test_no_list_and_no_timeline_has_the_words_of_what_is_wrong(life: Life) -> None:
    memory = life.memory
    saved = (await memory.save("The heron nests in April")).record
    before = life.clock.now()
    life.clock.move(DAY)
    await memory.feedback(saved.id, "wrong")
    life.clock.move(DAY)
    listed = [
        *(await memory.list()).records,
        *(await memory.timeline.between()).records,
        *(await memory.timeline.between(as_of=life.clock.now())).records,
        *(await memory.timeline.diff(before, life.clock.now())).learnt,
        *(hit.record for hit in (await memory.recall("heron", abstain=False)).hits),
    ]
    assert listed == []
    assert [one.text for one in (await memory.list(Filter(kinds=["signal"], statuses=["retired"]))).records] == [
        saved.text
    ]
    await memory.feedback(saved.id, "undo")
    assert [one.id for one in (await memory.list()).records] == [saved.id]
    assert (await memory.list(Filter(kinds=["signal"], statuses=["retired"]))).records == ()


@requirement("feedback.wrong-for-good")
async def test_what_is_wrong_is_not_learnt_again_of_the_same_episodes(life: Life) -> None:
    observation, procedure = await ruled(life)
    # Later ones of the same kind are not among what was contradicted.
    await life.memory.episodes.record_many(semicolons(life.clock.now() - DAY, 3, days=1, seed=5))
    await life.memory.feedback(observation.id, "wrong")
    for _ in range(FURTHER_NIGHTS):
        # Something is done each day, or nobody would look again.
        await life.memory.episodes.record_many([done("read the mail", life.clock.now())])
        await life.nights(1)
    assert [one.text for one in await life.memory.patterns.list() if "semicolon" in one.text.casefold()] == []
    assert await life.memory.rules.list() == []
    assert (await find(life.memory, observation.id)) is not None
    assert (await life.memory.rules.list(all=True))[0].id == procedure.id


@requirement("feedback.wrong-for-good")
async def test_what_is_wrong_is_not_learnt_again_of_later_episodes_in_other_words(life: Life) -> None:
    observation, _ = await ruled(life)
    await life.memory.feedback(observation.id, "wrong")
    for week in range(2):
        since = life.clock.now() - 6 * DAY
        await life.memory.episodes.record_many(semicolons(since, 12, days=6, seed=30 + week))
        await life.nights(4)
    assert [one.text for one in await life.memory.patterns.list() if "semicolon" in one.text.casefold()] == []
    assert await life.memory.rules.list() == []


@requirement("feedback.wrong-for-good")
async def test_what_is_wrong_and_then_deleted_is_not_learnt_again(life: Life) -> None:
    observation, _ = await ruled(life)
    await life.memory.feedback(observation.id, "wrong")
    await life.memory.delete(observation.id)
    await more_semicolons(life)
    await life.memory.restore(observation.id)
    assert (await life.memory.get(observation.id)).status is Status.REJECTED


@requirement("feedback.wrong-for-good")
async def test_what_is_wrong_is_not_learnt_again_once_an_episode_of_it_is_erased(life: Life) -> None:
    observation, procedure = await ruled(life)
    await life.memory.feedback(observation.id, "wrong")
    await life.memory.governance.erasure.erase(memories=[observation.evidence[0]], reason="a test")
    await more_semicolons(life)
    await life.memory.feedback(observation.id, "undo")
    assert [one.id for one in await life.memory.rules.list()] == [procedure.id]


async def more_semicolons(life: Life) -> None:
    """Three weeks of the same habit, of which nothing is learnt."""
    for week in range(3):
        await life.memory.episodes.record_many(semicolons(life.clock.now() - 6 * DAY, 12, days=6, seed=60 + week))
        await life.nights(7)
    assert [one.text for one in await life.memory.patterns.list() if "semicolon" in one.text.casefold()] == []


@requirement("feedback.undone")
async def test_what_stands_on_others_outlives_the_erasure_of_an_episode(life: Life) -> None:
    observation, procedure = await ruled(life)
    await life.memory.feedback(observation.id, "right", person="Ana")
    await life.memory.governance.erasure.erase(memories=[observation.evidence[0]], reason="a test")
    (left,) = await life.memory.patterns.list()
    assert left.evidence == observation.evidence[1:]
    assert left.learned is not None
    assert left.learned.occurrences == len(observation.evidence) - 1
    assert [one.id for one in await life.memory.rules.list()] == [procedure.id]
    for id in left.evidence[: len(left.evidence) - 2]:
        await life.memory.governance.erasure.erase(memories=[id], reason="a test")
    assert await life.memory.patterns.list(all=True) == await life.memory.rules.list(all=True) == []


@requirement("feedback.wrong-at-once", "episodes.recounted", "feedback.undone")
async def test_counts_of_compact_records_are_told_anew(life: Life) -> None:
    observation, _ = await ruled(life)
    await life.nights(35)
    before = await compact_counts(life)
    assert before
    await life.memory.feedback(observation.id, "wrong")
    found = {record.id: record for record in await everything(life)}
    for record in found.values():
        if isinstance(record, Episode) and record.details.counts and record.status is not Status.CONTRADICTED:
            standing = [id for id in record.evidence if found[id].status is not Status.CONTRADICTED]
            assert record.details.counts.interactions == len(standing)
            assert "semicolon" not in record.text
    assert await compact_counts(life) != before
    await life.memory.feedback(observation.id, "undo")
    assert await compact_counts(life) == before


async def compact_counts(life: Life) -> dict[str, tuple[str, int]]:
    """What the compact records that stand say and count."""
    return {
        record.id: (record.text, record.details.counts.interactions)
        for record in await everything(life)
        if isinstance(record, Episode) and record.details.counts and record.status is Status.ACTIVE
    }


@requirement("feedback.undone")
@pytest.mark.parametrize("later", [0, 1, 20], ids=["at once", "after a night", "after 20 nights"])
async def test_what_is_undone_stands_as_if_nothing_had_been_said(life: Life, later: int) -> None:
    observation, procedure = await ruled(life)
    await life.memory.feedback(observation.id, "right", person="ben")
    await life.memory.admin.index.embed()
    before, stood = contents(await everything(life)), await indexed(life)
    await life.memory.feedback(observation.id, "wrong")
    await life.memory.feedback(observation.id, "wrong")
    if later:
        await life.nights(later)
    await life.memory.feedback(observation.id, "undo")
    await life.memory.admin.index.embed()
    after = contents(await everything(life))
    if later:
        assert {id: after[id].status for id in observation.evidence} == {
            id: before[id].status for id in observation.evidence
        }
        assert after[procedure.id] == before[procedure.id]
        assert replace(after[observation.id], importance=0) == replace(before[observation.id], importance=0)
    else:
        assert after == before
        assert await indexed(life) == stood
    assert "semicolon" in await told(life.memory)


@requirement("feedback.undone")
async def test_a_verdict_that_was_taken_over_comes_back_with_what_it_did(life: Life) -> None:
    observation, _ = await ruled(life)
    for person in ("ana", "ben"):
        await life.memory.feedback(observation.id, "right", person=person)
    said = (await life.memory.evidence(observation.id)).verdicts
    for person in ("ana", "ben"):
        await life.memory.feedback(observation.id, "wrong", person=person)
    await life.memory.feedback(observation.id, "undo")
    assert (await life.memory.evidence(observation.id)).verdicts == said
    for person in ("ana", "ben"):
        again = await life.memory.feedback(observation.id, "right", person=person)
        assert again.learned is not None
        assert again.learned.boosts == 2


@requirement("feedback.undone")
async def test_every_state_of_which_there_were_several_is_undone_in_one(life: Life) -> None:
    observation = await observed(life)
    before = contents(await everything(life))
    for steps in (("wrong", "dismiss"), ("dismiss", "wrong"), ("wrong", "dismiss", "wrong")):
        for step in steps:
            await life.memory.feedback(observation.id, step)
        undone = await life.memory.feedback(observation.id, "undo")
        assert undone is not None
        assert undone.status is Status.ACTIVE
        assert contents(await everything(life)) == before
    with pytest.raises(Conflict, match="neither rejected nor dismissed"):
        await life.memory.feedback(observation.id, "undo")


@requirement("feedback.undone")
async def test_what_was_deleted_meanwhile_is_undone_as_well(life: Life) -> None:
    observation, _ = await ruled(life)
    before = contents(await everything(life))
    await life.memory.feedback(observation.id, "wrong")
    for id in (observation.id, observation.evidence[0]):
        await life.memory.delete(id)
        await life.memory.restore(id)
    assert (await life.memory.get(observation.id)).status is Status.REJECTED
    await life.memory.feedback(observation.id, "undo")
    assert contents(await everything(life)) == before


@requirement("feedback.undone", "episodes.restored")
async def test_what_is_undone_after_its_group_was_restored_is_live(life: Life) -> None:
    observation, _ = await ruled(life)
    await life.nights(35)
    covered = {id for id in observation.evidence if (await life.memory.get(id)).status is Status.SUPERSEDED_RAW}
    assert covered
    await life.memory.feedback(observation.id, "wrong")
    for record in await life.memory.episodes.list(tier="weekly", limit=100):
        await life.memory.episodes.restore(record.id)
    await life.memory.feedback(observation.id, "undo")
    stranded = [
        record.id
        for record in await everything(life)
        if isinstance(record, Episode) and record.id in covered and record.status is Status.SUPERSEDED_RAW
        if not await standing_for(life, record.id)
    ]
    assert stranded == []


async def standing_for(life: Life, id: str) -> list[str]:
    """Compact records that stand for an episode."""
    async with life.store.snapshot(Caller(scope=ANA)) as tx:
        found = [await tx.records.find(other) for other in await tx.records.dependents(id)]
    live = (Status.ACTIVE, Status.SUPERSEDED_WEEKLY)
    return [one.id for one in found if isinstance(one, Episode) and one.status in live]


@requirement("feedback.undone")
async def test_an_episode_of_two_observations_goes_with_the_last_and_comes_back_with_the_first(life: Life) -> None:
    observation = await observed(life)
    async with life.store.begin(Caller(scope=ANA)) as tx:
        other = replace(observation, id=life.ids.new(), text="Drafts lose their semicolons.", title="", hash="x")
        await tx.records.add([other], [None])
    evidence = observation.evidence[0]

    async def status() -> Status:
        return (await life.memory.get(evidence)).status

    await life.memory.feedback(observation.id, "wrong")
    assert await status() is Status.RAW
    await life.memory.feedback(other.id, "wrong")
    assert await status() is Status.CONTRADICTED
    await life.memory.feedback(observation.id, "undo")
    assert await status() is Status.RAW
    await life.memory.feedback(observation.id, "wrong")
    await life.memory.feedback(other.id, "undo")
    assert await status() is Status.RAW


@requirement("feedback.two-people")
@pytest.mark.parametrize("order", [("right", "wrong"), ("wrong", "right")])
async def test_right_and_wrong_at_once_end_in_one_of_two_states(life: Life, db: str, order: tuple[str, str]) -> None:
    observation = await observed(life)
    refused: list[str] = []

    async def say(memory: Memory, verdict: str) -> None:
        try:
            await memory.feedback(observation.id, verdict, person=verdict)
        except Conflict:
            refused.append(verdict)

    async with opened_store(db) as store:
        memories = (life.memory, life.beside(store).memory)
        async with anyio.create_task_group() as tasks:
            for memory, verdict in zip(memories, order, strict=True):
                tasks.start_soon(say, memory, verdict)
    standing = await life.memory.get(observation.id)
    assert standing.status is Status.REJECTED
    assert "semicolon" not in await told(life.memory)
    assert await life.memory.rules.list() == []
    said = {one.person for one in (await life.memory.evidence(observation.id)).verdicts}
    assert said == {"right", "wrong"} - set(refused)
    assert refused in ([], ["right"])


@requirement("feedback.two-people")
async def test_a_person_counts_once(life: Life) -> None:
    observation = await observed(life)
    agreed = observation
    for _ in range(3):
        agreed = await life.memory.feedback(observation.id, "right")
    assert agreed.learned is not None
    assert agreed.learned.boosts == 1
    assert len(await life.memory.rules.list()) == 1
    (procedure,) = await life.memory.rules.list()
    assert procedure.details.confirmations == 1


@requirement("feedback.two-people", "feedback.wrong-at-once")
async def test_a_second_wrong_changes_nothing_but_who_said_it(life: Life) -> None:
    observation, _ = await ruled(life)
    await life.memory.feedback(observation.id, "wrong", person="ana")
    before = contents(await everything(life))
    await life.memory.feedback(observation.id, "wrong", person="ben")
    await life.memory.feedback(observation.id, "wrong", person="ben")
    assert contents(await everything(life)) == before
    assert {one.person for one in (await life.memory.evidence(observation.id)).verdicts} == {"ana", "ben"}
    with pytest.raises(Conflict, match="undo that first"):
        await life.memory.feedback(observation.id, "right", person="eve")


@requirement("feedback.dismissed")
async def test_what_is_dismissed_within_two_days_is_no_rule_and_not_learnt_again(life: Life) -> None:
    observation = await observed(life)
    await life.memory.feedback(observation.id, "dismiss")
    await life.memory.feedback(observation.id, "dismiss")
    await life.nights(10)
    assert await life.memory.patterns.list() == []
    assert await life.memory.rules.list(all=True) == []
    assert observation.id not in (await indexed(life)).words
    await life.memory.feedback(observation.id, "undo")
    await life.nights(1)
    assert [one.id for one in await life.memory.patterns.list()] == [observation.id]
    assert len(await life.memory.rules.list()) == 1


@requirement("feedback.dismissed")
async def test_what_is_older_or_right_cannot_be_dismissed(life: Life) -> None:
    observation = await observed(life)
    life.clock.move(2 * DAY)
    with pytest.raises(Conflict, match="older than 48 hours"):
        await life.memory.feedback(observation.id, "dismiss")
    life.clock.move(-DAY)
    await life.memory.feedback(observation.id, "right")
    with pytest.raises(Conflict, match="was confirmed"):
        await life.memory.feedback(observation.id, "dismiss")


@requirement("feedback.merged")
async def test_what_is_merged_is_one_with_its_evidence_and_its_rules(life: Life) -> None:
    observation, procedure = await ruled(life)
    saved = await life.memory.save("The user never wants semicolons in a draft.")
    merged = await life.memory.patterns.merge(saved.record.id, observation.id)
    assert set(merged.evidence) == set(observation.evidence)
    assert observation.id not in (await indexed(life)).words
    await life.nights(5)
    assert await life.memory.patterns.list() == []
    assert [one.id for one in await life.memory.rules.list()] == [procedure.id]
    await life.memory.feedback(saved.record.id, "wrong")
    assert await life.memory.rules.list() == []
    await life.memory.feedback(saved.record.id, "undo")
    assert [one.id for one in await life.memory.rules.list()] == [procedure.id]
    with pytest.raises(Conflict):
        await life.memory.patterns.merge(saved.record.id, observation.id)
    with pytest.raises(InvalidInput):
        await life.memory.patterns.merge(saved.record.id, saved.record.id)


@requirement("feedback.own-scope")
async def test_one_users_habit_is_never_anothers(life: Life) -> None:
    ben, clerk = life.of(BEN), life.of(CLERK)
    since = MONDAY - 20 * DAY
    for memory in (ben, clerk):
        await memory.episodes.record_many(beside(since, seed=7))
    observation, _ = await ruled(life)
    for other in (ben, clerk):
        await life.nights(3, memory=other)
        assert await other.patterns.list() == []
        assert await other.rules.list() == []
        assert "semicolon" not in await told(other)
        assert "semicolon" not in (await other.context(task="write to Bertelli", contact="Bertelli")).text
        verdicts: list[Callable[[str], Awaitable[object]]] = [
            *(partial(other.feedback, verdict=verdict) for verdict in ("right", "wrong", "dismiss", "undo")),
            *(other.evidence, other.scores.get, other.scores.pin, other.rules.pause, other.episodes.restore),
        ]
        for verdict in verdicts:
            with pytest.raises(NotFound):
                await verdict(observation.id)


@requirement("feedback.own-scope")
async def test_a_few_of_each_of_two_users_make_no_habit_of_anybodys(life: Life) -> None:
    since, habit = MONDAY - 20 * DAY, semicolons(MONDAY - 20 * DAY, 4)
    for memory, part in ((life.memory, habit[:2]), (life.of(BEN), habit[2:])):
        await memory.episodes.record_many([*beside(since), *part])
    for memory in (life.memory, life.of(BEN)):
        await memory.admin.maintenance.run()
        assert await memory.patterns.list() == []


@requirement("feedback.outcomes")
async def test_outcomes_of_sessions_move_weights_once_each(life: Life) -> None:
    saved = await life.memory.save("Parcels for the depot need a customs form.")
    weights: list[float] = []
    for number, outcome in enumerate(("accepted", "rejected", "rework", "rejected", "accepted")):
        session = f"run {number}"
        await life.memory.sessions.start(session)
        await life.memory.context(session, question="customs form for the parcels", mode="search")
        first = await life.memory.sessions.set_outcome(session, outcome)
        assert await life.memory.sessions.set_outcome(session, outcome) == first
        with pytest.raises(Conflict, match="cannot be changed"):
            await life.memory.sessions.set_outcome(session, "accepted" if outcome != "accepted" else "rework")
        weights += [round(one.after, 4) for one in first if one.record == saved.record.id]
        life.clock.move(DAY)
    assert weights == [1.0, 0.85, 0.7225, 0.6141, 0.6527]
    assert [round(one.after, 4) for one in await life.memory.scores.history(saved.record.id)] == weights
    record, standing = await life.memory.get(saved.record.id), await life.memory.scores.get(saved.record.id)
    assert (round(record.weight, 4), round(standing.weight, 4)) == (weights[-1], weights[-1])
    assert [round(move.after, 4) for move in standing.changes] == weights
    text = "".join([piece async for piece in life.memory.governance.archives.export()])
    exported = [json.loads(line) for line in text.splitlines()]
    assert weights[-1] in [round(one["weight"], 4) for one in exported]


@requirement("feedback.outcomes")
@pytest.mark.parametrize("weighting", [True, False], ids=["weighed", "not weighed"])
async def test_ranks_with_weights_and_without_them_are_written_down(opener: Opener, weighting: bool) -> None:
    memory = await opener(feedback_weighting=weighting)
    at = datetime(2026, 5, 1, tzinfo=UTC)
    first = (
        await memory.save(NewObservation(text="Parcels for the depot need a customs form.", occurred_at=at))
    ).record.id
    for session in ("a", "b", "c"):
        await memory.sessions.start(session)
        await memory.context(session, question="customs form for parcels", mode="search")
        await memory.admin.flush()
        await memory.sessions.set_outcome(session, "rejected")
    second = (
        await memory.save(NewObservation(text="Parcels for the depot need a customs form and a stamp.", occurred_at=at))
    ).record.id
    await memory.sessions.start("last")
    told = await memory.context(
        ContextRequest(session="last", question="customs form for parcels", limit=2, mode="search")
    )
    assert told.ids() == (first, second)
    (injection,) = await memory.sessions.injections("last")
    assert injection.ranks == {
        first: Ranks(weighted=2, unweighted=1),
        second: Ranks(weighted=1, unweighted=2),
    }


@requirement("feedback.outcomes")
async def test_what_a_context_told_is_weighed_by_the_outcome(life: Life) -> None:
    memory = life.memory
    rule = await memory.rules.add("Sign with the full name.")
    fact = (await memory.facts.set("contact/bertelli/tone", "formal")).record
    episode = (await memory.episodes.record("answered Bertelli", contact="Bertelli")).record
    await memory.sessions.start("s")
    await memory.context("s", question="what next", contact="Bertelli")
    moved = {one.record: round(one.after, 2) for one in await memory.sessions.set_outcome("s", "rejected")}
    assert moved == {rule.id: 0.85, fact.id: 0.85, episode.id: 0.85}
    with pytest.raises(InvalidInput):
        await memory.sessions.set_outcome("a\0", "accepted")


@requirement("feedback.two-people")
async def test_a_name_counts_once_however_it_is_written(life: Life) -> None:
    observation = await observed(life)
    for name in ("Ana", "ana", " ANA "):
        agreed = await life.memory.feedback(observation.id, "right", person=name)
    assert agreed.learned is not None
    assert agreed.learned.boosts == 1
    assert [one.person for one in (await life.memory.evidence(observation.id)).verdicts] == ["Ana"]
    for name in ("A\0", "A" * 300, "A\nb"):
        with pytest.raises(InvalidInput, match="person"):
            await life.memory.feedback(observation.id, "right", person=name)
    await life.memory.feedback(observation.id, "right", person="password=swordfish99")
    assert "swordfish99" not in repr(await life.memory.evidence(observation.id))


@requirement("feedback.undone")
async def test_undoing_what_was_merged_leaves_what_the_other_keeps_aside(life: Life) -> None:
    other, _ = await ruled(life)
    one = (await life.memory.save("The user never wants semicolons in a draft.")).record
    await life.memory.patterns.merge(one.id, other.id)
    with pytest.raises(Conflict, match="merged into another"):
        await life.memory.feedback(other.id, "right")
    await life.memory.feedback(other.id, "wrong")
    await life.memory.feedback(one.id, "wrong")
    await life.memory.feedback(other.id, "undo")
    assert {(await life.memory.get(id)).status for id in other.evidence} == {Status.CONTRADICTED}
    await life.memory.feedback(one.id, "undo")
    assert Status.CONTRADICTED not in {(await life.memory.get(id)).status for id in other.evidence}


@requirement("procedures.room")
async def test_rules_of_a_wider_scope_are_told_beyond_the_room_with_a_note(life: Life) -> None:
    tenant = life.of(Scope(tenant="acme"))
    for number in range(9):
        await life.memory.rules.add(f"Keep the user's rule {number} " + "word " * 24)
    for number in range(9):
        await tenant.rules.add(f"Keep the tenant's rule {number} " + "word " * 24)
    context = await life.memory.context(task="write")
    assert all(one.text.strip() in context.text for one in await life.memory.rules.list())
    assert any("procedures have" in note and "enlarge it" in note for note in context.report.notes)


@requirement("procedures.by-people")
async def test_what_is_deleted_or_paused_is_not_changed_or_resumed(life: Life) -> None:
    rules = life.memory.rules
    rule = await rules.add("Be brief.")
    with pytest.raises(Conflict, match="has the same text"):
        await rules.add("be  BRIEF.")
    await rules.pause(rule.id)
    with pytest.raises(Conflict, match="resume it before"):
        await rules.edit(rule.id, "Be short.")
    with pytest.raises(InvalidInput, match="rules edit"):
        await life.memory.edit(rule.id, "Be short.")
    await life.memory.delete(rule.id)
    for work in (rules.resume(rule.id), rules.pause(rule.id), rules.edit(rule.id, "x")):
        with pytest.raises(NotFound):
            await work
    observation, made = await ruled(life)
    await life.memory.delete(observation.id)
    with pytest.raises(NotFound):
        await rules.resume(made.id)


@requirement("recording.left-out-stays")
@pytest.mark.parametrize("left_out", ["pause", "retire"])
async def test_a_rule_that_was_left_out_is_not_given_or_made_again(life: Life, left_out: str) -> None:
    rules = life.memory.rules
    rule = await rules.add("Be brief.")
    await getattr(rules, left_out)(rule.id)
    with pytest.raises(Conflict, match="resume it instead"):
        await rules.add("be  BRIEF.")
    other = await rules.add("Be kind.")
    with pytest.raises(Conflict, match=rule.id):
        await rules.edit(other.id, "Be brief.")
    assert [one.text for one in await rules.list()] == ["Be kind."]
    assert (await rules.edit(other.id, "be kind.")).text == "be kind."
    await rules.resume(rule.id)
    with pytest.raises(Conflict, match="has the same text already"):
        await rules.edit(other.id, "Be brief.")


@requirement("recording.left-out-stays")
async def test_no_night_makes_a_rule_of_words_that_a_person_has_retired(life: Life) -> None:
    observation = await observed(life)
    assert observation.learned
    rule = await life.memory.rules.add(observation.learned.rule)
    await life.memory.rules.retire(rule.id)
    await life.memory.feedback(observation.id, "right")
    await life.nights(4)
    assert await life.memory.rules.list() == []


@requirement("feedback.paused")
async def test_what_is_paused_or_retired_is_left_out_and_not_learnt_again_until_it_is_resumed(life: Life) -> None:
    observation = await observed(life)
    patterns = life.memory.patterns
    for leave_out in (patterns.pause, patterns.retire):
        assert (await leave_out(observation.id)).status in (Status.PAUSED, Status.RETIRED)
        assert observation.id not in (await indexed(life)).words
        await more_semicolons(life)
        assert [one.id for one in await patterns.list(all=True)] == [observation.id]
        assert (await patterns.resume(observation.id)).status is Status.ACTIVE
        assert (await patterns.resume(observation.id)).status is Status.ACTIVE
        assert observation.id in (await indexed(life)).words
    await patterns.pause(observation.id)
    assert (await life.memory.feedback(observation.id, "wrong")).status is Status.REJECTED
    with pytest.raises(Conflict, match="undo that first"):
        await patterns.resume(observation.id)
    message = (await life.memory.record("said")).record
    with pytest.raises(InvalidInput, match="neither an observation nor a fact"):
        await patterns.pause(message.id)


@requirement("feedback.paused")
async def test_a_fact_that_is_paused_holds_no_more_until_it_is_resumed(life: Life) -> None:
    facts, patterns = life.memory.facts, life.memory.patterns
    first = (await facts.set("tone", "formal")).record
    await patterns.pause(first.id)
    with pytest.raises(NotFound):
        await facts.get("tone")
    await patterns.resume(first.id)
    assert (await facts.get("tone")).id == first.id
    await patterns.retire(first.id)
    await facts.set("tone", "warm")
    with pytest.raises(Conflict, match="is valid in its place"):
        await patterns.resume(first.id)


@requirement("procedures.promoted")
async def test_a_rule_is_made_two_days_after_it_was_seen(life: Life) -> None:
    observation = await observed(life)
    assert observation.learned is not None
    assert await life.memory.rules.list() == []
    await life.nights(1)
    assert await life.memory.rules.list() == []
    await life.nights(1)
    (procedure,) = await life.memory.rules.list()
    assert procedure.text == observation.learned.rule
    assert procedure.evidence == (observation.id,)
    await life.nights(3)
    assert len(await life.memory.rules.list(all=True)) == 1


@requirement("procedures.promoted")
async def test_a_rule_of_what_was_rejected_is_not_resumed(life: Life) -> None:
    observation, procedure = await ruled(life)
    await life.memory.feedback(observation.id, "wrong")
    with pytest.raises(Conflict, match="undo that first"):
        await life.memory.rules.resume(procedure.id)
    await life.memory.feedback(observation.id, "undo")
    await life.memory.rules.pause(procedure.id)
    assert (await life.memory.rules.resume(procedure.id)).status is Status.ACTIVE


@requirement("procedures.promoted", "untrusted.no-rule")
async def test_what_grows_by_closer_kept_evidence_is_kept_as_close(life: Life) -> None:
    observation, procedure = await ruled(life)
    more = semicolons(life.clock.now() - DAY, 3, days=1, seed=5)
    fresh = [saved.record.id for saved in await life.memory.episodes.record_many(more)]
    async with life.store.begin(Caller(scope=ANA)) as tx:
        closer = Change(classification=Classification.CONFIDENTIAL)
        await tx.records.change(fresh[0], closer, at=life.clock.now(), terms=None)
        # Nothing untrusted counts for a rule: else one such deed would take a rule's trust away.
        await tx.records.change(fresh[1], Change(trust=Trust.UNTRUSTED), at=life.clock.now(), terms=None)
    await life.nights(1)
    for id in (observation.id, procedure.id):
        held = await life.memory.get(id)
        assert (held.trust, held.classification) == (Trust.TRUSTED, Classification.CONFIDENTIAL)
    evidence = (await life.memory.get(observation.id)).evidence
    assert (fresh[0] in evidence, fresh[1] in evidence) == (True, False)


@requirement("procedures.promoted")
async def test_who_agrees_ends_the_wait(life: Life) -> None:
    observation = await observed(life)
    await life.memory.feedback(observation.id, "right")
    assert [one.text for one in await life.memory.rules.list()] == [
        observation.learned.rule if observation.learned else ""
    ]


@requirement("procedures.room")
async def test_a_rule_without_room_is_refused_aloud_and_made_when_there_is(life: Life) -> None:
    added = [await life.memory.rules.add(f"Keep rule {number}.") for number in range(20)]
    with pytest.raises(InvalidInput, match="20 are allowed"):
        await life.memory.rules.add("One more.")
    observation = await observed(life)
    await life.memory.feedback(observation.id, "right")
    night = await life.nights(3)
    assert len(await life.memory.rules.list()) == 20
    (refused,) = await life.memory.rules.refused()
    assert refused.observation == observation.id
    assert "20 are allowed" in refused.reason
    assert any("20 are allowed" in note for note in night.notes)
    await life.memory.rules.pause(added[0].id)
    await life.nights(1)
    assert observation.id in (await life.memory.rules.list())[-1].evidence
    with pytest.raises(InvalidInput, match="20 are allowed"):
        await life.memory.rules.resume(added[0].id)


@requirement("procedures.room", "procedures.by-people")
async def test_rules_never_outgrow_their_slot(life: Life) -> None:
    long = " ".join(["consideration"] * 39)
    added = await as_many_as_allowed(lambda number: life.memory.rules.add(f"{long} {number}"))
    assert 0 < added < 20
    rules = await life.memory.rules.list()
    short = await life.memory.rules.edit(rules[0].id, "Be brief.")
    assert short.text == "Be brief."
    second = await life.memory.rules.add("Be brief and kind.")
    both = (short.id, second.id)
    assert await as_many_as_allowed(lambda number: life.memory.rules.edit(both[number], f"{long} {number}")) < 2
    assert (await life.memory.context(task="write")).text


async def as_many_as_allowed(work: Callable[[int], Awaitable[object]]) -> int:
    """How often something can be done, until there is no room."""
    for number in range(40):
        try:
            await work(number)
        except InvalidInput:
            return number
    raise AssertionError("there is always room")


@requirement("procedures.by-people")
async def test_people_pause_resume_edit_and_retire_rules(life: Life) -> None:
    rules = life.memory.rules
    rule = await rules.add("Sign with the full name.")
    assert (await rules.pause(rule.id)).status is Status.PAUSED
    assert (await rules.pause(rule.id)).status is Status.PAUSED
    assert "full name" not in (await life.memory.context(task="sign")).text
    with pytest.raises(Conflict):
        await rules.edit(rule.id, "Sign with initials.")
    await rules.resume(rule.id)
    life.clock.move(DAY)
    edited = await rules.edit(rule.id, "Sign with initials.")
    assert (edited.text, edited.revision) == ("Sign with initials.", 2)
    assert (await life.memory.get(rule.id, as_of=life.clock.now() - DAY / 2)).text == rule.text
    assert "Sign with initials." in (await life.memory.context(task="sign")).text
    await rules.retire(rule.id)
    assert await rules.list() == []
    assert [one.status for one in await rules.list(all=True)] == [Status.RETIRED]
    with pytest.raises(Conflict):
        await rules.pause(rule.id)
    with pytest.raises(InvalidInput, match="41 words"):
        await rules.add(" ".join(["word"] * 41))


@requirement("procedures.promoted")
async def test_confidence_is_lifted_by_people_and_never_to_the_top(life: Life) -> None:
    observation = await observed(life)
    for person in range(6):
        observation = await life.memory.feedback(observation.id, "right", person=f"p{person}")
    assert observation.learned is not None
    assert replace(observation.learned, occurrences=3).confidence is Confidence.HIGH


@requirement("feedback.outcomes")
async def test_an_outcome_of_a_session_that_is_not_there_is_refused(life: Life) -> None:
    with pytest.raises(NotFound, match="no session 'no such session' here"):
        await life.memory.sessions.set_outcome("no such session", "rejected")
    await life.memory.sessions.start("quiet")
    assert await life.memory.sessions.set_outcome("quiet", "rejected") == []
    # Its block alone makes a session known, where nothing was said in it.
    await life.memory.save("Parcels for the depot need a customs form.")
    await life.memory.context("told alone", question="customs form for the parcels", mode="search")
    assert len(await life.memory.sessions.set_outcome("told alone", "rejected")) == 1


@requirement("feedback.outcomes", "feedback.shared-weights")
async def test_what_a_project_shares_weighs_otherwise_for_who_had_no_use_of_it_and_for_nobody_else(life: Life) -> None:
    project = life.of(Scope(tenant="acme", project="depot"))
    ana, ben = (life.of(Scope(tenant="acme", project="depot", user=user)) for user in ("ana", "ben"))
    form = (await project.save("Parcels for the depot need a customs form.")).record.id

    async def ranked(memory: Memory) -> list[str]:
        return [
            hit.record.id
            for hit in (
                await memory.recall(RecallRequest(question="customs form for parcels", record_access=False))
            ).hits
        ]

    for session in ("a", "b", "c", "d"):
        await ana.sessions.start(session)
        await ana.context(session, question="customs form for parcels", mode="search")
        (moved,) = await ana.sessions.set_outcome(session, "rejected")
        assert moved.record == form
    stamp = (await project.save("Parcels for the depot need a customs form and a stamp.")).record.id
    assert await ranked(ana) == [stamp, form]
    assert await ranked(ben) == await ranked(project) == [form, stamp]
    assert len(await ana.scores.history(form)) == 4
    assert await ben.scores.history(form) == await project.scores.history(form) == []

    await project.governance.erasure.erase(memories=[form], reason="a test")
    async with life.store.snapshot(Caller.engine(ana.scope)) as tx:
        assert await tx.weights.changes(form) == []
        assert [one.records for one in await tx.injections.list("a", limit=9)] == []
