"""An outside vector index: the same hits with it, everything goes on without it, and the store has the last word."""

import gc
import socket
import sys
import threading
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

from remembrancer import (
    Filter,
    InvalidInput,
    Memory,
    NewObservation,
    RecallRequest,
    Scope,
    StoreError,
    StoreUnavailable,
)
from remembrancer.llm.geometry import unit
from remembrancer.open import open_memory
from remembrancer.search.nearest import LAG_NOTE
from remembrancer.storage.documents import DocumentNumbers, DocumentVectors, Nearest
from remembrancer.storage.qdrant import QdrantIndex
from remembrancer.storage.sqlite.vectors import SQLiteVectors
from remembrancer.testing import HashEmbedder
from remembrancer.types.jobs import StoreFault

from .requirements import requirement
from .world import ALICE, BOB, PROJECT, World, ids, opened, texts

pytestmark = pytest.mark.anyio

# More than an arm takes, so that the outside index alone decides what is near.
MANY = 200
SUBJECTS = ("heron", "ferry", "violin", "harbour", "lantern", "orchard", "glacier", "compass")
VERBS = ("crosses", "mends", "forgets", "paints", "measures")
EVERY_QUESTION = ("the heron crosses", "who mends a violin", "painted lantern orchard", "number 17", "zebra")


class Grained(HashEmbedder):
    """Words hash to dimensions, and no two texts are equally near to a third."""

    def documents(self, texts: list[str]) -> NDArray[np.float32]:
        grains = [np.random.default_rng(crc32(text.encode())).normal(size=self.space.dimension) for text in texts]
        return unit((super().documents(texts) + 0.02 * np.array(grains)).astype(np.float32))


class Wayward(QdrantIndex):
    """An index that can be away, be slow, keep what it is to forget, or answer with everything that it has."""

    def __init__(self) -> None:
        super().__init__(":memory:", collection="test")
        self.away = False
        self.keeps = False
        self.indiscreet = False
        self.asked = 0
        self.hung: threading.Event | None = None
        self.told: list[DocumentVectors] = []

    def put(self, documents: Sequence[DocumentVectors], *, generation: int) -> None:
        self._answer()
        self.told += documents
        super().put(documents, generation=generation)

    def remove(self, documents: Sequence[int], *, generation: int) -> None:
        self._answer()
        if not self.keeps:
            super().remove(documents, generation=generation)

    def nearest(self, query: NDArray[np.float32], *, scopes: Sequence[str], generation: int, limit: int) -> Nearest:
        self.asked += 1
        self._answer()
        if self.hung is not None:
            self.hung.wait(30)
        if self.indiscreet:
            scopes = sorted({wording.scope for wording in self.told})
        return super().nearest(query, scopes=scopes, generation=generation, limit=limit)

    def documents_of(self, scope: str, *, generation: int) -> DocumentNumbers:
        self._answer()
        return super().documents_of(scope, generation=generation)

    def generations(self) -> list[int]:
        self._answer()
        return super().generations()

    def everything(self) -> set[int]:
        """All that it holds, whoever's it is."""
        scopes = {wording.scope for wording in self.told}
        return {
            document
            for generation in super().generations()
            for scope in scopes
            for document in super(Wayward, self).documents_of(scope, generation=generation).tolist()
        }

    def _answer(self) -> None:
        if self.away:
            raise StoreUnavailable("the vector index cannot be reached")


@pytest.fixture
async def index() -> AsyncGenerator[Wayward, None]:
    index = Wayward()
    yield index
    index.close()


@pytest.fixture
async def world(tmp_path: Path, index: Wayward) -> AsyncGenerator[World, None]:
    async with opened(tmp_path / "memory.db", embedder=Grained(256), index=index) as world:
        yield world


@pytest.fixture
async def plain(world: World) -> AsyncGenerator[Memory, None]:
    """The same store without the outside index."""
    async with opened(world.path, embedder=Grained(256), clock=world.clock, ids=world.ids) as plain:
        yield plain.memory


