"""Months of one contact's mail, and what an agent reads before it answers the next one."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from remembrancer import Budget, ContextRequest, Memory, Scope
from remembrancer.types.new import NewEpisode
from remembrancer.types.text import ESTIMATE
from tests.learning import DAY, Life, done

from .requirements import requirement

pytestmark = pytest.mark.anyio

MARIA = Scope(tenant="nico-rossi", agent="email", user="maria")
MARCO = "Marco Bertelli"
OTHERS = ("Elena Fabbri", "Paolo Conti", "Studio Nove", "Ada Greco")
ROUTINE = ("confirmed an order", "answered a shipping question", "sent a delivery date", "filed a receipt")
_SEMICOLONS = (
    "removed semicolon from second paragraph",
    "deleted a semicolon in the opener",
    "took out the semicolons",
)
_EXCLAMATIONS = ("removed exclamation mark", "deleted the exclamation marks")
DAYS = 150
QUIET = 12
FRIDAY = 4
HALF_PAST_TWO = timedelta(hours=14, minutes=30)


def mail(day: datetime, number: int, *, quiet: bool) -> Iterator[NewEpisode]:
    """What the agent did on a working day, and what Maria made of it; little of it for Marco in a quiet time."""
    other = OTHERS[number % len(OTHERS)]
    nine = day.replace(hour=9, minute=7 * number % 60)
    yield done(ROUTINE[number % 4], nine, contact=other, event="approval_approved", topic="orders")
    yield done(ROUTINE[(number + 1) % 4], nine + timedelta(hours=2), contact=other, topic="orders")
    if number % 2 == 0:
        whom = MARCO if number % 4 == 0 and not quiet else other
        yield done(_SEMICOLONS[number % 3], nine + timedelta(hours=3), contact=whom, event="user_correction")
    if (not quiet and number % 2 == 0) or number % 6 == 0:
        yield done("drafted a reply on an order", nine + timedelta(hours=1), contact=MARCO, event="approval_approved")
    if not quiet and number % 2 == 1:
        at = nine + timedelta(hours=1 + number % 7)
        yield done(_EXCLAMATIONS[number // 2 % 2], at, contact=MARCO, event="approval_modified")
    if number % 4 == 1:
        amount = 10_500 + 731 * (number % 7)
        at = nine + timedelta(hours=5)
        yield done("wrote a quote", at, contact=other, event="approval_rejected", topic="quotes", amount=amount)
    if number % 4 == 3:
        at = nine + timedelta(hours=5)
        amount = 900 + 830 * (number % 9)
        yield done("wrote a quote", at, contact=other, event="approval_approved", topic="quotes", amount=amount)
    if day.weekday() == FRIDAY:
        late = day.replace(hour=0, minute=0) + HALF_PAST_TWO
        for minutes in (20, 95):
            yield done("deferred the answer to Monday", late + timedelta(minutes=minutes), contact=other)


async def half_a_year(life: Life, memory: Memory) -> None:
    """Every working day of five months, and a night every other week; in the last days each night."""
    number, waiting = 0, list[NewEpisode]()
    for day in range(DAYS):
        quiet = day >= DAYS - QUIET
        today = life.clock.now()
        if today.weekday() <= FRIDAY:
            waiting += mail(today, number, quiet=quiet)
            number += 1
        if number % 4 == 2 and not quiet:
            await memory.episodes.signal(
                "routed_differently",
                summary="handed the quote request on",
                contact=MARCO,
                attributes={"topic": "quotes", "from": "sales", "to": "manager"},
                occurred_at=today,
            )
        life.clock.move(DAY)
        if day % 14 == 0 or day >= DAYS - 3:
            await memory.episodes.record_many(waiting)
            waiting.clear()
            await memory.admin.maintenance.run()


async def known_to_maria(memory: Memory) -> None:
    """What she has told about herself, her contacts and her rules."""
    await memory.facts.set("user", {"name": "Maria Rossi", "company": "Nico Rossi Ltd", "tone": "formal and concise"})
    await memory.facts.set(
        "contact/Marco Bertelli",
        {"company": "Bertelli & Co", "role": "client", "tone": "formal, no exclamation marks"},
        category="contact",
    )
    await memory.facts.set("approval", "nothing is sent before it is approved", category="rule")


@requirement("behaviour.block")
async def test_the_agent_reads_what_months_with_its_contact_have_taught(life: Life) -> None:
    memory = life.of(MARIA)
    await known_to_maria(memory)
    await half_a_year(life, memory)
    await memory.admin.index.embed()
    context = await memory.context(
        ContextRequest(
            task="Answer Marco Bertelli in a draft, without exclamation marks.",
            contact=MARCO,
            record_access=False,
            budget=Budget(window=32_000),
        )
    )
    block = context.text

    for fact in ("Maria Rossi", "Bertelli & Co", "no exclamation marks", "before it is approved"):
        assert fact in block
    rules = [procedure.text for procedure in await memory.rules.list()]
    for word in ("semicolon", "exclamation", "manager"):
        assert any(word in rule for rule in rules), rules
    assert all(rule in block for rule in rules)
    (marks,) = [one for one in await memory.patterns.list() if "xclamation" in one.text]
    assert marks.learned is not None
    assert f"confidence · {marks.learned.occurrences} cases in all" in block
    assert "weekly summary" in block
    assert "monthly summary" in block
    assert "month ago · weekly summary" in block
    assert "months ago · monthly summary" in block
    assert ESTIMATE.count(block) <= 32_000
    for other in OTHERS:
        assert f"interactions with {other}" not in block
    for slot, most in (("facts", 600), ("procedures", 400), ("episodes", 1_200), ("recalled", 600)):
        assert 0 < context.report.slots[slot] <= most
    assert context.report.dropped.keys() <= {"recalled"}
