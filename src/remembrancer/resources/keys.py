"""The door to access keys: who may come in through the service, and what they see there."""

from collections.abc import Sequence

from remembrancer.privacy import access_keys
from remembrancer.privacy.access_keys import NewKey
from remembrancer.resources.resource import Door
from remembrancer.transactions.unit_of_work import Desk
from remembrancer.types.access import USUAL_RIGHTS, AccessKey, MadeKey, Right
from remembrancer.types.arguments import checked
from remembrancer.types.scope import Scope


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
        tenant: str | None = None,
        tenants: Sequence[str] = (),
    ) -> MadeKey:
        """Make an access key for this scope, or one within it; its token is told this once.

        Args:
            name: what people call it; who works with it is called so in the audit log.
            clearance: that of the caller, if not given; never above it.
            rights: some of `read`, `write`, `learn`, `govern`, `operate`; none that the caller lacks.
            days: after which it expires; never, if not given.
            tenant: the tenant of the key, for a caller who keeps the whole store; that of the caller, if not given.
            tenants: at most 100 further tenants that it opens, for a caller who keeps the whole store. A request names
                the one that it means; without a name it is `tenant`.

        Raises:
            InvalidInput: a right is none, the days are not above 0, or there are too many tenants.
            NotAllowed: the caller may not keep keys, the clearance is above the caller's, or another tenant is named by
                a caller who does not keep the store.
            NotFound: the scope is not within this one.
        """
        keeper = self._caller.in_tenant(tenant)
        own = keeper.scope
        scope = access_keys.narrow_scope(own, Scope(tenant=own.tenant, project=project, agent=agent, user=user))
        caller = keeper.within(scope, clearance=clearance)
        made = await access_keys.create_key(
            self._desk.of(caller), NewKey(name=name, rights=rights, days=days, tenants=tenants)
        )
        self._engine.doorkeeper.key_created()
        return made

    async def list(self, *, tenant: str | None = None) -> Sequence[AccessKey]:
        """The access keys that open this scope or one within it, the oldest first, with revoked and expired ones.

        Args:
            tenant: another one, for a caller who keeps the whole store; that of the caller, if not given.

        Raises:
            NotAllowed: the caller may not keep keys, or not those of the tenant.
        """
        self._caller.need(Right.OPERATE)
        return await access_keys.list_keys(self._of(tenant))

    async def rotate(self, id: str, *, tenant: str | None = None) -> MadeKey:
        """Give an access key a new secret, told this once; the old one opens nothing after a second.

        Args:
            tenant: another one, for a caller who keeps the whole store; that of the caller, if not given.

        Raises:
            NotFound: no such access key within this scope.
            InvalidInput: it is revoked or expired.
            NotAllowed: the caller may not keep keys, or the key may do more than the caller or opens other tenants.
        """
        return await access_keys.rotate_key(self._of(tenant), id)

    async def revoke(self, id: str, *, tenant: str | None = None) -> AccessKey:
        """Let an access key open nothing any more, after a second at most.

        Args:
            tenant: another one, for a caller who keeps the whole store; that of the caller, if not given.

        Raises:
            NotFound: no such access key within this scope.
            NotAllowed: the caller may not keep keys, or the key may do more than the caller or opens other tenants.
        """
        return await access_keys.revoke_key(self._of(tenant), id)

    def _of(self, tenant: str | None) -> Desk:
        return self._desk.of(self._caller.in_tenant(tenant))
