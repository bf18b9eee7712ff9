"""Entities and relations, read from the memories that name them."""

import math
import random
from datetime import UTC, datetime, timedelta

import pytest

from remembrancer import Changes, InvalidInput, Memory, NewMessage, NewObservation, NotFound, RecallRequest, Scope
from remembrancer.types.scope import Classification

from .opener import Opener
from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
ANA = Scope(user="ana")
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener(embedder="none")


async def said(memory: Memory, *texts: str, first: datetime = START) -> list[str]:
    """Ids of messages of Ana, one a month."""
    new = [
        NewMessage(text=text, speaker="Ana", session="s", occurred_at=first + timedelta(days=30 * number))
        for number, text in enumerate(texts)
    ]
    return [(await memory.record(one)).record.id for one in new]


async def known(memory: Memory, name: str, *, as_of: datetime | None = None) -> list[str]:
    """The relations of an entity in words; a former one in brackets."""
    page = await memory.graph.entity(name, as_of=as_of)
    words = [f"{one.subject} {one.predicate} {one.object}" for one in page.relations]
    return [f"({text})" if one.until else text for text, one in zip(words, page.relations, strict=True)]


@requirement("graph.names")
async def test_an_entity_has_one_page_by_each_of_its_names(memory: Memory) -> None:
    await memory.save("Marco Bertelli is the CFO at Acme.")
    await memory.save("Bertelli reports to Dora Ross.")
    for name in ("Marco Bertelli", "bertelli", "Marco", "marco.bertelli@example.org"):
        page = await memory.graph.entity(name)
        assert (page.name, page.type.value, page.memories) == ("marco bertelli", "person", 2), name
        assert await known(memory, name) == ["Marco Bertelli reports_to Dora Ross", "Marco Bertelli works_at Acme"]
    await memory.save("Luca Bertelli lives in Rome.")
    assert (await memory.graph.entity("Bertelli")).memories == 1, "two people have that name by now"
    assert (await memory.graph.entity("Marco Bertelli")).memories == 1
    with pytest.raises(NotFound, match="Nobody"):
        await memory.graph.entity("Nobody Known")


@requirement("graph.names")
async def test_entities_are_listed_by_a_part_of_their_name(memory: Memory) -> None:
    await memory.save("Marco Bertelli met Dora Ross.")
    await memory.save("Dora Ross lives in Rome.")
    assert [(one.name, one.memories) for one in await memory.graph.entities()] == [
        ("dora ross", 2), ("marco bertelli", 1), ("rome", 1)
    ]  # fmt: skip
    assert [one.name for one in await memory.graph.entities("ro")] == ["dora ross", "rome"]
    assert [one.name for one in await memory.graph.entities("%")] == []
    assert len(await memory.graph.entities(limit=1)) == 1


@requirement("graph.names")
async def test_a_speaker_is_an_entity_and_a_common_word_is_none(memory: Memory) -> None:
    await said(memory, "I work at Acme.", "The weather was fine.", "What a game! Games are fun, I like a game.")
    await memory.save("Game over.")
    assert [one.name for one in await memory.graph.entities()] == ["acme", "ana"]


@requirement("graph.relations")
async def test_a_newer_statement_ends_the_one_before_and_both_have_evidence(memory: Memory) -> None:
    ids = await said(memory, "I work at Acme.", "I love working at Acme, I work at Acme still.", "I joined Globex.")
    assert await known(memory, "Ana") == ["Ana works_at Globex", "(Ana works_at Acme)"]
    page = await memory.graph.entity("Ana")
    now, before = page.relations
    assert (now.since, now.until, now.evidence) == (START + timedelta(days=60), None, (ids[2],))
    assert (before.since, before.until) == (START, START + timedelta(days=60))
    assert before.evidence == (ids[0], ids[1])
    await said(memory, "I no longer work at Globex.", first=START + timedelta(days=90))
    assert await known(memory, "Ana") == ["(Ana works_at Globex)", "(Ana works_at Acme)"]


