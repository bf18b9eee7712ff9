"""Taking all that is of somebody out of the store for good: nothing is left, others' stands, and a receipt says so."""

import json
import unicodedata
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync

from remembrancer import (
    AuditFilter,
    Changes,
    ChatFile,
    Conflict,
    Filter,
    InvalidInput,
    Memory,
    NewObservation,
    NotAllowed,
    NotFound,
    RecallRequest,
    Scope,
    StoreUnavailable,
    check_receipt,
    open_memory,
)
from remembrancer.ingest.importers.turns import Turn
from remembrancer.privacy.erasure import Eraser
from remembrancer.privacy.receipts import as_json
from remembrancer.resources.json_values import dump
from remembrancer.storage.sqlite.connection import SQLiteConnection
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.lifecycle import Status
from remembrancer.types.policy import ErasedRuns
from remembrancer.types.record import Source
from tests.engine import desks_of
from tests.factories import observation
from tests.learning import Life

from .opener import Opener
from .requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
ANA = Scope(agent="mail", user="ana")
BOB = Scope(agent="mail", user="bob")
SECRET_WORD = "zyzzyva"


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener(embedder="hash")


async def file_of(path: Path, text: str) -> ChatFile:
    """A file of chats that holds a text."""

    def made() -> ChatFile:
        path.write_text(text, encoding="utf-8")
        return ChatFile.at(path)

    return await run_sync(made)


async def lived(memory: Memory) -> list[str]:
    """Something of every sort in the scopes of two people; the ids of what is of the first."""
    ids: list[str] = []
    for scope, name in ((ANA, "Ana"), (BOB, "Bob")):
        own = memory.within(scope)
        word = SECRET_WORD if scope is ANA else "quartz"
        said = await own.record(f"{name} keeps a {word} in a box", session=f"{name}'s", speaker=name)
        claim = await own.save(f"{name} likes the {word}", topic_key="likes", evidence=[said.record.id])
        await own.edit(claim.record.id, f"{name} loves the {word}")
        fact = await own.facts.set("profile.animal", word)
        rule = await own.rules.add(f"Never write {word} to {name}")
        done = await own.episodes.record(f"sent a mail about the {word}", contact=name)
        await own.feedback(claim.record.id, "right", person=name)
        await own.recall(f"What does {name} love?", abstain=False)
        await own.context(f"{name}'s", question=f"the {word}?")
        await own.admin.flush()
        if scope is ANA:
            ids = [said.record.id, claim.record.id, fact.record.id, rule.id, done.record.id]
    return ids


async def whole(memory: Memory) -> str:
    """All that somebody is told of a scope."""
    told = [
        await memory.list(Filter(statuses=[status.value for status in Status]), limit=1_000),
        await memory.facts.list(),
        await memory.rules.list(),
        await memory.sessions.list(),
        await memory.recall(SECRET_WORD, abstain=False),
        (await memory.admin.stats()).records,
    ]
    return repr(told)


@requirement("erasing.gone", "erasing.others-stand")
async def test_all_that_is_of_a_user_goes_and_what_is_of_others_stands(memory: Memory) -> None:
    ids = await lived(memory)
    ana, bob = memory.within(ANA), memory.within(BOB)
    before = [record.text for record in (await bob.list(limit=100)).records]
    plan = await memory.governance.erasure.plan(user="ana")
    assert plan.scopes == [ANA]
    assert plan.rows["records"] == sum(plan.kinds.values()) >= len(ids)
    assert plan.kinds["message"] >= 1
    receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    assert (receipt.found, receipt.scopes) == (0, 1)
    assert receipt.rows["records"] == plan.rows["records"]
    assert receipt.looked > 0
    told = await whole(ana) + repr(await memory.governance.audit.list(limit=1_000))
    assert SECRET_WORD not in told
    assert [id for id in ids if id in told] == []
    assert [record.text for record in (await bob.list(limit=100)).records] == before
    assert (await bob.recall("What does Bob love?", abstain=False)).hits
    assert (await memory.governance.audit.verify()).sound
    assert await memory.admin.doctor() == []
    # A new beginning is nobody's business but hers.
    assert (await ana.save("Ana is back")).record.text == "Ana is back"


@requirement("erasing.gone")
async def test_no_byte_of_it_is_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    async with open_memory(path, embedder="hash", background=False) as memory:
        ids = await lived(memory)
        receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
        assert receipt.found == 0
        left = b"".join([file.read_bytes() for file in sorted(tmp_path.glob("m.db*"))])  # noqa: ASYNC240 -- three small files
        assert b"quartz" in left
        assert [word for word in (SECRET_WORD, "Ana", "Ana's", *ids) if word.encode() in left] == []


@requirement("erasing.gone")
@pytest.mark.parametrize("subject", ["agent", "project", "tenant"])
async def test_an_agent_a_project_and_a_tenant_go_with_all_under_them(opener: Opener, subject: str) -> None:
    memory = await opener(tenant="acme")
    scopes = [
        Scope(tenant="acme"), Scope(tenant="acme", project="kiln"), Scope(tenant="acme", project="kiln", agent="mail"),
        Scope(tenant="acme", agent="mail", user="ana"), Scope(tenant="acme", agent="other", user="ana"),
    ]  # fmt: skip
    for scope in scopes:
        await memory.within(scope).save(f"a note of {scope}")
    name = {"agent": "mail", "project": "kiln", "tenant": "acme"}[subject]
    gone = [scope for scope in scopes if getattr(scope, subject) == name]
    given: dict[str, Any] = {subject: name}
    receipt = await memory.governance.erasure.erase(**given, reason="the contract ended")
    assert (receipt.scopes, receipt.found) == (len(gone), 0)
    for scope in scopes:
        own = [record for record in (await memory.within(scope).list()).records if record.scope == scope]
        assert len(own) == (scope not in gone)
    assert len(await memory.governance.erasure.receipts()) == (subject != "tenant")


