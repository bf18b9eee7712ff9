"""Access keys: whom they let in, how far, and that all that is wrong with one reads alike."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from anyio.to_thread import run_sync

from remembrancer import InvalidInput, MadeKey, Memory, NotAllowed, NotFound, Scope, Unauthenticated

from .opener import Opener
from .requirements import requirement
from .world import World

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
ACME = Scope(tenant="acme")


def holding(folder: Path, found: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() if file.is_file() and found in file.read_bytes()]


async def let_in(memory: Memory, made: MadeKey) -> Memory:
    reception = memory.reception
    return reception.memory_of(await reception.admit(made.token, door="rest"))


async def refusal(memory: Memory, token: str) -> str:
    with pytest.raises(Unauthenticated) as raised:
        await memory.reception.admit(token, door="rest")
    return str(raised.value)


@requirement("access.a-wall")
async def test_a_key_lets_in_to_its_scope_with_its_clearance_and_rights(opener: Opener) -> None:
    memory = (await opener(tenant="acme")).within(ACME, clearance="confidential")
    made = await memory.keys.create("bot", project="apollo", clearance="internal", rights=["read"], days=1)
    caller = (await let_in(memory, made)).caller
    assert (caller.scope, caller.clearance, caller.actor, caller.door) == (
        Scope(tenant="acme", project="apollo"),
        "internal",
        "bot",
        "rest",
    )
    assert caller.rights == {"read"}
    reception = memory.reception
    assert reception.narrowed(caller, Scope(tenant="acme", user="ana")).scope == Scope(
        tenant="acme", project="apollo", user="ana"
    )
    for beyond in (Scope(tenant="globex"), Scope(tenant="acme", project="gemini")):
        with pytest.raises(NotFound):
            reception.narrowed(caller, beyond)
    with pytest.raises(NotAllowed):
        reception.narrowed(caller, ACME, clearance="confidential")


@requirement("access.refused-alike")
async def test_whatever_is_wrong_with_a_key_reads_alike(world: World) -> None:
    memory = world.of(ACME)
    ended, revoked, rotated = [await memory.keys.create(name, days=1) for name in ("ended", "revoked", "rotated")]
    await memory.keys.revoke(revoked.key.id)
    fresh = await memory.keys.rotate(rotated.key.id)
    world.clock.move(timedelta(seconds=2))
    assert (await let_in(memory, fresh)).caller.actor == "rotated"
    assert (await let_in(memory, ended)).caller.actor == "ended"
    world.clock.move(timedelta(days=2))
    tokens = [ended.token, revoked.token, rotated.token, fresh.token[:-1], "", "rmb_", "rmb_a_b", "x" * 10_000, "ü"]
    assert len({await refusal(memory, token) for token in tokens}) == 1


@requirement("access.no-more-than-its-maker")
async def test_nobody_makes_or_changes_a_key_that_may_do_more_than_its_maker(opener: Opener) -> None:
    memory = (await opener(tenant="acme")).within(ACME)
    great = await memory.keys.create("great", rights=["read", "operate", "govern"])
    small = await memory.keys.create("small", clearance="internal", rights=["read", "operate"])
    keeper = await let_in(memory, small)
    with pytest.raises(NotAllowed):
        await keeper.keys.create("more", rights=["govern"])
    with pytest.raises(NotAllowed):
        await keeper.keys.create("higher", clearance="restricted", rights=["read"])
    with pytest.raises(NotAllowed):
        await keeper.keys.revoke(great.key.id)
    reader = await let_in(memory, await memory.keys.create("reader", rights=["read"]))
    with pytest.raises(NotAllowed):
        await reader.keys.list()
    with pytest.raises(NotAllowed):
        await reader.keys.create("another", rights=["read"])
    with pytest.raises(InvalidInput):
        await memory.keys.create("none", rights=[])


@requirement("access.a-wall")
async def test_a_key_beyond_the_wall_reads_as_absent(opener: Opener) -> None:
    root = await opener()
    ana, bob = (root.within(Scope(tenant="acme", user=name)) for name in ("ana", "bob"))
    made = await ana.keys.create("ana's")
    for stranger in (bob, root.within(Scope(tenant="globex"))):
        assert made.key.id not in {key.id for key in await stranger.keys.list()}
        for change in (stranger.keys.rotate, stranger.keys.revoke):
            with pytest.raises(NotFound):
                await change(made.key.id)
    assert [key.id for key in await root.within(ACME).keys.list()] == [made.key.id]


@requirement("access.kept-as-fingerprints")
async def test_no_secret_of_a_key_is_on_disk_and_none_is_listed(on_disk: Opener, tmp_path: Path) -> None:
    memory = await on_disk()
    made = await memory.keys.create("bot")
    await let_in(memory, made)
    secret = made.token.split("_", 2)[2]
    assert [key.digest for key in await memory.keys.list()] == [""]
    assert await run_sync(holding, tmp_path, secret.encode()) == []
    assert await run_sync(holding, tmp_path, made.key.id.encode())


@requirement("access.audited")
async def test_what_is_done_with_a_key_is_audited_once_a_minute_at_most(world: World) -> None:
    memory = world.of(ACME)
    made = await memory.keys.create("bot")
    before = (await memory.upkeep.stats()).audit_entries or 0
    for _ in range(3):
        await let_in(memory, made)
        await refusal(memory, made.token[:-1])
    assert (await memory.upkeep.stats()).audit_entries == before + 2
    assert [key.last_seen_at for key in await memory.keys.list()] == [world.clock.now()]
    world.clock.move(timedelta(minutes=2))
    await let_in(memory, made)
    assert (await memory.upkeep.stats()).audit_entries == before + 3


@requirement("access.needed-once-made")
async def test_once_a_key_was_made_nobody_comes_in_without(opener: Opener) -> None:
    memory = await opener()
    assert not await memory.reception.needs_keys()
    await memory.keys.create("bot")
    assert await memory.reception.needs_keys()
    key = (await memory.keys.list())[0]
    await memory.keys.revoke(key.id)
    again = await opener()
    assert await again.reception.needs_keys()
    assert (await again.keys.list())[0].revoked_at is not None
    assert datetime.now(UTC) - key.made_at < timedelta(minutes=5)
