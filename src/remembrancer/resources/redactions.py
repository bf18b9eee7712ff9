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
    """The effective redaction of a type of personal data in a scope: the strictest of all that apply.

    Args:
        here: the redaction of the exact scope, or `None`.
    """

    data_type: PersonalDataType
    redaction: Redaction
    here: Redaction | None = None


class Redactions(Resource, path="governance.redactions"):
    """The redaction of personal data in one scope. Reached as `memory.governance.redactions`."""

    async def set(self, data_type: str, redaction: str) -> Sequence[EffectiveRedaction]:
        """Set the redaction of a type of personal data in new texts of this scope and of scopes under it.

        The strictest redaction of this scope and of wider ones applies. Stored memories are not changed.

        Args:
            data_type: `card`, `iban`, `identity`, `email`, `phone`, `ip`, `person` or `place`. Persons and places are
                detected by an English model, which the extra `names` installs.
            redaction: `off`, `tag`, `mask` or `refuse`.

        Raises:
            InvalidInput: the type or the redaction is unknown.
            StoreError: the extra `names` is not installed.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        policy = RedactionPolicy(
            data_type=member(PersonalDataType, data_type, "data_type"),
            redaction=member(Redaction, redaction, "redaction"),
            set_at=self._engine.rules.clock.now(),
        )
        if policy.data_type in NAME_TYPES and policy.redaction is not Redaction.OFF:
            check_names()
        async with self._unit.write() as writer:
            await writer.put(policy, action="set", kind="redaction")
        return await self.list()

    async def unset(self, data_type: str) -> Sequence[EffectiveRedaction]:
        """Remove the redaction of a type of personal data from this exact scope.

        Raises:
            InvalidInput: the type is unknown.
            NotFound: the scope has no redaction for it.
            NotAllowed: the caller is no operator.
        """
        self._caller.need(Right.OPERATE)
        kind = member(PersonalDataType, data_type, "data_type")
        async with self._unit.write() as writer:
            own = {policy.data_type: policy for policy in await writer.tx.policies.exact(RedactionPolicy)}
            if kind not in own:
                raise NotFound("redaction", data_type)
            await writer.put(RemovedPolicy(id=own[kind].id), action="unset", kind="redaction")
        return await self.list()

    async def list(self) -> Sequence[EffectiveRedaction]:
        """Return the effective redaction of each type of personal data in this scope."""

        async def work(tx: Tx) -> Sequence[EffectiveRedaction]:
            own = {policy.data_type: policy.redaction for policy in await tx.policies.exact(RedactionPolicy)}
            effective = await effective_redactions(tx)
            return [
                EffectiveRedaction(data_type=data_type, redaction=redaction, here=own.get(data_type))
                for data_type, redaction in effective.items()
            ]

        return await self._unit.read(work)
