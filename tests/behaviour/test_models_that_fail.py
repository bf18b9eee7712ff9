"""Models that answer nonsense, nothing, too late or not at all: a conversation goes on, and what failed is mended."""

import os
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import anyio
import pytest

from bench.invariant import Watch, recorded
from bench.replaying import caught_up
from remembrancer import (
    BadModelOutput,
    BudgetExceeded,
    ContextRequest,
    Memory,
    Observation,
    ProviderUnavailable,
    Reflection,
    Scope,
)
from remembrancer.context.report import Context
from remembrancer.learn.llm.observer import TEMPLATE
from remembrancer.learn.observer import WORDS
from remembrancer.learn.reflector import WORDS as WORDS_REFLECTING
from remembrancer.llm.budget import BudgetState
from remembrancer.llm.language_model import Prompt
from remembrancer.testing import FakeClock, ScriptedModel
from remembrancer.testing.language_model import ScriptedAnswer
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.budget import Window
from remembrancer.types.calls import CallPurpose
from remembrancer.types.jobs import StoreFault
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import Chunk, ChunkState
from remembrancer.types.text import ESTIMATE
from tests.conversing import opened
from tests.doubles import CountingIds, WatchedModel, WatchedStore
from tests.endpoints import HALTING, NEVER, Answer, Endpoint
from tests.engine import engine_of
from tests.engines.scripted import block, messages_in, observed
from tests.unit.providers.test_language_models import completion

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio

MODEL = "openai:small"
ASKING = f"asking-observer {TEMPLATE.version}"
# A message is a run, and the oldest of five give way.
SMALL: dict[str, Any] = {"observe_tokens": 220, "observe_chunk": 0.2, "reflect_tokens": 10_000, "model_retries": 0}
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)
WINDOW = Window(messages=220, observations=100)
Answering = Callable[[Prompt], str]


def sound(prompt: Prompt) -> str:
    """An answer of the agreed shape to whatever is asked: it names the messages that it was asked about."""
    if prompt.version.startswith("reply") or "<messages>" not in prompt.text:
        return "Heard."
    return misplaced()(prompt)


def misplaced(**fields: object) -> Answering:
    """A sound answer but for some fields of its observation."""

    def answer(prompt: Prompt) -> str:
        asked = messages_in(prompt)
        first, last = int(str(asked[0]["n"])), int(str(asked[-1]["n"]))
        room = re.search(r"room (\d+)", str(asked[-1]["text"]))
        text = telling(int(room[1])) if room else "The user decided that the hall is painted."
        return observed(block(first, last, text=text) | fields)

    return answer


def telling(room: int) -> str:
    """What a sound answer notes of a run that ends with a room."""
    return f"The user decided which colour room {room} has."


# What is no JSON of the agreed shape, and what is and cannot be true or kept.
UNUSABLE: dict[str, Answering] = {
    "garbage": lambda _: "I am sorry, I would rather not.",
    "half JSON": lambda prompt: sound(prompt)[:-20],
    "nothing": lambda _: "",
    "no observation": lambda _: observed(),
    "endless": misplaced(text="and so it went on, " * 400),
    "invented numbers": misplaced(messages=[9_000, 9_001]),
    "invented ids": misplaced(messages=["5a2c9d"]),
    "a date that nobody gave": misplaced(refers_to="2031-01-01"),
}
# What is of the shape, and what no store takes.
UNKEPT: dict[str, Answering] = {
    "a NUL in a text": misplaced(text="It said \0."),
    "a NUL in a task": lambda prompt: sound(prompt)[:-1] + r', "task": "\u0000"}',
    "a text without end": misplaced(text="\n".join(map(str, range(9_000)))),
}


class Scripted:
    """A model that answers as it is told, in this process."""

    def __init__(self, *, delay: float = 0.0, watched: WatchedStore | None = None) -> None:
        self.answering: Answering = sound
        self.model = WatchedModel(lambda prompt: self.answering(prompt), name=MODEL, delay=delay, watched=watched)

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.model.asked)

    @property
    def settings(self) -> dict[str, Any]:
        """Those by which a memory asks it."""
        return {**SMALL, "model": self.model}

    def heal(self) -> None:
        """It answers well from now on."""
        self.answering = sound


