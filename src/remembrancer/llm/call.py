"""One call of one model: the caller gets an answer or an error of this package.

Every call is reserved in the ledger before and settled after. No transaction is open in between.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

import anyio

from remembrancer.errors import BadModelOutput, ProviderUnavailable, RemembrancerError
from remembrancer.llm.language_model import Completion, LanguageModel, Prompt, StreamingModel
from remembrancer.llm.ledger import Ledger
from remembrancer.llm.request import ModelRequest
from remembrancer.types.calls import CallOutcome, CallPurpose
from remembrancer.types.times import backoff

T = TypeVar("T")
PATIENCE: Final[Mapping[CallPurpose, float]] = {
    CallPurpose.OBSERVE: 3.0,
    CallPurpose.REFLECT: 5.0,
    CallPurpose.DETECT: 2.0,
    CallPurpose.SUMMARISE: 2.0,
}
"""The factor on the timeout of an answer that no person waits for: such answers are long."""
# Of an answer that is to be repaired: enough to show its fault, and little of one that repeats itself endlessly.
_REPAIRED_CHARACTERS: Final = 4_000
# No token has more characters; a stream that goes on beyond them ignores its limit.
_CHARACTERS_A_TOKEN: Final = 32
_REPAIR_SHAPE: Final = "Answer again, with JSON of the agreed shape and nothing else."
_REPAIR_TEXT: Final = "Answer again, without that fault, and say nothing of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettings:
    """Timeouts and retries of calls.

    Args:
        seconds: timeout of an answer that a person waits for; see `PATIENCE` for the others.
        retries: of a call to a model that is not available, 0 or more.
        sleep: waits for a number of seconds.
        chance: returns a number in [0, 1), which spreads the retries of those who failed together.
    """

    seconds: float = 60.0
    retries: int = 2
    sleep: Callable[[float], Awaitable[object]] = anyio.sleep
    chance: Callable[[], float] = lambda: 0.5

    def seconds_for(self, purpose: CallPurpose) -> float:
        """Return the timeout of an answer for a purpose."""
        return self.seconds * PATIENCE.get(purpose, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reply(Generic[T]):
    """The value of an answer, or its fault."""

    text: str
    value: T | None
    fault: BadModelOutput | None


class ModelCaller:
    """Calls of models with their entries in the ledger, retries and one repair."""

    def __init__(self, ledger: Ledger, settings: CallSettings) -> None:
        self._ledger = ledger
        self._settings = settings

    async def complete(
        self, model: LanguageModel, request: ModelRequest, read: Callable[[str], T], *, retries: int
    ) -> T:
        """Return the value that `read` makes of an answer, after one repair at most.

        A model that is not available is called again. An answer that `read` refuses is sent back once, with the reason.
        Neither is done for a request with `seconds`.

        Raises:
            BudgetExceeded, ProviderUnavailable: as `Models.structured`.
            BadModelOutput: `read` has refused the answer, twice.
        """
        reply = await self._retried(model, request, read, retries=retries)
        if reply.fault is not None and request.seconds is None:
            reply = await self._retried(model, _repair(request, reply), read, retries=retries)
        if reply.fault is not None:
            raise reply.fault
        return reply.value  # pyright: ignore[reportReturnType] -- without a fault it is a T, which may well be None

    async def stream(self, model: LanguageModel, request: ModelRequest, *, retries: int) -> AsyncGenerator[str, None]:
        """Yield the pieces of an answer; call an unavailable model again before the first piece."""
        settings = self._settings
        for attempt in range(1, retries + 2):
            begun = False
            try:
                async with aclosing(self._stream_once(model, request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ProviderUnavailable as error:
                if begun or error.lasting or attempt > retries:
                    raise
                await settings.sleep(backoff(attempt, wait=error.wait, chance=settings.chance()))

    async def _retried(
        self, model: LanguageModel, request: ModelRequest, read: Callable[[str], T], *, retries: int
    ) -> _Reply[T]:
        settings = self._settings
        for attempt in range(1, retries + 1):
            try:
                return await self._complete_once(model, request, read)
            except ProviderUnavailable as error:
                if error.lasting:
                    raise
                await settings.sleep(backoff(attempt, wait=error.wait, chance=settings.chance()))
        return await self._complete_once(model, request, read)

    async def _complete_once(self, model: LanguageModel, request: ModelRequest, read: Callable[[str], T]) -> _Reply[T]:
        async with self._ledger.open_call(model.name, request) as entry:
            try:
                timeout = request.seconds
                seconds = self._settings.seconds_for(request.purpose) if timeout is None else timeout
                answer = await _complete(model, request, seconds=seconds)
            except BadModelOutput as fault:
                entry.set_outcome(CallOutcome.BAD_OUTPUT)
                return _Reply(text="", value=None, fault=fault)
            except ProviderUnavailable as error:
                if not error.charged:
                    entry.set_free()
                raise
            reply = _reply(answer, read)
            entry.set_outcome(CallOutcome.OK if reply.fault is None else CallOutcome.BAD_OUTPUT)
            await self._ledger.settle_answer(entry, answer, request)
            return reply

    async def _stream_once(self, model: LanguageModel, request: ModelRequest) -> AsyncGenerator[str, None]:
        room = request.max_tokens * _CHARACTERS_A_TOKEN
        async with self._ledger.open_call(model.name, request) as entry:
            whole = None
            received: list[str] = []
            try:
                async with aclosing(self._pieces(model, request)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Completion):
                            whole = piece
                            break
                        received.append(piece)
                        room -= len(piece)
                        if room < 0:
                            raise ProviderUnavailable(f"the model {model.name!r} goes on without end", charged=True)
                        yield piece
                if whole is None:
                    raise ProviderUnavailable(f"the model {model.name!r} broke off its answer", charged=True)
                entry.set_outcome(CallOutcome.OK if whole.text.strip() else CallOutcome.BAD_OUTPUT)
                await self._ledger.settle_answer(entry, whole, request)
            except BadModelOutput:
                entry.set_outcome(CallOutcome.BAD_OUTPUT)
                raise
            except ProviderUnavailable as error:
                if not (error.charged or received):
                    entry.set_free()
                raise
            finally:
                if whole is None:
                    entry.set_partial("".join(received))

    async def _pieces(self, model: LanguageModel, request: ModelRequest) -> AsyncGenerator[str | Completion, None]:
        """Yield the pieces of an answer, then the answer; a model that cannot stream has one piece."""
        if not isinstance(model, StreamingModel):
            answer = await _complete(model, request, seconds=self._settings.seconds)
            if answer.text:
                yield _storable(answer.text)
            yield answer
            return
        try:
            stream = model.stream(
                request.prompt,
                max_tokens=request.max_tokens,
                seconds=self._settings.seconds,
                temperature=request.temperature,
            )
            async with aclosing(stream) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Completion):
                        yield _checked(piece, model.name)
                        return
                    if piece:
                        yield _storable(piece)
        except (RemembrancerError, TimeoutError, GeneratorExit):
            raise
        except Exception as error:
            raise _failure(model.name, error) from error


def as_text(text: str) -> str:
    """Return an answer in words, without what no store could keep.

    Raises:
        BadModelOutput: it is blank.
    """
    words = _storable(text).strip()
    if not words:
        raise BadModelOutput("the model returned a blank answer")
    return words


async def _complete(model: LanguageModel, request: ModelRequest, *, seconds: float) -> Completion:
    """Return a model's answer; convert unknown exceptions and values to errors of this package.

    Raises:
        ProviderUnavailable: the model failed.
        BadModelOutput: it returned something other than a `Completion`.
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
        raise _failure(model.name, error) from error
    return _checked(answer, model.name)


