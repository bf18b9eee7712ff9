"""Money is counted up, never down; the whole history costs what it costs."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remembrancer.types.calls import (
    FREE,
    CostComparison,
    Price,
    PromptCost,
    SentPrompt,
    dollars,
    expense,
    micros,
    saving,
    whole_history,
)
from remembrancer.types.times import backoff

PRICE = Price(prompt=Decimal("0.3"), cached=Decimal("0.03"), answer=Decimal("2.5"))
TOKENS = st.integers(0, 2_000_000)


def test_a_call_costs_its_tokens_at_their_prices() -> None:
    assert PRICE.cost(prompt=1_000_000, cached=0, answer=0) == micros(Decimal("0.3"))
    assert PRICE.cost(prompt=1_000, cached=400, answer=100) == 180 + 12 + 250
    assert FREE.cost(prompt=1_000, cached=0, answer=9) == 0


@given(TOKENS, TOKENS, TOKENS)
def test_a_cost_is_rounded_up_and_less_where_more_is_cached(prompt: int, cached: int, answer: int) -> None:
    cached = min(cached, prompt)
    cost = PRICE.cost(prompt=prompt, cached=cached, answer=answer)
    assert 0 <= cost <= PRICE.cost(prompt=prompt, cached=0, answer=answer)
    exact = (prompt - cached) * PRICE.prompt + cached * PRICE.cached + answer * PRICE.answer
    assert exact <= cost < exact + 1


@given(st.integers(0, 10**15))
def test_money_reads_as_it_was_kept(amount: int) -> None:
    assert micros(dollars(amount)) == amount


def test_a_history_that_is_sent_whole_grows_behind_its_prefix() -> None:
    assert whole_history(100, [10, 20, 30]) == [
        SentPrompt(tokens=110, prefix=0),
        SentPrompt(tokens=130, prefix=110),
        SentPrompt(tokens=160, prefix=130),
    ]


def test_a_saving_holds_both_ways_at_both_prices() -> None:
    found = saving(
        [SentPrompt(tokens=100, prefix=0), SentPrompt(tokens=100, prefix=90)],
        whole_history(0, [100, 900]),
        lambda prompt, cached: 10 * (prompt - cached) + cached,
    )
    assert found == CostComparison(
        served=PromptCost(tokens=200, prefix=90, uncached=2_000, cached=1_000 + 100 + 90),
        whole=PromptCost(tokens=1_100, prefix=100, uncached=11_000, cached=1_000 + 9_000 + 100),
    )
    assert found.uncached_ratio == 5.5
    assert found.cached_ratio == pytest.approx(10_100 / 1_190)


def test_what_costs_nothing_has_no_ratio() -> None:
    nothing = expense([], lambda _prompt, _cached: 0)
    assert (
        CostComparison(served=nothing, whole=nothing).cached_ratio,
        CostComparison(served=nothing, whole=nothing).uncached_ratio,
    ) == (
        None,
        None,
    )


@given(st.integers(1, 1_000), st.floats(0, 0.999), st.floats(0, 1_000))
def test_waits_grow_and_end(attempt: int, chance: float, wait: float) -> None:
    waited = backoff(attempt, wait=wait, chance=chance)
    assert 0 < waited <= 30
    assert waited >= min(wait, 30)
    assert waited <= backoff(attempt + 1, wait=wait, chance=chance)


def test_those_who_failed_together_do_not_come_back_together() -> None:
    assert (backoff(1, chance=0), backoff(1, chance=0.5), backoff(2, chance=0.5)) == (0.25, 0.375, 1.125)