class Served:
    """A model behind an endpoint like OpenAI's, that answers as it is told, unless the endpoint itself fails."""

    def __init__(self) -> None:
        self.answering: Answering = sound
        self.failing: Answer | None = None
        self.usage: dict[str, Any] = {}
        self.endpoint = Endpoint(self._answer)

    @property
    def calls(self) -> int:
        """How often it was asked."""
        return len(self.endpoint.asked)

    @property
    def settings(self) -> dict[str, Any]:
        """Those by which a memory asks it."""
        return {**SMALL, "model": MODEL, "model_url": self.endpoint.url}

    def heal(self) -> None:
        """It answers well from now on."""
        self.answering, self.failing = sound, None

    def _answer(self, request: dict[str, Any]) -> Answer:
        if self.failing is not None:
            return self.failing
        text = self.answering(Prompt(system="", text=request["messages"][-1]["content"], version=""))
        return 200, completion(text, **({"usage": self.usage} if self.usage else {}))


@pytest.fixture
def served() -> Generator[Served]:
    made = Served()
    with made.endpoint.serving():
        yield made


class Talk:
    """A conversation, at each turn of which each message is told once.

    Args:
        ahead: whether what is done in the background is done between two turns.
        clock: moved with each turn.
    """

    def __init__(self, memory: Memory, *, ahead: bool = True, clock: FakeClock | None = None) -> None:
        self.memory = memory
        self.turns = 0
        self._ahead = ahead
        self._clock = clock
        self._watch = Watch("talk")

    async def goes_on(self, turns: int) -> Context:
        """Something is said and the block is looked at, so many times; the last block."""
        for _ in range(turns - 1):
            await self._turn()
        return await self._turn()

    async def says(self, messages: int) -> None:
        """So many messages come, and nobody asks for a block."""
        for _ in range(messages):
            await self._says()

    async def _turn(self) -> Context:
        await self._says()
        if self._ahead:
            await caught_up(self.memory)
        return await self.looked_at()

    async def _says(self) -> None:
        self.turns += 1
        text = f"I decided that room {self.turns} is painted in colour {self.turns * 7}, whatever you say of it now."
        self._watch.heard((await self.memory.record(text, session="talk")).record)
        if self._clock is not None:
            self._clock.move(MINUTE)

    async def looked_at(self) -> Context:
        """The block, in which nothing is wrong."""
        context = await self.memory.context(ContextRequest(session="talk", recall=False, record_access=False))
        assert await self._watch.look(self.memory, context) == []
        assert await self._watch.look_within(self.memory, context, ESTIMATE) == []
        return context

    async def notes(self) -> list[Observation]:
        """What was noted and stands."""
        notes = [note for note in await recorded(self.memory, "talk") if isinstance(note, Observation)]
        return [note for note in notes if note.status in (Status.ACTIVE, Status.BUFFERED)]

    async def engines(self) -> set[str]:
        """Who noted what stands."""
        return {note.engine for note in await self.notes()}


async def fails_and_recovers(opener: Opener, asked: Scripted | Served, answering: Answering) -> None:
    """A model answers for a while as it should not, and then as it should."""
    asked.answering = answering
    talk = Talk(await opener(**asked.settings))
    letters = await fails(talk)
    (total,) = (await talk.memory.admin.costs(days=1)).totals
    assert (total.model, total.calls) == (MODEL, asked.calls)

    asked.heal()
    await recovers(talk, letters)


async def fails(talk: Talk) -> list[Chunk]:
    """A conversation goes on while a model answers nothing that can be used; its dead letters."""
    context = await talk.goes_on(3)
    letters = await talk.memory.notes.failed()
    assert letters
    for letter in letters:
        assert (letter.state, bool(letter.failure)) == (ChunkState.DEAD, True)
        assert f"room {letter.first} is painted" in context.text, "it is told raw"
    assert await talk.engines() == set()
    assert (await talk.memory.sessions.stats("talk")).dead == len(letters)
    return list(letters)


async def recovers(talk: Talk, letters: Sequence[Chunk]) -> None:
    """The model answers well again, and what it could not observe is observed and told."""
    for letter in letters:
        again = await talk.memory.notes.retry("talk", letter.first)
        assert (again.failure, again.model, again.engine, again.tries) == ("", MODEL, ASKING, letter.tries + 1)
        await talk.looked_at()
    assert await talk.memory.notes.failed() == []
    await talk.goes_on(3)
    await talk.memory.notes.observe("talk")
    context = await talk.looked_at()
    for letter in letters:
        assert telling(letter.last) in context.text
        assert f"room {letter.first} is painted" not in context.text
    assert await talk.engines() == {ASKING}


