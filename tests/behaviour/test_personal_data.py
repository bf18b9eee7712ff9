"""A memory that holds a card number, an IBAN or an identity number says so, and what policies make of that."""

import random

import pytest

from remembrancer import Memory, NewObservation, NotAllowed, Scope
from remembrancer.guard.personal.find import find_personal
from remembrancer.types.new import NewEpisode
from remembrancer.types.policy import PersonalDataType

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener()


def checked(body: str) -> str:
    """A number with the last digit that a card has."""
    total = sum(
        sum(divmod(2 * int(digit), 10)) if place % 2 == 0 else int(digit) for place, digit in enumerate(body[::-1])
    )
    return f"{body}{-total % 10}"


def iban(country: str, account: str) -> str:
    rest = int("".join(str(int(letter, 36)) for letter in f"{account}{country}00")) % 97
    return f"{country}{98 - rest:02d}{account}"


def grouped(number: str, mark: str = " ") -> str:
    return mark.join(number[at : at + 4] for at in range(0, len(number), 4))


CARDS = [
    checked(start + "".join(random.Random(n).choices("0123456789", k=15 - len(start))))
    for n, start in enumerate(("4", "51", "2221", "6011"))
]
IBANS = [iban("DE", "370400440532013000"), iban("GB", "NWBK60161331926819"), iban("FR", "20041010050500013M02606")]


@requirement("personal.tagged")
async def test_what_a_memory_holds_of_a_person_is_told_in_its_metadata(memory: Memory) -> None:
    for card in (*CARDS, *map(grouped, CARDS), grouped(CARDS[0], "-")):
        said = (await memory.record(f"my card is {card}, thanks", session="s")).record
        assert (card in said.text, said.metadata) == (True, {"personal": ["card"]})
    for number in (
        *IBANS,
        *map(grouped, IBANS),
        IBANS[1].lower(),
        grouped(IBANS[0], "  "),
        f"{IBANS[0]} from your bank this week",
    ):
        assert (await memory.save(f"pay to {number}.")).record.metadata == {"personal": ["iban"]}
    both = (await memory.save(NewObservation(text=f"123-45-6789 and {CARDS[0]}", metadata={"personal": True}))).record
    assert both.metadata == {"personal": True, "remembrancer.personal": ["card", "identity"]}


@requirement("personal.tagged")
async def test_a_card_is_one_however_it_is_grouped_and_wherever_it_stands(memory: Memory) -> None:
    card = CARDS[0]
    arabic = card.translate({ord("0") + digit: chr(0x660 + digit) for digit in range(10)})
    pairs, spelt = " ".join(card[at : at + 2] for at in range(0, 16, 2)), " ".join(card)
    behind = (f"of 2026-11-23 {grouped(card, '/')}", f"room 3 {grouped(card, '.')}", f"555 1234 {grouped(card, '–')}")
    between = (".", "  ", "–", "/", " -", " - ", "\t", "\n", "_", ",")
    for text in (
        *(grouped(card, mark) for mark in between),
        arabic,
        pairs,
        spelt,
        f"No.{card}",
        f"{spelt}, Ana",
        f"no{card}EUR",
        *behind,
    ):
        record = (await memory.save(f"my card is {text}, thanks")).record
        assert (record.classification, record.metadata) == ("restricted", {"personal": ["card"]}), text
    told = [
        await memory.save(NewObservation(text="a number", metadata={"card": int(card)})),
        await memory.save("a key", topic_key=f"card {card}"),
        await memory.save("a session", session=f"card {card}"),
        await memory.facts.set(f"card.{card[:4]}", int(card)),
        await memory.episodes.record("paid", attributes={"card": int(card)}),
    ]
    assert {saved.record.classification for saved in told} == {"restricted"}
    agent = await hidden(memory)
    assert card not in repr([await agent.facts.list(), await agent.episodes.list(), await agent.get(told[0].record.id)])


@requirement("personal.redacted")
async def test_what_is_masked_stands_in_no_number_and_no_name(memory: Memory) -> None:
    card = CARDS[0]
    await memory.governance.redactions.set("card", "mask")
    assert (await memory.save(NewObservation(text="a number", metadata={"card": int(card)}))).record.metadata == {
        "card": "[CARD]"
    }
    assert (await memory.facts.set("card", int(card))).record.details.value == "[CARD]"
    for refused in (
        memory.save("a key", topic_key=f"card {card}"),
        memory.record("hello", session=f"card {card}"),
        memory.facts.set(f"card {card}", "old"),
        memory.governance.holds.place(f"case {card}", reason="a claim is open"),
        memory.governance.holds.place("case 7", reason=f"a claim on {card}"),
        memory.governance.retention.set(f"of {card}", keep_days=5),
    ):
        with pytest.raises(NotAllowed, match="contains personal data \\(card\\)"):
            await refused
    assert card not in repr(await memory.list(limit=100))


