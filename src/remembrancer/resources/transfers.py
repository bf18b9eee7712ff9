"""The door to transfers: what one project of a tenant lends to another."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from remembrancer.errors import InvalidInput, NotAllowed, NotFound
from remembrancer.privacy.transfers import copies_of, project_scope, update_copies
from remembrancer.resources.resource import Resource
from remembrancer.transactions.names import checked_reason
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Right
from remembrancer.types.lifecycle import LIVE
from remembrancer.types.policy import Transfer
from remembrancer.types.scope import Scope, check_name


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantedTransfer:
    """A transfer that was granted.

    Args:
        lender, reader: the project that lends, and the one that reads.
        reason: why.
        granted_at: when that was.
        observations: how many of its observations can be read in the other project now.
        revoked: whether it is over, and something of it is still kept because a legal hold is on it.
    """

    lender: str
    reader: str
    reason: str
    granted_at: datetime
    observations: int
    revoked: bool = False


class Transfers(Resource, path="governance.transfers"):
    """Transfers between projects. Reached as `memory.governance.transfers`, from the scope of the whole tenant.

    Nothing is transferred that is not granted. Granted, the observations that all of a project sees, and that are
    public or internal, are copied into another, there to be read by all of it: marked, unchangeable, at half the
    weight. Each night, and with each grant, what is new is copied; of what is changed or erased where it comes from,
    the copy is gone at once.
    """

    async def grant(self, lender: str, reader: str, *, reason: str) -> Sequence[GrantedTransfer]:
        """Grant a transfer of a project's observations to another project, and copy the existing ones.

        Args:
            lender: the project that lends.
            reader: the project that reads; it lends nothing by that.
            reason: why, in 1 to 200 characters; it stands in the audit log of both.

        Raises:
            InvalidInput: a project is blank, both are the same, or there is no reason.
            NotFound: nothing is here of one of the projects.
            NotAllowed: the caller is no operator of the whole tenant.
        """
        self._need_tenant()
        said = checked_reason(reason, self._engine.rules.secrets)
        home, other = self._scope_of(lender, what="lender"), self._scope_of(reader, what="reader")
        if home == other:
            raise InvalidInput(f"lender and reader are the same project, {lender!r}")
        there = {scope.project for scope in await self._unit.scopes()}
        for project in (lender, reader):
            if project not in there:
                raise NotFound("project", project)
        rules = self._engine.rules
        async with self._at(home).write() as writer:
            standing = await _standing(writer, reader)
            number = standing.number if standing and not standing.revoked else rules.ids.new()
            made = Transfer(number=number, lender=lender, reader=reader, reason=said, set_at=writer.now)
            await _said_in_both(writer, made, "granted", reason=said, other=other)
        await update_copies(self._at(home))
        return await self.list()

    async def revoke(self, lender: str, reader: str, *, reason: str) -> Sequence[GrantedTransfer]:
        """Revoke a transfer, and erase its copies.

        Args:
            lender, reader: as they were granted.
            reason: why, in 1 to 200 characters; it stands in the audit log of both.

        Raises:
            NotFound: it was not granted.
            InvalidInput: a project is blank, or there is no reason.
            NotAllowed: the caller is no operator of the whole tenant.
        """
        self._need_tenant()
        said = checked_reason(reason, self._engine.rules.secrets)
        home, other = self._scope_of(lender, what="lender"), self._scope_of(reader, what="reader")
        async with self._at(home).write() as writer:
            standing = await _standing(writer, reader)
            if standing is None or standing.revoked:
                raise NotFound("transfer", f"{lender} to {reader}")
            await _said_in_both(writer, replace(standing, revoked=True), "revoked", reason=said, other=other)
        await update_copies(self._at(home))
        await self._engine.scrub()
        return await self.list()

    async def list(self) -> Sequence[GrantedTransfer]:
        """Return the transfers of this tenant, by the lending project.

        Raises:
            NotAllowed: the caller is no operator of the whole tenant.
        """
        self._need_tenant()
        kept = await self._unit.read(lambda tx: tx.policies.below(Transfer))
        return [
            GrantedTransfer(
                lender=one.lender,
                reader=one.reader,
                reason=one.reason,
                granted_at=one.set_at,
                observations=await self._count(one),
                revoked=one.revoked,
            )
            for one in sorted(kept, key=lambda one: (one.lender, one.reader))
        ]

    async def _count(self, one: Transfer) -> int:
        there = self._at(project_scope(self._caller.scope.tenant, one.reader))
        return sum(copy.status in LIVE for copy in await there.read(lambda tx: copies_of(tx, one.lender)))

    def _need_tenant(self) -> None:
        self._caller.need(Right.OPERATE)
        if self._caller.scope != Scope(tenant=self._caller.scope.tenant):
            raise NotAllowed(
                "transfers are the business of the whole tenant: open its scope, without a project, an agent and a user"
            )

    def _scope_of(self, project: str, *, what: str) -> Scope:
        return project_scope(self._caller.scope.tenant, check_name(project, what=what))


async def _standing(writer: WriteTransaction, reader: str) -> Transfer | None:
    return next((one for one in await writer.tx.policies.exact(Transfer) if one.reader == reader), None)


async def _said_in_both(writer: WriteTransaction, grant: Transfer, action: str, *, reason: str, other: Scope) -> None:
    """Store how a grant stands from now on; the logs of both projects say so."""
    what = f"{grant.lender} to {grant.reader}"
    writer.set_reason(reason)
    await writer.put(grant, action=action, kind="transfer", id=what)
    async with writer.at(other) as beside:
        beside.set_reason(reason)
        await beside.audit(action, "transfer", what)
