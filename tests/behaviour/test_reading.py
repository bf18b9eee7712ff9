"""Reading: sizes of a memory, its history, topic keys, types of a deployment, and lists; on either store."""

from dataclasses import asdict, replace

import pytest

from remembrancer import Changes, Filter, InvalidInput, NewEpisode, NewMessage, NewObservation, NotFound, Scope
from remembrancer.types.results import Outcome, Size, record_json
from remembrancer.types.text import estimate, hash_of
from tests.finding import find
from tests.learning import ANA, DAY, Life
from tests.rows import each_row

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

TEXT = "The heron nests under the harbour bridge"


@requirement("reading.sizes")
async def test_lists_searches_and_starts_tell_no_hash_and_get_does(life: Life) -> None:
    memory = life.memory
    saved = await memory.save(TEXT)
    await memory.sessions.start("talk")
    await memory.sessions.summarise("talk", "On herons")
    started = await memory.sessions.start()
    told = [
        *(await memory.list()).records,
        *(hit.record for hit in (await memory.recall("heron")).hits),
        *(hit.record for hit in (await memory.recall("quartz heron basalt granite")).nearest),
        *started.memories,
        *started.summaries,
    ]
    assert {record.hash for record in told} == {""}
    assert len(told) >= 5
    assert (await memory.get(saved.id)).hash == hash_of(TEXT)


@requirement("reading.sizes")
async def test_no_list_of_any_door_tells_a_hash(life: Life) -> None:
    memory = life.memory
    before = life.clock.now() - DAY
    await memory.facts.set("birds", "herons")
    await memory.rules.add("Count the herons.")
    await memory.episodes.record("counted herons")
    said = (await memory.record("A heron came by", session="talk")).record
    await memory.record("And another", session="talk")
    around = await memory.timeline.around(said.id)
    told = [
        *await memory.facts.list(),
        *await memory.facts.history("birds"),
        *await memory.rules.list(),
        *await memory.episodes.list(),
        *(await memory.timeline.between()).records,
        around.record,
        *around.after,
    ]
    learnt = (await memory.timeline.diff(before, life.clock.now())).learnt
    assert {record.hash for record in (*told, *learnt)} == {""}
    assert (len(told), bool(learnt)) == (11, True)
    assert (await memory.facts.get("birds")).hash


@requirement("reading.sizes")
async def test_a_memory_in_short_is_about_a_hundred_tokens_and_has_its_score(life: Life) -> None:
    memory = life.memory
    saved = await memory.save("heron " * 200, title="On herons", topic_key="herons", type="decision")
    (hit,) = (await memory.recall("heron")).hits
    short = hit.compact
    assert (short.id, short.type, short.title, short.topic_key) == (saved.id, "decision", "On herons", "herons")
    assert (short.score, short.updated_at) == (hit.score, saved.record.updated_at)
    assert hit.id == saved.id
    assert estimate(str(asdict(short))) < 200
    assert (await memory.list()).compact == (replace(short, score=None),)
    assert (await memory.sessions.start()).compact == (replace(short, score=None),)


@requirement("reading.sizes")
async def test_the_sizes_hold_one_another(life: Life) -> None:
    record = (await life.memory.save(TEXT, tags=["bird"])).record
    compact, full, public = (record_json(record, size) for size in (Size.COMPACT, Size.FULL, Size.PUBLIC))
    assert compact.items() <= full.items()
    assert dict(public) == {name: value for name, value in full.items() if name != "hash"}
    assert (full["hash"], "text" in compact) == (record.hash, False)
    assert record_json(record) == compact
    with pytest.raises(InvalidInput, match="compact"):
        record_json(record, "huge")


@requirement("reading.by-topic-key")
async def test_what_stands_under_a_topic_key_is_read_and_deleted_by_it(life: Life) -> None:
    memory = life.memory
    saved = await memory.save(TEXT, topic_key="herons")
    assert (await memory.get(topic_key="herons")) == saved.record
    assert (await find(memory, topic_key="otters")) is None
    await memory.delete(topic_key="herons")
    assert await find(memory, topic_key="herons") is None
    with pytest.raises(NotFound, match="topic key 'herons'"):
        await memory.get(topic_key="herons")
    await memory.restore(saved.id)
    assert (await memory.get(topic_key="herons")).id == saved.id
    for id, key in ((None, None), (saved.id, "herons")):
        with pytest.raises(InvalidInput, match="either by id or by topic_key"):
            await memory.get(id, topic_key=key)


@requirement("reading.by-topic-key")
async def test_of_several_scopes_the_nearest_one_answers_to_a_topic_key(life: Life) -> None:
    shared = life.of(Scope(tenant=ANA.tenant))
    wide = await shared.save("Everybody's", topic_key="herons")
    assert (await life.memory.get(topic_key="herons")).id == wide.id
    own = await life.memory.save("Ana's own", topic_key="herons")
    await shared.save("Everybody's, once more", topic_key="herons")
    assert (await life.memory.get(topic_key="herons")).id == own.id
    assert (await shared.get(topic_key="herons")).id == wide.id


