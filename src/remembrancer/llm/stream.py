"""An answer that is read as it comes; what came of it is paid for, whatever becomes of it."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

from remembrancer.errors import BadModelOutput, ProviderUnavailable, RemembrancerError
from remembrancer.llm.language_model import Answer, LanguageModel, StreamingModel
from remembrancer.llm.ledger import Ledger, Request
from remembrancer.llm.permits import Asking, complete, failed, kept, sound
from remembrancer.types.calls import CallOutcome
from remembrancer.types.times import backoff

# No token has more characters; a stream that goes on beyond them keeps to no limit.
_CHARACTERS_A_TOKEN = 32


class Streaming:
    """The streams of the models of one open store."""

    def __init__(self, ledger: Ledger, asking: Asking) -> None:
        self._ledger = ledger
        self._asking = asking

    async def tried(self, model: LanguageModel, request: Request, *, retries: int) -> AsyncGenerator[str, None]:
        """The pieces of an answer, asked for again while the model is not available and nothing came."""
        asking = self._asking
        for attempt in range(1, retries + 2):
            begun = False
            try:
                async with aclosing(self._streamed(model, request)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield piece
                return
            except ProviderUnavailable as error:
                if begun or error.lasting or attempt > retries:
                    raise
                await asking.sleep(backoff(attempt, wait=error.wait, chance=asking.chance()))

    async def _streamed(self, model: LanguageModel, request: Request) -> AsyncGenerator[str, None]:
        """One call, whose answer is read as it comes; what of it came is paid for, whatever becomes of it."""
        room = request.max_tokens * _CHARACTERS_A_TOKEN
        async with self._ledger.call(model.name, request) as entry:
            whole = None
            came: list[str] = []
            try:
                async with aclosing(self._pieces(model, request)) as pieces:
                    async for piece in pieces:
                        if isinstance(piece, Answer):
                            whole = piece
                            break
                        came.append(piece)
                        room -= len(piece)
                        if room < 0:
                            raise ProviderUnavailable(f"the model {model.name!r} goes on without end", charged=True)
                        yield piece
                if whole is None:
                    raise ProviderUnavailable(f"the model {model.name!r} broke off its answer", charged=True)
                entry.ended(CallOutcome.OK if whole.text.strip() else CallOutcome.BAD_OUTPUT)
                await self._ledger.took(entry, whole, request)
            except BadModelOutput:
                entry.ended(CallOutcome.BAD_OUTPUT)
                raise
            except ProviderUnavailable as error:
                if not (error.charged or came):
                    entry.cost_nothing()
                raise
            finally:
                if whole is None:
                    entry.broke_off("".join(came))

    async def _pieces(self, model: LanguageModel, request: Request) -> AsyncGenerator[str | Answer, None]:
        """What a model says as it comes, and what it was at its end; whatever else a caller's own does is an error."""
        if not isinstance(model, StreamingModel):
            answer = await complete(model, request, seconds=self._asking.seconds)
            if answer.text:
                yield kept(answer.text)
            yield answer
            return
        try:
            found = model.stream(
                request.prompt,
                max_tokens=request.max_tokens,
                seconds=self._asking.seconds,
                temperature=request.temperature,
            )
            async with aclosing(found) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Answer):
                        yield sound(piece, model.name)
                        return
                    if piece:
                        yield kept(piece)
        except (RemembrancerError, TimeoutError, GeneratorExit):
            raise
        except Exception as error:
            raise failed(model.name, error) from error
