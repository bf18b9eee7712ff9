"""A price is the deployment's, else the list's, else unknown: never nothing."""

import sys
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.llm.providers.prices import PriceList
from remembrancer.types.calls import FREE, Price, Usage

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
MILLION = 1_000_000
LIST = PriceList({})
KNOWN = (
    "openai:gpt-4o-mini",
    "openai:gpt-5-nano",
    "anthropic:claude-haiku-4-5",
    "google:gemini-2.5-flash",
    "google:gemini-2.5-pro",
    "deepseek:deepseek-chat",
)


def cost(prices: PriceList, model: str, *, prompt: int = 0, cached: int = 0, answer: int = 0) -> int | None:
    return prices.cost(model, Usage(prompt=prompt, cached=cached, answer=answer), at=NOW)


# As their makers published them.
@pytest.mark.parametrize(
    ("model", "prompt", "cached", "answer"),
    [
        ("openai:gpt-4o-mini", 0.15, 0.075, 0.6),
        ("openai:gpt-4o-mini-2024-07-18", 0.15, 0.075, 0.6),
        ("anthropic:claude-haiku-4-5", 1, 0.1, 5),
        ("google:gemini-2.5-flash", 0.3, 0.03, 2.5),
    ],
)
def test_well_known_models_have_their_published_prices(model: str, prompt: float, cached: float, answer: float) -> None:
    assert cost(LIST, model, prompt=MILLION) == prompt * MILLION
    assert cost(LIST, model, prompt=MILLION, cached=MILLION) == cached * MILLION
    assert cost(LIST, model, answer=MILLION) == answer * MILLION


@pytest.mark.parametrize(
    "model", ["openai:quokka", "openai:gpt-4o-quokka", "ollama:gpt-4o", "scripted:model", "openai"]
)
def test_what_is_not_listed_has_no_price(model: str) -> None:
    assert cost(LIST, model, prompt=1_000) is None


def test_what_is_listed_without_a_price_is_not_free() -> None:
    assert cost(LIST, "google:gemma-3-27b-it", prompt=1_000, answer=1_000) is None


def test_a_provider_at_another_address_has_no_listed_price() -> None:
    elsewhere = PriceList({"openai:small": FREE}, elsewhere=["openai"])
    assert cost(elsewhere, "openai:gpt-4o-mini", prompt=1_000) is None
    assert cost(elsewhere, "openai:small", prompt=1_000) == 0
    assert cost(elsewhere, "google:gemini-2.5-flash", prompt=1_000) == 300


def test_a_price_that_is_given_comes_before_the_list() -> None:
    dear = Price(prompt=Decimal(7), cached=Decimal(3), answer=Decimal(11))
    given = PriceList({"openai:gpt-4o-mini": dear})
    assert cost(given, "openai:gpt-4o-mini", prompt=10, cached=4, answer=1) == 6 * 7 + 4 * 3 + 11


def test_a_long_prompt_may_cost_more_a_token() -> None:
    short, long = (cost(LIST, "google:gemini-2.5-pro", prompt=prompt) for prompt in (100_000, 400_000))
    assert short is not None
    assert long is not None
    assert long > 4 * short


def test_what_a_provider_puts_into_its_cache_may_cost_more() -> None:
    plain = Usage(prompt=MILLION, cached=0, answer=0)
    written = Usage(prompt=MILLION, cached=0, answer=0, written=MILLION)
    assert LIST.cost("anthropic:claude-haiku-4-5", plain, at=NOW) == MILLION
    assert LIST.cost("anthropic:claude-haiku-4-5", written, at=NOW) == 1.25 * MILLION


def test_counts_that_cannot_be_have_no_cost() -> None:
    assert cost(LIST, "openai:gpt-4o-mini", prompt=1, cached=5) is None


@given(st.sampled_from(KNOWN), st.integers(0, 150_000), st.integers(0, 150_000), st.integers(0, 20_000))
def test_a_cost_grows_with_what_is_asked_and_answered_and_falls_with_what_is_cached(
    model: str, prompt: int, cached: int, answer: int
) -> None:
    cached = min(cached, prompt)
    costs = [
        cost(LIST, model, prompt=prompt, cached=cached, answer=answer),
        cost(LIST, model, prompt=prompt, answer=answer),
        cost(LIST, model, prompt=prompt + 1_000, answer=answer + 1_000),
    ]
    known = [found for found in costs if found is not None]
    assert len(known) == 3
    assert known == sorted(known)


def test_without_the_list_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    assert cost(LIST, "openai:gpt-4o-mini", prompt=1_000) is None
