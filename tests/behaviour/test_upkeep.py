"""Upkeep: the doctor, new indexes, new vectors, imports."""

from datetime import UTC, datetime, timedelta

import pytest

from remembrancer import InvalidInput, RecallRequest
from remembrancer.ingest.importers.turns import Turn
from remembrancer.ingest.turn_import import Imported
from remembrancer.language.analysis import analyser
from remembrancer.types.index import SpaceState
from remembrancer.types.jobs import StoreFault
from remembrancer.types.results import Outcome
from tests.finding import find

from .requirements import requirement
from .world import ALICE, BOB, DAY, World, holding, ids

pytestmark = pytest.mark.anyio
# Found on the disk, which no event loop is to wait for.
ANALYSER = analyser()


async def filled(world: World) -> list[str]:
    """A store with something of everything; the ids of its records."""
    memory = world.memory
    said = [(await memory.record(f"word {place} of the heron", session="talk")).record for place in range(3)]
    claim = (await memory.save("The heron nests", evidence=[said[0].id])).record
    gone = (await memory.save("Gone")).record
    await memory.delete(gone.id)
    await memory.edit(claim.id, "The heron nests in April")
    await world.of(BOB).save("Of no concern")
    return [*(record.id for record in said), claim.id]


async def faults(world: World, *, repair: bool = False) -> list[tuple[StoreFault, bool]]:
    return [(item.finding.fault, item.repaired) for item in await world.memory.admin.doctor(repair=repair)]


@requirement("upkeep.doctor-finds")
async def test_a_healthy_store_has_no_faults(world: World) -> None:
    await filled(world)

    assert await world.memory.admin.doctor() == []
    assert await world.memory.admin.doctor(repair=True) == []


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
@pytest.mark.parametrize("mend", ["reindex", "doctor"])
async def test_words_that_another_analyser_made_are_named_until_they_are_made_anew(world: World, mend: str) -> None:
    await filled(world)
    await world.store.set_analyser("0, another stemmer")

    (found,) = await world.memory.admin.doctor()
    assert (found.finding.fault, found.finding.where) == (StoreFault.FOREIGN_ANALYSER, ("0, another stemmer",))

    await (world.memory.admin.index.rebuild() if mend == "reindex" else world.memory.admin.doctor(repair=True))
    assert await faults(world) == []
    assert await world.store.analyser() == ANALYSER


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
@pytest.mark.parametrize(
    ("fault", "sql"),
    [
        (
            StoreFault.ORPHAN_VECTOR,
            "INSERT INTO vectors (scope, tenant, generation, document, vector)"
            " SELECT scope, tenant, generation, document + 999, vector FROM vectors LIMIT 1",
        ),
        (
            StoreFault.MISSING_INDEX_ROW,
            "DELETE FROM document_terms WHERE document = (SELECT MAX(document) FROM document_terms)",
        ),
        (StoreFault.MISSING_INDEX_ROW, "DELETE FROM document_terms"),
        (
            StoreFault.ORPHAN_INDEX_ROW,
            "INSERT INTO document_terms"
            " SELECT document + 999, scope, tenant, length, terms FROM document_terms LIMIT 1;"
            "UPDATE scopes SET documents = documents + 1, words = words + (SELECT length FROM document_terms LIMIT 1)"
            " WHERE id = (SELECT scope FROM document_terms LIMIT 1)",
        ),
        (StoreFault.MISSING_VECTOR, "DELETE FROM vectors WHERE sequence = 1"),
    ],
)
async def test_a_fault_that_needs_no_judgement_is_named_then_mended(world: World, fault: StoreFault, sql: str) -> None:
    made = await filled(world)
    before = await world.memory.recall(RecallRequest(question="heron", record_access=False))
    world.inject(sql)

    found = await world.memory.admin.doctor()
    assert {item.finding.fault for item in found} == {fault}
    assert all(item.advice and not item.repaired for item in found)
    assert set(await faults(world, repair=True)) == {(fault, True)}
    await world.memory.admin.index.embed()
    assert await world.memory.admin.doctor() == []
    assert await holding(world.memory, "heron") == set(made)
    assert await world.memory.recall(RecallRequest(question="heron", record_access=False)) == before


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
@pytest.mark.parametrize("sql", ["DELETE FROM postings", "DELETE FROM postings WHERE term = 'heron'"])
async def test_a_text_index_that_lost_its_terms_is_named_then_mended(world: World, sql: str) -> None:
    made = await filled(world)
    world.inject(sql)

    assert {fault for fault, _ in await faults(world)} & {StoreFault.MISSING_INDEX_ROW, StoreFault.DAMAGED_POSTINGS}
    await world.memory.admin.doctor(repair=True)
    assert await world.memory.admin.doctor() == []
    recalled = await world.memory.recall(RecallRequest(question="heron", retrievers=["lexical"], record_access=False))
    assert set(ids(recalled)) == set(made)


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
@pytest.mark.parametrize(
    ("fault", "sql", "named"),
    [
        (StoreFault.WRONG_HASH, "UPDATE records SET hash = 'wrong' WHERE id = ?", True),
        (StoreFault.BROKEN_EVIDENCE, "UPDATE evidence SET source = 'nowhere' WHERE id = ?", True),
        (StoreFault.NUMBER_GAP, "UPDATE sessions SET messages = messages + 1 WHERE id <> ?", False),
    ],
)
async def test_a_fault_that_needs_judgement_is_named_with_advice_and_left(
    world: World, fault: StoreFault, sql: str, named: bool
) -> None:
    claim = (await filled(world))[-1]
    world.inject(sql, claim)

    for mend in (False, True):
        found = await world.memory.admin.doctor(repair=mend)
        assert [(item.scope, item.finding.fault, item.repaired) for item in found] == [(ALICE, fault, False)]
        assert found[0].finding.where == ((claim,) if named else ("talk",))
        assert found[0].advice


