"""What one project lends to another: only what is granted, only what is open, marked, and gone when it is over."""

from pathlib import Path

import pytest

from remembrancer import AuditFilter, InvalidInput, Memory, NewObservation, NotAllowed, NotFound, Scope
from remembrancer.types.policy import transferred_from
from remembrancer.types.record import Observation
from tests.sealing import sealed

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
PAYMENTS = Scope(project="payments")
BILLING = Scope(project="billing")
AGENT = Scope(project="billing", agent="mail", user="ada")


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    """The whole tenant's memory, with two projects."""
    memory = await opener()
    await memory.within(PAYMENTS).save("refunds take five days", type="decision")
    await memory.within(BILLING).save("invoices go out on Mondays")
    return memory


async def lent(memory: Memory) -> list[str]:
    """The texts that billing has of payments, sorted."""
    page = await memory.within(BILLING).list(limit=1_000)
    return sorted(one.text for one in page.records if transferred_from(one))


async def copy_of(memory: Memory) -> Observation:
    """The one observation that billing has of payments."""
    page = await memory.within(BILLING).list(limit=1_000)
    (found,) = [one for one in page.records if transferred_from(one)]
    assert isinstance(found, Observation)
    return found


async def granted(memory: Memory) -> None:
    """Let payments lend to billing."""
    await memory.governance.transfers.grant("payments", "billing", reason="the same customers")


@requirement("transfers.granted")
async def test_nothing_is_lent_before_it_is_granted_and_then_it_is_read_by_all_of_the_other_project(
    memory: Memory,
) -> None:
    assert "refunds" not in str(await memory.within(AGENT).recall("how long do refunds take?", abstain=False))
    (grant,) = await memory.governance.transfers.grant("payments", "billing", reason="the same customers")
    assert (grant.lender, grant.reader, grant.observations, grant.revoked) == ("payments", "billing", 1, False)
    found = await memory.within(AGENT).recall("how long do refunds take?", abstain=False)
    assert found.hits[0].record.text == "refunds take five days"
    assert found.hits[0].record.metadata == {"transferred_from": "payments"}
    copy = await copy_of(memory)
    assert (copy.type, copy.title, copy.evidence) == ("decision", "refunds take five days", ())
    assert [one.text for one in (await memory.within(PAYMENTS).list()).records] == ["refunds take five days"]


@requirement("transfers.granted")
async def test_only_what_is_open_to_all_and_seen_by_all_of_a_project_is_lent(memory: Memory) -> None:
    payments = memory.within(PAYMENTS)
    await payments.save(NewObservation(text="the margin is 4 percent", classification="confidential"))
    await payments.save(NewObservation(text="cards are checked at the door", classification="public"))
    await memory.within(Scope(project="payments", agent="mail")).save("the agent's own")
    await memory.within(Scope(project="payments", user="ada")).save("ada's own")
    await memory.save("what the whole tenant knows")
    await payments.record("said in payments")
    await payments.facts.set("refund.days", 5)
    await granted(memory)
    assert await lent(memory) == ["cards are checked at the door", "refunds take five days"]


@requirement("transfers.granted")
async def test_what_was_lent_is_lent_no_further(memory: Memory) -> None:
    await granted(memory)
    sales = memory.within(Scope(project="sales"))
    await sales.save("quotes are free")
    await memory.governance.transfers.grant("billing", "sales", reason="they sell it")
    await memory.governance.transfers.grant("billing", "payments", reason="both ways")
    assert sorted(one.text for one in (await sales.list()).records) == ["invoices go out on Mondays", "quotes are free"]
    assert sorted(one.text for one in (await memory.within(PAYMENTS).list()).records) == [
        "invoices go out on Mondays",
        "refunds take five days",
    ]


@requirement("transfers.marked")
async def test_an_agent_reads_from_where_it_comes_and_it_weighs_half(memory: Memory) -> None:
    await granted(memory)
    agent = memory.within(AGENT)
    recalled = await agent.recall("how long do refunds take?", abstain=False)
    assert "decision · from project payments)" in sealed(agent, recalled).text
    (hit,) = [hit for hit in recalled.hits if transferred_from(hit.record)]
    assert (await agent.explain("how long do refunds take?", hit.id)).factors["feedback"] == 0.5


