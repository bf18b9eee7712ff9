"""Of statements about the same thing the newer leads, and the older is told as what it replaced."""

from datetime import datetime

import pytest

from remembrancer import RecallResult
from remembrancer.types.record import Role

from .requirements import requirement
from .world import BOB, DAY, World, texts

pytestmark = pytest.mark.anyio

WEBER, KLEIN = "My dentist is Dr. Weber", "My dentist is Dr. Klein"
WHO = "Who is my dentist?"


async def dentists(world: World) -> tuple[str, str, datetime]:
    """Two dentists, the newer one a hundred days later; their ids, and when that was."""
    old = await world.memory.save(WEBER)
    world.clock.move(100 * DAY)
    new = await world.memory.save(KLEIN)
    return old.record.id, new.record.id, world.clock.now()


def marks(recalled: RecallResult) -> list[tuple[str, bool, list[str]]]:
    return [(hit.record.text, hit.replaced is not None, [one.value for one in hit.replaces]) for hit in recalled.hits]


@requirement("recall.replaced")
async def test_the_newer_statement_leads_and_both_say_what_became(world: World) -> None:
    old, new, when = await dentists(world)
    recalled = await world.memory.recall(WHO)
    assert marks(recalled) == [(KLEIN, False, ["Dr. Weber"]), (WEBER, True, [])]
    link = recalled.hits[1].replaced
    assert link is not None
    assert (link.older, link.newer, link.until) == (old, new, when)


@requirement("recall.replaced")
async def test_an_explanation_names_what_replaced_a_memory(world: World) -> None:
    old, new, _ = await dentists(world)
    assert f"memory {new} of" in (await world.memory.explain(WHO, old)).reason
    assert "replaced" not in (await world.memory.explain(WHO, new)).reason


@requirement("recall.replaced")
async def test_the_newer_statement_is_served_even_where_one_alone_fits(world: World) -> None:
    await dentists(world)
    assert texts(await world.memory.recall(WHO, limit=1)) == [KLEIN]


@requirement("recall.replaced")
async def test_where_the_past_is_asked_for_the_older_one_keeps_its_place(world: World) -> None:
    await world.memory.save("I live in Bern.", type="profile")
    world.clock.move(30 * DAY)
    await world.memory.save("We moved to Zurich.", type="profile")
    assert texts(await world.memory.recall("Where do I live?"))[0] == "We moved to Zurich."
    assert marks(await world.memory.recall("Where did I live before?")) == [
        ("I live in Bern.", True, []),
        ("We moved to Zurich.", False, ["Bern"]),
    ]


@requirement("recall.replaced")
async def test_as_of_an_earlier_time_the_older_one_holds(world: World) -> None:
    _, _, when = await dentists(world)
    assert marks(await world.memory.recall(WHO, as_of=when - DAY)) == [(WEBER, False, [])]


@requirement("recall.replaced")
async def test_what_was_replaced_holds_again_when_the_newer_one_is_gone(world: World) -> None:
    _, new, _ = await dentists(world)
    await world.memory.delete(new)
    assert marks(await world.memory.recall(WHO)) == [(WEBER, False, [])]


@requirement("recall.replaced")
async def test_a_person_who_confirms_the_older_one_undoes_it(world: World) -> None:
    old, _, _ = await dentists(world)
    world.clock.move(DAY)
    await world.memory.feedback(old, "right", person="ana")
    assert all(not replaced for _, replaced, _ in marks(await world.memory.recall(WHO)))


@requirement("recall.replaced")
async def test_what_was_confirmed_before_the_change_is_replaced_all_the_same(world: World) -> None:
    old = await world.memory.save(WEBER)
    await world.memory.feedback(old.record.id, "right", person="ana")
    world.clock.move(DAY)
    await world.memory.save(KLEIN)
    assert marks(await world.memory.recall(WHO)) == [(KLEIN, False, ["Dr. Weber"]), (WEBER, True, [])]


@requirement("recall.replaced")
async def test_what_was_said_again_holds_again(world: World) -> None:
    await world.memory.record("The gate code is 4417", session="a")
    world.clock.move(DAY)
    await world.memory.record("The gate code is 9023 now", session="b")
    world.clock.move(DAY)
    await world.memory.record("The gate code is 4417 again now", session="c")
    assert marks(await world.memory.recall("What is the gate code?")) == [
        ("The gate code is 4417 again now", False, ["9023"]),
        ("The gate code is 9023 now", True, ["4417"]),
        ("The gate code is 4417", True, []),
    ]


@requirement("recall.replaced")
async def test_a_context_tells_the_newer_one_and_what_it_was_before(world: World) -> None:
    await dentists(world)
    day = f"{world.clock.now():%Y-%m-%d}"
    told = (await world.memory.context(question=WHO)).text
    assert f"{KLEIN} (until {day}: Dr. Weber)" in told
    assert WEBER not in told


@requirement("recall.replaced")
async def test_a_context_tells_the_older_one_where_the_past_is_asked_for(world: World) -> None:
    await dentists(world)
    day = f"{world.clock.now():%Y-%m-%d}"
    told = (await world.memory.context(question="Who was my dentist before?")).text
    assert f"{WEBER} (until {day})" in told


@requirement("recall.replaced")
async def test_a_context_marks_what_was_replaced_far_down(world: World) -> None:
    for number in range(30):
        await world.memory.save(f"The gate of yard {'abcdefghijklmnopqrstuvwxyzäöüß'[number]} squeaks")
    await dentists(world)
    told = (await world.memory.context(question="Which gate squeaks, and is my dentist Dr. Weber or Dr. Klein?")).text
    assert f"- {WEBER}" not in told


@requirement("recall.replaced")
async def test_a_note_that_tells_more_stays_in_a_context(world: World) -> None:
    await world.memory.save(f"{WEBER}. My dentist's practice is in Mill Street.")
    world.clock.move(DAY)
    await world.memory.save(KLEIN)
    assert "Mill Street" in (await world.memory.context(question=WHO)).text


@requirement("recall.replaced")
async def test_a_brief_leaves_out_what_was_replaced(world: World) -> None:
    await dentists(world)
    told = (await world.memory.context(mode="brief")).text
    assert KLEIN in told
    assert WEBER not in told


@requirement("recall.replaced")
async def test_what_an_agent_a_page_or_another_user_says_replaces_nothing(world: World) -> None:
    await world.memory.record(WEBER, session="a")
    world.clock.move(DAY)
    await world.memory.record(KLEIN, session="b", role=Role.ASSISTANT)
    await world.memory.record(KLEIN, session="c", trust="untrusted")
    await world.of(BOB).save(KLEIN)
    assert (WEBER, False, []) in marks(await world.memory.recall(WHO))