@requirement("upkeep.doctor-finds")
async def test_a_text_that_was_changed_behind_our_back_is_named(world: World) -> None:
    claim = (await filled(world))[-1]
    world.inject("UPDATE records SET text = 'The heron sleeps' WHERE id = ?", claim)

    assert {fault for fault, _ in await faults(world)} == {StoreFault.WRONG_HASH, StoreFault.MISSING_INDEX_ROW}


@requirement("upkeep.doctor-finds")
async def test_a_number_that_is_missing_in_the_middle_is_named(world: World) -> None:
    await filled(world)
    world.inject("UPDATE records SET number = 7 WHERE number = 2")

    assert (StoreFault.NUMBER_GAP, False) in await faults(world)


@requirement("upkeep.doctor-finds", "upkeep.doctor-mends")
async def test_a_half_built_generation_is_named_then_dropped(world: World) -> None:
    await filled(world)
    world.inject(
        "INSERT INTO generations (name, model_version, dimension, random_cosine, random_spread, state)"
        " VALUES ('half', '1', 8, 0, 0.1, 'building')"
    )

    assert await faults(world) == [(StoreFault.HALF_BUILT_GENERATION, False)]
    assert await faults(world, repair=True) == [(StoreFault.HALF_BUILT_GENERATION, True)]
    assert await faults(world) == []
    assert [generation.state for generation in await world.store.generations()] == [SpaceState.ACTIVE]


@requirement("upkeep.reindex")
async def test_a_new_text_index_recalls_the_same(world: World) -> None:
    await filled(world)
    before = [
        await world.memory.recall(RecallRequest(question=question, record_access=False))
        for question in ("heron", "word 1", "April")
    ]
    held = world.read("SELECT scope, term, count FROM postings ORDER BY 1, 2, 3")

    assert await world.memory.admin.index.rebuild() == 5
    assert [
        await world.memory.recall(RecallRequest(question=question, record_access=False))
        for question in ("heron", "word 1", "April")
    ] == before
    assert world.read("SELECT scope, term, count FROM postings ORDER BY 1, 2, 3") == held
    assert await world.memory.admin.doctor() == []


@requirement("upkeep.reembed")
async def test_reembedding_in_the_same_space_recalls_the_same(world: World) -> None:
    await filled(world)
    before = await world.memory.recall(RecallRequest(question="heron", record_access=False))

    assert await world.memory.admin.index.reembed() == 5
    assert await world.memory.recall(RecallRequest(question="heron", record_access=False)) == before
    assert len(await world.store.generations()) == 1
    assert await world.memory.admin.doctor() == []


@requirement("upkeep.vectors-catch-up")
async def test_without_an_embedder_there_is_nothing_to_embed_with(wordy: World) -> None:
    await filled(wordy)

    for work in (wordy.memory.admin.index.embed, wordy.memory.admin.index.reembed, wordy.memory.admin.index.missing):
        with pytest.raises(InvalidInput, match="REMEMBRANCER_EMBEDDER"):
            await work()
    assert await wordy.memory.admin.doctor() == []


