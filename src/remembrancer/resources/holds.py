"""The legal holds on a scope."""

from collections.abc import Sequence

from remembrancer.errors import Conflict, InvalidInput, NotFound
from remembrancer.learn.sessions import session_name
from remembrancer.resources.resource import Resource
from remembrancer.transactions.legal_holds import is_name
from remembrancer.transactions.names import checked_label, checked_reason
from remembrancer.transactions.redaction import check_storable_names
from remembrancer.transactions.write_transaction import WriteTransaction
from remembrancer.types.access import Right
from remembrancer.types.policy import LegalHold, RemovedPolicy
from remembrancer.types.scope import Scope

_KIND = "hold"


class Holds(Resource, path="governance.holds"):
    """The legal holds on one scope. Reached as `memory.governance.holds`."""

    async def place(
        self, name: str, *, reason: str, session: str | None = None, person: str | None = None
    ) -> Sequence[LegalHold]:
        """Place a legal hold: nothing of this scope and of those under it is deleted, by any caller.

        Args:
            name: such as the number of a case, in 1 to 100 characters; an existing one is not replaced.
            reason: in 1 to 200 characters; refused callers read it.
            session: only on this session.
            person: only on memories that name this person, as a whole word or words in any case of letters.

        Raises:
            InvalidInput: the name, the reason or the person is blank or too long.
            Conflict: a hold of that name is on something else here.
            NotAllowed: the caller is no operator, or the scope does not store data that the name or reason contains.
        """
        self._caller.need(Right.OPERATE)
        label = checked_label(name, what="name")
        if person is not None and not is_name(person):
            raise InvalidInput("person has no letter; name somebody, or omit it for all memories of the scope")
        rules = self._engine.rules
        made = LegalHold(
            name=label,
            reason=checked_reason(reason, rules.secrets),
            set_at=rules.clock.now(),
            session=None if session is None else session_name(session, rules),
            person=person,
        )
        async with self._unit.write() as writer:
            await check_storable_names(writer.tx, made.name, made.reason)
            existing = {one.name: one for one in await writer.tx.policies.exact(LegalHold)}.get(label)
            if existing is not None and (existing.session, existing.person) != (made.session, made.person):
                raise Conflict(f"a hold {label!r} is on {existing.on} here; release it first, or choose another name")
            writer.set_reason(made.reason)
            await writer.put(made, action="set", kind=_KIND, id=f"{made.name} on {made.on}")
            await self._log_in_tenant(writer, "set", made)
        return await self.list()

    async def release(self, name: str, *, reason: str) -> Sequence[LegalHold]:
        """Release a legal hold of this exact scope.

        Raises:
            NotFound: there is no hold of that name here.
            InvalidInput: there is no reason, or no name.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        label, why = checked_label(name, what="name"), checked_reason(reason, self._engine.rules.secrets)
        async with self._unit.write() as writer:
            own = {one.name: one for one in await writer.tx.policies.exact(LegalHold)}
            if label not in own:
                raise NotFound(_KIND, name)
            writer.set_reason(why)
            await writer.put(
                RemovedPolicy(id=own[label].id), action="lifted", kind=_KIND, id=f"{label} on {own[label].on}"
            )
            await self._log_in_tenant(writer, "lifted", own[label])
        return await self.list()

    async def _log_in_tenant(self, writer: WriteTransaction, action: str, hold: LegalHold) -> None:
        """Log a change of a hold in the log of the whole tenant: that of the scope may end with the scope."""
        home = Scope(tenant=self._caller.scope.tenant)
        if writer.tx.scope != home:
            async with writer.at(home) as root:
                root.set_reason(writer.reason)
                await root.audit(action, _KIND, hold.name)

    async def list(self) -> Sequence[LegalHold]:
        """Return the legal holds on this scope: those of wider ones, its own, and those of narrower ones.

        Raises:
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        return await self._unit.read(lambda tx: tx.policies.around(LegalHold))
