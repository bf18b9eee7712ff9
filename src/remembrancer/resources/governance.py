"""Governance: classification, personal data, retention, erasure, and the audit log."""

from functools import partial

from anyio.to_thread import run_sync

from remembrancer.llm.budget import projected
from remembrancer.privacy.checkpoints import verify
from remembrancer.privacy.receipts import from_json, requested_within
from remembrancer.privacy.reclassify import reclassify
from remembrancer.resources.archives import Archives
from remembrancer.resources.audit import AuditLog
from remembrancer.resources.costs import costs
from remembrancer.resources.erasure import Erasures
from remembrancer.resources.holds import Holds
from remembrancer.resources.redactions import Redactions
from remembrancer.resources.resource import Resource, SubResource
from remembrancer.resources.retention import Retention, expired, soft_deleted
from remembrancer.resources.transfers import Transfers
from remembrancer.types.access import Right
from remembrancer.types.arguments import member
from remembrancer.types.erasure import BudgetForecast, ErasureSummary, Overview, Subject
from remembrancer.types.policy import Erasure, LegalHold
from remembrancer.types.record import Record
from remembrancer.types.scope import Classification, Scope

_MOST_SHOWN = 10
_MOST_COUNTED = 1_000


class Governance(Resource, path="governance"):
    """The governance of one scope's memory, for its operators. Reached as `memory.governance`."""

    redactions = SubResource(Redactions)
    holds = SubResource(Holds)
    retention = SubResource(Retention)
    erasure = SubResource(Erasures)
    audit = SubResource(AuditLog)
    archives = SubResource(Archives)
    transfers = SubResource(Transfers)

    async def classify(self, id: str, classification: str, *, reason: str) -> Record:
        """Change the classification of a memory, also to a lower one, and that of memories derived from it.

        Args:
            classification: `public`, `internal`, `confidential` or `restricted`.
            reason: for the audit log, in 1 to 200 characters.

        Raises:
            NotFound: there is no such memory in this scope.
            NotAllowed: the caller is no operator, or the memory belongs to a wider scope.
            InvalidInput: the classification is unknown, or the reason is blank.
        """
        self._caller.need(Right.OPERATE)
        chosen = member(Classification, classification, "classification")
        async with self._unit.write() as writer:
            return await reclassify(writer, id, chosen, reason=reason)

    async def overview(self) -> Overview:
        """Return an overview of this scope and of scopes under it: memories, due deletions, legal holds and audit.

        For callers with the right `govern` it contains the budgets with projections.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        engine = self._engine
        await engine.worker.access_log.flush(self._caller.scope.tenant)
        now = engine.rules.clock.now()
        home = self._at(Scope(tenant=self._caller.scope.tenant))
        log = await self._unit.read(lambda tx: verify(tx, None, sign=engine.store.sign))
        erasures = await home.read(lambda tx: tx.policies.exact(Erasure))
        scopes = await engine.store.scopes(self._caller.scope.tenant)
        erasures = await run_sync(
            partial(requested_within, erasures, self._caller.scope, scopes, sign=engine.rules.sign)
        )
        latest = sorted(erasures, key=lambda one: one.set_at, reverse=True)[:_MOST_SHOWN]
        operates_all = self._caller.sees_all and self._caller.scope == home.scope
        return Overview(
            at=now,
            usage=await self._unit.read(lambda tx: tx.records.usage()),
            most_read=await self._unit.read(lambda tx: tx.records.most_read(limit=_MOST_SHOWN)),
            budgets=await self._projected(),
            due=len(await expired(self._unit, now=now, limit=_MOST_COUNTED)),
            deleted=len(await soft_deleted(self._unit, now=now, limit=_MOST_COUNTED)),
            legal_holds=await self._unit.read(lambda tx: tx.policies.around(LegalHold)),
            erasures=[_summary(one) for one in latest] if self._caller.sees_all else None,
            audit_entries=log.entries if operates_all else None,
            audit_is_whole=not log.broken and not log.lost,
        )

    async def _projected(self) -> list[BudgetForecast]:
        if Right.GOVERN not in self._caller.rights:
            return []
        now, zone = self._engine.rules.clock.now(), self._engine.zone
        report = await costs(self._engine, self._caller, days=1)
        return [projected(one, now, zone) for one in report.budgets]


def _summary(one: Erasure) -> ErasureSummary:
    return ErasureSummary(
        id=one.number,
        subject=Subject(one.subject),
        rows=sum(one.rows.values()),
        begun_at=one.set_at,
        finished_at=None if one.receipt is None else from_json(one.receipt).finished_at,
    )