@requirement("graph.walls")
async def test_a_relation_is_seen_where_a_memory_of_it_is_and_ends_with_it(memory: Memory) -> None:
    ana, ben = memory.within(ANA), memory.within(Scope(user="ben"))
    secret = (await ana.save("Clara works at Acme.")).record
    with pytest.raises(NotFound):
        await ben.graph.entity("Clara")
    assert await ben.graph.entities() == []
    assert await known(ana, "Clara") == ["Clara works_at Acme"]
    await ana.governance.classify(secret.id, Classification.RESTRICTED.value, reason="a test")
    cleared = ana.within(ANA, clearance="internal")
    with pytest.raises(NotFound):
        await cleared.graph.entity("Clara")
    assert await cleared.graph.entities() == []
    await ana.save("Clara lives in Rome.")
    assert await known(cleared, "Clara") == ["Clara lives_in Rome"]
    assert (await cleared.graph.entity("Clara")).memories == 1
    await ana.feedback(secret.id, "wrong")
    assert await known(ana, "Clara") == ["Clara lives_in Rome"]
    await ana.feedback(secret.id, "undo")
    assert len(await known(ana, "Clara")) == 2
    await ana.governance.erasure.erase(memories=[secret.id], reason="a test")
    assert await known(ana, "Clara") == ["Clara lives_in Rome"]


@requirement("graph.walls")
async def test_what_an_assistant_says_relates_nothing(memory: Memory) -> None:
    await memory.record(NewMessage(text="Ana works at Acme.", role="assistant", session="s"))
    assert (await memory.graph.entity("Ana")).relations == ()


@requirement("graph.ways")
async def test_neighbours_and_ways_follow_valid_relations(memory: Memory) -> None:
    await said(memory, "I work at Acme.", "My sister Clara lives in Lisbon.", "I joined Globex.")
    await memory.save("Globex is located in Basel.")
    found = await memory.graph.neighbours("Clara", depth=3)
    assert found.distances == {"clara": 0, "lisbon": 1, "ana": 1, "globex": 2, "basel": 3}
    assert not found.is_cut
    near = await memory.graph.neighbours("Clara", depth=3, limit=3)
    assert (list(near.distances), near.is_cut) == (["clara", "lisbon", "ana"], True)
    way = await memory.graph.shortest_path("clara", "Basel")
    assert [f"{one.subject} {one.predicate} {one.object}" for one in way] == [
        "Clara sister_of Ana", "Ana works_at Globex", "Globex located_in Basel"
    ]  # fmt: skip
    assert await memory.graph.shortest_path("clara", "Basel", depth=2) == ()
    assert await memory.graph.shortest_path("Acme", "Basel") == (), "Ana has left"
    with pytest.raises(NotFound):
        await memory.graph.shortest_path("Clara", "Atlantis")


