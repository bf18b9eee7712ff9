"""Where it is kept what operators have set."""

from typing import Protocol, TypeVar

from remembrancer.types.policy import Policy, Unset

P = TypeVar("P", bound=Policy)


class Policies(Protocol):
    """What operators have set for scopes; everybody whom it binds may see it, whatever the clearance."""

    async def seen(self, kind: type[P]) -> list[P]:
        """Policies of a kind that hold in the exact scope: of it, and of every scope that it sees; by their names."""
        ...

    async def beneath(self, kind: type[P]) -> list[P]:
        """Policies of a kind of the exact scope and of those under it, by their names."""
        ...

    async def around(self, kind: type[P]) -> list[P]:
        """Policies of a kind that hold in the exact scope, and those of the scopes under it, by their names."""
        ...

    async def own(self, kind: type[P]) -> list[P]:
        """Policies of a kind of the exact scope alone, by their names."""
        ...

    async def put(self, policy: Policy) -> None:
        """Set a policy of the exact scope, in place of the one of its name."""
        ...

    async def drop(self, unset: Unset) -> bool:
        """Let a policy of the exact scope hold no longer; `False` where there is none."""
        ...
