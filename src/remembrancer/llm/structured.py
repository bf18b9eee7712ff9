"""How an engine reaches a model: a prompt in, what it makes of one whole value of the shape it wants out."""

from collections.abc import Callable
from typing import Protocol, TypeVar

from remembrancer.llm.language_model import Prompt

T = TypeVar("T")
R = TypeVar("R")


class Ask(Protocol):
    """Whoever puts a prompt to a model, for one purpose of one scope."""

    async def __call__(self, prompt: Prompt, shape: type[T], take: Callable[[T], R], /) -> R:
        """What `take` makes of the answer, which is one whole value.

        Raises:
            BadModelOutput: it is not of the shape, or `take` refuses it.
            ProviderUnavailable: no model answered.
            BudgetExceeded: nothing more may be spent.
        """
        ...
