"""Transfers: observations of one project that another project of the tenant may read."""

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
    """A granted transfer.

    Args:
        lender: the project that is copied from.
        reader: the project that is copied to.
        observations: the number of active copies.
        revoked: whether it was revoked, and a legal hold still protects some of its copies.
    """

    lender: str
    reader: str
    reason: str
    granted_at: datetime
    observations: int
    revoked: bool = False


class Transfers(Resource, path="governance.transfers"):
    """Transfers between projects, from the scope of a whole tenant. Reached as `memory.governance.transfers`.

    A grant copies the shared, public and internal observations of a project to another one. The copies are marked,
    cannot be edited, and have half the weight. New observations are copied with each grant and in the nightly
    maintenance. The copy of a changed or erased observation is deleted at once.
    """

    async def grant(self, lender: str, reader: str, *, reason: str) -> Sequence[GrantedTransfer]:
        """Grant a transfer of a project's observations to another project, and copy the existing ones.

        Args:
            lender: the project to copy from.
            reader: the project to copy to.
            reason: for the audit logs of both projects, in 1 to 200 characters.

        Raises:
            InvalidInput: a project or the reason is blank, or both projects are the same.
            NotFound: a project does not exist.
            NotAllowed: the caller does not operate the whole tenant.
        """
        self._need_tenant()
        why = checked_reason(reason, self._engine.rules.secrets)
        home, other = self._scope_of(lender, what="lender"), self._scope_of(reader, what="reader")
        if home == other:
            raise InvalidInput(f"lender and reader are the same project, {lender!r}")
        existing = {scope.project for scope in await self._unit.scopes()}
        for project in (lender, reader):
            if project not in existing:
                raise NotFound("project", project)
        rules = self._engine.rules
        async with self._at(home).write() as writer:
            current = await _grant_to(writer, reader)
            number = current.number if current and not current.revoked else rules.ids.new()
            transfer = Transfer(number=number, lender=lender, reader=reader, reason=why, set_at=writer.now)
            await _store_in_both(writer, transfer, "granted", reason=why, other=other)
        await update_copies(self._at(home))
        return await self.list()

    async def revoke(self, lender: str, reader: str, *, reason: str) -> Sequence[GrantedTransfer]:
        """Revoke a transfer, and erase its copies.

        Args:
            lender, reader: the projects of the grant.
            reason: for the audit logs of both projects, in 1 to 200 characters.

        Raises:
            NotFound: there is no such grant.
            InvalidInput: a project or the reason is blank.
            NotAllowed: the caller does not operate the whole tenant.
        """
        self._need_tenant()
        why = checked_reason(reason, self._engine.rules.secrets)
        home, other = self._scope_of(lender, what="lender"), self._scope_of(reader, what="reader")
        async with self._at(home).write() as writer:
            current = await _grant_to(writer, reader)
            if current is None or current.revoked:
                raise NotFound("transfer", f"{lender} to {reader}")
            await _store_in_both(writer, replace(current, revoked=True), "revoked", reason=why, other=other)
        await update_copies(self._at(home))
        await self._engine.scrub()
        return await self.list()

    async def list(self) -> Sequence[GrantedTransfer]:
        """Return the transfers of this tenant, sorted by project.

        Raises:
            NotAllowed: the caller does not operate the whole tenant.
        """
        self._need_tenant()
        transfers = await self._unit.read(lambda tx: tx.policies.below(Transfer))
        return [
            GrantedTransfer(
                lender=one.lender,
                reader=one.reader,
                reason=one.reason,
                granted_at=one.set_at,
                observations=await self._count(one),
                revoked=one.revoked,
            )
            for one in sorted(transfers, key=lambda one: (one.lender, one.reader))
        ]

    async def _count(self, one: Transfer) -> int:
        reader = self._at(project_scope(self._caller.scope.tenant, one.reader))
        return sum(copy.status in LIVE for copy in await reader.read(lambda tx: copies_of(tx, one.lender)))

    def _need_tenant(self) -> None:
        self._caller.need(Right.OPERATE)
        if self._caller.scope != Scope(tenant=self._caller.scope.tenant):
            raise NotAllowed("transfers need the scope of the tenant: omit project, agent and user")

    def _scope_of(self, project: str, *, what: str) -> Scope:
        return project_scope(self._caller.scope.tenant, check_name(project, what=what))


async def _grant_to(writer: WriteTransaction, reader: str) -> Transfer | None:
    return next((one for one in await writer.tx.policies.exact(Transfer) if one.reader == reader), None)


async def _store_in_both(writer: WriteTransaction, grant: Transfer, action: str, *, reason: str, other: Scope) -> None:
    """Store a grant, and log it in both projects."""
    what = f"{grant.lender} to {grant.reader}"
    writer.set_reason(reason)
    await writer.put(grant, action=action, kind="transfer", id=what)
    async with writer.at(other) as other_writing:
        other_writing.set_reason(reason)
        await other_writing.audit(action, "transfer", what)
