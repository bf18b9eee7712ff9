"""What a person has rejected is in no recall and no context until a person takes it back, whatever else is done."""

from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from remembrancer import Conflict, ContextRequest, Memory, NewObservation, NotAllowed, NotFound, RecallRequest
from remembrancer.types.lifecycle import Status
from remembrancer.types.results import Outcome
from remembrancer.types.scope import Classification, Scope
from tests.learning import ANA, Life
from tests.sealing import sealed

from .requirements import requirement

pytestmark = pytest.mark.anyio

SAID = "Ana's visa expires in March"
PROJECT = Scope(tenant=ANA.tenant)


async def told(memory: Memory) -> str:
    """All that an agent may read of the visa, of what memory claims."""
    recalled = await memory.recall(
        RecallRequest(question="When does the visa expire?", abstain=False, record_access=False)
    )
    hits = "\n".join(hit.record.text for hit in (*recalled.hits, *recalled.nearest))
    block = await memory.context("talk", question="When does the visa expire?")
    return f"{hits}\n{block.text}"


async def rejected(memory: Memory, *, topic_key: str | None = None) -> str:
    """The id of an observation that a person has rejected."""
    saved = (await memory.save(SAID, topic_key=topic_key)).record
    await memory.feedback(saved.id, "wrong")
    return saved.id


async def delete(memory: Memory, id: str) -> None:
    await memory.delete(id)


async def erase(memory: Memory, id: str) -> None:
    await memory.governance.erasure.erase(memories=[id], reason="a test")


async def delete_and_restore(memory: Memory, id: str) -> None:
    await memory.delete(id)
    await memory.restore(id)


async def nothing(_memory: Memory, _id: str) -> None:
    pass


LATER = [nothing, delete, erase, delete_and_restore]


@requirement("rejection.stands")
@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("key", [None, "visa"])
async def test_what_was_rejected_is_not_saved_again_whatever_became_of_it(
    life: Life, later: Callable[[Memory, str], Awaitable[None]], key: str | None
) -> None:
    memory = life.memory
    id = await rejected(memory, topic_key=key)
    await later(memory, id)
    other = (await memory.save("Ana keeps a tortoise")).record

    for again in (SAID, f"  {SAID.upper()}. ", SAID.replace(" ", "\n"), f"“{SAID}”", SAID.replace("a", "\u200ba")):
        for under in (None, "visa", "another key"):
            with pytest.raises(NotAllowed, match="rejected"):
                await memory.save(again, topic_key=under)
    with pytest.raises(NotAllowed, match="rejected"):
        await memory.edit(other.id, SAID)
    for title in (SAID, f"Note. {SAID}"):
        with pytest.raises(NotAllowed, match="rejected"):
            await memory.edit(other.id, title=title)
    with pytest.raises(NotAllowed, match="rejected"):
        await memory.facts.set("note", SAID)
    with pytest.raises(NotAllowed, match="rejected"):
        await memory.rules.add(SAID)
    assert "visa expires in March" not in (await told(memory))


@requirement("rejection.stands")
@pytest.mark.parametrize("move", ["pause", "retire", "resume"])
async def test_no_other_verb_takes_up_what_was_rejected(life: Life, move: str) -> None:
    id = await rejected(life.memory)
    with pytest.raises(Conflict, match="undo that first"):
        await getattr(life.memory.patterns, move)(id)
    other = (await life.memory.save("Ana keeps a tortoise")).record
    for into, from_ in ((id, other.id), (other.id, id)):
        with pytest.raises(Conflict, match="only what is active"):
            await life.memory.patterns.merge(into, from_)


@requirement("rejection.corrected")
async def test_a_correction_is_taken_under_the_key_of_what_was_rejected(life: Life) -> None:
    id = await rejected(life.memory, topic_key="visa")
    corrected = await life.memory.save("Ana's visa expires in May", topic_key="visa")

    assert (corrected.outcome, corrected.record.status) == (Outcome.CREATED, Status.ACTIVE)
    again = await life.memory.save("Ana's visa expires in June", topic_key="visa")
    assert (again.outcome, again.record.id) == (Outcome.UPDATED, corrected.record.id)
    assert "June" in await told(life.memory)
    with pytest.raises(Conflict, match=corrected.record.id):
        await life.memory.feedback(id, "undo")


