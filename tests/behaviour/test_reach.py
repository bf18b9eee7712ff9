"""Reach: what is found by labels and by parts of words, on either store."""

from dataclasses import replace

import pytest

from remembrancer import Memory, NewEpisode, NewMessage, NewObservation, RecallRequest, RecallResult, Scope
from remembrancer.language.analysis import analyser, terms_of
from tests.learning import ANA, DAY, Life
from tests.rows import every_row

from .requirements import requirement
from .world import World, ids, texts

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]

# Found on the disk, which no event loop is to wait for.
ANALYSER = analyser()
HELD = {
    "vectors": "We keep vectors in pgvector on the main server",
    "call": "Call getUserById before the page is drawn",
    "failure": "The job died with ECONNREFUSED at night",
    "cat": "黒猫が庭で眠っています",
}


async def filled(memory: Memory) -> dict[str, str]:
    """Ids of some claims by what they are about."""
    return {name: (await memory.save(text)).record.id for name, text in HELD.items()}


async def found(memory: Memory, question: str) -> list[str]:
    """What a question recalls by its words."""
    return texts(await memory.recall(RecallRequest(question=question, retrievers=["lexical"], record_access=False)))


@requirement("recall.labels")
async def test_an_episode_is_found_by_whom_and_what_it_names(life: Life) -> None:
    episodes = life.memory.episodes
    attributes = {"channel": "telephone", "amount": 1200, "urgent": True, "paid": False}
    await episodes.record_many(
        [
            NewEpisode(
                summary="answered a question about delivery",
                contact="Bertelli",
                outcome="rejected",
                attributes=attributes,
                tags=["fragile goods"],
            ),
            NewEpisode(summary="booked a room for the visit", contact="Quinn"),
        ]
    )
    await episodes.record("sent the price list", contact="ACME")
    with every_row() as row:
        for word in ("Bertelli", "rejected", "telephone", "channel", "urgent", "1200", "fragile"):
            with row(word):
                assert await found(life.memory, word) == ["answered a question about delivery"]
    assert await found(life.memory, "acme") == ["sent the price list"]
    assert await found(life.memory, "paid") == []


@requirement("recall.labels")
async def test_a_claim_is_found_by_its_topic_key_and_its_tags_in_any_language(life: Life) -> None:
    await life.memory.save(
        "Elle part toujours avant midi", topic_key="travel/departure", tags=["Zürich", "billing-api"]
    )
    await life.memory.save("Nothing of the kind")
    for asked in ("departure", "departures", "travel/departure", "zurich", "billing-api", "billings"):
        assert await found(life.memory, asked) == ["Elle part toujours avant midi"], asked


@requirement("recall.labels")
async def test_what_is_said_of_a_message_finds_it(life: Life) -> None:
    await life.memory.record(NewMessage(text="Let us meet there at nine", tags=["offsite"]))
    assert await found(life.memory, "offsite") == ["Let us meet there at nine"]


@requirement("recall.labels")
async def test_other_tags_are_searched_at_once_and_leave_the_vectors(life: Life) -> None:
    memory = life.memory
    saved = await memory.save("The lake is frozen", tags=["winter"])
    await memory.admin.index.embed()
    assert await memory.admin.index.missing() == 0
    await memory.edit(saved.record.id, tags=["january"])
    assert await found(memory, "january") == ["The lake is frozen"]
    assert not any(hit.factors["coverage"] for hit in (await memory.recall("winter", abstain=False)).hits)
    assert await memory.admin.index.missing() == 0
    assert await memory.admin.doctor() == []


@requirement("recall.labels")
async def test_labels_find_and_do_not_outweigh_what_was_said(wordy: World) -> None:
    said = await wordy.memory.save("The harbour of the harbour master")
    labelled = await wordy.memory.save("A quay in the north", tags=["harbour"])
    assert ids(await wordy.memory.recall("harbour")) == [said.record.id, labelled.record.id]


@requirement("recall.labels")
async def test_an_index_of_another_analyser_is_named_and_made_anew(wordy: World) -> None:
    saved = await wordy.memory.save("The lake is frozen", tags=["winter"])
    async with wordy.store.begin(wordy.memory.caller) as tx:
        await tx.upkeep.index(saved.record.id, terms_of(saved.record.text))
    await wordy.store.set_analyser("1, of former times")
    assert await found(wordy.memory, "winter") == []
    named = {one.finding.fault.value: one.finding.where for one in await wordy.memory.admin.doctor()}
    assert named["foreign-analyser"] == ("1, of former times",)
    await wordy.memory.admin.index.rebuild()
    assert await wordy.memory.admin.doctor() == []
    assert await wordy.store.analyser() == ANALYSER
    assert await found(wordy.memory, "winter") == ["The lake is frozen"]


