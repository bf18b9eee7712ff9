"""Exports, reports and archives as people use them: what leaves, what comes, and what does not come back."""

import csv
import io
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from remembrancer import (
    AuditFilter,
    Conflict,
    Filter,
    InvalidInput,
    Memory,
    NewMessage,
    NewObservation,
    NotAllowed,
    NotFound,
    Scope,
    open_memory,
)
from remembrancer.types.lifecycle import Status

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
ADA = Scope(agent="mail", user="ada")
BOB = Scope(agent="mail", user="bob")
PASSPHRASE = "correct horse battery"


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    """One machine's memory, in either store."""
    return await opener()


@pytest.fixture
async def other(tmp_path: Path) -> AsyncIterator[Memory]:
    """Another machine's."""
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(open_memory(tmp_path / "other.db", embedder="none", background=False))


async def text_of(pieces: AsyncGenerator[str, None]) -> str:
    """All of a stream."""
    return "".join([piece async for piece in pieces])


class Shuttle:
    """Brings all of one memory into another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made = 0

    async def __call__(self, source: Memory, target: Memory) -> dict[str, object]:
        self._made += 1
        file = self._folder / f"{self._made}.archive"
        await source.governance.archives.create(file, passphrase=PASSPHRASE)
        taken = await target.governance.archives.import_archive(file, passphrase=PASSPHRASE, reason="to share")
        told: dict[str, object] = {
            "created": taken.created, "updated": taken.updated, "same": taken.same, "older": taken.older,
        }  # fmt: skip
        return {name: count for name, count in {**told, **taken.conflict_counts}.items() if count}


@pytest.fixture
def brought(tmp_path: Path) -> Shuttle:
    """Brings all of one memory into another."""
    return Shuttle(tmp_path)


async def texts(memory: Memory) -> list[str]:
    """What is live in a scope, sorted."""
    return sorted(record.text for record in (await memory.list(limit=1_000)).records)


async def sound(memory: Memory) -> None:
    """Nothing, where the doctor finds nothing."""
    assert await memory.admin.doctor() == []


# Sharing


@requirement("archives.shared")
async def test_two_machines_share_an_agents_memory_both_ways(memory: Memory, other: Memory, brought: Shuttle) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    said = await one.record("I moved to Lisbon", session="a", speaker="Ada")
    await one.save("Ada lives in Lisbon", topic_key="home", evidence=[said.record.id])
    await one.record("It rains", session="a")
    assert await brought(memory, other) == {"created": 3}
    assert await texts(two) == await texts(one)
    assert (await two.recall("Where does Ada live?", abstain=False)).hits[0].record.text == "Ada lives in Lisbon"
    await two.record("It stopped", session="a")
    edited = await two.save("Ada lives in Porto", topic_key="home")
    assert edited.record.revision == 2
    assert await brought(other, memory) == {"created": 1, "updated": 1, "same": 2}
    assert await texts(one) == await texts(two)
    assert [version.record.text for version in await one.timeline.history(topic_key="home")] == [
        "Ada lives in Lisbon",
        "Ada lives in Porto",
    ]
    assert [session.messages for session in await one.sessions.list()] == [3]
    # And what is newer here stays, however often the old archive comes.
    assert await brought(memory, other) == {"same": 4}
    await sound(memory)
    await sound(other)


@requirement("archives.shared")
async def test_what_both_sides_changed_is_listed_the_later_stands_and_the_other_is_kept(
    memory: Memory, other: Memory, brought: Shuttle
) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    await one.save("The office closes at five", topic_key="office")
    await brought(memory, other)
    await one.save("The office closes at six", topic_key="office")
    await two.save("The office closes at seven", topic_key="office")
    assert await brought(other, memory) == {"updated": 1, "differs": 1}
    told = [version.record.text for version in await one.timeline.history(topic_key="office")]
    assert told == ["The office closes at five", "The office closes at six", "The office closes at seven"]
    assert await texts(one) == ["The office closes at seven"]
    await sound(memory)


@requirement("archives.shared")
async def test_two_memories_under_one_key_become_one(memory: Memory, other: Memory, brought: Shuttle) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    await one.save("The code is in the drawer", topic_key="code")
    await two.save("The code is in the safe", topic_key="code")
    assert await brought(other, memory) == {"created": 1, "differs": 1}
    assert await texts(one) == ["The code is in the safe"]
    assert (await one.get(topic_key="code")).text == "The code is in the safe"
    assert await brought(memory, other) == {"created": 1, "same": 1}
    assert await texts(two) == ["The code is in the safe"]
    await sound(memory)


@requirement("archives.shared")
async def test_a_conversation_that_went_on_on_both_sides_keeps_every_message(
    memory: Memory, other: Memory, brought: Shuttle
) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    await one.record("Good morning", session="a")
    await brought(memory, other)
    for text in ("Here 1", "Here 2"):
        await one.record(text, session="a")
    for text in ("There 1", "There 2", "There 3"):
        await two.record(text, session="a")
    assert await brought(other, memory) == {"created": 3, "same": 1, "renumbered": 3}
    assert await texts(one) == sorted(["Good morning", "Here 1", "Here 2", "There 1", "There 2", "There 3"])
    numbers = [getattr(record, "number", 0) for record in (await one.list(limit=100)).records]
    assert sorted(numbers) == [1, 2, 3, 4, 5, 6]
    await one.record("Later", session="a")
    assert (await one.sessions.list())[0].messages == 7
    await sound(memory)


@requirement("archives.shared")
async def test_an_unnamed_session_that_is_open_on_both_sides_does_not_collide(
    memory: Memory, other: Memory, brought: Shuttle
) -> None:
    await memory.within(ADA).record("Here")
    await other.within(ADA).record("There")
    assert await brought(other, memory) == {"created": 1}
    assert await texts(memory.within(ADA)) == ["Here", "There"]
    await memory.within(ADA).record("Here again")
    await sound(memory)


# What does not come back


@requirement("archives.not-again")
async def test_what_was_erased_does_not_come_back_nor_what_rests_on_it(
    memory: Memory, other: Memory, brought: Shuttle
) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    said = await one.record("My pin is a secret word", session="a")
    saved = await one.save("Ada keeps a secret word", evidence=[said.record.id])
    await one.save("Ada likes tea")
    await brought(memory, other)
    # What the other side drew from it, this one never saw.
    await two.save("Ada has secrets", evidence=[said.record.id])
    await one.governance.erasure.erase(memories=[said.record.id], reason="a test")
    # What a person has saved stands by itself, here and as it comes; what comes now rests on what may not be here.
    assert await texts(one) == ["Ada keeps a secret word", "Ada likes tea"]
    assert await brought(other, memory) == {"same": 2, "erased": 2}
    assert await texts(one) == ["Ada keeps a secret word", "Ada likes tea"]
    assert (await one.get(saved.record.id)).evidence == ()
    await memory.governance.erasure.erase(user="ada", reason="she asked for it")
    assert await brought(other, memory) == {"erased": 4}
    assert await texts(one) == []
    # Nor do sessions, logs and what was shown in them, by whose names somebody is known.
    assert await one.sessions.list() == []
    await two.record("A new start", session="b")
    assert await brought(other, memory) == {"created": 1, "erased": 4}
    assert [session.id for session in await one.sessions.list()] == ["b"]
    await sound(memory)


@requirement("archives.not-again")
async def test_what_people_have_said_is_wrong_does_not_come_back(
    memory: Memory, other: Memory, brought: Shuttle
) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    saved = await one.save("Ada hates tea")
    await brought(memory, other)
    await two.save("Ada hates tea!", topic_key="tea")
    await one.feedback(saved.record.id, "wrong", person="Ada")
    told = await brought(other, memory)
    assert told["rejected"] == 1
    assert await texts(one) == []
    # And the other side learns that it is wrong.
    await brought(memory, other)
    assert "Ada hates tea" not in await texts(two)
    with pytest.raises(NotAllowed):
        await two.save("ada hates tea.")


@requirement("archives.not-again")
async def test_what_is_here_stays_where_what_it_came_to_rest_on_elsewhere_may_not_come(
    memory: Memory, other: Memory, brought: Shuttle
) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    kept = await one.save(NewObservation(text="Ada drinks a lot", topic_key="drinks", occurred_at=begun))
    wrong = await one.save("Ada hates tea")
    await brought(memory, other)
    await one.feedback(wrong.record.id, "wrong", person="Ada")
    said = await two.save("Ada hates tea!", topic_key="tea")
    await two.save(
        NewObservation(text="Ada drinks coffee", topic_key="drinks", evidence=[said.record.id], occurred_at=begun)
    )
    assert await brought(other, memory) == {"updated": 1, "older": 1, "rejected": 1}
    assert await texts(one) == ["Ada drinks coffee"]
    assert (await one.get(kept.record.id)).evidence == ()
    await sound(memory)


@requirement("archives.not-again")
async def test_a_legal_hold_keeps_what_was_deleted_elsewhere(memory: Memory, other: Memory, brought: Shuttle) -> None:
    one, two = memory.within(ADA), other.within(ADA)
    saved = await one.save("The contract was signed")
    await brought(memory, other)
    await one.governance.holds.place("case 7", reason="a claim was filed")
    await two.delete(saved.record.id)
    assert await brought(other, memory) == {"legal-hold": 1}
    assert await texts(one) == ["The contract was signed"]


@requirement("archives.bounds")
async def test_an_archive_goes_nowhere_but_into_its_scopes(memory: Memory, other: Memory, tmp_path: Path) -> None:
    await memory.within(ADA).save("Ada likes tea")
    await memory.within(BOB).save("Bob likes wine")
    file = tmp_path / "all"
    made = await memory.governance.archives.create(file, passphrase=PASSPHRASE)
    assert {scope.user for scope in made.scopes} >= {"ada", "bob"}
    with pytest.raises(InvalidInput, match="outside"):
        await other.within(ADA).governance.archives.import_archive(file, passphrase=PASSPHRASE, reason="mine")
    assert await texts(other.within(BOB)) == []
    of_ada = await memory.within(ADA).governance.archives.create(tmp_path / "ada", passphrase=PASSPHRASE)
    assert of_ada.scopes == (Scope(agent="mail", user="ada"),)
    with pytest.raises(Conflict, match="exists; use another path"):
        await memory.governance.archives.create(file, passphrase=PASSPHRASE)
    with pytest.raises(NotFound):
        await memory.within(Scope(user="nobody")).governance.archives.create(tmp_path / "none", passphrase=PASSPHRASE)
    with pytest.raises(InvalidInput, match="8 characters"):
        await memory.governance.archives.create(tmp_path / "none", passphrase="short")
    assert [name for name in os.listdir(tmp_path) if "none" in name] == []


@requirement("archives.bounds")
async def test_an_id_that_another_scope_has_does_not_come(memory: Memory, other: Memory, brought: Shuttle) -> None:
    saved = await memory.within(ADA).save("Ada likes tea")
    await brought(memory, other)
    await memory.governance.erasure.erase(user="ada", reason="she asked for it")
    assert await texts(memory) == []
    # Another tenant's ids are nobody's business.
    assert (await other.within(ADA).get(saved.record.id)).text == "Ada likes tea"


@requirement("archives.bounds")
async def test_whoever_does_not_see_all_makes_and_takes_no_archive(memory: Memory, tmp_path: Path) -> None:
    await memory.save("Everybody knows")
    narrow = memory.within(memory.scope, clearance="internal")
    for refused in (
        narrow.governance.archives.create(tmp_path / "none", passphrase=PASSPHRASE),
        narrow.governance.archives.import_archive(tmp_path / "none", passphrase=PASSPHRASE, reason="to see"),
        text_of(narrow.governance.archives.report("ada")),
    ):
        with pytest.raises(NotAllowed):
            await refused
    assert not (tmp_path / "none").exists()


# Exports


@requirement("archives.exported")
async def test_every_form_tells_the_same_memories_and_none_that_is_closed(memory: Memory) -> None:
    ada = memory.within(ADA)
    said = await ada.record(NewMessage(text="=SUM(A1) is what I typed", session="a", speaker="Ada", tags=["x, y"]))
    await ada.save(
        NewObservation(text="Ada types formulas\nin two lines", evidence=[said.record.id], metadata={"n": 1})
    )
    await ada.save(NewObservation(text="Ada's salary is 5,000", classification="confidential"))
    narrow = ada.within(ADA, clearance="internal")
    lines = [json.loads(line) for line in (await text_of(narrow.governance.archives.export())).splitlines()]
    assert [line["text"] for line in lines] == ["Ada types formulas\nin two lines", "=SUM(A1) is what I typed"]
    linked = json.loads(await text_of(narrow.governance.archives.export(form="jsonld")))
    assert [node["text"] for node in linked["@graph"]] == [line["text"] for line in lines]
    assert linked["@graph"][0]["evidence"] == [f"memory:{said.record.id}"]
    rows = list(csv.DictReader(io.StringIO(await text_of(narrow.governance.archives.export(form="csv")))))
    # A spreadsheet does not run it.
    assert [row["text"] for row in rows] == [lines[0]["text"], "'=SUM(A1) is what I typed"]
    page = await text_of(narrow.governance.archives.export(form="markdown"))
    assert "> in two lines" in page
    for form in ("jsonl", "jsonld", "csv", "markdown"):
        assert "salary" not in await text_of(narrow.governance.archives.export(form=form))
        assert "salary" in await text_of(ada.governance.archives.export(form=form))
    kinds = await text_of(ada.governance.archives.export(kinds=["message"]))
    assert len(kinds.splitlines()) == 1
    assert await text_of(ada.governance.archives.export(until=said.record.occurred_at, kinds=["observation"])) == ""
    with pytest.raises(InvalidInput, match="form"):
        await text_of(ada.governance.archives.export(form="pdf"))
    told = await ada.governance.audit.list(AuditFilter(action="read", kind="governance.archives.export"), limit=1_000)
    assert said.record.id in {id for row in told for id in row.records}


@requirement("archives.exported")
async def test_an_export_of_nothing_is_whole(memory: Memory) -> None:
    told = {
        form: await text_of(memory.governance.archives.export(form=form))
        for form in ("jsonl", "jsonld", "csv", "markdown")
    }
    assert told["jsonl"] == ""
    assert json.loads(told["jsonld"])["@graph"] == []
    assert len(told["csv"].splitlines()) == 1
    assert "There are none." in told["markdown"]


@requirement("archives.report")
async def test_a_report_tells_a_user_of_everything_that_is_held(memory: Memory) -> None:
    ada, bob = memory.within(ADA), memory.within(BOB)
    said = await ada.record("I moved to Lisbon", session="a", speaker="Ada")
    home = await ada.save("Ada lives in Lisbon", topic_key="home", evidence=[said.record.id])
    await ada.save("Ada lives in Porto", topic_key="home")
    gone = await ada.save(NewObservation(text="Ada once smoked", classification="restricted"))
    await ada.delete(gone.record.id)
    await ada.feedback(home.record.id, "right", person="Ada")
    await ada.episodes.record("Sent Ada the key")
    await bob.save("Ada owes Bob ten euros")
    await bob.save("Bob likes wine")
    await ada.recall("Where does Ada live?", abstain=False)
    page = await text_of(memory.governance.archives.report("ada", person="Ada"))
    for told in ("I moved to Lisbon", "Ada lives in Porto", "Ada lives in Lisbon", "Ada once smoked", "owes Bob"):
        assert told in page, told
    assert "soft-deleted" in page
    assert "session a, active" in page
    assert "recall" in page
    assert "episode · action completed" in page
    assert "None" not in page
    assert "null" not in page
    assert "Bob likes wine" not in page
    assert "owes Bob" not in await text_of(memory.governance.archives.report("ada"))
    lines = [
        json.loads(line)
        for line in (await text_of(memory.governance.archives.report("ada", form="jsonl"))).splitlines()
    ]
    assert lines[0]["line"] == "about"
    found = {line["text"]: line for line in lines if line["line"] == "memory"}
    assert found["Ada lives in Porto"]["evidence"][0]["text"] == "I moved to Lisbon"
    assert found["Ada lives in Porto"]["versions"][0]["text"] == "Ada lives in Lisbon"
    assert len(found) == 4
    with pytest.raises(NotFound):
        await text_of(memory.governance.archives.report("nobody"))
    for form in ("csv", "pdf"):
        with pytest.raises(InvalidInput):
            await text_of(memory.governance.archives.report("ada", form=form))
    statuses = [status.value for status in Status]
    assert (await ada.list(Filter(statuses=statuses), limit=100)).records


@requirement("archives.report")
async def test_a_report_says_how_long_all_is_kept_and_names_no_case(memory: Memory) -> None:
    ada = memory.within(ADA)
    await ada.record("I moved to Lisbon", session="home")
    await memory.within(Scope(user=ADA.user)).save("Ada likes trains")
    await memory.governance.retention.set("all", keep_days=90)
    await ada.governance.retention.set("talk", keep_days=1, kinds=["message"])
    await ada.governance.holds.place("Byron v. Lovelace", reason="a claim is open", session="home")
    told = await text_of(memory.governance.archives.report("ada"))
    several = " If several apply to a memory, the shortest time counts."
    assert f"user ada: Retention: messages for 1 day; everything for 90 days.{several}" in told
    assert "- tenant local, user ada: Retention: everything for 90 days.\n" in told
    assert "Not deleted, because a legal hold is on it: memories of session home." in told
    assert "Lovelace" not in told.partition("# Who wrote")[0]


@requirement("archives.report")
async def test_a_report_tells_who_read_of_them_from_elsewhere_and_that_nobody_else_names_them(memory: Memory) -> None:
    ada = memory.within(ADA)
    await ada.save("Ada Byron likes trains")
    lee = memory.within(Scope(), actor="lee")
    await lee.governance.erasure.find_mentions("Ada Byron")
    told = await text_of(memory.governance.archives.report("ada", person="Ada Lovelace"))
    assert "No memory of others mentions Ada Lovelace." in told
    saved = (await ada.list()).records[0].id
    assert f"| read | governance.erasure.find_mentions | 1 | `{saved}` | lee |" in told
    assert told.count("# Who wrote, changed and read it") == 1
    of_bob = (await memory.within(BOB).save("Ada Byron owes Bob a book")).record.id
    await memory.within(BOB, actor="max").recall("Who owes a book?", abstain=False)
    told = await text_of(memory.governance.archives.report("ada", person="Ada Byron"))
    assert f"| read | recall | 1 | `{of_bob}` | max |" in told
    assert "were not searched" in await text_of(memory.governance.archives.report("ada"))


@requirement("archives.report")
async def test_who_is_only_named_by_others_gets_a_report_too(memory: Memory) -> None:
    await memory.within(BOB).save("Carla Weiss asked for a quote")
    told = await text_of(memory.governance.archives.report("carla", person="Carla Weiss"))
    assert "Scopes: none of the user." in told
    assert "Carla Weiss asked for a quote" in told


@requirement("archives.not-again")
async def test_what_a_scope_masks_or_refuses_comes_by_no_archive(memory: Memory, tmp_path: Path) -> None:
    file = tmp_path / "a.archive"
    async with open_memory(tmp_path / "there.db", embedder="none", background=False) as there:
        card = (await there.within(ADA).save("Ada's card is 4111 1111 1111 1111")).record
        drawn = (await there.within(ADA).save("Ada pays by card", evidence=[card.id])).record
        before = (await there.within(BOB).save("Bob is ann@example.org")).record
        await there.within(BOB).edit(before.id, "Bob is Bob")
        await there.within(BOB).save("Bob likes tea")
        await there.governance.archives.create(file, passphrase=PASSPHRASE)
    await memory.governance.redactions.set("card", "mask")
    await memory.governance.redactions.set("email", "refuse")
    taken = await memory.governance.archives.import_archive(file, passphrase=PASSPHRASE, reason="from the laptop")
    assert taken.conflict_counts == {"redacted": 3}
    assert {clash.id for clash in taken.conflicts} == {card.id, drawn.id, before.id}
    assert [record.text for record in (await memory.within(BOB).list()).records] == ["Bob likes tea"]


@requirement("archives.shared")
async def test_an_archive_that_brings_nothing_is_in_the_log(memory: Memory, tmp_path: Path) -> None:
    await memory.within(ADA).save("Ada likes trains")
    await memory.governance.archives.create(tmp_path / "a.archive", passphrase=PASSPHRASE)
    await memory.governance.archives.import_archive(tmp_path / "a.archive", passphrase=PASSPHRASE, reason="to see")
    (row,) = await memory.governance.audit.list(AuditFilter(kind="archive", action="taken"))
    assert row.reason == "to see"


@requirement("archives.not-again")
async def test_a_name_that_was_erased_comes_by_no_archive_of_which_nothing_came(memory: Memory, tmp_path: Path) -> None:
    ada = memory.within(ADA)
    await ada.save("Ada likes trains")
    await ada.governance.archives.create(tmp_path / "a.archive", passphrase=PASSPHRASE)
    await memory.governance.erasure.erase(user="ada", reason="she asked for it")
    taken = await ada.governance.archives.import_archive(tmp_path / "a.archive", passphrase=PASSPHRASE, reason="to see")
    assert (taken.created, taken.conflict_counts) == (0, {"erased": 1})
    (row,) = await memory.governance.audit.list(AuditFilter(kind="archive", action="taken"))
    assert (row.scope, row.reason) == (Scope(), "to see")
    with pytest.raises(NotFound):
        await memory.governance.erasure.plan(user="ada")


@requirement("archives.report")
@pytest.mark.parametrize("form", ["markdown", "jsonl"])
async def test_a_report_tells_keys_weights_and_why_things_were_done(memory: Memory, form: str) -> None:
    ana = memory.within(Scope(user="ana"))
    saved = (await ana.save("Ana likes figs", topic_key="ana-diet", importance=0.9)).record.id
    await ana.scores.rate(saved, 0.25)
    await ana.governance.classify(saved, "restricted", reason="it is of her health")
    whole = "".join([piece async for piece in memory.governance.archives.report("ana", form=form)])
    for told in ("ana-diet", "0.9", "0.25", "it is of her health"):
        assert told in whole
