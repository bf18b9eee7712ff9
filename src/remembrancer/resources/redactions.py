"""Redaction of personal data."""

from collections.abc import Sequence
from dataclasses import dataclass

from remembrancer.errors import NotFound
from remembrancer.guard.personal.names import check_names
from remembrancer.resources.resource import Resource
from remembrancer.storage.tx import Tx
from remembrancer.transactions.redaction import effective_redactions
from remembrancer.types.access import Right
from remembrancer.types.arguments import member
from remembrancer.types.policy import NAME_TYPES, PersonalDataType, Redaction, RedactionPolicy, RemovedPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveRedaction:
    """The redaction of a kind of personal data in a scope: the strictest of all that apply there.

    Args:
        here: the redaction that is set for the exact scope; `None` where none is.
    """

    datum: PersonalDataType
    redaction: Redaction
    here: Redaction | None = None


class Redactions(Resource, path="governance.redactions"):
    """The redaction of personal data in one scope. Reached as `memory.governance.redactions`."""

    async def set(self, datum: str, redaction: str) -> Sequence[EffectiveRedaction]:
        """Set the redaction of a kind of personal data that is written in this scope, or under it, from now on.

        Of the redactions of wider scopes, too, the strictest applies. Stored memories stay as they are.

        Args:
            datum: `card`, `iban`, `identity`, `email`, `phone`, `ip`, `person` or `place`; the last two, names, are
                detected by a model of English, which the extra `names` installs.
            redaction: `off`, `tag`, `mask` or `refuse`.

        Raises:
            InvalidInput: there is no such kind, or no such redaction.
            StoreError: names are to be redacted, and the extra is missing.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        policy = RedactionPolicy(
            datum=member(PersonalDataType, datum, "datum"),
            redaction=member(Redaction, redaction, "redaction"),
            set_at=self._engine.rules.clock.now(),
        )
        if policy.datum in NAME_TYPES and policy.redaction is not Redaction.OFF:
            check_names()
        async with self._unit.write() as writer:
            await writer.put(policy, action="set", kind="redaction")
        return await self.list()

    async def unset(self, datum: str) -> Sequence[EffectiveRedaction]:
        """Remove the redaction of a kind of personal data that is set for this scope.

        Raises:
            InvalidInput: there is no such kind.
            NotFound: none is set for it here.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        kind = member(PersonalDataType, datum, "datum")
        async with self._unit.write() as writer:
            own = {policy.datum: policy for policy in await writer.tx.policies.exact(RedactionPolicy)}
            if kind not in own:
                raise NotFound("redaction", datum)
            await writer.put(RemovedPolicy(id=own[kind].id), action="unset", kind="redaction")
        return await self.list()

    async def list(self) -> Sequence[EffectiveRedaction]:
        """Return the redaction of each kind of personal data in this scope."""

        async def work(tx: Tx) -> Sequence[EffectiveRedaction]:
            own = {policy.datum: policy.redaction for policy in await tx.policies.exact(RedactionPolicy)}
            found = await effective_redactions(tx)
            return [
                EffectiveRedaction(datum=datum, redaction=done, here=own.get(datum)) for datum, done in found.items()
            ]

        return await self._unit.read(work)