@requirement("graph.past")
@pytest.mark.parametrize(
    "number", [*range(10), *(pytest.param(more, marks=pytest.mark.slow) for more in range(10, 60))]
)
async def test_where_somebody_worked_at_a_date_as_it_was_known_at_another(opener: Opener, number: int) -> None:
    memory, chance = await opener(embedder="none"), random.Random(number)
    # What is known of each memory: since when, of which firm, and whether she left it then.
    known: list[tuple[datetime, list[tuple[datetime, str, bool]]]] = []
    state: dict[str, tuple[datetime, str, bool]] = {}
    firms = chance.sample(("Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark"), 6)
    # News comes late, and in any order.
    for day, firm in zip(chance.sample(range(300), 5), firms, strict=False):
        since, left = START + timedelta(days=day), chance.random() < 0.25 and bool(state)
        where = chance.choice(list(state.values()))[1] if left else firm
        # No text is said twice.
        text = f"Ana {'no longer works' if left else 'works'} at {where} in team {len(known)}."
        state[(await memory.save(NewObservation(text=text, occurred_at=since))).record.id] = (since, where, left)
        if chance.random() < 0.4:
            id = chance.choice(list(state))
            at, _, left = state[id]
            if chance.random() < 0.5:
                # A correction of what was said, at the date of what was said.
                where = f"{firms[5]}{len(known)}"
                text = f"Ana {'no longer works' if left else 'works'} at {where} in unit {len(known)}."
                await memory.edit(id, Changes(text=text, occurred_at=at))
                state[id] = (at, where, left)
            else:
                await memory.feedback(id, "wrong")
                del state[id]
        known.append((datetime.now(UTC), sorted(state.values())))
    for knowing, then in known:
        for day in chance.sample(range(-10, 320), 6):
            at = START + timedelta(days=day, hours=12)
            works_at: str | None = None
            for since, firm, left in then:
                if since <= at and not (left and firm != works_at):
                    works_at = None if left else firm
            found: list[str] = []
            if then:
                page = await memory.graph.entity("Ana", as_of=knowing, valid_at=at)
                found = [one.object for one in page.relations]
            assert found == ([works_at] if works_at else []), (number, knowing, at, then)


@requirement("graph.relations")
async def test_a_relation_begins_when_its_text_says(memory: Memory) -> None:
    new = NewObservation(text="Ana works at Acme since March 2024.", occurred_at=START)
    await memory.save(new)
    (relation,) = (await memory.graph.entity("Ana")).relations
    assert relation.since == datetime(2024, 3, 1, tzinfo=UTC)
    await memory.save(NewObservation(text="Ute lebt seit 2019 in Bern.", occurred_at=START))
    (relation,) = (await memory.graph.entity("Ute")).relations
    assert relation.since == datetime(2019, 1, 1, tzinfo=UTC)


@requirement("graph.relations")
async def test_kin_is_valid_before_it_is_stated_and_nobody_is_no_entity(memory: Memory) -> None:
    await said(memory, "My sister is Clara.", "Nobody lives in Rome.", "Nothing depends on Redis.")
    page = await memory.graph.entity("Ana", valid_at=START - timedelta(days=9_000))
    assert [(one.subject, one.predicate) for one in page.relations] == [("Clara", "sister_of")]
    assert len(await memory.graph.relations()) == 1


@requirement("graph.past")
async def test_the_graph_of_an_earlier_time_is_that_of_what_was_known(memory: Memory) -> None:
    saved = (await memory.save(NewObservation(text="Clara works at Acme."))).record
    then = datetime.now(UTC)
    await memory.edit(saved.id, "Clara works at Globex.")
    await memory.save("Clara lives in Rome.")
    assert sorted(await known(memory, "Clara")) == ["Clara lives_in Rome", "Clara works_at Globex"]
    assert await known(memory, "Clara", as_of=then) == ["Clara works_at Acme"]
    assert (await memory.graph.neighbours("Clara", as_of=then)).distances == {"clara": 0, "acme": 1}
    with pytest.raises(NotFound):
        await memory.graph.entity("Clara", as_of=saved.recorded_at - timedelta(days=1))


async def names(memory: Memory, name: str) -> dict[str, str]:
    """The other names of an entity, each with the reason."""
    return {one.name: one.reason.value for one in (await memory.graph.entity(name)).aliases}


@requirement("graph.aliases")
async def test_a_declared_nickname_leads_to_the_entity(memory: Memory) -> None:
    await memory.save("Luigi Bertelli, also known as Gigi, works at Acme.")
    await memory.save("Gigi lives in Rome.")
    assert sorted(await known(memory, "gigi")) == ["Luigi Bertelli lives_in Rome", "Luigi Bertelli works_at Acme"]
    assert await names(memory, "Luigi Bertelli") == {"gigi": "declared"}
    around = await memory.graph.neighbours("Acme")
    assert around.distances == {"acme": 0, "luigi bertelli": 1, "rome": 2}
    assert [one.value for one in around.types.values()] == ["organisation", "person", "place"]


