"""Language models by name: `openai:gpt-5-nano`, `anthropic:claude-haiku-4-5`, `google:gemini-2.5-flash`, and others.

Light to import: what speaks to a provider is loaded when a model is first asked.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput, ProviderUnavailable
from remembrancer.llm.language_model import Completion, Prompt

if TYPE_CHECKING:
    from remembrancer.llm.providers.chat import Chat

# By provider: the extra to install, the package in it, and the default address.
_PROVIDERS = {
    "openai": ("openai", "openai", "https://api.openai.com/v1"),
    "deepseek": ("openai", "openai", "https://api.deepseek.com"),
    "ollama": ("openai", "openai", "http://127.0.0.1:11434/v1"),
    "anthropic": ("anthropic", "anthropic", "https://api.anthropic.com"),
    "google": ("google", "google.genai", "https://generativelanguage.googleapis.com"),
}
KEYLESS = ("ollama",)


class RemoteModel:
    """A model of a provider; see `StreamingModel`. Close it after use.

    Args:
        name: `provider:name`.
        url: of an OpenAI-compatible server, or of a gateway to one of the others; the provider's own if empty.

    Raises:
        InvalidInput: the name names no provider, or there is neither a key nor an address.
        ProviderUnavailable: the provider's extra is not installed.
    """

    def __init__(self, name: str, *, url: str = "", api_key: str = "") -> None:
        provider, model = parts_of(name)
        extra, _, home = _PROVIDERS[provider]
        if not installed(provider):
            raise ProviderUnavailable(
                f"the model {name!r} needs the extra {extra!r}: pip install 'remembrancer[{extra}]'", lasting=True
            )
        if not (api_key or url or provider in KEYLESS):
            raise InvalidInput(
                f"the model {name!r} needs a key: set REMEMBRANCER_MODEL_API_KEY or {provider.upper()}_API_KEY"
            )
        self.name = name
        self._parts = (provider, model, url or home, api_key, bool(url))
        self._loading = anyio.Lock()
        self._chat: Chat | None = None

    async def complete(
        self, prompt: Prompt, *, schema: Mapping[str, Any] | None, max_tokens: int, seconds: float, temperature: float
    ) -> Completion:
        """Return the answer to a prompt."""
        chat = await self._loaded()
        return await chat.complete(
            prompt, schema=schema, max_tokens=max_tokens, seconds=seconds, temperature=temperature
        )

    async def stream(
        self, prompt: Prompt, *, max_tokens: int, seconds: float, temperature: float
    ) -> AsyncGenerator[str | Completion, None]:
        """Yield the answer to a prompt, piece by piece; see `StreamingModel`."""
        chat = await self._loaded()
        found = chat.stream(prompt, max_tokens=max_tokens, seconds=seconds, temperature=temperature)
        async with aclosing(found) as pieces:
            async for piece in pieces:
                yield piece

    async def _loaded(self) -> "Chat":
        async with self._loading:
            if self._chat is None:
                self._chat = await run_sync(self._load)
            return self._chat

    def _load(self) -> "Chat":
        from remembrancer.llm.providers.chat import Chat

        provider, model, url, api_key, is_foreign = self._parts
        return Chat(self.name, provider, model, url=url, api_key=api_key, is_foreign=is_foreign)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        if self._chat is not None:
            await self._chat.close()


def parts_of(name: str) -> tuple[str, str]:
    """Return the provider and the model in a name.

    Raises:
        InvalidInput: it is not `provider:name` of a known provider.
    """
    provider, _, model = name.partition(":")
    if provider not in _PROVIDERS or not model.strip():
        known = f"{', '.join(_PROVIDERS)} or command"
        raise InvalidInput(f"{name!r} is no model; write PROVIDER:NAME, with one of {known}")
    return provider, model


def installed(provider: str) -> bool:
    """Return True if what speaks to a provider is installed."""
    try:
        return find_spec("pydantic_ai") is not None and find_spec(_PROVIDERS[provider][1]) is not None
    except ModuleNotFoundError:
        # The package above it is missing.
        return False
