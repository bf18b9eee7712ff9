"""An overview for whoever answers for memories: what there is, what is due, and how all of it stands."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from remembrancer import Memory, NewObservation, NotAllowed, Scope
from remembrancer.llm.budget import Period, SpendingLimit, Unit, projected

from .opener import Opener
from .requirements import requirement

pytestmark = pytest.mark.anyio
ADA = Scope(project="apollo", user="ada")
BOB = Scope(project="apollo", user="bob")


@pytest.fixture
async def memory(opener: Opener) -> Memory:
    return await opener(budget_day_tokens=1_000)


@requirement("overview.stands")
async def test_an_overview_counts_what_is_under_a_scope_and_says_how_it_stands(memory: Memory) -> None:
    await memory.save(NewObservation(text="Everybody knows", classification="public"))
    ada, bob = memory.within(ADA), memory.within(BOB)
    await ada.record("The weather is fine", session="a")
    often = await ada.save(NewObservation(text="Ada lives in Lisbon", classification="confidential"))
    gone = await bob.save("Bob likes wine")
    await bob.delete(gone.record.id)
    for _ in range(2):
        await ada.recall("Where does Ada live?", abstain=False)
    await ada.governance.holds.place("case 7", reason="a claim")
    receipt = await memory.governance.erasure.erase(user="bob", reason="he asked for it")
    found = await memory.governance.overview()
    assert [(one.project, dict(one.kinds), one.users) for one in found.usage] == [
        (None, {"observation": 1}, 0),
        ("apollo", {"message": 1, "observation": 1}, 1),
    ]
    assert found.usage[1].classifications == {"internal": 1, "confidential": 1}
    assert found.most_read[0].id == often.record.id
    assert found.most_read[0].uses >= 2
    assert (found.due, found.deleted) == (0, 0)
    assert [(one.name, one.scope) for one in found.legal_holds] == [("case 7", replace(ADA, tenant="local"))]
    assert [(one.id, one.subject, one.rows, one.finished_at) for one in found.erasures or ()] == [
        (receipt.id, "user", sum(receipt.rows.values()), receipt.finished_at)
    ]
    assert found.audit_is_whole
    assert (found.audit_entries or 0) > 5
    assert [(one.limit, one.spent, one.projected, one.state) for one in found.budgets] == [(1_000, 0, 0, "ok")]
    of_ada = await ada.governance.overview()
    assert [one.project for one in of_ada.usage] == ["apollo"]
    assert [one.name for one in of_ada.legal_holds] == ["case 7"]


@requirement("overview.stands")
async def test_an_overview_tells_of_nothing_that_is_closed(memory: Memory) -> None:
    ada = memory.within(ADA)
    saved = await ada.save(NewObservation(text="Ada's salary", classification="restricted"))
    await ada.recall("salary", abstain=False)
    narrow = memory.within(memory.scope, clearance="internal")
    found = await narrow.governance.overview()
    assert (list(found.usage), list(found.most_read), found.erasures) == ([], [], None)
    assert saved.record.id not in repr(found)


@requirement("overview.stands")
async def test_an_overview_is_an_operators(memory: Memory) -> None:
    usual = await memory.admin.keys.create("usual")
    caller = await memory.authenticator.authenticate(usual.token, origin="rest")
    with pytest.raises(NotAllowed, match="operate"):
        await memory.authenticator.memory_of(caller).governance.overview()


@requirement("overview.projected")
@pytest.mark.parametrize(
    ("period", "since", "hours", "until", "to"),
    [
        (Period.DAY, datetime(2026, 5, 4, tzinfo=UTC), 6, datetime(2026, 5, 5, tzinfo=UTC), 400),
        (Period.MONTH, datetime(2026, 2, 1, tzinfo=UTC), 7 * 24, datetime(2026, 3, 1, tzinfo=UTC), 400),
        (Period.MONTH, datetime(2026, 12, 1, tzinfo=UTC), 31 * 24, datetime(2027, 1, 1, tzinfo=UTC), 100),
    ],
)
def test_a_budget_is_projected_to_the_end_of_its_period(
    period: Period, since: datetime, hours: int, until: datetime, to: int
) -> None:
    budget = SpendingLimit(project=None, period=period, unit=Unit.TOKENS, limit=500, spent=100, unpriced=0, since=since)
    found = projected(budget, since + timedelta(hours=hours), UTC)
    assert (found.until, found.projected) == (until, to)


@requirement("overview.projected")
def test_a_day_that_is_an_hour_shorter_is_projected_to_its_end() -> None:
    zone = ZoneInfo("Europe/Berlin")
    since = datetime(2026, 3, 29, tzinfo=zone).astimezone(UTC)
    budget = SpendingLimit(
        project=None, period=Period.DAY, unit=Unit.TOKENS, limit=1, spent=10, unpriced=0, since=since
    )
    assert projected(budget, since + timedelta(hours=11, minutes=30), zone).projected == 20
