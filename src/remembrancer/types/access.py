"""Callers, their rights and their access keys."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Self

from remembrancer.errors import InvalidInput, NotAllowed, NotFound
from remembrancer.types.arguments import member
from remembrancer.types.scope import LOCAL, Classification, Scope, most_restrictive


class Right(StrEnum):
    """Permissions of an access key. No right includes another one.

    `read`: read the memories of the scope. `write`: record and change them. `learn`: submit feedback, change rules and
    scores. `govern`: erase, and read costs. `operate`: administer the store and its access keys. `reveal`: see
    personal data that is masked otherwise.
    """

    READ = "read"
    WRITE = "write"
    LEARN = "learn"
    GOVERN = "govern"
    OPERATE = "operate"
    REVEAL = "reveal"


EVERY_RIGHT = frozenset(Right)
USUAL_RIGHTS = (Right.READ, Right.WRITE, Right.LEARN)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessKey:
    """An access key without its secret.

    Args:
        id: the first part of the token.
        name: a label; the audit log names the holder by it.
        scope: the scope that the key opens. The holder may narrow unset dimensions.
        tenants: further tenants that the key opens, with the project, agent and user of its scope.
        digest: a hash of the secret; `""` in results.
        rights: in the order of `Right`.
        expires_at: `None` if the key does not expire.
        revoked_at: `None` if the key is not revoked.
        last_seen_at: the time of the last use, or `None`.
    """

    id: str
    name: str
    scope: Scope
    clearance: Classification
    rights: tuple[Right, ...]
    digest: str = ""
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_seen_at: datetime | None = None
    tenants: tuple[str, ...] = ()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that the access key opens: its own, then the same one in each further tenant."""
        return (self.scope, *(replace(self.scope, tenant=tenant) for tenant in self.tenants))

    def opens(self, now: datetime) -> bool:
        """Return True if the access key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedKey:
    """A new access key with its token.

    Args:
        token: the secret of the holder; it is shown only here and is not stored.
    """

    key: AccessKey
    token: str


FULL = Classification.RESTRICTED
"""The clearance that includes all classifications."""
ENGINE = "remembrancer"
"""The actor and origin of the engine's own work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The identity and permissions of a caller. Every transaction has one.

    Args:
        clearance: memories with a higher classification are absent for this caller.
        actor: the name in the audit log and of verdicts; `""` if unknown.
        origin: the entry point, such as `library`, `rest` or `cli`.
        rights: all rights, unless an access key limits them.
        wall: the scope of the access key, which limits the scope; `None` without a key.
        masked: whether personal data is masked in spite of the rights. A service masks it unless a request asks for it.
        all_scopes: whether the caller reads its scope and all scopes under it, instead of the visible ones.
        reads_replicas: whether a replica may answer its reads.
    """

    scope: Scope
    clearance: Classification = FULL
    actor: str = ""
    origin: str = "library"
    rights: frozenset[Right] = EVERY_RIGHT
    wall: Scope | None = None
    masked: bool = False
    all_scopes: bool = False
    reads_replicas: bool = False

    @classmethod
    def engine(cls, scope: Scope) -> Self:
        """Return the caller of the engine's own work in a scope, without restrictions."""
        return cls(scope=scope, actor=ENGINE, origin=ENGINE)

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> Self:
        """Return the caller for another scope, clearance or actor.

        Raises:
            InvalidInput: the clearance is unknown, or the scope has the default tenant and this caller another one.
            NotAllowed: the clearance is above this caller's.
            NotFound: the scope is outside that of the access key.
        """
        if self.wall is not None and not self.wall.contains(scope):
            raise NotFound("scope", str(scope))
        if scope.tenant == LOCAL != self.scope.tenant:
            raise InvalidInput(
                f"this memory is of tenant {self.scope.tenant!r}, and a Scope without a tenant is of {LOCAL!r}:"
                f" write Scope(tenant={self.scope.tenant!r}, …)"
            )
        requested = self.clearance if clearance is None else member(Classification, clearance, "clearance")
        if most_restrictive([self.clearance, requested]) is not self.clearance:
            raise NotAllowed(
                f"the clearance {requested.value!r} is above that of this memory, {self.clearance.value!r}"
            )
        return replace(self, scope=scope, clearance=requested, actor=self.actor if actor is None else actor)

    def in_tenant(self, tenant: str | None) -> Self:
        """Return the caller in another tenant.

        Args:
            tenant: by default the caller's own.

        Raises:
            NotAllowed: it is another tenant, and the caller does not operate the whole store.
            InvalidInput: the name is not valid.
        """
        if tenant in (None, self.scope.tenant):
            return self
        self.need_store()
        return replace(self, scope=replace(self.scope, tenant=tenant), wall=None)

    def across_scopes(self) -> Self:
        """Return the caller with access to its scope and all scopes under it.

        Raises:
            NotAllowed: the caller does not operate the whole tenant.
        """
        self.need(Right.OPERATE)
        if self.wall is not None and self.wall != Scope(tenant=self.wall.tenant):
            raise NotAllowed(
                "this reads all scopes of a tenant; use an access key of the tenant without a project, an agent"
                " and a user"
            )
        return replace(self, all_scopes=True)

    def need(self, right: Right) -> None:
        """Check that the caller has a right.

        Raises:
            NotAllowed: it lacks the right.
        """
        if right not in self.rights:
            raise NotAllowed(f"the access key lacks the right {right.value!r}; use one that has it")

    @property
    def operates_store(self) -> bool:
        """True if the caller may operate the store of all tenants: without an access key, or with one of `local`."""
        return Right.OPERATE in self.rights and self.wall in (None, Scope())

    def need_store(self) -> None:
        """Check that the caller may operate the store of all tenants.

        Raises:
            NotAllowed: it may not.
        """
        self.need(Right.OPERATE)
        if not self.operates_store:
            raise NotAllowed(
                f"this operates the store of all tenants; use an access key of tenant {LOCAL!r} without a"
                " project, an agent and a user"
            )

    @property
    def sees_all(self) -> bool:
        """True if the clearance includes all classifications."""
        return self.clearance is FULL

    @property
    def sees_personal_data(self) -> bool:
        """True if personal data is not masked."""
        return Right.REVEAL in self.rights and not self.masked

    @property
    def sees_as_engine(self) -> bool:
        """True if nothing is closed or masked, as for the engine."""
        return self.sees_all and self.sees_personal_data
