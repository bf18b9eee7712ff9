"""How long a text is for a language model, without its tokenizer."""

import math
from collections.abc import Sequence
from typing import NewType

Tokens = NewType("Tokens", int)
ESTIMATOR = "estimate-1"
_LATIN_CHARACTERS_A_TOKEN = 3.6


class Estimate:
    """A count by length alone; see `ports.tokens`."""

    name = ESTIMATOR
    exact = False
    margin = 1.0

    def count(self, text: str) -> Tokens:
        """How many tokens a text may have."""
        return estimate(text)

    def counts(self, texts: Sequence[str]) -> list[Tokens]:
        """How many tokens each of some texts may have."""
        return [estimate(text) for text in texts]


def estimate(text: str) -> Tokens:
    """An estimate of a text's tokens: a little over the truth for English, one a character for scripts like Chinese."""
    wide = sum(character > "\u2e80" for character in text)
    return Tokens(wide + math.ceil((len(text) - wide) / _LATIN_CHARACTERS_A_TOKEN))


ESTIMATE = Estimate()
