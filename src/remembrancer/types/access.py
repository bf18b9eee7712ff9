"""Access keys: what opens a memory through the service, for whom, and for how long."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from remembrancer.types.classification import Classification
from remembrancer.types.scope import Scope


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
class MadeKey:
    """An access key that was just made.

    Args:
        token: what its holder shows; told this once, and kept nowhere.
    """

    key: AccessKey
    token: str