@requirement("erasing.gone")
async def test_what_was_read_a_moment_before_brings_no_name_back(memory: Memory) -> None:
    ana = memory.within(ANA)
    await ana.save("Ana likes tea")
    # The first is written down at once, the others half a second later.
    for _ in range(3):
        await ana.recall("tea", abstain=False)
    await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    await memory.admin.flush()
    assert [row.scope for row in await memory.governance.audit.list() if row.scope == ANA] == []
    with pytest.raises(NotFound):
        await memory.governance.erasure.erase(user="ana", reason="she asked for it")


@requirement("erasing.gone")
async def test_a_scope_that_begins_anew_finds_nothing_of_what_was_there(memory: Memory) -> None:
    await memory.save("the tenant's own scope is there first")
    ana = memory.within(ANA)
    for number in range(20):
        await ana.save(f"the {SECRET_WORD} number {number} hides in a box")
    assert (await ana.recall(SECRET_WORD, abstain=False)).hits
    await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    fresh = [(await ana.save(text)).record.id for text in ("bread is baked at dawn", "the ferry leaves at noon")]
    found = await ana.recall(
        RecallRequest(
            question=f"the {SECRET_WORD} number 1 hides in a box", retrievers=["semantic"], abstain=False, limit=50
        )
    )
    # What ranks first is what is near by its own words, and not by the vector of what was there.
    near = {hit.record.id: hit for hit in found.hits}
    assert [hit.factors for id, hit in near.items() if id in fresh and hit.factors["semantic"] > 0.6] == []


@requirement("erasing.some")
async def test_a_session_and_some_memories_go_with_what_was_drawn_from_them_alone(memory: Memory) -> None:
    own = memory.within(ANA)
    said = [(await own.record(f"line {number}", session="monday")).record.id for number in range(3)]
    other = (await own.record("another line", session="tuesday")).record.id
    kept = (await own.save("drawn from a person", evidence=[said[0], other])).record.id
    plan = await own.governance.erasure.plan(session="monday")
    receipt = await own.governance.erasure.erase(session="monday", reason="it was a mistake")
    assert plan.rows == {"records": receipt.rows["records"]}
    assert (plan.kinds, plan.drawn) == ({"message": 3}, ())
    assert (receipt.subject, receipt.rows["records"], receipt.found) == ("session", 3, 0)
    assert {record.id for record in (await own.list()).records} == {other, kept}
    receipt = await own.governance.erasure.erase(memories=[other], reason="it was a mistake")
    assert receipt.rows["records"] == 1
    assert {record.id for record in (await own.list()).records} == {kept}
    assert [one.subject for one in await memory.governance.erasure.receipts()] == ["memories", "session"]


@requirement("erasing.some")
async def test_a_plan_names_no_derived_memory_that_its_caller_may_not_see(memory: Memory) -> None:
    ana = memory.within(ANA)
    said = (await ana.record("Please book the boat for Ana Ruiz", session="s")).record.id
    await ana.notes.observe("s")
    drawn = (await ana.governance.erasure.plan(memories=[said])).drawn
    await ana.edit(drawn[0], Changes(classification="restricted"))
    low = ana.within(ANA, clearance="internal")
    assert len(drawn) > 0
    assert (await low.governance.erasure.plan(memories=[said])).drawn == drawn[1:]
    assert (await ana.governance.erasure.plan(memories=[said])).drawn == drawn


@requirement("erasing.some", "erasing.holds")
async def test_a_plan_of_memories_tells_what_was_drawn_from_them_and_what_holds_that(memory: Memory) -> None:
    ana = memory.within(ANA)
    said = (await ana.record("Please book the boat for Ana Ruiz", session="s")).record.id
    await ana.notes.observe("s")
    plan = await ana.governance.erasure.plan(memories=[said])
    assert (plan.rows["records"] > 1, plan.legal_holds) == (True, ())
    assert len(plan.drawn) == plan.rows["records"] - 1
    assert (await ana.get(said)).text == "Please book the boat for Ana Ruiz"
    await ana.governance.holds.place("case 7", reason="a claim is open", person="Ana Ruiz")
    assert (await ana.governance.erasure.plan(memories=[said])).legal_holds == ("case 7",)
    await ana.governance.holds.release("case 7", reason="settled")
    receipt = await ana.governance.erasure.erase(memories=[said], reason="she asked for it")
    assert receipt.rows["records"] == plan.rows["records"]


@requirement("erasing.asked")
async def test_whole_sessions_are_erased_by_whom_nothing_is_closed_to(memory: Memory) -> None:
    await memory.record("open", session="s")
    await memory.record("my card is 4111 1111 1111 1111", session="s")
    low = memory.within(Scope(), clearance="internal")
    for refused in (low.governance.erasure.plan(session="s"), low.governance.erasure.erase(session="s", reason="x")):
        with pytest.raises(NotAllowed, match="sessions"):
            await refused
    assert (await memory.governance.erasure.erase(session="s", reason="x")).rows["records"] == 2


@requirement("erasing.receipts")
async def test_receipts_are_told_to_whose_scope_the_erasure_was_asked_for_in(memory: Memory) -> None:
    lake, river = (memory.within(Scope(project=name)) for name in ("lake", "river"))
    for own in (lake, river):
        saved = await own.save("a note")
        await own.governance.erasure.erase(memories=[saved.record.id], reason="wrong")
    (receipt,) = await lake.governance.erasure.receipts()
    assert [one.id for one in (await lake.governance.overview()).erasures or ()] == [receipt.id]
    assert (await lake.governance.overview()).audit_entries is None
    assert (
        len(await memory.governance.erasure.receipts()) == len((await memory.governance.overview()).erasures or ()) == 2
    )


