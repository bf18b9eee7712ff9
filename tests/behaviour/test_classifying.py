"""How freely a memory may be shown, told from what it holds and names; and what an operator may say of it."""

import pytest

from remembrancer import AuditFilter, Changes, InvalidInput, Memory, NewObservation, Scope
from tests.rows import each_row

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
PUBLIC = {"paths": ["docs/context.md", "README.md"]}


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener()


@requirement("classes.told")
@each_row(
    "text, expected",
    [
        ("my card is 4111 1111 1111 1111", "restricted"),
        ("her social security number is in the folder", "restricted"),
        ("seine Steuer-ID kommt per Post", "restricted"),
        ("el número de pasaporte está en el correo", "restricted"),
        ("son numéro de sécurité sociale est connu", "restricted"),
        ("il codice fiscale arriva domani", "restricted"),
        ("pay to DE89 3704 0044 0532 0130 00", "confidential"),
        ("the password is with Tom", "confidential"),
        ("das Passwort hat Tom", "confidential"),
        ("the key lies in ~/.ssh/id_ed25519", "confidential"),
        ("changed config/secrets/prod.yml", "confidential"),
        ("token is ghp_" + "a1B2" * 9, "confidential"),
        ("Ana prefers window seats", "internal"),
        ("we take credit cards, and count tokens of the model", "internal"),
    ],
)
async def test_a_memory_is_closed_by_what_it_holds_and_names(memory: Memory, text: str, expected: str) -> None:
    assert (await memory.record(text)).record.classification == expected
    assert (await memory.save(NewObservation(text=text, classification="public"))).record.classification == expected


@requirement("classes.told")
async def test_only_public_paths_make_public_and_an_edit_leaves_them(memory: Memory) -> None:
    record = (await memory.save(NewObservation(text="The page tells slots in order", metadata=PUBLIC))).record
    assert record.classification == "public"
    assert (await memory.edit(record.id, "The page tells all slots")).record.classification == "public"
    assert (
        await memory.edit(record.id, metadata={"paths": ["src/auth/key.py"]})
    ).record.classification == "confidential"
    decided = await memory.save(NewObservation(text="GDPR: logs go after a week", type="decision", metadata=PUBLIC))
    assert decided.record.classification == "internal"


@requirement("classes.told")
async def test_what_rests_on_a_memory_is_closed_with_it(memory: Memory) -> None:
    source = (await memory.save("The offer is 4,000")).record
    drawn = (await memory.save("They will take less", evidence=[source.id])).record
    await memory.edit(source.id, Changes(classification="restricted"))
    assert (await memory.get(drawn.id)).classification == "restricted"


@requirement("classes.told")
async def test_what_rests_on_it_in_narrower_scopes_is_closed_with_it(memory: Memory) -> None:
    agent, ana, ben = (memory.within(Scope(agent="mail", user=user)) for user in (None, "ana", "ben"))
    source = (await agent.save("The offer is 4,000")).record
    hers = (await ana.save("They will take less", evidence=[source.id])).record
    after = (await ana.save("So wait a week", evidence=[hers.id])).record
    his = (await ben.save("They want an answer by May", evidence=[source.id])).record
    await agent.governance.classify(source.id, "restricted", reason="the offer is not out")
    assert {(await ana.get(one.id)).classification for one in (hers, after)} == {"restricted"}
    assert (await ben.get(his.id)).classification == "restricted"
    assert [
        entry.reason for entry in await ben.governance.audit.list(AuditFilter(memory=his.id, action="classified"))
    ] == ["the offer is not out"]


@requirement("classes.told")
async def test_a_long_chain_is_closed_to_its_end(memory: Memory) -> None:
    ids = [(await memory.save("The offer is 4,000")).record.id]
    for number in range(340):
        ids.append((await memory.save(f"Step {number} of the talks", evidence=[ids[-1]])).record.id)
    await memory.governance.classify(ids[0], "restricted", reason="the offer is not out")
    assert {(await memory.get(id)).classification for id in (ids[1], ids[170], ids[-1])} == {"restricted"}


