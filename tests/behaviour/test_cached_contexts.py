"""Contexts that are kept for a moment: the same as without, for the same caller alone, and gone with what is erased."""

import os
from collections.abc import Awaitable, Callable, Generator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, TypeAlias

import pytest

from remembrancer import Changes, Context, ContextRequest, Filter, Memory, NewObservation, RemembrancerError, Scope
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Unmetered
from remembrancer.types.scope import Scope as Of
from tests.databases import SECRET
from tests.deleting import delete_or_erase
from tests.redis_server import RedisServer, serving

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

ANA = Scope(tenant="acme", agent="clerk", user="ana")
SHARED = Scope(tenant="acme", agent="clerk")
BEN = Scope(tenant="acme", agent="clerk", user="ben")
QUESTION = "Which port does the gateway listen at?"
STEPS = 400 if os.environ.get("REMEMBRANCER_SOAK") else 15
Step: TypeAlias = Callable[[Memory, Random], Awaitable[object]]


class Searches(Unmetered):
    """A meter that counts questions to memory."""

    def __init__(self) -> None:
        self.count = 0
        self.hits: list[bool] = []

    def cached(self, *, hit: bool) -> None:
        self.hits.append(hit)

    def recalled(self, scope: Of, *, seconds: float, abstained: bool) -> None:
        self.count += 1


@pytest.fixture(scope="module")
def redis() -> Generator[RedisServer]:
    with serving() as server:
        yield server


@pytest.fixture
def own_redis() -> Generator[RedisServer]:
    """A Redis that holds nothing of other tests."""
    with serving() as server:
        yield server


