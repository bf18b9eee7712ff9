"""Any sequence of deeds: what a person has rejected is in no recall and in no context until a person takes it back."""

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from remembrancer import Memory, RemembrancerError, Scope
from remembrancer.testing import FakeClock
from remembrancer.transactions.dependencies import Dependencies
from tests.conversing import opened
from tests.databases import Database
from tests.deleting import delete_or_erase
from tests.doubles import CountingIds
from tests.engine import engine_of
from tests.sealing import sealed

pytestmark = pytest.mark.anyio

SOAK = os.environ.get("REMEMBRANCER_SOAK") == "1"
SEQUENCES = 10_000 if SOAK else 15
SEQUENCES_ON_POSTGRES = 500 if SOAK else 4
CLAIMS = ("Ana drinks oolong only", "The boat belongs to Ben", "Carla never works on Fridays")
QUESTION = "What about Ana's oolong, the boat of Ben, and Carla on Fridays?"
WORDINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    lambda text: f" {text}.",
    lambda text: f"“{text}”",
    lambda text: f"- **{text}**",
)
KEYS = (None, None, "tea", "boat")
VERBS = ("wrong", "wrong", "dismiss", "undo", "pause", "resume", "retire", "right")
LEFT_OUT = ("pause", "resume", "retire")
REMOVALS = ("delete", "restore", "erase")
SHARED = {f"{verb} what is shared": verb for verb in ("wrong", "undo", "delete", "erase")}


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that is done: to one of the memories, with one of the claims in one of its wordings."""

    name: str
    claim: int
    wording: int
    key: int
    of: int
    other: int


@dataclass(kw_only=True)
class Told:
    """One memory, what was done in it, and which claims are rejected by which memories."""

    memory: Memory
    shared: Memory
    ids: list[str] = field(default_factory=list[str])
    shares: list[str] = field(default_factory=list[str])
    conclusions: dict[str, str] = field(default_factory=dict[str, str])
    rejected: dict[str, int] = field(default_factory=dict[str, int])
    claims: dict[str, int] = field(default_factory=dict[str, int])

    async def do(self, deed: Deed) -> None:
        """One deed; that it is refused is one of its ends."""
        text = WORDINGS[deed.wording](CLAIMS[deed.claim])
        try:
            await self._do(deed, text)
        except RemembrancerError:
            return

    async def _do(self, deed: Deed, text: str) -> None:
        memory, key = self.memory, KEYS[deed.key]
        if deed.name == "save":
            self._known((await memory.save(text, topic_key=key)).record.id, deed.claim)
        elif deed.name == "fact":
            await memory.facts.set(key or "note", text)
        elif deed.name == "rule":
            await memory.rules.add(text)
        elif deed.name == "share":
            id = (await self.shared.save(text, topic_key=key)).record.id
            self.shares = list(dict.fromkeys((*self.shares, id)))
            self.claims[id] = deed.claim
        elif deed.name == "rest on what is shared":
            if self.shares:
                of = self.shares[deed.of % len(self.shares)]
                concluded = f"Oolong, boats and Fridays follow from {of}"
                self.conclusions[concluded] = of
                self._known((await memory.save(concluded, evidence=[of])).record.id, None)
        elif deed.name in SHARED:
            if self.shares:
                await self._judge_shared(SHARED[deed.name], self.shares[deed.of % len(self.shares)])
        elif deed.name == "quote":
            block = sealed(memory, await memory.recall(QUESTION, abstain=False)).text
            await memory.record(f"Memory says:\n{block}", session="talk")
        elif self.ids:
            await self._to(deed, self.ids[deed.of % len(self.ids)], text)

    async def _to(self, deed: Deed, id: str, text: str) -> None:
        memory = self.memory
        if deed.name == "conclude":
            made = await memory.save(f"From that follows {deed.claim} and {deed.other}", evidence=[id])
            self._known(made.record.id, None)
        elif deed.name == "edit":
            await memory.edit(id, text)
            self.claims[id] = deed.claim
        elif deed.name == "merge":
            await memory.patterns.merge(id, self.ids[deed.other % len(self.ids)])
        elif deed.name in REMOVALS:
            removals: dict[str, Callable[[], Awaitable[object]]] = {
                "delete": lambda: memory.delete(id),
                "restore": lambda: memory.restore(id),
                "erase": lambda: memory.governance.erasure.erase(memories=[id], reason="a test"),
            }
            await removals[deed.name]()
        else:
            if deed.name in LEFT_OUT:
                await getattr(memory.patterns, deed.name)(id)
            else:
                await memory.feedback(id, deed.name)
            self._judged(deed.name, id)

    async def _judge_shared(self, verb: str, id: str) -> None:
        if verb in ("delete", "erase"):
            await delete_or_erase(self.shared, id, erase=verb == "erase")
            return
        await self.shared.feedback(id, verb)
        self._judged(verb, id)

    def _known(self, id: str, claim: int | None) -> None:
        if id not in self.ids:
            self.ids.append(id)
        if claim is not None:
            self.claims[id] = claim

    def _judged(self, verb: str, id: str) -> None:
        claim = self.claims.get(id)
        if verb in ("wrong", "dismiss") and claim is not None:
            self.rejected[id] = claim
        if verb == "undo":
            # What was rejected in the other scope stands there.
            beside = {other for other in self.rejected if (other in self.shares) is not (id in self.shares)}
            self.rejected = {other: of for other, of in self.rejected.items() if of != claim or other in beside}

    async def check(self, sequence: str) -> None:
        """What is rejected is told by nothing that an agent reads."""
        if not self.rejected:
            return
        recalled = await self.memory.recall(QUESTION, abstain=False)
        block = await self.memory.context("talk", question=QUESTION)
        brief = await self.memory.context("talk", mode="brief")
        hits = "\n".join(hit.record.text for hit in (*recalled.hits, *recalled.nearest))
        told = f"{hits}\n{block.text}\n{brief.text}".casefold()
        for claim in set(self.rejected.values()):
            assert CLAIMS[claim].casefold() not in told, sequence
        for concluded, of in self.conclusions.items():
            assert of not in self.rejected or concluded.casefold() not in told, sequence


NAMES = (
    "save",
    "save",
    "save",
    "share",
    "conclude",
    "edit",
    "merge",
    "fact",
    "rule",
    "quote",
    "rest on what is shared",
    *SHARED,
    *VERBS,
    *REMOVALS,
)


def deeds_of(seed: int) -> list[Deed]:
    """A sequence of deeds, the same for a seed: some saves, then anything."""
    chance = Random(seed)
    names = ["save"] * chance.randint(1, 3) + chance.choices(NAMES, k=chance.randint(2, 14))
    return [
        Deed(
            name=name,
            claim=chance.randrange(len(CLAIMS)),
            wording=chance.randrange(len(WORDINGS)),
            key=chance.randrange(len(KEYS)),
            of=chance.randrange(6),
            other=chance.randrange(6),
        )
        for name in names
    ]


async def lived(db: str, sequences: int) -> None:
    """As many sequences, each in a tenant of its own; what is told is looked at after every deed."""
    clock, ids = FakeClock(), CountingIds()
    async with opened(db) as store:
        rules = Dependencies(clock=clock, ids=ids, sign=store.sign)
        for seed in range(sequences):
            scope, wide = Scope(tenant=f"t{seed}", user="ana"), Scope(tenant=f"t{seed}")
            memory = engine_of(store, rules, scope, embedder=None).memory
            told = Told(memory=memory, shared=memory.within(wide))
            for deed in deeds_of(seed):
                await told.do(deed)
                await told.check(f"sequence {seed}: {deeds_of(seed)}")


async def test_what_was_rejected_stays_so_in_a_file(tmp_path: Path) -> None:
    await lived(str(tmp_path / "m.db"), SEQUENCES)


async def test_what_was_rejected_stays_so_on_a_server(database: Database) -> None:
    await lived(database.serving_url, SEQUENCES_ON_POSTGRES)