@requirement("transfers.marked")
async def test_outcomes_move_the_weight_from_a_half(memory: Memory) -> None:
    await granted(memory)
    agent = memory.within(AGENT)
    await agent.context("s", question="how long do refunds take?", mode="search")
    moves = await agent.sessions.set_outcome("s", "accepted")
    (move,) = [one for one in moves if one.record == (await copy_of(memory)).id]
    assert (move.before, move.after) == (0.5, pytest.approx(0.55))


@requirement("transfers.marked")
async def test_a_copy_is_not_changed_in_the_other_project_but_may_be_put_away_there(memory: Memory) -> None:
    await granted(memory)
    copy, billing = await copy_of(memory), memory.within(BILLING)
    with pytest.raises(NotAllowed, match="was transferred from project 'payments'; change it there"):
        await billing.edit(copy.id, "refunds take ten days")
    await billing.delete(copy.id)
    await granted(memory)
    assert await lent(memory) == []
    (grant,) = await memory.governance.transfers.list()
    assert grant.observations == 0


@requirement("transfers.marked")
async def test_what_is_said_wrong_of_a_copy_stays_out_and_its_source_stands(memory: Memory) -> None:
    await granted(memory)
    billing = memory.within(BILLING)
    await billing.feedback((await copy_of(memory)).id, "wrong", person="ada")
    await granted(memory)
    assert await lent(memory) == []
    assert [one.text for one in (await memory.within(PAYMENTS).list()).records] == ["refunds take five days"]


@requirement("transfers.marked")
async def test_what_a_project_says_by_itself_is_its_own(memory: Memory) -> None:
    await granted(memory)
    own = await memory.within(BILLING).save("refunds take five days")
    assert own.outcome == "created"
    assert (await memory.within(BILLING).save("refunds take five days")).record.id == own.record.id
    await granted(memory)
    assert await lent(memory) == []


@requirement("transfers.followed")
@pytest.mark.parametrize("way", ["edit", "delete", "erase", "classify", "wrong"])
async def test_what_changes_at_its_source_is_gone_from_the_copy_at_once(memory: Memory, way: str) -> None:
    await granted(memory)
    payments = memory.within(PAYMENTS)
    (source,) = (await payments.list()).records
    match way:
        case "edit":
            await payments.edit(source.id, "refunds take ten days")
        case "delete":
            await payments.delete(source.id)
        case "erase":
            await payments.governance.erasure.erase(memories=[source.id], reason="a test")
        case "classify":
            await payments.governance.classify(source.id, "confidential", reason="it is not for all")
        case _:
            await payments.feedback(source.id, "wrong", person="ada")
    assert await lent(memory) == []
    assert "refunds take" not in str(await memory.within(AGENT).recall("how long do refunds take?", abstain=False))
    await granted(memory)
    assert await lent(memory) == (["refunds take ten days"] if way == "edit" else [])


@requirement("transfers.followed")
async def test_what_is_restored_at_its_source_comes_again_at_night(memory: Memory) -> None:
    await granted(memory)
    payments = memory.within(PAYMENTS)
    (source,) = (await payments.list()).records
    await payments.delete(source.id)
    await payments.restore(source.id)
    await payments.save("chargebacks take a month")
    assert await lent(memory) == []
    await payments.admin.maintenance.run()
    assert await lent(memory) == ["chargebacks take a month", "refunds take five days"]


@requirement("transfers.followed")
async def test_revoked_all_that_was_copied_is_gone_with_what_was_concluded_from_it(memory: Memory) -> None:
    await granted(memory)
    copy = await copy_of(memory)
    await memory.governance.transfers.revoke("payments", "billing", reason="billing is sold")
    assert await memory.governance.transfers.list() == []
    assert await lent(memory) == []
    with pytest.raises(NotFound):
        await memory.within(BILLING).restore(copy.id)
    with pytest.raises(NotFound, match="payments to billing"):
        await memory.governance.transfers.revoke("payments", "billing", reason="again")
    await granted(memory)
    assert await lent(memory) == ["refunds take five days"]