@requirement("erasing.receipts")
async def test_a_receipt_holds_without_the_store_and_not_when_anything_of_it_changes(memory: Memory) -> None:
    await lived(memory)
    receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    told = json.loads(json.dumps(dump(receipt)))
    assert told == as_json(receipt)
    assert check_receipt(told) == check_receipt(told, key=receipt.key) == ""
    assert "another key" in check_receipt(told, key="00" * 32)
    text = json.dumps(told)
    for place, character in enumerate(text):
        if character.isdigit():
            changed = text[:place] + str((int(character) + 1) % 10) + text[place + 1 :]
            assert check_receipt(json.loads(changed)), changed[max(0, place - 20) : place + 20]
    assert check_receipt({**told, "more": 1})
    assert check_receipt([])
    assert check_receipt({})
    assert "ana" not in text.replace("organ", "")
    assert await memory.governance.erasure.receipts() == [receipt]


@requirement("erasing.receipts")
async def test_a_receipt_is_found_by_whom_it_is_of_and_a_name_that_is_spelt_wrongly_by_what_it_may_be(
    memory: Memory,
) -> None:
    await lived(memory)
    with pytest.raises(NotFound, match=r"no user 'Anna' here; did you mean 'ana'\?"):
        await memory.governance.erasure.plan(user="Anna")
    receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    notes = [(await memory.save(text)).record.id for text in ("The kiln is hot", "The kiln is old")]
    other = await memory.governance.erasure.erase(memories=notes, reason="wrong")
    erasures = memory.governance.erasure
    assert await erasures.receipts(subject="user", name="ana") == [receipt]
    assert await erasures.receipts(subject="memories", name=" ".join(reversed(notes))) == [other]
    assert await erasures.receipts(subject="agent", name="ana") == []
    with pytest.raises(InvalidInput, match="go together"):
        await erasures.receipts(subject="user")