@requirement("observing.model-may-fail", "observing.told-once")
@pytest.mark.parametrize("name", UNUSABLE)
async def test_what_cannot_be_used_of_a_model_is_told_raw_until_the_model_has_recovered(
    on_disk: Opener, name: str
) -> None:
    await fails_and_recovers(on_disk, Scripted(), UNUSABLE[name])


@requirement("observing.model-may-fail", "observing.told-once")
@pytest.mark.parametrize("name", UNKEPT)
async def test_what_no_store_can_keep_of_a_model_is_refused_as_any_other_fault(opener: Opener, name: str) -> None:
    await fails_and_recovers(opener, Scripted(), UNKEPT[name])


@requirement("observing.model-may-fail", "observing.told-once")
@pytest.mark.parametrize("name", ["half JSON", "nothing", "invented numbers"])
async def test_what_cannot_be_used_of_a_server_is_told_raw_until_the_server_has_recovered(
    on_disk: Opener, served: Served, name: str
) -> None:
    await fails_and_recovers(on_disk, served, UNUSABLE[name])


@requirement("observing.model-may-fail", "observing.told-once")
async def test_a_server_that_breaks_its_protocol_is_waited_for_likewise(on_disk: Opener, served: Served) -> None:
    served.failing = (200, b"<html>a gateway</html>")
    await fails_and_recovers(on_disk, served, sound)


async def goes_on_by_words(talk: Talk, asked: Scripted | Served, *, turns: int) -> None:
    """A conversation goes on while no model answers: the words observe, and nothing is dead."""
    await talk.goes_on(turns)
    assert asked.calls > 0
    assert await talk.engines() == {WORDS}
    assert await talk.memory.notes.failed() == []
    (total,) = (await talk.memory.admin.costs(days=1)).totals
    # What is broken off may never have reached it, and counts as if it had.
    assert total.failed == total.calls >= asked.calls


UNREACHABLE: dict[str, Answer] = {
    "500": (500, {"error": {"message": "quokka"}}),
    "429": (429, {"error": {"message": "quokka"}}),
    "too late": NEVER,
    "letter by letter": HALTING,
}


@requirement("observing.model-may-fail", "observing.told-once")
@pytest.mark.parametrize("name", UNREACHABLE)
async def test_while_a_server_does_not_answer_the_words_observe_and_then_it_is_asked_again(
    on_disk: Opener, served: Served, name: str, clock: FakeClock
) -> None:
    served.failing = UNREACHABLE[name]
    memory = await on_disk(**served.settings, model_seconds=0.1)
    talk = Talk(memory)
    await goes_on_by_words(talk, served, turns=4)

    served.heal()
    clock.move(MINUTE)
    talk.memory = await on_disk(**served.settings)
    await talk.goes_on(2)
    assert await talk.engines() == {WORDS, ASKING}


@requirement("observing.model-may-fail", "observing.told-once")
@pytest.mark.parametrize("deadline", ["model_seconds", "observe_seconds", "context_seconds"])
async def test_past_any_deadline_the_words_observe(on_disk: Opener, deadline: str) -> None:
    scripted = Scripted(delay=60.0)
    ahead = deadline != "context_seconds"
    talk = Talk(await on_disk(**scripted.settings, **{deadline: 0.2}), ahead=ahead)
    await goes_on_by_words(talk, scripted, turns=3 if ahead else 7)


@requirement("observing.model-may-fail", "observing.told-once")
async def test_who_asks_at_once_for_a_block_that_dead_letters_overrun_gets_it(opener: Opener) -> None:
    scripted = Scripted()
    scripted.answering = UNUSABLE["nothing"]
    memory = await opener(**scripted.settings)
    talk = Talk(memory, ahead=False)
    await talk.goes_on(4)
    await caught_up(memory)
    # Asked on and on, as long as its failures are not in a row.
    await memory.admin.doctor(repair=True)
    await talk.says(3)
    await caught_up(memory)
    assert len(await memory.notes.failed()) > 2

    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(memory.context, "talk")
    assert (await talk.looked_at()).report.covered > 0


