"""The port of language models: a prompt in, an answer with its token counts out."""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from remembrancer.types.calls import Usage

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A prompt for a model.

    Args:
        system: the part that is the same in every call.
        text: the part that differs.
        version: of the template; derived rows keep it.
        stable: how many characters of `text` will probably begin the next prompt too. Providers with explicit caching
            get a mark there.
    """

    system: str
    text: str
    version: str
    stable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer.

    Args:
        text: JSON, if a schema was passed; not checked yet, and possibly empty.
        model: as `provider:name`.
    """

    text: str
    usage: Usage
    model: str


class LanguageModel(Protocol):
    """One model of one provider."""

    @property
    def name(self) -> str:
        """The name of the model, as `provider:name`."""
        ...

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        """Return the answer to a prompt.

        Args:
            schema: a JSON schema that the answer should follow; the caller checks it.
            max_tokens: the longest answer that is paid for.
            seconds: the timeout.

        Raises:
            ProviderUnavailable: it could not be reached, was too slow, or refused the key.
            BadModelOutput: its response is invalid, so that not even its tokens are known.
        """
        ...


@runtime_checkable
class StreamingModel(LanguageModel, Protocol):
    """A model that can stream answers in words.

    This is optional: other models return the whole answer at once.
    """

    def stream(
        self, prompt: Prompt, *, max_tokens: int, seconds: float, temperature: float
    ) -> AsyncGenerator[str | Completion, None]:
        """Return the text of an answer piece by piece, then the whole answer with its tokens.

        Closing it early releases the connection.

        Args:
            seconds: timeout of all pieces together, without the caller's time between two of them.

        Raises:
            ProviderUnavailable: as `complete`, or the stream broke off.
            BadModelOutput: the response is invalid, so that not even its tokens are known.
        """
        ...


class AskModel(Protocol):
    """The function with which an engine asks the models of its scope and purpose."""

    async def __call__(self, prompt: Prompt, shape: type[T], convert: Callable[[T], R], /) -> R:
        """Return what `convert` makes of an answer, which is one whole value of the shape.

        Raises:
            BadModelOutput: it is not of the shape, or `convert` refuses it.
            ProviderUnavailable: no model answered.
            BudgetExceeded: nothing more may be spent.
        """
        ...
