"""Any sequence of deeds, of callers and of operators: nobody reads what is closed, holds stand, what is erased is gone.

Each text has a word that no other has, so that what an answer tells is known by its words alone.
"""

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from remembrancer import Filter, Memory, NewMessage, NewObservation, NotFound, RemembrancerError, Scope
from remembrancer.privacy.archive.container import decrypt as opened_archive
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.types.access import Caller
from remembrancer.types.lifecycle import Status
from remembrancer.types.scope import Classification
from tests.conversing import opened
from tests.databases import Database
from tests.doubles import CountingIds
from tests.engine import engine_of

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
WALKS = 400 if SOAK else 1
WALKS_ON_POSTGRES = 100 if SOAK else 1
STEPS = 60 if SOAK else 30
HOME = Scope(tenant="acme")
LAKE, RIVER = (Scope(tenant="acme", project=name) for name in ("lake", "river"))
SCOPES = (
    HOME,
    LAKE,
    RIVER,
    *(Scope(tenant="acme", agent="mail", user=user) for user in ("ana", "ben")),
    Scope(tenant="globex"),
)
CLASSES = tuple(Classification)
EVERY = [status.value for status in Status]
WORD = re.compile(r"q\d{4}x")
SESSIONS = ("monday", "tuesday")
PASSPHRASE = "correct horse battery"
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a text stands."""

    scope: Scope
    id: str


@dataclass(kw_only=True)
class Side:
    """One store, and what is known of it.

    Args:
        gone: words of texts that were erased here.
        held: the ids that must stand, by scope.
        lends: whether the lake lends to the river.
        keeps: whether a hold was ever on the river: of what it was lent, it may keep what has changed since.
    """

    memory: Memory
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    gone: set[str] = field(default_factory=set[str])
    held: dict[Scope, set[str]] = field(default_factory=dict[Scope, set[str]])
    lends: bool = False
    keeps: bool = False

    def of(self, scope: Scope, clearance: Classification = Classification.RESTRICTED) -> Memory:
        """The memory of a scope, for a caller of a clearance."""
        return self.memory.within(scope, clearance=clearance.value)


class Walk:
    """Deeds at random on two stores, between which archives go."""

    def __init__(self, sides: tuple[Side, Side], clock: FakeClock, folder: Path, seed: int) -> None:
        self.sides = sides
        self.clock = clock
        self.folder = folder
        self.chance = Random(seed)
        self.words = 0
        self.files: list[tuple[Path, Scope, Side, frozenset[str]]] = []
        self.told: list[str] = []

    # Who, where, and what

    def text(self) -> tuple[str, str]:
        """A text, and the word that it alone has."""
        self.words += 1
        word = f"q{self.words:04}x"
        return f"The heron {word} nests under the bridge", word

    def side(self) -> Side:
        return self.sides[0] if self.chance.random() < 0.75 else self.sides[1]

    def scope(self) -> Scope:
        return self.chance.choice(SCOPES)

    def place(self, side: Side) -> Place | None:
        return self.chance.choice(list(side.places.values())) if side.places else None

    def known(self, side: Side, word: str, scope: Scope, id: str) -> None:
        side.places[word] = Place(scope=scope, id=id)

    # Deeds

    async def record(self, side: Side) -> None:
        scope, (text, word) = self.scope(), self.text()
        saved = await side.of(scope).record(
            NewMessage(
                text=text, session=self.chance.choice(SESSIONS), classification=self.chance.choice(CLASSES).value
            )
        )
        self.known(side, word, scope, saved.record.id)

    async def save(self, side: Side) -> None:
        scope, (text, word) = self.scope(), self.text()
        ids = [place.id for place in side.places.values() if place.scope == scope]
        saved = await side.of(scope).save(
            NewObservation(
                text=text,
                topic_key=self.chance.choice((None, None, "bridge", "heron")),
                evidence=self.chance.sample(ids, min(len(ids), self.chance.randint(0, 2))),
                classification=self.chance.choice((None, *(one.value for one in CLASSES))),
            )
        )
        self.known(side, word, scope, saved.record.id)

    async def fact(self, side: Side) -> None:
        scope, (text, word) = self.scope(), self.text()
        saved = await side.of(scope).facts.set(self.chance.choice(("profile.nest", "profile.bridge")), text)
        self.known(side, word, scope, saved.record.id)

    async def edit(self, side: Side) -> None:
        if place := self.place(side):
            text, word = self.text()
            saved = await side.of(place.scope).edit(place.id, text)
            self.known(side, word, place.scope, saved.record.id)

    async def delete(self, side: Side) -> None:
        if place := self.place(side):
            await side.of(place.scope).delete(place.id)

    async def restore(self, side: Side) -> None:
        if place := self.place(side):
            await side.of(place.scope).restore(place.id)

    async def erase(self, side: Side) -> None:
        if place := self.place(side):
            await side.of(place.scope).governance.erasure.erase(memories=[place.id], reason="a test")
            self.buried(side, place.id)

    async def wrong(self, side: Side) -> None:
        if place := self.place(side):
            await self.chance.choice(
                (
                    partial(side.of(place.scope).feedback, verdict="wrong"),
                    partial(side.of(place.scope).feedback, verdict="right"),
                )
            )(place.id, person="Ana")

    async def undo(self, side: Side) -> None:
        if place := self.place(side):
            await side.of(place.scope).feedback(place.id, "undo")

    async def classify(self, side: Side) -> None:
        if place := self.place(side):
            cls = self.chance.choice(CLASSES).value
            await side.of(place.scope).governance.classify(place.id, cls, reason="looked at again")

    async def hold(self, side: Side) -> None:
        scope = self.scope()
        await side.of(scope).governance.holds.place("case", reason="a claim")
        standing = {
            record.id
            for record in (await side.of(scope).list(Filter(statuses=EVERY), limit=1_000)).records
            if record.scope == scope and record.status is not Status.DELETED
        }
        side.held[scope] = standing
        side.keeps |= scope.contains(RIVER)

    async def lift(self, side: Side) -> None:
        if side.held:
            scope = self.chance.choice(list(side.held))
            await side.of(scope).governance.holds.release("case", reason="it was settled")
            del side.held[scope]

    async def keep(self, side: Side) -> None:
        await side.of(self.scope()).governance.retention.set(
            "short", keep_days=self.chance.choice((1, 5, 40)), kinds=self.chance.choice(([], ["message"]))
        )

    async def retain(self, side: Side) -> None:
        self.clock.move(DAY * self.chance.choice((1, 3, 20)))
        await side.of(self.chance.choice((HOME, Scope(tenant="globex")))).governance.retention.run()
        await self.find_gone(side)

    async def purge(self, side: Side) -> None:
        if place := self.place(side):
            await side.of(place.scope).governance.retention.hard_delete([place.id], reason="it is old")
            self.buried(side, place.id)

    async def erase_some(self, side: Side) -> None:
        scope = self.scope()
        if self.chance.random() < 0.5:
            await side.of(scope).governance.erasure.erase(session=self.chance.choice(SESSIONS), reason="asked")
        elif place := self.place(side):
            await side.of(place.scope).governance.erasure.erase(memories=[place.id], reason="asked")
            self.buried(side, place.id)
        await self.find_gone(side)

    async def erase_user(self, side: Side) -> None:
        user = self.chance.choice(("ana", "ben"))
        receipt = await side.of(HOME).governance.erasure.erase(user=user, reason="asked")
        assert receipt.found == 0
        for word, place in side.places.items():
            if place.scope.user == user:
                side.gone.add(word)
        await self.find_gone(side)

    async def make(self, side: Side) -> None:
        scope = self.scope()
        path = self.folder / f"{len(self.files)}.archive"
        await side.of(scope).governance.archives.create(path, passphrase=PASSPHRASE)
        self.files.append((path, scope, side, words_in(path.read_bytes())))

    async def take(self, side: Side) -> None:
        if not self.files:
            return
        path, scope, source, words = self.chance.choice(self.files)
        await side.of(scope).governance.archives.import_archive(path, passphrase=PASSPHRASE, reason="to share")
        for word in words:
            side.places.setdefault(word, source.places[word])

    async def lend(self, side: Side) -> None:
        await side.of(HOME).governance.transfers.grant("lake", "river", reason="the same birds")
        side.lends = True

    async def lend_no_more(self, side: Side) -> None:
        await side.of(HOME).governance.transfers.revoke("lake", "river", reason="it dried up")
        side.lends = False

    # What must hold

    def buried(self, side: Side, id: str) -> None:
        side.gone |= {word for word, place in side.places.items() if place.id == id}

    async def find_gone(self, side: Side) -> None:
        """What an operator has erased, with all that went with it: from now on it must stay away."""
        left: set[str] = set()
        for scope in SCOPES:
            left |= {record.id for record in (await side.of(scope).list(Filter(statuses=EVERY), limit=1_000)).records}
        side.gone |= {word for word, place in side.places.items() if place.id not in left}

    async def check(self, side: Side) -> None:
        """Nothing, where a caller is told of nothing that is closed to it, and holds stand."""
        scope, clearance = self.scope(), self.chance.choice(CLASSES)
        memory = side.of(scope, clearance)
        name, read = self.chance.choice(list(READS.items()))
        try:
            answer = repr(await read(memory, self.place(side)))
        except RemembrancerError as error:
            answer = str(error)
        for word in set(WORD.findall(answer)):
            place = side.places[word]
            is_lent = place.scope == LAKE and (side.lends or side.keeps)
            assert word not in side.gone or (is_lent and side.keeps), f"{name}: {word} was erased, and is told"
            is_told = any(
                scope.sees(one) or (name in BENEATH and scope.contains(one))
                for one in (place.scope, *[RIVER] * is_lent)
            )
            assert is_told, f"{name}: {word} is of {place.scope}, and told to {scope}"
            every = (await side.of(place.scope).list(Filter(statuses=EVERY), limit=1_000)).records
            record = next((one for one in every if one.id == place.id), None)
            if is_lent and side.keeps:
                continue
            assert record is not None, f"{name}: {word} is told, and nowhere"
            allowed = CLASSES.index(record.classification) <= CLASSES.index(clearance)
            assert allowed, f"{name}: {word} is {record.classification}, and told to {clearance}"
        for held, ids in side.held.items():
            found = {
                record.id
                for record in (await side.of(held).list(Filter(statuses=EVERY), limit=1_000)).records
                if record.status is not Status.DELETED
            }
            assert ids <= found, f"{ids - found} were held, and are gone"

    async def step(self) -> None:
        side, deed = self.side(), self.chance.choice(DEEDS)
        try:
            await deed(self, side)
            self.told.append(deed.__name__)
        except RemembrancerError as error:
            self.told.append(f"{deed.__name__}: {type(error).__name__}")
        for one in self.sides:
            await self.check(one)

    async def end(self) -> None:
        """At last everything is looked for, in every version, by what an archive holds; and the logs are whole."""
        for side in self.sides:
            for tenant in ("acme", "globex"):
                own = side.of(Scope(tenant=tenant))
                # There may be nothing.
                with suppress(NotFound):
                    sealed = b"".join([piece async for piece in own.governance.archives.stream(passphrase=PASSPHRASE)])
                    assert not words_in(sealed) & side.gone
                verified = await own.governance.audit.verify()
                assert (verified.broken, verified.lost) == ((), 0)
            faults = [one for one in await side.memory.admin.doctor() if not one.repaired]
            assert faults == []


DEEDS: tuple[Callable[[Walk, Side], Awaitable[None]], ...] = (
    Walk.record, Walk.record, Walk.record, Walk.save, Walk.save, Walk.save, Walk.fact, Walk.edit, Walk.edit,
    Walk.delete, Walk.restore, Walk.erase, Walk.wrong, Walk.undo, Walk.classify, Walk.classify, Walk.hold, Walk.lift,
    Walk.lift, Walk.keep, Walk.retain, Walk.purge, Walk.erase_some, Walk.erase_user, Walk.make, Walk.make, Walk.take,
    Walk.take, Walk.take, Walk.lend, Walk.lend, Walk.lend_no_more,
)  # fmt: skip


# What tells an operator of scopes beneath, too.
BENEATH = ("named", "report")


def words_in(archive: bytes) -> frozenset[str]:
    """Which words an archive holds."""
    held = b"".join(opened_archive(BytesIO(archive).read, PASSPHRASE)).decode()
    return frozenset(WORD.findall(held))


async def _all_of(pieces: Any) -> list[object]:
    return [piece async for piece in pieces]


READS: Mapping[str, Callable[[Memory, Place | None], Awaitable[object]]] = {
    "list": lambda memory, _: memory.list(Filter(statuses=EVERY), limit=1_000),
    "recall": lambda memory, _: memory.recall("Where does the heron nest?", abstain=False, limit=100),
    "context": lambda memory, _: memory.context("monday", question="Where does the heron nest?"),
    "brief": lambda memory, _: memory.context(mode="brief"),
    "facts": lambda memory, _: memory.facts.list(),
    "export": lambda memory, _: _all_of(memory.governance.archives.export()),
    "markdown": lambda memory, _: _all_of(memory.governance.archives.export(form="markdown")),
    "report": lambda memory, _: _all_of(memory.governance.archives.report("ana", person="heron", form="jsonl")),
    "get": lambda memory, place: memory.get(place.id if place else "none"),
    "history": lambda memory, place: memory.timeline.history(place.id if place else "none"),
    "why": lambda memory, place: memory.evidence(place.id if place else "none"),
    "between": lambda memory, _: memory.timeline.between(limit=100),
    "named": lambda memory, _: memory.governance.erasure.find_mentions("heron", limit=1_000),
    "audit": lambda memory, _: memory.governance.audit.list(limit=1_000),
}


async def walked(url: str, folder: Path, seed: int) -> Walk:
    """One walk from beginning to end."""
    clock = FakeClock()
    async with AsyncExitStack() as stack:
        sides: list[Side] = []
        for db, after in ((url, 0), (str(folder / "other.db"), 1_000_000)):
            store = await stack.enter_async_context(opened(db))
            rules = Dependencies(clock=clock, ids=CountingIds(after), sign=store.sign)
            caller = Caller(scope=Scope())
            sides.append(Side(memory=engine_of(store, rules, Scope(), caller=caller).memory))
        walk = Walk((sides[0], sides[1]), clock, folder, seed)
        for _ in range(STEPS):
            await walk.step()
        await walk.end()
        return walk


@pytest.mark.parametrize("seed", range(WALKS))
async def test_nobody_reads_what_is_closed_holds_stand_and_what_is_erased_is_gone(tmp_path: Path, seed: int) -> None:
    await walked(str(tmp_path / "m.db"), tmp_path, seed)


@pytest.mark.parametrize("seed", range(1_000, 1_000 + WALKS_ON_POSTGRES))
async def test_the_same_on_a_server(database: Database, tmp_path: Path, seed: int) -> None:
    await walked(database.serving_url, tmp_path, seed)
