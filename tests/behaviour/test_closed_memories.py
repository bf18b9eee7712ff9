"""What is closed to a caller is absent: every public method is walked, with what is foreign and what is classified."""

import inspect
import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from remembrancer import (
    ContextMode,
    ContextRequest,
    Filter,
    InvalidInput,
    Memory,
    NewEpisode,
    NewMessage,
    NewObservation,
    NotAllowed,
    NotFound,
    Observation,
    RemembrancerError,
    Scope,
)
from remembrancer.context.working_memory import WorkingMemory
from remembrancer.ingest.importers.files import ChatFile
from remembrancer.ingest.importers.turns import Turn
from remembrancer.operations import OPERATIONS
from remembrancer.testing import ScriptedModel
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.documents import terms_in_index
from remembrancer.types.access import Caller
from remembrancer.types.calls import CallPurpose
from remembrancer.types.feedback import Feedback
from remembrancer.types.lifecycle import Status
from remembrancer.types.notes import ChunkState, Log
from remembrancer.types.record import Kind, Record, kind_of
from remembrancer.types.results import Outcome
from remembrancer.types.scope import Classification
from remembrancer.types.text import hash_of
from tests.engine import engine_of
from tests.factories import (
    chunk,
    episode,
    fact,
    injection,
    learned,
    message,
    move,
    night,
    observation,
    procedure,
    reflection,
    session,
    signal,
    verdict,
)
from tests.finding import find
from tests.learning import ANA, DAY, MONDAY, Life
from tests.rows import each_row, every_row
from tests.walking import bound, methods_of

from .requirements import requirement

pytestmark = pytest.mark.anyio

WORD = "zyzzyva"
TEXT = f"The {WORD} nests under the harbour bridge"
FOREIGN = Scope(tenant="globex", agent="mail", user="ana")
KEY = "harbour.bridge"
TOPIC = "the-nest"
SESSION = "vault"
NOWHERE = "no-such-memory"
CLOSED = ("foreign", "classified")
NIGHT = MONDAY.date()
METHODS = methods_of(Memory)
METHODS_TAKE = {name: set(inspect.signature(method).parameters) for name, method in METHODS.items()}

STATUSES = [status.value for status in Status]
# Where another filter than that of the session finds what is closed.
FILTERS: Mapping[str, object] = {
    "list": Filter(statuses=STATUSES),
    "observations.delete_many": Filter(sessions=[SESSION], statuses=STATUSES),
    "governance.audit.list": None,
}
SHORT_MODES = (ContextMode.BRIEF, ContextMode.PROMPT, ContextMode.SEARCH)

