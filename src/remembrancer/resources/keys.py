"""Access keys of the service."""

from collections.abc import Sequence

from remembrancer.privacy import access_keys
from remembrancer.resources.requests import request_of
from remembrancer.resources.resource import Resource
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import USUAL_RIGHTS, AccessKey, MadeKey, Right
from remembrancer.types.arguments import check_fields
from remembrancer.types.new import NewKey
from remembrancer.types.scope import Scope


class Keys(Resource, path="admin.keys"):
    """The access keys within one scope. Reached as `memory.admin.keys`."""

    async def create(
        self,
        key: str | NewKey,
        *,
        project: str | None = None,
        agent: str | None = None,
        user: str | None = None,
        clearance: str | None = None,
        rights: Sequence[str] = USUAL_RIGHTS,
        days: float | None = None,
    ) -> MadeKey:
        """Create an access key for this scope, or one within it; its token is returned this once.

        Args:
            key: its name; the audit log names the holder by it.
            clearance: that of the caller by default, and never above it.
            rights: some of `read`, `write`, `learn`, `govern`, `operate` and `reveal` that the caller has.
            days: after which it expires; by default it does not expire.

        Raises:
            InvalidInput: there is no such right, the days are not above 0, or there are too many tenants.
            NotAllowed: the caller may not keep keys, the clearance is above the caller's, or another tenant is named by
                a caller who does not keep the store.
            NotFound: the scope is not within this one.
        """
        options: dict[str, object] = {"project": project, "agent": agent, "user": user, "clearance": clearance}
        new = request_of(self.create, NewKey, "name", key, **options, rights=rights, days=days)
        check_fields(new)
        keeper = self._caller.in_tenant(new.tenant)
        own = keeper.scope
        scope = access_keys.narrow_scope(
            own, Scope(tenant=own.tenant, project=new.project, agent=new.agent, user=new.user)
        )
        made = await access_keys.create_key(self._unit.of(keeper.within(scope, clearance=new.clearance)), new)
        self._engine.access_keys.key_created()
        return made

    async def list(self, *, tenant: str | None = None) -> Sequence[AccessKey]:
        """Return the access keys of this scope and of those within it, the oldest first, with revoked and expired ones.

        Args:
            tenant: another one, for a caller who keeps the whole store; by default the caller's.

        Raises:
            NotAllowed: the caller may not keep keys, or not those of the tenant.
        """
        self._caller.need(Right.OPERATE)
        return await access_keys.list_keys(self._of(tenant))

    async def rotate(self, id: str, *, tenant: str | None = None) -> MadeKey:
        """Replace the secret of an access key, and return the new token this once; the old one expires within a second.

        Args:
            tenant: another one, for a caller who keeps the whole store; by default the caller's.

        Raises:
            NotFound: no such access key within this scope.
            InvalidInput: it is revoked or expired.
            NotAllowed: the caller may not keep keys, or the key may do more than the caller or opens other tenants.
        """
        return await access_keys.rotate_key(self._of(tenant), id)

    async def revoke(self, id: str, *, tenant: str | None = None) -> AccessKey:
        """Revoke an access key; it expires within a second.

        Args:
            tenant: another one, for a caller who keeps the whole store; by default the caller's.

        Raises:
            NotFound: no such access key within this scope.
            NotAllowed: the caller may not keep keys, or the key may do more than the caller or opens other tenants.
        """
        return await access_keys.revoke_key(self._of(tenant), id)

    def _of(self, tenant: str | None) -> UnitOfWork:
        return self._unit.of(self._caller.in_tenant(tenant))
