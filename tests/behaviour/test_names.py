"""Names of persons and places: told by a model, where a scope wants something done with them, and only there."""

import sys
from dataclasses import replace

import pytest

from remembrancer import Memory, NotAllowed, Scope, StoreError
from remembrancer.guard.personal import names
from remembrancer.types.access import Right

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
MAIL = Scope(agent="mail")
TOLD = "Yesterday I met Bob Miller in Paris."


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    """A memory of either store."""
    return await opener()


@requirement("names.redacted")
async def test_names_stay_where_no_scope_says_otherwise(memory: Memory) -> None:
    saved = (await memory.within(MAIL).save(TOLD)).record
    assert (saved.text, dict(saved.metadata)) == (TOLD, {})


@requirement("names.redacted")
async def test_names_are_masked_tagged_or_refused_as_a_scope_wants(memory: Memory) -> None:
    mail = memory.within(MAIL)
    await mail.governance.redactions.set("person", "mask")
    await mail.governance.redactions.set("place", "tag")
    saved = (await mail.save(TOLD)).record
    assert saved.text == "Yesterday I met [PERSON] in Paris."
    assert saved.metadata == {"personal": ["place"]}
    await mail.governance.redactions.set("place", "refuse")
    with pytest.raises(NotAllowed, match="\\(place\\)"):
        await mail.record("I flew to Berlin with Carol Smith.")
    assert (await mail.record("The weather is fine.")).record.text == "The weather is fine."


@requirement("names.redacted")
async def test_a_card_is_no_name_and_both_are_found(memory: Memory) -> None:
    mail = memory.within(MAIL)
    await mail.governance.redactions.set("person", "mask")
    await mail.governance.redactions.set("card", "mask")
    saved = (await mail.save("Bob Miller pays with 4111 1111 1111 1111 in Paris.")).record
    assert saved.text == "[PERSON] pays with [CARD] in Paris."


@requirement("names.missing")
async def test_without_the_extra_names_cannot_be_redacted_and_nothing_is_stored_unlooked_at(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = memory.within(MAIL)
    await mail.governance.redactions.set("person", "mask")
    await mail.save("Carol Smith called.")
    names.names.cache_clear()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(StoreError, match=r"remembrancer\[names\]"):
        await mail.save(TOLD)
    with pytest.raises(StoreError, match=r"remembrancer\[names\]"):
        await memory.within(Scope(agent="other")).governance.redactions.set("place", "tag")
    assert [one.text for one in (await mail.list()).records] == ["[PERSON] called."]
    # What says that nothing is to be done with names needs no model.
    await mail.governance.redactions.set("person", "off")
    assert (await mail.save(TOLD)).record.text == TOLD


@requirement("names.redacted")
async def test_who_may_not_see_names_reads_marks_of_what_was_written_by_it(memory: Memory) -> None:
    await memory.within(MAIL).governance.redactions.set("person", "tag")
    rights = frozenset(set(memory.caller.rights) - {Right.REVEAL})
    veiled = Memory(memory._engine, replace(memory.caller, scope=MAIL, rights=rights))  # pyright: ignore[reportPrivateUsage] -- a caller with fewer rights
    await veiled.save(TOLD)
    assert [one.text for one in (await veiled.list()).records] == ["Yesterday I met [PERSON] in Paris."]
    assert [one.text for one in (await memory.within(MAIL).list()).records] == [TOLD]