@requirement("transfers.followed")
async def test_erasing_the_project_that_lends_takes_what_it_lent(memory: Memory) -> None:
    await granted(memory)
    receipt = await memory.governance.erasure.erase(project="payments", reason="it is over")
    assert receipt.found == 0
    assert await memory.governance.transfers.list() == []
    assert await lent(memory) == []
    assert [one.text for one in (await memory.within(BILLING).list()).records] == ["invoices go out on Mondays"]


@requirement("transfers.followed")
async def test_erasing_the_project_that_reads_ends_the_transfer(memory: Memory) -> None:
    await granted(memory)
    await memory.governance.erasure.erase(project="billing", reason="it is over")
    assert await memory.governance.transfers.list() == []
    await memory.within(PAYMENTS).admin.maintenance.run()
    assert not (await memory.within(BILLING).list()).records


@requirement("transfers.followed")
async def test_a_copy_under_a_legal_hold_is_kept_out_of_every_read_until_that_is_lifted(memory: Memory) -> None:
    await granted(memory)
    billing = memory.within(BILLING)
    copy = await copy_of(memory)
    await billing.governance.holds.place("case 7", reason="a claim is open")
    (grant,) = await memory.governance.transfers.revoke("payments", "billing", reason="billing is sold")
    assert (grant.revoked, grant.observations) == (True, 0)
    assert await lent(memory) == []
    assert await billing.get(copy.id) is not None
    await billing.governance.holds.release("case 7", reason="it is settled")
    await memory.within(PAYMENTS).admin.maintenance.run()
    assert await memory.governance.transfers.list() == []
    with pytest.raises(NotFound):
        await billing.get(copy.id)


@requirement("transfers.audited")
async def test_both_projects_log_who_granted_and_who_revoked(memory: Memory) -> None:
    dana = memory.within(Scope(), actor="dana")
    await dana.governance.transfers.grant("payments", "billing", reason="the same customers")
    await dana.governance.transfers.revoke("payments", "billing", reason="billing is sold")
    (source,) = (await memory.within(PAYMENTS).list()).records
    (row,) = await memory.governance.audit.list(AuditFilter(memory=source.id, action="transferred"))
    assert (row.scope, row.actor) == (PAYMENTS, "dana")
    for scope in (PAYMENTS, BILLING):
        told = [
            (one.action, one.actor, one.reason)
            for one in await memory.within(scope).governance.audit.list(AuditFilter(kind="transfer"))
        ]
        assert ("granted", "dana", "the same customers") in told
        assert ("revoked", "dana", "billing is sold") in told


@requirement("transfers.granted")
async def test_a_transfer_is_granted_by_an_operator_of_the_whole_tenant(memory: Memory) -> None:
    with pytest.raises(NotAllowed, match="transfers need the scope of the tenant"):
        await memory.within(PAYMENTS).governance.transfers.grant("payments", "billing", reason="mine")
    with pytest.raises(NotFound, match="project 'nowhere'"):
        await memory.governance.transfers.grant("nowhere", "billing", reason="r")
    with pytest.raises(NotFound, match="project 'biling'"):
        await memory.governance.transfers.grant("payments", "biling", reason="r")
    with pytest.raises(InvalidInput, match="same project"):
        await memory.governance.transfers.grant("payments", "payments", reason="r")
    with pytest.raises(InvalidInput, match="reason"):
        await memory.governance.transfers.grant("payments", "billing", reason=" ")
    with pytest.raises(InvalidInput, match="reader"):
        await memory.governance.transfers.grant("payments", " ", reason="r")


@requirement("transfers.granted")
async def test_no_archive_takes_along_what_was_lent(memory: Memory, tmp_path: Path) -> None:
    await granted(memory)
    billing = memory.within(BILLING)
    made = await billing.governance.archives.create(tmp_path / "a.archive", passphrase="correct horse battery")
    assert made.memories == {"observation": 1}