@requirement("rejection.all-that-says-it")
async def test_all_that_says_the_same_goes_with_what_is_rejected_and_comes_back_with_it(life: Life) -> None:
    memory = life.memory
    saved = (await memory.save(SAID)).record
    keyed = (await memory.save(f"{SAID}.", topic_key="visa")).record
    fact = (await memory.facts.set("visa", SAID)).record
    drawn = (await memory.save("Ana must travel before March", evidence=[saved.id])).record
    further = (await memory.save("The tickets are for February", evidence=[drawn.id])).record
    before = await told(memory)
    assert before.count("visa expires in March") > 1

    await memory.feedback(saved.id, "wrong")
    assert "March" not in await told(memory)
    fallen = [(await memory.get(one.id)).status for one in (keyed, fact, drawn, further)]
    assert fallen == [Status.RETIRED] * 4
    with pytest.raises(NotAllowed, match="was rejected, or derives from"):
        await memory.save("Ana cannot travel in April", evidence=[saved.id])

    await memory.feedback(saved.id, "undo")
    assert await told(memory) == before


@requirement("rejection.stands")
async def test_what_was_deleted_before_the_same_was_rejected_is_not_restored(life: Life) -> None:
    keyed = (await life.memory.save(SAID, topic_key="visa")).record
    await life.memory.delete(keyed.id)
    id = await rejected(life.memory)
    with pytest.raises(NotAllowed, match=id):
        await life.memory.restore(keyed.id)
    await life.memory.feedback(id, "undo")
    assert (await life.memory.restore(keyed.id)).status is Status.ACTIVE


@requirement("rejection.stands")
async def test_a_rejection_holds_for_all_who_see_its_scope(life: Life) -> None:
    await rejected(life.of(PROJECT))
    with pytest.raises(NotAllowed, match="rejected"):
        await life.memory.save(SAID)


@requirement("rejection.stands")
async def test_nobody_is_told_which_closed_memory_was_rejected(life: Life) -> None:
    saved = (await life.memory.save(NewObservation(text=SAID, classification="restricted"))).record
    await life.memory.feedback(saved.id, "wrong")
    with pytest.raises(NotAllowed) as refused:
        await life.memory.within(ANA, clearance=Classification.INTERNAL).save(SAID)
    assert saved.id not in str(refused.value)


@requirement("rejection.undone")
async def test_what_was_rejected_and_then_erased_may_be_said_again_once_it_is_undone(life: Life) -> None:
    id = await rejected(life.memory)
    await life.memory.governance.erasure.erase(memories=[id], reason="a test")
    assert await life.memory.feedback(id, "undo") is None
    assert (await life.memory.save(SAID)).outcome is Outcome.CREATED


@requirement("rejection.undone")
@pytest.mark.parametrize("before", ["pause", "retire"])
async def test_undoing_leaves_what_was_left_out_before_left_out(life: Life, before: str) -> None:
    saved = (await life.memory.save(SAID)).record
    left_out = (await getattr(life.memory.patterns, before)(saved.id)).status
    await life.memory.feedback(saved.id, "wrong")
    undone = await life.memory.feedback(saved.id, "undo")
    assert undone is not None
    assert undone.status is left_out


@requirement("rejection.stands", "recording.echo")
async def test_a_message_that_quotes_memory_brings_nothing_back(life: Life) -> None:
    memory = life.memory
    saved = (await memory.save(SAID)).record
    block = sealed(memory, await memory.recall("visa expire")).text
    quoted = "\n".join(f"> {line}" for line in block.splitlines())
    for text in (f"So I told her:\n{block}\nand she left", quoted, f"{block}\n{block}"):
        assert "visa" not in (await memory.record(text, session="talk")).record.text
    await memory.feedback(saved.id, "wrong")
    assert "visa expires" not in await told(memory)


@requirement("rejection.stands")
@pytest.mark.parametrize("key", [None, "visa"])
async def test_what_is_called_wrong_again_after_its_words_were_allowed_is_rejected_again(
    life: Life, key: str | None
) -> None:
    first = (await life.memory.save(SAID, topic_key=key)).record
    other = (await life.memory.save(SAID.upper())).record
    await life.memory.feedback(other.id, "wrong")
    await life.memory.feedback(first.id, "wrong")
    await life.memory.feedback(other.id, "undo")
    assert SAID.upper() in await told(life.memory)

    await life.memory.feedback(first.id, "wrong")

    assert SAID.casefold() not in (await told(life.memory)).casefold()
    with pytest.raises(NotAllowed):
        await life.memory.save(f"{SAID}!")