@requirement("erasing.resumed")
@pytest.mark.parametrize("step", range(12))
async def test_one_that_is_broken_off_at_any_step_goes_on_where_it_was(
    opener: Opener, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    memory = await opener()
    for agent in ("a", "b"):
        await memory.within(Scope(agent=agent, user="ana")).save(f"Ana likes the {SECRET_WORD}")
        await memory.within(Scope(agent=agent, user="bob")).save("Bob likes quartz")
    calls = 0

    def counted(at: Callable[[Scope], Any]) -> Callable[[Scope], Any]:
        def counting(scope: Scope) -> Any:
            nonlocal calls
            calls += 1
            if calls == step + 4:
                raise KeyboardInterrupt
            return at(scope)

        return counting

    made: Any = Eraser.__init__

    def breaking(self: Eraser, **given: Any) -> None:
        made(self, **{**given, "unit_at": counted(given["unit_at"])})

    monkeypatch.setattr(Eraser, "__init__", breaking)
    with pytest.raises(KeyboardInterrupt):
        await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    monkeypatch.undo()
    told = (await memory.governance.overview()).erasures or []
    assert [one.finished_at for one in told] == [None] or step not in range(1, 7)
    faults = [one.finding.fault for one in await memory.admin.doctor()]
    assert faults == ["unfinished-erasure" for one in told if one.finished_at is None]
    if faults:
        assert (await memory.governance.erasure.plan(user="ana")).begun_at == told[0].begun_at
    try:
        receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
        assert (receipt.rows["records"], receipt.scopes, receipt.found) == (2, 2, 0)
    except NotFound:
        assert (await memory.governance.erasure.receipts())[0].rows["records"] == 2
    assert len(await memory.governance.erasure.receipts()) == 1
    for agent in ("a", "b"):
        assert (await memory.within(Scope(agent=agent, user="ana")).list()).records == ()
        assert len((await memory.within(Scope(agent=agent, user="bob")).list()).records) == 1


@requirement("erasing.not-again")
async def test_what_was_erased_is_not_imported_again(memory: Memory) -> None:
    ana = memory.within(ANA)
    turns = [
        Turn(conversation="c", session="s", position=place, role="user", text=f"line {place} of Ana")
        for place in range(3)
    ]
    assert (await ana.messages.import_turns(turns)).created == 3
    await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    assert (await ana.messages.import_turns(turns)).created == 0
    assert (await ana.list()).records == ()
    assert (await memory.within(BOB).messages.import_turns(turns)).created == 3


@requirement("erasing.not-again")
async def test_what_was_erased_comes_back_by_no_export_of_ours(memory: Memory, tmp_path: Path) -> None:
    ana = memory.within(ANA)
    said = [(await ana.record(f"line {place} of Ana", session="s")).record.id for place in range(3)]
    note = (await ana.save("Ana likes tea")).record.id
    told = "".join([piece async for piece in ana.governance.archives.export(form="jsonl")])
    of = await file_of(tmp_path / "export.jsonl", told)
    again = await ana.messages.import_file(of)
    assert (again.created, again.deduped, again.erased) == (0, 4, 0)
    await ana.edit(note, "Ana likes coffee")
    assert (await ana.messages.import_file(of)).created == 0
    await ana.governance.erasure.erase(memories=[said[0]], reason="a test")
    await ana.governance.erasure.erase(memories=[note], reason="she asked for it")
    again = await ana.messages.import_file(of)
    assert (again.created, again.deduped, again.erased) == (0, 2, 2)
    await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    again = await ana.messages.import_file(of)
    assert (again.created, again.erased) == (0, 4)
    # Nor under another name: an export says which memories they were.
    assert (await memory.within(BOB).messages.import_file(of)).erased == 4
    assert (await memory.list(limit=100)).records == ()


@requirement("erasing.holds")
async def test_a_legal_hold_is_passed_by_nothing(memory: Memory) -> None:
    ana = memory.within(ANA)
    free = (await ana.save("Ana likes tea")).record.id
    held = (await ana.record("Ana signed the contract", session="s")).record.id
    await ana.governance.holds.place("case 12", reason="a claim is open", session="s")
    for attempt in (
        lambda: ana.delete(held),
        lambda: ana.governance.erasure.erase(memories=[held], reason="a test"),
        lambda: memory.governance.erasure.erase(user="ana", reason="she asked for it"),
        lambda: memory.governance.erasure.erase(tenant="local", reason="it is over"),
        lambda: ana.governance.erasure.erase(session="s", reason="she asked for it"),
        lambda: ana.governance.erasure.erase(memories=[free, held], reason="she asked for it"),
    ):
        with pytest.raises(NotAllowed, match=r"legal hold 'case 12' \(a claim is open\)"):
            await attempt()
        assert {record.id for record in (await ana.list()).records} == {held, free}
    assert (await memory.governance.erasure.plan(user="ana")).legal_holds == ("case 12",)
    await ana.delete(free)
    await ana.governance.holds.release("case 12", reason="it is settled")
    assert await ana.governance.holds.list() == []
    await ana.delete(held)
    # In the log of whom it was on, and in that of the tenant.
    assert [row.action for row in await memory.governance.audit.list(AuditFilter(kind="hold"))] == ["lifted"] * 2 + [
        "set"
    ] * 2


@requirement("erasing.holds")
async def test_a_hold_on_a_person_holds_what_names_them_in_the_scope_and_under_it(memory: Memory) -> None:
    await memory.governance.holds.place("case 7", reason="a claim is open", person="Ana Ruiz")
    ana = memory.within(ANA)
    named = (await ana.save("ANA RUIZ has called")).record.id
    other = (await ana.save("Anabel Ruizmann has called")).record.id
    with pytest.raises(NotAllowed, match="case 7"):
        await ana.delete(named)
    await ana.delete(other)


@requirement("erasing.holds", "erasing.named")
async def test_a_person_is_found_however_the_name_is_set(memory: Memory) -> None:
    bob = memory.within(BOB)
    earlier = (await bob.save('We met:\nAna Ruiz, "O\'Brien"')).record.id
    await bob.edit(earlier, "We met somebody")
    others = [
        (await bob.save(text)).record.id for text in ("Anna Ruiz", "Mariana Ruiz", "Ana and Ruiz", "Ana Ruizmann")
    ]
    told = {
        *[
            (await bob.save(f"note {place}: {text} has called")).record.id
            for place, text in enumerate(
                ["Ana  Ruiz", "Ana\nRuiz", "Ana\u00a0Ruiz", "_Ana Ruiz_", "ANA-RUIZ", "A\u0301na Ruiz"]
            )
        ],
        (await bob.save(NewObservation(text="somebody", metadata={"who": 'a "friend"\nAna Ruiz'}))).record.id,
        (await bob.save("a key", topic_key="Ana Ruiz")).record.id,
        (await bob.record("hello", session="call with Ana Ruiz")).record.id,
        (await bob.episodes.record("a call", attributes={"with": "x\nAna Ruiz"})).record.id,
    }
    assert {one.id for one in await memory.governance.erasure.find_mentions("Ana Ruiz")} == {*told, earlier}
    assert {one.id for one in await memory.governance.erasure.find_mentions("o'brien")} == {earlier}
    await memory.governance.holds.place("case 7", reason="a claim is open", person="ana ruiz")
    for id in (*told, earlier):
        with pytest.raises(NotAllowed, match="case 7"):
            await bob.delete(id)
    for id in others:
        await bob.delete(id)


@requirement("erasing.some")
async def test_a_summary_of_ours_goes_with_what_it_quotes_and_is_made_anew_of_the_rest(memory: Memory) -> None:
    ana = memory.within(ANA)
    ids = [(await ana.record(text, session="s")).record.id for text in (f"Book a {SECRET_WORD} for me?", "And a boat?")]
    await ana.sessions.end("s")

    async def summaries() -> list[str]:
        return [record.text for record in (await ana.list(Filter(types=["summary"]))).records]

    assert SECRET_WORD in "".join(await summaries())
    await ana.delete(ids[0])
    (text,) = await summaries()
    assert SECRET_WORD not in text
    assert "And a boat?" in text
    await ana.restore(ids[0])
    (text,) = await summaries()
    assert SECRET_WORD in text
    receipt = await ana.governance.erasure.erase(memories=[ids[0]], reason="she asked for it")
    # The message, what was noted of it, the summary, and the one that it had before it was restored.
    assert receipt.rows["records"] == 4
    (text,) = await summaries()
    assert SECRET_WORD not in text
    assert "And a boat?" in text
    assert SECRET_WORD not in await whole(memory.within(ANA))
    await ana.governance.erasure.erase(memories=[ids[1]], reason="a test")
    assert await summaries() == []


@requirement("erasing.some")
async def test_messages_whose_note_is_erased_are_in_the_context_again(memory: Memory) -> None:
    ana = memory.within(ANA)
    for text in ("In May I go to Milan with Clara.", "Clara is allergic to nuts.", "My budget is 300 euros."):
        await ana.record(text, session="milan")
    await ana.notes.observe("milan")
    assert "300 euros" in (await ana.context("milan")).text
    mentions = await ana.governance.erasure.find_mentions("Clara")
    await ana.governance.erasure.erase(memories=[one.id for one in mentions], reason="a test")
    shown = (await ana.context("milan")).text
    assert "300 euros" in shown
    assert "Clara" not in shown
    (failed,) = await ana.notes.failed()
    assert failed.failure == "a note of it was erased"
    await ana.notes.retry("milan", failed.first)
    assert not await ana.notes.failed()
    assert "300 euros" in (await ana.context("milan")).text


@requirement("erasing.some")
async def test_a_summary_that_is_erased_itself_or_reworded_is_not_made_anew(memory: Memory) -> None:
    ana = memory.within(ANA)
    ids = [(await ana.record(text, session="s")).record.id for text in ("Book a boat for me?", "And a car?")]
    await ana.sessions.end("s")
    (summary,) = (await ana.list(Filter(types=["summary"]))).records
    await ana.edit(summary.id, "We spoke of travel")
    await ana.governance.erasure.erase(memories=[ids[0]], reason="a test")
    assert [record.text for record in (await ana.list(Filter(types=["summary"]))).records] == ["We spoke of travel"]
    await ana.governance.erasure.erase(memories=[summary.id], reason="she asked for it")
    assert (await ana.list(Filter(types=["summary"]))).records == ()


@requirement("erasing.named")
async def test_names_are_found_in_scripts_without_blanks_and_with_vowels_that_are_marks(memory: Memory) -> None:
    told = {text: (await memory.save(text)).record.id for text in ("王小明喜欢茶", "Łukasz called", "मैं रोम जाता हूँ")}
    for name, text in (("王小明", "王小明喜欢茶"), ("lukasz", "Łukasz called"), ("रोम", "मैं रोम जाता हूँ")):
        assert [one.id for one in await memory.governance.erasure.find_mentions(name)] == [told[text]]
    assert await memory.governance.erasure.find_mentions("राम") == []
    with pytest.raises(InvalidInput, match="no letter"):
        await memory.governance.erasure.find_mentions("---")


@requirement("erasing.resumed")
async def test_while_a_reader_holds_on_to_what_is_gone_no_receipt_says_that_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remembrancer.storage.sqlite.store._SCRUB_SECONDS", 0.2)
    path = tmp_path / "m.db"
    async with open_memory(path, embedder="hash", background=False) as memory:
        await lived(memory)
        with closing(SQLiteConnection(str(path))) as reader:
            reader.run("BEGIN")
            assert reader.value("SELECT COUNT(*) FROM records")
            with pytest.raises(StoreUnavailable, match="run the same erasure again"):
                await memory.governance.erasure.erase(user="ana", reason="she asked for it")
            assert await memory.governance.erasure.receipts() == []
        receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
        left = b"".join([file.read_bytes() for file in sorted(tmp_path.glob("m.db*"))])  # noqa: ASYNC240 -- three small files
        assert (receipt.found, SECRET_WORD.encode() in left) == (0, False)


@requirement("erasing.named")
async def test_who_is_named_in_texts_is_listed_for_review(memory: Memory) -> None:
    ana, bob = memory.within(ANA), memory.within(BOB)
    told = (await bob.record("I met Ana Ruiz at the fair", session="s", speaker="Bob")).record.id
    await bob.record("Anabel was there too", session="s", speaker="Bob")
    await bob.save("The fair was full", evidence=[told])
    by = (await ana.record("hello", session="s", speaker="Ana Ruiz")).record.id
    found = {one.id: one for one in await memory.governance.erasure.find_mentions("ana ruiz")}
    assert set(found) == {told, by}
    assert (found[told].where, found[told].scope, found[told].drawn) == (["text"], BOB, 1)
    assert found[by].where == ["speaker"]
    assert len(await memory.governance.erasure.find_mentions("ana ruiz", limit=1)) == 1
    assert await bob.governance.erasure.find_mentions("Ana Ruiz") == [found[told]]


@requirement("erasing.keys")
async def test_the_access_keys_of_who_is_erased_open_nothing_and_name_nobody(memory: Memory) -> None:
    await memory.within(ANA).save("Ana likes tea")
    key = await memory.within(ANA).admin.keys.create("Ana's agent")
    await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    with pytest.raises(Exception, match="access key"):
        await memory.authenticator.authenticate(key.token, origin="rest")
    assert await memory.authenticator.needs_keys()
    assert "Ana" not in repr(await memory.admin.keys.list())


@requirement("erasing.asked")
async def test_what_is_to_be_erased_is_named_once_and_by_who_may(memory: Memory) -> None:
    await memory.within(ANA).save("Ana likes tea")
    wrong: list[dict[str, Any]] = [{}, {"user": "ana", "agent": "mail"}, {"tenant": "globex"}, {"user": " "}]
    for given in wrong:
        with pytest.raises(InvalidInput):
            await memory.governance.erasure.erase(**given, reason="why not")
    with pytest.raises(InvalidInput, match="from its own scope"):
        await memory.within(ANA).governance.erasure.erase(tenant="local", reason="why not")
    absent: list[dict[str, Any]] = [{"user": "nobody"}, {"session": "none"}, {"memories": ["none"]}]
    for given in absent:
        with pytest.raises(NotFound):
            await memory.governance.erasure.erase(**given, reason="why not")
    with pytest.raises(InvalidInput, match="reason"):
        await memory.governance.erasure.erase(user="ana", reason=" ")
    key = await memory.admin.keys.create("agent")
    agent = memory.authenticator.memory_of(await memory.authenticator.authenticate(key.token, origin="library"))
    with pytest.raises(NotAllowed, match="'govern'"):
        await agent.governance.erasure.erase(user="ana", reason="why not")
    # Who sees one scope erases nothing beyond it.
    with pytest.raises(NotFound):
        await memory.within(BOB).governance.erasure.erase(user="ana", reason="why not")


@requirement("erasing.gone")
async def test_what_was_shown_is_not_written_down_behind_an_erasure(memory: Memory) -> None:
    shared = await memory.save(f"All of them know the {SECRET_WORD}")
    ana = memory.within(ANA)
    await ana.record("Hello", session="s")
    assert SECRET_WORD in (await ana.context("s", question=f"What is the {SECRET_WORD}?")).text
    await memory.governance.erasure.erase(memories=[shared.record.id], reason="a test")
    await memory.admin.flush()
    assert [shared.record.id for one in await ana.sessions.injections("s") if shared.record.id in one.records] == []
    assert (await memory.governance.erasure.erase(user="ana", reason="she asked for it")).found == 0


@requirement("erasing.holds")
async def test_a_hold_on_a_person_or_a_session_is_in_nobody_elses_way(memory: Memory) -> None:
    ana, bob = memory.within(ANA), memory.within(BOB)
    await ana.record("Ana likes tea", session="a")
    await bob.record("Bob likes wine", session="b")
    await memory.governance.holds.place("on bob", reason="a claim", person="Bob")
    await memory.governance.holds.place("on b", reason="a claim", session="b")
    assert (await memory.governance.erasure.plan(user="ana")).legal_holds == ()
    assert set((await memory.governance.erasure.plan(user="bob")).legal_holds) == {"on bob", "on b"}
    with pytest.raises(NotAllowed, match="legal hold"):
        await memory.governance.erasure.erase(user="bob", reason="asked")
    assert (await memory.governance.erasure.erase(user="ana", reason="asked")).found == 0


@requirement("erasing.named")
async def test_who_was_named_in_an_earlier_wording_is_listed_too(memory: Memory) -> None:
    saved = await memory.save("Ana and Bob share one account")
    await memory.edit(saved.record.id, "Bob shares an account")
    found = await memory.governance.erasure.find_mentions("Ana")
    assert [(one.id, list(one.where)) for one in found] == [(saved.record.id, ["earlier wording"])]
    told = await memory.governance.audit.list(AuditFilter(action="read", kind="governance.erasure.find_mentions"))
    assert [row.record for row in told] == [saved.record.id]


@requirement("erasing.holds")
async def test_a_hold_on_a_person_holds_what_named_them_before_it_was_changed(memory: Memory) -> None:
    bob = memory.within(BOB)
    told = (await bob.save("Ana Ruiz signed the lease")).record.id
    await bob.edit(told, "The lease was signed")
    await memory.governance.holds.place("case 7", reason="a claim is open", person="Ana Ruiz")
    with pytest.raises(NotAllowed, match="case 7"):
        await bob.delete(told)
    with pytest.raises(NotAllowed, match="case 7"):
        await memory.governance.erasure.erase(user="bob", reason="asked")


@requirement("erasing.holds")
async def test_the_holds_of_a_scope_are_told_with_those_under_it_and_where_each_was_set(memory: Memory) -> None:
    await memory.governance.holds.place("all", reason="an audit")
    await memory.within(ANA).governance.holds.place("hers", reason="a claim")
    assert [(one.name, one.scope) for one in await memory.governance.holds.list()] == [("all", Scope()), ("hers", ANA)]
    assert [one.name for one in await memory.within(BOB).governance.holds.list()] == ["all"]


@requirement("erasing.asked")
async def test_a_plan_tells_what_left_the_store_and_that_nothing_is_there(memory: Memory, tmp_path: Path) -> None:
    await lived(memory)
    dana = memory.within(Scope(), actor="dana")
    await dana.governance.archives.create(tmp_path / "all.archive", passphrase="correct horse battery")
    _ = [piece async for piece in memory.within(BOB).governance.archives.export()]
    (out,) = (await memory.governance.erasure.plan(user="ana")).handed_out
    assert (out.what, out.actor, out.scope) == ("archive", "dana", Scope())
    with pytest.raises(NotFound, match="user 'anna'"):
        await memory.governance.erasure.plan(user="anna")


@requirement("erasing.resumed")
@pytest.mark.parametrize("subject", ["user", "session", "memories", "tenant"])
async def test_one_that_is_broken_off_before_its_pages_are_written_anew_has_that_done_by_the_same_call(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, subject: str
) -> None:
    await lived(memory)
    at = memory.within(ANA) if subject in ("session", "memories") else memory
    id = (await memory.within(ANA).save("the last of hers", session="s")).record.id
    asked: dict[str, Any] = {
        "user": {"user": "ana"}, "session": {"session": "s"}, "memories": {"memories": [id]},
        "tenant": {"tenant": memory.scope.tenant},
    }[subject]  # fmt: skip
    done: list[bool] = []
    store = type(memory._engine.store)  # pyright: ignore[reportPrivateUsage] -- which class it is

    async def broken(_self: object) -> bool:
        done.append(False)
        raise KeyboardInterrupt

    async def whole(_self: object) -> bool:
        done.append(True)
        return True

    monkeypatch.setattr(store, "compact", broken)
    with pytest.raises(KeyboardInterrupt):
        await at.governance.erasure.erase(**asked, reason="asked")
    monkeypatch.setattr(store, "compact", whole)
    if subject == "tenant":
        with pytest.raises(NotFound):
            await at.governance.erasure.erase(**asked, reason="asked")
    else:
        receipt = await at.governance.erasure.erase(**asked, reason="asked")
        assert (receipt.found, bool(receipt.rows["records"])) == (0, True)
        assert len(await memory.governance.erasure.receipts()) == 1
    assert done == [False, True]


@requirement("erasing.resumed")
async def test_pages_that_cannot_be_written_anew_are_said_and_the_same_call_goes_on(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lived(memory)
    store = type(memory._engine.store)  # pyright: ignore[reportPrivateUsage] -- which class it is

    async def busy(_self: object) -> bool:
        return False

    with monkeypatch.context() as patch:
        patch.setattr(store, "compact", busy)
        patch.setattr("remembrancer.privacy.erasure._RETRY_SECONDS", 0.0)
        with pytest.raises(StoreUnavailable, match="run the same erasure again"):
            await memory.governance.erasure.erase(user="ana", reason="asked")
    assert (await memory.governance.erasure.erase(user="ana", reason="asked")).found == 0


@requirement("erasing.holds")
async def test_a_hold_is_not_replaced_by_another_of_its_name(memory: Memory) -> None:
    ana = memory.within(ANA)
    await ana.governance.holds.place("case 7", reason="a claim", session="s")
    with pytest.raises(Conflict, match="'case 7' is on session s; release it first"):
        await ana.governance.holds.place("case 7", reason="a claim", session="t")
    await ana.governance.holds.place("case 7", reason="the claim goes on", session="s")
    assert [(one.session, one.reason) for one in await ana.governance.holds.list()] == [("s", "the claim goes on")]


@requirement("erasing.holds")
async def test_that_a_hold_was_set_refused_and_lifted_is_known_when_whom_it_was_on_is_erased(memory: Memory) -> None:
    await lived(memory)
    dana = memory.within(Scope(), actor="dana")
    await dana.within(ANA).governance.holds.place("case 7", reason="a claim is open")
    with pytest.raises(NotAllowed):
        await dana.governance.erasure.erase(user="ana", reason="her letter")
    await dana.within(ANA).governance.holds.release("case 7", reason="it is settled")
    await dana.governance.erasure.erase(user="ana", reason="her letter")
    rows = await memory.governance.audit.list(AuditFilter(actor="dana"))
    told = [(row.action, row.kind, row.record, row.reason) for row in reversed(rows)]
    assert ("set", "hold", "case 7", "a claim is open") in told
    assert ("refused", "erasure", "held by case 7", "her letter") in told
    assert ("lifted", "hold", "case 7", "it is settled") in told


@requirement("erasing.some")
async def test_a_session_that_is_erased_is_listed_no_more(memory: Memory) -> None:
    ana = memory.within(ANA)
    await ana.record("I moved to Lisbon", session="monday")
    await ana.record("The weather is fine", session="tuesday")
    await ana.context("monday", question="where does she live?", mode="search")
    receipt = await ana.governance.erasure.erase(session="monday", reason="asked")
    assert receipt.rows["sessions"] == 1
    assert [one.id for one in await ana.sessions.list()] == ["tuesday"]
    assert await ana.admin.doctor() == []


@requirement("erasing.others-stand")
async def test_looking_for_who_was_erased_brings_no_name_back(memory: Memory) -> None:
    await lived(memory)
    await memory.save("what all share")
    await memory.governance.erasure.erase(user="ana", reason="asked")
    ana = memory.within(ANA)
    assert [one.text for one in (await ana.list()).records] == ["what all share"]
    await ana.governance.audit.list()
    await memory.admin.flush()
    with pytest.raises(NotFound, match="user 'ana'"):
        await memory.governance.erasure.plan(user="ana")
    assert [row.kind for row in await memory.governance.audit.list(AuditFilter(action="read"))][:1] == ["list"]


@requirement("erasing.asked")
async def test_a_plan_of_some_memories_tells_which_exports_had_them(memory: Memory) -> None:
    await lived(memory)
    shared = (await memory.save("Ana and Bob share an account")).record.id
    kim = memory.within(BOB, actor="kim")
    _ = [piece async for piece in kim.governance.archives.export()]
    (out,) = (await memory.governance.erasure.plan(memories=[shared])).handed_out
    assert (out.what, out.actor, out.scope) == ("export", "kim", BOB)
    assert (await memory.governance.erasure.plan(user="ana")).handed_out == []


@requirement("erasing.gone")
@pytest.mark.parametrize("is_bobs_too", [False, True])
async def test_words_that_something_concluded_still_tells_are_found(life: Life, *, is_bobs_too: bool) -> None:
    whole, said = life.of(Scope(tenant="acme")), f"My sister keeps a blue {SECRET_WORD} in her garden shed"
    ana, bob = (whole.within(replace(scope, tenant="acme")) for scope in (ANA, BOB))
    await ana.record(said, session="s")
    await bob.record(f"I heard that: {said}" if is_bobs_too else "Hello", session="s")
    # As an engine that lost track of what it rests on would leave it.
    text = f"He knows that {said.lower()}."
    left = replace(observation("left", scope=bob.scope, text=text, at=life.clock.now()), source=Source.OBSERVER)
    rules = Dependencies(clock=life.clock, ids=life.ids, sign=life.store.sign)
    async with desks_of(life.store, rules)(bob.scope).write() as writer:
        await writer.add([left])
    receipt = await whole.governance.erasure.erase(user="ana", reason="she asked for it")
    assert receipt.found == (0 if is_bobs_too else 1)
    async with life.store.snapshot(Caller.engine(Scope(tenant="acme"))) as tx:
        assert await tx.policies.exact(ErasedRuns) == []


@requirement("erasing.not-again")
async def test_what_went_with_a_message_that_was_erased_comes_into_no_scope_by_an_export(
    memory: Memory, tmp_path: Path
) -> None:
    bob, cleo = memory.within(BOB), memory.within(Scope(agent="mail", user="cleo"))
    ids = [
        (await bob.record(text, session="work", speaker="Bob")).record.id
        for text in (f"I talked with Ana about the {SECRET_WORD} contract", "I like quiet hotels near the kiosk")
    ]
    await bob.sessions.end("work")
    told = "".join([piece async for piece in bob.governance.archives.export()])
    await bob.governance.erasure.erase(memories=[ids[0]], reason="asked")
    for own in (bob, cleo):
        await own.messages.import_file(await file_of(tmp_path / "bob.jsonl", told))
        assert SECRET_WORD not in await whole(own)
    assert "kiosk" in await whole(cleo)


@requirement("erasing.not-again")
async def test_of_a_file_that_stays_away_altogether_no_name_is_kept(memory: Memory, tmp_path: Path) -> None:
    ana = memory.within(ANA)
    await ana.record("I like figs", session="trip")
    told = "".join([piece async for piece in ana.governance.archives.export()])
    await memory.governance.erasure.erase(user="ana", reason="asked")
    done = await ana.messages.import_file(await file_of(tmp_path / "ana.jsonl", told))
    assert done.created == 0
    assert done.erased > 0
    with pytest.raises(NotFound):
        await memory.governance.erasure.plan(user="ana")


@requirement("erasing.not-again")
async def test_what_a_user_said_comes_back_under_no_agent_and_no_project(memory: Memory, tmp_path: Path) -> None:
    said = {"role": "user", "content": f"I like the {SECRET_WORD}", "timestamp": "2026-11-10T09:02:00Z"}
    chat = await file_of(tmp_path / "chat.jsonl", json.dumps(said) + "\n")
    await memory.within(ANA).messages.import_file(chat)
    await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    for scope in (
        ANA,
        Scope(user="ana"),
        Scope(agent="other", user="ana"),
        Scope(project="p", agent="mail", user="ana"),
    ):
        done = await memory.within(scope).messages.import_file(chat)
        assert (done.created, done.erased) == (0, 1)
    assert (await memory.within(BOB).messages.import_file(chat)).created == 1


@requirement("erasing.not-again", "recording.one-form")
async def test_what_was_erased_comes_back_in_no_form_that_reads_alike(memory: Memory, tmp_path: Path) -> None:
    at = "2026-11-10T09:02:00+00:00"
    forms = [
        unicodedata.normalize("NFD", "Zoë likes tea\r\nand rows"),
        "Zoë likes tea\nand rows",
        "Zoë likes tea\rand rows\n",
    ]
    for place, (first, again) in enumerate(permutations(forms, 2)):
        zoe, other = (memory.within(Scope(user=f"{name}{place}")) for name in ("zoe", "other"))
        await zoe.record(first, session="s", occurred_at=datetime.fromisoformat(at))
        await memory.governance.erasure.erase(user=f"zoe{place}", reason="she asked for it")
        said = {"role": "user", "content": again, "timestamp": at}
        chat = await file_of(tmp_path / f"chat{place}.jsonl", json.dumps(said) + "\n")
        await other.record(again, session="s", occurred_at=datetime.fromisoformat(at))
        told = "".join([piece async for piece in other.governance.archives.export()])
        for file in (chat, await file_of(tmp_path / f"export{place}.jsonl", told)):
            done = await zoe.messages.import_file(file)
            assert (done.created, done.erased) == (0, 1), (first, again, file)


@requirement("erasing.receipts")
async def test_two_that_erase_the_same_at_once_have_one_receipt(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    await lived(memory)
    store, begun = type(memory._engine.store), anyio.Event()  # pyright: ignore[reportPrivateUsage] -- which class it is
    compact: Any = store.compact

    async def slow(self: Any) -> bool:
        if not begun.is_set():
            begun.set()
            second.append(await memory.governance.erasure.erase(user="ana", reason="asked twice"))
        return await compact(self)

    second: list[Any] = []
    monkeypatch.setattr(store, "compact", slow)
    first = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    assert [first] == second == await memory.governance.erasure.receipts()


@requirement("erasing.receipts")
@pytest.mark.parametrize("begun", [False, True])
async def test_one_that_another_process_ends_meanwhile_has_its_receipt(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, begun: bool
) -> None:
    await lived(memory)

    async def broken(_self: object) -> bool:
        raise KeyboardInterrupt

    if begun:
        with monkeypatch.context() as patched:
            patched.setattr(type(memory._engine.store), "compact", broken)  # pyright: ignore[reportPrivateUsage] -- which class it is
            with pytest.raises(KeyboardInterrupt):
                await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    held: Any = Eraser._holds  # pyright: ignore[reportPrivateUsage] -- what comes before it is begun
    others: list[Any] = []

    async def slow(self: Eraser, targets: Any) -> Any:
        found = await held(self, targets)
        if not others:
            others.append(None)
            others[0] = await memory.governance.erasure.erase(user="ana", reason="asked twice")
        return found

    monkeypatch.setattr(Eraser, "_holds", slow)
    receipt = await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    assert [receipt] == others == await memory.governance.erasure.receipts()
    root = Caller.engine(Scope())
    async with memory._engine.store.snapshot(root) as tx:  # pyright: ignore[reportPrivateUsage] -- what is kept there
        assert await tx.policies.exact(ErasedRuns) == []


@requirement("erasing.receipts")
async def test_what_is_written_while_a_session_is_erased_has_a_receipt_of_its_own(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana = memory.within(ANA)
    await ana.record("I like figs", session="trip")
    under: Any = Eraser._unfinished  # pyright: ignore[reportPrivateUsage] -- what comes before it is begun
    others: list[Any] = []

    async def broken(_self: object) -> bool:
        raise KeyboardInterrupt

    async def slow(self: Eraser, whose: str) -> Any:
        found = await under(self, whose)
        if not others:
            others.append(None)
            others[0] = await ana.governance.erasure.erase(session="trip", reason="asked twice")
            await ana.record("I like dates, too", session="trip")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(type(memory._engine.store), "compact", broken)  # pyright: ignore[reportPrivateUsage] -- which class it is
        with pytest.raises(KeyboardInterrupt):
            await ana.governance.erasure.erase(session="trip", reason="asked")
    monkeypatch.setattr(Eraser, "_unfinished", slow)
    receipt = await ana.governance.erasure.erase(session="trip", reason="asked")
    assert receipt.id != others[0].id
    assert (others[0].rows["records"], receipt.rows["records"]) == (1, 1)
    assert {one.id for one in await ana.governance.erasure.receipts()} == {receipt.id, others[0].id}


@requirement("erasing.resumed")
@pytest.mark.parametrize("step", ["forget", "compact"])
async def test_one_that_was_broken_off_is_ended_by_the_night(
    opener: Opener, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    memory = await opener()
    for agent in ("a", "b"):
        await memory.within(Scope(agent=agent, user="ana")).save(f"Ana likes the {SECRET_WORD}")
        await memory.within(Scope(agent=agent, user="bob")).save("Bob likes quartz")

    async def broken(*_: object, **__: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(memory._engine.store), step, broken)  # pyright: ignore[reportPrivateUsage] -- which class it is
        with pytest.raises(KeyboardInterrupt):
            await memory.governance.erasure.erase(user="ana", reason="she asked for it")
    await memory._engine.worker.run_once()  # pyright: ignore[reportPrivateUsage] -- what is done in the background
    assert await memory.governance.erasure.receipts() == []
    clock.move(timedelta(days=1))
    held = memory.within(Scope(agent="b", user="ana"))
    if step == "forget":
        await held.governance.holds.place("case 7", reason="a claim is open")
        await memory._engine.worker.run_once()  # pyright: ignore[reportPrivateUsage] -- what is done in the background
        assert await memory.governance.erasure.receipts() == []
        await held.governance.holds.release("case 7", reason="it is settled")
        clock.move(timedelta(days=1))
    await memory._engine.worker.run_once()  # pyright: ignore[reportPrivateUsage] -- what is done in the background
    (receipt,) = await memory.governance.erasure.receipts()
    assert (receipt.rows["records"], receipt.scopes, receipt.found, check_receipt(as_json(receipt))) == (2, 2, 0, "")
    assert SECRET_WORD not in await whole(memory) + repr(await memory.governance.audit.list(limit=1_000))
    assert [one.finished_at for one in (await memory.governance.overview()).erasures or ()] == [receipt.finished_at]