@requirement("upkeep.stats")
async def test_the_numbers_count_what_the_scope_sees(world: World) -> None:
    await filled(world)
    stats = await world.memory.admin.stats()

    assert stats.records == {"message/active": 3, "observation/active": 1, "observation/soft-deleted": 1}
    assert (stats.sessions, stats.unembedded, stats.embedder) == (1, 0, "hash 1")
    bobs = await world.of(BOB).admin.stats()
    assert (bobs.records, bobs.audit_entries) == ({"observation/active": 1}, 1)


SAID = datetime(2024, 3, 1, 12, tzinfo=UTC)


def chat(length: int) -> list[Turn]:
    """A conversation of two sittings."""
    return [
        Turn(
            conversation="letters",
            session="first" if place < 3 else "second",
            position=place,
            role="user" if place % 2 == 0 else "assistant",
            text=f"Turn {place} of the letters",
            speaker="Ann" if place % 2 == 0 else "Ben",
            occurred_at=SAID + place * timedelta(minutes=1),
        )
        for place in range(length)
    ]


@requirement("upkeep.import-once")
async def test_a_chat_imported_twice_is_there_once(world: World) -> None:
    assert await world.memory.messages.import_turns(chat(3)) == Imported(created=3, deduped=0)
    first = (await world.memory.list()).records
    assert await world.memory.messages.import_turns(chat(5)) == Imported(created=2, deduped=3)
    audited = (await world.memory.admin.stats()).audit_entries
    assert await world.memory.messages.import_turns(chat(5)) == Imported(created=0, deduped=5)

    records = (await world.memory.list()).records
    assert [record.text for record in records] == [f"Turn {place} of the letters" for place in (4, 3, 2, 1, 0)]
    assert records[2:] == first
    assert [getattr(record, "number", 0) for record in records] == [2, 1, 3, 2, 1]
    assert [record.occurred_at for record in records] == [turn.occurred_at for turn in chat(5)[::-1]]
    assert (await world.memory.admin.stats()).audit_entries == audited
    assert (await world.of(BOB).messages.import_turns(chat(5))).created == 5


@requirement("upkeep.import-once")
async def test_imported_sessions_stand_in_the_times_in_which_they_were_held(world: World) -> None:
    await world.memory.messages.import_turns(chat(5))
    times = [
        (session.id, session.status.value, session.started_at, session.last_activity_at)
        for session in await world.memory.sessions.list()
    ]

    minute = timedelta(minutes=1)
    assert times == [
        ("letters/second", "completed", SAID + 3 * minute, SAID + 4 * minute),
        ("letters/first", "completed", SAID, SAID + 2 * minute),
    ]


@requirement("upkeep.import-once", "time.delete-hides")
async def test_a_deleted_turn_does_not_come_back_with_the_next_import(world: World) -> None:
    await world.memory.messages.import_turns(chat(3))
    turn = (await world.memory.list()).records[0]
    await world.memory.delete(turn.id)

    assert (await world.memory.messages.import_turns(chat(3))).created == 0
    assert await find(world.memory, turn.id) is None


@requirement("upkeep.import-once", "recording.batch-is-whole")
async def test_a_turn_that_cannot_be_recorded_is_refused_with_its_whole_piece(world: World) -> None:
    for bad in (
        Turn(conversation="c", session="s", position=1, role="user", text="x" * 1_048_577),
        Turn(conversation="c", session="s", position=1, role="narrator", text="x"),
    ):
        with pytest.raises(InvalidInput):
            await world.memory.messages.import_turns(
                [Turn(conversation="c", session="s", position=0, role="user", text="x"), bad]
            )
    assert (await world.memory.admin.stats()).records == {}
    assert await world.memory.sessions.list() == []


@requirement("upkeep.import-once")
async def test_an_imported_turn_can_be_told_from_what_was_said_here(world: World) -> None:
    await world.memory.messages.import_turns(chat(1))
    turn = (await world.memory.list()).records[0]

    assert (turn.source.value, turn.author, turn.recorded_at) == ("import", "import", world.clock.now())
    assert turn.recorded_at - turn.occurred_at > DAY
    saved = await world.memory.save("Turn 0 of the letters")
    assert saved.outcome is Outcome.CREATED