# A memory of each kind: a new kind is caught until it stands here.
MADE: Mapping[Kind, Callable[[str], Record]] = {
    Kind.MESSAGE: lambda id: replace(message(id), session=SESSION),
    Kind.OBSERVATION: lambda id: replace(learned(id), topic_key=TOPIC, title=f"On the {WORD}", tags=(WORD,)),
    Kind.REFLECTION: lambda id: replace(reflection(id, place=1, evidence=()), session=SESSION, title=WORD),
    Kind.EPISODE: lambda id: episode(id, contact="Bertelli"),
    Kind.SIGNAL: lambda id: signal(id),
    Kind.FACT: lambda id: fact(id, KEY, value=WORD),
    Kind.PROCEDURE: lambda id: procedure(id),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """Memories that a caller may not see, and the caller.

    Args:
        ids: of one memory of each kind.
        beside: the id of a memory that the caller sees.
    """

    memory: Memory
    ids: Mapping[Kind, str]
    beside: str
    life: Life

    def leaks(self, told: object) -> list[str]:
        """What an answer lets through."""
        text = repr(told)
        return [word for word in (WORD, *self.ids.values()) if word in text]


async def hidden(life: Life, owner: Scope, classification: Classification) -> dict[Kind, str]:
    """A memory of each kind, with all that is kept beside memories, in a scope and of a classification."""
    ids = {kind: f"closed {kind.value}" for kind in Kind}
    records: list[Record] = []
    for kind, id in ids.items():
        made = replace(MADE[kind](id), scope=owner, text=TEXT, hash=hash_of(TEXT), classification=classification)
        if kind is Kind.OBSERVATION:
            made = replace(made, evidence=(ids[Kind.EPISODE],))
        records.append(replace(made, occurred_at=MONDAY, recorded_at=MONDAY, updated_at=MONDAY))
    assert set(ids) == {kind_of(record) for record in records} == set(Kind)
    async with life.store.begin(Caller.engine(owner)) as tx:
        await tx.sessions.put(session(SESSION, scope=owner, at=MONDAY))
        await tx.sessions.reserve_numbers(SESSION, 1, tokens=9)
        await tx.records.add(records, [terms_in_index(record, sign=life.store.sign) for record in records])
        run = replace(chunk(SESSION, 1, 1), classification=classification, task=WORD, suggestion=WORD)
        await tx.chunks.add(run)
        await tx.chunks.put(replace(run, state=ChunkState.IN_REVIEW, noted=9, failure="it failed"))
        await tx.logs.put(Log(session=SESSION, places=2, tokens=9))
        for id in ids.values():
            await tx.verdicts.put(replace(verdict(id), at=MONDAY))
            await tx.weights.add(replace(move(id), session=SESSION, at=MONDAY))
        await tx.injections.add([injection(*ids.values(), session=SESSION)])
        await tx.maintenance_runs.put(replace(night(NIGHT, observed=9), notes=(f"refused: {WORD} {ids[Kind.SIGNAL]}",)))
    return ids


def beside(life: Life, clearance: Classification) -> Memory:
    """The memory of a caller of a clearance, over the store of a life."""
    rules = Dependencies(clock=life.clock, ids=life.ids, sign=life.store.sign)
    models = {CallPurpose.ANSWER: [ScriptedModel(["I do not know."] * 9)]}
    caller = Caller(scope=ANA, clearance=clearance)
    return engine_of(life.store, rules, ANA, embedder=life.embedder, models=models, caller=caller).memory


@pytest.fixture(params=CLOSED)
async def closed(request: pytest.FixtureRequest, life: Life) -> Closed:
    return await closed_to(request.param, life)


async def closed_to(why: str, life: Life) -> Closed:
    """A caller and records that it may not see: of another tenant, or classified above its clearance."""
    is_foreign = why == "foreign"
    owner = FOREIGN if is_foreign else ANA
    ids = await hidden(life, owner, Classification.INTERNAL if is_foreign else Classification.RESTRICTED)
    memory = beside(life, Classification.RESTRICTED if is_foreign else Classification.INTERNAL)
    life.clock.move(timedelta(hours=1))
    seen = (await memory.save("A heron sleeps on the roof", session=SESSION)).record.id
    await memory.admin.index.embed()
    return Closed(memory=memory, ids=ids, beside=seen, life=life)


def arguments(method: str, closed: Closed, id: str) -> dict[str, object]:
    """What a method takes, each name of a memory being that of one."""
    known: Mapping[str, object] = {
        "id": SESSION if method.startswith("sessions.") else id,
        "into": id,
        "other": "Acme" if method.startswith("graph.") else closed.beside,
        "subject": WORD.title(),
        "predicate": "near",
        "object": "Acme",
        "since": MONDAY - DAY if method.startswith("graph.") else None,
        "evidence": [id],
        "text": "Where does it nest?",
        "message": "Where does it nest?",
        "observation": "Where does it nest?",
        "episode": "sent a mail",
        "signal": "correction",
        "verdict": "right",
        "filter": FILTERS.get(method, Filter(sessions=[SESSION])),
        "question": "Where does the nest lie under the harbour bridge?",
        "task": "Look under the harbour bridge",
        "topic_key": TOPIC,
        "key": KEY if method.startswith("facts.") else "the agent's" if method == "admin.keys.create" else None,
        "session": SESSION,
        "first": 1,
        "messages": [NewMessage(text="hello", session=SESSION)],
        "observations": [NewObservation(text="hello", topic_key=TOPIC)],
        "episodes": [NewEpisode(summary="sent a mail", outcome="done", contact="Bertelli")],
        "file": ChatFile.of(io.BytesIO(b'{"role": "user", "content": "hello"}'), name="chat.jsonl"),
        "turns": [Turn(conversation="a", session="1", position=0, role="user", text="hello")],
        "run": WorkingMemory("sort the mail"),
        "scope": ANA,
        "summary": "sent a mail",
        "event": "action_completed",
        "outcome": "done" if method.startswith("episodes.") else "rejected",
        "type": "discovery",
        "contact": "Bertelli",
        "rule": "Write short mails.",
        "value": "iron",
        "rating": 0.5,
        "boost": 0.1,
        "earlier": MONDAY - DAY,
        "later": closed.life.clock.now(),
        "abstain": False,
        "name": WORD.title() if method.startswith("graph.") else "the agent's",
        "start": WORD.title(),
        "end": "Bertelli",
        "work": "nightly",
        "classification": "restricted",
        "reason": "looked at again",
        "data_type": "card",
        "lender": "apollo",
        "reader": "zeus",
        "memories": [id],
        "ids": [id],
        "keep_days": 9,
        "person": "Bertelli",
        "user": "ana",
        "form": "graphml" if method.startswith("graph.") else "jsonl",
        "passphrase": "correct horse battery",
        "path": "/nowhere/memories.archive",
        "redaction": "mask",
        "all": True,
        "limit": 100,
        "deleted_at": MONDAY,
    }
    taken = list(inspect.signature(METHODS[method]).parameters.values())[1:]
    return {
        given.name: known[given.name]
        for given in taken
        if given.name in known
        # What has an id is named by it, and not by its topic key as well.
        and (given.name != "topic_key" or "id" not in METHODS_TAKE[method])
    }


def arguments_of_mode(mode: str) -> dict[str, object]:
    """What `context` takes in one of its short modes."""
    question = {} if mode == ContextMode.BRIEF else {"question": "What nests under the harbour bridge?"}
    return {"session": SESSION, "mode": mode, **question}


def names_a_memory(method: str) -> bool:
    given = set(inspect.signature(METHODS[method]).parameters)
    return bool({"id", "into", "evidence"} & given) and not method.startswith("sessions.")


UNNAMED = [method for method in METHODS if not names_a_memory(method)]
READING = {operation.name for operation in OPERATIONS.values() if operation.verb == "GET"}


async def answer(memory: Memory, method: str, given: Mapping[str, object]) -> object:
    """What a method gives, or the error that it raises."""
    try:
        found: Any = bound(memory, method)(**given)
        if inspect.isasyncgen(found):
            return [piece async for piece in found]
        return await found if inspect.isawaitable(found) else found
    except RemembrancerError as error:
        return error


@requirement("clearance.absent", "scope.foreign-reads-absent")
async def test_a_memory_that_is_closed_is_refused_as_one_that_never_was(closed: Closed) -> None:
    with every_row() as row:
        for method, (kind, id) in product(filter(names_a_memory, METHODS), closed.ids.items()):
            told = await answer(closed.memory, method, arguments(method, closed, id))
            never = await answer(closed.memory, method, arguments(method, closed, NOWHERE))
            with row(method, kind):
                reads_as_absent(told, never, id)
        for verdict, (kind, id) in product(Feedback, closed.ids.items()):
            told = await answer(closed.memory, "feedback", {"id": id, "verdict": verdict})
            never = await answer(closed.memory, "feedback", {"id": NOWHERE, "verdict": verdict})
            with row(verdict, kind):
                reads_as_absent(told, never, id)


def reads_as_absent(told: object, never: object, id: str) -> None:
    assert repr(told).replace(id, "") == repr(never).replace(NOWHERE, ""), f"{told!r} beside {never!r}"
    assert never in (None, False) or isinstance(never, NotFound)


@requirement("clearance.absent", "scope.foreign-reads-absent")
async def test_no_method_that_only_reads_tells_of_what_is_closed(closed: Closed) -> None:
    with every_row() as row:
        for method in UNNAMED:
            if method in READING:
                with row(method):
                    await tells_nothing(closed, method)


# Each in a store of its own: what one method writes would hide what another returns.
@requirement("clearance.absent", "scope.foreign-reads-absent")
@pytest.mark.parametrize("why", ["foreign", pytest.param("classified", marks=pytest.mark.slow)])
async def test_no_method_that_may_write_tells_of_what_is_closed(
    new_life: Callable[[], AbstractAsyncContextManager[Life]], why: str
) -> None:
    with every_row() as row:
        for method in UNNAMED:
            if method not in READING:
                with row(method):
                    async with new_life() as life:
                        await tells_nothing(await closed_to(why, life), method)
        for mode in SHORT_MODES:
            with row(f"context in the mode {mode}"):
                async with new_life() as life:
                    await tells_nothing(await closed_to(why, life), "context", arguments_of_mode(mode))


async def tells_nothing(closed: Closed, method: str, given: Mapping[str, object] | None = None) -> None:
    told = await answer(closed.memory, method, given or arguments(method, closed, NOWHERE))
    assert closed.leaks(told) == []
    assert not isinstance(told, NotFound) or WORD not in str(told)


@requirement("clearance.absent", "scope.foreign-reads-absent", "reading.by-topic-key")
@each_row("method", ["get", "delete", "timeline.history"])
async def test_nothing_stands_under_a_topic_key_that_is_closed(closed: Closed, method: str) -> None:
    told = await answer(closed.memory, method, {"topic_key": TOPIC})
    assert told is None or isinstance(told, NotFound)


@requirement("clearance.absent")
async def test_what_rests_on_what_is_closed_names_no_source(life: Life) -> None:
    ids = await hidden(life, ANA, Classification.RESTRICTED)
    memory = beside(life, Classification.INTERNAL)
    closed = Closed(memory=memory, ids=ids, beside=NOWHERE, life=life)
    leaks: list[str] = []
    for method in METHODS:
        if "id" not in inspect.signature(METHODS[method]).parameters or not names_a_memory(method):
            continue
        for record in await resting(life, ids, method):
            given = arguments(method, closed, record.id)
            told = repr(await answer(memory, method, given))
            leaks += [f"{method} of {record.id} tells {id}" for id in ids.values() if id in told]
    assert leaks == []


async def resting(life: Life, ids: Mapping[Kind, str], method: str) -> list[Record]:
    """An open memory of each kind that rests on closed ones."""
    made: list[Record] = []
    for kind in set(Kind) - {Kind.MESSAGE}:
        record = fact(method, method) if kind is Kind.FACT else MADE[kind](method)
        record = replace(record, id=f"{kind.value} for {method}", scope=ANA, evidence=tuple(ids.values()))
        made.append(replace(record, topic_key=None, title="A nest") if isinstance(record, Observation) else record)
    async with life.store.begin(Caller.engine(ANA)) as tx:
        await tx.records.add(made, [terms_in_index(record, sign=life.store.sign) for record in made])
    return made


@requirement("clearance.absent")
async def test_a_person_approves_only_what_that_person_may_read(life: Life) -> None:
    await hidden(life, ANA, Classification.RESTRICTED)
    async with life.store.begin(Caller.engine(ANA)) as tx:
        noted = replace(observation("noted", scope=ANA), session=SESSION, first=1, last=1, text="A note")
        closed_one = replace(noted, id="noted too", classification=Classification.RESTRICTED, text="Another")
        pair = [noted, closed_one]
        await tx.records.add(pair, [terms_in_index(record, sign=life.store.sign) for record in pair])
    with pytest.raises(NotAllowed, match="cannot read all notes"):
        await beside(life, Classification.INTERNAL).notes.approve(SESSION, 1)
    assert (await life.memory.notes.approve(SESSION, 1)).task == WORD


@requirement("clearance.consequences")
async def test_a_summary_is_as_closed_as_what_was_said(life: Life) -> None:
    await life.memory.record(
        NewMessage(text="The code of the vault is 4711", session="vault", classification="confidential")
    )
    await life.memory.sessions.start("open")
    assert (await life.memory.sessions.summarise("vault", "On the vault")).classification == "confidential"
    assert (await life.memory.sessions.summarise("open", "On nothing")).classification == "internal"


@requirement("clearance.no-obstacle")
async def test_of_two_facts_set_unseen_of_each_other_the_newer_holds_and_both_end(life: Life) -> None:
    narrow = beside(life, Classification.INTERNAL)
    await hidden(life, ANA, Classification.RESTRICTED)
    life.clock.move(timedelta(hours=1))
    await narrow.facts.set(KEY, "casual")
    assert (await life.memory.facts.get(KEY)).details.value == "casual"
    life.clock.move(timedelta(hours=1))
    await life.memory.facts.set(KEY, "third")
    assert (await life.memory.facts.get(KEY)).details.value == "third"
    life.clock.move(timedelta(hours=1))
    await life.memory.facts.end(KEY)
    with pytest.raises(NotFound):
        await life.memory.facts.get(KEY)


@requirement("clearance.consequences")
async def test_rules_that_are_closed_take_their_room_all_the_same(life: Life) -> None:
    narrow = beside(life, Classification.PUBLIC)
    for number in range(20):
        await narrow.rules.add(f"Write mail number {number} short.")
    with pytest.raises(InvalidInput, match="there are 20 active procedures, and 20 are allowed"):
        await narrow.rules.add("Write letters short.")


@requirement("clearance.absent")
@pytest.mark.parametrize("work", ["admin.doctor", "admin.index.rebuild"])
async def test_what_looks_at_the_whole_store_is_refused_to_who_may_not_see_it(life: Life, work: str) -> None:
    with pytest.raises(NotAllowed, match="restricted"):
        await bound(beside(life, Classification.CONFIDENTIAL), work)()


@requirement("clearance.absent")
async def test_what_is_closed_is_there_for_whom_it_is_open(life: Life) -> None:
    ids = await hidden(life, ANA, Classification.RESTRICTED)
    assert {(await life.memory.get(id)).id for id in ids.values()} == set(ids.values())
    assert (await life.memory.facts.get(KEY)).id == ids[Kind.FACT]
    assert WORD in repr(await life.memory.context(ContextRequest(session=SESSION, contact="Bertelli")))


@requirement("clearance.writes-above")
async def test_what_is_written_above_a_clearance_is_kept_and_not_shown(life: Life) -> None:
    memory = beside(life, Classification.INTERNAL)
    saved = (
        await memory.save(NewObservation(text="The gate opens at nine", classification="restricted", key="k"))
    ).record
    assert await find(memory, saved.id) is None
    assert (await life.memory.get(saved.id)).text == "The gate opens at nine"
    with pytest.raises(NotAllowed):
        await memory.save(NewObservation(text="The gate opens at nine", classification="restricted", key="k"))


@requirement("clearance.no-obstacle")
async def test_what_is_closed_is_no_obstacle_and_both_stand(life: Life) -> None:
    memory = beside(life, Classification.INTERNAL)
    closed = (
        await life.memory.save(NewObservation(text="Opens with 4711", topic_key="gate", classification="restricted"))
    ).record
    own = await memory.save("Opens by itself", topic_key="gate")
    assert (own.outcome, own.record.id == closed.id) == (Outcome.CREATED, False)
    assert {record.id for record in (await memory.list()).records} == {own.record.id}
    assert {record.id for record in (await life.memory.list()).records} == {own.record.id, closed.id}
    assert (await memory.admin.stats()).records == {"observation/active": 1}


@requirement("clearance.consequences")
async def test_what_rests_on_an_erased_message_goes_though_it_is_closed(life: Life) -> None:
    memory = beside(life, Classification.INTERNAL)
    said = (await memory.record("The code is on the fridge")).record
    note = replace(observation("note", scope=ANA), evidence=(said.id,), classification=Classification.RESTRICTED)
    async with life.store.begin(Caller.engine(ANA)) as tx:
        await tx.records.add([replace(note, engine="observer 1")], [terms_in_index(note, sign=life.store.sign)])
    assert await find(memory, "note") is None
    await memory.governance.erasure.erase(memories=[said.id], reason="a test")
    assert await find(life.memory, "note") is None


@requirement("clearance.absent")
async def test_one_who_asks_for_a_wider_scope_sees_no_more(closed: Closed) -> None:
    scopes: Sequence[Scope] = (ANA, replace(ANA, user=None), Scope(tenant=ANA.tenant))
    for scope in scopes:
        other = closed.memory.within(scope)
        assert other.caller.clearance is closed.memory.caller.clearance
        found = await other.recall("harbour bridge nests", abstain=False, limit=100)
        assert closed.leaks(found) == []