@requirement("personal.tagged")
async def test_other_numbers_are_no_personal_data(memory: Memory) -> None:
    wrong = [f"{card[:-1]}{(int(card[-1]) + 1) % 10}" for card in CARDS]
    near = (
        *("2026-11-23 10:00", "order 1234567890123456", "000-12-3456", "v1.2.3-45-6789"),
        *("DE00 3704 0044 0532 0130 00", "0000000000000000", *wrong, " ".join(CARDS[0] + "12"), f"0.{CARDS[0]}"),
        *("2023, 2024, 2025, 2026", grouped(CARDS[0], "\t") + "\t1234", f"1234, {grouped(CARDS[0], ', ')}"),
    )
    for text in near:
        assert (await memory.save(f"see {text}")).record.metadata == {}
        assert not [one for one in find_personal(text) if one.data_type is not PersonalDataType.PHONE]


@requirement("personal.tagged")
async def test_identity_numbers_are_told_by_their_check_digits(memory: Memory) -> None:
    for number in (
        *("123-45-6789", "AB 12 34 56 C", "my NHS number is 943 476 5919", "1234567T", "Steuer-ID 36 574 261 809"),
        *("756.9217.0769.85", "54362315K", "X2482300W", "2 95 10 99 126 111 93", "RCCMNL83S18D969H"),
    ):
        assert (await memory.save(f"it is {number}, keep it")).record.metadata == {"personal": ["identity"]}, number


async def hidden(memory: Memory) -> Memory:
    """The same for somebody whom an access key lets in, which gives no right to see personal data."""
    key = await memory.admin.keys.create("agent")
    return memory.authenticator.memory_of(await memory.authenticator.authenticate(key.token, origin="library"))


@requirement("personal.redacted")
async def test_who_may_not_see_it_reads_marks_in_every_way_of_reading(memory: Memory) -> None:
    card = CARDS[0]
    said = (await memory.record(f"my card is {card}, thanks", session="s", speaker="Ana")).record
    note = (await memory.save(f"Ana pays with {card}", title=f"card {card}", topic_key="pay")).record
    await memory.facts.set("profile.card", card)
    await memory.episodes.record_many([NewEpisode(summary="paid an invoice", attributes={"card": card})])
    agent = await hidden(memory)
    told = [
        await agent.get(said.id), await agent.list(), await agent.recall("card", abstain=False),
        await agent.timeline.history(note.id), await agent.timeline.between(), await agent.facts.list(),
        await agent.context("s", mode="brief"), await agent.context("s", question="which card?"),
        await agent.episodes.list(),
        await agent.evidence(note.id), await agent.edit(note.id, tags=["x"]), await agent.sessions.start("t"),
    ]  # fmt: skip
    assert [one for one in told if card in repr(one)] == []
    assert (await agent.get(said.id)).text == "my card is [CARD], thanks"
    assert (await agent.get(topic_key="pay")).text == "Ana pays with [CARD]"
    # What is changed without the right to see it is not lost.
    assert (await memory.get(note.id)).text == f"Ana pays with {card}"
    assert card in repr(await memory.context("s", question="which card?"))


@requirement("personal.redacted")
async def test_what_an_observer_said_of_a_task_is_hidden_as_policies_say(memory: Memory) -> None:
    await memory.governance.redactions.set("email", "tag")
    mail = "ana.ruiz@example.org"
    await memory.record(f"Please write to {mail} about the roof", session="s", speaker=mail)
    await memory.notes.observe("s")
    assert mail in repr(await memory.notes.chunks("s"))
    agent = await hidden(memory)
    assert mail not in repr([await agent.notes.chunks("s"), await agent.context("s")])


@requirement("personal.redacted")
async def test_a_scope_has_it_masked_refused_or_left_alone(memory: Memory) -> None:
    card, mail = CARDS[1], "ana@example.org"
    await memory.governance.redactions.set("card", "mask")
    await memory.governance.redactions.set("email", "mask")
    await memory.governance.redactions.set("iban", "refuse")
    await memory.governance.redactions.set("identity", "off")
    record = (await memory.save(NewObservation(text=f"{card} or {mail}", tags=[mail], metadata={mail: [card]}))).record
    assert (record.text, record.tags, record.metadata) == ("[CARD] or [EMAIL]", ("[EMAIL]",), {"[EMAIL]": ["[CARD]"]})
    assert (await memory.save("123-45-6789")).record.metadata == {}
    with pytest.raises(NotAllowed, match="personal data \\(iban\\); remove it"):
        await memory.record(f"pay to {IBANS[0]}")
    assert [(one.data_type, one.redaction) for one in await memory.governance.redactions.list()] == [
        ("card", "mask"), ("iban", "refuse"), ("identity", "off"), ("email", "mask"), ("phone", "tag"), ("ip", "off"),
        ("person", "off"), ("place", "off"),
    ]  # fmt: skip
    await memory.governance.redactions.unset("iban")
    assert (await memory.record(f"pay to {IBANS[0]}")).record.metadata == {"personal": ["iban"]}


@requirement("personal.redacted")
async def test_of_policies_of_several_scopes_the_strictest_holds(memory: Memory) -> None:
    project = memory.within(Scope(project="apollo"))
    await memory.governance.redactions.set("card", "mask")
    await project.governance.redactions.set("card", "off")
    assert (await project.save(f"card {CARDS[0]}")).record.text == "card [CARD]"
    await memory.governance.redactions.set("card", "off")
    assert (await project.save(f"card {CARDS[0]}")).record.metadata == {}
