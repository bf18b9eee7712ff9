"""How an engine reaches a model: a prompt in, one whole value of the shape it wants out."""

from typing import Protocol, TypeVar

from remembrancer.ports.language_model import Prompt

T = TypeVar("T")


class Ask(Protocol):
    """Whoever puts a prompt to a model, for one purpose of one scope."""

    async def __call__(self, prompt: Prompt, shape: type[T], /) -> T:
        """The answer as one whole value.

        Raises:
            BadModelOutput: it is not of the shape.
            ProviderUnavailable: no model answered.
            BudgetExceeded: nothing more may be spent.
        """
        ...
