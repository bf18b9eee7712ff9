"""The contract of a store: access keys, jobs, requests, marks of changes and policies."""

from dataclasses import replace

from remembrancer.storage.base import Store
from remembrancer.types.access import AccessKey, Caller, Right
from remembrancer.types.jobs import Finding, IdempotentRequest, Job, JobState, JobWork, StoreFault
from remembrancer.types.policy import PersonalDataType, Redaction, RedactionPolicy, RemovedPolicy
from remembrancer.types.scope import Classification, Scope
from tests.contract.suite.base import Contract
from tests.factories import DAY, HOME, OUTSIDERS, START, TEAM
from tests.rows import every_row

KEY = AccessKey(
    id="a",
    name="the agent's",
    scope=HOME,
    clearance=Classification.INTERNAL,
    rights=(Right.READ, Right.WRITE),
    digest="d",
    created_at=START,
)
JOB = Job(id="j", scope=HOME, work=JobWork.IMPORT, started_at=START, heartbeat_at=START)
ASKED = IdempotentRequest(key="k", request="r", at=START)
MASKED = RedactionPolicy(data_type=PersonalDataType.CARD, redaction=Redaction.MASK, set_at=START)


class ServiceContract(Contract):
    async def test_an_access_key_is_found_by_its_id_alone_and_listed_by_its_tenant(self, store: Store) -> None:
        assert not await store.has_access_keys()
        other = replace(KEY, id="b", scope=Scope(tenant="another"), created_at=START - DAY)
        later = replace(KEY, id="0", created_at=START + DAY, expires_at=START + 2 * DAY)
        for key in (KEY, other, later):
            await store.put_access_key(key)
        assert await store.has_access_keys()
        assert await store.access_key("b") == other
        assert await store.access_key("c") is None
        assert await store.access_keys(HOME.tenant) == [KEY, later]

    async def test_an_access_key_changes_and_stays_revoked(self, store: Store) -> None:
        await store.put_access_key(KEY)
        await store.touch_access_key("a", START + DAY)
        await store.put_access_key(replace(KEY, digest="e", revoked_at=START))
        await store.put_access_key(replace(KEY, digest="f"))
        assert await store.access_key("a") == replace(KEY, digest="f", revoked_at=START, last_seen_at=START + DAY)

    async def test_a_key_of_several_tenants_is_listed_by_each_until_the_tenant_is_erased(self, store: Store) -> None:
        key = replace(KEY, tenants=("b%", "c\\", "d'"))
        await store.put_access_key(key)
        for tenant in (HOME.tenant, *key.tenants):
            assert await store.access_keys(tenant) == [key]
        for absent in ("b", "c", "", "B%", "b%c"):
            assert await store.access_keys(absent) == []
        await store.forget(Scope(tenant="b%", user="somebody"), at=START)
        assert await store.access_key("a") == key
        await store.forget(Scope(tenant="b%"), at=START)
        await store.forget(replace(HOME, tenant="d'"), at=START)
        assert await store.access_key("a") == replace(key, tenants=("c\\",))
        await store.forget(HOME, at=START)
        left = await store.access_key("a")
        assert left is not None
        assert (left.tenants, left.revoked_at) == ((), START)

    async def test_a_job_keeps_its_last_state_until_it_ends(self, store: Store) -> None:
        done = replace(JOB, state=JobState.DONE, done=3, counts={"created": 3}, ended_at=START + DAY)
        await store.put_job(JOB)
        await store.put_job(replace(JOB, done=2))
        assert await store.job(HOME.tenant, "j") == replace(JOB, done=2)
        await store.put_job(done)
        await store.put_job(JOB)
        assert await store.job(HOME.tenant, "j") == done
        assert await store.job("another", "j") is None

    async def test_a_cancelled_job_stays_cancelled(self, store: Store) -> None:
        await store.put_job(JOB)
        await store.cancel_job("another", "j")
        assert await store.job(HOME.tenant, "j") == JOB
        await store.cancel_job(HOME.tenant, "j")
        await store.put_job(replace(JOB, done=1))
        assert await store.job(HOME.tenant, "j") == replace(JOB, done=1, cancelled=True)

    async def test_jobs_are_listed_the_latest_first_and_forgotten_by_their_tenant(self, store: Store) -> None:
        later, foreign = replace(JOB, id="i", started_at=START + DAY), replace(JOB, id="f", scope=Scope(tenant="x"))
        for job in (JOB, later, foreign):
            await store.put_job(job)
        assert await store.jobs(HOME.tenant, limit=9) == [later, JOB]
        assert await store.jobs(HOME.tenant, limit=1) == [later]
        await store.forget_jobs(HOME.tenant, before=START + DAY)
        assert await store.jobs(HOME.tenant, limit=9) == [later]
        assert await store.jobs("x", limit=9) == [foreign]

    async def test_a_request_is_found_with_its_answer_for_a_day(self, store: Store) -> None:
        answered = replace(ASKED, status=201, body="{}")
        async with store.begin(Caller(scope=HOME)) as tx:
            assert await tx.requests.find("k") is None
            await tx.requests.put(ASKED)
            assert await tx.requests.find("k") == ASKED
            await tx.requests.put(answered)
            await tx.requests.put(replace(ASKED, key="l", at=START + DAY))
            assert await tx.requests.find("k") == answered
            await tx.requests.put(replace(ASKED, key="m", at=START + 2 * DAY))
            assert await tx.requests.find("k") is None
            assert await tx.requests.find("l") is not None

    async def test_a_request_of_another_scope_reads_as_absent(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.requests.put(ASKED)
        with every_row() as row:
            for name, outsider in OUTSIDERS.items():
                with row(name):
                    async with store.snapshot(Caller(scope=outsider)) as tx:
                        assert await tx.requests.find("k") is None

    async def test_a_change_alters_the_marks_of_the_scopes_that_see_it(self, store: Store) -> None:
        async def marks() -> list[str]:
            return [await store.read(Caller(scope=scope), lambda tx: tx.changes.mark()) for scope in (HOME, *others)]

        others = list(OUTSIDERS.values())
        before = await marks()
        for scope in (HOME, Scope(tenant=HOME.tenant), HOME):
            async with store.begin(Caller(scope=scope)) as tx:
                await tx.changes.add(at=START)
            after = await marks()
            told = [one != other for one, other in zip(before, after, strict=True)]
            assert told == [True, *(other.tenant == HOME.tenant and scope != HOME for other in others)]
            before = after

    async def test_a_recounted_mark_is_new(self, store: Store) -> None:
        seen = set[str]()
        for days in range(3):
            for _ in range(2):
                async with store.begin(Caller(scope=HOME)) as tx:
                    await tx.changes.add(at=START + days * DAY)
                seen.add(await store.read(Caller(scope=HOME), lambda tx: tx.changes.mark()))
            async with store.begin(Caller(scope=HOME)) as tx:
                await tx.upkeep.repair(Finding(fault=StoreFault.LOST_ROWS, where=("records 1",)))
        assert len(seen) == 6

    async def test_a_policy_is_valid_in_its_scope_and_below(self, store: Store) -> None:
        async with store.begin(Caller(scope=TEAM)) as tx:
            await tx.policies.put(MASKED)
        own = RedactionPolicy(data_type=PersonalDataType.EMAIL, redaction=Redaction.TAG, set_at=START)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(own)
            assert await tx.policies.visible(RedactionPolicy) == [MASKED, own]
            assert await tx.policies.exact(RedactionPolicy) == [own]
        async with store.snapshot(Caller(scope=TEAM)) as tx:
            assert await tx.policies.visible(RedactionPolicy) == [MASKED]

    async def test_a_policy_is_seen_at_every_clearance(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(MASKED)
        async with store.snapshot(Caller(scope=HOME, clearance=Classification.PUBLIC)) as tx:
            assert await tx.policies.visible(RedactionPolicy) == [MASKED]

    async def test_a_policy_is_replaced_and_deleted_by_its_id(self, store: Store) -> None:
        later = RedactionPolicy(data_type=PersonalDataType.CARD, redaction=Redaction.REFUSE, set_at=START + DAY)
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(MASKED)
            await tx.policies.put(later)
            assert await tx.policies.exact(RedactionPolicy) == [later]
            assert await tx.policies.drop(RemovedPolicy(id=later.id))
            assert not await tx.policies.drop(RemovedPolicy(id=later.id))
            assert await tx.policies.exact(RedactionPolicy) == []

    async def test_a_policy_of_another_scope_is_not_seen(self, store: Store) -> None:
        async with store.begin(Caller(scope=HOME)) as tx:
            await tx.policies.put(MASKED)
        for scope in OUTSIDERS.values():
            async with store.begin(Caller(scope=scope)) as tx:
                assert await tx.policies.visible(RedactionPolicy) == []
                assert not await tx.policies.drop(RemovedPolicy(id=MASKED.id))
