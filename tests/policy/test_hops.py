"""A save, a record and a recall reach the SQL in at most six hops between modules of ours.

The plumbing that every call goes through is not counted: it checks arguments, writes the audit entry, opens the
transaction, and moves to the thread of the connection. A reader meets it once.
"""

import sys
import threading
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from remembrancer import Memory, open_memory

pytestmark = pytest.mark.anyio
HOPS = 6
PLUMBING = (
    "types.arguments",
    "resources.audit_decorator",
    "resources.resource",
    "transactions.unit_of_work",
    "storage.sql",
    "storage.threads",
    "storage.scoped_connection",
    "storage.sqlite.store",
    "storage.sqlite.connection",
)
STATEMENTS = {"SQLiteConnection.rows", "SQLiteConnection.run", "SQLiteConnection.run_many"}
Call = Callable[[Memory], Coroutine[Any, Any, object]]
CALLS: dict[str, Call] = {
    "save": lambda memory: memory.save("Ana books flights after ten", type="preference"),
    "record": lambda memory: memory.record("I moved to Lisbon", speaker="Ana"),
    "recall": lambda memory: memory.recall("When does Ana book flights?"),
}


def _module(frame: FrameType) -> str:
    name: str = frame.f_globals.get("__name__", "")
    return name.removeprefix("remembrancer.") if name.startswith("remembrancer.") else ""


def _stack(frame: FrameType | None) -> list[FrameType]:
    """Return a frame and those that called it, the outermost first."""
    found: list[FrameType] = []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found[::-1]


def _awaiting(call: Any) -> list[FrameType]:
    """Return the frames of a coroutine and of those that it awaits."""
    found: list[FrameType] = []
    while call is not None:
        frame = getattr(call, "cr_frame", None) or getattr(call, "gi_frame", None) or getattr(call, "ag_frame", None)
        found += [frame] if frame is not None else []
        call = getattr(call, "cr_await", None) or getattr(call, "gi_yieldfrom", None) or getattr(call, "ag_await", None)
    return found


def _without_plumbing(stack: Sequence[FrameType]) -> tuple[str, ...]:
    """Return the modules of a stack from `Memory` on, each once, in the order in which they are entered."""
    modules = [_module(frame) for frame in stack]
    if "memory" not in modules:
        return ()
    counted = [name for name in modules[modules.index("memory") :] if name and name not in PLUMBING]
    return tuple(dict.fromkeys(counted))


@contextmanager
def _traced(current: list[Any], paths: set[tuple[str, ...]]) -> Generator[None]:
    """Collect the path to each SQL statement that `current` runs, here and in threads that start meanwhile."""
    main = threading.get_ident()

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and current and frame.f_code.co_qualname in STATEMENTS:
            stack = _stack(frame)
            paths.add(_without_plumbing(stack if threading.get_ident() == main else [*_awaiting(current[0]), *stack]))

    before = sys.getprofile()
    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        threading.setprofile(None)  # pyright: ignore[reportArgumentType] -- None ends it
        sys.setprofile(before)


@pytest.mark.parametrize("verb", CALLS)
async def test_a_verb_reaches_the_database_in_six_hops(verb: str) -> None:
    current: list[Any] = []
    paths: set[tuple[str, ...]] = set()
    with _traced(current, paths):
        async with open_memory(":memory:", user="ana", embedder="none", background=False) as memory:
            await memory.save("Ana likes tea")
            call = CALLS[verb](memory)
            current.append(call)
            await call
            current.clear()
    longest = max(paths, key=len)
    assert longest[0] == "memory"
    assert longest[-1].startswith("storage.")
    assert len(longest) - 1 <= HOPS, " > ".join(longest)