@requirement("rejection.stands")
@pytest.mark.parametrize(
    "text",
    [
        "Ana’s visa expires in March",
        "**Ana's visa expires in March**",
        "- Ana's visa expires in March",
        "1. Ana's visa expires in March!",
        "Ana's visa expires in March ✅",
        "\u0410na's visa expires in March",
        "Ana's visa expires in March. She told me so.",
        "Note: Ana's visa expires in March",
        "The user: “Ana's visa expires in March.”\nAnd she flies in April",
        "We met; Ana's visa expires in March",
        "Ana's visa expires in March (confirmed).",
        "2. Ana: Ana's visa expires in March",
    ],
)
async def test_what_was_rejected_is_not_said_in_another_dress_or_company(life: Life, text: str) -> None:
    await rejected(life.memory)
    with pytest.raises(NotAllowed):
        await life.memory.save(text)
    assert SAID not in await told(life.memory)


@requirement("rejection.stands")
async def test_what_was_rejected_is_no_fact_in_whatever_form(life: Life) -> None:
    await rejected(life.memory)
    limit = (await life.memory.save("5", topic_key="limit")).record
    await life.memory.feedback(limit.id, "wrong")
    for key, value in (
        ("note", {"x": SAID}),
        ("note", [SAID]),
        ("limit", 5),
        ("limit", "5"),
        ("limit", {"value": "5"}),
        ("settings", {"limit": 5}),
        ("note", {SAID: True}),
    ):
        with pytest.raises(NotAllowed):
            await life.memory.facts.set(key, value)
    for say in (life.memory.save, life.memory.rules.add):
        for text in ("limit: 5", "All that is set:\nlimit: 5\nsize: 3"):
            with pytest.raises(NotAllowed):
                await say(text)
    await life.memory.facts.set("limit", 6)


@requirement("rejection.stands")
@pytest.mark.parametrize("judge", ["wide", "narrow"])
@pytest.mark.parametrize("deed", ["wrong", "dismiss"])
async def test_what_was_rejected_in_one_scope_is_not_told_to_who_sees_it_from_another(
    life: Life, judge: str, deed: str
) -> None:
    own, wide = life.memory, life.memory.within(PROJECT)
    judged, other = (wide, own) if judge == "wide" else (own, wide)
    twin = (await other.save(SAID)).record
    saved = (await judged.save(f"{SAID}.")).record
    await own.facts.set("visa", SAID)
    await judged.feedback(saved.id, deed)

    assert SAID not in await told(own)
    assert SAID not in (await own.context("talk", mode="brief")).text
    assert SAID not in (await own.sessions.start("new")).text
    if judge == "narrow":
        assert SAID in await told(wide)
    await judged.feedback(saved.id, "undo")
    assert SAID in await told(own)
    assert (await other.get(twin.id)).text == SAID


@requirement("rejection.stands")
async def test_a_conclusion_from_what_a_wider_scope_rejected_is_not_told(life: Life) -> None:
    wide = life.memory.within(PROJECT)
    basis = (await wide.save("Ana leaves in March")).record
    await life.memory.save("The visa of Ana must be ready in February", evidence=[basis.id])
    await wide.feedback(basis.id, "wrong")
    assert "February" not in await told(life.memory)
    await wide.feedback(basis.id, "undo")
    assert "February" in await told(life.memory)


@requirement("rejection.stands")
@pytest.mark.parametrize("gone", [nothing, delete, erase])
@pytest.mark.parametrize("back", ["restore", "resume", "say"])
async def test_what_was_concluded_from_what_is_rejected_does_not_come_back(
    life: Life, gone: Callable[[Memory, str], Awaitable[None]], back: str
) -> None:
    memory, text = life.memory, "The visa of Ana must be ready in February"
    basis = (await memory.save("Ana leaves in March")).record
    first = (await memory.save("Ana needs a visa soon", evidence=[basis.id])).record
    conclusion = (await memory.save(text, evidence=[first.id])).record
    if back == "restore":
        await memory.delete(conclusion.id)
    await memory.feedback(basis.id, "wrong")
    await gone(memory, basis.id)

    with suppress(NotAllowed, NotFound, Conflict):
        if back == "restore":
            await memory.restore(conclusion.id)
        elif back == "resume":
            await memory.patterns.resume(conclusion.id)
        else:
            await memory.save(text, evidence=[first.id])
    assert text not in await told(memory)


@requirement("rejection.stands")
@pytest.mark.parametrize("gone", [nothing, delete, erase])
async def test_all_that_rests_on_what_a_wider_scope_rejected_is_not_told_however_far_down(
    life: Life, gone: Callable[[Memory, str], Awaitable[None]]
) -> None:
    wide = life.memory.within(PROJECT)
    basis = (await wide.save("Ana leaves in March")).record
    first = (await life.memory.save("Ana needs a visa soon", evidence=[basis.id])).record
    await life.memory.save("The visa of Ana must be ready in February", evidence=[first.id])
    await wide.feedback(basis.id, "wrong")
    await gone(wide, basis.id)
    heard = await told(life.memory)
    assert ("February" in heard, "soon" in heard) == (False, False)
    with pytest.raises(NotAllowed, match="derives from"):
        await life.memory.save("Ana packs in January", evidence=[first.id])
    assert await life.memory.admin.doctor() == []
    if gone is not delete:
        await wide.feedback(basis.id, "undo")
        heard = await told(life.memory)
        assert ("February" in heard, "soon" in heard) == (True, True)
        assert await life.memory.admin.doctor() == []


