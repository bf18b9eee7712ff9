"""What counts the tokens of a text."""

from collections.abc import Sequence
from typing import Protocol

from remembrancer.types.text import Tokens


class TokenCounter(Protocol):
    """One way to count tokens; counts of two ways are not compared."""

    @property
    def name(self) -> str:
        """Which way of counting tokens; kept beside the counts, which are taken anew where it changes."""
        ...

    @property
    def exact(self) -> bool:
        """Whether the model counts the same; else the count is meant to be no lower than the model's."""
        ...

    @property
    def margin(self) -> float:
        """By what factor the count was raised, since the model cuts text in its own way; 1 for none."""
        ...

    def count(self, text: str) -> Tokens:
        """How many tokens a text has; 0 for an empty one only."""
        ...

    def counts(self, texts: Sequence[str]) -> Sequence[Tokens]:
        """How many tokens each of some texts has; many at once are counted faster than one after the other."""
        ...
