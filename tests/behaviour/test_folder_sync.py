"""Machines that exchange memories through a folder have the same ones, whatever each changed."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from remembrancer import Changes, Filter, InvalidInput, Memory, NotAllowed, Scope, open_memory
from remembrancer.resources.folder_sync import FolderSynced

from .requirements import requirement

pytestmark = pytest.mark.anyio
PASSPHRASE = "correct horse battery"
CODIE = Scope(agent="codie", user="ana")


@pytest.fixture
async def machines(tmp_path: Path) -> AsyncGenerator[tuple[Memory, Memory]]:
    """Two machines with stores of their own."""
    async with AsyncExitStack() as stack:
        left, right = [
            await stack.enter_async_context(open_memory(tmp_path / f"{name}.db", embedder="none", background=False))
            for name in ("left", "right")
        ]
        yield left, right


class Shared:
    """A folder that machines share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def sync(self, memory: Memory, machine: str, **changed: Any) -> FolderSynced:
        values: dict[str, Any] = {"machine": machine, "passphrase": PASSPHRASE, **changed}
        return await memory.folder_sync.run(self.folder, **values)

    async def settle(self, left: Memory, right: Memory) -> None:
        for _ in range(2):
            await self.sync(left, "left")
            await self.sync(right, "right")


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    return Shared(tmp_path / "shared")


async def state(memory: Memory) -> dict[str, Any]:
    """Return what a machine has: texts, statuses, revisions and earlier texts of each memory."""
    found: dict[str, Any] = {}
    for scope in (Scope(), CODIE, Scope(project="apollo")):
        own = memory.within(scope)
        page = await own.list(Filter(statuses=("active", "merged", "retired", "archived")), limit=1_000)
        for one in page.records:
            versions = await own.timeline.history(one.id)
            before = sorted({(row.record.text, row.record.status.value) for row in versions})
            found[one.id] = (one.text, one.status.value, one.revision, before)
    return found


