"""Rules whose habit ends, turns into its opposite or comes back, and how sure they are shown."""

from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from remembrancer.types.lifecycle import Status
from remembrancer.types.new import NewEpisode
from remembrancer.types.pattern import Confidence
from remembrancer.types.record import Observation, Rule
from tests.learning import DAY, HOUR, MONDAY, Life, beside, done, lived, semicolons

from .requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def life(db: str) -> AsyncGenerator[Life]:
    async with lived(db) as life:
        yield life


def handed(to: str, since: int, count: int) -> list[NewEpisode]:
    """A habit: for some days after the Monday invoices are handed to one person, and the rest is usual."""
    start = MONDAY + since * DAY
    return [
        done(
            "handed it over",
            start + timedelta(days=at // 2, hours=at * 5 % 9),
            event="user_correction",
            topic="invoice",
            to=to,
            **{"from": "inbox"},
        )
        for at in range(count)
    ]


def usual(days: int) -> list[NewEpisode]:
    """What is done beside a habit for some days, things that are handed to anybody among it."""
    people = ("Hanna", "Ravi", "Greta", "Nils")
    other = [
        done(
            "handed it over",
            MONDAY + timedelta(days=at % days, hours=at * 4 % 9),
            event="user_correction",
            topic=("offer", "permit", "survey")[at % 3],
            to=people[at % 4],
            **{"from": "inbox"},
        )
        for at in range(2 * days)
    ]
    return [*beside(MONDAY, 2 * days, days=days), *other]


async def rules(life: Life) -> dict[str, Rule]:
    """The active rules, by their words."""
    return {one.text: one for one in await life.memory.rules.list()}


async def nights(life: Life, count: int) -> list[dict[str, Rule]]:
    """The active rules after each of some nights."""
    found: list[dict[str, Rule]] = []
    for _ in range(count):
        await life.nights(1)
        found.append(await rules(life))
    return found


def tom(to: str) -> str:
    return f'When the topic is "invoice", route to {to}, not to "inbox".'


@pytest.mark.slow
@requirement("procedures.turned")
async def test_a_rule_whose_habit_turns_is_demoted_with_its_reason_and_never_beside_the_new_one(life: Life) -> None:
    await life.memory.episodes.record_many([*usual(25), *handed("Tom", 0, 16)])
    await life.memory.episodes.record_many(handed("Lea", 9, 30))
    after = await nights(life, 24)
    assert any(tom("Tom") in one for one in after)
    assert any(tom("Lea") in one for one in after)
    assert not any({tom("Tom"), tom("Lea")} <= one.keys() for one in after)
    assert tom("Tom") not in after[-1]
    (old,) = [one for one in await life.memory.rules.list(all=True) if one.text == tom("Tom")]
    assert old.status is Status.DEMOTED
    assert old.details.reason.startswith("in none of the last 4 such cases, since")
    source = await life.memory.get(old.evidence[0])
    assert isinstance(source, Observation)
    assert source.learned is not None
    assert source.learned.ended
    assert source.learned.confidence is Confidence.LOW


@pytest.mark.slow
@requirement("procedures.turned")
async def test_a_rule_whose_habit_comes_back_is_active_again(life: Life) -> None:
    await life.memory.episodes.record_many([*usual(30), *handed("Tom", 0, 22)])
    await life.memory.episodes.record_many([*handed("Lea", 11, 4), *handed("Tom", 13, 30)])
    after = await nights(life, 26)
    active = [tom("Tom") in one for one in after]
    assert active[-1]
    assert False in active[active.index(True) :]
    (rule,) = [one for one in await life.memory.rules.list(all=True) if one.text == tom("Tom")]
    assert rule.details.reason == ""


@pytest.mark.slow
@requirement("procedures.turned")
async def test_a_rule_that_is_retired_by_a_person_stays_so(life: Life) -> None:
    await life.memory.episodes.record_many([*usual(25), *handed("Tom", 0, 40)])
    await life.nights(12)
    (rule,) = await life.memory.rules.list()
    await life.memory.rules.retire(rule.id)
    assert not any(await nights(life, 6))


@requirement("procedures.sure")
async def test_what_holds_in_a_third_of_its_cases_is_not_sure(life: Life) -> None:
    since = MONDAY - 20 * DAY
    await life.memory.episodes.record_many([*beside(since), *semicolons(since)])
    await life.nights(1)
    (observation,) = await life.memory.patterns.list()
    assert observation.learned is not None
    assert observation.learned.evidence.startswith("in 14 of 43 such cases")
    assert observation.learned.confidence is Confidence.LOW
    # Not every draft has a semicolon to remove: where there is one, the rule is sure.
    await life.nights(3)
    assert [one.text for one in await life.memory.rules.list()] == ["Remove semicolons from drafts."]


@requirement("nightly.compacted-rates")
async def test_no_approval_rate_is_told_where_nothing_was_asked_for_approval(life: Life) -> None:
    since = MONDAY - 42 * DAY
    corrected = [done("put the date right", since + at * HOUR, event="user_correction") for at in range(6)]
    asked = [
        done("answered", since + at * HOUR, contact="Quinn", event=event)
        for at, event in enumerate(("approval_approved", "approval_modified", "user_correction") * 2)
    ]
    await life.memory.episodes.record_many([*corrected, *asked])
    await life.nights(1)
    texts = {one.details.entities[0].name: one.text for one in await life.memory.episodes.list(tier="weekly")}
    assert "pproval rate" not in texts["Bertelli"]
    assert "6 modified" in texts["Bertelli"]
    assert "Approval rate 50 %." in texts["Quinn"]