@requirement("graph.aliases")
async def test_two_people_of_one_nickname_are_two_on_pages_and_in_lists(memory: Memory) -> None:
    await memory.save("Samuel Hill, also known as Sam, works at Acme.")
    await memory.save("Samantha Reed, also known as Sam, lives in Rome.")
    assert await known(memory, "Samuel Hill") == ["Samuel Hill works_at Acme"]
    listed = {(one.subject, one.object) for one in await memory.graph.relations()}
    assert listed == {("Samuel Hill", "Acme"), ("Samantha Reed", "Rome")}


@requirement("graph.aliases")
async def test_names_are_merged_and_split_by_one_call_each(memory: Memory) -> None:
    await memory.save("Bob Ross lives in Rome.")
    await memory.save("Roberto Rossi works at Acme.")
    with pytest.raises(NotFound):
        await memory.graph.merge("Bob Ross", "Nobody Known")
    with pytest.raises(InvalidInput, match="same name"):
        await memory.graph.merge("Bob Ross", "bob ross")
    then = datetime.now(UTC)
    merged = (await memory.graph.merge("Bob Ross", "Roberto Rossi", reason="He says so.")).record
    assert merged.text == "Bob Ross and Roberto Rossi are the same. Reason: He says so."
    page = await memory.graph.entity("Bob Ross")
    assert [(one.name, one.reason.value, one.evidence) for one in page.aliases] == [("bob ross", "declared", merged.id)]
    assert len(page.relations) == 2
    assert len((await memory.graph.entity("Bob Ross", as_of=then)).relations) == 1
    split = (await memory.graph.split("Bob Ross", "Roberto Rossi")).record
    assert (split.id, split.revision) == (merged.id, 2), "one log of both"
    assert await known(memory, "Bob Ross") == ["Bob Ross lives_in Rome"]
    await memory.graph.merge("Bob Ross", "Roberto Rossi")
    await memory.delete(merged.id)
    assert await known(memory, "Bob Ross") == ["Bob Ross lives_in Rome"]


@requirement("graph.aliases")
async def test_a_split_leaves_the_other_names_and_a_list_has_merges(memory: Memory) -> None:
    await memory.save("Karl Weber works at Acme.")
    await memory.save("Karl lives in Rome.")
    await memory.save("Ute lives in Oslo.")
    await memory.graph.merge("Ute", "Karl Weber")
    listed = {(one.subject, one.object) for one in await memory.graph.relations()}
    assert ("Karl Weber", "Oslo") in listed
    await memory.graph.split("Ute", "Karl Weber")
    assert await names(memory, "Karl Weber") == {"karl": "part-of-name"}
    other = (await memory.save("Anna Weber works at Acme.")).record
    await memory.save("Anna Weber works at Globex.")
    await memory.graph.split("Anna Weber", "Anna Weber the second", memories=[other.id])
    valid = {one.subject for one in await memory.graph.relations() if one.until is None}
    assert {"Anna Weber", "Anna Weber the second"} <= valid


@requirement("graph.aliases")
async def test_what_is_written_alike_is_apart_once_it_is_split(memory: Memory) -> None:
    await memory.save("Marco Bertelli works at Acme.")
    await memory.save("Bertelli reports to Dora Ross.")
    assert len(await known(memory, "Bertelli")) == 2
    await memory.graph.split("Bertelli", "Marco Bertelli")
    assert await known(memory, "Bertelli") == ["Bertelli reports_to Dora Ross"]
    assert await known(memory, "Marco Bertelli") == ["Marco Bertelli works_at Acme"]


