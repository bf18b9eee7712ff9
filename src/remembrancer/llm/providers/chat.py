"""A client of one model through pydantic-ai, below its agents, with errors of this package.

`providers.language` imports it on first use, since it loads an SDK, which needs a second or more.
"""

from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import Any, cast

import anyio
from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelConnectionError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UserError,
)
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    SystemPromptPart,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.settings import ModelSettings

from remembrancer.errors import BadModelOutput, InvalidInput, ProviderUnavailable
from remembrancer.llm.language_model import Completion, Prompt
from remembrancer.types.calls import Usage

# What an SDK raises on its way through a response that has not the shape it expects.
_MISSHAPEN = (AttributeError, IndexError, KeyError, TypeError, ValueError)
_UNSENT = ("pool", "connect")


class Chat:
    """A model that can be asked.

    Args:
        provider: one that `providers.language` knows.
        is_foreign: whether the address is another than the provider's own.
    """

    def __init__(self, label: str, provider: str, model: str, *, url: str, api_key: str, is_foreign: bool) -> None:
        self._label = label
        self._model = _model(provider, model, url, api_key or "none", is_foreign)
        # The others keep the beginnings of prompts by themselves.
        self._marks_cached = provider == "anthropic"

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        """See `LanguageModel`."""
        with self._in_our_words(seconds), anyio.fail_after(seconds):
            response = await model_request(
                self._model,
                self._messages(prompt),
                model_settings=self._settings(max_tokens, seconds, temperature),
                model_request_parameters=self._asking(schema),
            )
        return self._answer(response)

    async def stream(
        self, prompt: Prompt, *, max_tokens: int, seconds: float, temperature: float
    ) -> AsyncGenerator[str | Completion, None]:
        """See `StreamingModel`."""
        left, asked = (
            seconds,
            model_request_stream(
                self._model,
                self._messages(prompt),
                model_settings=self._settings(max_tokens, seconds, temperature),
                model_request_parameters=self._asking(None),
            ),
        )
        async with AsyncExitStack() as stack:
            started = anyio.current_time()
            with self._in_our_words(seconds), anyio.fail_after(left):
                stream = await stack.enter_async_context(asked)
                events = aiter(stream)
            left -= anyio.current_time() - started
            while left > 0:
                started = anyio.current_time()
                # Entered and left for each piece: who reads them may be cancelled between two.
                with self._in_our_words(seconds, begun=True), anyio.fail_after(left):
                    event = await anext(events, None)
                left -= anyio.current_time() - started
                if event is None:
                    yield self._whole(stream)
                    return
                if piece := _text(event):
                    yield piece
            raise self._too_slow(seconds)

    def _messages(self, prompt: Prompt) -> list[ModelMessage]:
        head, rest = prompt.text[: prompt.stable], prompt.text[prompt.stable :]
        # No provider caches or accepts a blank text.
        parted = self._marks_cached and head.strip() and rest.strip()
        message = UserPromptPart([head, CachePoint(), rest] if parted else prompt.text)
        return [ModelRequest(parts=[SystemPromptPart(prompt.system), message])]

    def _whole(self, stream: StreamedResponse) -> Completion:
        """Return the answer of a stream.

        Raises:
            ProviderUnavailable: it ended without saying why, as one does whose connection was cut.
        """
        details = stream.provider_details or {}
        if not (details.get("finish_reason") or stream.finish_reason == "content_filter"):
            raise self._broken_off()
        return self._answer(stream.get())

    def _settings(self, max_tokens: int, seconds: float, temperature: float) -> ModelSettings:
        settings = ModelSettings(max_tokens=max_tokens, timeout=seconds, max_retries=0, thinking=False)
        if self._marks_cached:
            # Its own settings are in a module that only its extra can load.
            settings = cast(ModelSettings, {**settings, "anthropic_cache_instructions": True})
        if self._accepts_temperature():
            settings["temperature"] = temperature
        return settings

    @contextmanager
    def _in_our_words(self, seconds: float, *, begun: bool = False) -> Generator[None, None, None]:
        """Return a block in which exceptions of the adapter become errors of this package.

        Args:
            begun: True if a part of the answer was received.
        """
        try:
            yield
        except TimeoutError as error:
            raise self._too_slow(seconds) from error
        except ModelAPIError as error:
            raise (self._broken_off() if begun else self._translated(error)) from error
        except UserError as error:
            raise ProviderUnavailable(f"the model {self._label!r} cannot be asked in this way", lasting=True) from error
        except (AgentRunError, *_MISSHAPEN) as error:
            fault = f"the model {self._label!r} answered with no response of its protocol"
            raise (self._broken_off() if begun else BadModelOutput(fault)) from error

    def _broken_off(self) -> ProviderUnavailable:
        return ProviderUnavailable(f"the model {self._label!r} broke off its answer", charged=True)

    def _too_slow(self, seconds: float) -> ProviderUnavailable:
        return ProviderUnavailable(f"the model {self._label!r} did not answer within {seconds:g} s", charged=True)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        # Entered and left: the client is closed with the last who leaves.
        async with self._model:
            pass

    def _asking(self, schema: Mapping[str, Any] | None) -> ModelRequestParameters:
        if schema is None:
            return ModelRequestParameters()
        # The prompt includes the schema for a model that cannot enforce one.
        native = self._model.profile.get("supports_json_schema_output", False)
        return ModelRequestParameters(
            output_mode="native" if native else "prompted",
            output_object=OutputObjectDefinition(json_schema=dict(schema), name="answer"),
        )

    def _accepts_temperature(self) -> bool:
        profile = cast(Mapping[str, object], self._model.profile)
        return not (profile.get("thinking_always_enabled") or profile.get("anthropic_disallows_sampling_settings"))

    def _translated(self, error: ModelAPIError) -> ProviderUnavailable | BadModelOutput:
        """Return the error in our words; never with the provider's, which may repeat the prompt."""
        lasting = isinstance(error, ModelRequestRejectedError | ModelQuotaExceededError)
        wait = error.retry_after or 0.0
        if isinstance(error, ModelHTTPError):
            message = f"the model {self._label!r} answered with status {error.status_code}"
            return ProviderUnavailable(message, lasting=lasting, wait=wait)
        if isinstance(error, ModelConnectionError):
            charged = error.phase not in _UNSENT
            return ProviderUnavailable(f"the model {self._label!r} cannot be reached", charged=charged)
        if type(error) is ModelAPIError:
            return BadModelOutput(f"the model {self._label!r} answered with no response of its protocol")
        return ProviderUnavailable(
            f"the model {self._label!r} failed: {type(error).__name__}", lasting=lasting, wait=wait
        )

    def _answer(self, response: ModelResponse) -> Completion:
        used = response.usage
        return Completion(
            text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
            usage=Usage(
                prompt=used.input_tokens,
                cached=used.cache_read_tokens,
                answer=used.output_tokens,
                written=used.cache_write_tokens,
            ),
            model=self._label,
        )