async def filled(world: World, count: int = MANY) -> list[str]:
    """Many memories of few words; their ids."""
    drafts: list[NewObservation] = []
    for place in range(count):
        subject, verb = SUBJECTS[place % len(SUBJECTS)], VERBS[place % len(VERBS)]
        other = SUBJECTS[place // 7 % len(SUBJECTS)]
        drafts.append(NewObservation(text=f"The {subject} {verb} the {other}, number {place}", tags=[subject]))
    return [saved.record.id for saved in await world.memory.observations.save_many(drafts)]


def stored(world: World) -> set[int]:
    return {int(str(row[0])) for row in world.read("SELECT DISTINCT document FROM vectors")}


async def same(world: World, plain: Memory, **asked: Any) -> None:
    """Every question has the same answer with the index and without."""
    for question in EVERY_QUESTION:
        for arms in ((), ("semantic",)):
            with_it = await world.memory.recall(
                RecallRequest(question=question, retrievers=arms, abstain=False, record_access=False, **asked)
            )
            without = await plain.recall(
                RecallRequest(question=question, retrievers=arms, abstain=False, record_access=False, **asked)
            )
            assert with_it == without


@requirement("outside.same-hits")
async def test_the_hits_are_the_same_and_the_store_does_not_search(
    world: World, plain: Memory, index: Wayward, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(world)
    await same(world, plain)
    assert index.asked == 2 * len(EVERY_QUESTION)

    async def never(*_: object, **__: object) -> Nearest:
        raise AssertionError("the store searched itself")

    monkeypatch.setattr(SQLiteVectors, "nearest", never)
    recalled = await world.memory.recall(RecallRequest(question="the heron crosses", record_access=False))
    assert recalled.hits
    assert recalled.notes == ()


@requirement("outside.same-hits")
async def test_filters_and_times_leave_out_the_same(world: World, plain: Memory) -> None:
    await filled(world)
    then = world.clock.now()
    world.clock.move(timedelta(days=1))
    await world.memory.save("The heron comes late", tags=["heron"])

    await same(world, plain, filter=Filter(tags=["heron"]))
    await same(world, plain, filter=Filter(kinds=["message"]))
    await same(world, plain, as_of=then)
    assert "The heron comes late" not in texts(await world.memory.recall("the heron", as_of=then, abstain=False))


@requirement("outside.same-hits")
async def test_what_is_said_of_a_memory_is_the_same(world: World, plain: Memory) -> None:
    made = await filled(world)
    for id in (made[0], made[-1]):
        question = "the heron crosses"
        assert await world.memory.explain(question, id) == await plain.explain(question, id)


@requirement("outside.may-be-away")
async def test_where_nobody_listens_everything_goes_on_and_the_answer_says_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = QdrantIndex(f"http://127.0.0.1:{taken.getsockname()[1]}", collection="test")
        async with opened(tmp_path / "m.db", embedder=Grained(256), index=nobody) as world:
            made = await filled(world, 10)
            await world.memory.edit(made[0], "The heron sleeps")
            with pytest.raises(StoreUnavailable, match="run the same erasure again"):
                await world.memory.governance.erasure.erase(memories=[made[1]], reason="a test")
            recalled = await world.memory.recall("the heron sleeps")

            assert ids(recalled)[0] == made[0]
            assert [note.partition(":")[0] for note in recalled.notes] == [
                "the store was searched instead of the vector index"
            ]
            assert [item.finding.fault for item in await world.memory.admin.doctor(repair=True)] == [
                StoreFault.UNFINISHED_ERASURE,
                StoreFault.LAGGING_VECTOR_INDEX,
            ]
            with pytest.raises(StoreUnavailable):
                await world.memory.admin.index.rebuild()
            assert await world.memory.admin.index.rebuild(vectors=False) == 9
        nobody.close()


@requirement("outside.may-be-away")
async def test_an_index_that_fails_is_left_alone_for_a_while(world: World, plain: Memory, index: Wayward) -> None:
    await filled(world)
    index.away = True
    for _ in range(3):
        recalled = await world.memory.recall(RecallRequest(question="the heron crosses", record_access=False))
        assert (
            recalled.hits == (await plain.recall(RecallRequest(question="the heron crosses", record_access=False))).hits
        )
        assert len(recalled.notes) == 1
    assert index.asked == 1

    index.away = False
    world.clock.move(timedelta(seconds=31))
    assert (await world.memory.recall(RecallRequest(question="the heron crosses", record_access=False))).notes == ()
    assert index.asked == 2


@requirement("outside.may-be-away")
async def test_an_index_that_is_slow_is_not_waited_for(
    world: World, index: Wayward, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(world, 5)
    monkeypatch.setattr(world.worker.embeddings.index_sync, "_seconds", 0.05)
    index.hung = threading.Event()
    try:
        recalled = await world.memory.recall("the heron crosses")
    finally:
        index.hung.set()

    assert recalled.hits
    assert "did not answer within 0.05 s" in recalled.notes[0]


@requirement("outside.never-the-truth")
async def test_what_is_gone_is_never_served_though_the_index_keeps_it(
    world: World, plain: Memory, index: Wayward
) -> None:
    made = await filled(world)
    index.keeps = True
    for id in made[:MANY:20]:
        await world.memory.delete(id)
    for id in made[1:MANY:20]:
        await world.memory.governance.erasure.erase(memories=[id], reason="a test")
    for id in made[2:MANY:20]:
        await world.memory.edit(id, f"Something else altogether {id}")
    assert index.everything() > stored(world)

    await same_hits(world, plain)
    for question in EVERY_QUESTION:
        recalled = await world.memory.recall(question, limit=1000, abstain=False)
        assert not set(ids(recalled)) & {*made[:MANY:20], *made[1:MANY:20]}


@requirement("outside.never-the-truth")
async def test_what_another_scope_has_is_never_served_though_the_index_finds_it(
    world: World, plain: Memory, index: Wayward
) -> None:
    await filled(world)
    crossings = [NewObservation(text=f"The heron crosses with Bob, number {place}") for place in range(MANY)]
    await world.of(BOB).observations.save_many(crossings)
    await world.of(PROJECT).save("The heron crosses for everybody")
    index.indiscreet = True

    await same_hits(world, plain)
    recalled = await world.memory.recall("the heron crosses with Bob", limit=1000, abstain=False)
    assert {hit.record.scope for hit in recalled.hits} == {ALICE, PROJECT}


async def same_hits(world: World, plain: Memory) -> None:
    for question in EVERY_QUESTION:
        with_it = await world.memory.recall(RecallRequest(question=question, abstain=False, record_access=False))
        assert (
            with_it.hits
            == (await plain.recall(RecallRequest(question=question, abstain=False, record_access=False))).hits
        )


@requirement("outside.follows")
async def test_what_is_changed_or_removed_leaves_the_index_at_once(world: World, index: Wayward) -> None:
    made = await filled(world, 10)
    await world.memory.save("First wording", topic_key="topic")
    await world.memory.save("Second wording", topic_key="topic")
    await world.memory.edit(made[0], "The heron sleeps")
    await world.memory.delete(made[1])
    await world.memory.governance.erasure.erase(memories=[made[2]], reason="a test")
    await world.memory.delete(made[3])
    await world.memory.restore(made[3])

    assert len(stored(world)) == 9
    assert index.everything() == stored(world)
    assert await world.memory.admin.doctor() == []


@requirement("outside.follows")
async def test_what_could_not_be_removed_is_removed_when_the_index_is_back(world: World, index: Wayward) -> None:
    made = await filled(world, 5)
    index.away = True
    with pytest.raises(StoreUnavailable, match="run the same erasure again"):
        await world.memory.governance.erasure.erase(memories=[made[0]], reason="a test")
    await world.worker.run_once()
    assert len(index.everything()) == 5

    index.away = False
    world.clock.move(timedelta(seconds=31))
    await world.worker.run_once()
    assert index.everything() == stored(world)
    receipt = await world.memory.governance.erasure.erase(memories=[made[0]], reason="a test")
    assert receipt.found == 0


@requirement("outside.follows")
async def test_a_wording_that_was_erased_while_it_was_brought_does_not_stay(world: World, index: Wayward) -> None:
    await filled(world, 2)
    index_sync, scope = world.worker.embeddings.index_sync, world.memory.scope
    assert index_sync is not None
    generation = (await world.store.generations())[0]
    gone = max(stored(world)) + 50

    assert await index_sync.put(scope, {gone: np.eye(256, dtype=np.float32)[:1]}, generation=generation)
    assert gone in {wording.document for wording in index.told}
    assert index.everything() == stored(world)


@requirement("outside.follows", "outside.rebuilt")
async def test_a_lag_is_named_and_mended_by_the_doctor(world: World, index: Wayward) -> None:
    made = await filled(world, 5)
    index.away = True
    await world.memory.edit(made[0], "The heron sleeps")
    index.away = False
    world.clock.move(timedelta(seconds=31))

    found = await world.memory.admin.doctor()
    assert [(item.scope, item.finding.fault, item.repaired) for item in found] == [
        (ALICE, StoreFault.LAGGING_VECTOR_INDEX, False)
    ]
    assert len(found[0].finding.where) == 2
    assert found[0].advice
    assert [item.repaired for item in await world.memory.admin.doctor(repair=True)] == [True]
    assert index.everything() == stored(world)
    assert await world.memory.admin.doctor() == []


@requirement("outside.rebuilt", "outside.may-be-away")
async def test_an_index_that_lost_everything_is_said_to_lag_and_built_anew(
    world: World, plain: Memory, index: Wayward
) -> None:
    await filled(world)
    await world.of(BOB).save("Of no concern")
    number = (await world.store.generations())[0].number
    index.drop(number)
    recalled = await world.memory.recall(RecallRequest(question="the heron crosses", record_access=False))
    assert recalled.notes == (LAG_NOTE,)
    assert recalled.hits == (await plain.recall(RecallRequest(question="the heron crosses", record_access=False))).hits

    told: list[int] = []
    index.told.clear()
    assert await world.memory.admin.index.rebuild(progress=told.append) == MANY + 1
    assert sum(told) == 2 * (MANY + 1)
    assert index.everything() == stored(world)
    await same(world, plain)


@requirement("outside.rebuilt")
async def test_a_stranger_in_the_index_is_gone_once_it_is_built_anew(world: World, index: Wayward) -> None:
    await filled(world, 3)
    number = (await world.store.generations())[0].number
    stray = DocumentVectors(document=99 << 32, scope="ff" * 32, passages=np.eye(256, dtype=np.float32)[:1])
    index.put([stray], generation=number)
    index.put([stray], generation=number + 7)
    await world.memory.admin.index.rebuild()

    assert index.everything() == stored(world)
    assert index.generations() == [number]


@requirement("outside.follows")
async def test_new_vectors_of_the_whole_store_take_the_place_of_the_old(
    world: World, plain: Memory, index: Wayward
) -> None:
    await filled(world)
    await world.memory.admin.index.reembed()

    number = (await world.store.generations())[0].number
    assert index.generations() == [number]
    assert index.everything() == stored(world)
    await same(world, plain)


@requirement("outside.may-be-away")
async def test_new_vectors_serve_though_the_index_is_away(world: World, index: Wayward) -> None:
    await filled(world, 5)
    index.away = True
    assert await world.memory.admin.index.reembed() == 5
    assert (await world.memory.recall("the heron crosses")).hits


@requirement("outside.erased")
async def test_an_erasure_is_done_when_the_index_has_let_go_too(world: World, index: Wayward) -> None:
    await filled(world, 3)
    bob = world.memory.within(BOB)
    await bob.save("The ferry is Bob's")
    everything = world.memory.within(Scope(tenant=ALICE.tenant))
    before = index.everything()
    index.away = True
    with pytest.raises(StoreUnavailable, match="vector index"):
        await everything.governance.erasure.erase(user=str(ALICE.user), reason="asked")
    assert index.everything() == before
    index.away = False
    # Another process, which never knew what is owed.
    async with opened(world.path, embedder=Grained(256), index=index, clock=world.clock, ids=world.ids) as again:
        receipt = await again.memory.within(everything.scope).governance.erasure.erase(
            user=str(ALICE.user), reason="asked"
        )
    assert receipt.found == 0
    assert index.everything() == stored(world)
    assert len(index.everything()) == 1


@requirement("outside.never-the-truth")
async def test_the_index_learns_numbers_and_fingerprints_alone(world: World, index: Wayward) -> None:
    await filled(world, 3)

    scopes = {wording.scope for wording in index.told}
    assert len(scopes) == 1
    assert all(len(scope) == 64 and int(scope, 16) for scope in scopes)
    assert {wording.document for wording in index.told} == stored(world)


@requirement("outside.same-hits", "outside.rebuilt")
async def test_a_setting_names_the_index(tmp_path: Path) -> None:
    where = {"embedder": "hash", "background": False, "qdrant_url": str(tmp_path / "index")}
    async with open_memory(tmp_path / "m.db", **where) as memory:  # pyright: ignore[reportArgumentType] -- settings
        await memory.save("The heron nests")
        assert await memory.admin.doctor() == []
    async with open_memory(tmp_path / "m.db", **where) as memory:  # pyright: ignore[reportArgumentType] -- settings
        recalled = await memory.recall("heron nests")
        assert (texts(recalled), recalled.notes) == (["The heron nests"], ())


@requirement("outside.may-be-away")
# The client leaves the file open by which it saw that the folder is taken.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
async def test_a_folder_that_another_process_has_is_said_to_be_away(tmp_path: Path) -> None:
    where = {"embedder": "hash", "background": False, "qdrant_url": str(tmp_path / "index")}
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(open_memory(tmp_path / "m.db", **where))  # pyright: ignore[reportArgumentType] -- settings
        await first.save("The heron nests")
        second = await stack.enter_async_context(open_memory(tmp_path / "m.db", **where))  # pyright: ignore[reportArgumentType] -- settings
        recalled = await second.recall("heron nests")
        assert texts(recalled) == ["The heron nests"]
        assert "another process" in recalled.notes[0]
    gc.collect()


@requirement("outside.may-be-away")
@pytest.mark.parametrize("setting", [{"qdrant_url": "ftp://127.0.0.1/x"}, {"qdrant_collection": "a b"}])
async def test_a_setting_that_cannot_be_meant_is_refused(tmp_path: Path, setting: dict[str, str]) -> None:
    with pytest.raises(InvalidInput):
        async with open_memory(tmp_path / "m.db", embedder="hash", **setting):  # pyright: ignore[reportArgumentType] -- settings
            pass


@requirement("outside.may-be-away")
async def test_without_its_extra_the_message_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "remembrancer.storage.qdrant", None)
    with pytest.raises(StoreError, match=r"remembrancer\[qdrant\]"):
        async with open_memory(tmp_path / "m.db", embedder="hash", qdrant_url=":memory:"):
            pass