@pytest.fixture(params=["process", "redis"])
def cached(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The settings of a memory that keeps contexts, in its process or in Redis."""
    if request.param == "process":
        return {}
    server: RedisServer = request.getfixturevalue("redis")
    return {"redis_url": server.url}


def told(context: Context) -> object:
    """The report of a context without what was left out: which of those that rank alike hangs by the moment."""
    return replace(context.report, dropped={})


async def any_of(memory: Memory, chance: Random, *kinds: str) -> str:
    """The id of a memory of the scope itself."""
    found = [one for one in (await memory.list(Filter(kinds=kinds), limit=200)).records if one.scope == memory.scope]
    return chance.choice(found).id


async def save(memory: Memory, chance: Random) -> object:
    text = f"The gateway listens at port {chance.randrange(9_000)}."
    return await memory.save(text, type="decision", topic_key=chance.choice(["a", "b", None]))


async def record(memory: Memory, chance: Random) -> object:
    return await memory.record(f"The gateway has port {chance.randrange(9_000)} now.", session="s")


async def talk(memory: Memory, chance: Random) -> object:
    for number in range(12):
        await memory.record(f"On port {number} the gateway answers {chance.randrange(99)} callers. " * 8, session="s")
    return await memory.notes.observe("s")


async def edit(memory: Memory, chance: Random) -> object:
    id = await any_of(memory, chance, "observation")
    return await memory.edit(id, f"The gateway listens at {chance.randrange(9_000)}.")


async def delete(memory: Memory, chance: Random) -> object:
    return await delete_or_erase(
        memory, await any_of(memory, chance, "observation", "message"), erase=chance.random() < 0.5
    )


async def close(memory: Memory, chance: Random) -> object:
    id = await any_of(memory, chance, "observation")
    return await memory.edit(id, Changes(classification=chance.choice(["restricted", "public"])))


async def judge(memory: Memory, chance: Random) -> object:
    id = await any_of(memory, chance, "observation")
    return await chance.choice(
        [
            partial(memory.feedback, verdict="right"),
            partial(memory.feedback, verdict="wrong"),
            partial(memory.feedback, verdict="undo"),
        ]
    )(id)


async def pin(memory: Memory, chance: Random) -> object:
    return await memory.scores.pin(await any_of(memory, chance, "observation"))


async def know(memory: Memory, chance: Random) -> object:
    return await memory.facts.set("gateway.port", str(chance.randrange(9_000)))


async def rule(memory: Memory, chance: Random) -> object:
    return await memory.rules.add(f"Ask before port {chance.randrange(9_000)} is opened.")


async def act(memory: Memory, chance: Random) -> object:
    return await memory.episodes.record(f"opened port {chance.randrange(9_000)} of the gateway")


async def reflect(memory: Memory, _: Random) -> object:
    return await memory.notes.reflect("s")


async def night(memory: Memory, _: Random) -> object:
    return await memory.admin.maintenance.run()


ALL: tuple[Step, ...] = (save, record, talk, edit, delete, close, judge, pin, know, rule, act, reflect, night)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time stands: of memories that rank alike, an older answer may have told others."""
    clock = FakeClock()
    monkeypatch.setattr("remembrancer.assembly.engine.SystemClock", lambda: clock)


@requirement("cache.same-answer")
@pytest.mark.usefixtures("still")
async def test_whatever_is_written_a_context_reads_as_if_none_were_kept(opener: Opener, cached: dict[str, Any]) -> None:
    searches, chance = Searches(), Random(16)
    seen = {"clearance": "confidential", "embedder": "hash", "tenant": ANA.tenant, "agent": ANA.agent, "user": ANA.user}
    keeping = await opener(**seen, **cached, meter=searches)
    without = await opener(**seen, cache_seconds=0)
    writer = await opener(embedder="hash", tenant="acme", **cached)
    for scope in (ANA, SHARED):
        await save(writer.within(scope), chance)
        await record(writer.within(scope), chance)
    hits = refused = 0
    for number in range(STEPS):
        step, scope = chance.choice(ALL), chance.choice([ANA, ANA, SHARED])
        try:
            await step(writer.within(scope), chance)
        except (RemembrancerError, IndexError):
            # What cannot be done now, such as a verdict on nothing, has changed nothing.
            refused += 1
        occasions: tuple[dict[str, Any], ...] = ({"session": "s", "question": QUESTION}, {"task": "Open a port."})
        for asked in occasions:
            fresh = await without.context(ContextRequest(record_access=False, **asked))
            before = searches.count
            kept = [await keeping.context(ContextRequest(record_access=False, **asked)) for _ in range(2)]
            assert [one.text for one in kept] == [fresh.text] * 2, (number, step.__name__, scope)
            assert [told(one) for one in kept] == [told(fresh)] * 2
            hits += searches.count - before <= 2
    assert hits > STEPS
    assert refused < STEPS / 2


@requirement("cache.of-one-caller")
async def test_no_caller_reads_what_was_made_for_another(opener: Opener, cached: dict[str, Any]) -> None:
    searches = Searches()
    memory = await opener(tenant="acme", meter=searches, **cached)
    await memory.within(ANA).save(
        NewObservation(text="The gateway listens at port 8077.", type="decision", classification="restricted")
    )
    callers = [
        memory.within(ANA),
        memory.within(BEN),
        memory.within(SHARED),
        await opener(tenant="acme", agent="clerk", user="ana", clearance="internal", meter=searches, **cached),
    ]
    texts = [(await caller.context(ContextRequest(question=QUESTION, record_access=False))).text for caller in callers]
    assert ["listens" in text for text in texts] == [True, False, False, False]
    assert searches.count == len(callers)
    again = [(await caller.context(ContextRequest(question=QUESTION, record_access=False))).text for caller in callers]
    assert again == texts
    assert searches.count == len(callers)
    assert searches.hits == [False] * len(callers) + [True] * len(callers)


@requirement("cache.same-answer")
async def test_what_is_read_of_a_kept_context_is_written_down_each_time(opener: Opener, cached: dict[str, Any]) -> None:
    memory = await opener(tenant="acme", **cached)
    saved = await memory.save("The gateway listens at port 8077.", type="decision")
    await memory.record("Hello.", session="s")
    for _ in range(3):
        assert "listens" in (await memory.context("s", question=QUESTION)).text
    await memory.admin.flush()
    injected = await memory.sessions.injections("s")
    assert [one.records for one in injected] == [(saved.record.id,)] * 3
    assert all(one.ranks for one in injected)


@requirement("cache.lets-go")
async def test_what_is_erased_is_in_no_redis_either(opener: Opener, own_redis: RedisServer) -> None:
    memory = await opener(tenant="acme", embedder="hash", redis_url=own_redis.url, secret_key=SECRET)
    other = await opener(tenant="another", embedder="hash", redis_url=own_redis.url, secret_key=SECRET)
    # A name that is not among a few bytes by chance.
    reader = memory.within(replace(ANA, user="anastasia"))
    saved = await memory.within(SHARED).save("The gateway listens at port 8077.", type="decision")
    for one in (reader, memory.within(BEN), other):
        await one.context(question=QUESTION)
    held = own_redis.text()
    assert held.count(b"remembrancer:v1") == 6
    assert not any(word in held for word in (b"acme", b"anastasia", b"gateway", b"listens"))
    await memory.within(SHARED).governance.erasure.erase(memories=[saved.record.id], reason="a test")
    left = own_redis.text()
    # The other tenant's context, and the vector of its question.
    assert left.count(b"remembrancer:v1") == 2
    assert "listens" not in (await reader.context(question=QUESTION)).text


@requirement("cache.may-be-away")
async def test_a_redis_that_goes_and_comes_back_changes_no_answer(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("remembrancer.adapters.redis._RETRY_SECONDS", 0.05)
    with serving() as server:
        searches = Searches()
        memory = await opener(tenant="acme", embedder="hash", redis_url=server.url, meter=searches)
        await memory.save("The gateway listens at port 8077.", type="decision")
        text = (await memory.context(ContextRequest(question=QUESTION, record_access=False))).text
        server.kill()
        assert (await memory.context(ContextRequest(question=QUESTION, record_access=False))).text == text
        await memory.save("The gateway listens at port 9000 from May on.", type="decision")
        assert "9000" in (await memory.context(ContextRequest(question=QUESTION, record_access=False))).text
        server.start()
        for _ in range(20):
            assert "9000" in (await memory.context(ContextRequest(question=QUESTION, record_access=False))).text
        assert searches.count < 20