@requirement("graph.aliases")
async def test_two_people_of_one_name_are_told_apart_by_their_memories(memory: Memory) -> None:
    await memory.save("Anna Weber works at Acme.")
    other = (await memory.save("Anna Weber lives in Bonn.")).record
    with pytest.raises(NotFound):
        await memory.graph.split("Anna Weber", "Anna Weber the dentist", memories=["unknown"])
    said = (await memory.graph.split("Anna Weber", "Anna Weber the dentist", memories=[other.id])).record
    assert await known(memory, "Anna Weber") == ["Anna Weber works_at Acme"]
    assert await known(memory, "Anna Weber the dentist") == ["Anna Weber the dentist lives_in Bonn"]
    await memory.delete(said.id)
    assert len(await known(memory, "Anna Weber")) == 2


@requirement("graph.aliases")
async def test_a_place_is_not_taken_for_a_part_of_a_person(memory: Memory) -> None:
    await memory.save("Paris Hilton said that she is tired.")
    await memory.save("We stayed in Paris.")
    await memory.save("Jordan Peele lives in Jordan.")
    assert await names(memory, "Paris") == {}
    assert await names(memory, "Paris Hilton") == {}
    assert await names(memory, "Jordan") == {}


@requirement("graph.aliases")
async def test_legal_forms_accents_and_addresses_lead_to_one_entity(memory: Memory) -> None:
    await memory.save("Clara works at Acme GmbH.")
    await memory.save("Acme is located in Bonn.")
    await memory.save("José García lives in Lima.")
    await memory.save("Jose Garcia works at Globex.")
    await memory.save("Dora Ross <d.ross@example.org> lives in Rome.")
    assert await names(memory, "Acme") == {"acme": "legal-form"}
    assert len(await known(memory, "Jose Garcia")) == len(await known(memory, "José García")) == 2
    assert await known(memory, "d.ross@example.org") == ["Dora Ross lives_in Rome"]


@requirement("graph.aliases")
async def test_two_names_with_an_and_are_no_third_person(memory: Memory) -> None:
    await memory.save("Ana Weber works at Acme.")
    await memory.save("Ana lives in Rome.")
    await memory.save("Dana and Ana met at noon.")
    assert await names(memory, "Ana") == {"ana": "part-of-name"}


@requirement("graph.aliases")
async def test_an_address_beside_a_name_is_on_the_page_of_the_person(memory: Memory) -> None:
    await memory.save("Marco Bertelli, our plumber, has the address marco@bertelli.it")
    for name in ("Marco Bertelli", "marco@bertelli.it"):
        page = await memory.graph.entity(name)
        assert (page.name, page.type.value) == ("marco bertelli", "person")
        assert [one.name for one in page.aliases] == ["marco@bertelli.it"]


@requirement("graph.aliases")
async def test_a_title_is_one_entity_with_and_without_its_article(memory: Memory) -> None:
    await memory.save("The Golden Calf (1930 film): The Golden Calf is a film directed by Millard Webb.")
    assert await known(memory, "The Golden Calf") == ["The Golden Calf made_by Millard Webb"]
    assert await known(memory, "Golden Calf") == ["The Golden Calf made_by Millard Webb"]


@requirement("graph.names")
async def test_whom_others_address_is_a_person(memory: Memory) -> None:
    await said(memory, "Thanks, Caroline! The support group was great.", "I agree.")
    assert (await memory.graph.entity("Caroline")).type.value == "person"


@requirement("graph.relations")
async def test_a_relation_is_declared_and_ended(memory: Memory) -> None:
    saved = (await memory.graph.relate("Billing", "runs on", "PostgreSQL", since=START)).record
    assert saved.text == "Billing runs on PostgreSQL."
    assert await known(memory, "postgresql") == ["Billing runs_on PostgreSQL"]
    await memory.graph.relate("Billing", "runs_on", "PostgreSQL", ended=True, since=START + timedelta(days=9))
    assert await known(memory, "Billing") == ["(Billing runs_on PostgreSQL)"]
    await memory.graph.relate("Billing", "budget", "40", is_value=True)
    assert (await memory.graph.neighbours("Billing")).distances == {"billing": 0}
    with pytest.raises(InvalidInput, match="predicate"):
        await memory.graph.relate("Billing", " ", "PostgreSQL")


