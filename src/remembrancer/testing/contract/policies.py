"""The contract of a store: what operators have set."""

# ruff: noqa: D102 -- a test's name is its sentence

from datetime import timedelta

from remembrancer.storage.ports.store import Store
from remembrancer.testing.contract.base import Contract
from remembrancer.testing.contract.made import HOME, OUTSIDERS, START, TEAM
from remembrancer.types.caller import Caller
from remembrancer.types.classification import Classification
from remembrancer.types.personal import Datum, Redaction
from remembrancer.types.policy import RedactionPolicy, Unset

MASKED = RedactionPolicy(datum=Datum.CARD, redaction=Redaction.MASK, set_at=START)


class PoliciesContract(Contract):
    """See `remembrancer.testing.contract`: policies."""

    async def test_a_policy_holds_in_its_scope_and_in_those_under_it(self, store: Store) -> None:
        async with store.begin(Caller(scope=TEAM)) as tx:
            await tx.policies.put(MASKED)
        own = RedactionPolicy(datum=Datum.EMAIL, redaction=Redaction.TAG, set_at=START)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(own)
            assert await tx.policies.seen(RedactionPolicy) == [MASKED, own]
            assert await tx.policies.own(RedactionPolicy) == [own]
        async with store.snapshot(Caller(scope=TEAM)) as tx:
            assert await tx.policies.seen(RedactionPolicy) == [MASKED]

    async def test_a_policy_binds_who_may_see_nothing_else(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(MASKED)
        async with store.snapshot(Caller(scope=HOME, clearance=Classification.PUBLIC)) as tx:
            assert await tx.policies.seen(RedactionPolicy) == [MASKED]

    async def test_a_policy_is_set_anew_under_its_name_and_unset(self, store: Store) -> None:
        later = RedactionPolicy(datum=Datum.CARD, redaction=Redaction.REFUSE, set_at=START + timedelta(days=1))
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(MASKED)
            await tx.policies.put(later)
            assert await tx.policies.own(RedactionPolicy) == [later]
            assert await tx.policies.drop(Unset(id=later.id))
            assert not await tx.policies.drop(Unset(id=later.id))
            assert await tx.policies.own(RedactionPolicy) == []

    async def test_a_policy_of_another_scope_is_not_seen(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(MASKED)
        for scope in OUTSIDERS.values():
            async with store.begin(Caller(scope=scope)) as tx:
                assert await tx.policies.seen(RedactionPolicy) == []
                assert not await tx.policies.drop(Unset(id=MASKED.id))
