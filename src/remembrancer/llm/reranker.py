"""What reads a question together with each text that may answer it, and says how well each does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How well texts answer a question, as a reranker says.

    Args:
        scores: one for each text, in their order; the higher the better, and compared with each other alone. Nobody
            has checked them yet.
        tokens: what it took, as the provider counts; `None` where it does not say.
    """

    scores: tuple[float, ...]
    tokens: int | None = None


class Reranker(Protocol):
    """One model that judges texts for a question."""

    @property
    def name(self) -> str:
        """The name of the model, as `provider:name`."""
        ...

    @property
    def is_outside(self) -> bool:
        """True if the texts leave this process: then not all memories may be sent, and each call is in the ledger."""
        ...

    async def judge(self, question: str, texts: Sequence[str], *, seconds: float) -> Judged:
        """Return the score of each text for the question; it can be cancelled at any time.

        Args:
            seconds: how long to wait for it at most.

        Raises:
            ProviderUnavailable: it could not be reached, took too long, or refused the key.
            BadModelOutput: it answered with something else than one number for each text.
        """
        ...

    async def close(self) -> None:
        """Let go of the model or the connections; may be called twice."""
        ...
