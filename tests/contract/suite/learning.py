"""The contract of a store: learned records, verdicts and nights."""

from collections.abc import Awaitable
from dataclasses import replace
from datetime import datetime

from remembrancer.storage.base import Store
from remembrancer.storage.tx import Tx
from remembrancer.types.access import Caller
from remembrancer.types.episode import Tier
from remembrancer.types.feedback import Judgement, Verdict
from remembrancer.types.jobs import MaintenanceStep
from remembrancer.types.lifecycle import Status
from remembrancer.types.record import Episode, Fact, Record
from remembrancer.types.results import Change
from tests.contract.suite.base import Contract
from tests.factories import (
    DAY,
    EVERYTHING,
    HOME,
    OUTSIDERS,
    START,
    directions,
    embed,
    episode,
    fact,
    learned,
    move,
    night,
    observation,
    procedure,
    put,
    signal,
    terms,
    verdict,
)
from tests.rows import every_row


class LearningContract(Contract):
    async def test_learned_records_read_back_with_every_detail(self, store: Store) -> None:
        covers = replace(episode("week", tier=Tier.WEEKLY), evidence=("raw",))
        records: list[Record] = [
            episode("raw"), covers, episode("nobody", contact=""), signal("s"), fact("f"), procedure("p"), learned("l"),
        ]  # fmt: skip
        await put(store, *records)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [await tx.records.find(record.id) for record in records] == records

    async def test_details_are_kept_by_version(self, store: Store) -> None:
        before = fact("f")
        await put(store, before)
        details = replace(before.details, value={"to": ["all", 1, None]}, valid_to=START + 9 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            changed = await tx.records.change("f", Change(details=details), at=START + 2 * DAY, terms=None)
            assert isinstance(changed, Fact)
            assert changed.details == details
            assert await tx.versions.at("f", START + DAY) == before
            assert await tx.versions.at("f", START + 3 * DAY) == changed

    async def test_episodes_are_listed_by_contact_tier_and_time(self, store: Store) -> None:
        raw = [episode(f"r{number}", at=START + number * DAY) for number in range(4)]
        month = episode("m", tier=Tier.MONTHLY, at=START + 9 * DAY)
        await put(store, *raw, month, episode("q", contact="Quinn"), episode("n", contact=""))
        until = START + 3 * DAY
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.episodes.contacts(Tier.RAW, until=until, at_least=1) == ["", "bertelli", "quinn"]
            assert await tx.episodes.contacts(Tier.RAW, until=until, at_least=2) == ["bertelli"]
            assert await tx.episodes.contacts(Tier.WEEKLY, until=until, at_least=1) == []

            async def changed(days: int) -> list[str]:
                return await tx.episodes.contacts(Tier.RAW, until=until, at_least=1, changed_since=START + days * DAY)

            assert [await changed(days) for days in (0, 1, 3)] == [["", "bertelli", "quinn"], ["bertelli"], []]

            async def page(after: tuple[datetime, str] | None, limit: int) -> list[Episode]:
                return await tx.episodes.with_contact("bertelli", Tier.RAW, until=until, after=after, limit=limit)

            assert await page(None, 9) == raw[:3]
            assert await page((raw[0].occurred_at, "r0"), 1) == raw[1:2]
            assert await tx.episodes.latest(["bertelli"], limit=2) == [month, raw[3]]
            assert len(await tx.episodes.latest(None, limit=99)) == 7
            assert await tx.episodes.latest([], limit=2) == []
            assert await tx.episodes.known_contacts() == ["bertelli", "quinn"]

    async def test_learned_records_are_listed_by_key_and_status(self, store: Store) -> None:
        first, second, other = fact("a"), fact("b", value="warm"), fact("c", key="else")
        rule, seen = procedure("p"), learned("l")
        await put(store, first, second, other, rule, seen, observation("o"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.facts.by_key("contact/bertelli/tone") == [first, second]
            assert await tx.facts.in_status((Status.ACTIVE,)) == [first, second, other]
            assert await tx.observations.patterns((Status.ACTIVE,)) == [seen]
            await tx.records.change("l", Change(status=Status.REJECTED), at=START + DAY, terms=None)
            await tx.records.change("p", Change(status=Status.PAUSED), at=START + DAY, terms=None)
            assert await tx.observations.patterns((Status.ACTIVE,)) == []
            assert [one.id for one in await tx.observations.patterns((Status.REJECTED,))] == ["l"]
            assert await tx.procedures.in_status((Status.ACTIVE,)) == []
            assert [one.id for one in await tx.procedures.in_status((Status.PAUSED,))] == ["p"]

    async def test_the_previous_status_skips_the_given_ones(self, store: Store) -> None:
        await put(store, learned("l"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.versions.status_before("l") is Status.ACTIVE
            for status in (Status.REJECTED, Status.DELETED, Status.REJECTED):
                await tx.records.change("l", Change(status=status), at=START + DAY, terms=None)
            assert await tx.versions.status_before("l") is Status.DELETED
            put_aside = (Status.REJECTED, Status.DELETED)
            assert await tx.versions.status_before("l", apart_from=put_aside) is Status.ACTIVE

    async def test_a_rejected_record_leaves_the_indexes(self, store: Store) -> None:
        (document,) = await put(store, learned("l"))
        generation = await embed(store, HOME, [document], directions(1))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.change("l", Change(status=Status.REJECTED), at=START + DAY, terms=None)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert (await tx.documents.matching(EVERYTHING)).tolist() == []
            near = await tx.vectors.nearest(directions(1)[0], generation=generation, limit=9, among=None)
            assert near.documents.tolist() == []

    async def test_judgements_are_listed_for_visible_records(self, store: Store) -> None:
        await put(store, *(observation(id) for id in "abcd"))
        set_for = {"a": Judgement(rating=0.0), "b": Judgement(boost=0.5), "c": Judgement(pinned=True)}
        async with store.begin(Caller(scope=HOME)) as tx:
            for id, judged in set_for.items():
                stands = await tx.scores.find(id)
                assert stands is not None
                await tx.scores.put([replace(stands, **judged.values)])  # pyright: ignore[reportArgumentType]
        for scope, seen in ((HOME, set_for), (replace(HOME, user="someone"), {})):
            async with store.snapshot(Caller(scope=scope)) as tx:
                assert await tx.scores.ratings(["a", "b", "d", "c", "none"]) == seen

    async def test_unused_records_of_low_importance_fade(self, store: Store) -> None:
        records = [replace(observation(id), importance=share) for id, share in (("a", 0.05), ("b", 0.5), ("c", 0.01))]
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.records.add(records, [None, None, terms("quartz")])
            stands = await tx.scores.find("c")
            assert stands is not None
            await tx.scores.put([replace(stands, pinned=True)])
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.scores.faded(below=0.1, before=START + DAY) == ["a"]
            assert await tx.scores.faded(below=0.6, before=START) == []
            assert await tx.scores.faded(below=0.6, before=START + DAY) == ["a", "b"]

    async def test_nights_verdicts_and_moves_read_back_and_go_with_their_record(self, store: Store) -> None:
        await put(store, learned("l"))
        begun, done = night(), replace(night(step=MaintenanceStep.DETECT, observed=2), notes=("a note",))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.maintenance_runs.put(begun)
            await tx.maintenance_runs.put(done)
            await tx.verdicts.put(verdict("l"))
            await tx.verdicts.put(verdict("l", says=Verdict.WRONG, at=START + DAY))
            await tx.verdicts.put(verdict("l", person="ben"))
            await tx.weights.add(move("l"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.maintenance_runs.find(START.date()) == done == await tx.maintenance_runs.latest()
            assert await tx.verdicts.of_record("l") == [
                verdict("l", person="ben"), verdict("l", says=Verdict.WRONG, at=START + DAY),
            ]  # fmt: skip
            assert await tx.verdicts.confirmed(["l", "e"]) == {"l": verdict("l", person="ben").at}
            assert await tx.verdicts.confirmed([]) == {}
            await tx.verdicts.withdraw("l", (Verdict.WRONG,))
            assert await tx.verdicts.of_record("l") == [verdict("l", person="ben")]
            assert await tx.weights.changes("l") == [move("l")] == await tx.weights.changes_by_session("s")
            await tx.records.erase("l")
            assert [await tx.verdicts.of_record("l"), await tx.weights.changes("l")] == [[], []]

    async def test_the_night_before_a_day_is_the_last_one_that_began_before_it(self, store: Store) -> None:
        first, second = night(), replace(night(), day=START.date() + 2 * DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.maintenance_runs.put(first)
            await tx.maintenance_runs.put(second)
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert await tx.maintenance_runs.latest() == second
            assert await tx.maintenance_runs.latest(before=second.day) == first
            assert await tx.maintenance_runs.latest(before=first.day) is None

    async def test_new_and_changed_events_count_since_their_time(self, store: Store) -> None:
        def since(tx: Tx, days: int) -> Awaitable[bool]:
            return tx.maintenance_runs.has_events_since(START + days * DAY, until=START + 99 * DAY)

        await put(store, replace(fact("f"), updated_at=START + 9 * DAY), episode("e"))
        async with store.begin(Caller(scope=HOME)) as tx:
            assert [await since(tx, days) for days in (-1, 1)] == [True, False]
            await tx.records.change("e", Change(status=Status.SUPERSEDED_RAW), at=START + 2 * DAY, terms=None)
            assert [await since(tx, days) for days in (1, 3)] == [True, False]
        await put(store, replace(signal("s"), occurred_at=START + 4 * DAY))
        async with store.snapshot(Caller(scope=HOME)) as tx:
            assert [await since(tx, days) for days in (3, 5)] == [True, False]
            assert not await tx.maintenance_runs.has_events_since(START + 3 * DAY, until=START + 4 * DAY)

    async def test_learned_records_of_another_scope_read_as_absent(self, store: Store) -> None:
        await put(store, episode("e"), fact("f"), procedure("p"), learned("l"), signal("s"))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.maintenance_runs.put(night())
            await tx.verdicts.put(verdict("l"))
            await tx.weights.add(move("l"))
        with every_row() as row:
            for name, outsider in OUTSIDERS.items():
                with row(name):
                    async with store.snapshot(Caller(scope=outsider)) as tx:
                        assert {name: value for name, value in (await _learned_by(tx)).items() if value} == {}


async def _learned_by(tx: Tx) -> dict[str, object]:
    """Return what each read of learned records finds."""
    end = START + 9 * DAY
    return {
        "contacts": await tx.episodes.contacts(Tier.RAW, until=end, at_least=1),
        "with_contact": await tx.episodes.with_contact("bertelli", Tier.RAW, until=end, after=None, limit=9),
        "latest_episodes": await tx.episodes.latest(None, limit=9),
        "facts": await tx.facts.in_status(tuple(Status)),
        "procedures": await tx.procedures.in_status(tuple(Status)),
        "by_key": await tx.facts.by_key("contact/bertelli/tone"),
        "learned": await tx.observations.patterns(tuple(Status)),
        "night": await tx.maintenance_runs.latest(),
        "deeds": await tx.maintenance_runs.has_events_since(START - DAY, until=START + 99 * DAY),
        "verdicts": await tx.verdicts.of_record("l"),
        "weights": [*await tx.weights.changes("l"), *await tx.weights.changes_by_session("s")],
        "standing": await tx.scores.find("l"),
        "standings": await tx.scores.page(after=None, until=(end, "")),
        "score positions": await tx.scores.positions(after=None, limit=9),
    }
