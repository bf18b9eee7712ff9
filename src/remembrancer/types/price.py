"""What a million tokens cost, and what that makes of a call. Money is whole millionths of a US dollar."""

import math
from dataclasses import dataclass
from decimal import Decimal

MICROS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens.

    Args:
        prompt: what the provider had not cached.
        cached: what it had.
        answer: what the model wrote, its thoughts among it.
    """

    prompt: Decimal
    cached: Decimal
    answer: Decimal

    def cost(self, *, prompt: int, cached: int, answer: int) -> int:
        """What a call of a model costs in millionths of a dollar, rounded up.

        Args:
            prompt: tokens of the prompt, the cached ones included.
        """
        return math.ceil((prompt - cached) * self.prompt + cached * self.cached + answer * self.answer)


FREE = Price(prompt=Decimal(0), cached=Decimal(0), answer=Decimal(0))


def micros(dollars: Decimal) -> int:
    """The price of a call of a model in millionths of a dollar, rounded up."""
    return math.ceil(dollars * MICROS)


def dollars(micros: int) -> Decimal:
    """The price of a call of a model as people read it."""
    return Decimal(micros) / MICROS