@requirement("sync.same")
async def test_both_have_what_each_has_recorded(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, right = machines
    await left.save("The keel is oak")
    await left.within(CODIE).record("Codie says hello", session="talk")
    await right.within(Scope(project="apollo")).save("The sail is red")
    first = await shared.sync(left, "left")
    assert (first.written, first.read) == (2, 0)
    second = await shared.sync(right, "right")
    assert (second.created, second.read) == (2, 2)
    await shared.settle(left, right)
    assert await state(left) == await state(right)
    assert len(await state(left)) == 3
    names = sorted(file.relative_to(shared.folder).as_posix() for file in shared.folder.rglob("*.archive"))
    assert names == [
        f"{machine}/{name}.archive" for machine in ("left", "right") for name in ("agent-codie", "shared", "system")
    ]
    again = await shared.sync(left, "left")
    assert (again.read, again.written, again.unchanged) == (0, 0, 3)
    assert b"oak" not in b"".join(file.read_bytes() for file in shared.folder.rglob("*.archive"))


@requirement("sync.same")
async def test_of_two_corrections_the_higher_revision_is_current_and_the_other_a_version_on_both(
    machines: tuple[Memory, Memory], shared: Shared
) -> None:
    left, right = machines
    saved = (await left.save("The keel is oak")).record
    await shared.settle(left, right)
    await left.edit(saved.id, Changes(text="The keel is ash"))
    await right.edit(saved.id, Changes(text="The keel is elm"))
    await right.edit(saved.id, Changes(text="The keel is yew"))
    result = await shared.sync(left, "left")
    assert result.conflicts == {}
    conflicts = [(await shared.sync(memory, name)).conflicts for memory, name in ((right, "right"), (left, "left"))]
    assert {"differs": 1} in conflicts
    await shared.settle(left, right)
    assert await state(left) == await state(right)
    text, _, revision, before = (await state(right))[saved.id]
    assert (text, revision) == ("The keel is yew", 3)
    assert {one for one, _ in before} == {f"The keel is {wood}" for wood in ("oak", "ash", "elm", "yew")}


@requirement("sync.same")
async def test_a_deletion_reaches_the_other_machine(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, right = machines
    saved = (await left.save("The keel is oak")).record
    await shared.settle(left, right)
    await right.delete(saved.id)
    await shared.settle(left, right)
    assert await state(left) == await state(right) == {}
    await left.restore(saved.id)
    await shared.settle(left, right)
    assert list(await state(right)) == [saved.id]


@requirement("sync.same")
async def test_two_claims_under_one_topic_become_one(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, right = machines
    await left.save("The keel is oak", topic_key="keel")
    await right.save("The keel is ash", topic_key="keel")
    await shared.settle(left, right)
    found = await state(left)
    assert found == await state(right)
    assert [text for text, status, *_ in found.values() if status == "active"] == ["The keel is ash"]


@requirement("sync.whole")
async def test_a_file_that_is_not_complete_yet_is_read_later(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, right = machines
    await left.save("The keel is oak")
    await shared.sync(left, "left")
    file = shared.folder / "left" / "system.archive"
    whole = file.read_bytes()
    for part in (b"", whole[:20], whole[:-7], b"nonsense" * 20):
        file.write_bytes(part)
        result = await shared.sync(right, "right")
        assert list(result.failed) == ["left/system.archive"]
        assert await state(right) == {}
    file.write_bytes(whole)
    assert (await shared.sync(right, "right")).created == 1


@requirement("sync.whole")
async def test_a_wrong_passphrase_imports_nothing(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, right = machines
    await left.save("The keel is oak")
    await shared.sync(left, "left")
    result = await shared.sync(right, "right", passphrase="another passphrase")
    assert "wrong" in result.failed["left/system.archive"]
    assert await state(right) == {}
    with pytest.raises(InvalidInput, match="at least 8"):
        await shared.sync(right, "right", passphrase="short")


@requirement("sync.whole")
async def test_a_lost_or_an_older_store_gets_everything_back(
    machines: tuple[Memory, Memory], shared: Shared, tmp_path: Path
) -> None:
    left, right = machines
    await left.save("The keel is oak")
    await right.within(CODIE).save("The sail is red")
    await shared.settle(left, right)
    await left.save("The mast is pine")
    await shared.settle(left, right)
    whole = await state(left)
    async with open_memory(tmp_path / "new.db", embedder="none", background=False) as new:
        with_other = await shared.sync(new, "left", passphrase="another passphrase")
        assert (with_other.written, sorted(with_other.failed)) == (
            0,
            ["left/agent-codie.archive", "left/system.archive"],
        )
        assert (await shared.sync(new, "left")).read == 4
        assert await state(new) == whole
        again = await shared.sync(new, "left")
        assert (again.read, again.written, again.unchanged) == (0, 0, 2)
    # A machine whose folder was never exchanged with anybody has the only copy.
    alone = Shared(tmp_path / "alone")
    await alone.sync(left, "left")
    await alone.sync(right, "left")
    assert (await state(right)) == whole


@requirement("sync.whole")
async def test_an_archive_of_another_passphrase_or_a_damaged_one_is_written_again(
    machines: tuple[Memory, Memory], shared: Shared
) -> None:
    left, right = machines
    await left.save("The keel is oak")
    await shared.sync(left, "left", passphrase="a mistyped passphrase")
    assert (await shared.sync(left, "left")).written == 1
    file = shared.folder / "left" / "system.archive"
    file.write_bytes(file.read_bytes()[:100])
    (shared.folder / "left" / ".system.archive.new.killed").write_bytes(b"")
    assert (await shared.sync(left, "left")).written == 1
    assert sorted(one.name for one in file.parent.iterdir()) == ["state.json", "system.archive"]
    assert (await shared.sync(right, "right")).created == 1


@pytest.mark.parametrize("machine", ["", "../left", "a/b", ".", "a b"])
@requirement("sync.for-operators")
async def test_a_machine_is_a_name_of_a_folder(machine: str, machines: tuple[Memory, Memory], shared: Shared) -> None:
    with pytest.raises(InvalidInput, match="is no name of a folder"):
        await shared.sync(machines[0], machine)
    assert not shared.folder.exists()


@requirement("sync.for-operators")
async def test_only_an_operator_with_access_to_all_exchanges(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, _ = machines
    await left.save("The keel is oak")
    with pytest.raises(NotAllowed):
        await shared.sync(left.within(Scope(), clearance="internal"), "left")
    assert not shared.folder.exists()


@requirement("imports.erased-stays-away")
async def test_an_erased_memory_does_not_come_back(machines: tuple[Memory, Memory], shared: Shared) -> None:
    left, right = machines
    saved = (await left.save("The keel is oak")).record
    await shared.settle(left, right)
    await left.governance.erasure.erase(memories=[saved.id], reason="a request")
    await right.edit(saved.id, Changes(text="The keel is ash"))
    await shared.settle(left, right)
    assert await state(left) == {}
