"""Access keys of the service."""

from collections.abc import Sequence

from remembrancer.privacy import access_keys
from remembrancer.resources.requests import request_of
from remembrancer.resources.resource import Resource
from remembrancer.transactions.unit_of_work import UnitOfWork
from remembrancer.types.access import USUAL_RIGHTS, AccessKey, CreatedKey, Right
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
    ) -> CreatedKey:
        """Create an access key for this scope or one within it. Only this result contains its token.

        Args:
            key: its name, which identifies the holder in the audit log.
            clearance: at most that of the caller, which is the default.
            rights: some of `read`, `write`, `learn`, `govern`, `operate` and `reveal`; the caller must have them.
            days: the number of days until it expires; by default it does not expire.

        Raises:
            InvalidInput: a right is unknown, `days` is not above 0, or there are too many tenants.
            NotAllowed: the caller may not create such a key, or not for another tenant.
            NotFound: the scope is not within this one.
        """
        options: dict[str, object] = {"project": project, "agent": agent, "user": user, "clearance": clearance}
        new = request_of(self.create, NewKey, "name", key, **options, rights=rights, days=days)
        check_fields(new)
        creator = self._caller.in_tenant(new.tenant)
        own = creator.scope
        scope = access_keys.narrow_scope(
            own, Scope(tenant=own.tenant, project=new.project, agent=new.agent, user=new.user)
        )
        created = await access_keys.create_key(self._unit.of(creator.within(scope, clearance=new.clearance)), new)
        self._engine.access_keys.key_created()
        return created

    async def list(self, *, tenant: str | None = None) -> Sequence[AccessKey]:
        """Return the access keys of this scope and of scopes within it, oldest first, with revoked and expired ones.

        Args:
            tenant: another tenant, for a caller who operates the whole store; by default the caller's.

        Raises:
            NotAllowed: the caller is no operator, or not of the tenant.
        """
        self._caller.need(Right.OPERATE)
        return await access_keys.list_keys(self._of(tenant))

    async def rotate(self, id: str, *, tenant: str | None = None) -> CreatedKey:
        """Replace the token of an access key. Only this result contains the new token; the old one expires in a second.

        Args:
            tenant: another tenant, for a caller who operates the whole store; by default the caller's.

        Raises:
            NotFound: no such access key within this scope.
            InvalidInput: it is revoked or expired.
            NotAllowed: the caller is no operator, or the key has more rights than the caller or opens other tenants.
        """
        return await access_keys.rotate_key(self._of(tenant), id)

    async def revoke(self, id: str, *, tenant: str | None = None) -> AccessKey:
        """Revoke an access key. It expires within a second.

        Args:
            tenant: another tenant, for a caller who operates the whole store; by default the caller's.

        Raises:
            NotFound: no such access key within this scope.
            NotAllowed: the caller is no operator, or the key has more rights than the caller or opens other tenants.
            StoreUnavailable: the key is revoked, but the audit log of one of its tenants lacks that; revoke it again.
        """
        return await access_keys.revoke_key(self._of(tenant), id)

    def _of(self, tenant: str | None) -> UnitOfWork:
        return self._unit.of(self._caller.in_tenant(tenant))