def _failure(model: str, error: Exception) -> ProviderUnavailable:
    return ProviderUnavailable(f"the model {model!r} failed: {type(error).__name__}", charged=True)


def _checked(answer: object, model: str) -> Completion:
    if not isinstance(answer, Completion):
        raise BadModelOutput(f"the model {model!r} returned {type(answer).__name__} instead of a Completion")
    if not isinstance(answer.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] -- a caller's own may differ
        raise BadModelOutput(f"the model {model!r} returned a Completion without a text")
    return answer


def _storable(text: str) -> str:
    return text.replace("\0", "").encode(errors="replace").decode()


def _reply(answer: Completion, read: Callable[[str], T]) -> _Reply[T]:
    try:
        return _Reply(text=answer.text, value=read(answer.text), fault=None)
    except BadModelOutput as fault:
        return _Reply(text=answer.text, value=None, fault=fault)


def _repair(request: ModelRequest, reply: _Reply[T]) -> ModelRequest:
    """Return the request with the answer and its fault; unchanged if the answer was blank."""
    if not reply.text.strip():
        return request
    prompt = request.prompt
    text = (
        f"{prompt.text}\n\nAn earlier answer was:\n\n{reply.text[:_REPAIRED_CHARACTERS]}\n\n"
        f"It cannot be used: {reply.fault}. {_REPAIR_TEXT if request.schema is None else _REPAIR_SHAPE}"
    )
    return replace(request, prompt=Prompt(system=prompt.system, text=text, version=f"{prompt.version}+repair"))