@requirement("classes.told")
@pytest.mark.parametrize("by", ["closed", "deleted", "erased"])
async def test_what_an_observer_said_of_a_task_goes_with_what_was_said(memory: Memory, by: str) -> None:
    said = (await memory.record("Please book the blue boat for Carl", session="s")).record
    await memory.notes.observe("s")
    low = memory.within(Scope(), clearance="internal")
    assert "blue boat" in repr([await low.notes.chunks("s"), await low.context("s")])
    if by == "closed":
        await memory.governance.classify(said.id, "restricted", reason="private")
    elif by == "deleted":
        await memory.delete(said.id)
    else:
        await memory.governance.erasure.erase(memories=[said.id], reason="a test")
    assert "blue boat" not in repr([await low.notes.chunks("s"), await low.context("s")])
    assert ("blue boat" in repr(await memory.notes.chunks("s"))) == (by == "closed")


@requirement("classes.told")
async def test_a_class_is_lowered_by_an_operator_with_a_reason_alone(memory: Memory) -> None:
    record = (await memory.save("The password rules of the shop", tags=["shop"])).record
    assert (await memory.edit(record.id, Changes(classification="internal"))).record.classification == "confidential"
    with pytest.raises(InvalidInput, match="reason must have 1 to 200 characters"):
        await memory.governance.classify(record.id, "internal", reason=" ")
    lowered = await memory.governance.classify(record.id, "internal", reason="rules, no password")
    assert lowered.classification == "internal"
    # Nor does another tag close it again, or a text that asks for no more than what the operator saw.
    assert (await memory.edit(record.id, tags=["rules"])).record.classification == "internal"
    assert (await memory.edit(record.id, "The password is 12 long")).record.classification == "internal"
    assert (await memory.edit(record.id, "Its passport number is lost")).record.classification == "restricted"


@requirement("classes.told")
@pytest.mark.parametrize("text", ["The shop opens at nine", "The password rules of the shop"])
async def test_the_class_that_an_operator_gave_outlives_later_saves(memory: Memory, text: str) -> None:
    source = (await memory.record("It says so on the door")).record
    record = (await memory.save(text, topic_key="shop", evidence=[source.id])).record
    await memory.governance.classify(record.id, "public", reason="it is on the door")
    for written in (
        await memory.save(text, topic_key="shop", evidence=[source.id]),
        await memory.save(
            NewObservation(text=f"{text}, says the door", topic_key="shop", tags=["shop"], metadata={"seen": True})
        ),
        await memory.edit(record.id, title="Shop"),
        await memory.edit(record.id, f"{text}, as ever", metadata={"seen": False}, tags=["door"]),
    ):
        assert written.record.classification == "public"
    assert (await memory.edit(record.id, "Her passport number is lost")).record.classification == "restricted"


@requirement("classes.told")
async def test_a_class_in_the_metadata_counts_as_the_argument_does(memory: Memory) -> None:
    said = (await memory.record("We open at nine", metadata={"classification": "confidential"})).record
    claim = (
        await memory.save(NewObservation(text="The shop opens at nine", metadata={"classification": "restricted"}))
    ).record
    assert (said.classification, claim.classification) == ("confidential", "restricted")
    assert (await memory.edit(claim.id, metadata={"classification": "public"})).record.classification == "restricted"
    both = await memory.save(
        NewObservation(text="It closes at six", classification="restricted", metadata={"classification": "internal"})
    )
    assert both.record.classification == "restricted"
    for n, named in enumerate(("Restricted", "RESTRICTED", " restricted\n")):
        spelt = (await memory.save(NewObservation(text=f"Door {n} is blue", metadata={"classification": named}))).record
        assert (spelt.classification, spelt.metadata) == ("restricted", {"classification": named})
    other = (
        await memory.save(NewObservation(text="It is shut on Mondays", metadata={"classification": "opening hours"}))
    ).record
    assert (other.classification, other.metadata) == ("internal", {"classification": "opening hours"})