def _text(event: ModelResponseStreamEvent) -> str:
    """Return the words that an event of a stream brings, as far as it brings any."""
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return text
        case _:
            return ""


def _model(provider: str, model: str, url: str, api_key: str, is_foreign: bool) -> Model[Any]:
    match provider:
        case "openai" | "deepseek" | "ollama":
            return _compatible(provider, model, url, api_key, is_foreign)
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(model, provider=AnthropicProvider(base_url=url, api_key=api_key))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(model, provider=GoogleProvider(base_url=url, api_key=api_key))
        case _:
            raise InvalidInput(f"no provider {provider!r}")


def _compatible(provider: str, model: str, url: str, api_key: str, is_foreign: bool) -> Model[Any]:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.deepseek import DeepSeekProvider
    from pydantic_ai.providers.ollama import OllamaProvider
    from pydantic_ai.providers.openai import OpenAIProvider

    if provider == "deepseek" and not is_foreign:
        return OpenAIChatModel(model, provider=DeepSeekProvider(api_key=api_key))
    if provider == "ollama":
        home = OllamaProvider(base_url=url, api_key=api_key)
    else:
        home = OpenAIProvider(base_url=url, api_key=api_key)
    asked = OpenAIChatModel(model, provider=home)
    if not (is_foreign or provider == "ollama") or asked.profile.get("supports_thinking", False):
        return asked
    # Servers that are like OpenAI's know the older name of the limit; some ignore the newer, and never end.
    older = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)
    return OpenAIChatModel(model, provider=home, profile=older)
