"""The door to access keys: who may come in through the service, and what they see there."""

from collections.abc import Sequence

from remembrancer.doors.door import Door
from remembrancer.governance import access
from remembrancer.governance.access import NewKey
from remembrancer.model.access import USUAL_RIGHTS, AccessKey, MadeKey, Right
from remembrancer.model.arguments import checked
from remembrancer.model.scope import Scope


@checked
class Keys(Door):
    """The access keys within one scope. Reached as `memory.keys`."""

    async def create(
        self,
        name: str,
        *,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        clearance: str | None = None,
        rights: Sequence[str] = USUAL_RIGHTS,
        days: float | None = None,
    ) -> MadeKey:
        """Make an access key for this scope, or one within it; its token is told this once.

        Args:
            name: what people call it; who works with it is called so in the audit log.
            clearance: that of the caller, if not given; never above it.
            rights: some of `read`, `write`, `learn`, `govern`, `operate`; none that the caller lacks.
            days: after which it expires; never, if not given.

        Raises:
            InvalidInput: a right is none, or the days are not above 0.
            NotAllowed: the caller may not keep keys, or the clearance is above the caller's.
            NotFound: the scope is not within this one.
        """
        own = self._caller.scope
        scope = access.narrowed(own, Scope(tenant=own.tenant, project=project, agent=agent, user=user))
        caller = self._caller.within(scope, clearance=clearance)
        return await access.make(self._desk.of(caller), NewKey(name=name, rights=rights, days=days))

    async def list(self) -> Sequence[AccessKey]:
        """The access keys within this scope, the oldest first; those that open nothing any more are among them.

        Raises:
            NotAllowed: the caller may not keep keys.
        """
        self._caller.need(Right.OPERATE)
        return await access.listed(self._desk)

    async def rotate(self, id: str) -> MadeKey:
        """Give an access key a new secret, told this once; the old one opens nothing after a second.

        Raises:
            NotFound: no such access key within this scope.
            InvalidInput: it is revoked or expired.
            NotAllowed: the caller may not keep keys, or the key may do more than the caller.
        """
        return await access.rotate(self._desk, id)

    async def revoke(self, id: str) -> AccessKey:
        """Let an access key open nothing any more, after a second at most.

        Raises:
            NotFound: no such access key within this scope.
            NotAllowed: the caller may not keep keys, or the key may do more than the caller.
        """
        return await access.revoke(self._desk, id)
