"""One call of a model: whatever it does, it comes to an answer or to an error of ours."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import anyio

from remembrancer.errors import BadModelOutput, ProviderUnavailable, RemembrancerError
from remembrancer.llm.language_model import Answer, LanguageModel
from remembrancer.llm.ledger import Request
from remembrancer.types.calls import CallPurpose

# How many times as long as a person waits for an answer may work in the background take: its answers are long.
PATIENCE: Final[Mapping[CallPurpose, float]] = {
    CallPurpose.OBSERVE: 3.0,
    CallPurpose.REFLECT: 5.0,
    CallPurpose.DETECT: 2.0,
    CallPurpose.SUMMARISE: 2.0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How models are asked.

    Args:
        seconds: how long to wait for an answer that somebody waits for; see `PATIENCE` for the others.
        retries: how often one that is not available is asked again, 0 or more.
        sleep: waits for so many seconds.
        chance: a number in [0, 1), which keeps those who failed together from coming back together.
    """

    seconds: float = 60.0
    retries: int = 2
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep
    chance: Callable[[], float] = lambda: 0.5

    def seconds_for(self, purpose: CallPurpose) -> float:
        """How long to wait for an answer to what is asked for a purpose."""
        return self.seconds * PATIENCE.get(purpose, 1.0)


async def complete(model: LanguageModel, request: Request, *, seconds: float) -> Answer:
    """What a model says; whatever a caller's own one raises or returns instead becomes an error of ours.

    Raises:
        ProviderUnavailable: it failed.
        BadModelOutput: it returned something else than an `Answer`.
    """
    try:
        answer: object = await model.complete(
            request.prompt,
            schema=request.schema,
            max_tokens=request.max_tokens,
            seconds=seconds,
            temperature=request.temperature,
        )
    except (RemembrancerError, TimeoutError):
        raise
    except Exception as error:
        raise failed(model.name, error) from error
    return sound(answer, model.name)


def failed(model: str, error: Exception) -> ProviderUnavailable:
    """What a caller's own model raised, in our words."""
    return ProviderUnavailable(f"the model {model!r} failed: {type(error).__name__}", charged=True)


def sound(answer: object, model: str) -> Answer:
    """An answer, where it is one.

    Raises:
        BadModelOutput: a caller's own model has returned something else.
    """
    if not isinstance(answer, Answer):
        raise BadModelOutput(f"the model {model!r} returned {type(answer).__name__} instead of an Answer")
    if not isinstance(answer.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- a caller's own may differ
        raise BadModelOutput(f"the model {model!r} returned an Answer without a text")
    return answer


def kept(text: str) -> str:
    """Words without what no store could keep."""
    return text.replace("\0", "").encode(errors="replace").decode()


def said(text: str) -> str:
    """An answer in words, without what no store could keep.

    Raises:
        BadModelOutput: there are none.
    """
    words = kept(text).strip()
    if not words:
        raise BadModelOutput("the model said nothing")
    return words
