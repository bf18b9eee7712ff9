"""Callers, their rights and their access keys."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Self

from remembrancer.errors import InvalidInput, NotAllowed, NotFound
from remembrancer.types.arguments import member
from remembrancer.types.scope import LOCAL, Classification, Scope, most_restrictive


class Right(StrEnum):
    """What the holder of an access key may do; none of them includes another.

    `read` what the scope sees; `write` records of it; `learn`, say what is right and wrong, and change rules and
    standings; `govern`, erase and read what it all cost; `operate`, keep the whole store well, and make keys; `reveal`,
    see the personal data of which a memory is told to hold some, in place of a mark.
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
    """An access key, as a store keeps it: without its secret.

    Args:
        id: how it is named; the first part of what its holder shows.
        name: what people call it.
        scope: the wall; a blank dimension may be narrowed by who holds it.
        tenants: further tenants that it opens, each with the project, agent and user of its scope.
        digest: a fingerprint of the secret; `""` where the key is handed to anybody.
        rights: in the order in which `Right` has them.
        expires_at, revoked_at, last_seen_at: `None` where it never does, was not, was not yet.
    """

    id: str
    name: str
    scope: Scope
    clearance: Classification
    rights: tuple[Right, ...]
    digest: str = ""
    made_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_seen_at: datetime | None = None
    tenants: tuple[str, ...] = ()

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes that the access key opens: its own, then the same one in each further tenant."""
        return (self.scope, *(replace(self.scope, tenant=tenant) for tenant in self.tenants))

    def opens(self, now: datetime) -> bool:
        """Whether the access key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedKey:
    """An access key that was just made.

    Args:
        token: what its holder shows; told this once, and kept nowhere.
    """

    key: AccessKey
    token: str


FULL = Classification.RESTRICTED
"""The clearance to which nothing is closed."""
ENGINE = "remembrancer"
"""The actor and the origin of the engine's own work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller: who asks. It belongs to the transaction, so that nobody can forget to say so.

    Args:
        clearance: what is classified higher reads as absent, of every kind and in every way of reading.
        actor: who it is, for the audit log and for verdicts; `""` where nobody said.
        origin: its entry point, such as `library` or `cli`.
        rights: what it may do; everything, unless an access key says less.
        masked: whether personal data is masked, whatever the rights; a service masks it unless a request asks for it.
        wall: the scope of the access key that let it in, which no narrowing widens; `None` where it came without one.
        all_scopes: whether it reads its scope and all scopes under it, in place of what its scope sees.
    """

    scope: Scope
    clearance: Classification = FULL
    actor: str = ""
    origin: str = "library"
    rights: frozenset[Right] = EVERY_RIGHT
    wall: Scope | None = None
    masked: bool = False
    all_scopes: bool = False

    @classmethod
    def engine(cls, scope: Scope) -> Self:
        """The engine at work for a scope by itself: nothing of the scope is closed to it."""
        return cls(scope=scope, actor=ENGINE, origin=ENGINE)

    def within(self, scope: Scope, *, clearance: str | None = None, actor: str | None = None) -> Self:
        """The same caller with another scope, or somebody else who sees no more.

        Raises:
            InvalidInput: there is no such clearance, or the scope names no tenant and this one is another's.
            NotAllowed: the clearance is above this one.
            NotFound: the scope lies beyond the access key's, and reads as absent.
        """
        if self.wall is not None and not self.wall.contains(scope):
            raise NotFound("scope", str(scope))
        if scope.tenant == LOCAL != self.scope.tenant:
            raise InvalidInput(
                f"this memory is tenant {self.scope.tenant!r}'s, and a Scope without a tenant is {LOCAL!r}'s:"
                f" write Scope(tenant={self.scope.tenant!r}, …)"
            )
        asked = self.clearance if clearance is None else member(Classification, clearance, "clearance")
        if most_restrictive([self.clearance, asked]) is not self.clearance:
            raise NotAllowed(f"the clearance {asked.value!r} is above {self.clearance.value!r}, the one of this memory")
        return replace(self, scope=scope, clearance=asked, actor=self.actor if actor is None else actor)

    def in_tenant(self, tenant: str | None) -> Self:
        """Return the same caller in another tenant, for the work of a caller who keeps the whole store.

        Args:
            tenant: the caller's own, if not given.

        Raises:
            NotAllowed: it is another tenant, and the caller does not keep the store.
            InvalidInput: the name is no tenant's.
        """
        if tenant in (None, self.scope.tenant):
            return self
        self.need_store()
        return replace(self, scope=replace(self.scope, tenant=tenant), wall=None)

    def across_scopes(self) -> Self:
        """Return the same caller as it reads its scope and all scopes under it: of a tenant's own scope, the tenant.

        Raises:
            NotAllowed: the caller is no operator of the whole tenant.
        """
        self.need(Right.OPERATE)
        if self.wall is not None and self.wall != Scope(tenant=self.wall.tenant):
            raise NotAllowed(
                "this reads all scopes of a tenant; it takes an access key of the tenant without a project, an agent"
                " and a user"
            )
        return replace(self, all_scopes=True)

    def need(self, right: Right) -> None:
        """Let the caller pass where it has a right.

        Raises:
            NotAllowed: it has not.
        """
        if right not in self.rights:
            raise NotAllowed(f"this takes an access key with the right {right.value!r}, which this one has not")

    @property
    def operates_store(self) -> bool:
        """Whether the caller may look after the whole store: it came without an access key, or with an operator's."""
        return Right.OPERATE in self.rights and self.wall in (None, Scope())

    def need_store(self) -> None:
        """Let the caller pass where it may look after the whole store, of every tenant.

        Raises:
            NotAllowed: it may not.
        """
        self.need(Right.OPERATE)
        if not self.operates_store:
            raise NotAllowed(
                f"this looks after the store of every tenant; it takes an access key of tenant {LOCAL!r} without a"
                " project, an agent and a user"
            )

    @property
    def sees_all(self) -> bool:
        """Whether no classification is closed."""
        return self.clearance is FULL

    @property
    def sees_personal_data(self) -> bool:
        """Whether personal data is shown as it is."""
        return Right.REVEAL in self.rights and not self.masked

    @property
    def sees_as_engine(self) -> bool:
        """Whether nothing is closed to it, and nothing hidden: as it is for the engine."""
        return self.sees_all and self.sees_personal_data
