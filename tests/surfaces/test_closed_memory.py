"""A memory that is closed says so, and so does every memory of another scope that was made from it."""

import subprocess
import sys
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path

import pytest

from remembrancer import Scope, StoreError, SyncMemory, open_memory

OTHER = Scope(user="ana")
USES: dict[str, Callable[[SyncMemory], object]] = {
    "save": lambda memory: memory.save("The heron nests in April"),
    "recall": lambda memory: memory.recall("heron"),
    "stats": lambda memory: memory.admin.stats(),
    "ask_stream": lambda memory: list(memory.ask_stream("heron")),
    "within": lambda memory: memory.within(OTHER),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.db"


def opened(path: Path) -> SyncMemory:
    return SyncMemory(path, embedder="none", background=False)


@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_a_memory_and_all_that_were_made_from_it_say_that_they_are_closed(
    path: Path, use: Callable[[SyncMemory], object]
) -> None:
    with opened(path) as memory:
        child = memory.within(OTHER)
        grandchild = child.within(OTHER)
    for closed in (memory, child, grandchild):
        with pytest.raises(StoreError, match="this memory is closed; open it again"):
            use(closed)


def test_closing_one_that_was_made_from_another_leaves_that_one_open(path: Path) -> None:
    with opened(path) as memory:
        with memory.within(OTHER) as child:
            child.save("The heron nests in April")
        with pytest.raises(StoreError, match="closed"):
            child.recall("heron")
        memory.save("The otter hunts at dusk")


def test_a_memory_can_be_closed_twice(path: Path) -> None:
    memory = opened(path)
    memory.close()
    memory.close()


@pytest.mark.anyio
@pytest.mark.parametrize("where", ["m.db", ":memory:"])
@pytest.mark.parametrize(
    ("use", "given"), [("save", ["x"]), ("recall", ["x"]), ("sessions.list", []), ("admin.stats", [])]
)
async def test_an_async_memory_says_that_it_is_closed(tmp_path: Path, where: str, use: str, given: list[str]) -> None:
    path = where if where == ":memory:" else tmp_path / where
    async with open_memory(path, embedder="none", background=False) as memory:
        await memory.save("The heron nests in April")
    with pytest.raises(StoreError, match="this memory is closed; open it again"):
        await attrgetter(use)(memory)(*given)


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit, LookupError])
def test_what_ends_a_block_comes_out_as_it_is_with_work_in_the_background(end: type[BaseException]) -> None:
    memory = SyncMemory(":memory:", embedder="none")
    with pytest.raises(end), memory:
        raise end
    with pytest.raises(StoreError, match="closed"):
        memory.admin.stats()


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)", "raise RuntimeError('a fault of the caller')"])
def test_a_program_that_leaves_its_memory_open_ends(end: str, tmp_path: Path) -> None:
    program = f"""
from remembrancer import SyncMemory
memory = SyncMemory({str(tmp_path / "m.db")!r}, embedder="none", user="ana")
memory.record("The heron stands in the reeds.")
{end}
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=False)
    assert ran.returncode == {"": 0, "raise SystemExit(3)": 3}.get(end, 1), ran.stderr
    with SyncMemory(tmp_path / "m.db", embedder="none", user="ana") as memory:
        assert len(memory.recall("Where does the heron stand?").hits) == 1