@requirement("graph.relations")
async def test_incomplete_declarations_relate_nothing(memory: Memory) -> None:
    for entry in ("Ana", [1, {"subject": "Ana"}, {"subject": "Ana", "predicate": 1, "object": "B"}], {"a": 1}):
        await memory.save(NewObservation(text=f"Ana is here: {entry!r}.", metadata={"relations": entry}))
    assert (await memory.graph.entity("Ana")).relations == ()


@requirement("graph.changes")
async def test_what_changed_about_an_entity_in_a_period(memory: Memory) -> None:
    await said(memory, "I work at Acme.", "I live in Rome.", "I joined Globex.")
    found = await memory.graph.changes("Ana", START + timedelta(days=50), until=START + timedelta(days=70))
    assert [(one.predicate, one.object, one.until is None) for one in found] == [
        ("works_at", "Globex", True), ("works_at", "Acme", False)
    ]  # fmt: skip
    assert len(await memory.graph.changes("Ana", START)) == 3, "all were learnt since"
    assert [one.object for one in await memory.graph.relations()] == ["Globex", "Rome", "Acme"]
    valid = await memory.graph.relations(valid_at=START + timedelta(days=40))
    assert [one.object for one in valid] == ["Rome", "Acme"]
    at = await memory.graph.entity("Ana", valid_at=START + timedelta(days=40))
    assert [one.object for one in at.relations] == ["Rome", "Acme"]
    near = await memory.graph.neighbours("Ana", valid_at=START + timedelta(days=10))
    assert near.distances == {"ana": 0, "acme": 1}


@requirement("graph.centrality")
async def test_a_memory_whose_names_many_others_have_scores_higher_at_night(opener: Opener) -> None:
    memory = await opener(embedder="none")
    central = (await memory.save("Dora Ross leads the project.")).record
    alone = (await memory.save("Vera Kron was here.")).record
    none = (await memory.save("the sky was grey")).record
    for number in range(9):
        await memory.save(f"Dora Ross called about the offer {number}.")
    await memory.admin.maintenance.run()
    scores = [(await memory.scores.get(one.id)).score or 0.0 for one in (central, alone, none)]
    assert scores[0] == pytest.approx(scores[1] + 0.15 * math.log10(10) / math.log10(101), abs=0.002)
    assert scores[1] == pytest.approx(scores[2], abs=0.002)


@requirement("graph.centrality", "graph.walls")
async def test_the_score_of_a_memory_counts_no_memories_of_a_higher_class(opener: Opener) -> None:
    memory = await opener(embedder="none")
    open_one = (await memory.save("Dora Ross leads the project.")).record
    other = (await memory.save("Vera Kron was here.")).record
    for number in range(9):
        text = f"Dora Ross called about the offer {number}."
        await memory.save(NewObservation(text=text, classification="restricted"))
    assert (await memory.admin.maintenance.run()).failures == ()
    scores = [(await memory.scores.get(one.id)).score for one in (open_one, other)]
    assert scores[0] == pytest.approx(scores[1], abs=0.002)
    assert scores[0] is not None


@requirement("graph.relations")
async def test_recall_marks_a_statement_whose_relation_has_another_object_by_now(memory: Memory) -> None:
    old, new = await said(memory, "I work at Acme.", "I joined Globex last week.")
    hits = (await memory.recall(RecallRequest(question="Where does Ana work? Acme or Globex?", abstain=False))).hits
    marked = {hit.id: hit.replaced for hit in hits}
    found = marked[old]
    assert found is not None
    assert (found.newer, found.value) == (new, "Globex")
    assert marked[new] is None