@requirement("observing.review", "observing.model-may-fail")
async def test_what_a_model_observes_when_it_has_recovered_waits_for_a_person_too(opener: Opener) -> None:
    scripted = Scripted()
    scripted.answering = UNUSABLE["nothing"]
    talk = Talk(await opener(**scripted.settings, observe_review=True))
    letters = await fails(talk)

    scripted.heal()
    for letter in letters:
        again = await talk.memory.notes.retry("talk", letter.first)
        assert (again.state, again.failure) == (ChunkState.IN_REVIEW, "")
    await talk.memory.notes.observe("talk")
    context = await talk.looked_at()
    assert (context.report.covered, await talk.memory.notes.log("talk")) == (0, [])
    await talk.memory.notes.approve("talk", letters[0].first)
    await talk.memory.notes.observe("talk")
    assert telling(letters[0].last) in (await talk.looked_at()).text


# Breakers

MANY = 90
# In which nothing but trials are made.
HOURS = 24 if os.environ.get("REMEMBRANCER_SOAK") == "1" else 1
BROKEN: dict[str, tuple[Callable[[Prompt], ScriptedAnswer], int]] = {
    "garbage": (UNUSABLE["garbage"], 16),
    "invented numbers": (UNUSABLE["invented numbers"], 8),
    "away": (lambda _: ProviderUnavailable("the model answered with status 500"), 9),
    "key refused": (lambda _: ProviderUnavailable("the model answered with status 401", lasting=True), 2),
}
# Of many messages each, so that a run that cannot be used is asked about in halves.
LARGE: dict[str, Any] = {**SMALL, "observe_tokens": 1_000, "model_retries": 2}


async def says_many(memory: Memory, messages: int) -> None:
    """So many messages come, and each time what is due is done."""
    for number in range(messages):
        await memory.record(f"I decided that room {number} is painted in colour {number * 7}.", session="talk")
        await caught_up(memory)


@requirement("observing.breaker", "observing.model-may-fail")
@pytest.mark.parametrize("name", BROKEN)
async def test_a_broken_model_is_left_alone_and_the_words_take_the_work(
    on_disk: Opener, clock: FakeClock, name: str
) -> None:
    answering, calls = BROKEN[name]
    model = ScriptedModel(answering, name=MODEL)
    memory = await on_disk(**LARGE | {"model": model})
    await says_many(memory, MANY)
    assert len(model.asked) == calls, "for ninety messages"
    assert await memory.notes.failed() == []
    notes = [note for note in await recorded(memory, "talk") if isinstance(note, Observation)]
    assert {note.engine for note in notes} == {WORDS}

    # Hours with nothing but trials, each after a longer while.
    for _ in range(HOURS * 12):
        clock.move(5 * MINUTE)
        said = "And then I decided that the hall is painted as well, whatever you say. " * 5
        await memory.record(said, session="talk")
        await caught_up(memory)
    assert calls < len(model.asked) < calls + 80
    assert await memory.notes.failed() == []


@requirement("observing.breaker")
async def test_a_model_that_is_left_alone_is_named_with_the_reason_and_the_time(
    on_disk: Opener, clock: FakeClock
) -> None:
    asked = Scripted()
    memory = await on_disk(**LARGE | {"model": asked.model})
    assert (await memory.admin.costs(days=1)).breakers == ()
    asked.answering = UNUSABLE["garbage"]
    await says_many(memory, 20)

    (breaker,) = (await memory.admin.costs(days=1)).breakers
    told = f"{MODEL} gave answers that cannot be used when asked to observe, 8 times in a row, and is not called until"
    assert str(breaker).startswith(told)
    (note,) = (await memory.context("talk")).report.notes
    assert note == f"{breaker}: until then the words do it"
    (diagnosis,) = await memory.admin.doctor()
    assert (diagnosis.finding.fault, diagnosis.finding.where) == (StoreFault.MODEL_LEFT_ALONE, (str(breaker),))

    asked.heal()
    (mended,) = await memory.admin.doctor(repair=True)
    assert mended.repaired
    assert (await memory.admin.costs(days=1)).breakers == ()
    calls = asked.calls
    await says_many(memory, 20)
    assert asked.calls > calls
    assert await memory.admin.doctor() == []


