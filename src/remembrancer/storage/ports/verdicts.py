"""Where it is kept what people say of memories."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from remembrancer.types.verdict import Said, Verdict


class Verdicts(Protocol):
    """What people have said of memories of the exact scope."""

    async def of(self, record: str) -> list[Said]:
        """What was said of a memory, the earliest first."""
        ...

    async def confirmed(self, records: Sequence[str]) -> dict[str, datetime]:
        """When each of some memories was last said to be right, in any scope that is seen; those that were."""
        ...

    async def put(self, said: Said) -> None:
        """Store the last word of a person on a memory."""
        ...

    async def withdraw(self, record: str, verdicts: Sequence[Verdict]) -> None:
        """Forget what was said of a memory in these words."""
        ...
