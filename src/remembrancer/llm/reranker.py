"""The port of rerankers, which score texts as answers to a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankScores:
    """The scores of texts from a reranker.

    Args:
        scores: one for each text, in their order. Higher is better, and only comparable within one call. They are not
            checked yet.
        tokens: used, as the provider counts; `None` if it does not report them.
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
        """True if the texts leave this process: then some memories are left out, and each call is in the ledger."""
        ...

    async def judge(self, question: str, texts: Sequence[str], *, seconds: float) -> RerankScores:
        """Return the score of each text for the question; cancellable at any time.

        Args:
            seconds: the timeout.

        Raises:
            ProviderUnavailable: it could not be reached, was too slow, or refused the key.
            BadModelOutput: its response is not one number for each text.
        """
        ...

    async def close(self) -> None:
        """Release the model or the connections; may be called twice."""
        ...
