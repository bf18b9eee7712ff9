"""What holds under a key, since when and until when, and who is believed."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from remembrancer import Budget, ContextRequest, InvalidInput, Memory, NotFound, Scope
from remembrancer.types.results import Outcome
from tests.learning import ANA, BEN, DAY, Life, everything

from .requirements import requirement

pytestmark = pytest.mark.anyio

KEY = "contact/bertelli/tone"


@requirement("facts.valid")
async def test_a_fact_holds_until_another_is_told(life: Life) -> None:
    facts, start = life.memory.facts, life.clock.now()
    assert (await facts.set(KEY, "formal")).outcome == "created"
    assert (await facts.set(KEY, "formal")).outcome == "deduped"
    life.clock.move(DAY)
    assert (await facts.set(KEY, "formal")).outcome == "deduped"
    assert (await facts.set(KEY, "warm", category="contact")).outcome == "updated"
    assert (await facts.get(KEY)).details.value == "warm"
    assert (await facts.get(KEY, at=start)).details.value == "formal"
    assert [fact.details.value for fact in await facts.history(KEY)] == ["warm", "formal"]
    await facts.end(KEY)
    for read in (facts.get(KEY), facts.end(KEY), facts.get("never told")):
        with pytest.raises(NotFound):
            await read
    assert await facts.list() == []
    assert len(await facts.history(KEY)) == 2
    assert "warm" not in (await life.memory.context(task="write to Bertelli")).text


@requirement("facts.valid")
async def test_at_any_time_one_value_holds_however_facts_were_told(life: Life) -> None:
    facts, now = life.memory.facts, life.clock.now()
    await facts.set(KEY, "a", valid_from=now)
    await facts.set(KEY, "d", valid_from=now + 30 * DAY)
    with pytest.raises(InvalidInput, match="set valid_to to that or earlier"):
        await facts.set(KEY, "b", valid_from=now + 10 * DAY, valid_to=now + 40 * DAY)
    await facts.set(KEY, "b", valid_from=now + 10 * DAY, valid_to=now + 30 * DAY)
    held = [fact.details for fact in await facts.history(KEY)]
    assert [one.value for one in held if one.is_valid_at(now + 35 * DAY)] == ["d"]
    await facts.set(KEY, "c", valid_from=now + 20 * DAY)
    await facts.set(KEY, "C", valid_from=now + 20 * DAY)
    held = [fact.details for fact in await facts.history(KEY)]
    for hours in range(-24, 60 * 24, 12):
        at = now + timedelta(hours=hours)
        assert len([one for one in held if one.is_valid_at(at)]) <= 1
    found = [(await facts.get(KEY, at=now + days * DAY)).details.value for days in (0, 9, 10, 20, 29, 30, 50)]
    assert found == ["a", "a", "b", "C", "C", "d", "d"]


@requirement("facts.valid")
async def test_what_is_said_for_a_while_gives_way_for_that_while(life: Life) -> None:
    facts, now = life.memory.facts, life.clock.now()
    await facts.set(KEY, "formal", valid_from=now)
    await facts.set(KEY, "casual", valid_from=now + 10 * DAY, valid_to=now + 20 * DAY)
    found = [(await facts.get(KEY, at=now + days * DAY)).details.value for days in (9, 10, 19, 20, 300)]
    assert found == ["formal", "casual", "casual", "formal", "formal"]


@requirement("recording.secrets-are-masked")
async def test_no_secret_is_kept_in_a_fact_an_attribute_or_a_name(life: Life) -> None:
    letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    token, other = f"ghp_{letters}", f"ghp_{letters[::-1]}"
    saved = [await life.memory.facts.set(token, {"password": "hunter2xyzzy", token: 1, other: 2}) for _ in range(2)]
    assert [one.outcome for one in saved] == ["created", "deduped"]
    assert len(saved[0].record.details.value) == 3  # pyright: ignore[reportArgumentType] -- a mapping
    attributes = {"password": "hunter2xyzzy", token: "x", other: "y"}
    episode = (await life.memory.episodes.record("logged in", attributes=attributes)).record
    assert len(episode.details.attributes) == 3
    kept = repr(await everything(life)) + (await life.memory.context(task="log in")).text
    for secret in ("hunter2xyzzy", token[4:], other[4:]):
        assert secret not in kept


@requirement("recording.size-limits")
async def test_what_cannot_be_kept_is_refused_with_what_to_change(life: Life) -> None:
    for value in ({1: 2}, 10**5000, float("nan"), "a\0b", {"a": "\ud800"}):
        with pytest.raises(InvalidInput):
            await life.memory.facts.set("n", value)  # pyright: ignore[reportArgumentType] -- what a stranger may give
    for key in ("/", "a//b", "/a", " / "):
        with pytest.raises(InvalidInput, match="empty"):
            await life.memory.facts.set(key, "x")
    for attribute in ("x\ud800", "x\0y", 10**5000, float("inf")):
        with pytest.raises(InvalidInput):
            await life.memory.episodes.record("filed", attributes={"a": attribute})
    with pytest.raises(InvalidInput, match="time zone"):
        await life.memory.episodes.list(since=datetime(2026, 1, 1))  # noqa: DTZ001 -- naive on purpose
    for year in (1, 9999):
        with pytest.raises(InvalidInput, match="out of range"):
            await life.memory.episodes.record("filed", occurred_at=datetime(year, 1, 1, tzinfo=UTC))


@requirement("facts.valid")
async def test_values_of_another_type_are_another_value(life: Life) -> None:
    facts = life.memory.facts
    for value in (1, True, "1", 1.5, None, ["a", "b"], {"a": 1, "b": [True, None]}):
        assert (await facts.set("x", value)).record.details.value == value
        assert type((await facts.get("x")).details.value) is type(value)
        life.clock.move(DAY)
        assert (await facts.set("x", value)).outcome == "deduped"
        life.clock.move(DAY)
    assert (await facts.set("x", ("a", "b"))).outcome == "updated"
    assert (await facts.set("x", ("a", "b"))).outcome == "deduped"
    now = life.clock.now()
    for wrong in (
        {"valid_from": now, "valid_to": now},
        {"category": "moods"},
        {"valid_from": now.replace(tzinfo=None)},
    ):
        with pytest.raises(InvalidInput):
            await facts.set("y", "v", **wrong)  # pyright: ignore[reportArgumentType] -- that is what is refused
    with pytest.raises(InvalidInput):
        await facts.set("y", "v" * 5_000)


@requirement("facts.nearest", "feedback.own-scope")
async def test_the_nearest_scope_is_believed_and_no_other_user(life: Life) -> None:
    scopes = (Scope(tenant="acme"), Scope(tenant="acme", agent="mail"), ANA)
    for name, scope in zip(("tenant", "agent", "user"), scopes, strict=True):
        await life.of(scope).facts.set(KEY, name)
    await life.of(BEN).facts.set("secret", "of Ben")
    assert [(await life.of(scope).facts.get(KEY)).details.value for scope in scopes] == ["tenant", "agent", "user"]
    assert (await life.of(BEN).facts.get(KEY)).details.value == "agent"
    for other in (ANA, Scope(tenant="rival", agent="mail", user="ben"), scopes[0]):
        with pytest.raises(NotFound):
            await life.of(other).facts.get("secret")
        assert "of Ben" not in (await life.of(other).context(task="tell")).text
    await life.memory.facts.end(KEY)
    assert (await life.memory.facts.get(KEY)).details.value == "agent"


async def read_below(life: Life, key: str) -> list[object]:
    """What a caller who may not see all reads of a key."""
    below = life.memory.within(ANA, clearance="internal")
    return [fact.details.value for fact in await below.facts.history(key)]


@requirement("recording.class-may-rise")
async def test_a_new_value_has_at_least_the_class_of_those_before(life: Life) -> None:
    facts = life.memory.facts
    await facts.set(KEY, 90_000, classification="restricted")
    assert (await facts.set(KEY, 95_000)).record.classification == "restricted"
    life.clock.move(DAY)
    assert (await facts.set(KEY, 97_000, classification="internal")).record.classification == "restricted"
    assert (await facts.set(KEY, 80_000, valid_from=life.clock.now() - 9 * DAY)).record.classification == "restricted"
    await facts.end(KEY)
    assert (await facts.set(KEY, 99_000)).record.classification == "restricted"
    assert await read_below(life, KEY) == []


@requirement("recording.class-may-rise")
async def test_the_class_of_what_is_said_again_is_raised(life: Life) -> None:
    facts = life.memory.facts
    first = (await facts.set(KEY, 95_000, author="ana")).record
    life.clock.move(DAY)
    raised = await facts.set(KEY, 95_000, classification="restricted")
    assert (raised.outcome, raised.record.id, raised.record.classification) == ("updated", first.id, "restricted")
    assert raised.record.details == first.details
    for said in ("restricted", "internal", None):
        assert (await facts.set(KEY, 95_000, classification=said)).outcome is Outcome.DEDUPED
    assert await read_below(life, KEY) == []


async def pause(memory: Memory, id: str) -> None:
    await memory.patterns.pause(id)


async def retire(memory: Memory, id: str) -> None:
    await memory.patterns.retire(id)


@requirement("recording.left-out-stays")
@pytest.mark.parametrize("left_out", [pause, retire])
async def test_a_fact_that_was_left_out_stays_so(
    life: Life, left_out: Callable[[Memory, str], Awaitable[None]]
) -> None:
    facts = life.memory.facts
    first = (await facts.set(KEY, "formal")).record
    await left_out(life.memory, first.id)
    status = (await life.memory.get(first.id)).status
    for since in (None, life.clock.now() - DAY, life.clock.now() + DAY):
        again = await facts.set(KEY, "formal", valid_from=since)
        assert (again.outcome, again.record.id, again.record.status) == (Outcome.DEDUPED, first.id, status)
    assert (await facts.set(KEY, "formal", valid_to=life.clock.now() + DAY)).outcome is Outcome.DEDUPED
    assert await facts.list() == []
    assert (await facts.set(KEY, "formal", classification="restricted")).record.classification == "restricted"
    assert (await life.memory.get(first.id)).status is status

    life.clock.move(DAY)
    warm = await facts.set(KEY, "warm")
    assert (warm.outcome, warm.record.status, warm.record.classification) == ("created", "active", "restricted")
    assert (await facts.set(KEY, "formal")).outcome is Outcome.DEDUPED
    assert [fact.details.value for fact in await facts.list()] == ["warm"]


@requirement("recording.class-may-rise")
async def test_who_may_not_see_a_value_does_not_lower_its_class(life: Life) -> None:
    await life.memory.facts.set("salary", 100, classification="restricted")
    low = life.memory.within(life.memory.scope, clearance="internal")
    await low.facts.set("salary", 200)
    told = [(one.details.value, one.classification) for one in await life.memory.facts.history("salary")]
    assert told == [(200, "restricted"), (100, "restricted")]


@requirement("facts.slot")
async def test_of_many_contacts_the_one_that_it_concerns_and_those_that_are_named_are_told(life: Life) -> None:
    facts = life.memory.facts
    await facts.set("name", "Ada Lovelace")
    for number in range(80):
        await facts.set(f"contact/person-{number:02}x/tone", "formal, in the afternoon", category="contact")
    await facts.set("contact/Maria Rossi/tone", "informal", category="contact")
    await facts.set("contacts/bertelli/city", "Turin", category="contact")

    plain = await life.memory.context(ContextRequest(session="talk", question="What is new?", record_access=False))
    assert "Ada Lovelace" in plain.text
    assert "82 facts about 82 other contacts are known" in plain.text
    assert "informal" not in plain.text
    assert plain.report.slots["facts"] < 600
    assert len(plain.report.dropped["facts"]) == 82

    named = await life.memory.context(
        ContextRequest(session="talk", question="What do I write to Maria?", contact="Bertelli", record_access=False)
    )
    assert "contacts / bertelli: city: Turin" in named.prefix
    assert "contact / Maria Rossi: tone: informal" in named.text.removeprefix(named.prefix)
    assert len(named.report.dropped["facts"]) == 80
    again = await life.memory.context(
        ContextRequest(session="talk", question="And to person 07x?", contact="Bertelli", record_access=False)
    )
    assert again.prefix == named.prefix

    wide = await life.memory.context(
        ContextRequest(
            session="talk", question="What is new?", record_access=False, budget=Budget(slots={"facts": 20_000})
        )
    )
    assert "informal" in wide.prefix
    assert "facts" not in wide.report.dropped


@requirement("facts.slot")
async def test_the_facts_of_the_contact_come_first(life: Life) -> None:
    for name in ("anna", "bertelli", "zoe"):
        await life.memory.facts.set(f"contact/{name}/tone", f"{name} likes it short", category="contact")
    text = (
        await life.memory.context(
            ContextRequest(session="talk", question="What do I write?", contact="Zoe", record_access=False)
        )
    ).text
    assert text.index("zoe likes") < text.index("anna likes") < text.index("bertelli likes")