@requirement("rejection.stands")
async def test_undoing_what_was_erased_leaves_what_a_person_rejected_besides(life: Life) -> None:
    memory = life.memory
    basis = (await memory.save("The kiosk opens at six")).record
    await memory.save("Be at the kiosk early", evidence=[basis.id])
    await memory.feedback(basis.id, "wrong")
    again = (await memory.save("Be at the kiosk early!")).record
    await memory.feedback(again.id, "wrong")
    await memory.governance.erasure.erase(memories=[basis.id], reason="a test")
    await memory.feedback(basis.id, "undo")
    with pytest.raises(NotAllowed, match="rejected"):
        await memory.save("be at the kiosk early.")


@requirement("rejection.stands")
async def test_what_another_sentence_of_a_conclusion_says_is_not_rejected_with_its_source(life: Life) -> None:
    memory, own = life.memory, "The office manager is Berta Klein."
    kept = (await memory.save(own)).record
    basis = (await memory.save("The depot closes at five")).record
    await memory.save(f"Drivers must come before five. {own}", evidence=[basis.id])
    await memory.feedback(basis.id, "wrong")
    await memory.governance.erasure.erase(memories=[basis.id], reason="a test")
    recalled = await memory.recall("Who is the office manager?")
    assert [hit.id for hit in recalled.hits] == [kept.id]


@requirement("rejection.stands")
@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("3. Mai ist Abgabe der Arbeit", "4. Mai ist Abgabe der Arbeit"),
        ("1. Install the walrus driver", "2. Install the walrus driver"),
    ],
)
async def test_a_number_at_the_beginning_tells_one_claim_from_another(life: Life, wrong: str, right: str) -> None:
    memory = life.memory
    rejected = (await memory.save(wrong)).record
    before = (await memory.save(right)).record
    await memory.feedback(rejected.id, "wrong")
    assert (await memory.get(before.id)).status is Status.ACTIVE
    await memory.edit(before.id, f"{right} now")
    assert (await memory.save(right)).outcome is Outcome.CREATED


@requirement("rejection.stands")
async def test_what_was_rejected_takes_no_place_among_the_hits(life: Life) -> None:
    wide, text = life.memory.within(PROJECT), "The walrus budget is forty thousand"
    shared = (await wide.save(text)).record
    await life.memory.save(f"{text}!")
    await wide.feedback(shared.id, "wrong")
    good = (await life.memory.save("The walrus meeting about the budget is on Monday")).record
    recalled = await life.memory.recall("walrus budget forty thousand", limit=1)
    assert [hit.id for hit in recalled.hits] == [good.id]
    started = await life.memory.sessions.start()
    assert [one.id for one in started.memories] == [good.id]


@requirement("rejection.stands")
async def test_the_log_of_a_conversation_follows_every_rejection(life: Life) -> None:
    memory = life.memory
    wide = memory.within(PROJECT)
    for text in (
        "I prefer trains to planes.",
        "My sister Berta lives in Genoa.",
        "We decided to sell the boat in June.",
        "I never eat mushrooms.",
        "Our office moves to Lyon next year.",
        "My doctor is in Turin on Tuesdays.",
        "I want the garden wall painted green.",
        "My brother Carlo plays the cello in Vienna.",
        "We agreed to meet the lawyer in Bern.",
        "I bought a red bicycle for my daughter.",
    ):
        await memory.record(text, session="s")
        await memory.record("Noted.", session="s", role="assistant")
        await memory.notes.observe("s")
    told = [note.text for note in await memory.notes.log("s") if note.text in (await memory.context("s")).text]
    assert len(told) >= 6
    shared = [(await wide.save(text)).record for text in told]
    half = len(told) // 2
    for one in shared[:half]:
        await wide.feedback(one.id, "wrong")
    for place in range(half):
        await wide.feedback(shared[place].id, "undo")
        await wide.feedback(shared[place + half].id, "wrong")
        block = (await memory.context(ContextRequest(session="s", recall=False))).text
        assert (told[place] in block, told[place + half] in block) == (True, False)
