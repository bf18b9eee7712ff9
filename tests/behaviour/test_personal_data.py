"""A memory that holds a card number, an IBAN or a social security number says so in its metadata."""

import random

import pytest

from remembrancer import Memory
from remembrancer.governance.personal import personal_data

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
    for number in (*IBANS, *map(grouped, IBANS)):
        assert (await memory.save(f"pay to {number}.")).record.metadata == {"personal": ["iban"]}
    both = (await memory.save(f"123-45-6789 and {CARDS[0]}", metadata={"personal": True})).record
    assert both.metadata == {"personal": True, "remembrancer.personal": ["card", "ssn"]}


@requirement("personal.tagged")
async def test_other_numbers_are_no_personal_data(memory: Memory) -> None:
    wrong = [f"{card[:-1]}{(int(card[-1]) + 1) % 10}" for card in CARDS]
    near = (
        *("2026-11-23 10:00", "order 1234567890123456", "tel. 555-123-4567", "000-12-3456", "v1.2.3-45-6789"),
        *("DE00 3704 0044 0532 0130 00", "0000000000000000", *wrong),
    )
    for text in near:
        assert (await memory.save(f"see {text}")).record.metadata == {}
        assert personal_data(text) == frozenset()
