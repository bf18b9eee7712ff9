"""Where it is kept what people have said is wrong."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.rejection import Disowned, Rejection, TakenBack


class Rejections(Protocol):
    """Rejections: what is not to be said again. They hold for whoever sees the scope, whatever is closed to whom."""

    async def standing(self, words: Sequence[str]) -> list[Rejection]:
        """Those of these words that stand in any scope that is seen, by their words and memories.

        Args:
            words: fingerprints.
        """
        ...

    async def stand(self) -> bool:
        """Whether any rejections stand in a scope that is seen."""
        ...

    async def mark(self) -> tuple[tuple[str, str], ...]:
        """Words and memory of all rejections that stand in the scopes that are seen: what tells others from these."""
        ...

    async def naming(self, records: Sequence[str]) -> set[str]:
        """Those of these memories of which something stands rejected in a scope that is seen.

        Args:
            records: ids; of one that was erased its name, as `Rejection` has it.
        """
        ...

    async def of(self, record: str) -> list[Rejection]:
        """What of a memory was rejected in the exact scope."""
        ...

    async def add(self, rejection: Rejection) -> None:
        """Let a rejection stand in the exact scope; one that stands already stays."""
        ...

    async def take_back(self, taken: TakenBack) -> None:
        """Let rejections of the exact scope stand no longer."""
        ...

    async def disown(self, disowned: Disowned) -> None:
        """Let the rejections of a memory of the exact scope name it no longer, nor what others concluded from it."""
        ...
