"""Access keys: whom they let in, how far, and that all that is wrong with one reads alike."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anyio.to_thread import run_sync

from remembrancer import InvalidInput, Memory, NewKey, NotAllowed, NotFound, Scope, StoreUnavailable, Unauthenticated
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import CreatedKey
from tests.finding import find

from .opener import Opener
from .requirements import requirement
from .world import World

pytestmark = [pytest.mark.anyio, pytest.mark.both_stores]
ACME = Scope(tenant="acme")


def holding(folder: Path, found: bytes) -> list[str]:
    return [file.name for file in folder.iterdir() if file.is_file() and found in file.read_bytes()]


async def let_in(memory: Memory, made: CreatedKey) -> Memory:
    authenticator = memory.authenticator
    return authenticator.memory_of(await authenticator.authenticate(made.token, origin="rest"))


async def refusal(memory: Memory, token: str) -> str:
    with pytest.raises(Unauthenticated) as raised:
        await memory.authenticator.authenticate(token, origin="rest")
    return str(raised.value)


@requirement("access.a-wall")
async def test_a_key_lets_in_to_its_scope_with_its_clearance_and_rights(opener: Opener) -> None:
    memory = (await opener(tenant="acme")).within(ACME, clearance="confidential")
    made = await memory.admin.keys.create("bot", project="apollo", clearance="internal", rights=["read"], days=1)
    caller = (await let_in(memory, made)).caller
    assert (caller.scope, caller.clearance, caller.actor, caller.origin) == (
        Scope(tenant="acme", project="apollo"),
        "internal",
        "bot",
        "rest",
    )
    assert caller.rights == {"read"}
    authenticator = memory.authenticator
    assert authenticator.narrow(caller, Scope(tenant="acme", user="ana")).scope == Scope(
        tenant="acme", project="apollo", user="ana"
    )
    for beyond in (Scope(tenant="globex"), Scope(tenant="acme", project="gemini")):
        with pytest.raises(NotFound):
            authenticator.narrow(caller, beyond)
    with pytest.raises(NotAllowed):
        authenticator.narrow(caller, ACME, clearance="confidential")


@requirement("access.refused-alike")
async def test_whatever_is_wrong_with_a_key_reads_alike(world: World) -> None:
    memory = world.of(ACME)
    ended, revoked, rotated = [await memory.admin.keys.create(name, days=1) for name in ("ended", "revoked", "rotated")]
    await memory.admin.keys.revoke(revoked.key.id)
    fresh = await memory.admin.keys.rotate(rotated.key.id)
    world.clock.move(timedelta(seconds=2))
    assert (await let_in(memory, fresh)).caller.actor == "rotated"
    assert (await let_in(memory, ended)).caller.actor == "ended"
    world.clock.move(timedelta(days=2))
    tokens = [ended.token, revoked.token, rotated.token, fresh.token[:-1], "", "rmb_", "rmb_a_b", "x" * 10_000, "ü"]
    assert len({await refusal(memory, token) for token in tokens}) == 1


@requirement("access.no-more-than-its-maker")
async def test_nobody_makes_or_changes_a_key_that_may_do_more_than_its_maker(opener: Opener) -> None:
    memory = (await opener(tenant="acme")).within(ACME)
    great = await memory.admin.keys.create("great", rights=["read", "operate", "govern"])
    small = await memory.admin.keys.create("small", clearance="internal", rights=["read", "operate"])
    keeper = await let_in(memory, small)
    with pytest.raises(NotAllowed):
        await keeper.admin.keys.create("more", rights=["govern"])
    with pytest.raises(NotAllowed):
        await keeper.admin.keys.create("higher", clearance="restricted", rights=["read"])
    with pytest.raises(NotAllowed):
        await keeper.admin.keys.revoke(great.key.id)
    reader = await let_in(memory, await memory.admin.keys.create("reader", rights=["read"]))
    with pytest.raises(NotAllowed):
        await reader.admin.keys.list()
    with pytest.raises(NotAllowed):
        await reader.admin.keys.create("another", rights=["read"])
    with pytest.raises(InvalidInput):
        await memory.admin.keys.create("none", rights=[])


@requirement("access.a-wall")
async def test_a_key_beyond_the_wall_reads_as_absent(opener: Opener) -> None:
    root = await opener()
    ana, bob = (root.within(Scope(tenant="acme", user=name)) for name in ("ana", "bob"))
    made = await ana.admin.keys.create("ana's")
    for stranger in (bob, root.within(Scope(tenant="globex"))):
        assert made.key.id not in {key.id for key in await stranger.admin.keys.list()}
        for change in (stranger.admin.keys.rotate, stranger.admin.keys.revoke):
            with pytest.raises(NotFound):
                await change(made.key.id)
    assert [key.id for key in await root.within(ACME).admin.keys.list()] == [made.key.id]


@requirement("access.kept-as-fingerprints")
async def test_no_secret_of_a_key_is_on_disk_and_none_is_listed(on_disk: Opener, tmp_path: Path) -> None:
    memory = await on_disk()
    made = await memory.admin.keys.create("bot")
    await let_in(memory, made)
    secret = made.token.split("_", 2)[2]
    assert [key.digest for key in await memory.admin.keys.list()] == [""]
    assert await run_sync(holding, tmp_path, secret.encode()) == []
    assert await run_sync(holding, tmp_path, made.key.id.encode())


@requirement("access.audited")
async def test_what_is_done_with_a_key_is_audited_once_a_minute_at_most(world: World) -> None:
    memory = world.of(ACME)
    made = await memory.admin.keys.create("bot")
    before = (await memory.admin.stats()).audit_entries or 0
    for _ in range(3):
        await let_in(memory, made)
        await refusal(memory, made.token[:-1])
    assert (await memory.admin.stats()).audit_entries == before + 2
    assert [key.last_seen_at for key in await memory.admin.keys.list()] == [world.clock.now()]
    world.clock.move(timedelta(minutes=2))
    await let_in(memory, made)
    assert (await memory.admin.stats()).audit_entries == before + 3


@requirement("access.needed-once-made")
async def test_once_a_key_was_made_nobody_comes_in_without(opener: Opener) -> None:
    memory = await opener()
    assert not await memory.authenticator.needs_keys()
    await memory.admin.keys.create("bot")
    assert await memory.authenticator.needs_keys()
    key = (await memory.admin.keys.list())[0]
    await memory.admin.keys.revoke(key.id)
    again = await opener()
    assert await again.authenticator.needs_keys()
    assert (await again.admin.keys.list())[0].revoked_at is not None
    assert datetime.now(UTC) - key.created_at < timedelta(minutes=5)


async def at(memory: Memory, made: CreatedKey, tenant: str | None) -> Memory:
    authenticator = memory.authenticator
    return authenticator.memory_of(await authenticator.authenticate(made.token, origin="rest", tenant=tenant))


async def actions(memory: Memory) -> list[str]:
    """What was done with access keys, by the audit log of the tenant."""
    return sorted(one.action for one in await memory.governance.audit.list() if one.kind == "access key")


@requirement("access.a-wall")
async def test_a_key_of_several_tenants_opens_the_one_that_is_named_and_no_other(opener: Opener) -> None:
    root = await opener()
    ids: dict[str, str] = {}
    for tenant in ("a", "b", "c"):
        user = root.within(Scope(tenant=tenant, user="ana"))
        ids[tenant] = (await user.save(f"Ana of {tenant} likes tea")).record.id
    made = await root.admin.keys.create(
        NewKey(name="bot", tenant="a", tenants=["b", "a", "b"], user="ana", rights=["read", "operate"])
    )
    assert (made.key.scope, made.key.tenants) == (Scope(tenant="a", user="ana"), ("b",))
    for named, own in (("a", "a"), ("b", "b"), (None, "a")):
        memory = await at(root, made, named)
        assert memory.scope == memory.caller.wall == Scope(tenant=own, user="ana")
        for tenant, id in ids.items():
            assert (await find(memory, id) is not None) is (tenant == own)
        for tenant in {"a", "b", "c"} - {own}:
            with pytest.raises(NotFound):
                memory.within(Scope(tenant=tenant, user="ana"))
    for absent in ("c", "local", "A"):
        with pytest.raises(NotFound):
            await at(root, made, absent)
    with pytest.raises(InvalidInput):
        await at(root, made, "\n")


@requirement("access.no-more-than-its-maker")
async def test_keys_of_other_tenants_are_of_a_keeper_of_the_store_alone(opener: Opener) -> None:
    root = await opener()
    every = ["read", "govern", "operate"]
    others: tuple[dict[str, Any], ...] = ({"tenant": "c"}, {"tenants": ["c"]})
    keeper = await at(root, await root.admin.keys.create("platform", rights=every), None)
    several = await keeper.admin.keys.create(NewKey(name="several", tenant="a", tenants=["b", "local"], rights=every))
    for stranger in (
        await at(root, several, "a"),
        await at(root, await keeper.admin.keys.create(NewKey(name="own", tenant="b", rights=every)), None),
        await at(root, await root.admin.keys.create("project", project="apollo", rights=every), None),
    ):
        for given in others:
            with pytest.raises(NotAllowed):
                await stranger.admin.keys.create(NewKey(name="another", rights=["read"], **given))
        with pytest.raises(NotAllowed):
            await stranger.admin.keys.list(tenant="c")
        for change in (stranger.admin.keys.rotate, stranger.admin.keys.revoke):
            with pytest.raises(NotAllowed):
                await change(several.key.id, tenant="c")
            with pytest.raises((NotAllowed, NotFound)):
                await change(several.key.id)
    # A tenant is shown who opens it, and none of the other tenants.
    shown = [one for one in await (await at(root, several, "b")).admin.keys.list() if one.id == several.key.id]
    assert [(one.scope, one.tenants) for one in shown] == [(Scope(tenant="b"), ())]
    for tenant in ("a", "b", None):
        found = [one for one in await keeper.admin.keys.list(tenant=tenant) if one.id == several.key.id]
        assert [(one.scope, one.tenants) for one in found] == [(Scope(tenant="a"), ("b", "local"))]
    with pytest.raises(NotFound):
        await keeper.admin.keys.revoke(several.key.id, tenant="c")
    rotated = await keeper.admin.keys.rotate(several.key.id, tenant="b")
    assert (await at(root, rotated, "b")).scope == Scope(tenant="b")
    assert (await keeper.admin.keys.revoke(several.key.id, tenant="a")).revoked_at is not None


@requirement("access.audited")
async def test_each_tenant_is_told_what_is_done_with_a_key_that_opens_it_and_nothing_else(world: World) -> None:
    root, opened = (
        world.of(Scope(tenant="root")),
        {tenant: world.of(Scope(tenant=tenant)) for tenant in ("a", "b", "c")},
    )
    made = await root.admin.keys.create(NewKey(name="bot", tenant="a", tenants=["b"]))
    await at(root, made, "b")
    assert [await actions(memory) for memory in opened.values()] == [["created"], ["created", "used"], []]
    with pytest.raises(NotFound):
        await at(root, made, "c")
    made = await root.admin.keys.rotate(made.key.id, tenant="a")
    world.clock.move(timedelta(seconds=2))
    await at(root, made, "a")
    await root.admin.keys.revoke(made.key.id, tenant="b")
    told = ["created", "refused", "revoked", "rotated", "used"]
    assert await actions(opened["a"]) == told
    assert await actions(opened["b"]) == ["created", "revoked", "rotated", "used"]
    assert (await actions(opened["c"]), await actions(root)) == ([], [])


@requirement("access.audited")
async def test_a_key_is_revoked_although_a_database_of_its_tenants_is_away(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world.of(Scope(tenant="root"))
    made = await root.admin.keys.create(NewKey(name="bot", tenant="a", tenants=["b"]))
    audit = WriteTransaction.audit

    async def away(self: WriteTransaction, *entry: Any, **more: Any) -> None:
        if self.tx.caller.scope.tenant == "b":
            raise StoreUnavailable("the database cannot be reached")
        await audit(self, *entry, **more)

    with monkeypatch.context() as patched:
        patched.setattr(WriteTransaction, "audit", away)
        with pytest.raises(StoreUnavailable, match="is revoked, but the audit log of b lacks that"):
            await root.admin.keys.revoke(made.key.id, tenant="a")
    with pytest.raises(Unauthenticated):
        await at(root, made, "a")
    # What is missing is logged when it is revoked again.
    assert (await root.admin.keys.revoke(made.key.id, tenant="a")).revoked_at is not None
    assert await actions(world.of(Scope(tenant="a"))) == ["created", "refused", "revoked"]
    assert await actions(world.of(Scope(tenant="b"))) == ["created", "revoked"]


@requirement("access.a-wall")
async def test_a_key_whose_name_cannot_be_an_actor_is_refused(opener: Opener) -> None:
    memory = await opener()
    with pytest.raises(InvalidInput, match="private"):
        await memory.admin.keys.create("<private>bot</private>")


@requirement("access.a-wall")
async def test_a_key_of_too_many_tenants_is_refused(opener: Opener) -> None:
    root = await opener()
    for tenants in ([f"t{number}" for number in range(101)], [""], ["a\nb"]):
        with pytest.raises(InvalidInput):
            await root.admin.keys.create(NewKey(name="bot", tenants=tenants))
    assert await root.admin.keys.list() == []