@requirement("observing.breaker")
async def test_one_question_tries_a_model_again_and_who_answers_well_is_asked_as_before(
    opener: Opener, clock: FakeClock
) -> None:
    asked = Scripted()
    memory = await opener(**LARGE | {"model": asked.model})
    asked.answering = UNUSABLE["garbage"]
    await says_many(memory, 20)
    calls = asked.calls
    clock.move(MINUTE)
    await says_many(memory, 30)
    assert asked.calls == calls + 2, "one question, and one repair"

    asked.heal()
    await says_many(memory, 20)
    assert asked.calls == calls + 2
    clock.move(3 * MINUTE)
    await says_many(memory, 60)
    assert asked.calls > calls + 4
    assert (await memory.admin.costs(days=1)).breakers == ()


@requirement("observing.breaker")
async def test_what_one_process_has_found_out_the_others_need_not(opener: Opener, clock: FakeClock) -> None:
    first, second = Scripted(), Scripted()
    first.answering = second.answering = UNUSABLE["garbage"]
    await says_many(await opener(**LARGE | {"model": first.model}), 40)
    assert first.calls == 16
    other = await opener(**LARGE | {"model": second.model}, user="somebody else")
    await says_many(other, 40)
    assert second.calls == 0

    # Of many who find that its time is over, one tries it.
    clock.move(MINUTE)
    slow = ScriptedModel(lambda _: "I would rather not.", name=MODEL, delay=0.05)
    memories = [await opener(**LARGE | {"model": slow}, user=f"user {number}") for number in range(4)]
    for memory in memories:
        await memory.record("I decided that the hall is painted in colour 7, whatever you say.", session="talk")
    async with anyio.create_task_group() as tasks:
        for memory in memories:
            tasks.start_soon(memory.notes.observe, "talk")
    assert len(slow.asked) == 2, "one question, and one repair"


# Budgets

TOOK = {"prompt_tokens": 13_900, "completion_tokens": 100, "total_tokens": 14_000}
# What an observation takes at most is a little more than what each of these takes, and an answer is less.
FOR_FOUR = 57_500
REFUSED = "a budget has refused today to ask a model to {0}: the words do it"


@requirement("observing.budget-degrades", "observing.told-once")
async def test_a_budget_that_runs_out_in_mid_conversation_is_kept_to_until_the_next_day(
    on_disk: Opener, served: Served, clock: FakeClock
) -> None:
    served.usage = TOOK
    given = {**served.settings, "budget_day_tokens": FOR_FOUR}
    talk = Talk(await on_disk(**given), clock=clock)
    context = await talk.goes_on(5)
    assert (served.calls, await talk.engines(), context.report.notes) == (4, {ASKING}, ())

    context = await talk.goes_on(5)
    assert (served.calls, context.report.notes) == (4, (REFUSED.format("observe"),))
    notes = sorted(await talk.notes(), key=lambda note: note.first)
    assert [note.engine for note in notes[:4]] == [ASKING] * 4
    assert {note.engine for note in notes[4:]} == {WORDS}

    with pytest.raises(BudgetExceeded):
        await talk.memory.sessions.reply("aside", "And which colour has room 9?")
    assert (await talk.memory.sessions.stats("aside")).messages == 1
    reflecting = await on_disk(**{**given, "reflect_tokens": 100})
    assert await reflecting.notes.reflect("talk") > 0
    assert {one.engine for one in await reflecting.notes.log("talk") if isinstance(one, Reflection)} == {
        WORDS_REFLECTING
    }
    assert served.calls == 4
    context = await talk.looked_at()
    assert context.report.notes == (REFUSED.format("observe and to reflect"),)
    costs = await talk.memory.admin.costs(days=1)
    counted = {total.purpose.value: (total.calls, total.refused) for total in costs.totals}
    assert counted == {"answer": (0, 1), "observe": (4, 1), "reflect": (0, 1)}
    assert [(budget.spent, budget.state) for budget in costs.budgets] == [(56_000, BudgetState.CRITICAL)]
    assert await talk.memory.notes.failed() == []

    clock.move(DAY)
    assert (await talk.looked_at()).report.notes == ()
    await talk.goes_on(2)
    assert served.calls == 6