@requirement("recall.parts")
async def test_a_part_of_a_word_finds_what_has_the_word(life: Life) -> None:
    made = await filled(life.memory)
    parts = {
        "pgvec": "vectors",
        "getUser": "call",
        "user": "call",
        "ECONN": "failure",
        "refused": "failure",
        "猫": "cat",
        "庭": "cat",
    }
    with every_row() as row:
        for part, about in parts.items():
            with row(part):
                assert (
                    ids(await life.memory.recall(RecallRequest(question=part, record_access=False)))[0] == made[about]
                )


@requirement("recall.parts")
async def test_a_name_of_code_is_looked_for_beside_words_that_are_found(wordy: World) -> None:
    made = await filled(wordy.memory)
    recalled = await wordy.memory.recall("why did ECONN come up at night?")
    assert ids(recalled)[0] == made["failure"]
    assert any("econn" in note for note in recalled.notes)


@requirement("recall.parts")
async def test_a_word_that_somebody_wrote_is_not_looked_for_in_others(wordy: World) -> None:
    await wordy.memory.save("The lever is stuck")
    await wordy.memory.save("A clever answer")
    recalled = await wordy.memory.recall("lever")
    assert (texts(recalled), recalled.notes) == (["The lever is stuck"], ())


@requirement("recall.parts", "recall.abstains")
@pytest.mark.parametrize("asked", ["qqzzx", "ov", "zzpgvec", "犬", "the moth corrodes a viaduct near an obelisk"])
async def test_what_stands_in_no_word_is_still_answered_by_abstaining(wordy: World, asked: str) -> None:
    await filled(wordy.memory)
    await wordy.memory.save("The mother of the bride was over there")
    recalled = await wordy.memory.recall(asked)
    assert (recalled.abstained, recalled.hits) == (True, ())


@requirement("recall.parts", "recall.explains")
async def test_explain_says_that_a_memory_was_found_by_a_part_of_a_word(wordy: World) -> None:
    made = await filled(wordy.memory)
    explained = await wordy.memory.explain("pgvec", made["vectors"])
    assert explained.stage == "recalled"
    assert "inside of other words: pgvec" in explained.reason
    assert "inside of other words" not in (await wordy.memory.explain("server", made["vectors"])).reason


@requirement("recall.parts", "scope.foreign-reads-absent")
async def test_other_scopes_words_are_in_no_answer(life: Life) -> None:
    stranger = life.of(replace(ANA, user="bob"))
    made = await filled(life.memory)
    before = await asked_of(life.memory)
    await stranger.save("pgvec is what bob calls it, and getUserByName, ECONNRESET, 猫")
    assert await asked_of(life.memory) == before
    assert set(ids(await stranger.recall("pgvec"))).isdisjoint(made.values())


@requirement("recall.parts", "clearance.absent")
async def test_closed_words_are_in_no_answer(life: Life) -> None:
    await filled(life.memory)
    open_to_all = life.memory.within(life.memory.scope, clearance="internal")
    before = await asked_of(open_to_all)
    await life.memory.save(
        NewObservation(text="pgvec is what she calls it, and getUserByName, ECONNRESET", classification="restricted")
    )
    assert await asked_of(open_to_all) == before


async def asked_of(memory: Memory) -> list[tuple[list[str], tuple[str, ...]]]:
    """What parts of words find."""
    every: list[RecallResult] = [
        await memory.recall(RecallRequest(question=part, record_access=False))
        for part in ("pgvec", "getUser", "ECONN", "猫")
    ]
    return [(ids(recalled), recalled.notes) for recalled in every]


@requirement("recall.parts", "time.as-of")
async def test_a_part_of_a_word_finds_what_once_had_the_word(wordy: World) -> None:
    saved = await wordy.memory.save("We keep vectors in pgvector", topic_key="store")
    then = wordy.clock.now()
    wordy.clock.move(DAY)
    await wordy.memory.save("We keep vectors in a file", topic_key="store")
    recalled = await wordy.memory.recall("pgvec", as_of=then)
    assert [(hit.record.id, hit.record.text) for hit in recalled.hits] == [
        (saved.record.id, "We keep vectors in pgvector")
    ]
    assert (await wordy.memory.recall("pgvec")).abstained


@requirement("recall.parts")
async def test_what_is_shared_is_found_by_parts_from_where_it_is_seen(life: Life) -> None:
    shared = life.of(Scope(tenant=ANA.tenant))
    await shared.save("We keep vectors in pgvector")
    assert await found(life.memory, "pgvec") == ["We keep vectors in pgvector"]