@requirement("reading.by-topic-key", "time.as-of")
async def test_a_topic_key_is_read_as_of_a_time(life: Life) -> None:
    await life.memory.save("First", topic_key="herons")
    then = life.clock.now()
    life.clock.move(DAY)
    await life.memory.save("Second", topic_key="herons")
    assert (await life.memory.get(topic_key="herons", as_of=then)).text == "First"


@requirement("reading.history")
async def test_a_history_has_every_version_with_who_said_it_and_when(life: Life) -> None:
    memory = life.memory
    saved = await memory.save(NewObservation(text="First", topic_key="herons", author="ana", source="user"))
    life.clock.move(DAY)
    await memory.save(NewObservation(text="Second", topic_key="herons", author="scribe"))
    life.clock.move(DAY)
    await memory.edit(saved.id, Changes(tags=["bird"], author="bob"))
    versions = await memory.timeline.history(saved.id)
    assert [one.record.text for one in versions] == ["First", "Second", "Second"]
    assert [(one.record.author, one.record.source) for one in versions][:2] == [("ana", "user"), ("scribe", "tool")]
    assert [one.record.revision for one in versions] == [1, 2, 3]
    assert [one.until for one in versions] == [*(one.since for one in versions[1:]), None]
    assert versions[-1].record == await memory.get(saved.id)
    assert list(await memory.timeline.history(topic_key="herons")) == list(versions)


@requirement("reading.history", "time.delete-hides")
async def test_what_is_deleted_or_another_s_has_no_history(life: Life) -> None:
    saved = await life.memory.save(TEXT)
    with pytest.raises(NotFound):
        await life.of(replace(ANA, user="bob")).timeline.history(saved.id)
    await life.memory.delete(saved.id)
    with pytest.raises(NotFound):
        await life.memory.timeline.history(saved.id)
    await life.memory.restore(saved.id)
    statuses = [one.record.status.value for one in await life.memory.timeline.history(saved.id)]
    assert statuses == ["active", "soft-deleted", "active"]


@requirement("reading.types")
async def test_a_deployment_has_types_of_its_own_with_their_priority(opener: Opener) -> None:
    memory = await opener(observation_types={"incident": 1.0, "profile": 0.1})
    await memory.save("Ana lives in Lisbon", type="profile")
    saved = await memory.save("The pump failed", type="incident")
    await memory.edit(saved.id, title="Pump")
    assert [one.type for one in (await memory.list(Filter(types=["incident"]))).compact] == ["incident"]
    assert (await memory.sessions.start()).compact[0].type == "incident"
    with pytest.raises(InvalidInput, match=r"unknown observation type 'rumour'; use one of .*discovery, incident"):
        await memory.save("They say", type="rumour")


@requirement("reading.types")
@each_row("types", [{"summary": 0.5}, {"": 0.5}, {"incident": 1.5}, {"incident": "high"}, ["incident"]])
async def test_types_that_cannot_be_are_refused_by_the_name_of_the_setting(opener: Opener, types: object) -> None:
    with pytest.raises(InvalidInput, match="observation_types"):
        await opener(observation_types=types)


@requirement("recording.class-may-rise")
async def test_every_way_of_writing_takes_a_classification(life: Life) -> None:
    memory = life.memory
    written = [
        (await memory.conversation("talk").add(NewMessage(text="Hello", classification="restricted"))).record,
        (await memory.facts.set("gate", "4711", classification="restricted")).record,
        (await memory.episodes.record(NewEpisode(summary="sent a mail", classification="restricted"))).record,
        await memory.rules.add("Never name the code.", classification="restricted"),
    ]
    assert {record.classification.value for record in written} == {"restricted"}
    narrow = memory.within(memory.scope, clearance="internal")
    assert [await find(narrow, record.id) for record in written] == [None] * 4


@requirement("scope.list-live")
async def test_a_list_has_what_is_live_of_every_kind_newest_said_or_done_first(life: Life) -> None:
    memory, now = life.memory, life.clock.now()
    await memory.save(NewObservation(text="Said last week, known last", occurred_at=now - 7 * DAY))
    await memory.episodes.record("sent a mail", contact="Bertelli")
    told = (await memory.list()).records
    assert [record.text for record in told] == ["sent a mail", "Said last week, known last"]
    assert [record.text for record in (await memory.list(Filter(kinds=["episode"]))).records] == ["sent a mail"]
    assert [record.text for record in (await memory.list(Filter(until=now - DAY))).records] == [
        "Said last week, known last"
    ]
    assert (await memory.list(Filter(kinds=["episode"], statuses=["active"]))).records == ()


@requirement("reading.sizes")
async def test_what_a_write_gives_has_the_id(life: Life) -> None:
    saved = await life.memory.save(TEXT)
    assert (saved.id, saved.outcome) == (saved.record.id, Outcome.CREATED)
    assert (await life.memory.record(TEXT)).id != saved.id
