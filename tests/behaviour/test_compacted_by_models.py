"""Weeks and months told by a real model server: what holds stands behind the counts, and else the words say it."""

import json
from collections.abc import Sequence
from datetime import timedelta

import pytest

from remembrancer import Episode, Filter, Memory
from remembrancer.testing import FakeClock
from remembrancer.types.new import NewEpisode
from tests.answers import MODEL, Answers, Given, Said

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
DAY = timedelta(days=1)
STORY = "People shortened the greeting of the agent's drafts. Invoice 118 went out as drafted."
DEEDS = (
    ("shortened the greeting", "approval_modified"),
    ("sent invoice 118", "approval_approved"),
    ("shortened the greeting", "approval_modified"),
    ("mail bounced, mailbox full", "exception_raised"),
    ("answered a question about delivery", "approval_approved"),
)


def stories(*texts: str) -> str:
    """An answer of the agreed shape."""
    return json.dumps({"records": [{"record": at, "text": text} for at, text in enumerate(texts, start=1)]})


@pytest.fixture
async def memory(opener: Opener, model: Answers, clock: FakeClock) -> Memory:
    return await opener(**model.settings, answer_model="none", reflect_model="none", detect_model="none")


def week(clock: FakeClock, days_ago: int, contact: str = "Bertelli") -> list[NewEpisode]:
    """What was done in one week."""
    monday = clock.now() - days_ago * DAY
    monday -= monday.weekday() * DAY
    return [
        NewEpisode(summary=summary, event=event, contact=contact, occurred_at=monday + at * DAY)
        for at, (summary, event) in enumerate(DEEDS)
    ]


async def told(memory: Memory, model: Answers, script: Sequence[Said]) -> list[Episode]:
    """The compact records after a night in which a model answers so."""
    model.script = list(script)
    await memory.admin.maintenance.run()
    assert not model.script
    found = await memory.list(Filter(kinds=["episode"], statuses=["active"]))
    return [one for one in found.records if isinstance(one, Episode)]


@requirement("episodes.told-by-a-model")
async def test_a_week_is_told_by_the_model_and_counted_by_the_engine(
    memory: Memory, model: Answers, clock: FakeClock
) -> None:
    await memory.episodes.record_many([*week(clock, 50), *week(clock, 50, "Quinn")])
    made = await told(memory, model, [stories(STORY)] * 2)
    assert all(one.text.endswith(f"1 exception. {STORY}") for one in made)
    assert all("5 interactions" in one.text and "2 approved as it stood. 2 modified." in one.text for one in made)
    assert [one.metadata for one in made] == [{"model": MODEL, "prompt": "compact-1"}] * 2
    assert {total.purpose for total in (await memory.admin.costs(days=1)).totals} == {"summarise"}


@requirement("episodes.told-by-a-model")
@pytest.mark.parametrize(
    "script",
    [
        [stories("The agent sent invoice 811.")] * 2,
        [stories("The greeting was shortened two times and 40 mails bounced.")] * 2,
        [stories("Seven greetings were shortened.")] * 2,
        [stories("again and again " * 40)] * 2,
        [stories("x" * 400)] * 2,
        [stories("")],
        [stories()],
        ["no JSON"] * 2,
        [Given(answer=(500, {}))],
    ],
    ids=str,
)
async def test_what_does_not_hold_is_told_by_the_words(
    memory: Memory, model: Answers, clock: FakeClock, script: list[Said]
) -> None:
    await memory.episodes.record_many(week(clock, 50))
    (made,) = await told(memory, model, script)
    assert "2 modified (shortened the greeting ×2)." in made.text
    assert "model" not in made.metadata


@requirement("episodes.told-by-a-model")
async def test_what_does_not_hold_is_asked_for_once_more_with_the_reason(
    memory: Memory, model: Answers, clock: FakeClock
) -> None:
    await memory.episodes.record_many([*week(clock, 50), *week(clock, 57)])
    made = await told(memory, model, [stories(STORY, "The agent sent invoice 811."), stories(STORY)])
    assert [one.text.endswith(STORY) for one in made] == [True, True]
    assert "record 1 gives a number that is in none of its entries" not in model.prompts[0]
    assert "record 1 gives a number that is in none of its entries" in model.prompts[1]
    assert model.prompts[1].count("# record") == 1


@requirement("episodes.told-by-a-model")
async def test_a_month_is_told_from_what_was_done_and_not_from_its_weeks(
    memory: Memory, model: Answers, clock: FakeClock
) -> None:
    await memory.episodes.record_many([*week(clock, 140), *week(clock, 147)])
    await told(memory, model, [stories(STORY, STORY), stories(STORY)])
    assert model.prompts[1].count("shortened the greeting") == 4
    assert "5 interactions" not in model.prompts[1]


@requirement("episodes.told-by-a-model")
async def test_a_record_that_is_counted_anew_is_told_by_the_words(
    memory: Memory, model: Answers, clock: FakeClock
) -> None:
    await memory.episodes.record_many(week(clock, 50))
    (made,) = await told(memory, model, [stories(STORY)])
    await memory.delete(made.evidence[0])
    again = await memory.get(made.id)
    assert isinstance(again, Episode)
    assert "4 interactions" in again.text
    assert STORY not in again.text
    assert "model" not in again.metadata


@requirement("episodes.told-by-a-model")
async def test_a_rehearsal_asks_nobody_and_says_so(memory: Memory, model: Answers, clock: FakeClock) -> None:
    await memory.episodes.record_many(week(clock, 50))
    preview = await memory.admin.maintenance.dry_run()
    assert not model.calls
    assert "a model may summarise weeks and months; it was not called" in preview.notes