@requirement("observing.budget-degrades")
async def test_under_a_budget_of_money_a_model_is_asked_only_where_its_price_is_known(
    on_disk: Opener, served: Served
) -> None:
    # Behind an address of its own it is another model than the one whose price is listed.
    given = {**served.settings, "model": "openai:gpt-5-nano", "budget_day_money": 10}
    talk = Talk(await on_disk(**given))
    context = await talk.goes_on(3)
    assert (served.calls, await talk.engines(), context.report.notes) == (0, {WORDS}, (REFUSED.format("observe"),))
    with pytest.raises(BudgetExceeded, match="price of 'openai:gpt-5-nano' is not known"):
        await talk.memory.sessions.reply("aside", "And which colour has room 9?")
    assert served.calls == 0

    talk.memory = await on_disk(**given, prices={"openai:gpt-5-nano": {"prompt": 1, "answer": 1}})
    await talk.goes_on(2)
    assert await talk.engines() == {WORDS, ASKING}


CACHED = {"prompt_tokens_details": {"cached_tokens": 10_000_000}}
IMPOSSIBLE: dict[str, dict[str, Any]] = {
    "more cached than there is": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11, **CACHED},
    "fewer than none": {"prompt_tokens": -9_000_000, "completion_tokens": -9_000_000, "total_tokens": -18_000_000},
    "words": {"prompt_tokens": "ten", "completion_tokens": "one", "total_tokens": "eleven"},
    "fractions": {"prompt_tokens": 0.5, "completion_tokens": 1.5, "total_tokens": 2.0},
    "nulls": {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
    "more than a column holds": {"prompt_tokens": 2**70, "completion_tokens": 2**70, "total_tokens": 2**71},
}


@requirement("observing.usage-is-believed-or-counted")
@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.filterwarnings("ignore:Failed to extract usage")
async def test_no_usage_that_a_server_reports_gives_back_what_was_spent(
    on_disk: Opener, served: Served, name: str
) -> None:
    served.usage = IMPOSSIBLE[name]
    prices = {MODEL: {"prompt": 1, "cached": 0, "answer": 1}}
    memory = await on_disk(**served.settings, budget_day_money=10, budget_day_tokens=10_000_000, prices=prices)
    spent = [0, 0]
    for _ in range(2):
        # What is not even a number makes the whole response none, and that counts as the most that it can have cost.
        with suppress(BadModelOutput):
            await memory.sessions.reply("talk", "And which colour has room 9?")
        now = [budget.spent for budget in (await memory.admin.costs(days=1)).budgets]
        assert all(before < after < before + 20_000 for before, after in zip(spent, now, strict=True))
        spent = now


# Reading, thinking, writing


@requirement("observing.no-transaction-while-thinking")
async def test_no_transaction_is_open_while_a_model_thinks(where: dict[str, Any]) -> None:
    async with opened(where["db"]) as store:
        watched = WatchedStore(store)
        thinking = Scripted(watched=watched)
        rules = Dependencies(clock=FakeClock(), ids=CountingIds(), sign=store.sign)
        asked = {purpose: [thinking.model] for purpose in CallPurpose}
        memory = engine_of(store, rules, Scope(tenant="acme"), window=WINDOW, models=asked).memory
        talk = Talk(memory)
        thinking.answering = UNUSABLE["nothing"]
        letters = await fails(talk)
        thinking.heal()
        await recovers(talk, letters)
        await talk.goes_on(6)
        await memory.notes.reflect("talk")
        await memory.sessions.reply("talk", "And which colour has room 9?")
        await memory.sessions.execute("Paint room 9 in its colour.", session="talk", reflect=True)
        assert (await memory.ask("Which colour is room 1 painted in?")).tokens > 0
        assert {total.purpose for total in (await memory.admin.costs(days=1)).totals} == {
            CallPurpose.OBSERVE,
            CallPurpose.REFLECT,
            CallPurpose.ANSWER,
            CallPurpose.ASK,
        }
        calls = thinking.calls
        await memory.context("talk", mode="brief")
        await memory.context("talk", question="And which colour has room 9?", mode="prompt")
        await memory.context("talk", question="And which colour has room 9?", mode="search")
        assert thinking.calls == calls, "what is known is told without asking"
        assert watched.begun > calls
