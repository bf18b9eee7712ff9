"""Which model is asked for what, where, and with which key, follows from the settings."""

from pathlib import Path
from typing import Any

import pytest

from remembrancer import InvalidInput, ProviderUnavailable, open_memory
from remembrancer.assembly import models
from remembrancer.assembly.models import chosen_models
from remembrancer.settings import load_settings
from remembrancer.testing import ScriptedModel
from remembrancer.types.calls import CallPurpose
from tests.endpoints import Endpoint

ALL = tuple(purpose for purpose in CallPurpose if purpose not in (CallPurpose.EMBED, CallPurpose.RERANK))


def test_without_a_key_no_model_is_asked() -> None:
    assert chosen_models(load_settings()) == {}


def test_with_a_gemini_key_and_nothing_else_said_it_observes_and_reflects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    gemini = ("google:gemini-2.5-flash",)
    assert chosen_models(load_settings()) == {CallPurpose.OBSERVE: gemini, CallPurpose.REFLECT: gemini}
    assert chosen_models(load_settings(model="none")) == {}
    assert set(chosen_models(load_settings(model="openai:a")).values()) == {("openai:a",)}


def test_a_key_without_what_speaks_to_gemini_leaves_the_deterministic_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(provider: str) -> bool:
        return False

    monkeypatch.setattr(models, "installed", none)
    assert chosen_models(load_settings(google_api_key="k")) == {}


def test_each_purpose_may_have_a_model_of_its_own_or_none() -> None:
    settings = load_settings(
        model="openai:a", observe_model="google:b", answer_model="none", model_fallbacks="openai:a,openai:c"
    )
    assert chosen_models(settings) == {
        CallPurpose.OBSERVE: ("google:b", "openai:a", "openai:c"),
        CallPurpose.REFLECT: ("openai:a", "openai:c"),
        CallPurpose.DETECT: ("openai:a", "openai:c"),
        CallPurpose.SUMMARISE: ("openai:a", "openai:c"),
    }


def test_a_model_of_ones_own_takes_the_place_of_the_setting() -> None:
    assert chosen_models(load_settings(reflect_model="google:b"), own="mine:x") == {
        purpose: ("google:b",) if purpose is CallPurpose.REFLECT else ("mine:x",) for purpose in ALL
    }


@pytest.mark.parametrize("purpose", ["observe", "answer", "summarise"])
def test_a_model_for_one_purpose_alone_is_asked_with_the_key_and_at_the_address_that_were_given(purpose: str) -> None:
    settings = load_settings(
        **{f"{purpose}_model": "openai:a"}, model_api_key="k", model_url="http://127.0.0.1:1/v1", openai_api_key=""
    )
    ((name,),) = chosen_models(settings).values() if purpose != "answer" else [("openai:a",)]
    assert models.make_model(settings, name).name == "openai:a"


def test_a_model_reranks_only_where_it_is_said_to_and_may_be_another_one() -> None:
    def chosen(**settings: str) -> tuple[str, ...] | None:
        return chosen_models(load_settings(model="openai:a", **settings)).get(CallPurpose.RERANK)

    assert chosen() is None
    assert chosen(rerank_model="google:b") is None
    assert chosen(reranker="jina:m") is None
    assert chosen(reranker="model") == ("openai:a",)
    assert chosen(reranker="model", rerank_model="google:b") == ("google:b",)


@pytest.mark.anyio
async def test_a_memory_is_opened_with_a_model_by_name_or_of_ones_own(tmp_path: Path) -> None:
    async with open_memory(tmp_path / "m.db", model=ScriptedModel([]), embedder="none", background=False) as memory:
        assert (await memory.admin.costs(days=1)).totals == ()
    with Endpoint(lambda _: (500, {})).serving() as endpoint:
        url = endpoint.url
        async with open_memory(
            tmp_path / "m.db", model="openai:a", model_url=url, embedder="none", background=False
        ) as memory:
            assert (await memory.admin.costs()).budgets == ()
        assert endpoint.asked == [], "opening asks nothing"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"model": "gpt-4o"}, InvalidInput, "PROVIDER:NAME"),
        ({"model": "openai:gpt-4o"}, InvalidInput, "needs a key"),
        ({"model": 7}, InvalidInput, "a name or a LanguageModel"),
        ({"model_fallbacks": "quokka:a", "model": "ollama:a"}, InvalidInput, "PROVIDER:NAME"),
        ({"budget_day_money": -1}, InvalidInput, "budget_day_money"),
        ({"tokenizer": "p50k"}, InvalidInput, "tokenizer"),
    ],
)
async def test_a_model_that_cannot_be_asked_is_told_when_a_memory_is_opened(
    tmp_path: Path, given: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        async with open_memory(tmp_path / "m.db", embedder="none", background=False, **given):
            pass


@pytest.mark.anyio
async def test_a_model_whose_extra_is_missing_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(provider: str) -> bool:
        return False

    monkeypatch.setattr("remembrancer.llm.providers.language.installed", none)
    with pytest.raises(ProviderUnavailable, match=r"remembrancer\[google\]"):
        async with open_memory(tmp_path / "m.db", model="google:a", google_api_key="k", embedder="none"):
            pass
