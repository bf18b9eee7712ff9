"""What answers a prompt: text in, an answer in an agreed shape and the tokens it took out."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from remembrancer.types.calls import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What is put to a model.

    Args:
        system: what stays the same from call to call.
        text: what differs.
        version: of the template; rows that are derived from the answer keep it.
        stable: how many characters of `text` will most likely begin the next prompt too; a provider that wants to be
            told what to keep in its cache is told so.
    """

    system: str
    text: str
    version: str
    stable: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a model said.

    Args:
        text: JSON, where a schema was given; nobody has checked it yet, and it may be empty.
        model: which model it was, as `provider:name`.
    """

    text: str
    usage: Usage
    model: str


class LanguageModel(Protocol):
    """One model of one provider."""

    @property
    def name(self) -> str:
        """Which model, as `provider:name`."""
        ...

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Answer:
        """The answer to a prompt.

        Args:
            schema: a JSON schema that the answer is asked to follow; the caller checks whether it does.
            max_tokens: the longest answer that is paid for.
            seconds: how long to wait for it at most.

        Raises:
            ProviderUnavailable: it could not be reached, took too long, or refused the key.
            BadModelOutput: its response is none, so that not even its tokens are known.
        """
        ...


@runtime_checkable
class StreamingModel(LanguageModel, Protocol):
    """A model whose answer in words can be read while it comes. It is no duty: any other gives all of it at once."""

    def stream(
        self, prompt: Prompt, *, max_tokens: int, seconds: float, temperature: float
    ) -> AsyncGenerator[str | Answer, None]:
        """The text of an answer to a prompt piece by piece, and at its end all of it, with its tokens.

        Closed before its end, it lets go of its connection.

        Args:
            seconds: how long to wait for all pieces together at most; what is done between two of them is not counted.

        Raises:
            ProviderUnavailable: as `complete`, or it broke off before its end.
            BadModelOutput: what came is no response, so that not even its tokens are known.
        """
        ...
